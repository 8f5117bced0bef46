/* Which rows --rows means (bench/plan/selector.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bench/plan/selector.h"

static ab_selector read_well(const char *text)
{
    ab_selector selector;
    const ab_status status = ab_selector_read(text, &selector);
    if (status.code != AB_OK) fail_msg("%s: %s", text, status.reason);
    return selector;
}

static void each_part_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *table, *row, *input, *conditions;
    } cases[] = {
        {"3.3/race/pr1002?protocol=as;l2=cold", "3.3", "race", "pr1002", "protocol=as;l2=cold"},
        {"3.3/race/pr1002", "3.3", "race", "pr1002", ""},
        {"3.3/race", "3.3", "race", "", ""},
        {"3.3/race?protocol=as", "3.3", "race", "", "protocol=as"},
        {"3.3", "3.3", "", "", ""},
        {"/race", "", "race", "", ""},
        {"//d198", "", "", "d198", ""},
        {"?block=64+128", "", "", "", "block=64+128"},
        {"3.3/race/my.tsp", "3.3", "race", "my.tsp", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const ab_selector selector = read_well(cases[i].text);
        assert_string_equal(selector.table, cases[i].table);
        assert_string_equal(selector.row, cases[i].row);
        assert_string_equal(selector.input, cases[i].input);
        assert_string_equal(selector.conditions, cases[i].conditions);
    }
}

static void anything_else_is_refused(void **state)
{
    (void)state;
    char text[2048], expected[512];
    static const char *const wrong[] = {
        "3.3/race?", "?block", "?block=", "?=64", "?block=64;", "?;block=64", "?block=64;;l2=cold", "3.3/race/a/b"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        ab_selector selector;
        const ab_status status = ab_selector_read(wrong[i], &selector);
        snprintf(expected, sizeof expected,
                 "expected TABLE/ROW/INPUT?NAME=VALUE;..., such as 3.3/race/pr1002, got \"%s\"", wrong[i]);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, expected);
    }
    /* Nothing is cut off silently. */
    static const struct {
        const char *before;
        size_t fits;
    } parts[] = {{"", 31}, {"3.3/", 63}, {"3.3/race/", 255}, {"?a=", 253}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        for (size_t more = 0; more < 2; ++more) {
            ab_selector selector;
            const size_t before = strlen(parts[i].before);
            strcpy(text, parts[i].before);
            memset(text + before, 'x', parts[i].fits + more);
            text[before + parts[i].fits + more] = '\0';
            assert_int_equal(ab_selector_read(text, &selector).code, more ? AB_BAD_INPUT : AB_OK);
        }
}

static ab_row race(void)
{
    ab_row row = ab_row_new();
    strcpy(row.table, "3.3");
    strcpy(row.row, "race");
    strcpy(row.instance, "u1002");
    strcpy(row.backend, "cuda");
    strcpy(row.scope, "iteration");
    strcpy(row.params, "protocol=as-best;ants=1002;block=128");
    return row;
}

static void rows_are_told_apart(void **state)
{
    (void)state;
    const ab_row row = race();
    static const char *const meant[] = {"3.3/race/u1002",
                                        "3.3/race/pr1002",
                                        "3.3/race",
                                        "3.*",
                                        "?block=64+128",
                                        "/r*",
                                        "//*1002",
                                        "3.3/[a-r]ace",
                                        "?block=1*;protocol=as-best",
                                        "?backend=cuda;scope=iteration",
                                        "3.3/tsp-race-threads-2"};
    static const char *const not_meant[] = {
        "3.4/race",     "3.3/rac",   "3.3/race/pr100",       "?block=12", "?block=28",     "?block=64+256",
        "?blocks=128",  "?lock=128", "?block=*;protocol=as", "?rho=*",    "?backend=host", "?scope=stage",
        "3.3/race/*198"};
    for (size_t i = 0; i < sizeof meant / sizeof *meant; ++i) {
        const ab_selector selector = read_well(meant[i]);
        if (!ab_selector_means(&selector, &row, "tsp-race-threads-2", "pr1002")) fail_msg("%s", meant[i]);
    }
    for (size_t i = 0; i < sizeof not_meant / sizeof *not_meant; ++i) {
        const ab_selector selector = read_well(not_meant[i]);
        if (ab_selector_means(&selector, &row, "tsp-race-threads-2", "pr1002")) fail_msg("%s", not_meant[i]);
    }
}

static void an_input_or_a_pattern(void **state)
{
    (void)state;
    static const char *const inputs[] = {"3.3/race/pr1002", "//my.tsp?block=64"}, *const others[] = {"3.3/race",
                                                                                                     "//*1002",
                                                                                                     "//[pu]1002"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; ++i) {
        const ab_selector selector = read_well(inputs[i]);
        assert_true(ab_selector_names_input(&selector));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        const ab_selector selector = read_well(others[i]);
        assert_false(ab_selector_names_input(&selector));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_is_read),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(rows_are_told_apart),
        cmocka_unit_test(an_input_or_a_pattern),
    };
    return cmocka_run_group_tests_name("selector", tests, NULL, NULL);
}
