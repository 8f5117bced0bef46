/* The order of measuring, and the order of rows (order.h). */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench/plan/estimate.h"
#include "bench/plan/order.h"

/* ---- Measuring ---- */

static void shuffle(int *items, int count, uint64_t *state)
{
    for (int i = count - 1; i > 0; --i) {
        const int k = random_below(state, i + 1), item = items[i];
        items[i] = items[k];
        items[k] = item;
    }
}

/* Returns the index after the consecutive cells that have the same input as `first`. */
static int end_of_group(const ab_plan *plan, int first)
{
    int end = first;
    while (end < plan->n_cells && plan->cells[end].c.input == plan->cells[first].c.input) ++end;
    return end;
}

ab_status ab_order_draw(const ab_plan *plan, uint64_t seed, int process, int *order)
{
    uint64_t state = seed;
    int groups = 0, turn = 0, *firsts = calloc((size_t)plan->n_cells + 1, sizeof *firsts);
    if (!firsts) return ab_failed("out of memory for %d rows", plan->n_cells);
    state = splitmix64(&state) + (uint64_t)process;
    for (int cell = 0; cell < plan->n_cells; cell = end_of_group(plan, cell)) firsts[groups++] = cell;
    shuffle(firsts, groups, &state);
    for (int group = 0; group < groups; ++group) {
        const int begin = turn;
        for (int cell = firsts[group]; cell < end_of_group(plan, firsts[group]); ++cell) order[turn++] = cell;
        shuffle(&order[begin], turn - begin, &state);
    }
    free(firsts);
    return ab_ok();
}

/* ---- Rows ---- */

/* True if each "name=value" of `wanted` occurs in `params`. */
static bool has_params(const char *params, const char *wanted)
{
    while (*wanted) {
        const size_t length = strcspn(wanted, ";");
        const char *found = params;
        while (*found && (strncmp(found, wanted, length) != 0 || (found[length] && found[length] != ';'))) {
            found += strcspn(found, ";");
            found += *found == ';';
        }
        if (!*found) return false;
        wanted += length + (wanted[length] == ';');
    }
    return true;
}

static bool is_for(const ab_row *setup, const ab_cell *cell)
{
    if (!setup->instance[0]) return cell->timed && cell->c.implementation->backend == AB_CUDA;
    return strcmp(setup->instance, cell->key.instance) == 0 && has_params(cell->key.params, setup->params);
}

int ab_order_of_setup(const ab_plan *plan, const ab_row *setup)
{
    int first = -1;
    for (int i = plan->n_cells - 1; i >= 0; --i) {
        const bool repeated = plan->cells[i].timed;
        if (!is_for(setup, &plan->cells[i])) continue;
        if (repeated || first < 0 || !plan->cells[first].timed) first = i;
    }
    return first;
}

/* Returns the cell that has this row, or -1. */
static int cell_of(const ab_plan *plan, const ab_row *row)
{
    for (int i = 0; i < plan->n_cells; ++i)
        if (ab_row_same_key(&plan->cells[i].key, row)) return i;
    return -1;
}

void ab_order_places(const ab_plan *plan, const ab_row *rows, int count, int *places)
{
    int place = 2 * plan->n_cells;
    for (int i = count - 1; i >= 0; --i) {
        const bool is_setup = strcmp(rows[i].scope, "setup") == 0;
        const int cell = is_setup ? ab_order_of_setup(plan, &rows[i]) : cell_of(plan, &rows[i]);
        if (!is_setup && cell >= 0) place = 2 * cell + 1;
        places[i] = is_setup && cell >= 0 ? 2 * cell : place;
    }
}
