/* Prints what the drivers measure, for the report and INDEX.md (describe.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "bench/plan/describe.h"
#include "bench/plan/plan.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

ab_status ab_describe_tables(void)
{
    printf("driver\tprogram\tfile\ttable\theading\tpublished\n");
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver)
        for (const ab_heading *heading = (*driver)->headings; heading && heading->table; ++heading)
            printf("%s\t%s\tbench/tables/%s.c\t%s\t%s\t%s\n", or_empty((*driver)->name), or_empty((*driver)->program),
                   ab_driver_file(*driver), heading->table, or_empty(heading->title), or_empty(heading->published));
    return ab_ok();
}

ab_status ab_describe_sets(void)
{
    printf("set,members\n");
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver)
        for (const ab_set *set = (*driver)->sets; set && set->name; ++set) printf("%s,%s\n", set->name, set->members);
    return ab_ok();
}

static const ab_heading *find_heading(const ab_driver *driver, const char *table)
{
    const ab_heading *heading = driver->headings;
    while (heading->table && strcmp(heading->table, table) != 0) ++heading;
    return heading;
}

/* ---- A line of a table, in all blocks that measure it ---- */

/* True if a block has a line with this name and these parameters in a table. */
static bool has_line(const ab_block *block, const char *table, const ab_line *line)
{
    if (strcmp(block->table, table) != 0 && !(block->stages && strcmp(block->stages, table) == 0)) return false;
    for (const ab_line *other = block->lines; other->row; ++other)
        if (strcmp(other->row, line->row) == 0 &&
            strcmp(other->params ? other->params : "", line->params ? line->params : "") == 0)
            return true;
    return false;
}

/* Prints the inputs of all blocks that have the line, each once. A set is printed by its name. */
static void print_instances(const ab_driver *driver, const char *table, const ab_line *line)
{
    char printed[1024] = " ";
    for (const ab_block *block = driver->blocks; block->table; ++block) {
        char name[512], spaced[520];
        if (!has_line(block, table, line)) continue;
        const char *on = block->on[AB_THESIS] ? block->on[AB_THESIS] : driver->inputs[AB_THESIS];
        const bool set = on[0] == '{';
        snprintf(name, sizeof name, "%.*s", (int)strlen(on) - 2 * set, on + set);
        snprintf(spaced, sizeof spaced, " %s ", name);
        if (strstr(printed, spaced)) continue;
        printf("%s%s", printed[1] ? " " : "", name);
        strncat(printed, spaced + 1, sizeof printed - strlen(printed) - 1);
    }
}

/* Prints a text in which each set is replaced by its members: "block=64|128". */
static void print_text(const ab_driver *driver, const char *text)
{
    for (; text && *text; ++text) {
        if (*text != '{') {
            putchar(*text);
            continue;
        }
        char name[32];
        const size_t length = strcspn(text, "}");
        snprintf(name, sizeof name, "%.*s", (int)length - 1, text + 1);
        for (const char *c = ab_driver_set(driver, name); *c; ++c) putchar(*c == ' ' ? '|' : *c);
        text += length;
    }
}

/* Prints the parameters of a line. Blocks that differ in the value of one parameter are merged: "protocol=as-best|as".
 */
static void print_params(const ab_driver *driver, const ab_block *block, const char *table, const ab_line *line)
{
    print_text(driver, block->params);
    const size_t name = block->params && !strchr(block->params, ';') ? strcspn(block->params, "=") + 1 : 0;
    for (const ab_block *other = block + 1; name && other->table; ++other)
        if (has_line(other, table, line) && other->params && strncmp(other->params, block->params, name) == 0 &&
            strcmp(other->params, block->params) != 0)
            printf("|%s", other->params + name);
    if (block->params && line->params) putchar(';');
    print_text(driver, line->params);
}

/* Finds the only value of a parameter in a line's text, as a view. Returns false if it has several values or is not
 * there. */
static bool single_value(const ab_line *line, const char *name, size_t length, const char **value, size_t *value_length)
{
    for (const char *pair = line->params ? line->params : ""; *pair;) {
        const size_t pair_length = strcspn(pair, ";");
        if (strncmp(pair, name, length) == 0 && pair[length] == '=') {
            *value = pair + length + 1;
            *value_length = pair_length - length - 1;
            return strcspn(*value, "{|;") >= *value_length;
        }
        pair += pair_length + (pair[pair_length] == ';');
    }
    return false;
}

/* Writes the name: "warp-{block}"; "warp-128" if the line measures only that; "mine-128" for an implementation called
 * mine. */
static void format_name(const ab_line *line, const char *implementation, const char *text, char name[96])
{
    size_t at = 0;
    while (*text && at < 95) {
        const char *value = text;
        size_t length = 1, taken = 1;
        if (*text == '{') {
            taken = length = strcspn(text, "}") + 1;
            if (strncmp(text, "{name}", 6) == 0) {
                value = implementation;
                length = strlen(implementation);
            } else if (!single_value(line, text + 1, taken - 2, &value, &length)) {
                value = text;
                length = taken;
            }
        }
        at += (size_t)snprintf(name + at, 96 - at, "%.*s", (int)length, value);
        text += taken;
    }
}

static void print_row(const ab_driver *driver, const ab_block *block, const ab_line *line, const char *id,
                      const char *table, const ab_published_table *published)
{
    char row[96];
    const char *name = strchr(id, '/') + 1;
    format_name(line, name, line->row, row);
    const char *theirs = line->published ? line->published : row;
    const bool known = ab_published_has_row(published, theirs);
    printf("%s,%s,%s,%s,", driver->name, table, row, id);
    print_instances(driver, table, line);
    putchar(',');
    print_params(driver, block, table, line);
    putchar(',');
    ab_csv_write_text(stdout, line->label ? line->label : name);
    printf(",%s%s%s,%d\n", known ? find_heading(driver, table)->published : "", known ? "/" : "", known ? theirs : "",
           driver->efforts[AB_THESIS].iterations);
}

/* True if an earlier block of the driver has this line in this table. Then it is already printed. */
static bool is_described(const ab_driver *driver, const ab_block *block, const char *table, const ab_line *line)
{
    for (const ab_block *earlier = driver->blocks; earlier != block; ++earlier)
        if (has_line(earlier, table, line)) return true;
    return false;
}

static ab_status describe_block(const ab_driver *driver, const ab_block *block, const char *table)
{
    const char *ids[AB_MOST_IMPLEMENTATIONS], *source = find_heading(driver, table)->published;
    ab_published_table published = {NULL, 0};
    if (source) AB_TRY(ab_published_read(source, &published));
    for (const ab_line *line = block->lines; line->row; ++line) {
        if (is_described(driver, block, table, line)) continue;
        const int count = ab_line_implementations(driver, block, line, ids, AB_MOST_IMPLEMENTATIONS);
        for (int i = 0; i < count && i < AB_MOST_IMPLEMENTATIONS; ++i)
            print_row(driver, block, line, ids[i], table, &published);
    }
    ab_published_free(&published);
    return ab_ok();
}

ab_status ab_describe_rows(void)
{
    printf("driver,table,row,implementation,instances,params,label,published,iterations\n");
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver)
        for (const ab_block *block = (*driver)->blocks; block->table; ++block) {
            if (block->smoke_only) continue;
            AB_TRY(describe_block(*driver, block, block->table));
            if (block->stages) AB_TRY(describe_block(*driver, block, block->stages));
        }
    return ab_ok();
}
