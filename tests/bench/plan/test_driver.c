/* What is said of a driver that has a slip, and what a driver may leave out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/plan/driver.h"
#include "bench/program/program.h"
#include "kernels/implementation.h"
#include "tests/support/directory.h"

/* A driver of one table and its stages, and room for what a test changes. */
typedef struct planted {
    ab_set sets[2];
    ab_line lines[3];
    ab_heading headings[3];
    ab_block blocks[2];
    ab_driver driver;
} planted;

static void make(planted *p)
{
    *p = (planted){
        .sets = {{"review-ants", "4 8"}},
        .lines = {{"acotsp-seq-{ants}", "tsp/acotsp-seq", "ants={review-ants};threads=1", "{ants} ants"},
                  {"ds-roulette", "tsp/ds-roulette", .published = "ds-roulette"}},
        .headings = {{"review", "a review", "thesis-3.3", "iteration"}, {"review-stages", "its stages", "thesis-3.4"}},
        .blocks = {{"review", "time", "protocol=as-best", {NULL, "u20", "{tsp-few}"}, .stages = "review-stages"}},
        .driver = {.name = "review",
                   .program = "table_review",
                   .summary = "A review.",
                   .machine = "none",
                   .inputs = {"u20 d198", "u20", "{tsp}"}},
    };
    for (int i = 0; i < AB_PROFILES; ++i) p->driver.efforts[i] = (ab_effort){.runs = 2, .iterations = 3};
    p->driver.sets = p->sets;
    p->driver.headings = p->headings;
    p->driver.blocks = p->blocks;
    p->blocks[0].lines = p->lines;
}

static ab_status check(const ab_driver *driver)
{
    AB_TRY(ab_driver_check(driver));
    AB_TRY(ab_driver_check_files(driver));
    return ab_driver_check_unlike(driver);
}

/* Changes one thing in a driver that is sound and compares what is said. */
#define SLIP(change, expected)                                                                                         \
    do {                                                                                                               \
        planted p;                                                                                                     \
        make(&p);                                                                                                      \
        change;                                                                                                        \
        const ab_status status = check(&p.driver);                                                                     \
        assert_string_equal(status.reason, "bench/tables/table_review.c: " expected);                                  \
        assert_int_equal(status.code, AB_BAD_INPUT);                                                                   \
    } while (0)

#define ROW "table review, row ds-roulette: "

static void a_driver_without_slips_is_sound(void **state)
{
    (void)state;
    planted p;
    make(&p);
    const ab_status status = check(&p.driver);
    assert_string_equal(status.reason, "");
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver) assert_string_equal(check(*driver).reason, "");
}

static void names_that_there_are_not(void **state)
{
    (void)state;
    SLIP(p.lines[1].implementation = "tps/race", ROW "there is no operation tps; did you mean tsp?");
    SLIP(p.lines[1].implementation = "tsp/rase", ROW "there is no implementation tsp/rase; did you mean tsp/race?");
    SLIP(p.lines[1].implementation = "ds-roulette",
         ROW "there is no implementation ds-roulette; did you mean tsp/ds-roulette?");
    SLIP(p.lines[1].implementation = "tps/+", ROW "there is no operation tps; did you mean tsp?");
    SLIP(p.blocks[0].measure = "tmie",
         "table review, row acotsp-seq-{ants}: there is no measure tmie; did you mean time?");
    SLIP(p.lines[1].params = "protocl=as", ROW "there is no parameter protocl; did you mean protocol?");
    SLIP(p.lines[1].params = "l3=cold", ROW "there is no parameter l3; did you mean l2?");
    SLIP(p.lines[1].params = "nn=32;ants={reviw-ants}", ROW "there is no set reviw-ants; did you mean review-ants?");
    SLIP(p.driver.inputs[AB_THESIS] = "{tsp-fwe}", "profile thesis: there is no set tsp-fwe; did you mean tsp-few?");
    SLIP(p.driver.optional = "{tsp-fwe}", "the driver: there is no set tsp-fwe; did you mean tsp-few?");
    SLIP(p.blocks[0].on[AB_QUICK] = "{tsp-fwe}", "table review: there is no set tsp-fwe; did you mean tsp-few?");
    SLIP(p.blocks[0].on[AB_QUICK] = "d189", "table review: there is no input here called d189; did you mean d198?");
    SLIP(p.blocks[0].on[AB_QUICK] = "{tsp-few} u20",
         "table review: a list is one set or names, not both as in \"{tsp-few} u20\"");
    SLIP(p.blocks[0].table = "reviw", "table reviw: there is no heading of table reviw; did you mean review?");
    SLIP(p.blocks[0].stages = "stages", "table review: there is no heading of table stages");
    SLIP(p.blocks[0].stages = NULL, "table review-stages: there is no block of table review-stages");
    SLIP(p.lines[1].row = "ds-roulette-{prtocol}",
         "table review, row ds-roulette-{prtocol}: there is no parameter of this row prtocol; did you mean protocol?");
    SLIP(p.lines[1].row = "ds-roulette-{ants",
         "table review, row ds-roulette-{ants: a closing brace is missing in \"{ants\"");
    SLIP(p.lines[1].label = "{protocl}", ROW "there is no parameter of this row protocl; did you mean protocol?");
    SLIP(p.driver.inputs[AB_SMOKE] = "u20 d189", "profile smoke: instance \"d189\": not in the catalogue, and no such "
                                                 "file here, in $TSPLIB_DIR or instances/tsplib; "
                                                 "did you mean \"d198\"?");
}

static void published_numbers_that_there_are_not(void **state)
{
    (void)state;
    SLIP(p.headings[0].metric = "iteratoin",
         "table review: there is no published metric in ms called iteratoin; did you mean iteration?");
    SLIP(p.headings[0].metric = "speedup-gpu", "table review: there is no published metric in ms called speedup-gpu");
    SLIP(p.headings[0].metric = NULL, "table review, row acotsp-seq-{ants}: the .metric of thesis-3.3 is missing");
    SLIP(p.headings[0].instance = "d189", "table review: there is no published instance d189; did you mean d198?");
    SLIP(p.lines[1].published = "ds-rulette", ROW "there is no published row ds-rulette; did you mean ds-roulette?");
    planted p;
    make(&p);
    p.headings[0].published = "thesis-3,3";
    const ab_status status = check(&p.driver);
    assert_int_equal(status.code, AB_FAILED);
    assert_ptr_equal(strstr(status.reason, "bench/tables/table_review.c: table review: "), status.reason);
    assert_non_null(strstr(status.reason, "results/published/thesis-3,3.csv: No such file"));
    assert_non_null(strstr(status.reason, "; did you mean thesis-3."));
}

static void values_that_say_nothing(void **state)
{
    (void)state;
    SLIP(p.lines[1].params = "protocol=best", ROW "protocol must be as, as-best or mmas, not \"best\"");
    SLIP(p.lines[1].params = "ants=4|x", ROW "ants must be a whole number from 1 to 2147483647, or n, not \"x\"");
    SLIP(p.lines[1].params = "ants", ROW "ants must be a whole number from 1 to 2147483647, or n, not \"\"");
    SLIP(p.lines[1].params = "l2=warm", ROW "l2 must be hot or cold, not \"warm\"");
    SLIP(p.sets[0].members = "4 x",
         "table review, row acotsp-seq-{ants}: ants must be a whole number from 1 to 2147483647, or n, not \"x\"");
    SLIP(p.lines[1].implementation = "canny/gpu",
         ROW "canny/gpu has another kind of input than the driver's first row; all rows must have the same");
    SLIP(p.blocks[0].with = p.blocks[0].without = AB_EXACT, "table review: .with and .without exclude each other");
    SLIP(p.blocks[0].part = -1, "table review: .part and .runs must be 0 or more");
    SLIP(p.driver.efforts[AB_QUICK].runs = 0, "profile quick: .runs and .iterations must be 1 or more, not 0 and 3");
    SLIP(p.driver.efforts[AB_QUICK].limit_s = NAN,
         "profile quick: .budget_s, .precise, .limit_s and .host_steps must be 0, for no limit, or more");
    SLIP(p.driver.inputs[AB_QUICK] = " ", "profile quick: the list \" \" is empty: name a set or inputs");
}

static void what_is_missing(void **state)
{
    (void)state;
    SLIP(p.driver.name = NULL, "the driver: .name is missing");
    SLIP(p.driver.headings = NULL, "the driver: .headings is missing");
    SLIP(p.driver.blocks = NULL, "the driver: a block in .blocks is missing");
    SLIP(p.driver.inputs[AB_QUICK] = NULL, "profile quick: .inputs is missing");
    SLIP(p.blocks[0].lines = NULL, "table review: a row in .lines is missing");
    SLIP(p.blocks[0].measure = NULL, "table review: .measure is missing");
    SLIP(p.lines[1].implementation = NULL, ROW ".implementation is missing");
    SLIP(p.headings[0].title = NULL, "table review: .title is missing");
    SLIP(p.sets[0].members = NULL, "the driver: the members of set review-ants are missing");
}

/* What a copy of another driver's file still has in common with it. */
static void what_another_driver_has_too(void **state)
{
    (void)state;
    SLIP(p.driver.name = "3.3", "the driver: bench/tables/thesis/table_3_3.c has the same name, 3.3");
    SLIP(p.headings[0].table = p.blocks[0].table = "4.2",
         "the driver review: bench/tables/thesis/table_4_2.c also has a table 4.2");
    SLIP(p.sets[0].name = "ants";
         p.lines[0].params = "ants={ants}", "the driver review: bench/tables/thesis/table_5_1.c also has a set ants");
}

/* Every name of the registry is one, whatever this build has no library or device for. */
static void what_a_build_lacks_is_no_slip(void **state)
{
    (void)state;
    static const char *const ids[] = {"canny/opencv", "canny/npp", "canny/gpu", "canny/+"};
    planted p;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; ++i) {
        make(&p);
        p.lines[0] = (ab_line){.row = "row", .implementation = ids[i]};
        p.lines[1] = (ab_line){.row = NULL};
        p.blocks[0].params = p.blocks[0].stages = NULL;
        p.headings[0] = (ab_heading){.table = "review", .title = "a review"};
        p.headings[1] = (ab_heading){.table = NULL};
        for (int profile = 0; profile < AB_PROFILES; ++profile) {
            p.driver.inputs[profile] = "lena shapes-64";
            p.blocks[0].on[profile] = NULL;
        }
        assert_string_equal(check(&p.driver).reason, "");
    }
}

static void sets_may_be_left_out(void **state)
{
    (void)state;
    planted p;
    make(&p);
    p.driver.sets = NULL;
    p.lines[0].params = "ants={review-ants}";
    assert_string_equal(check(&p.driver).reason, "bench/tables/table_review.c: table review, row acotsp-seq-{ants}: "
                                                 "there is no set review-ants");
    p.lines[0].params = "ants={ants}";
    assert_string_equal(check(&p.driver).reason, "");
    assert_string_equal(ab_driver_set(&p.driver, "ants"), "1500 3000 4500 6000");
}

/* ---- The program ---- */

/* Runs `antbench review ARGUMENT...`; what it says on stdout and stderr goes to said. */
static int run(const ab_driver *driver, const char *const *arguments, char said[4096])
{
    char *argv[24] = {"antbench", "review"};
    int argc = 2, kept[2];
    FILE *const streams[2] = {stdout, stderr}, *file = tmpfile();
    for (; *arguments; ++arguments) argv[argc++] = (char *)*arguments;
    for (int i = 0; i < 2; ++i) {
        fflush(streams[i]);
        kept[i] = dup(fileno(streams[i]));
        dup2(fileno(file), fileno(streams[i]));
    }
    const int exit_code = ab_program_main(driver, argc, argv);
    for (int i = 0; i < 2; ++i) {
        fflush(streams[i]);
        dup2(kept[i], fileno(streams[i]));
        close(kept[i]);
    }
    rewind(file);
    said[fread(said, 1, 4095, file)] = '\0';
    fclose(file);
    return exit_code;
}

static void the_program_says_it_at_once(void **state)
{
    (void)state;
    static const char *const commands[][2] = {{"--dry-run"}, {"--help"}, {"--list"}, {"--quiet"}};
    planted p;
    char said[4096];
    make(&p);
    p.lines[1].implementation = "tsp/rase";
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        assert_int_equal(run(&p.driver, commands[i], said), AB_EXIT_USAGE);
        assert_string_equal(said,
                            "antbench review: bench/tables/table_review.c: table review, row ds-roulette: there is no "
                            "implementation tsp/rase; did you mean tsp/race?\n");
    }
}

/* With no limit a row of the host backend is run, and all samples of a row are taken: here six of ten seconds. */
static void limits_may_be_left_out(void **state)
{
    (void)state;
    static const char *const on_host[] = {"--backend", "host", "--processes", "1", "--quiet", "--out", "run", NULL};
    static const char *const on_cpu[] = {"--backend", "cpu", "--processes", "1", "--dry-run", NULL};
    char said[4096];
    planted p;
    make(&p);
    p.lines[0].seconds = 10;
    assert_int_equal(run(&p.driver, on_host, said), AB_EXIT_OK);
    assert_non_null(strstr(said, "verified"));
    assert_int_equal(run(&p.driver, on_cpu, said), AB_EXIT_OK);
    const char *seconds = strstr(said, "seconds\t"); /* the last line of a dry run, "seconds<TAB>125" */
    assert_non_null(seconds);
    assert_true(atoi(seconds + strlen("seconds\t")) >= 2 * 6 * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_without_slips_is_sound),
        cmocka_unit_test(names_that_there_are_not),
        cmocka_unit_test(published_numbers_that_there_are_not),
        cmocka_unit_test(values_that_say_nothing),
        cmocka_unit_test(what_is_missing),
        cmocka_unit_test(what_another_driver_has_too),
        cmocka_unit_test(what_a_build_lacks_is_no_slip),
        cmocka_unit_test(sets_may_be_left_out),
        cmocka_unit_test(the_program_says_it_at_once),
        cmocka_unit_test(limits_may_be_left_out),
    };
    setenv("OMP_WAIT_POLICY", "passive", 0); /* or the program starts itself again where others are running */
    return cmocka_run_group_tests_name("driver", tests, enter_directory, remove_directory);
}
