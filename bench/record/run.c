/* Manages the directory of a run (bench/record/run.h). */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench/record/build_info.h"
#include "base/files.h"
#include "base/root.h"
#include "bench/clock/machine.h"
#include "bench/record/meta.h"
#include "bench/record/recorded.h"
#include "bench/record/run.h"

struct ab_run {
    char *id, *directory, *meta_path;
    json_t *meta; /* last written content of meta.json */
    /* Lock of the directory, held from before meta.json is looked for until everything is written. */
    int lock;
    ab_log table, samples; /* the two CSV files */
    ab_row *rows;          /* [n_rows], as in the table file */
    int n_rows;
    /* Number of this process; in a resumed run, one more than the number of the last sample. */
    int process;
    int turn; /* turn of the row that is measured (ab_run_begin_turn) */
};

/* ---- Names ---- */

/* "directory/name"; NULL when out of memory. */
static char *join(const char *directory, const char *name)
{
    char *path;
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static bool holds(const char *directory, const char *name)
{
    char *path = join(directory, name);
    const bool exists = path && access(path, F_OK) == 0;
    free(path);
    return exists;
}

void ab_table_file(const char *driver, char name[AB_TABLE_FILE])
{
    snprintf(name, AB_TABLE_FILE, "table-%s.csv", driver);
}

enum { ID_SIZE = 256 };

/* "machine/time-commit-driver" */
static void format_id(const ab_run_info *info, time_t start, char id[ID_SIZE])
{
    char slug[96], stamp[32];
    struct tm utc;
    ab_machine_slug(info->machine, slug);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime_r(&start, &utc));
    snprintf(id, ID_SIZE, "%s/%s-%s-%s", slug, stamp, ab_build()->commit, info->driver);
}

/* True for a name that `ls` shows. */
static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Returns the directory of the newest run of this machine that has such a table, or NULL. Names begin with the time. If
 * several runs began in one second, they end with a number, and 10 comes after 2. */
static char *newest_run(const char *runs, const ab_run_info *info)
{
    char slug[96], table_file[AB_TABLE_FILE], *newest = NULL;
    struct dirent **found;
    ab_machine_slug(info->machine, slug);
    ab_table_file(info->driver, table_file);
    char *of_machine = join(runs, slug);
    const int n = of_machine ? scandir(of_machine, &found, is_shown, versionsort) : -1;
    for (int i = n - 1; i >= 0; i--) {
        char *directory = newest ? NULL : join(of_machine, found[i]->d_name);
        if (directory && holds(directory, table_file))
            newest = directory;
        else
            free(directory);
        free(found[i]);
    }
    if (n >= 0) free(found);
    free(of_machine);
    return newest;
}

/* Names the run `id`, or "id-2", "id-3" and so on, and its directory runs/id. */
static ab_status name_run(const char *runs, const char *id, int count, ab_run *run)
{
    char text[ID_SIZE + 16];
    const int length = snprintf(text, sizeof text, "%s", id);
    if (count > 1) snprintf(text + length, sizeof text - (size_t)length, "-%d", count);
    free(run->id);
    free(run->directory);
    run->id = strdup(text);
    run->directory = run->id ? join(runs, run->id) : NULL;
    return run->directory ? ab_ok() : ab_failed("out of memory");
}

/* Makes the default directory of a new run. If another run has the name, tries the next one. mkdir decides which run
 * was first, also among hosts that share a disk. */
static ab_status claim_directory(const char *runs, const char *id, ab_run *run)
{
    char of_machine[1200 + ID_SIZE];
    snprintf(of_machine, sizeof of_machine, "%s/%.*s", runs, (int)strcspn(id, "/"), id);
    AB_TRY(ab_make_directories(of_machine));
    for (int count = 1;; count++) {
        AB_TRY(name_run(runs, id, count, run));
        if (mkdir(run->directory, 0777) == 0) return ab_ok();
        if (errno != EEXIST) return ab_failed("%s: %s", run->directory, strerror(errno));
    }
}

/* Chooses the run's id and directory, and makes the directory. */
static ab_status choose_directory(const ab_options *options, const ab_run_info *info, time_t start, ab_run *run)
{
    char id[ID_SIZE], runs[1200];
    format_id(info, start, id);
    if (!options->out) {
        AB_TRY(ab_own_path(runs, sizeof runs, "results/runs"));
        run->directory = options->resume ? newest_run(runs, info) : NULL;
        if (!run->directory) return claim_directory(runs, id, run);
    } else if (options->process) {
        if (asprintf(&run->directory, "%s/process-%d", options->out, options->process) < 0) run->directory = NULL;
    } else {
        run->directory = strdup(options->out);
    }
    run->id = strdup(id);
    return run->id && run->directory ? ab_make_directories(run->directory) : ab_failed("out of memory");
}

/* ---- Files ---- */

/* Opens directory/name as a log. */
static ab_status open_log(const char *directory, const char *name, ab_log *log)
{
    char *path = join(directory, name);
    if (!path) return ab_failed("out of memory");
    const ab_status status = ab_log_open(path, log);
    free(path);
    return status;
}

/* Printed text. It may be incomplete if memory ran out, which open_memstream() does not always report. */
typedef struct printed {
    char *text;
    size_t size, capacity;
    bool incomplete;
} printed;

static ssize_t keep_printed(void *context, const char *text, size_t size)
{
    printed *p = context;
    if (p->size + size > p->capacity) {
        const size_t capacity = 2 * (p->size + size) + 4096;
        char *grown = realloc(p->text, capacity);
        p->incomplete |= !grown;
        if (!grown) return 0;
        p->text = grown;
        p->capacity = capacity;
    }
    memcpy(p->text + p->size, text, size);
    p->size += size;
    return (ssize_t)size;
}

/* Appends what `print` writes to the log: all of it, or nothing. */
static ab_status append_printed(ab_log *log, void (*print)(FILE *file, const void *context), const void *context)
{
    printed p = {0};
    FILE *file = fopencookie(&p, "w", (cookie_io_functions_t){.write = keep_printed});
    if (!file) return ab_failed("out of memory");
    print(file, context);
    const bool failed = ferror(file);
    const bool closed = fclose(file) == 0;
    const bool whole = closed && !failed && !p.incomplete;
    const ab_status status = whole ? ab_log_append(log, p.text, p.size) : ab_failed("out of memory");
    free(p.text);
    return status;
}

static void print_table_header(FILE *file, const void *context)
{
    (void)context;
    ab_row_write_header(file);
}

static void print_samples_header(FILE *file, const void *context)
{
    (void)context;
    fprintf(file, "%s\n", ab_samples_header);
}

static ab_status remember(ab_run *run, const ab_row *row)
{
    ab_row *grown = realloc(run->rows, ((size_t)run->n_rows + 1) * sizeof *grown);
    if (!grown) return ab_failed("out of memory");
    run->rows = grown;
    run->rows[run->n_rows++] = *row;
    return ab_ok();
}

/* Returns the line of rows[i] in the table file. The header is line 1. */
static int line_of(int i)
{
    return i + 2;
}

/* The finished part of the table. Stages are finished when their whole row is. */
typedef struct finished_rows {
    ab_run *run;
    int n;    /* number of rows */
    long end; /* end of this part in bytes */
} finished_rows;

static ab_status load_row(void *context, const ab_csv_record *record)
{
    finished_rows *finished = context;
    ab_run *run = finished->run;
    ab_row row;
    if (record->line == 1) {
        AB_TRY(ab_row_check_header(record));
    } else {
        if (record->line != line_of(run->n_rows))
            return ab_bad_input("%s:%d: expected a row on every line", record->path, record->line);
        AB_TRY(ab_row_read(record, run->id, &row));
        AB_TRY(remember(run, &row));
        if (strcmp(row.scope, AB_SCOPE_STAGE) == 0) return ab_ok();
    }
    finished->n = run->n_rows;
    finished->end = record->end;
    return ab_ok();
}

/* The part of samples.csv that belongs to finished rows. Samples are written before their row. */
typedef struct finished_samples {
    ab_run *run;
    int line; /* line of the table file to which the last sample belongs */
    long end; /* end of this part in bytes */
} finished_samples;

static ab_status find_end_of_finished(void *context, const ab_csv_record *record)
{
    finished_samples *samples = context;
    if (record->line == 1)
        AB_TRY(ab_csv_expect_header(record, ab_samples_header));
    else {
        const int previous = samples->line;
        AB_TRY(ab_samples_read_line(record, &samples->line));
        if (samples->line < previous)
            return ab_bad_input("%s:%d: expected a sample of line %d of the table or a later one, not of line %d",
                                record->path, record->line, previous, samples->line);
        if (samples->line >= line_of(samples->run->n_rows)) return ab_ok();
        AB_TRY(ab_samples_check_row(record, &samples->run->rows[samples->line - line_of(0)]));
        AB_TRY(ab_samples_read_process(record, &samples->run->process));
    }
    samples->end = record->end;
    return ab_ok();
}

/* Reads the finished rows and drops what a kill left unfinished: stages without their whole row, and samples without a
 * row. */
static ab_status load(ab_run *run)
{
    finished_rows rows = {run, 0, 0};
    finished_samples samples = {run, line_of(0), 0};
    AB_TRY(ab_csv_read(run->table.path, load_row, &rows));
    AB_TRY(ab_log_cut(&run->table, rows.end));
    run->n_rows = rows.n;
    run->process = 0;
    AB_TRY(ab_csv_read(run->samples.path, find_end_of_finished, &samples));
    ++run->process;
    return ab_log_cut(&run->samples, samples.end);
}

/* ---- Sorting ---- */

/* A row with its place in the order. */
typedef struct placed {
    int place, row; /* place, and index of the row in the files so far */
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return x->place != y->place ? (x->place > y->place) - (x->place < y->place) : (x->row > y->row) - (x->row < y->row);
}

/* The content of the sorted files. */
typedef struct sorted_rows {
    const char *run_id;
    const ab_recorded *recorded;
    const placed *rows; /* [recorded->n_rows] */
} sorted_rows;

static void print_sorted_table(FILE *file, const void *context)
{
    const sorted_rows *sorted = context;
    ab_row_write_header(file);
    for (int i = 0; i < sorted->recorded->n_rows; i++)
        ab_row_write(file, &sorted->recorded->rows[sorted->rows[i].row].row, sorted->run_id);
}

static void print_sorted_samples(FILE *file, const void *context)
{
    const sorted_rows *sorted = context;
    fprintf(file, "%s\n", ab_samples_header);
    for (int i = 0; i < sorted->recorded->n_rows; i++) {
        const ab_recorded_row *row = &sorted->recorded->rows[sorted->rows[i].row];
        ab_samples_write(file, &row->row, line_of(i), 1, 1, row->samples, row->n_samples);
    }
}

/* Writes the path of the sorted file before it replaces the original. */
static void sorted_path(const ab_log *log, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s.sorted", log->path);
}

static ab_status write_sorted(const ab_log *of, void (*print)(FILE *file, const void *context),
                              const sorted_rows *sorted)
{
    char path[PATH_MAX];
    ab_log log;
    sorted_path(of, path);
    ab_status status = ab_log_open(path, &log);
    if (status.code == AB_OK) status = ab_log_cut(&log, 0);
    if (status.code == AB_OK) status = append_printed(&log, print, sorted);
    ab_log_close(&log);
    return status;
}

static ab_status take_sorted(ab_log *log)
{
    char path[PATH_MAX], of[PATH_MAX];
    sorted_path(log, path);
    snprintf(of, sizeof of, "%s", log->path);
    if (rename(path, of) != 0) return ab_failed("%s: %s", of, strerror(errno));
    ab_log_close(log);
    return ab_log_open(of, log);
}

/* Replaces both files, the samples first, because end_sorting relies on this order. */
static ab_status replace_files(ab_run *run, const sorted_rows *sorted)
{
    AB_TRY(write_sorted(&run->samples, print_sorted_samples, sorted));
    AB_TRY(write_sorted(&run->table, print_sorted_table, sorted));
    AB_TRY(take_sorted(&run->samples));
    return take_sorted(&run->table);
}

/* Completes replace_files after a kill. If there is a sorted table without sorted samples, only the table must still be
 * replaced. */
static ab_status end_sorting(ab_run *run)
{
    char table[PATH_MAX], samples[PATH_MAX];
    sorted_path(&run->table, table);
    sorted_path(&run->samples, samples);
    if (access(table, F_OK) == 0 && access(samples, F_OK) != 0) return take_sorted(&run->table);
    (void)unlink(table);
    (void)unlink(samples);
    return ab_ok();
}

/* Makes `rows` the order of the files and of the rows in memory. */
static ab_status rewrite(ab_run *run, const placed *rows)
{
    ab_recorded recorded;
    const char *table_file = strrchr(run->table.path, '/') + 1;
    ab_status status = ab_recorded_read(run->directory, table_file, run->id, &recorded);
    if (status.code == AB_OK) status = replace_files(run, &(sorted_rows){run->id, &recorded, rows});
    for (int i = 0; status.code == AB_OK && i < run->n_rows; i++) run->rows[i] = recorded.rows[rows[i].row].row;
    ab_recorded_free(&recorded);
    return status;
}

ab_status ab_run_sort(ab_run *run, const int *places)
{
    bool in_order = true;
    placed *rows = calloc((size_t)run->n_rows + 1, sizeof *rows);
    if (!rows) return ab_failed("out of memory for %d rows", run->n_rows);
    for (int i = 0; i < run->n_rows; i++) {
        rows[i] = (placed){places[i], i};
        in_order &= i == 0 || places[i] >= places[i - 1];
    }
    qsort(rows, (size_t)run->n_rows, sizeof *rows, compare_placed);
    const ab_status status = in_order ? ab_ok() : rewrite(run, rows);
    free(rows);
    return status;
}

/* ---- Opening ---- */

static ab_status open_logs(const ab_run_info *info, ab_run *run)
{
    char table_file[AB_TABLE_FILE];
    ab_table_file(info->driver, table_file);
    AB_TRY(open_log(run->directory, table_file, &run->table));
    AB_TRY(open_log(run->directory, "samples.csv", &run->samples));
    if (run->table.size == 0) AB_TRY(append_printed(&run->table, print_table_header, NULL));
    if (run->samples.size == 0) AB_TRY(append_printed(&run->samples, print_samples_header, NULL));
    return ab_ok();
}

static ab_status start_run(const ab_run_info *info, ab_run *run)
{
    char table_file[AB_TABLE_FILE];
    ab_table_file(info->driver, table_file);
    if (holds(run->directory, table_file) || holds(run->directory, "samples.csv"))
        return ab_bad_input("%s: holds results, but no meta.json; choose another --out", run->directory);
    /* The description comes first, because a table without one could not be resumed. */
    AB_TRY(ab_meta_write(run->meta, run->meta_path));
    return open_logs(info, run);
}

/* Makes this run the continuation of `old`. Leaves `old` unchanged if that is not possible. */
static ab_status resume_run(const ab_run_info *info, const json_t *old, ab_run *run)
{
    AB_TRY(ab_meta_check_resumable(old, run->meta, run->directory));
    AB_TRY(ab_meta_continue(run->meta, old));
    free(run->id);
    run->id = strdup(json_string_value(json_object_get(old, "run_id")));
    if (!run->id) return ab_failed("out of memory");
    AB_TRY(open_logs(info, run));
    AB_TRY(end_sorting(run));
    AB_TRY(load(run));
    return ab_meta_write(run->meta, run->meta_path);
}

/* Takes the run in the directory of --verified for this run. */
static ab_status take_verified(const char *directory, ab_run *run)
{
    json_t *verified;
    char *path = join(directory, "meta.json");
    if (!path) return ab_failed("out of memory");
    ab_status status = ab_meta_read(path, &verified);
    free(path);
    AB_TRY(status);
    status = ab_meta_take_verified(run->meta, verified, directory);
    json_decref(verified);
    return status;
}

static ab_status open_run(const ab_options *options, const ab_run_info *info, ab_run *run)
{
    const time_t start = time(NULL);
    AB_TRY(choose_directory(options, info, start, run));
    run->meta_path = join(run->directory, "meta.json");
    if (!run->meta_path) return ab_failed("out of memory");
    AB_TRY(ab_lock_directory(run->directory, &run->lock));
    AB_TRY(ab_meta_create(options, info, run->id, start, &run->meta));
    if (options->verified && !options->process) AB_TRY(take_verified(options->verified, run));
    if (!holds(run->directory, "meta.json")) return start_run(info, run);
    if (!options->resume)
        return ab_bad_input("%s: already holds a run; continue it with --resume or choose another --out",
                            run->directory);
    json_t *old;
    AB_TRY(ab_meta_read(run->meta_path, &old));
    const ab_status status = resume_run(info, old, run);
    json_decref(old);
    return status;
}

void ab_run_free(ab_run *run)
{
    if (!run) return;
    ab_log_close(&run->table);
    ab_log_close(&run->samples);
    if (run->lock >= 0) close(run->lock);
    json_decref(run->meta);
    free(run->rows);
    free(run->meta_path);
    free(run->directory);
    free(run->id);
    free(run);
}

ab_status ab_run_open(const ab_options *options, const ab_run_info *info, ab_run **run)
{
    *run = calloc(1, sizeof **run);
    if (!*run) return ab_failed("out of memory");
    (*run)->lock = (*run)->table.fd = (*run)->samples.fd = -1;
    (*run)->process = (*run)->turn = 1;
    const ab_status status = open_run(options, info, *run);
    if (status.code != AB_OK) {
        ab_run_free(*run);
        *run = NULL;
    }
    return status;
}

/* ---- Using ---- */

const char *ab_run_directory(const ab_run *run)
{
    return run->directory;
}

const ab_row *ab_run_find(const ab_run *run, const ab_row *row)
{
    for (int i = 0; i < run->n_rows; i++)
        if (ab_row_same_key(&run->rows[i], row)) return &run->rows[i];
    return NULL;
}

const ab_row *ab_run_rows(const ab_run *run, int *count)
{
    *count = run->n_rows;
    return run->rows;
}

/* A row as it is written to its two files. */
typedef struct finished_row {
    const char *run_id;
    const ab_row *row;
    int line; /* number of its line in the table file */
    int process, turn;
    const ab_sample *samples; /* [n_samples] */
    int n_samples;
} finished_row;

static void print_row(FILE *file, const void *context)
{
    const finished_row *finished = context;
    ab_row_write(file, finished->row, finished->run_id);
}

static void print_samples(FILE *file, const void *context)
{
    const finished_row *finished = context;
    ab_samples_write(file, finished->row, finished->line, finished->process, finished->turn, finished->samples,
                     finished->n_samples);
}

static ab_status check_row(const ab_run *run, const ab_row *row, const ab_sample *samples, int n_samples)
{
    if (ab_run_find(run, row))
        return ab_failed("the run already has the row %s %s %s %s %s %s %s", row->table, row->row, row->instance,
                         row->implementation, row->backend, row->params, row->scope);
    for (int i = 0; i < n_samples; i++)
        if (!samples[i].discard_reason[0] && !(isfinite(samples[i].ms) && samples[i].ms > 0))
            return ab_failed("row %s %s: sample %d took %g ms", row->row, row->instance, i, samples[i].ms);
    return ab_ok();
}

ab_status ab_run_append(ab_run *run, const ab_row *row, const ab_sample *samples, int n_samples)
{
    const finished_row finished = {run->id, row, line_of(run->n_rows), run->process, run->turn, samples, n_samples};
    const off_t samples_size = run->samples.size;
    AB_TRY(check_row(run, row, samples, n_samples));
    AB_TRY(append_printed(&run->samples, print_samples, &finished));
    const ab_status status = append_printed(&run->table, print_row, &finished);
    if (status.code == AB_OK) return remember(run, row);
    (void)ab_log_cut(&run->samples, samples_size); /* the first error is the one to report */
    return status;
}

void ab_run_begin_turn(ab_run *run, int turn)
{
    run->turn = turn;
}

ab_status ab_run_note_processes(ab_run *run, int n)
{
    AB_TRY(ab_meta_clear_processes(run->meta));
    for (int i = 1; i <= n; ++i) {
        char *path;
        json_t *share;
        if (asprintf(&path, "%s/process-%d/meta.json", run->directory, i) < 0) return ab_failed("out of memory");
        ab_status status = ab_meta_read(path, &share);
        free(path);
        AB_TRY(status);
        status = ab_meta_add_process(run->meta, share);
        json_decref(share);
        AB_TRY(status);
    }
    return ab_ok();
}

ab_status ab_run_finish(ab_run *run, bool complete, int exit_code)
{
    AB_TRY(ab_meta_finish(run->meta, complete, exit_code));
    return ab_meta_write(run->meta, run->meta_path);
}
