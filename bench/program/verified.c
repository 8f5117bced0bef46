/* Takes over what another run verified (verified.h). */
#include <stdio.h>
#include <string.h>

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

static bool is_setup(const ab_row *row)
{
    return strcmp(row->scope, "setup") == 0;
}

ab_status ab_verified_take(const ab_recorded *verified, const ab_plan *plan, ab_run *run)
{
    for (int i = 0; i < verified->n_rows; ++i) {
        const ab_recorded_row *recorded = &verified->rows[i];
        ab_row row = recorded->row;
        const ab_cell *cell = cell_of(plan, &row);
        if (is_setup(&row)) continue;
        if (row.status != AB_ROW_WRONG && (row.status != AB_ROW_OK || (cell && cell->timed))) continue;
        if (cell) memcpy(row.scope, cell->key.scope, sizeof row.scope);
        if (!ab_run_find(run, &row)) AB_TRY(ab_run_append(run, &row, recorded->samples, recorded->n_samples));
    }
    return ab_ok();
}

ab_status ab_verified_take_setups(const ab_recorded *verified, ab_run *run)
{
    for (int i = 0; i < verified->n_rows; ++i) {
        const ab_recorded_row *recorded = &verified->rows[i];
        ab_row row = recorded->row;
        if (!is_setup(&row) || ab_run_find(run, &row)) continue;
        ab_row_add_note(&row, "timed in the run of --verified");
        AB_TRY(ab_run_append(run, &row, recorded->samples, recorded->n_samples));
    }
    return ab_ok();
}

const ab_row *ab_verified_find(const ab_recorded *verified, const ab_cell *cell)
{
    const ab_row key = key_there(cell);
    const ab_recorded_row *found = cell->timed ? ab_recorded_find(verified, &key) : NULL;
    return found && found->row.status == AB_ROW_OK ? &found->row : NULL;
}
