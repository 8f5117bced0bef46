/* Functions for all plans (plan.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/plan.h"

void ab_plan_free(ab_plan *plan)
{
    for (int i = 0; i < plan->n_inputs; ++i) free((char *)plan->inputs[i].asked);
    for (int i = 0; i < plan->n_cells; ++i) free(plan->cells[i].params);
    for (int i = 0; plan->published && plan->driver->headings[i].table; ++i) ab_published_free(&plan->published[i]);
    free(plan->published);
    free(plan->inputs);
    free(plan->cells);
    *plan = (ab_plan){0};
}

/* ---- Implementations ---- */

static bool is_open(const char *implementation)
{
    const size_t length = strlen(implementation);
    return length > 2 && strcmp(implementation + length - 2, "/+") == 0;
}

/* True if some line of the driver names it. */
static bool is_named(const ab_driver *driver, const char *id)
{
    for (const ab_block *block = driver->blocks; block->table; ++block)
        for (const ab_line *line = block->lines; line->row; ++line)
            if (strcmp(line->implementation, id) == 0) return true;
    return false;
}

int ab_line_implementations(const ab_driver *driver, const ab_block *block, const ab_line *line, const char **ids,
                            int size)
{
    size_t count;
    int found = 0;
    const ab_implementation *all = ab_registry(&count);
    if (!is_open(line->implementation)) {
        if (size > 0) ids[0] = line->implementation;
        return 1;
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t operation = strlen(line->implementation) - 1;
        if (all[i].backend != AB_HOST || strncmp(all[i].id, line->implementation, operation) != 0) continue;
        if ((all[i].traits & block->with) != block->with || (all[i].traits & (block->without | AB_SEVERAL))) continue;
        if (is_named(driver, all[i].id)) continue;
        if (found < size) ids[found] = all[i].id;
        ++found;
    }
    return found;
}

/* True if a line of the block has it. */
static bool block_has(const ab_driver *driver, const ab_block *block, const char *id)
{
    const char *ids[AB_MOST_IMPLEMENTATIONS];
    for (const ab_line *line = block->lines; line->row; ++line) {
        const int count = ab_line_implementations(driver, block, line, ids, AB_MOST_IMPLEMENTATIONS);
        for (int i = 0; i < count && i < AB_MOST_IMPLEMENTATIONS; ++i)
            if (strcmp(ids[i], id) == 0) return true;
    }
    return false;
}

static bool driver_has(const ab_driver *driver, const char *id)
{
    for (const ab_block *block = driver->blocks; block->table; ++block)
        if (block_has(driver, block, id)) return true;
    return false;
}

ab_status ab_driver_must_have(const ab_driver *driver, char *const *names)
{
    if (!names || !*names) return ab_ok();
    for (char *const *name = names; *name; ++name)
        if (strpbrk(*name, "*?[") || driver_has(driver, *name)) return ab_ok();
    for (const ab_driver *const *other = ab_drivers; *other; ++other)
        if (ab_driver_check(*other).code == AB_OK && driver_has(*other, *names))
            return ab_bad_input("%.128s: no row of driver %s has this implementation; driver %s has it", *names,
                                driver->name, (*other)->name);
    return ab_bad_input("%.128s: no row of driver %s has this implementation; no driver has it: add a line to a table "
                        "(docs/guide/adding.md)",
                        *names, driver->name);
}

/* ---- Published numbers ---- */

/* True if the sources measured what the cell measures, with the same parameters and on the same input. A stand-in is
 * not the same input, although it has the same size. A number for 512 x 512 pixels does not apply to other sizes. */
static bool is_theirs(const ab_plan *plan, const ab_cell *cell, const ab_heading *heading)
{
    const ab_input *input = cell->c.input;
    char size[32];
    snprintf(size, sizeof size, "%dx%d", input->width, input->height);
    if (cell->c.implementation->backend == AB_HOST || cell->block->unpublished || plan->options->set) return false;
    if (heading->instance) return !input->stand_in && strcmp(heading->instance, size) == 0;
    return !input->stand_in || strcmp(input->name, input->asked) == 0;
}

void ab_plan_add_published(const ab_plan *plan, const ab_cell *cell, const char *table, const char *stage, ab_row *row)
{
    const ab_heading *heading = plan->driver->headings;
    int i = 0;
    while (heading[i].table && strcmp(heading[i].table, table) != 0) ++i;
    if (!heading[i].table || !is_theirs(plan, cell, &heading[i])) return;
    const char *instance = heading[i].instance ? heading[i].instance : cell->c.input->asked;
    const char *metric = heading[i].metric ? heading[i].metric : stage;
    const ab_published *found =
        metric ? ab_published_find(&plan->published[i], cell->published, instance, metric) : NULL;
    if (!found) return;
    snprintf(row->published_id, sizeof row->published_id, "%s", found->id);
    row->published_ms = found->value;
}
