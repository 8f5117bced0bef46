/* Chooses cells by --rows (choose.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "bench/plan/choose.h"
#include "bench/plan/selector.h"

/* True if the selector matches the cell, or the rows of the cell's stages. */
static bool means(const ab_selector *selector, const ab_cell *cell)
{
    const char *asked = cell->c.input->asked;
    ab_row stages = cell->key;
    if (ab_selector_means(selector, &cell->key, cell->row, asked)) return true;
    if (!cell->block->stages) return false;
    snprintf(stages.table, sizeof stages.table, "%s", cell->block->stages);
    snprintf(stages.scope, sizeof stages.scope, AB_SCOPE_STAGE);
    return ab_selector_means(selector, &stages, cell->row, asked);
}

/* Writes "; did you mean ...?" for a selector that matches no row. Suggests a parameter for its conditions, or a
 * "TABLE/ROW". */
static const char *selector_hint(const ab_plan *plan, const char *text, char hint[128])
{
    char wanted[80], name[80];
    for (const char *condition = strchr(text, '?'); condition; condition = strchr(condition + 1, ';')) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(condition + 1, "="), condition + 1);
        ab_search search = {.name = name};
        ab_search_add(&search, "backend");
        ab_search_add(&search, "scope");
        ab_search_all_parameters(&search, plan->driver);
        if (!search.found) return ab_search_hint(&search, hint);
    }
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(text, "?"), text);
    char *input = strchr(wanted, '/') ? strchr(strchr(wanted, '/') + 1, '/') : NULL;
    if (input) *input = '\0';
    ab_search search = {.name = wanted};
    for (int i = 0; i < plan->n_cells; ++i) {
        snprintf(name, sizeof name, "%s/%s", plan->cells[i].key.table, plan->cells[i].key.row);
        ab_search_add(&search, name);
    }
    return search.found ? "" : ab_search_hint(&search, hint);
}

/* Sets wanted[i] for each selected cell. */
static ab_status mark_wanted(const ab_plan *plan, bool *wanted)
{
    for (char **text = plan->options->rows; *text; ++text) {
        ab_selector selector;
        bool any = false;
        char hint[128];
        AB_TRY(ab_selector_read(*text, &selector));
        for (int i = 0; i < plan->n_cells; ++i) {
            const bool meant = means(&selector, &plan->cells[i]);
            wanted[i] |= meant;
            any |= meant;
        }
        if (!any)
            return ab_bad_input("--rows %.128s: there is no such row here%s (--dry-run lists the rows)", *text,
                                selector_hint(plan, *text, hint));
    }
    return ab_ok();
}

/* Removes inputs that no cell uses. */
static void leave_out_inputs(ab_plan *plan)
{
    int kept = 0;
    for (int input = 0; input < plan->n_inputs; ++input) {
        bool used = false;
        for (int i = 0; i < plan->n_cells; ++i)
            if (plan->cells[i].c.input == &plan->inputs[input]) {
                plan->cells[i].c.input = &plan->inputs[kept];
                used = true;
            }
        if (used)
            plan->inputs[kept++] = plan->inputs[input];
        else
            free((char *)plan->inputs[input].asked);
    }
    plan->n_inputs = kept;
}

static bool is_among_cells(const ab_cell *cells, int count, const ab_row *key)
{
    for (int i = 0; i < count; ++i)
        if (ab_row_same_key(&cells[i].key, key)) return true;
    return false;
}

/* Keeps the wanted cells, each once. Two lines may yield the same cell: with --set threads=2, lines that differ only in
 * threads do. */
static void keep_wanted(ab_plan *plan, const bool *wanted)
{
    int kept = 0;
    for (int i = 0; i < plan->n_cells; ++i)
        if (wanted[i] && !is_among_cells(plan->cells, kept, &plan->cells[i].key))
            plan->cells[kept++] = plan->cells[i];
        else
            free(plan->cells[i].params);
    plan->n_cells = kept;
}

ab_status ab_plan_choose(ab_plan *plan)
{
    bool *wanted = calloc((size_t)plan->n_cells + 1, sizeof *wanted);
    if (!wanted) return ab_failed("out of memory for %d rows", plan->n_cells);
    memset(wanted, !plan->options->rows, (size_t)plan->n_cells * sizeof *wanted);
    const ab_status status = plan->options->rows && plan->n_cells ? mark_wanted(plan, wanted) : ab_ok();
    if (status.code == AB_OK) keep_wanted(plan, wanted);
    if (status.code == AB_OK && plan->options->rows) leave_out_inputs(plan);
    free(wanted);
    return status;
}

void ab_plan_leave_to_first(ab_plan *plan)
{
    int kept = 0;
    if (plan->share.process == 1) return;
    for (int i = 0; i < plan->n_cells; ++i)
        if (plan->cells[i].timed)
            plan->cells[kept++] = plan->cells[i];
        else
            free(plan->cells[i].params);
    plan->n_cells = kept;
    leave_out_inputs(plan);
}
