/* Runs several processes (processes.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/plan/estimate.h"
#include "bench/record/join.h"
#include "bench/record/meta.h"
#include "bench/program/processes.h"
#include "bench/row/judge.h"

enum { PATH_SIZE = 4096, CANNOT_START = 127 };

bool ab_takes_processes(const ab_bench *bench, const ab_plan *plan)
{
    if (bench->share.processes == 1 || bench->options->process) return false;
    for (int i = 0; i < plan->n_cells; ++i)
        if (plan->cells[i].timed) return true;
    return false;
}

static void share_directory(const char *directory, int process, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/process-%d", directory, process);
}

/* Reads the id of a share's run into id[size], and whether the share is complete. */
static ab_status read_share(const char *directory, int process, char *id, size_t size, bool *complete)
{
    char path[PATH_SIZE];
    json_t *meta;
    share_directory(directory, process, path);
    strncat(path, "/meta.json", PATH_SIZE - strlen(path) - 1);
    *complete = false;
    if (access(path, F_OK) != 0) return ab_ok();
    AB_TRY(ab_meta_read(path, &meta));
    snprintf(id, size, "%s", json_string_value(json_object_get(meta, "run_id")));
    *complete = ab_meta_is_complete(meta);
    json_decref(meta);
    return ab_ok();
}

/* Reads what one process has recorded. */
static ab_status read_recorded(const char *directory, int process, const char *table_file, ab_recorded *recorded)
{
    char path[PATH_SIZE], id[256] = "";
    bool complete;
    share_directory(directory, process, path);
    AB_TRY(read_share(directory, process, id, sizeof id, &complete));
    if (!id[0]) return ab_bad_input("%s: process %d left no run", path, process);
    return ab_recorded_read(path, table_file, id, recorded);
}

ab_status ab_shares_read(const char *directory, int n, const char *table_file, ab_shares *shares)
{
    *shares = (ab_shares){calloc((size_t)n + 1, sizeof *shares->of), n};
    if (!shares->of) return ab_failed("out of memory");
    for (int i = 0; i < n; ++i) AB_TRY(read_recorded(directory, i + 1, table_file, &shares->of[i]));
    return ab_ok();
}

void ab_shares_free(ab_shares *shares)
{
    for (int i = 0; shares->of && i < shares->n; ++i) ab_recorded_free(&shares->of[i]);
    free(shares->of);
    *shares = (ab_shares){NULL, 0};
}

/* Joins what the processes have of a row; *last is true if the last one has any. Free joined->samples. */
static ab_status join_parts(const ab_shares *shares, const ab_row *key, ab_recorded_row *joined, bool *last)
{
    const ab_recorded_row **parts = calloc((size_t)shares->n, sizeof *parts);
    *joined = (ab_recorded_row){.row = *key};
    if (!parts) return ab_failed("out of memory");
    for (int i = 0; i < shares->n; ++i) parts[i] = ab_recorded_find(&shares->of[i], key);
    *last = parts[shares->n - 1];
    const ab_status status = ab_join_rows(parts, shares->n, joined);
    free(parts);
    return status;
}

/* Tells whether the row is precise after the first n processes. */
static ab_status first_are_precise(const ab_shares *shares, int n, const ab_row *key, double within, bool *precise)
{
    ab_recorded_row joined;
    bool last;
    const ab_status status = join_parts(&(ab_shares){shares->of, n}, key, &joined, &last);
    *precise = ab_times_are_precise(&joined.row, within);
    free(joined.samples);
    return status;
}

ab_status ab_shares_are_precise(const ab_shares *shares, const ab_row *key, double within, int round, bool *precise)
{
    int n = shares->n; /* number of processes that measured the row, which are the first ones */
    while (n > 0 && !ab_recorded_find(&shares->of[n - 1], key)) --n;
    *precise = false;
    if (n < 2 * round) return ab_ok();
    AB_TRY(first_are_precise(shares, n, key, within, precise));
    return *precise ? first_are_precise(shares, n - round, key, within, precise) : ab_ok();
}

/* ---- Starting ---- */

/* Replaces this program by itself, with options that make it one of several processes. The run belongs to process `run`
 * of the system. Never returns. */
static void become_process(const ab_bench *bench, int process, pid_t run)
{
    const ab_options *options = bench->options;
    char of[16], this[16];
    const char *const more[] = {
        "--processes", of, "--process", this, "--lock-clocks", "none", "--out", ab_run_directory(bench->run), NULL};
    const size_t n = (size_t)options->argc;
    const char **argv = calloc(n + sizeof more / sizeof *more, sizeof *argv);
    snprintf(of, sizeof of, "%d", bench->share.processes);
    snprintf(this, sizeof this, "%d", process);
    /* A process ends with its run, which may already have ended. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != run) _exit(CANNOT_START);
    if (argv) {
        memcpy(argv, options->argv, n * sizeof *argv);
        memcpy(argv + n, more, sizeof more);
        execv("/proc/self/exe", (char *const *)argv);
    }
    _exit(CANNOT_START);
}

/* Runs the process to its end. Its meta.json tells how it ended. */
static ab_status run_process(const ab_bench *bench, int process)
{
    int ended;
    char id[256];
    bool complete;
    fflush(NULL);
    const pid_t run = getpid(), child = fork();
    if (child < 0)
        return ab_failed("cannot start process %d of %d: out of memory or process ids", process,
                         bench->share.processes);
    if (child == 0) become_process(bench, process, run);
    if (waitpid(child, &ended, 0) != child)
        return ab_failed("process %d of %d cannot be waited for", process, bench->share.processes);
    AB_TRY(read_share(ab_run_directory(bench->run), process, id, sizeof id, &complete));
    if (WIFSIGNALED(ended))
        return ab_failed("process %d of %d: ended by signal %d (%s)", process, bench->share.processes, WTERMSIG(ended),
                         strsignal(WTERMSIG(ended)));
    if (complete) return ab_ok();
    const ab_status failed = ab_failed("process %d of %d: ended with exit code %d before it was done", process,
                                       bench->share.processes, WEXITSTATUS(ended));
    return WEXITSTATUS(ended) == AB_EXIT_USAGE ? ab_bad_input("%s", failed.reason) : failed;
}

/* ---- Joining ---- */

/* Sets the reason why a row has no more processes, with --until-precise. */
static void set_stop_reason(const ab_bench *bench, bool in_last, ab_row *row)
{
    const double within = bench->options->until_precise;
    if (!(within > 0.0) || row->ms.processes < 2) return;
    const bool ended = in_last && bench->shares == bench->share.most_processes && !ab_times_are_precise(row, within);
    snprintf(row->stop_reason, sizeof row->stop_reason, "%s", ended ? "budget" : "converged");
}

static ab_status join_row(ab_bench *bench, const ab_shares *shares, const ab_row *row)
{
    ab_recorded_row joined;
    bool in_last;
    if (ab_run_find(bench->run, row)) return ab_ok(); /* the row was written before an interruption */
    ab_status status = join_parts(shares, row, &joined, &in_last);
    if (status.code == AB_OK) set_stop_reason(bench, in_last, &joined.row);
    if (status.code == AB_OK) status = ab_run_append(bench->run, &joined.row, joined.samples, joined.n_samples);
    free(joined.samples);
    return status;
}

/* Joins the rows of the first process, which has all rows. The others time the same rows again. */
static ab_status join_rows(ab_bench *bench, const ab_shares *shares)
{
    for (int i = 0; i < shares->of->n_rows; ++i) AB_TRY(join_row(bench, shares, &shares->of->rows[i].row));
    return ab_run_note_processes(bench->run, shares->n);
}

static ab_status join(ab_bench *bench, const char *table_file)
{
    ab_shares shares;
    ab_status status = ab_shares_read(ab_run_directory(bench->run), bench->shares, table_file, &shares);
    if (status.code == AB_OK) status = join_rows(bench, &shares);
    ab_shares_free(&shares);
    return status;
}

/* ---- The run ---- */

/* Counts the rows as a single process would. A successful setup does not yet count as a row that ran. */
static void count_rows(ab_bench *bench)
{
    int count;
    const ab_row *rows = ab_run_rows(bench->run, &count);
    for (int i = 0; i < count; ++i)
        if (strcmp(rows[i].scope, "setup") != 0 || rows[i].status == AB_ROW_WRONG || rows[i].status == AB_ROW_ERROR)
            ab_bench_count(bench, rows[i].status);
}

/* Tells whether the next process has a row to measure: one that was timed and is not yet precise. */
static ab_status is_any_left(const ab_bench *bench, const ab_plan *plan, const char *table_file, bool *any)
{
    ab_shares shares;
    *any = bench->shares < bench->share.processes;
    if (*any || bench->shares == bench->share.most_processes) return ab_ok();
    ab_status status = ab_shares_read(ab_run_directory(bench->run), bench->shares, table_file, &shares);
    for (int i = 0; i < plan->n_cells && status.code == AB_OK && !*any; ++i) {
        const ab_row *key = &plan->cells[i].key;
        const ab_recorded_row *first = ab_recorded_find(shares.of, key);
        bool precise = true;
        if (first && first->row.ms.samples > 0 && plan->cells[i].timed)
            status =
                ab_shares_are_precise(&shares, key, bench->options->until_precise, bench->share.processes, &precise);
        *any = !precise;
    }
    ab_shares_free(&shares);
    return status;
}

static ab_status run_processes(ab_bench *bench, const ab_plan *plan, const char *table_file)
{
    bool any;
    ab_state_release(&bench->machine);
    AB_TRY(is_any_left(bench, plan, table_file, &any));
    while (any) {
        char id[256];
        bool complete;
        AB_TRY(read_share(ab_run_directory(bench->run), bench->shares + 1, id, sizeof id, &complete));
        if (!complete) AB_TRY(run_process(bench, bench->shares + 1));
        ++bench->shares;
        AB_TRY(is_any_left(bench, plan, table_file, &any));
    }
    return ab_ok();
}

/* True if a resumed run has every row. Its shares may be gone. */
static bool is_done(const ab_bench *bench, const ab_plan *plan)
{
    for (int i = 0; i < plan->n_cells; ++i)
        if (!ab_run_find(bench->run, &plan->cells[i].key)) return false;
    return true;
}

ab_status ab_measure_in_processes(ab_bench *bench, const ab_plan *plan, const char *table_file)
{
    if (!is_done(bench, plan)) {
        AB_TRY(run_processes(bench, plan, table_file));
        AB_TRY(join(bench, table_file));
    }
    count_rows(bench);
    return ab_ok();
}

void ab_remove_shares(const char *directory, const char *table_file, int processes)
{
    const char *const names[] = {table_file, "samples.csv", "meta.json"};
    for (int process = 1; process <= processes; ++process) {
        char share[PATH_SIZE], path[PATH_SIZE + 64];
        share_directory(directory, process, share);
        for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
            snprintf(path, sizeof path, "%s/%s", share, names[i]);
            (void)unlink(path);
        }
        (void)rmdir(share);
    }
}
