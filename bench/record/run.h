/* A run: the directory of CSV files and metadata that a driver leaves behind, safe against being killed at any moment.
 *
 *   table-<name>.csv  one line per row, written and synced when the row is finished
 *   process-K/        while it lasts, the share of a row's samples that the K-th of several processes took: a run like
 *                     this one (bench/program/processes.h)
 *   samples.csv       table,row,line,process,turn,i,number,ms,discard_reason: every sample of every row, synced before
 *                     the row's own line; `line` is that line's number in the table file, whose header is line 1
 *   meta.json         what was run on what; written at the start ("complete": false) and again at the end
 *
 * Rows stand in the order in which they were measured; when all are there, in that of the plan (ab_run_sort). A row
 * that stands in the table file is finished and its samples are complete. Resuming drops whatever a kill left
 * half-written, also stages whose whole it did not reach (AB_SCOPE_STAGE), and keeps the finished rows, which the
 * driver then skips (ab_run_find); it is refused when binary, machine, inputs or parameters differ from meta.json.
 */
#ifndef ANTBENCH_RUN_H
#define ANTBENCH_RUN_H

#include "bench/record/meta.h"
#include "bench/row/row.h"

typedef struct ab_run ab_run;

enum { AB_TABLE_FILE = 64 };

/* The name of a driver's table file, "table-3.3.csv", into name[AB_TABLE_FILE]. */
void ab_table_file(const char *driver, char name[AB_TABLE_FILE]);

/* Creates the run's directory or, with options->resume, continues the run it holds (without --out: the newest run of
 * this machine); there being none, --resume starts one. Without --out every new run has a directory of its own, however
 * many begin in the same second. AB_BAD_INPUT when DIR already holds a run and --resume was not given, when it cannot be
 * resumed, or when another process is writing it; AB_FAILED when it cannot be written. */
ab_status ab_run_open(const ab_options *options, const ab_run_info *info, ab_run **run);

const char *ab_run_directory(const ab_run *run);

/* The finished row with the same key as `row`, or NULL. Valid until the next append. */
const ab_row *ab_run_find(const ab_run *run, const ab_row *row);

/* Appends a finished row and its samples and syncs both to disk. AB_FAILED names the file and the reason (disk full),
 * and leaves the files as they were. Also AB_FAILED: a row that stands in the run already, or a kept sample that is no
 * time. */
ab_status ab_run_append(ab_run *run, const ab_row *row, const ab_sample *samples, int n_samples);

/* What is appended from here on belongs to the row that this process measures as its `turn`-th, counted from 1. */
void ab_run_begin_turn(ab_run *run, int turn);

/* Rewrites the run's files with its rows in the order of their places[n_rows]; rows of one place stay as they are. A
 * kill meanwhile leaves a run that can be resumed. */
ab_status ab_run_sort(ab_run *run, const int *places);

/* All rows so far, resumed ones included, in the order of the file; *count is set. */
const ab_row *ab_run_rows(const ab_run *run, int *count);

/* Notes for meta.json the processes whose shares lie in the run's directory as process-1 to process-n, each a run. */
ab_status ab_run_note_processes(ab_run *run, int n);

/* Writes the final meta.json ("complete" says whether) and frees, whatever the status. Accepts NULL. */
ab_status ab_run_close(ab_run *run, bool complete, int exit_code);

#endif
