/* psystem: every implementation that the registry has, on the CPU and on the host backend under sanitizers, against each
 * assignment evaluated literal by literal, and against a SAT solver where one is installed; the GPU's simulator of single
 * steps and the membranes that others keep against the reference, multiset by multiset; and that verification rejects
 * kernels with planted bugs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/psystem_reference.h"
#include "kernels/cuda/device_bytes.h"
#include "kernels/host/host_backend.h"
#include "kernels/psystem/generic.h"
#include "kernels/psystem/objects.h"
#include "tests/planted/psystem.h"
#include "tests/support/formulas.h"
#include "tests/support/registered.h"

enum { N_ORDERS = 5 };

/* Opens, verifies and closes; false where the implementation says that it is unsupported. */
static bool check(const ab_implementation *it, const cnf_formula *formula, const ps_params *params, uint64_t expected)
{
    ab_work *work = NULL;
    bool wrong = false;
    ab_status status = it->open(formula, params, &work);
    if (status.code == AB_UNSUPPORTED) return false;
    if (status.code == AB_OK) status = psystem_verify((ps_system *)work, formula, expected, &wrong);
    if (status.code != AB_OK)
        fail_msg("%s, %s, tile %d, piece %d, block %d: %s", it->id, formula->name, params->tile, params->piece,
                 params->block, status.reason);
    work->methods->close(work);
    return true;
}

/* By all implementations; single steps, which take so many more, of systems this small alone. */
static void check_all(const cnf_formula *formula, const ps_params *params)
{
    const uint64_t expected = formula_count(formula);
    const bool small = formula->n <= 3 && formula->n_literals <= 8;
    assert_true(ps_count(formula, NULL) == expected);
    for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_CPU | ON_HOST, it)) != NULL;)
        if (small || !(it->traits & PS_SINGLE_STEPS)) assert_true(check(it, formula, params, expected));
}

/* One variable and several, whole words of bits and parts of them, clauses of one literal and of more than a warp. */
static const char *const names[] = {
    "k1-n1-m1",  "k1-n1-m2-unsat", "k1-n2-m3",      "k2-n2-m4-unsat", "k2-n3-m5-sat", "k3-n4-m5",
    "k3-n5-m21", "k2-n5-m5",       "k3-n6-m60-sat", "k3-n6-m9-unsat", "k5-n7-m40",    "k3-n7-m33",
};
enum { N_NAMES = sizeof names / sizeof *names };

/* Two arrays of an alphabet for each membrane and the skin, and little else; none of it is left after closing. */
static void test_device_memory_is_counted(void **state)
{
    (void)state;
    const ab_implementation *generic = ab_find_implementation("psystem/generic", AB_HOST);
    cnf_formula formula = formula_named("k3-n4-m5");
    const ps_params params = ps_default_params();
    ps_rules rules;
    ab_work *work = NULL;
    assert_int_equal(ps_sat_rules(&formula, &rules).code, AB_OK);
    const size_t before = ab_device_bytes(), arrays = 2 * (1 + 16) * (size_t)rules.n_objects * sizeof(uint32_t);
    ab_device_peak_begin();
    assert_true(ab_device_peak() == before);
    assert_int_equal(generic->open(&formula, &params, &work).code, AB_OK);
    assert_true(ab_device_bytes() > before + arrays && ab_device_peak() == ab_device_bytes());
    const size_t peak = ab_device_peak();
    work->methods->close(work);
    assert_true(ab_device_bytes() == before && ab_device_peak() == peak);
    ps_rules_free(&rules);
    cnf_free(&formula);
}

static void test_every_order_tile_piece_and_block(void **state)
{
    (void)state;
    static const int tiles[] = {1, 2, 4, 32, 8}, blocks[] = {0, 32, 64, 256, 96};
    for (unsigned order = 0; order < N_ORDERS; order++) {
        host_backend_set_order(order);
        for (size_t k = 0; k < N_NAMES; k++) {
            if (order > 0 && k % 4 != order % 4) continue;
            cnf_formula formula = formula_named(names[k]);
            ps_params params = ps_default_params();
            params.tile = tiles[(k + order) % 5];
            params.block = blocks[(k + 2 * order) % 5];
            params.piece = k % 3 == 0 ? PS_MOST_VARIABLES : (int)(k % 5);
            params.threads = 1 + (int)(k % 3);
            check_all(&formula, &params);
            cnf_free(&formula);
        }
    }
    host_backend_set_order(0);
}

/* Membranes as bits, of as many warps as a block has and of several blocks: their counts come together in every order. */
static void test_bits_of_many_warps(void **state)
{
    (void)state;
    static const char *const formulas[] = {"k3-n13-m20-sat", "k3-n14-m30", "k2-n15-m12"};
    const ps_params params = ps_default_params();
    for (unsigned k = 0; k < sizeof formulas / sizeof *formulas; k++) {
        cnf_formula formula = formula_named(formulas[k]);
        const uint64_t expected = formula_count(&formula);
        assert_true(expected > 0);
        for (unsigned order = 0; order < N_ORDERS; order++) {
            host_backend_set_order(order);
            for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_HOST, it)) != NULL;)
                if (it->traits & PS_BITS) assert_true(check(it, &formula, &params, expected));
        }
        cnf_free(&formula);
    }
    host_backend_set_order(0);
}

/* Repeated literals, tautologies, an empty clause, variables that are in none, and a clause of all variables. */
static void test_odd_formulas(void **state)
{
    (void)state;
    static const struct {
        int n, m;
        const char *clauses;
    } odd[] = {
        {3, 2, "1 1 -2 0 3 3 0"},
        {2, 2, "1 -1 0 -2 2 1 0"},
        {2, 2, "1 0 0"},
        {4, 1, "4 0"},
        {3, 1, "1 2 3 0"},
        {2, 1, "0"},
        {11, 3, "1 -11 0 2 0 -3 4 0"},
        {12, 2, "12 0 -1 0"},
        {5, 2, "5 0 -5 0"},
    };
    const ps_params params = ps_default_params();
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        cnf_formula formula = formula_of(odd[k].n, odd[k].m, odd[k].clauses);
        const uint64_t expected = formula_count(&formula);
        for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_CPU | ON_HOST, it)) != NULL;)
            if (formula.n <= 5 || it->traits & PS_BITS) check(it, &formula, &params, expected);
        cnf_free(&formula);
    }
}

/* More clauses than psystem/bits has in shared memory at a time, of several blocks; again and again, as each run leaves
 * its sums as it found them. */
static void test_many_clauses_of_several_blocks(void **state)
{
    (void)state;
    const ps_params params = ps_default_params();
    cnf_formula formula = formula_named("k5-n15-m300-sat");
    const uint64_t expected = formula_count(&formula);
    assert_true(expected > 0);
    for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_CPU | ON_HOST, it)) != NULL;) {
        ab_work *work = NULL;
        bool wrong = false;
        if (!(it->traits & PS_BITS)) continue;
        assert_int_equal(it->open(&formula, &params, &work).code, AB_OK);
        for (unsigned k = 0; k < N_ORDERS; k++) {
            host_backend_set_order(k);
            assert_int_equal(psystem_verify((ps_system *)work, &formula, expected, &wrong).code, AB_OK);
        }
        work->methods->close(work);
    }
    host_backend_set_order(0);
    cnf_free(&formula);
}

static void test_what_is_too_large_is_unsupported(void **state)
{
    (void)state;
    const ps_params params = ps_default_params();
    cnf_formula formula = formula_named("k3-n33-m10");
    for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_CPU | ON_HOST, it)) != NULL;) {
        ab_work *work = NULL;
        const ab_status status = it->open(&formula, &params, &work);
        assert_int_equal(status.code, AB_UNSUPPORTED);
        assert_non_null(strstr(status.reason, "33 variables are 2^33 membranes"));
    }
    cnf_free(&formula);
}

static void test_bad_parameters_are_refused(void **state)
{
    (void)state;
    cnf_formula formula = formula_named("k2-n3-m4");
    for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_CPU | ON_HOST, it)) != NULL;)
        for (int bad = 0; bad < 3; bad++) {
            ab_work *work = NULL;
            ps_params params = ps_default_params();
            if (bad == 0) params.tile = 3;
            if (bad == 1) params.block = 33;
            if (bad == 2) params.piece = 33;
            assert_int_equal(it->open(&formula, &params, &work).code, AB_BAD_INPUT);
            assert_null(work);
        }
    cnf_free(&formula);
}

/* ---- Multisets ---- */

static int row_size; /* objects, for the comparison below */

static int compare_rows(const void *a, const void *b)
{
    return memcmp(a, b, (size_t)row_size * sizeof(uint32_t));
}

/* The inner membranes in an order of their own, a row with the charge for each. */
static uint32_t *sorted_membranes(const ps_configuration *c)
{
    const size_t n_objects = (size_t)c->n_objects;
    row_size = c->n_objects + 1;
    uint32_t *rows = malloc((size_t)c->n_inner * (n_objects + 1) * sizeof *rows);
    assert_non_null(rows);
    for (size_t q = 0; q < (size_t)c->n_inner; q++) {
        rows[q * (n_objects + 1)] = c->charges[q + 1];
        memcpy(rows + q * (n_objects + 1) + 1, c->objects + (q + 1) * n_objects, n_objects * sizeof *rows);
    }
    qsort(rows, (size_t)c->n_inner, (n_objects + 1) * sizeof *rows, compare_rows);
    return rows;
}

static void assert_same(const ps_configuration *a, const ps_configuration *b)
{
    assert_int_equal(a->n_objects, b->n_objects);
    assert_int_equal(a->n_inner, b->n_inner);
    assert_int_equal(a->charges[0], b->charges[0]);
    assert_memory_equal(a->objects, b->objects, (size_t)a->n_objects * sizeof(uint32_t));
    uint32_t *of_a = sorted_membranes(a), *of_b = sorted_membranes(b);
    assert_memory_equal(of_a, of_b, (size_t)a->n_inner * (size_t)(a->n_objects + 1) * sizeof(uint32_t));
    free(of_a);
    free(of_b);
}

static ps_configuration run_and_read(ps_system *system)
{
    ps_configuration configuration;
    assert_int_equal(system->methods->poison(system).code, AB_OK);
    const ab_status status = ab_iterate(&system->work);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    assert_int_equal(system->methods->configuration(system, &configuration).code, AB_OK);
    system->work.methods->close(&system->work);
    return configuration;
}

/* What an implementation that keeps it has in all membranes after so many steps. */
static ps_configuration configuration_after(const ab_implementation *it, const cnf_formula *formula, int steps)
{
    ab_work *work = NULL;
    ps_params params = ps_default_params();
    params.steps = steps;
    params.block = 64;
    assert_int_equal(it->open(formula, &params, &work).code, AB_OK);
    return run_and_read((ps_system *)work);
}

/* Charges and multisets, of the skin and of every membrane, after every step. */
static void test_single_steps_are_the_references(void **state)
{
    (void)state;
    static const char *const formulas[] = {"k2-n2-m4-unsat", "k2-n3-m3", "k1-n1-m2"};
    const ab_implementation *reference = reference_of("psystem");
    for (unsigned k = 0; k < 3; k++) {
        cnf_formula formula = formula_named(formulas[k]);
        host_backend_set_order(k);
        for (int steps = 1; steps <= ps_steps(formula.n, formula.m); steps++) {
            ps_configuration expected = configuration_after(reference, &formula, steps);
            for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_HOST, it)) != NULL;) {
                if (!(it->traits & PS_SINGLE_STEPS)) continue;
                ps_configuration found = configuration_after(it, &formula, steps);
                assert_same(&found, &expected);
                ps_configuration_free(&found);
            }
            ps_configuration_free(&expected);
        }
        cnf_free(&formula);
    }
    host_backend_set_order(0);
}

/* Membranes that divide again and again: [a]0 -> [b]+ [c]-, [b -> a a]+, [c]- -> [ ]0 c, c [ ]+ -> [a]0. */
static ps_rules other_rules(void)
{
    enum { A, B, C, YES, NO, N_OBJECTS };
    ps_rules rules;
    const ps_rule all[] = {
        {PS_DIVISION, PS_INNER, PS_NEUTRAL, A, {B, C}, {PS_PLUS, PS_MINUS}},
        {PS_EVOLUTION, PS_INNER, PS_PLUS, B, {A, A}, {PS_PLUS, PS_PLUS}},
        {PS_SEND_OUT, PS_INNER, PS_MINUS, C, {C, PS_NO_OBJECT}, {PS_NEUTRAL, PS_NEUTRAL}},
        {PS_SEND_IN, PS_INNER, PS_PLUS, C, {A, PS_NO_OBJECT}, {PS_NEUTRAL, PS_NEUTRAL}},
    };
    assert_int_equal(ps_rules_new(N_OBJECTS, &rules).code, AB_OK);
    rules.yes = YES;
    rules.no = NO;
    rules.initial[PS_INNER * N_OBJECTS + A] = 2;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) assert_int_equal(ps_rules_add(&rules, all[i]).code, AB_OK);
    return rules;
}

static void test_other_rules(void **state)
{
    (void)state;
    ps_rules rules = other_rules();
    for (int steps = 1; steps <= 6; steps++) {
        psr_system expected;
        bool halted = false;
        ps_system *system = NULL;
        ps_params params = ps_default_params();
        params.steps = steps;
        assert_int_equal(psr_open(&rules, &expected).code, AB_OK);
        while (expected.step < steps) assert_int_equal(psr_step(&expected, &halted).code, AB_OK);
        assert_int_equal(psystem_generic_rules_host(&rules, 64, &params, &system).code, AB_OK);
        ps_configuration found = run_and_read(system);
        assert_same(&found, &expected.now);
        if (steps == 6) assert_true(found.n_inner > 2);
        ps_configuration_free(&found);
        psr_free(&expected);
    }
    ps_params params = ps_default_params();
    ps_system *system = NULL;
    assert_int_equal(psystem_generic_rules_host(&rules, 1, &params, &system).code, AB_OK);
    const ab_status status = ab_iterate(&system->work);
    assert_int_equal(status.code, AB_UNSUPPORTED);
    assert_string_equal(status.reason, "there is room for 1 membranes");
    system->work.methods->close(&system->work);
    ps_rules_free(&rules);
}

/* The words of all membranes as rows of the reference's alphabet; an r's index is what the rung keeps, or 1. */
static ps_configuration rows_of_words(const cnf_formula *formula, const uint32_t *words)
{
    const ps_sat sat = {formula->n, formula->m};
    const size_t n_inner = (size_t)1 << formula->n, n_objects = (size_t)ps_single(sat, PS_SINGLES);
    ps_configuration c = {.n_objects = (int)n_objects, .n_inner = (int64_t)n_inner};
    c.charges = calloc(1 + n_inner, 1);
    c.objects = calloc((1 + n_inner) * n_objects, sizeof *c.objects);
    assert_true(c.charges && c.objects);
    for (size_t q = 0; q < n_inner; q++)
        for (int l = 0; l < formula->n_literals; l++) {
            const uint32_t word = words[q * (size_t)formula->n_literals + (size_t)l];
            if (word == 0) continue;
            assert_int_equal(word >> PS_KIND_SHIFT, PS_KIND_R);
            const int i = word >> PS_CLAUSE_SHIFT & PS_CLAUSE_MASK, k = word & PS_INDEX_MASK;
            c.objects[(1 + q) * n_objects + (size_t)ps_r(sat, i, k)]++;
        }
    return c;
}

/* Every r with the index 1. */
static void forget_indices(const cnf_formula *formula, ps_configuration *c)
{
    const ps_sat sat = {formula->n, formula->m};
    for (int64_t q = 0; q <= c->n_inner; q++)
        for (int i = 0; i <= formula->m; i++)
            for (int k = 2; k <= 2 * formula->n; k++) {
                uint32_t *row = c->objects + q * c->n_objects;
                row[ps_r(sat, i, 1)] += row[ps_r(sat, i, k)];
                row[ps_r(sat, i, k)] = 0;
            }
}

/* What the generation leaves in the membranes that are kept, against the reference's after its 3n - 1 steps. */
static void test_kept_membranes_are_the_references(void **state)
{
    (void)state;
    cnf_formula formula = formula_named("k3-n5-m6");
    ps_configuration expected = configuration_after(reference_of("psystem"), &formula, 3 * formula.n - 1);
    ps_configuration without = configuration_after(reference_of("psystem"), &formula, 3 * formula.n - 1);
    const ps_params params = ps_default_params();
    uint32_t words[32 * 18];
    int kept = 0;
    memset(expected.objects, 0,
           (size_t)expected.n_objects * sizeof *expected.objects); /* of the skin nothing is told */
    memset(without.objects, 0, (size_t)without.n_objects * sizeof *without.objects);
    forget_indices(&formula, &without);
    for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_HOST, it)) != NULL;) {
        ab_work *work = NULL;
        assert_int_equal(it->open(&formula, &params, &work).code, AB_OK);
        ps_system *system = (ps_system *)work;
        if (system->methods->words) {
            assert_int_equal(ab_iterate(work).code, AB_OK);
            assert_int_equal(system->methods->words(system, words).code, AB_OK);
            ps_configuration found = rows_of_words(&formula, words);
            assert_same(&found, strncmp(it->name, "baseline", 8) == 0 ? &expected : &without);
            ps_configuration_free(&found);
            kept++;
        }
        work->methods->close(work);
    }
    assert_true(kept >= 2 || getenv("ANTBENCH_ONLY"));
    ps_configuration_free(&expected);
    ps_configuration_free(&without);
    cnf_free(&formula);
}

/* Of what is in the skin then, d, which each membrane has sent there. */
static void test_the_skin_has_what_the_references_has(void **state)
{
    (void)state;
    cnf_formula formula = formula_named("k3-n5-m6");
    const ps_sat sat = {formula.n, formula.m};
    ps_configuration expected = configuration_after(reference_of("psystem"), &formula, 3 * formula.n - 1);
    const ps_params params = ps_default_params();
    int counted = 0;
    for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_HOST, it)) != NULL;) {
        ab_work *work = NULL;
        assert_int_equal(it->open(&formula, &params, &work).code, AB_OK);
        ps_system *system = (ps_system *)work;
        if (system->methods->skin) {
            uint64_t objects = 0;
            assert_int_equal(ab_iterate(work).code, AB_OK);
            assert_int_equal(system->methods->skin(system, &objects).code, AB_OK);
            assert_int_equal(objects, expected.objects[ps_d(sat, formula.n)]);
            assert_int_equal(objects, 1 << formula.n);
            counted++;
        }
        work->methods->close(work);
    }
    assert_true(counted >= 1 || getenv("ANTBENCH_ONLY"));
    ps_configuration_free(&expected);
    cnf_free(&formula);
}

/* ---- Verification ---- */

static void test_verification_rejects_planted_bugs(void **state)
{
    (void)state;
    static const char *const expected[N_PS_BUGS] = {
        [PS_BUG_SKIPS_A_MEMBRANE] = "satisfying membranes: ", [PS_BUG_LOSES_A_CLAUSE_BIT] = "satisfying membranes: ",
        [PS_BUG_KEEPS_A_CHARGE] = "satisfying membranes: ",   [PS_BUG_OTHER_MEMBRANE] = "membrane 0: ",
        [PS_BUG_LOSES_AN_OBJECT] = "membrane 0, literal ",
    };
    /* The last membrane, 0000, satisfies it, and 0001 does not. */
    cnf_formula formula = formula_of(4, 3, "1 2 -3 -4 0 -4 3 1 0 -1 -2 4 0");
    const uint64_t satisfying = formula_count(&formula);
    const ps_params params = ps_default_params();
    assert_true(formula_satisfied(&formula, 15));
    for (int bug = 0; bug < N_PS_BUGS; bug++) {
        ps_system *system = NULL;
        bool wrong = false;
        assert_int_equal(planted_psystem_open(&formula, &params, bug, &system).code, AB_OK);
        const ab_status status = psystem_verify(system, &formula, satisfying, &wrong);
        system->work.methods->close(&system->work);
        if (wrong != (bug != PS_BUG_NONE)) fail_msg("bug %d: \"%s\"", bug, status.reason);
        if (wrong && strncmp(status.reason, expected[bug], strlen(expected[bug])) != 0)
            fail_msg("bug %d: reported \"%s\"", bug, status.reason);
    }
    cnf_free(&formula);
}

/* A rule that does not flip a charge is found step by step too: half of the membranes take the other's value. */
static void test_a_charge_that_is_not_flipped_changes_the_answer(void **state)
{
    (void)state;
    cnf_formula formula = formula_of(2, 2, "-1 0 -2 0");
    ps_rules rules;
    assert_int_equal(ps_sat_rules(&formula, &rules).code, AB_OK);
    for (int flipped = 1; flipped >= 0; flipped--) {
        ps_system *system = NULL;
        ps_result found;
        const ps_params params = ps_default_params();
        if (!flipped)
            rules.rules[ps_find(&rules, PS_DIVISION, PS_INNER, PS_NEUTRAL, ps_d((ps_sat){2, 2}, 2))].after[1] = PS_PLUS;
        assert_int_equal(psystem_generic_rules_host(&rules, 4, &params, &system).code, AB_OK);
        assert_int_equal(ab_iterate(&system->work).code, AB_OK);
        assert_int_equal(system->methods->result(system, &found).code, AB_OK);
        assert_int_equal(found.yes, flipped);
        assert_int_equal(found.steps, ps_steps(2, 2));
        system->work.methods->close(&system->work);
    }
    ps_rules_free(&rules);
    cnf_free(&formula);
}

/* ---- A thousand formulas ---- */

enum { N_FORMULAS = 1000, MOST_HOST_CLAUSES = 40 };

/* Whether there is an implementation as bits; where one of another kind is tested alone there is not. */
static bool has_bits(void)
{
    const ab_implementation *it = NULL;
    while ((it = next_of("psystem", ON_CPU | ON_HOST, it)) != NULL && !(it->traits & PS_BITS)) continue;
    return it != NULL;
}

/* Formula f of the thousand: n to 16, k 2 to 5; a quarter with a solution planted and a quarter with a contradiction, the
 * others about where half have one. */
static cnf_formula formula_number(int f)
{
    static const double threshold[] = {[2] = 1.2, [3] = 4.6, [4] = 10.0, [5] = 20.0};
    static const char *const forms[] = {"", "-sat", "", "-unsat"};
    const int k = 2 + f % 4, n = k + f / 4 % (17 - k), form = f / 3 % 4;
    int m = (int)(threshold[k] * n);
    if (m < 1 << k) m = 1 << k;
    char name[64];
    snprintf(name, sizeof name, "k%d-n%d-m%d%s-%d", k, n, m, forms[form], f + 1);
    return formula_named(name);
}

static void write_dimacs(const cnf_formula *formula, const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "p cnf %d %d\n", formula->n, formula->m);
    for (int i = 0; i < formula->m; i++) {
        for (int l = formula->first[i]; l < formula->first[i + 1]; l++) fprintf(file, "%d ", formula->literals[l]);
        fprintf(file, "0\n");
    }
    assert_int_equal(fclose(file), 0);
}

static bool has_program(const char *name)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null", name);
    return system(command) == 0;
}

/* The exit codes of a SAT solver for folder/0.cnf and so on, 10 for satisfiable and 20 for not. */
static void compare_with_solver(const char *solver, const char *folder, const bool *satisfiable)
{
    char command[256];
    snprintf(command, sizeof command, "for f in $(seq 0 %d); do %s %s/$f.cnf >/dev/null 2>&1; echo $?; done",
             N_FORMULAS - 1, solver, folder);
    FILE *answers = popen(command, "r");
    assert_non_null(answers);
    for (int f = 0; f < N_FORMULAS; f++) {
        int code = 0;
        assert_int_equal(fscanf(answers, "%d", &code), 1);
        if (code != (satisfiable[f] ? 10 : 20)) fail_msg("%s says %d of formula %d", solver, code, f);
    }
    assert_int_equal(pclose(answers), 0);
}

static void test_a_thousand_formulas(void **state)
{
    (void)state;
    static const char *const solvers[] = {"cadical", "minisat"};
    static bool satisfiable[N_FORMULAS];
    char folder[] = "/tmp/antbench-sat-XXXXXX", path[64];
    int n_satisfiable = 0, solved = 0;
    if (!has_bits()) skip();
    assert_non_null(mkdtemp(folder));
    for (int f = 0; f < N_FORMULAS; f++) {
        const ps_params params = ps_default_params();
        cnf_formula formula = formula_number(f);
        const uint64_t expected = formula_count(&formula);
        for (const ab_implementation *it = NULL; (it = next_of("psystem", ON_CPU | ON_HOST, it)) != NULL;)
            if (it->traits & PS_BITS && (it->backend == AB_CPU || formula.m <= MOST_HOST_CLAUSES))
                check(it, &formula, &params, expected);
        n_satisfiable += satisfiable[f] = expected > 0;
        snprintf(path, sizeof path, "%s/%d.cnf", folder, f);
        write_dimacs(&formula, path);
        cnf_free(&formula);
    }
    assert_in_range(n_satisfiable, N_FORMULAS / 3, 2 * N_FORMULAS / 3);
    for (int s = 0; s < 2; s++)
        if (has_program(solvers[s])) compare_with_solver(solvers[s], folder, satisfiable), solved++;
    if (solved == 0) print_message("neither cadical nor minisat is installed: answers were not compared with theirs\n");
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_memory_is_counted),
        cmocka_unit_test(test_every_order_tile_piece_and_block),
        cmocka_unit_test(test_bits_of_many_warps),
        cmocka_unit_test(test_odd_formulas),
        cmocka_unit_test(test_many_clauses_of_several_blocks),
        cmocka_unit_test(test_what_is_too_large_is_unsupported),
        cmocka_unit_test(test_bad_parameters_are_refused),
        cmocka_unit_test(test_single_steps_are_the_references),
        cmocka_unit_test(test_other_rules),
        cmocka_unit_test(test_kept_membranes_are_the_references),
        cmocka_unit_test(test_the_skin_has_what_the_references_has),
        cmocka_unit_test(test_verification_rejects_planted_bugs),
        cmocka_unit_test(test_a_charge_that_is_not_flipped_changes_the_answer),
        cmocka_unit_test(test_a_thousand_formulas),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
