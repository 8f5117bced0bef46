/* The command line: what is accepted, and that every mistake is one line that says what to do, and exit code 2. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/names.h"
#include "instances/tsplib.h"
#include "bench/plan/options.h"
#include "bench/record/build_info.h"

static const char *const operations[] = {"tsp", NULL};

/* Files need not be there to be named. */
static ab_status check_instance(const char *name)
{
    return strchr(name, '/') || strstr(name, ".tsp") ? ab_ok() : tsp_check_name(name);
}

static const ab_program program = {.name = "table_3_3",
                                   .shown = "antbench 3.3",
                                   .summary = "Tables 3.2, 3.3 and 3.4",
                                   .operations = operations,
                                   .check_instance = check_instance,
                                   .instances_help = "catalogue names or files",
                                   .print_version = ab_print_version};

/* ---- Parsing with the output caught ---- */

typedef struct parsed {
    ab_options options;
    char arguments[32][128]; /* argv, which getopt may reorder and options point into */
    char *argv[33];
    char output[8192], errors[1024]; /* what went to stdout and stderr */
} parsed;

/* Sends a stream to a temporary file; restored, what it got is read into text[size]. */
typedef struct capture {
    FILE *stream, *file;
    int saved; /* the stream's own descriptor */
} capture;

static capture capture_start(FILE *stream)
{
    fflush(stream);
    const capture c = {stream, tmpfile(), dup(fileno(stream))};
    assert_non_null(c.file);
    dup2(fileno(c.file), fileno(stream));
    return c;
}

static void capture_end(capture c, char *text, size_t size)
{
    fflush(c.stream);
    dup2(c.saved, fileno(c.stream));
    close(c.saved);
    rewind(c.file);
    text[fread(text, 1, size - 1, c.file)] = '\0';
    fclose(c.file);
}

/* Parses a command line given as words separated by blanks; "''" stands for an empty word. */
static void parse(parsed *p, const char *line)
{
    int argc = 1;
    memset(p, 0, sizeof *p);
    strcpy(p->arguments[0], "table_3_3");
    for (int length; sscanf(line, " %127s%n", p->arguments[argc], &length) == 1; line += length, argc++)
        if (strcmp(p->arguments[argc], "''") == 0) p->arguments[argc][0] = '\0';
    for (int i = 0; i < argc; i++) p->argv[i] = p->arguments[i];
    const capture out = capture_start(stdout), err = capture_start(stderr);
    ab_parse_options(&program, argc, p->argv, &p->options);
    capture_end(err, p->errors, sizeof p->errors);
    capture_end(out, p->output, sizeof p->output);
}

static ab_options *parse_well(parsed *p, const char *line)
{
    parse(p, line);
    if (p->options.action == AB_ACTION_EXIT) fail_msg("%s: %s", line, p->errors);
    assert_string_equal(p->errors, "");
    return &p->options;
}

static void expect_error(const char *line, const char *message)
{
    parsed p;
    char expected[1024];
    parse(&p, line);
    snprintf(expected, sizeof expected, "antbench 3.3: %s\n", message);
    assert_string_equal(p.errors, expected);
    assert_string_equal(p.output, "");
    assert_int_equal(p.options.action, AB_ACTION_EXIT);
    assert_int_equal(p.options.exit_code, AB_EXIT_USAGE);
    ab_options_free(&p.options);
}

/* ---- Tests ---- */

/* Runs of profile thesis are to be stored. */
static void energy_is_measured_by_default_in_profile_thesis(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        double seconds;
    } cases[] = {{"--profile thesis", 0.3},
                 {"--profile thesis --energy 0", 0.0},
                 {"--profile thesis --energy 2", 2.0},
                 {"--profile quick", 0.0},
                 {"--profile smoke", 0.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed p;
        assert_true(parse_well(&p, cases[i].line)->energy_s == cases[i].seconds);
        ab_options_free(&p.options);
    }
}

static void defaults(void **state)
{
    (void)state;
    parsed p;
    const ab_options *options = parse_well(&p, "");
    assert_int_equal(options->action, AB_ACTION_RUN);
    assert_int_equal(options->profile, AB_QUICK);
    assert_int_equal(options->backend, AB_BACKEND_AUTO);
    assert_int_equal(options->seed, 1);
    assert_true(options->runs == 0 && options->iterations == 0 && options->time_budget_s == 0 && options->device == 0);
    assert_true(!options->instances && !options->implementations && !options->out);
    assert_true(!options->resume && !options->quiet);
    assert_string_equal(options->program, "table_3_3");
    ab_options_free(&p.options);
}

static void every_option_is_read(void **state)
{
    (void)state;
    parsed p;
    const ab_options *options = parse_well(
        &p,
        "--dry-run --instances d198,u500,c1002,my.tsp,dir/x --implementations tsp/ds-roulette,tsp/acotsp-seq --backend "
        "host --device 3 --profile thesis --runs 10 --iterations=100 --time-budget 2.5 --out results/mine --resume "
        "--quiet");
    assert_int_equal(options->action, AB_ACTION_DRY_RUN);
    const char *const instances[] = {"d198", "u500", "c1002", "my.tsp", "dir/x"};
    for (int i = 0; i < 5; i++) assert_string_equal(options->instances[i], instances[i]);
    assert_null(options->instances[5]);
    assert_string_equal(options->implementations[1], "tsp/acotsp-seq");
    assert_null(options->implementations[2]);
    assert_int_equal(options->backend, AB_BACKEND_HOST);
    assert_int_equal(options->device, 3);
    assert_int_equal(options->profile, AB_THESIS);
    assert_int_equal(options->runs, 10);
    assert_int_equal(options->iterations, 100);
    assert_true(options->time_budget_s == 2.5);
    assert_string_equal(options->out, "results/mine");
    assert_true(options->resume && options->quiet);
    ab_options_free(&p.options);

    options = parse_well(
        &p, "--until-precise 0.5% --lock-clocks base --energy 1.5 --rows 3.3/race/d198,3.4/*-1/d198?protocol=as");
    assert_true(options->until_precise == 0.005 && options->lock_clocks == AB_BASE_CLOCK && options->energy_s == 1.5);
    assert_string_equal(options->rows[1], "3.4/*-1/d198?protocol=as");
    assert_string_equal(options->instances[0], "d198"); /* named by all of them */
    assert_true(!options->rows[2] && !options->instances[1]);
    ab_options_free(&p.options);
    options = parse_well(&p, "--until-precise 2 --lock-clocks 1410 --energy 0 --rows 3.3/race/d198,?protocol=as");
    assert_true(options->until_precise == 0.02 && options->lock_clocks == 1410 && options->energy_s == 0.0);
    assert_null(options->instances);
    ab_options_free(&p.options);

    options = parse_well(
        &p, "--seed 9223372036854775807 --time-budget 0 --list --out a --out b --instances d198 --instances a280");
    assert_true(options->seed == INT64_MAX && isinf(options->time_budget_s));
    assert_int_equal(options->action, AB_ACTION_LIST);
    assert_string_equal(options->out, "b");
    assert_string_equal(options->instances[0], "a280");
    ab_options_free(&p.options);
}

static void wrong_numbers(void **state)
{
    (void)state;
    expect_error("--runs x", "--runs: expected a whole number from 1 to 100000, got \"x\"");
    expect_error("--runs 0", "--runs: expected a whole number from 1 to 100000, got \"0\"");
    expect_error("--runs 10x", "--runs: expected a whole number from 1 to 100000, got \"10x\"");
    expect_error("--runs 1.5", "--runs: expected a whole number from 1 to 100000, got \"1.5\"");
    expect_error("--runs ''", "--runs: expected a whole number from 1 to 100000, got \"\"");
    expect_error("--runs +3", "--runs: expected a whole number from 1 to 100000, got \"+3\"");
    expect_error("--iterations 1000001", "--iterations: expected a whole number from 1 to 1000000, got \"1000001\"");
    expect_error("--device -1", "--device: expected a whole number from 0 to 1023, got \"-1\"");
    expect_error("--seed 99999999999999999999",
                 "--seed: expected a whole number from 0 to 9223372036854775807, got \"99999999999999999999\"");
    expect_error("--time-budget -1", "--time-budget: expected a number of seconds (0: no limit), got \"-1\"");
    expect_error("--time-budget 5min", "--time-budget: expected a number of seconds (0: no limit), got \"5min\"");
    expect_error("--time-budget 0x10", "--time-budget: expected a number of seconds (0: no limit), got \"0x10\"");
    expect_error("--until-precise 0x1%",
                 "--until-precise: expected a percentage between 0 and 100, such as 1%, got \"0x1%\"");
    expect_error("--until-precise 1%%",
                 "--until-precise: expected a percentage between 0 and 100, such as 1%, got \"1%%\"");
    expect_error("--time-budget nan", "--time-budget: expected a number of seconds (0: no limit), got \"nan\"");
    expect_error("--time-budget 1e999", "--time-budget: expected a number of seconds (0: no limit), got \"1e999\"");
}

static void wrong_names_get_the_nearest(void **state)
{
    (void)state;
    expect_error("--profile quikc",
                 "--profile: expected one of smoke, quick, thesis, got \"quikc\"; did you mean quick?");
    expect_error("--backend gpu", "--backend: expected one of auto, cuda, host, cpu, got \"gpu\"; did you mean cpu?");
    expect_error("--backend opencl", "--backend: expected one of auto, cuda, host, cpu, got \"opencl\"");
    expect_error("--instances d198,pr2932",
                 "--instances: instance \"pr2932\": not in the catalogue, and no such file here, in $TSPLIB_DIR or "
                 "instances/tsplib; did you mean \"pr2392\"?");
    expect_error("--instances zebra",
                 "--instances: instance \"zebra\": not in the catalogue, and no such file here, in $TSPLIB_DIR or "
                 "instances/tsplib");
    expect_error("--instances u198x",
                 "--instances: instance \"u198x\": not in the catalogue, and no such file here, in $TSPLIB_DIR or "
                 "instances/tsplib; did you mean \"d198\"?");
    expect_error("--implementations tsp/ds-roulete",
                 "--implementations: unknown implementation tsp/ds-roulete; did you mean tsp/ds-roulette?");
    expect_error("--implementations ds-roulette",
                 "--implementations: unknown implementation ds-roulette; did you mean tsp/ds-roulette?");
    expect_error("--implementations tsp/zebra*", "--implementations: unknown implementation tsp/zebra*");
    expect_error("--instances d198,,a280", "--instances: a name is empty");
    expect_error("--instances ''", "--instances: a name is empty");
    expect_error("--instances d198,a280,d198", "--instances: d198 is named twice");
    expect_error("--out ''", "--out: expected a directory, got \"\"");
    expect_error("--out a\033[1mb", "--out: \"a?[1mb\": a name must be UTF-8 without control characters");
    expect_error("--out a\377b", "--out: \"a\377b\": a name must be UTF-8 without control characters");
    expect_error("--implementations tsp/\033[1m",
                 "--implementations: unknown implementation tsp/?[1m"); /* a message is one clean line */
    expect_error("--set rho=0.1,", "--set: a value in \"rho=0.1,\" is empty");
    expect_error("--set rho=,0.1", "--set: a value in \"rho=,0.1\" is empty");
    expect_error("--set rho=0.1,,0.2", "--set: a value in \"rho=0.1,,0.2\" is empty");
}

static void wrong_options(void **state)
{
    (void)state;
    expect_error("--porfile quick", "unknown option --porfile; did you mean --profile?");
    expect_error("--quiet --iteratoins=5", "unknown option --iteratoins; did you mean --iterations?");
    expect_error("--frobnicate", "unknown option --frobnicate (--help lists all options)");
    expect_error("--run 5", "unknown option --run; did you mean --runs?"); /* a beginning of one is none */
    expect_error("--prof=quick", "unknown option --prof (--help lists all options)");
    expect_error("-x", "unknown option -x (--help lists all options)");
    expect_error("--runs", "--runs: expected N");
    expect_error("--resume=yes", "--resume takes no value");
    expect_error("--brief", "--brief: needs --verify, because rows with times are verified as well as can be");
    expect_error("--quiet d198", "unexpected argument \"d198\"");
}

static void help_names_every_option(void **state)
{
    (void)state;
    static const char *const names[] = {
        "--list",        "--dry-run", "--instances",  "--implementations", "--backend", "--device",
        "--profile",     "--runs",    "--iterations", "--time-budget",     "--seed",    "--out",
        "--resume",      "--quiet",   "--help",       "--version",         "--rows",    "--until-precise",
        "--lock-clocks", "--energy",  "--verify",     "--verified",        "--brief"};
    parsed p;
    parse(&p, "--help --nonsense");
    assert_int_equal(p.options.action, AB_ACTION_EXIT);
    assert_int_equal(p.options.exit_code, AB_EXIT_OK);
    assert_string_equal(p.errors, "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_non_null(strstr(p.output, names[i]));
    assert_non_null(strstr(p.output, program.summary));
    ab_options_free(&p.options);
    parse(&p, "--version");
    assert_int_equal(p.options.exit_code, AB_EXIT_OK);
    assert_ptr_equal(strstr(p.output, "antbench "), p.output);
    assert_non_null(strstr(p.output, " (commit "));
    ab_options_free(&p.options);
}

static void nearest_name_by_edits(void **state)
{
    (void)state;
    const char *const names[] = {"abcdef", "abcdfe", "zzz", NULL};
    assert_string_equal(ab_nearest_name("abcdef", names), "abcdef");
    /* A swap of neighbours is one edit: without that, both would be two away and the first would win. */
    assert_string_equal(ab_nearest_name("pr2932", (const char *const[]){"pr2900", "pr2392", NULL}), "pr2392");
    assert_string_equal(ab_nearest_name("zz", names), "zzz");
    assert_string_equal(ab_nearest_name("ds-roulete", (const char *const[]){"tsp/i-roulette", "tsp/ds-roulette", NULL}),
                        "tsp/ds-roulette");
    assert_null(ab_nearest_name("", names));
    assert_null(ab_nearest_name("qqqqqqqq", names));
    char longer[200];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_null(ab_nearest_name(longer, names));
}

static void one_candidate_after_another(void **state)
{
    (void)state;
    char hint[128];
    ab_search search = {.name = "rase"};
    assert_string_equal(ab_search_hint(&search, hint), "");
    ab_search_add(&search, "a name that is not near");
    ab_search_add(&search, NULL);
    assert_string_equal(ab_search_hint(&search, hint), "");
    ab_search_add(&search, "tsp/raze");
    ab_search_add(&search, "tsp/race"); /* no nearer than the first */
    assert_string_equal(ab_search_hint(&search, hint), "; did you mean tsp/raze?");
    ab_search_add(&search, "race-x");
    assert_string_equal(ab_search_hint(&search, hint), "; did you mean tsp/raze?");
    assert_false(search.found);
    ab_search_add(&search, "rase");
    assert_true(search.found);
}

static void filters_select_by_backend_and_id(void **state)
{
    (void)state;
    const ab_implementation cpu = {.id = "tsp/a", .backend = AB_CPU}, cuda = {.id = "tsp/b", .backend = AB_CUDA},
                            host = {.id = "tsp/b", .backend = AB_HOST};
    ab_options options = {.backend = AB_BACKEND_AUTO};
    assert_true(ab_selected(&options, &cpu, true) && ab_selected(&options, &cpu, false));
    assert_true(ab_selected(&options, &cuda, true) && !ab_selected(&options, &cuda, false));
    assert_true(!ab_selected(&options, &host, true) && ab_selected(&options, &host, false));
    options.backend = AB_BACKEND_HOST;
    assert_true(ab_selected(&options, &host, true) && !ab_selected(&options, &cuda, true));
    options.backend = AB_BACKEND_CUDA;
    assert_true(ab_selected(&options, &cuda, false) && !ab_selected(&options, &cpu, false));
    options.backend = AB_BACKEND_CPU;
    assert_true(ab_selected(&options, &cpu, true) && !ab_selected(&options, &host, false));
    char id[] = "tsp/b", *only[] = {id, NULL};
    options = (ab_options){.backend = AB_BACKEND_AUTO, .implementations = only};
    assert_true(ab_selected(&options, &cuda, true) && !ab_selected(&options, &cpu, true));
    char pattern[] = "*/a";
    only[0] = pattern;
    assert_true(!ab_selected(&options, &cuda, true) && ab_selected(&options, &cpu, true));
}

static void list_is_a_table(void **state)
{
    (void)state;
    char text[8192];
    const capture out = capture_start(stdout);
    ab_print_implementations(operations);
    capture_end(out, text, sizeof text);
    int lines = 0, tabs = 0;
    for (const char *c = text; *c; c++) {
        lines += *c == '\n';
        tabs += *c == '\t';
    }
    assert_ptr_equal(strstr(text, "id\tbackend\tfile\ttraits\tsource\tdescription\n"), text);
    assert_true(lines > 1);
    assert_int_equal(tabs, 5 * lines);
    assert_non_null(strstr(text, "\ntsp/ds-roulette\thost\t"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(energy_is_measured_by_default_in_profile_thesis),
        cmocka_unit_test(every_option_is_read),
        cmocka_unit_test(wrong_numbers),
        cmocka_unit_test(wrong_names_get_the_nearest),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(help_names_every_option),
        cmocka_unit_test(nearest_name_by_edits),
        cmocka_unit_test(one_candidate_after_another),
        cmocka_unit_test(filters_select_by_backend_and_id),
        cmocka_unit_test(list_is_a_table),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
