/* The files of a run: their exact form, that they survive kill -9 and a full disk, and what may be resumed. */
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/files.h"
#include "bench/record/build_info.h"
#include "bench/clock/machine.h"
#include "bench/record/run.h"

static const char table_header[] =
    "schema,run_id,table,row,instance,size,implementation,backend,device,params,scope,seed,status,stop_reason,samples,"
    "processes,iterations,discarded,waited,median_ms,mean_ms,stddev_ms,min_ms,q1_ms,q3_ms,max_ms,ci95_lo_ms,ci95_hi_ms,"
    "bytes,flops,energy_j,"
    "quality_metric,quality_best,quality_mean,quality_runs,quality_reference,verify_metric,verify_value,"
    "kernels,block_threads,registers,shared_bytes,blocks_per_sm,occupancy,sm_clock_mhz,temperature_c,power_w,"
    "throttle,published_id,published_ms,note\n";

static const ab_run_input input_a = {"d198", "/data/my files/d198.tsp",
                                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
static const ab_run_input input_b = {"d198", "/data/my files/d198.tsp",
                                     "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"};

static ab_status close_run(ab_run *run, bool complete, int exit_code)
{
    const ab_status status = ab_run_finish(run, complete, exit_code);
    ab_run_free(run);
    return status;
}

/* ---- A directory for each test, which is also the working directory ---- */

static int enter_directory(void **state)
{
    char pattern[] = "/tmp/antbench-test-XXXXXX";
    *state = strdup(mkdtemp(pattern));
    return chdir(*state);
}

static int remove_entry(const char *path, const struct stat *entry, int type, struct FTW *walk)
{
    (void)entry, (void)type, (void)walk;
    return remove(path);
}

static int leave_directory(void **state)
{
    const int removed = chdir("/") == 0 ? nftw(*state, remove_entry, 16, FTW_DEPTH | FTW_PHYS) : -1;
    free(*state);
    return removed;
}

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r"), *memory = open_memstream(&text, &size);
    if (!file) fail_msg("%s cannot be read", path);
    for (int c; (c = getc(file)) != EOF;) putc(c, memory);
    fclose(memory);
    fclose(file);
    return text;
}

static void write_file(const char *path, const char *text, size_t size, const char *mode)
{
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int count_lines(const char *path)
{
    char *text = read_file(path);
    int lines = 0;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    free(text);
    return lines;
}

static json_t *read_json(const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, 0, &error);
    if (!document) fail_msg("%s:%d: %s", path, error.line, error.text);
    return document;
}

/* ---- Runs of made-up rows ---- */

static char *arguments[] = {"table_3_3", "--out", "run"};

static ab_options make_options(bool resume)
{
    return (ab_options){.program = "table_3_3",
                        .profile = AB_QUICK,
                        .seed = 1,
                        .out = "run",
                        .resume = resume,
                        .argc = 3,
                        .argv = arguments};
}

static ab_status open_with(const ab_options *options, const ab_run_input *input, const char *device, ab_run **run)
{
    const ab_run_info info = {.driver = "3.3",
                              .machine = "NVIDIA H100 80GB HBM3",
                              .inputs = input,
                              .n_inputs = 1,
                              .devices = &device,
                              .n_devices = device != NULL};
    return ab_run_open(options, &info, run);
}

static ab_status open_run(bool resume, ab_run **run)
{
    const ab_options options = make_options(resume);
    return open_with(&options, &input_a, "{\"name\": \"NVIDIA H100 80GB HBM3\", \"uuid\": \"GPU-1\"}", run);
}

static ab_run *must_open(bool resume)
{
    ab_run *run;
    const ab_status status = open_run(resume, &run);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    return run;
}

/* As meta.json has it. */
static const char *run_id_of(const ab_run *run)
{
    static char id[256];
    char path[300];
    snprintf(path, sizeof path, "%s/meta.json", ab_run_directory(run));
    json_t *meta = read_json(path);
    snprintf(id, sizeof id, "%s", json_string_value(json_object_get(meta, "run_id")));
    json_decref(meta);
    return id;
}

static void must_close(ab_run *run)
{
    assert_int_equal(close_run(run, true, 0).code, AB_OK);
}

static void assert_refused(ab_status status, ab_code code, const char *part)
{
    if (status.code != code || !strstr(status.reason, part))
        fail_msg("expected code %d and \"...%s...\", got %d \"%s\"", code, part, status.code, status.reason);
    assert_null(strchr(status.reason, '\n'));
}

static const ab_sample three_samples[] = {{1.25, "", 0, 0, 0}, {1.5, "", 0, 1, 0}, {1234.56789, "throttled", 0, 2, 0}};

static ab_row make_row(int i)
{
    ab_row row = ab_row_new();
    strcpy(row.table, "3.3");
    strcpy(row.row, "ds-roulette");
    snprintf(row.instance, sizeof row.instance, "u%d", i);
    strcpy(row.implementation, "tsp/ds-roulette");
    strcpy(row.backend, "cuda");
    strcpy(row.params, "protocol=as-best;threads=1");
    strcpy(row.scope, "iteration");
    strcpy(row.device, "NVIDIA H100 80GB HBM3");
    strcpy(row.note, "a note with \"quotes\", commas\nand a line break ");
    strcpy(row.stop_reason, "count");
    row.size = i;
    row.seed = 1;
    row.discarded = 1;
    row.ms = ab_summarise((const double[]){1.25, 1.5}, 2);
    row.quality_best = 35000123;
    row.quality_mean = 35000123.25;
    row.sm_clock_mhz = 1980;
    return row;
}

static void append_rows(ab_run *run, int from, int to)
{
    for (int i = from; i < to; i++) {
        const ab_row row = make_row(i);
        const ab_status status = ab_run_append(run, &row, three_samples, 3);
        if (status.code != AB_OK) fail_msg("%s", status.reason);
    }
}

/* ---- The files' form ---- */

static void files_have_their_exact_form(void **state)
{
    (void)state;
    ab_run *run = must_open(false);
    ab_row untimed = ab_row_new();
    strcpy(untimed.table, "3.3");
    strcpy(untimed.scope, "functional");
    untimed.status = AB_ROW_UNSUPPORTED;
    assert_int_equal(ab_run_append(run, &untimed, NULL, 0).code, AB_OK);
    append_rows(run, 198, 199);
    char expected[4096];
    snprintf(expected, sizeof expected,
             "%s5,%s,3.3,,,,,,,,functional,0,unsupported,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n"
             "5,%s,3.3,ds-roulette,u198,198,tsp/ds-roulette,cuda,NVIDIA H100 80GB HBM3,protocol=as-best;threads=1,"
             "iteration,1,ok,count,2,1,,1,,1.375,1.375,0.176776695297,1.25,1.3125,1.4375,1.5,,,,,,,35000123,"
             "35000123.25,,,,,,,,,,,1980,,,,,,"
             "\"a note with \"\"quotes\"\", commas and a line break \"\n",
             table_header, run_id_of(run), run_id_of(run));
    char *table = read_file("run/table-3.3.csv"), *samples = read_file("run/samples.csv");
    assert_string_equal(table, expected);
    assert_string_equal(samples, "table,row,line,process,turn,i,number,ms,discard_reason\n"
                                 "3.3,ds-roulette,3,1,1,0,0,1.25,\n"
                                 "3.3,ds-roulette,3,1,1,1,1,1.5,\n"
                                 "3.3,ds-roulette,3,1,1,2,2,1234.568,throttled\n");
    free(table);
    free(samples);
    must_close(run);
    run = must_open(true);
    append_rows(run, 4, 5);
    must_close(run);
    samples = read_file("run/samples.csv");
    assert_non_null(strstr(samples, "\n3.3,ds-roulette,4,2,1,0,0,1.25,\n")); /* of the second process */
    free(samples);
}

static const char *text_at(const json_t *document, const char *object, const char *key)
{
    return json_string_value(json_object_get(object ? json_object_get(document, object) : document, key));
}

static void meta_says_what_ran_on_what(void **state)
{
    (void)state;
    ab_run *run = must_open(false);
    json_t *meta = read_json("run/meta.json");
    assert_int_equal(json_integer_value(json_object_get(meta, "schema")), 5);
    assert_string_equal(text_at(meta, NULL, "run_id"), run_id_of(run));
    assert_string_equal(text_at(meta, NULL, "program"), "table_3_3");
    assert_string_equal(text_at(meta, "options", "profile"), "quick");
    assert_string_equal(text_at(meta, "machine", "name"), "NVIDIA H100 80GB HBM3");
    const json_t *gpu = json_array_get(json_object_get(meta, "devices"), 0);
    assert_string_equal(text_at(gpu, NULL, "uuid"), "GPU-1");
    assert_string_equal(text_at(meta, "build", "commit"), ab_build()->commit);
    assert_int_equal(strlen(text_at(meta, "build", "executable_sha256")), 64);
    assert_int_equal(json_array_size(json_object_get(meta, "command_line")), 3);
    assert_int_equal(strlen(text_at(meta, "machine", "fingerprint")), 64); /* by the GPU's UUID at least */
    const json_t *input = json_array_get(json_object_get(meta, "inputs"), 0);
    assert_string_equal(text_at(input, NULL, "name"), "d198");
    assert_int_equal(strlen(text_at(input, NULL, "sha256")), 64);
    assert_string_equal(text_at(input, NULL, "path"), "/data/my files/d198.tsp");
    assert_true(json_is_false(json_object_get(meta, "complete")));
    assert_true(json_is_null(json_object_get(meta, "ended_utc")));
    json_decref(meta);
    assert_int_equal(close_run(run, true, AB_EXIT_WRONG).code, AB_OK);
    meta = read_json("run/meta.json");
    assert_true(json_is_true(json_object_get(meta, "complete")));
    assert_int_equal(strlen(text_at(meta, NULL, "ended_utc")), strlen("2026-01-31T00:00:00Z"));
    assert_int_equal(json_integer_value(json_object_get(meta, "exit_code")), AB_EXIT_WRONG);
    json_decref(meta);
}

static void default_directory_is_named_for_machine_time_commit_and_driver(void **state)
{
    (void)state;
    char machine[96];
    ab_machine_slug("NVIDIA H100 80GB HBM3", machine);
    assert_string_equal(machine, "nvidia-h100-80gb-hbm3");
    ab_machine_slug("Intel(R) Core(TM) i7 CPU 950 @ 3.07GHz", machine);
    assert_string_equal(machine, "intel-core-i7-cpu-950-3-07ghz");
    ab_machine_slug("../(", machine);
    assert_string_equal(machine, "unknown");

    ab_options options = make_options(false);
    options.out = NULL;
    ab_run *run;
    assert_int_equal(setenv("ANTBENCH_ROOT", ".", 1), 0);
    assert_int_equal(open_with(&options, &input_a, NULL, &run).code, AB_OK);
    char expected[512], *directory = strdup(ab_run_directory(run));
    snprintf(expected, sizeof expected, "results/runs/%s", run_id_of(run));
    assert_string_equal(directory, expected);
    int year, day, second, length = 0;
    sscanf(directory, "results/runs/nvidia-h100-80gb-hbm3/%8dT%4d%2dZ-%n", &year, &day, &second, &length);
    assert_true(length > 0);
    snprintf(expected, sizeof expected, "%s-3.3", ab_build()->commit);
    assert_string_equal(directory + length, expected);
    append_rows(run, 1, 3);
    must_close(run);

    /* --resume without --out finds it again. */
    options.resume = true;
    assert_int_equal(open_with(&options, &input_a, NULL, &run).code, AB_OK);
    assert_string_equal(ab_run_directory(run), directory);
    int count;
    ab_run_rows(run, &count);
    assert_int_equal(count, 2);
    must_close(run);
    free(directory);
}

/* Twenty runs take less than a second, and where they do not the names differ all the same. */
static void runs_of_one_second_have_directories_of_their_own(void **state)
{
    (void)state;
    enum { N = 20 };
    ab_options options = make_options(false);
    ab_run *runs[N];
    options.out = NULL;
    assert_int_equal(setenv("ANTBENCH_ROOT", ".", 1), 0);
    for (int i = 0; i < N; i++) {
        const ab_status status = open_with(&options, &input_a, NULL, &runs[i]);
        if (status.code != AB_OK) fail_msg("run %d: %s", i, status.reason);
        char expected[512];
        snprintf(expected, sizeof expected, "results/runs/%s", run_id_of(runs[i]));
        assert_string_equal(ab_run_directory(runs[i]), expected);
        for (int k = 0; k < i; k++) assert_string_not_equal(ab_run_directory(runs[i]), ab_run_directory(runs[k]));
    }
    char *last = strdup(ab_run_directory(runs[N - 1]));
    for (int i = 0; i < N; i++) must_close(runs[i]);

    /* The newest is the one that began last, though "-9" sorts after "-20" as text. */
    options.resume = true;
    assert_int_equal(open_with(&options, &input_a, NULL, &runs[0]).code, AB_OK);
    assert_string_equal(ab_run_directory(runs[0]), last);
    must_close(runs[0]);
    free(last);
}

/* "[ab]" as a pattern matches the folder "a", whose run is another checkout's. */
static void the_root_is_no_pattern(void **state)
{
    (void)state;
    static const char *const roots[] = {"a", "[ab]", "?", "*"};
    ab_options options = make_options(false);
    ab_run *run;
    options.out = NULL;
    for (int i = 0; i < 4; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "%s/results/runs/", roots[i]);
        assert_int_equal(setenv("ANTBENCH_ROOT", roots[i], 1), 0);
        options.resume = i > 0; /* there is nothing to resume yet, so a new run begins */
        assert_int_equal(open_with(&options, &input_a, NULL, &run).code, AB_OK);
        assert_ptr_equal(strstr(ab_run_directory(run), expected), ab_run_directory(run));
        char *begun = strdup(ab_run_directory(run));
        must_close(run);

        options.resume = true;
        assert_int_equal(open_with(&options, &input_a, NULL, &run).code, AB_OK);
        assert_string_equal(ab_run_directory(run), begun);
        must_close(run);
        free(begun);
    }
}

/* ---- Surviving ---- */

static void assert_same_row(const ab_row *row, const ab_row *expected)
{
    assert_true(ab_row_same_key(row, expected));
    assert_int_equal(row->size, expected->size);
    assert_int_equal(row->seed, expected->seed);
    assert_int_equal(row->status, expected->status);
    assert_int_equal(row->ms.samples, expected->ms.samples);
    assert_int_equal(row->discarded, expected->discarded);
    assert_true(row->ms.median == expected->ms.median && row->ms.q1 == expected->ms.q1);
    assert_true(isnan(row->ms.ci95_lo) && isnan(row->quality_reference) && isnan(row->published_ms));
    assert_true(fabs(row->ms.stddev - expected->ms.stddev) < 1e-12);
    assert_true(row->quality_mean == expected->quality_mean);
    assert_string_equal(row->note, "a note with \"quotes\", commas and a line break ");
}

static void killed_run_keeps_every_finished_row(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        ab_run *run;
        if (open_run(false, &run).code != AB_OK) _exit(1);
        append_rows(run, 1, 4);
        kill(getpid(), SIGKILL);
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);

    ab_run *run = must_open(true);
    int count;
    const ab_row *rows = ab_run_rows(run, &count);
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++) {
        const ab_row expected = make_row(i + 1);
        assert_same_row(&rows[i], &expected);
    }
    const ab_row present = make_row(3), absent = make_row(4);
    assert_ptr_equal(ab_run_find(run, &present), &rows[2]);
    assert_null(ab_run_find(run, &absent));
    append_rows(run, 4, 5);
    must_close(run);
    assert_int_equal(count_lines("run/table-3.3.csv"), 1 + 4);
    assert_int_equal(count_lines("run/samples.csv"), 1 + 4 * 3);
    json_t *meta = read_json("run/meta.json");
    assert_int_equal(json_array_size(json_object_get(meta, "resumed_utc")), 1);
    assert_true(json_is_true(json_object_get(meta, "complete")));
    json_decref(meta);
}

/* Which process took a sample differs where the run was resumed: all are made the first one's. */
static void forget_processes(char *samples)
{
    for (char *line = strchr(samples, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        char *cell = line;
        for (int i = 0; i < 3; i++) cell = strchr(cell + 1, ',');
        cell[1] = '1';
    }
}

/* Leaves the files as a kill would that came after `samples_size` and `table_size` bytes, resumes and finishes. */
static void resume_after_cut(const char *samples, size_t samples_size, const char *table, size_t table_size)
{
    write_file("run/samples.csv", samples, samples_size, "w");
    write_file("run/table-3.3.csv", table, table_size, "w");
    ab_run *run = must_open(true);
    for (int i = 1; i < 3; i++) {
        const ab_row row = make_row(i);
        if (!ab_run_find(run, &row)) append_rows(run, i, i + 1);
    }
    must_close(run);
    char *new_samples = read_file("run/samples.csv"), *new_table = read_file("run/table-3.3.csv");
    forget_processes(new_samples);
    assert_string_equal(new_samples, samples);
    assert_string_equal(new_table, table);
    free(new_samples);
    free(new_table);
}

static void resuming_after_a_cut_anywhere_gives_the_unbroken_run(void **state)
{
    (void)state;
    ab_run *run = must_open(false);
    append_rows(run, 1, 2);
    char *samples_before = read_file("run/samples.csv"), *table_before = read_file("run/table-3.3.csv");
    append_rows(run, 2, 3);
    must_close(run);
    char *samples = read_file("run/samples.csv"), *table = read_file("run/table-3.3.csv");
    const size_t samples_from = strlen(samples_before), table_from = strlen(table_before);
    /* The samples of row 2 are written first, then its line; before that, the headers. */
    for (size_t size = samples_from; size <= strlen(samples); size += 5)
        resume_after_cut(samples, size, table, table_from);
    for (size_t size = table_from; size < strlen(table); size += 5)
        resume_after_cut(samples, strlen(samples), table, size);
    resume_after_cut(samples, strlen(samples), table, strlen(table) - 1);
    resume_after_cut(samples, strlen(samples), table, strlen(table));
    for (size_t size = 0; size < sizeof table_header; size += 50) resume_after_cut(samples, 0, table, size);
    free(samples_before);
    free(table_before);
    free(samples);
    free(table);
}

/* Two stages and their whole, in the order in which a driver appends them. */
static ab_row make_part(int i)
{
    ab_row row = make_row(7);
    if (i == 2) return row;
    strcpy(row.scope, "stage");
    snprintf(row.params, sizeof row.params, "stage=%d", i);
    return row;
}

static void append_parts(ab_run *run, int to)
{
    for (int i = 0; i < to; i++) {
        const ab_row row = make_part(i);
        if (!ab_run_find(run, &row)) assert_int_equal(ab_run_append(run, &row, three_samples, 3).code, AB_OK);
    }
}

static void stages_and_their_whole_are_one_unit(void **state)
{
    (void)state;
    for (int reached = 0; reached <= 3; reached++) {
        ab_options options = make_options(false);
        char out[32];
        ab_run *run;
        snprintf(out, sizeof out, "unit-%d", reached);
        options.out = out;
        assert_int_equal(open_with(&options, &input_a, NULL, &run).code, AB_OK);
        append_rows(run, 1, 2);
        append_parts(run, reached);
        assert_int_equal(close_run(run, false, 0).code, AB_OK); /* as if it had been killed here */
        options.resume = true;
        assert_int_equal(open_with(&options, &input_a, NULL, &run).code, AB_OK);
        int count;
        ab_run_rows(run, &count);
        assert_int_equal(count, reached == 3 ? 4 : 1); /* no stage without what it is a stage of */
        append_parts(run, 3);
        ab_run_rows(run, &count);
        assert_int_equal(count, 4);
        must_close(run);
    }
}

/* As if the disk were full once a file has `size` bytes. */
static void limit_files(rlim_t size)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Permissions of a file that was just written, under this umask. */
static mode_t mode_under(mode_t mask)
{
    struct stat file;
    const mode_t before = umask(mask);
    assert_int_equal(ab_replace_file("masked", "text").code, AB_OK);
    umask(before);
    assert_int_equal(stat("masked", &file), 0);
    assert_int_equal(remove("masked"), 0);
    return file.st_mode & 0777;
}

static void replaces_files_as_a_whole(void **state)
{
    (void)state;
    FILE *victim = fopen("victim", "w");
    assert_true(victim && fputs("precious", victim) >= 0 && fclose(victim) == 0);
    assert_int_equal(symlink("victim", "x.new"), 0); /* a name that a new file had once */
    assert_int_equal(symlink("victim", "x"), 0);
    assert_int_equal(ab_replace_file("x", "mine").code, AB_OK);
    char *kept = read_file("victim"), *text = read_file("x");
    struct stat file;
    assert_string_equal(kept, "precious");
    assert_string_equal(text, "mine");
    assert_true(lstat("x", &file) == 0 && S_ISREG(file.st_mode));
    free(kept);
    free(text);
    assert_int_equal(mode_under(022), 0644);
    assert_int_equal(mode_under(077), 0600);
    assert_refused(ab_replace_file("nowhere/x", "mine"), AB_FAILED, "nowhere/x: No such file or directory");
}

enum { WRITERS = 4, TEXTS = 40, LONGEST = 20000 };

/* Many texts of one letter each, of many lengths. */
static void write_again_and_again(char letter)
{
    char text[LONGEST + 1];
    for (int i = 0; i < TEXTS; i++) {
        const size_t length = (size_t)(LONGEST - (i * 97 + letter * 1009) % (LONGEST / 2));
        memset(text, letter, length);
        text[length] = '\0';
        if (ab_replace_file("shared", text).code != AB_OK) _exit(1);
    }
    _exit(0);
}

/* A reader of a file that several processes write sees one writer's letters alone, at any time. */
static void writers_at_once_tear_no_file(void **state)
{
    (void)state;
    assert_int_equal(ab_replace_file("shared", "a").code, AB_OK);
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0) write_again_and_again((char)('a' + i));
    int ended = 0, exit_status;
    for (pid_t child = 0; ended<WRITERS; ended += child> 0) {
        char *text = read_file("shared");
        assert_true(text[0] != '\0' && strspn(text, (const char[]){text[0], '\0'}) == strlen(text));
        free(text);
        child = waitpid(-1, &exit_status, WNOHANG);
        if (child > 0) assert_true(WIFEXITED(exit_status) && WEXITSTATUS(exit_status) == 0);
    }
    assert_int_equal(system("test \"$(ls)\" = shared"), 0); /* nothing else is left */
}

static void full_disk_loses_nothing(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    ab_run *run = must_open(false);
    append_rows(run, 1, 2);
    char *samples = read_file("run/samples.csv"), *table = read_file("run/table-3.3.csv");
    const ab_row row = make_row(2);

    limit_files(strlen(samples) + 50);
    const ab_status no_room_for_samples = ab_run_append(run, &row, three_samples, 3);
    limit_files(strlen(table) + 100);
    const ab_status no_room_for_row = ab_run_append(run, &row, three_samples, 1);
    limit_files(0);
    const ab_status no_room_for_new_file = close_run(run, false, AB_EXIT_ERROR);
    limit_files(RLIM_INFINITY);

    assert_refused(no_room_for_samples, AB_FAILED, "run/samples.csv: File too large");
    assert_refused(no_room_for_row, AB_FAILED, "run/table-3.3.csv: File too large");
    assert_refused(no_room_for_new_file, AB_FAILED, "run/meta.json: File too large");
    char *samples_after = read_file("run/samples.csv"), *table_after = read_file("run/table-3.3.csv");
    assert_string_equal(samples_after, samples);
    assert_string_equal(table_after, table);
    free(samples_after);
    free(table_after);
    free(samples);
    free(table);

    run = must_open(true);
    append_rows(run, 2, 3);
    must_close(run);
    assert_int_equal(count_lines("run/table-3.3.csv"), 3);
}

/* ---- Refusing ---- */

static void unwritable_directory_is_one_clear_line(void **state)
{
    (void)state;
    ab_run *run;
    write_file("file", "", 0, "w");
    ab_options options = make_options(false);
    options.out = "file/run";
    assert_refused(open_with(&options, &input_a, NULL, &run), AB_FAILED, "file/run: Not a directory");
    options.out = "file";
    assert_refused(open_with(&options, &input_a, NULL, &run), AB_FAILED, "file: a file is there, no folder");
    options.out = "/dev/null/run";
    assert_refused(open_with(&options, &input_a, NULL, &run), AB_FAILED, "/dev/null/run: Not a directory");
    options.out = "/proc/antbench";
    assert_refused(open_with(&options, &input_a, NULL, &run), AB_FAILED, "/proc/antbench: ");
    assert_null(run);
}

/* From before meta.json is looked for: two that found none would both write one. */
static void a_directory_is_one_process_s(void **state)
{
    (void)state;
    int lock, other;
    ab_run *run;
    assert_int_equal(mkdir("run", 0777), 0);
    assert_int_equal(ab_lock_directory("run", &lock).code, AB_OK);
    assert_refused(ab_lock_directory("run", &other), AB_BAD_INPUT, "run: another process is writing this run");
    assert_refused(open_run(false, &run), AB_BAD_INPUT, "run: another process is writing this run");
    assert_int_equal(access("run/meta.json", F_OK), -1);
    close(lock);
    must_close(must_open(false));
}

static void directory_with_results_is_not_overwritten(void **state)
{
    (void)state;
    ab_run *run = must_open(false), *other;
    append_rows(run, 1, 2);
    assert_refused(open_run(true, &other), AB_BAD_INPUT, "run: another process is writing this run");
    must_close(run);
    assert_refused(open_run(false, &other), AB_BAD_INPUT, "run: already holds a run; continue it with --resume");
    assert_int_equal(remove("run/meta.json"), 0);
    assert_refused(open_run(true, &other), AB_BAD_INPUT, "but no meta.json");
    assert_int_equal(count_lines("run/table-3.3.csv"), 2);
}

/* Replaces `old` in run/meta.json, which must stand there. */
static void edit_meta(const char *key, const char *value)
{
    json_t *meta = read_json("run/meta.json"), *build = json_object_get(meta, "build");
    assert_non_null(json_object_get(build, key));
    json_object_set_new(build, key, json_string(value));
    assert_int_equal(json_dump_file(meta, "run/meta.json", JSON_INDENT(2)), 0);
    json_decref(meta);
}

static void another_binary_device_or_parameter_is_not_resumed(void **state)
{
    (void)state;
    static const char device[] = "{\"name\": \"NVIDIA H100 80GB HBM3\", \"uuid\": \"GPU-1\"}";
    char *names[] = {"d198", NULL};
    ab_run *run = must_open(false);
    append_rows(run, 1, 2);
    must_close(run);
    ab_options options = make_options(true);
    options.seed = 2;
    assert_refused(open_with(&options, &input_a, device, &run), AB_BAD_INPUT, "options.seed was 1 and is now 2");
    options = make_options(true);
    options.profile = AB_THESIS;
    assert_refused(open_with(&options, &input_a, device, &run), AB_BAD_INPUT,
                   "profile was \"quick\" and is now \"thesis\"");
    options = make_options(true);
    options.time_budget_s = INFINITY;
    assert_refused(open_with(&options, &input_a, device, &run), AB_BAD_INPUT,
                   "time_budget_s was null and is now \"none\"");
    options = make_options(true);
    options.instances = names;
    assert_refused(open_with(&options, &input_a, device, &run), AB_BAD_INPUT,
                   "instances was null and is now [\"d198\"]");
    options = make_options(true);
    assert_refused(open_with(&options, &input_b, device, &run), AB_BAD_INPUT, "inputs was {\"d198\":\"aaaa");
    assert_refused(open_with(&options, &input_a, NULL, &run), AB_BAD_INPUT, "the number of GPUs was 1 and is now 0");
    assert_refused(open_with(&options, &input_a, "{\"name\": \"NVIDIA H100 80GB HBM3\", \"uuid\": \"GPU-2\"}", &run),
                   AB_BAD_INPUT, "device.uuid was \"GPU-1\" and is now \"GPU-2\"");
    options.program = "table_4_2";
    assert_refused(open_with(&options, &input_a, device, &run), AB_BAD_INPUT, "program was \"table_3_3\"");
    edit_meta("executable_sha256", "0123");
    assert_refused(open_run(true, &run), AB_BAD_INPUT, "build.executable_sha256 was \"0123\"");
    edit_meta("commit", "abcdef0");
    assert_refused(open_run(true, &run), AB_BAD_INPUT, "build.commit was \"abcdef0\"");
    write_file("run/meta.json", "{\n", 2, "w");
    assert_refused(open_run(true, &run), AB_BAD_INPUT, "run/meta.json:2: ");
    assert_int_equal(count_lines("run/table-3.3.csv"), 2);
}

static void a_meta_json_without_its_list_is_not_resumed(void **state)
{
    (void)state;
    ab_run *run = must_open(false);
    append_rows(run, 1, 2);
    must_close(run);
    json_t *meta = read_json("run/meta.json");
    json_object_set_new(meta, "resumed_utc", json_integer(7));
    assert_int_equal(json_dump_file(meta, "run/meta.json", JSON_INDENT(2)), 0);
    json_decref(meta);
    assert_refused(open_run(true, &run), AB_BAD_INPUT, "meta.json: the list \"resumed_utc\" is missing");
    assert_int_equal(count_lines("run/table-3.3.csv"), 2);
}

typedef struct damage {
    const char *from, *to; /* text of the file, and what takes its place */
    const char *message;   /* of the refusal to resume */
} damage;

static void assert_damages_are_reported(const char *path, const damage *damages, size_t n_damages)
{
    ab_run *run = must_open(false);
    append_rows(run, 1, 3);
    must_close(run);
    char *text = read_file(path);
    for (size_t i = 0; i < n_damages; i++) {
        const char *at = strstr(text, damages[i].from);
        assert_non_null(at);
        write_file(path, text, (size_t)(at - text), "w");
        write_file(path, damages[i].to, strlen(damages[i].to), "a");
        at += strlen(damages[i].from);
        write_file(path, at, strlen(at), "a");
        assert_refused(open_run(true, &run), AB_BAD_INPUT, damages[i].message);
    }
    free(text);
}

static void damaged_table_is_reported_with_its_line(void **state)
{
    (void)state;
    static const damage damages[] = {
        {"1.375", "1.3x5", "run/table-3.3.csv:2: column 20: expected a number, got \"1.3x5\""},
        {",ok,", ",no,", "run/table-3.3.csv:2: unknown status \"no\""},
        {"5,nvidia", "1,nvidia", "run/table-3.3.csv:2: schema: expected 5, got \"1\""},
        {"5,nvidia", "5,Nvidia", "run/table-3.3.csv:2: run_id: expected nvidia"},
        {"count,2,", "count,2.5,", "run/table-3.3.csv:2: samples: expected a count"},
        {"median_ms", "median_us", "run/table-3.3.csv:1: this is not the header"},
        {",iteration,", ",iteration", "run/table-3.3.csv:2: expected 51 cells, got 50"},
        {"a note", "a\"note", "run/table-3.3.csv:2: "},
        {"break \"\n", "break \"\n\n", "run/table-3.3.csv:4: expected a row on every line"}};
    assert_damages_are_reported("run/table-3.3.csv", damages, sizeof damages / sizeof *damages);
}

static void damaged_samples_are_reported_with_their_line(void **state)
{
    (void)state;
    static const damage damages[] = {
        {"turn,i", "turn,j",
         "run/samples.csv:1: expected the header table,row,line,process,turn,i,number,ms,discard_reason"},
        {",2,1,1,1,1,1.5", ",2,1,1,1,1.5", "run/samples.csv:3: expected 9 cells, got 8"},
        {",2,1,1,1,", ",2.5,1,1,1,", "run/samples.csv:3: line: expected a count, got \"2.5\""},
        {",2,1,1,0,", ",1,1,1,0,",
         "run/samples.csv:2: expected a sample of line 2 of the table or a later one, not of line 1"},
        {",3,1,1,1,", ",2,1,1,1,", "run/samples.csv:6: expected a sample of line 3"},
        {",2,1,1,1,", ",9,1,1,1,", "run/samples.csv:4: expected a sample of line 9"},
        {"3.3,ds-roulette,3,1,1,1", "3.3,i-roulette,3,1,1,1",
         "run/samples.csv:6: a sample of 3.3 i-roulette, but line 3 of the table is a row of 3.3 ds-roulette"}};
    assert_damages_are_reported("run/samples.csv", damages, sizeof damages / sizeof *damages);
}

/* ---- The order of rows ---- */

/* Rows of the instances 3, 1, 2, measured in turns 1, 2, 3, and a stage of each. */
static ab_run *measure_out_of_order(void)
{
    static const int instances[] = {3, 1, 2};
    ab_run *run = must_open(false);
    for (int turn = 1; turn <= 3; turn++) {
        ab_row stage = make_row(instances[turn - 1]);
        strcpy(stage.scope, AB_SCOPE_STAGE);
        ab_run_begin_turn(run, turn);
        assert_int_equal(ab_run_append(run, &stage, three_samples, 3).code, AB_OK);
        append_rows(run, instances[turn - 1], instances[turn - 1] + 1);
    }
    return run;
}

static const int places_of_instances[] = {3, 3, 1, 1, 2, 2};

static void expect_sorted(const ab_row *rows, int count)
{
    assert_int_equal(count, 6);
    for (int i = 0; i < count; i++) {
        char instance[16];
        snprintf(instance, sizeof instance, "u%d", i / 2 + 1);
        assert_string_equal(rows[i].instance, instance);
        assert_string_equal(rows[i].scope, i % 2 ? "iteration" : AB_SCOPE_STAGE);
    }
}

static void a_finished_run_is_sorted_with_its_samples(void **state)
{
    (void)state;
    int count;
    ab_run *run = measure_out_of_order();
    assert_int_equal(ab_run_sort(run, places_of_instances).code, AB_OK);
    expect_sorted(ab_run_rows(run, &count), 6);
    char *once = read_file("run/samples.csv");
    assert_int_equal(ab_run_sort(run, (const int[]){1, 1, 2, 2, 3, 3}).code, AB_OK); /* nothing to do */
    must_close(run);
    char *samples = read_file("run/samples.csv"), *table = read_file("run/table-3.3.csv");
    assert_string_equal(samples, once);
    assert_non_null(strstr(samples, "discard_reason\n3.3,ds-roulette,2,1,2,0,0,1.25,\n")); /* u1 was second */
    assert_non_null(strstr(samples, "\n3.3,ds-roulette,4,1,3,0,0,1.25,\n"));               /* u2 third */
    assert_non_null(strstr(samples, "\n3.3,ds-roulette,7,1,1,2,2,1234.568,throttled\n"));  /* u3 first */
    assert_int_equal(strncmp(table, table_header, strlen(table_header)), 0);
    assert_true(access("run/samples.csv.sorted", F_OK) != 0 && access("run/table-3.3.csv.sorted", F_OK) != 0);
    free(once);
    free(samples);
    free(table);
    run = must_open(true);
    expect_sorted(ab_run_rows(run, &count), 6);
    append_rows(run, 9, 10);
    must_close(run);
}

/* As a kill leaves it: sorted files beside the others, or one that has taken its place already. */
static void a_kill_while_sorting_leaves_a_run_that_goes_on(void **state)
{
    (void)state;
    for (int renamed = 0; renamed < 2; renamed++) {
        int count;
        ab_run *run = measure_out_of_order();
        char *table = read_file("run/table-3.3.csv"), *samples = read_file("run/samples.csv");
        assert_int_equal(ab_run_sort(run, places_of_instances).code, AB_OK);
        must_close(run);
        char *sorted_table = read_file("run/table-3.3.csv"), *sorted_samples = read_file("run/samples.csv");
        write_file("run/table-3.3.csv", table, strlen(table), "w");
        write_file("run/table-3.3.csv.sorted", sorted_table, strlen(sorted_table) / (renamed ? 1 : 2), "w");
        write_file(renamed ? "run/samples.csv" : "run/samples.csv.sorted", sorted_samples, strlen(sorted_samples), "w");
        if (!renamed) write_file("run/samples.csv", samples, strlen(samples), "w");
        run = must_open(true);
        const ab_row *rows = ab_run_rows(run, &count);
        if (renamed) expect_sorted(rows, count);
        assert_string_equal(rows[0].instance, renamed ? "u1" : "u3");
        assert_int_equal(count, 6);
        assert_int_equal(ab_run_sort(run, renamed ? (const int[]){1, 1, 2, 2, 3, 3} : places_of_instances).code, AB_OK);
        expect_sorted(ab_run_rows(run, &count), 6);
        must_close(run);
        assert_true(access("run/samples.csv.sorted", F_OK) != 0 && access("run/table-3.3.csv.sorted", F_OK) != 0);
        free(table);
        free(samples);
        free(sorted_table);
        free(sorted_samples);
        assert_int_equal(nftw("run", remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
    }
}

static void rows_stand_once_and_samples_are_times(void **state)
{
    (void)state;
    ab_run *run = must_open(false);
    append_rows(run, 1, 2);
    const ab_row again = make_row(1), next = make_row(2);
    assert_refused(ab_run_append(run, &again, three_samples, 3), AB_FAILED, "the run already has the row");
    const ab_sample broken[] = {{1, "", 0, 0, 0}, {NAN, "", 0, 1, 0}};
    assert_refused(ab_run_append(run, &next, broken, 2), AB_FAILED, "sample 1 took nan ms");
    const ab_sample none[] = {{0, "", 0, 0, 0}, {-1, "throttled", 0, 1, 0}};
    assert_refused(ab_run_append(run, &next, none, 2), AB_FAILED, "sample 0 took 0 ms");
    assert_int_equal(count_lines("run/samples.csv"), 1 + 3);
    must_close(run);
    ab_run_free(NULL);
}

#define TEST_IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, enter_directory, leave_directory)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_DIRECTORY(files_have_their_exact_form),
        TEST_IN_DIRECTORY(meta_says_what_ran_on_what),
        TEST_IN_DIRECTORY(default_directory_is_named_for_machine_time_commit_and_driver),
        TEST_IN_DIRECTORY(runs_of_one_second_have_directories_of_their_own),
        TEST_IN_DIRECTORY(the_root_is_no_pattern),
        TEST_IN_DIRECTORY(killed_run_keeps_every_finished_row),
        TEST_IN_DIRECTORY(resuming_after_a_cut_anywhere_gives_the_unbroken_run),
        TEST_IN_DIRECTORY(stages_and_their_whole_are_one_unit),
        TEST_IN_DIRECTORY(replaces_files_as_a_whole),
        TEST_IN_DIRECTORY(writers_at_once_tear_no_file),
        TEST_IN_DIRECTORY(full_disk_loses_nothing),
        TEST_IN_DIRECTORY(unwritable_directory_is_one_clear_line),
        TEST_IN_DIRECTORY(a_directory_is_one_process_s),
        TEST_IN_DIRECTORY(directory_with_results_is_not_overwritten),
        TEST_IN_DIRECTORY(another_binary_device_or_parameter_is_not_resumed),
        TEST_IN_DIRECTORY(a_meta_json_without_its_list_is_not_resumed),
        TEST_IN_DIRECTORY(damaged_table_is_reported_with_its_line),
        TEST_IN_DIRECTORY(damaged_samples_are_reported_with_their_line),
        TEST_IN_DIRECTORY(a_finished_run_is_sorted_with_its_samples),
        TEST_IN_DIRECTORY(a_kill_while_sorting_leaves_a_run_that_goes_on),
        TEST_IN_DIRECTORY(rows_stand_once_and_samples_are_times),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
