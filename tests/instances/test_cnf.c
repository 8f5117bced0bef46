/* Formulas: the DIMACS reader, on small files written to a temporary directory, and the generator and its names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instances/cnf.h"
#include "tests/support/directory.h"

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static cnf_formula load(const char *name)
{
    cnf_formula formula;
    const ab_status status = cnf_load(name, &formula);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    return formula;
}

static cnf_formula read_text(const char *text)
{
    write_text("t.cnf", text);
    return load("t.cnf");
}

static void test_a_file(void **state)
{
    (void)state;
    cnf_formula f = read_text("c a comment\nc p cnf 9 9\np cnf 3 2\n1 -2\n 3 0 -1\nc between\n2 0\n");
    static const int32_t literals[] = {1, -2, 3, -1, 2}, first[] = {0, 3, 5};
    assert_int_equal(f.n, 3);
    assert_int_equal(f.m, 2);
    assert_int_equal(f.n_literals, 5);
    assert_memory_equal(f.literals, literals, sizeof literals);
    assert_memory_equal(f.first, first, sizeof first);
    assert_string_equal(f.name, "t");
    assert_string_equal(f.path, "t.cnf");
    assert_int_equal(strlen(f.sha256), 64);
    assert_false(f.stand_in);
    cnf_free(&f);
}

static void test_what_files_have_besides(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "p cnf 2 1\n1 2 0\n%\n0\n\n",           /* SATLIB's end */
        "p cnf 2 1\r\n1 2 0\r\n",               /* another system's lines */
        "  c indented\np  cnf\t2   1\n1\n2\n0", /* a clause over lines, no newline at the end */
        "p cnf 2 1 \n1 2 0 c at the end of a line it is no comment" /* an error, below */};
    for (int i = 0; i < 3; i++) {
        cnf_formula f = read_text(texts[i]);
        assert_int_equal(f.n_literals, 2);
        cnf_free(&f);
    }
    cnf_formula f;
    write_text("t.cnf", texts[3]);
    assert_int_equal(cnf_read("t.cnf", &f).code, AB_BAD_INPUT);
}

static void test_repeated_literals_and_tautologies(void **state)
{
    (void)state;
    cnf_formula f = read_text("p cnf 3 4\n1 1 -2 1 0 2 -2 2 0 0 -3 3 -1 0\n");
    static const int32_t literals[] = {1, -2, 2, -2, -3, 3, -1}, first[] = {0, 2, 4, 4, 7};
    assert_int_equal(f.n_literals, 7);
    assert_memory_equal(f.literals, literals, sizeof literals);
    assert_memory_equal(f.first, first, sizeof first);
    assert_int_equal(f.repeated, 3);
    assert_int_equal(f.tautologies, 2);
    cnf_free(&f);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"", "t.cnf:1: the file is empty"},
        {"c nothing\n", "t.cnf:1: there is no line \"p cnf VARIABLES CLAUSES\""},
        {"1 2 0\n", "t.cnf:1: expected \"p cnf VARIABLES CLAUSES\", got \"1\""},
        {"\np sat 2 1\n", "t.cnf:2: expected \"p cnf VARIABLES CLAUSES\": only the format cnf is read"},
        {"p cnf 2\n1 2 0\n", "t.cnf:1: expected \"p cnf VARIABLES CLAUSES\", the number of clauses is missing"},
        {"p cnf x 1\n", "t.cnf:1: expected a number, got \"x\""},
        {"p cnf 0 1\n", "t.cnf:1: variables must be a whole number from 1 to 1000000, not 0"},
        {"p cnf 2 1000001\n", "t.cnf:1: clauses must be a whole number from 1 to 1000000, not 1000001"},
        {"p cnf 2 1 3\n", "t.cnf:1: unexpected \"3\" after the number of clauses"},
        {"p cnf 2 1\n1\n3 0\n", "t.cnf:3: a literal must be a whole number from -2 to 2, not 3"},
        {"p cnf 2 1\n1 -3 0\n", "t.cnf:2: a literal must be a whole number from -2 to 2, not -3"},
        {"p cnf 2 1\n1 two 0\n", "t.cnf:2: expected a number, got \"two\""},
        {"p cnf 2 1\n1 1.5 0\n", "t.cnf:2: a literal must be a whole number from -2 to 2, not 1.5"},
        {"p cnf 2 2\n1 2 0\n-1 2\n", "t.cnf:3: the last clause does not end with 0"},
        {"p cnf 2 2\n1 2 0\n", "t.cnf:2: 1 clauses, but the line \"p cnf\" says 2"},
        {"p cnf 2 1\n1 0\n2 0\n", "t.cnf:3: more clauses than the 1 that the line \"p cnf\" says"},
        {"p cnf 2 1\np cnf 2 1\n", "t.cnf:2: expected a number, got \"p\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cnf_formula f;
        write_text("t.cnf", bad[i].text);
        const ab_status status = cnf_read("t.cnf", &f);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, bad[i].reason);
        assert_null(f.literals);
        assert_null(f.first);
    }
    cnf_formula f;
    assert_int_equal(cnf_load("none.cnf", &f).code, AB_BAD_INPUT);
    assert_int_equal(cnf_read("none.cnf", &f).code, AB_FAILED);
}

/* ---- What is drawn ---- */

static bool satisfies(const cnf_formula *f, unsigned assignment)
{
    for (int i = 0; i < f->m; i++) {
        bool any = false;
        for (int l = f->first[i]; l < f->first[i + 1]; l++)
            any |= (assignment >> (abs(f->literals[l]) - 1) & 1) == (f->literals[l] > 0);
        if (!any) return false;
    }
    return true;
}

static int count(const cnf_formula *f)
{
    int satisfying = 0;
    for (unsigned assignment = 0; assignment < 1u << f->n; assignment++) satisfying += satisfies(f, assignment);
    return satisfying;
}

static void test_clauses_are_of_k_variables(void **state)
{
    (void)state;
    cnf_formula f = load("k5-n9-m200");
    int negated = 0;
    for (int i = 0; i < f.m; i++) {
        assert_int_equal(f.first[i + 1] - f.first[i], 5);
        for (int l = f.first[i]; l < f.first[i + 1]; l++) {
            assert_in_range(abs(f.literals[l]), 1, 9);
            negated += f.literals[l] < 0;
        }
    }
    assert_int_equal(f.n_literals, 1000);
    assert_int_equal(f.repeated + f.tautologies, 0);
    assert_in_range(negated, 400, 600);
    assert_true(f.stand_in);
    cnf_free(&f);
}

static void test_planted(void **state)
{
    (void)state;
    char name[64];
    for (int variant = 1; variant <= 20; variant++) {
        snprintf(name, sizeof name, "k3-n8-m60-sat-%d", variant);
        cnf_formula f = load(name);
        assert_true(count(&f) >= 1);
        cnf_free(&f);
        snprintf(name, sizeof name, "k3-n8-m%d-unsat-%d", 7 + variant, variant);
        f = load(name);
        assert_int_equal(count(&f), 0);
        cnf_free(&f);
    }
}

static void test_names(void **state)
{
    (void)state;
    cnf_formula f = load("2^13"), again = load("k4-n13-m64"), other = load("k4-n13-m64-2"), large = load("2^22");
    assert_string_equal(f.name, "2^13");
    assert_int_equal(f.n_literals, 256);
    assert_string_equal(f.sha256, again.sha256);
    assert_string_not_equal(f.sha256, other.sha256);
    assert_int_equal(large.n_literals, 200);
    assert_int_equal(large.n, 22);
    cnf_free(&f);
    cnf_free(&again);
    cnf_free(&other);
    cnf_free(&large);
}

static void test_bad_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *reason;
    } bad[] = {
        {"2^31x",
         "formula \"2^31x\": not one that is generated, and no such file here, in $CNF_DIR or instances/cnf; did you "
         "mean \"2^13\"?"},
        {"k3-n20",
         "formula \"k3-n20\": not one that is generated, and no such file here, in $CNF_DIR or instances/cnf"},
        {"zebra", "formula \"zebra\": not one that is generated, and no such file here, in $CNF_DIR or instances/cnf"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_string_equal(cnf_check_name(bad[i].name).reason, bad[i].reason);
    static const char *const refused[] = {"k4-n3-m5", "k17-n20-m5", "k3-n20-m7-unsat", "k3-n2000000-m5", "2^3"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cnf_formula f;
        assert_int_equal(cnf_check_name(refused[i]).code, AB_OK);
        assert_int_equal(cnf_load(refused[i], &f).code, AB_BAD_INPUT);
        assert_null(f.literals);
    }
}

static void test_files_of_the_folder(void **state)
{
    (void)state;
    write_text("mine.cnf", "p cnf 1 1\n-1 0\n");
    setenv("CNF_DIR", ".", 1);
    cnf_formula f = load("mine");
    assert_string_equal(f.path, "./mine.cnf");
    assert_string_equal(f.name, "mine");
    cnf_free(&f);
    unsetenv("CNF_DIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file),
        cmocka_unit_test(test_what_files_have_besides),
        cmocka_unit_test(test_repeated_literals_and_tautologies),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_clauses_are_of_k_variables),
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_bad_names),
        cmocka_unit_test(test_files_of_the_folder),
    };
    return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
