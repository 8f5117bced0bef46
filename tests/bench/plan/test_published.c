/* The published tables as they stand in results/published/, and what is refused of a broken one. Runs in the
 * repository's root, as all tests do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/plan/published.h"

static const char header[] = "id,source,table,section,row,instance,metric,unit,value,digits\n";

static const char *const instances[] = {"d198", "a280", "lin318", "pcb442", "rat783", "pr1002", "nrw1379", "pr2392"};

static ab_published_table must_read(const char *path)
{
    ab_published_table table;
    const ab_status status = ab_published_read_file(path, &table);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    return table;
}

static double value_of(const ab_published_table *table, const char *row, const char *instance, const char *metric)
{
    const ab_published *found = ab_published_find(table, row, instance, metric);
    if (!found) fail_msg("no %s of %s for %s", metric, row, instance);
    return found->value;
}

static void numbers_are_found_by_row_instance_and_metric(void **state)
{
    (void)state;
    ab_published_table table = must_read("results/published/thesis-3.3.csv");
    const ab_published *found = ab_published_find(&table, "ds-roulette", "pr2392", "iteration");
    assert_non_null(found);
    assert_true(found->value == 1979.31);
    assert_int_equal(found->digits, 2);
    assert_string_equal(found->id, "thesis-3.3/ds-roulette/pr2392");
    assert_string_equal(found->source, "thesis");
    assert_string_equal(found->table, "3.3");
    assert_string_equal(found->section, "§3.6.3");
    assert_string_equal(found->unit, "ms");
    assert_null(ab_published_find(&table, "ds-roulette", "pr2392", "best-tour"));
    assert_null(ab_published_find(&table, "ds-roulette", "nrv1379", "iteration"));
    ab_published_free(&table);
}

/* A number as printed stands for everything that rounds to it. */
static bool is_within_rounding(double value, double low, double high, double unit)
{
    return value >= low - unit / 2 && value <= high + unit / 2;
}

static void assert_within_rounding(double value, double low, double high, double unit, const char *what)
{
    if (!is_within_rounding(value, low, high, unit)) fail_msg("%s: %g is not in %g .. %g", what, value, low, high);
}

static void speedups_follow_from_the_times(void **state)
{
    (void)state;
    ab_published_table table = must_read("results/published/thesis-3.3.csv");
    assert_int_equal(table.count, 8 * 5);
    for (int i = 0; i < 8; i++) {
        const double gpu = value_of(&table, "ds-roulette", instances[i], "iteration");
        const double cpu = value_of(&table, "acotsp-seq", instances[i], "iteration");
        const double other = value_of(&table, "i-roulette", instances[i], "iteration");
        assert_within_rounding(value_of(&table, "ds-roulette", instances[i], "speedup-cpu"),
                               (cpu - 0.005) / (gpu + 0.005), (cpu + 0.005) / (gpu - 0.005), 0.01, instances[i]);
        assert_within_rounding(value_of(&table, "ds-roulette", instances[i], "speedup-gpu"),
                               (other - 0.005) / (gpu + 0.005), (other + 0.005) / (gpu - 0.005), 0.01, instances[i]);
    }
    ab_published_free(&table);
}

static void stages_add_up_to_the_iteration(void **state)
{
    (void)state;
    ab_published_table whole = must_read("results/published/thesis-3.3.csv");
    ab_published_table stages = must_read("results/published/thesis-3.4.csv");
    assert_int_equal(stages.count, 8 * 2);
    for (int i = 0; i < 8; i++) {
        const double sum = value_of(&stages, "ds-roulette", instances[i], "construct") +
                           value_of(&stages, "ds-roulette", instances[i], "update");
        assert_within_rounding(value_of(&whole, "ds-roulette", instances[i], "iteration"), sum - 0.0055, sum + 0.0055,
                               0.01, instances[i]);
    }
    ab_published_free(&whole);
    ab_published_free(&stages);
}

/* The seven instances of chapter 4, in the order of `instances`. */
static bool in_chapter_4(const char *instance)
{
    return strcmp(instance, "nrw1379") != 0;
}

/* All but two (results/published/NOTES.md). */
static void candidate_set_speedups_follow_from_the_times(void **state)
{
    (void)state;
    static const char *const mappings[] = {"cand-block", "cand-block-compress"};
    ab_published_table table = must_read("results/published/thesis-4.2.csv");
    assert_int_equal(table.count, 7 * 5);
    for (int i = 0; i < 8; i++) {
        if (!in_chapter_4(instances[i])) continue;
        const double cpu = value_of(&table, "acotsp-seq-nn", instances[i], "iteration");
        for (int k = 0; k < 2; k++) {
            const double gpu = value_of(&table, mappings[k], instances[i], "iteration");
            const bool follows = is_within_rounding(value_of(&table, mappings[k], instances[i], "speedup-cpu"),
                                                    (cpu - 0.005) / (gpu + 0.005), (cpu + 0.005) / (gpu - 0.005), 0.01);
            const bool erratum = k == 0 && (strcmp(instances[i], "lin318") == 0 || strcmp(instances[i], "pr1002") == 0);
            if (follows == erratum) fail_msg("%s, %s", mappings[k], instances[i]);
        }
    }
    ab_published_free(&table);
}

/* Table 4.1 repeats Table 3.3 but for one digit, and has Table 4.2's CPU column. */
static void table_4_1_repeats_its_neighbours(void **state)
{
    (void)state;
    static const char *const repeated[] = {"acotsp-seq", "i-roulette", "ds-roulette"};
    ab_published_table before = must_read("results/published/thesis-3.3.csv");
    ab_published_table table = must_read("results/published/thesis-4.1.csv");
    ab_published_table after = must_read("results/published/thesis-4.2.csv");
    assert_int_equal(table.count, 7 * 4);
    for (int i = 0; i < 8; i++) {
        if (!in_chapter_4(instances[i])) continue;
        for (int k = 0; k < 3; k++) {
            const double here = value_of(&table, repeated[k], instances[i], "iteration");
            const double there = value_of(&before, repeated[k], instances[i], "iteration");
            if (strcmp(instances[i], "pr2392") == 0 && k == 0)
                assert_true(here == 97850.66 && there == 97850.65);
            else
                assert_true(here == there);
        }
        assert_true(value_of(&table, "acotsp-seq-nn", instances[i], "iteration") ==
                    value_of(&after, "acotsp-seq-nn", instances[i], "iteration"));
    }
    ab_published_free(&before);
    ab_published_free(&table);
    ab_published_free(&after);
}

static void tours_are_longer_than_the_optimum(void **state)
{
    (void)state;
    ab_published_table table = must_read("results/published/thesis-3.2.csv");
    assert_int_equal(table.count, 7 * 3); /* the thesis has no nrw1379 there */
    for (int i = 0; i < 8; i++) {
        if (strcmp(instances[i], "nrw1379") == 0) continue;
        const double optimum = value_of(&table, "optimum", instances[i], "best-tour");
        assert_true(value_of(&table, "acotsp-seq", instances[i], "best-tour") > optimum);
        assert_true(value_of(&table, "ds-roulette", instances[i], "best-tour") > optimum);
    }
    ab_published_free(&table);
}

static void expect_refused(const char *line, const char *message)
{
    char path[] = "/tmp/antbench-published-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fprintf(file, "%s%s", header, line);
    fclose(file);
    ab_published_table table;
    const ab_status status = ab_published_read_file(path, &table);
    ab_published_free(&table);
    unlink(path);
    char expected[512];
    snprintf(expected, sizeof expected, "%s:%s", path, message);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_string_equal(status.reason, expected);
}

static void broken_lines_are_named(void **state)
{
    (void)state;
    expect_refused("a,s,1,§1,r,d198,iteration,ms,1.5\n", "2: expected 10 cells, got 9");
    expect_refused("a,s,1,§1,r,d198,iteration,ms,1.5,2\nb,s,1,§1,r,d198,iteration,ms,fast,2\n",
                   "3: column 9: expected a number, got \"fast\"");
    expect_refused("a,s,1,§1,r,d198,iteration,ms,nan,2\n", "2: column 9: expected a number, got \"nan\"");
    expect_refused("a,s,1,§1,r,d198,iteration,ms,1.5,0.5\n", "2: digits: expected 0 to 9, got 0.5");
    expect_refused("a,s,1,§1,r,d198,iteration,,1.5,2\n", "2: column 8 is empty");
    expect_refused("a,s,1,§1,r,d198,iteration,ms,1.5,2\na,s,1,§1,r,a280,iteration,ms,1.5,2\n", "3: duplicate id a");
    expect_refused("a,s,a table name that is too long,§1,r,d198,iteration,ms,1.5,2\n",
                   "2: column 3: more than 15 characters");
    expect_refused("\"a,s,1,§1,r,d198,iteration,ms,1.5,2\n", "2: a quotation mark is never closed");
}

static void other_files_are_refused(void **state)
{
    (void)state;
    ab_published_table table;
    ab_status status = ab_published_read_file("/nonexistent/table.csv", &table);
    assert_int_equal(status.code, AB_FAILED);
    assert_string_equal(status.reason, "/nonexistent/table.csv: No such file or directory");
    ab_published_free(&table);
    status = ab_published_read_file("tests/bench/plan/test_published.c", &table);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_non_null(strstr(status.reason, "tests/bench/plan/test_published.c:1: "));
    ab_published_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_found_by_row_instance_and_metric),
        cmocka_unit_test(speedups_follow_from_the_times),
        cmocka_unit_test(stages_add_up_to_the_iteration),
        cmocka_unit_test(candidate_set_speedups_follow_from_the_times),
        cmocka_unit_test(table_4_1_repeats_its_neighbours),
        cmocka_unit_test(tours_are_longer_than_the_optimum),
        cmocka_unit_test(broken_lines_are_named),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests_name("published", tests, NULL, NULL);
}
