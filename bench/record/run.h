/* A run: the directory of CSV files and metadata that a driver writes. It survives a kill at any moment.
 *
 *   table-<name>.csv  one line per row, written and synced when the row is finished
 *   process-K/        share of the samples that process K took, a run like this one; exists only while the run lasts
 *                     (bench/program/processes.h)
 *   samples.csv       table,row,line,process,turn,i,number,ms,discard_reason: each sample, synced before its row; `line`
 *                     is the row's line number in the table file, whose header is line 1
 *   meta.json         what was run on what; written at the start ("complete": false) and again at the end
 *
 * Rows are in the order of measuring. In a complete run they are in the order of the plan (ab_run_sort). A row in the
 * table file is finished, and its samples are complete. Resuming drops half-written data, including stages without
 * their whole row (AB_SCOPE_STAGE). It keeps finished rows, which the driver then skips (ab_run_find). It is refused if
 * binary, machine, inputs or parameters differ from meta.json.
 */
#ifndef ANTBENCH_RUN_H
#define ANTBENCH_RUN_H

#include "bench/record/meta.h"
#include "bench/row/row.h"

typedef struct ab_run ab_run;

enum { AB_TABLE_FILE = 64 };

/* Writes the name of a driver's table file, "table-3.3.csv", to name[AB_TABLE_FILE]. */
void ab_table_file(const char *driver, char name[AB_TABLE_FILE]);

/* Creates the run's directory. With options->resume it continues the run that the directory holds, or without --out the
 * newest run of this machine; if there is no run, it starts one. Without --out every new run has its own directory,
 * even if several begin in the same second. Returns AB_BAD_INPUT if DIR holds a run and --resume is not given, if the
 * run cannot be resumed, or if another process is writing it. Also refuses a run of --verified that is not complete, or
 * of another binary, machine, inputs or parameters. Returns AB_FAILED if the directory cannot be written. */
ab_status ab_run_open(const ab_options *options, const ab_run_info *info, ab_run **run);

const char *ab_run_directory(const ab_run *run);

/* Returns the finished row with the same key as `row`, or NULL. The result is valid until the next append. */
const ab_row *ab_run_find(const ab_run *run, const ab_row *row);

/* Appends a finished row and its samples and syncs both to disk. Returns AB_FAILED with the file and the reason (disk
 * full), and leaves the files as they were. It also fails if the run already holds the row, or if a kept sample is not
 * a time. */
ab_status ab_run_append(ab_run *run, const ab_row *row, const ab_sample *samples, int n_samples);

/* Sets the turn, counted from 1, of the row to which the next appended samples belong. */
void ab_run_begin_turn(ab_run *run, int turn);

/* Rewrites the run's files with the rows in the order of places[n_rows]. Rows with equal places keep their order. After
 * a kill in between, the run can be resumed. */
ab_status ab_run_sort(ab_run *run, const int *places);

/* Returns all rows so far, including resumed ones, in the order of the file, and sets *count. */
const ab_row *ab_run_rows(const ab_run *run, int *count);

/* Records for meta.json the processes whose shares are in the run's directory, as process-1 to process-n. Each is a
 * run. */
ab_status ab_run_note_processes(ab_run *run, int n);

/* Writes the final meta.json, in which "complete" is set. Nothing may be added to the run afterwards. */
ab_status ab_run_finish(ab_run *run, bool complete, int exit_code);

void ab_run_free(ab_run *run); /* accepts NULL */

#endif
