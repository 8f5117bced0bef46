/* The program around a driver (program.h). */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/plan/estimate.h"
#include "bench/plan/make.h"
#include "bench/program/cell.h"
#include "bench/program/died.h"
#include "bench/program/interrupt.h"
#include "bench/clock/machine.h"
#include "bench/plan/order.h"
#include "bench/program/print.h"
#include "bench/program/processes.h"
#include "bench/program/program.h"
#include "bench/program/progress.h"
#include "bench/program/verified.h"
#include "bench/record/build_info.h"
#include "kernels/host/host_backend.h"
#include "mpi/ranks.h"

/* ---- Measuring ---- */

/* Returns the seconds for this process's rows, including those that later processes measure again. */
static double total_s(const ab_plan *plan)
{
    double seconds = 0.0;
    for (int i = 0; i < plan->n_cells; ++i) seconds += ab_cell_estimate_from_here(plan, &plan->cells[i]);
    return seconds;
}

/* What was recorded before this process. */
typedef struct past {
    ab_shares shares;     /* what the processes before it have; none in the first process */
    ab_recorded verified; /* what the run of --verified has; nothing in later processes */
} past;

static ab_status read_past(const ab_bench *bench, const char *table_file, past *before)
{
    const int process = bench->share.process;
    const int n = process == 1 ? 0 : process <= bench->share.processes ? 1 : process - 1;
    *before = (past){0};
    AB_TRY(ab_shares_read(bench->options->out, n, table_file, &before->shares));
    return process == 1 ? ab_verified_read(bench->options, table_file, &before->verified) : ab_ok();
}

static void free_past(past *before)
{
    ab_shares_free(&before->shares);
    ab_recorded_free(&before->verified);
}

/* What the first process recorded of a cell; NULL in the first process. */
static const ab_recorded_row *first_of(const past *before, const ab_cell *cell)
{
    return before->shares.n ? ab_recorded_find(&before->shares.of[0], &cell->key) : NULL;
}

/* Writes to why[64] why a row is not timed again, or "". The first process's failures are not timed again, nor, with
 * --until-precise, rows that are already precise. */
static ab_status is_worth_timing(const ab_bench *bench, const past *before, const ab_cell *cell, char why[64])
{
    bool precise;
    const ab_shares *shares = &before->shares;
    const ab_recorded_row *found = first_of(before, cell);
    why[0] = '\0';
    if (shares->n == 0) return ab_ok();
    if (!found || found->row.ms.samples == 0) {
        strcpy(why, "the first process could not time this row");
        return ab_ok();
    }
    if (shares->n < bench->share.processes) return ab_ok();
    AB_TRY(ab_shares_are_precise(shares, &cell->key, bench->options->until_precise, bench->share.processes, &precise));
    if (precise) strcpy(why, "precise enough");
    return ab_ok();
}

static ab_status measure_cell(ab_bench *bench, ab_plan *plan, ab_loaded *loaded, const ab_cell *cell,
                              const past *before, ab_progress *progress)
{
    const double begin = ab_now_s(), estimate = ab_cell_estimate(plan, cell);
    char label[440], why_not[64], outcome[128];
    ab_row row;
    snprintf(label, sizeof label, "%s/%s/%s %s", cell->key.table, cell->key.row, cell->key.instance, cell->key.params);
    ab_progress_row(progress, label);
    const ab_row *kept = ab_run_find(bench->run, &cell->key);
    AB_TRY(is_worth_timing(bench, before, cell, why_not));
    if (why_not[0]) {
        strcpy(outcome, why_not);
    } else if (kept) {
        strcpy(outcome, ab_verified_has(&before->verified, cell) ? "taken from the run of --verified"
                                                                 : "taken from the interrupted run");
        ab_bench_count(bench, kept->status);
    } else {
        const ab_recorded_row *first = first_of(before, cell);
        const ab_known known = {first ? 1e-3 * first->row.ms.mean : (double)NAN,
                                ab_verified_find(&before->verified, cell)};
        ab_died_measuring(bench, plan, cell);
        const ab_status status = ab_cell_measure(bench, plan, loaded, cell, &known, &row);
        ab_died_measured();
        AB_TRY(status);
        ab_bench_count(bench, row.status);
        ab_format_outcome(&row, outcome);
    }
    ab_progress_done(progress, label, outcome, kept ? 0.0 : estimate, ab_now_s() - begin);
    return ab_ok();
}

static ab_status measure_in_order(ab_bench *bench, ab_plan *plan, const int *order, const past *before,
                                  ab_progress *progress)
{
    ab_loaded loaded = {0};
    ab_status status = ab_verified_take(&before->verified, plan, bench->run);
    for (int turn = 0; turn < plan->n_cells && status.code == AB_OK; ++turn) {
        ab_run_begin_turn(bench->run, turn + 1);
        status = measure_cell(bench, plan, &loaded, &plan->cells[order[turn]], before, progress);
    }
    ab_unload(plan, &loaded);
    return status;
}

/* Sorts the complete rows of the run into the order of the plan. */
static ab_status sort_rows(const ab_plan *plan, ab_run *run)
{
    int count;
    const ab_row *rows = ab_run_rows(run, &count);
    int *places = calloc((size_t)count + 1, sizeof *places);
    if (!places) return ab_failed("out of memory for %d rows", count);
    ab_order_places(plan, rows, count, places);
    const ab_status status = ab_run_sort(run, places);
    free(places);
    return status;
}

static ab_status measure_cells(ab_bench *bench, ab_plan *plan, const char *table_file)
{
    past before;
    int *order = calloc((size_t)plan->n_cells, sizeof *order);
    ab_status status = read_past(bench, table_file, &before);
    if (status.code == AB_OK && !order) status = ab_failed("out of memory for %d rows", plan->n_cells);
    if (status.code == AB_OK) status = ab_order_draw(plan, bench->options->seed, bench->share.process, order);
    ab_progress progress = ab_progress_start(plan->n_cells, total_s(plan), bench->options->quiet);
    if (bench->options->process)
        snprintf(progress.part, sizeof progress.part, "process %d of %d: ", bench->share.process,
                 bench->share.process > bench->share.processes ? bench->share.most_processes : bench->share.processes);
    if (status.code == AB_OK && !ranks_started()) /* a rank of MPI cannot start again */
        status =
            ab_died_begin(bench, plan, bench->options->process ? bench->options->out : ab_run_directory(bench->run));
    if (status.code == AB_OK) status = measure_in_order(bench, plan, order, &before, &progress);
    if (status.code == AB_OK) status = sort_rows(plan, bench->run);
    free_past(&before);
    free(order);
    return status;
}

/* ---- The run ---- */

/* Prints a line on stderr that is not an error. scripts/bench_all recognises it by "note: ". */
static void __attribute__((format(printf, 2, 3))) tell_note(const ab_options *options, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s: note: ", options->shown);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* Explains why kernels are not timed if no GPU was found. Leaves out the details, which are in brackets. */
static void tell_missing_gpu(const ab_bench *bench)
{
    const char *why = bench->machine.no_gpu, *details = strstr(why, " (");
    if (bench->options->quiet || !*why) return;
    tell_note(bench->options, "%.*s: kernels are verified on the CPU, not timed",
              (int)(details ? (size_t)(details - why) : strlen(why)), why);
}

/* Loads every input whose digest meta.json needs once, so that a broken input ends the run before anything is measured.
 * One process of several does not: the run that started it has done so. */
static ab_status read_inputs(const ab_bench *bench, ab_plan *plan)
{
    const char *save = bench->options->save;
    if (bench->options->process) return ab_ok();
    for (int i = 0; i < plan->n_inputs; ++i) {
        void *loaded = NULL;
        if (plan->inputs[i].sha256[0] && !(save && plan->kind->save)) continue;
        AB_TRY(plan->kind->load(&plan->inputs[i], &loaded));
        const ab_status status = save && plan->kind->save ? plan->kind->save(&plan->inputs[i], loaded, save) : ab_ok();
        plan->kind->unload(loaded);
        AB_TRY(status);
    }
    return ab_ok();
}

static ab_status open_run(ab_bench *bench, const ab_plan *plan)
{
    ab_run_input *inputs = calloc((size_t)plan->n_inputs, sizeof *inputs);
    char *gpu = bench->machine.have_gpu ? gpu_describe(&bench->machine.gpu, bench->machine.nvml) : NULL;
    const char *const devices[] = {gpu};
    const bool examines = !bench->options->process, works = bench->options->profile != AB_SMOKE;
    const ab_diagnosis diagnosis =
        examines ? ab_examine(bench->options, &bench->machine, works) : (ab_diagnosis){.count = 0};
    for (int i = 0; inputs && i < plan->n_inputs; ++i) {
        const ab_input *input = &plan->inputs[i];
        inputs[i] = (ab_run_input){input->name, input->stand_in ? "generated" : input->path, input->sha256};
    }
    const ab_run_info info = {.driver = plan->driver->name,
                              .machine = bench->machine.have_gpu ? bench->machine.gpu.name : bench->machine.cpu_name,
                              .inputs = inputs,
                              .n_inputs = plan->n_inputs,
                              .devices = devices,
                              .n_devices = gpu ? 1 : 0,
                              .clock_note = bench->machine.clock_note,
                              .doctor = examines ? &diagnosis : NULL};
    const ab_status status =
        inputs ? ab_run_open(bench->options, &info, &bench->run) : ab_failed("out of memory for the inputs");
    free(inputs);
    free(gpu);
    return status;
}

/* True if rows of the backend are timed. */
static bool has_times(const ab_plan *plan, ab_backend backend)
{
    for (int i = 0; i < plan->n_cells; ++i)
        if (plan->cells[i].c.implementation->backend == backend && plan->cells[i].timed) return true;
    return false;
}

static void warn_of_others(const ab_options *options, const ab_plan *plan)
{
    const double others = ab_machine_others();
    if (options->quiet || !(others >= AB_BUSY) || !has_times(plan, AB_CPU)) return;
    tell_note(options, "about %.1f other threads are running on this machine: CPU times will be longer", others);
}

static void warn_of_gpu(const ab_bench *bench, const ab_plan *plan)
{
    char warnings[AB_WARNINGS][AB_WARNING_TEXT];
    if (bench->options->quiet || !has_times(plan, AB_CUDA)) return;
    const int count = ab_state_warnings(&bench->machine, warnings);
    for (int i = 0; i < count; ++i) tell_note(bench->options, "%s", warnings[i]);
}

/* Prints what the process that the user started says before it measures. */
static void announce(const ab_bench *bench, const ab_plan *plan, bool in_processes)
{
    const ab_options *options = bench->options;
    char how[64] = "";
    if (options->process) return;
    tell_missing_gpu(bench);
    if (bench->machine.clock_note && *bench->machine.clock_note)
        tell_note(options, "--lock-clocks: the GPU's clock is not locked: %s", bench->machine.clock_note);
    warn_of_gpu(bench, plan);
    if (in_processes && bench->share.most_processes > bench->share.processes)
        snprintf(how, sizeof how, "%d to %d processes in turn, ", bench->share.processes, bench->share.most_processes);
    else if (in_processes)
        snprintf(how, sizeof how, "%d processes in turn, ", bench->share.processes);
    if (!options->quiet) /* scripts/bench_all reads the run's directory from this line */
        fprintf(stderr, "[0/%d] seed %llu, %swriting to %s\n", plan->n_cells, (unsigned long long)options->seed, how,
                ab_run_directory(bench->run));
    warn_of_others(options, plan);
}

/* Names a failed row and their number, to explain the exit code. Only the process that the user started does this, also
 * with --quiet. */
static void tell_failed(const ab_bench *bench)
{
    int count, failed = 0;
    const ab_row *rows = ab_run_rows(bench->run, &count), *first = NULL;
    for (int i = 0; i < count; ++i) {
        if (rows[i].status != AB_ROW_WRONG && rows[i].status != AB_ROW_ERROR) continue;
        if (!first || (rows[i].status == AB_ROW_WRONG && first->status != AB_ROW_WRONG)) first = &rows[i];
        ++failed;
    }
    if (!first || bench->options->process) return;
    fprintf(stderr, "%s: %d row%s failed, such as %s %s %s %s: %s: %s\n", bench->options->shown, failed,
            failed == 1 ? "" : "s", first->table, first->row, first->instance, first->implementation,
            ab_row_status_name(first->status), first->note);
}

static ab_status measure(ab_bench *bench, ab_plan *plan, int *exit_code)
{
    char table_file[AB_TABLE_FILE], directory[PATH_MAX];
    const bool in_processes = ab_takes_processes(bench, plan);
    ab_table_file(plan->driver->name, table_file);
    AB_TRY(read_inputs(bench, plan));
    AB_TRY(open_run(bench, plan));
    snprintf(directory, sizeof directory, "%s", ab_run_directory(bench->run));
    /* Under MPI, scripts/ranks does this. */
    if (!bench->options->process && !ranks_started()) ab_interrupt_begin(bench->options, directory);
    announce(bench, plan, in_processes);
    const ab_status status =
        in_processes ? ab_measure_in_processes(bench, plan, table_file) : measure_cells(bench, plan, table_file);
    *exit_code = status.code == AB_OK ? ab_bench_exit_code(bench) : AB_EXIT_ERROR;
    const ab_status finished = ab_run_finish(bench->run, status.code == AB_OK, *exit_code);
    ab_interrupt_end();
    if (status.code == AB_OK && finished.code == AB_OK && in_processes)
        ab_remove_shares(directory, table_file, bench->share.most_processes);
    /* The run is complete before it is printed, because a reader such as head may end this process. */
    if (status.code == AB_OK && !bench->options->process) ab_print_tables(plan, bench);
    if (status.code == AB_OK) tell_failed(bench);
    ab_run_free(bench->run);
    return status.code == AB_OK ? finished : status;
}

/* ---- The program ---- */

static int fail(const char *shown, const ab_status *status)
{
    fprintf(stderr, "%s: %s\n", shown, status->reason);
    switch (status->code) {
    case AB_BAD_INPUT:
        return AB_EXIT_USAGE;
    case AB_UNSUPPORTED:
        return AB_EXIT_SKIPPED;
    default:
        return AB_EXIT_ERROR;
    }
}

static ab_status prepare(const ab_driver *driver, const ab_options *options, ab_bench *bench, ab_plan *plan)
{
    AB_TRY(ab_driver_check_files(driver));
    bench->options = options;
    AB_TRY(ab_share_make(driver, options, &bench->share));
    AB_TRY(ab_state_open(options, &bench->machine));
    const ab_machine_state *machine = &bench->machine;
    const ab_target target = {machine->have_gpu ? machine->gpu.name : NULL, machine->cpu_name, machine->cores};
    return ab_plan_make(driver, options, &bench->share, &target, plan);
}

static int run(const ab_driver *driver, const ab_options *options)
{
    ab_bench bench = {0};
    ab_plan plan = {0};
    int exit_code = AB_EXIT_OK;
    ab_status status = prepare(driver, options, &bench, &plan);
    if (status.code == AB_OK && options->action == AB_ACTION_DRY_RUN) {
        tell_missing_gpu(&bench);
        ab_print_plan(&plan);
    } else if (status.code == AB_OK && plan.n_cells > 0) { /* a process after the first may have nothing to time */
        status = measure(&bench, &plan, &exit_code);
    }
    ab_plan_free(&plan);
    ab_state_close(&bench.machine);
    return status.code == AB_OK ? exit_code : fail(options->shown, &status);
}

/* ---- Data for the parser ---- */

enum { MAX_OPERATIONS = 16 };

/* Lists the operations of a driver, each once, NULL-terminated. */
static void list_operations(const ab_driver *driver, const ab_operation *operations[MAX_OPERATIONS + 1])
{
    int count = 0;
    for (const ab_block *block = driver->blocks; block->table; ++block)
        for (const ab_line *line = block->lines; line->row; ++line) {
            const ab_operation *operation = ab_operation_of(line->implementation);
            int i = 0;
            while (i < count && operations[i] != operation) ++i;
            if (i == count && count < MAX_OPERATIONS) operations[count++] = operation;
        }
    operations[count] = NULL;
}

static void print_table(const ab_parameter *parameters)
{
    for (const ab_parameter *p = parameters; p->name; ++p) printf("  %-16s %s\n", p->name, p->help);
}

static void print_parameters(const void *context)
{
    const ab_operation *operations[MAX_OPERATIONS + 1];
    ab_parameter own[AB_MOST_PARAMETERS + 1];
    list_operations(context, operations);
    for (int i = 0; operations[i]; ++i) {
        printf("\nparameters of %s (--set NAME=VALUE):\n", operations[i]->name);
        print_table(operations[i]->parameters);
        ab_own_parameters(operations[i], own);
        print_table(own);
    }
    printf("\nparameters of all rows on a GPU:\n");
    print_table(ab_gpu_parameters);
}

/* Makes waiting threads sleep if other processes are running. By default they spin, which is fastest if each thread has
 * a core. Otherwise a thread may wait for one that has no core, and rows of all cores take ten times as long. OpenMP
 * reads this setting from the environment before main begins, so the program starts again. A rank of MPI cannot do
 * this. */
static void wait_politely(char **argv)
{
    if (ranks_started()) return;
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || !(ab_machine_others() >= AB_BUSY)) return;
    /* If this fails, the program continues unchanged. */
    if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0) execv("/proc/self/exe", argv);
}

int ab_program_main(const ab_driver *driver, int argc, char **argv)
{
    const ab_operation *operations[MAX_OPERATIONS + 1];
    const char *names[MAX_OPERATIONS + 1] = {NULL};
    char shown[48];
    ab_options options;
    snprintf(shown, sizeof shown, "antbench %s", driver->name);
    const ab_status status = ab_driver_check(driver);
    if (status.code != AB_OK) return fail(shown, &status);
    const ab_status device = host_backend_set_device(getenv(HOST_BACKEND_DEVICE));
    if (device.code != AB_OK) return fail(shown, &device);
    list_operations(driver, operations);
    for (int i = 0; operations[i]; ++i) names[i] = operations[i]->name;
    const ab_program program = {.name = driver->program,
                                .shown = shown,
                                .summary = driver->summary,
                                .operations = names,
                                .check_instance = operations[0]->inputs->check_name,
                                .instances_help = operations[0]->inputs->help,
                                .print_parameters = print_parameters,
                                .context = driver,
                                .saves = operations[0]->inputs->save != NULL,
                                .print_version = ab_print_version};
    ab_parse_options(&program, argc - 1, argv + 1, &options);
    options.argc = argc;
    options.argv = argv;
    int exit_code = options.exit_code;
    if (options.action == AB_ACTION_RUN) wait_politely(argv);
    if (options.action == AB_ACTION_LIST)
        ab_print_implementations(names);
    else if (options.action != AB_ACTION_EXIT)
        exit_code = run(driver, &options);
    ab_options_free(&options);
    return exit_code;
}
