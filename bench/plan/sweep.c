/* Runs through the values of parameters (sweep.h). */
#include <stdio.h>
#include <string.h>

#include "bench/plan/sweep.h"

ab_status ab_sweep_add(ab_sweeps *s, const char *name, size_t name_length, const char *values, size_t length,
                       const char *separators)
{
    int i = 0;
    while (i < s->count && (strlen(s->of[i].name) != name_length || strncmp(s->of[i].name, name, name_length))) ++i;
    if (i == AB_MAX_SWEEPS || name_length >= sizeof s->of[i].name)
        return ab_bad_input("more than %d parameters, or a name is too long", AB_MAX_SWEEPS);
    if (i == s->count) ++s->count;
    s->of[i] = (ab_sweep){.values = values, .length = length, .separators = separators};
    snprintf(s->of[i].name, sizeof s->of[i].name, "%.*s", (int)name_length, name);
    return ab_ok();
}

ab_status ab_sweep_add_text(const ab_driver *driver, const char *text, const char *separators, ab_sweeps *s)
{
    ab_setting of;
    while (ab_next_setting(driver, &text, &of))
        AB_TRY(ab_sweep_add(s, of.name, of.name_length, of.values, of.values_length, separators));
    return ab_ok();
}

/* The function that takes each combination. */
typedef struct taker {
    ab_status (*take)(const void *context, char values[][AB_SWEEP_VALUE]);
    const void *context;
} taker;

/* Makes every combination of the values of parameter i and those after it. */
static ab_status combine(const ab_sweeps *s, const taker *to, int i, char values[][AB_SWEEP_VALUE])
{
    if (i == s->count) return to->take(to->context, values);
    const ab_sweep *of = &s->of[i];
    const char *text = of->values, *end = of->values + of->length;
    do {
        size_t length = strcspn(text, of->separators);
        if (text + length > end) length = (size_t)(end - text);
        if (length >= AB_SWEEP_VALUE) return ab_bad_input("%s: a value is too long", of->name);
        snprintf(values[i], AB_SWEEP_VALUE, "%.*s", (int)length, text);
        AB_TRY(combine(s, to, i + 1, values));
        text += length + 1;
    } while (text < end);
    return ab_ok();
}

ab_status ab_sweep_combine(const ab_sweeps *s, ab_status (*take)(const void *context, char values[][AB_SWEEP_VALUE]),
                           const void *context)
{
    char values[AB_MAX_SWEEPS][AB_SWEEP_VALUE];
    return combine(s, &(taker){take, context}, 0, values);
}
