/* Takes over what another run verified (verified.h). */
#include <stdio.h>
#include <string.h>

#include "bench/plan/order.h"
#include "bench/program/verified.h"

ab_status ab_verified_read(const ab_options *options, const char *table_file, ab_recorded *verified)
{
    char path[4096], id[256];
    json_t *meta;
    *verified = (ab_recorded){0};
    if (!options->verified) return ab_ok();
    snprintf(path, sizeof path, "%s/meta.json", options->verified);
    AB_TRY(ab_meta_read(path, &meta));
    snprintf(id, sizeof id, "%s", json_string_value(json_object_get(meta, "run_id")));
    json_decref(meta);
    return ab_recorded_read(options->verified, table_file, id, verified);
}

/* The key that a cell's row has in a run with --verify. */
static ab_row key_there(const ab_cell *cell)
{
    ab_row key = cell->key;
    if (cell->timed) strcpy(key.scope, AB_SCOPE_FUNCTIONAL);
    return key;
}

/* Returns the cell whose row this is, or NULL for a row that accompanies one. */
static const ab_cell *cell_of(const ab_plan *plan, const ab_row *row)
{
    for (int i = 0; i < plan->n_cells; ++i) {
        const ab_row key = key_there(&plan->cells[i]);
        if (ab_row_same_key(&key, row)) return &plan->cells[i];
    }
    return NULL;
}

/* True if the run has the row's result without measuring it: it is no time, or the row was wrong. */
static bool is_copied(const ab_row *row, const ab_cell *cell)
{
    return row->status == AB_ROW_WRONG || (row->status == AB_ROW_OK && !(cell && cell->timed));
}

/* A setup has times, so the run takes its own, unless none of the rows that it times needs it. */
static ab_status take_setup(const ab_recorded_row *recorded, const ab_plan *plan, ab_run *run)
{
    ab_row row = recorded->row;
    const int cell = ab_order_of_setup(plan, &row);
    if ((cell >= 0 && plan->cells[cell].timed) || ab_run_find(run, &row)) return ab_ok();
    ab_row_add_note(&row, "timed in the run of --verified");
    return ab_run_append(run, &row, recorded->samples, recorded->n_samples);
}

static ab_status take(const ab_recorded_row *recorded, const ab_plan *plan, ab_run *run)
{
    ab_row row = recorded->row;
    const ab_cell *cell = cell_of(plan, &row);
    if (strcmp(row.scope, "setup") == 0) return take_setup(recorded, plan, run);
    if (!is_copied(&row, cell)) return ab_ok();
    if (cell) memcpy(row.scope, cell->key.scope, sizeof row.scope);
    return ab_run_find(run, &row) ? ab_ok() : ab_run_append(run, &row, recorded->samples, recorded->n_samples);
}

ab_status ab_verified_take(const ab_recorded *verified, const ab_plan *plan, ab_run *run)
{
    for (int i = 0; i < verified->n_rows; ++i) AB_TRY(take(&verified->rows[i], plan, run));
    return ab_ok();
}

static const ab_row *find(const ab_recorded *verified, const ab_cell *cell)
{
    const ab_row key = key_there(cell);
    const ab_recorded_row *found = ab_recorded_find(verified, &key);
    return found ? &found->row : NULL;
}

bool ab_verified_has(const ab_recorded *verified, const ab_cell *cell)
{
    const ab_row *found = find(verified, cell);
    return found && is_copied(found, cell);
}

const ab_row *ab_verified_find(const ab_recorded *verified, const ab_cell *cell)
{
    const ab_row *found = cell->timed ? find(verified, cell) : NULL;
    return found && found->status == AB_ROW_OK ? found : NULL;
}
