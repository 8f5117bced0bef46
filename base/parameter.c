/* Tables of parameters (base/parameter.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parameter.h"
#include "base/text.h"

const ab_parameter *ab_parameter_find(const ab_parameter *table, const char *name, size_t length)
{
    for (; table->name; ++table)
        if (strlen(table->name) == length && strncmp(table->name, name, length) == 0) return table;
    return NULL;
}

void ab_parameters_join(const ab_parameter *first, const ab_parameter *second,
                        ab_parameter joined[AB_MOST_PARAMETERS + 1])
{
    int count = 0;
    for (; first->name && count < AB_MOST_PARAMETERS; ++first) joined[count++] = *first;
    for (; second && second->name && count < AB_MOST_PARAMETERS; ++second) joined[count++] = *second;
    joined[count] = (ab_parameter){.name = NULL};
}

static void *field(const ab_parameter *parameter, void *params)
{
    return (char *)params + parameter->offset;
}

double ab_parameter_value(const ab_parameter *parameter, const void *params)
{
    const void *from = (const char *)params + parameter->offset;
    if (parameter->kind == AB_REAL) return *(const double *)from;
    return parameter->kind == AB_FLAG ? *(const bool *)from : *(const int *)from;
}

static void store(const ab_parameter *parameter, double value, void *params)
{
    switch (parameter->kind) {
    case AB_REAL:
        *(double *)field(parameter, params) = value;
        break;
    case AB_FLAG:
        *(bool *)field(parameter, params) = value != 0.0;
        break;
    default:
        *(int *)field(parameter, params) = (int)value;
    }
}

void ab_parameters_default(const ab_parameter *table, void *params)
{
    for (; table->name; ++table) store(table, table->fallback, params);
}

static int count_choices(const ab_parameter *parameter)
{
    int count = 0;
    while (parameter->choices[count]) ++count;
    return count;
}

/* Whether it may be, not counting what the word stands for. Written so that NaN fails. */
static bool is_in_range(const ab_parameter *parameter, double value)
{
    if (parameter->kind == AB_FLAG) return value == 0.0 || value == 1.0;
    if (parameter->kind == AB_CHOICE) return value >= 0.0 && value < count_choices(parameter);
    return value >= parameter->least && value <= parameter->most;
}

static bool is_word(const ab_parameter *parameter, double value)
{
    return parameter->word && (value == parameter->word_value || (isnan(value) && isnan(parameter->word_value)));
}

static bool is_allowed(const ab_parameter *parameter, double value)
{
    return is_in_range(parameter, value) || is_word(parameter, value);
}

/* What the parameter may be, for messages. */
static void format_allowed(const ab_parameter *parameter, char text[160])
{
    size_t at = 0;
    text[0] = '\0';
    if (parameter->kind == AB_FLAG) {
        snprintf(text, 160, "0 or 1");
    } else if (parameter->kind == AB_CHOICE) {
        for (int i = 0; parameter->choices[i] && at < 160; ++i) {
            const char *between = i == 0 ? "" : parameter->choices[i + 1] ? ", " : " or ";
            at += (size_t)snprintf(text + at, 160 - at, "%s%s", between, parameter->choices[i]);
        }
    } else {
        snprintf(text, 160, "%s%.10g to %.10g%s%s", parameter->kind == AB_INT ? "a whole number from " : "",
                 parameter->least, parameter->most, parameter->word ? ", or " : "",
                 parameter->word ? parameter->word : "");
    }
}

ab_status ab_parameters_check(const ab_parameter *table, const void *params)
{
    char allowed[160];
    for (; table->name; ++table) {
        const double value = ab_parameter_value(table, params);
        const bool power = !table->power_of_two || ((int)value & ((int)value - 1)) == 0;
        if (!power) return ab_bad_input("%s must be a power of two, not %g", table->name, value);
        if (is_allowed(table, value)) continue;
        format_allowed(table, allowed);
        return ab_bad_input("%s must be %s, not %g", table->name, allowed, value);
    }
    return ab_ok();
}

static bool parse_choice(const ab_parameter *parameter, const char *text, double *value)
{
    for (int i = 0; parameter->choices[i]; ++i)
        if (strcmp(parameter->choices[i], text) == 0) {
            *value = i;
            return true;
        }
    return false;
}

static bool parse_number(const ab_parameter *parameter, const char *text, double *value)
{
    if (parameter->word && strcmp(text, parameter->word) == 0) {
        *value = parameter->word_value;
        return true;
    }
    if (!ab_read_number(text, value)) return false;
    return parameter->kind == AB_REAL || (*value == floor(*value) && fabs(*value) <= 0x7fffffff);
}

ab_status ab_parameter_set(const ab_parameter *parameter, const char *text, void *params)
{
    double value = 0.0;
    const bool named = parameter->word && strcmp(text, parameter->word) == 0;
    const bool parsed =
        parameter->kind == AB_CHOICE ? parse_choice(parameter, text, &value) : parse_number(parameter, text, &value);
    if (parsed && (named || is_in_range(parameter, value))) {
        store(parameter, value, params);
        return ab_ok();
    }
    char allowed[160];
    format_allowed(parameter, allowed);
    return ab_bad_input("%s must be %s, not \"%.64s\"", parameter->name, allowed, text);
}

ab_status ab_parameters_set(const ab_parameter *table, const char *name, const char *value, void *params, uint64_t *set)
{
    const ab_parameter *parameter = ab_parameter_find(table, name, strlen(name));
    if (!parameter) return ab_bad_input("there is no parameter %.64s", name);
    AB_TRY(ab_parameter_set(parameter, value, params));
    const double now = ab_parameter_value(parameter, params);
    const bool changed = now != parameter->fallback && !(isnan(now) && isnan(parameter->fallback));
    const uint64_t bit = UINT64_C(1) << (parameter - table);
    *set = changed ? *set | bit : *set & ~bit;
    return ab_ok();
}

void ab_parameter_format(const ab_parameter *parameter, const void *params, char text[64])
{
    const double value = ab_parameter_value(parameter, params);
    if (parameter->kind == AB_CHOICE)
        snprintf(text, 64, "%s", parameter->choices[(int)value]);
    else if (is_word(parameter, value))
        snprintf(text, 64, "%s", parameter->word);
    else if (parameter->kind == AB_REAL)
        snprintf(text, 64, "%g", value);
    else
        snprintf(text, 64, "%d", (int)value);
}

ab_status ab_params_append(char text[AB_PARAMS_TEXT], const char *name, const char *value)
{
    const size_t at = strlen(text);
    const int length = snprintf(text + at, AB_PARAMS_TEXT - at, "%s%s=%s", at ? ";" : "", name, value);
    if (at + (size_t)length < AB_PARAMS_TEXT) return ab_ok();
    text[at] = '\0';
    return ab_failed("more parameters than a row has room for: %.200s...", text);
}

/* Whether rows show it. */
static bool is_shown(const ab_parameter *p, const void *params, bool set, const char *measure, bool only_own,
                     unsigned shown)
{
    if (p->measure && strcmp(p->measure, measure) != 0) return false;
    if ((p->shown & AB_SHOWN_NONZERO) && ab_parameter_value(p, params) != 0.0) return true;
    if ((p->shown & AB_SHOWN_SET) && set && ab_parameter_value(p, params) != p->fallback) return true;
    return (p->measure || !only_own) && (p->shown & shown & AB_SHOWN);
}

ab_status ab_parameters_format(const ab_parameter *table, const void *params, uint64_t set, const char *measure,
                               bool only_own, unsigned shown, char text[AB_PARAMS_TEXT])
{
    char value[64];
    for (int i = 0; table[i].name; ++i) {
        if (!is_shown(&table[i], params, set >> i & 1, measure, only_own, shown)) continue;
        ab_parameter_format(&table[i], params, value);
        AB_TRY(ab_params_append(text, table[i].name, value));
    }
    return ab_ok();
}
