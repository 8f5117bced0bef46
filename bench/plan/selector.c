/* Matches rows with selectors (selector.h). */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "bench/plan/selector.h"

/* Copies text[0 .. length-1] to to[size]; false if it does not fit. */
static bool copy(const char *text, size_t length, char *to, size_t size)
{
    return length < size && snprintf(to, size, "%.*s", (int)length, text) >= 0;
}

/* True if each condition of "block=64;protocol=as" has a name and a value. */
static bool are_conditions(const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, ";"), name = strcspn(text, "=;");
        if (name == 0 || name + 1 >= length) return false;
        text += length;
        if (*text && !*++text) return false;
    }
    return true;
}

ab_status ab_selector_read(const char *text, ab_selector *selector)
{
    const size_t path = strcspn(text, "?"), table = strcspn(text, "/?");
    const size_t row = table < path ? table + 1 : path, row_length = strcspn(text + row, "/?");
    const size_t input = row + row_length < path ? row + row_length + 1 : path;
    *selector = (ab_selector){{0}, {0}, {0}, {0}};
    const bool fits = copy(text, table, selector->table, sizeof selector->table) &&
                      copy(text + row, row_length, selector->row, sizeof selector->row) &&
                      copy(text + input, path - input, selector->input, sizeof selector->input) &&
                      copy(text + path + 1, text[path] ? strlen(text + path + 1) : 0, selector->conditions,
                           sizeof selector->conditions);
    if (fits && !strchr(selector->input, '/') && are_conditions(selector->conditions) &&
        !(text[path] && !selector->conditions[0]))
        return ab_ok();
    return ab_bad_input("expected TABLE/ROW/INPUT?NAME=VALUE;..., such as 3.3/race/pr1002, got \"%.128s\"", text);
}

bool ab_selector_names_input(const ab_selector *selector)
{
    return selector->input[0] && !strpbrk(selector->input, "*[");
}

bool ab_pattern_is_of(const char *pattern, const char *name)
{
    return !*pattern || fnmatch(pattern, name, 0) == 0;
}

/* Copies the value of a row's parameter to text[size]; "" if the row does not have it. */
static void value_of(const ab_row *key, const char *name, size_t length, char *text, size_t size)
{
    if (length == 7 && strncmp(name, "backend", 7) == 0) {
        snprintf(text, size, "%s", key->backend);
        return;
    }
    if (length == 5 && strncmp(name, "scope", 5) == 0) {
        snprintf(text, size, "%s", key->scope);
        return;
    }
    text[0] = '\0';
    for (const char *pair = key->params; *pair;) {
        const size_t end = strcspn(pair, ";");
        if (strncmp(pair, name, length) == 0 && pair[length] == '=')
            snprintf(text, size, "%.*s", (int)(end - length - 1), pair + length + 1);
        pair += end + (pair[end] == ';');
    }
}

/* True if the row has one of the values in "block=64+128". */
static bool holds(const char *condition, size_t length, const ab_row *key)
{
    char value[AB_PARAMS_TEXT], pattern[AB_PARAMS_TEXT];
    const size_t name = strcspn(condition, "=");
    value_of(key, condition, name, value, sizeof value);
    for (size_t at = name + 1; at < length;) {
        size_t end = at + strcspn(condition + at, "+;");
        snprintf(pattern, sizeof pattern, "%.*s", (int)(end - at), condition + at);
        if (value[0] && ab_pattern_is_of(pattern, value)) return true;
        at = end + 1;
    }
    return false;
}

bool ab_selector_means(const ab_selector *selector, const ab_row *key, const char *row, const char *asked)
{
    if (!ab_pattern_is_of(selector->table, key->table)) return false;
    if (!ab_pattern_is_of(selector->row, key->row) && !ab_pattern_is_of(selector->row, row)) return false;
    if (!ab_pattern_is_of(selector->input, key->instance) && !ab_pattern_is_of(selector->input, asked)) return false;
    for (const char *condition = selector->conditions; *condition;) {
        const size_t length = strcspn(condition, ";");
        if (!holds(condition, length, key)) return false;
        condition += length + (condition[length] == ';');
    }
    return true;
}
