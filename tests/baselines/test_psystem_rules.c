/* The family of P systems for SAT, step by step: traces that are known, the steps at which objects leave, and that no
 * choice is ever open; and that one is reported where it is (baselines/psystem_reference.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/psystem_reference.h"
#include "tests/support/formulas.h"

/* A system of the family, with its alphabet. */
typedef struct trace {
    cnf_formula formula;
    ps_sat sat;
    ps_rules rules;
    psr_system system;
} trace;

static trace begin(cnf_formula formula)
{
    static psr_system none;
    trace t = {formula, {formula.n, formula.m}, {0}, none};
    assert_int_equal(ps_sat_rules(&formula, &t.rules).code, AB_OK);
    return t;
}

static void end(trace *t)
{
    psr_free(&t->system);
    ps_rules_free(&t->rules);
    cnf_free(&t->formula);
}

/* Steps from the beginning to `step`. */
static void go(trace *t, int step)
{
    bool halted = false;
    psr_free(&t->system);
    assert_int_equal(psr_open(&t->rules, &t->system).code, AB_OK);
    while (t->system.step < step) assert_int_equal(psr_step(&t->system, &halted).code, AB_OK);
}

static int charged(const trace *t, ps_charge charge)
{
    int count = 0;
    for (int64_t q = 1; q <= t->system.now.n_inner; q++) count += t->system.now.charges[q] == charge;
    return count;
}

/* The multiset of a membrane as text, in the order of the alphabet: "d1 x(1,1)*2". */
static void describe(const trace *t, int64_t membrane, char text[512])
{
    const uint32_t *row = t->system.now.objects + membrane * t->rules.n_objects;
    size_t at = 0;
    text[0] = '\0';
    for (int object = 0; object < t->rules.n_objects; object++) {
        char name[32];
        if (row[object] == 0) continue;
        ps_object_name(t->sat, object, name);
        at += (size_t)snprintf(text + at, 512 - at, at ? " %s" : "%s", name);
        if (row[object] > 1) at += (size_t)snprintf(text + at, 512 - at, "*%u", row[object]);
    }
}

static void expect(trace *t, int step, int64_t membrane, ps_charge charge, const char *objects)
{
    char text[512];
    go(t, step);
    describe(t, membrane, text);
    if (strcmp(text, objects) != 0) fail_msg("step %d, membrane %d: \"%s\"", step, (int)membrane, text);
    assert_int_equal(t->system.now.charges[membrane], charge);
}

/* (x1 or not x2)(x2): membranes by number are 11, 01, 10 and 00; in the order of division the skin's 1 .. 4. */
static void test_the_trace_of_a_satisfiable_formula(void **state)
{
    (void)state;
    trace t = begin(formula_of(2, 2, "1 -2 0 2 0"));
    expect(&t, 0, 1, PS_NEUTRAL, "x(1,1) x(2,2) nx(1,2) d1");
    expect(&t, 1, 1, PS_PLUS, "x(1,1) x(2,2) nx(1,2) d1");
    expect(&t, 1, 2, PS_MINUS, "x(1,1) x(2,2) nx(1,2) d1");
    expect(&t, 2, 1, PS_NEUTRAL, "x(2,1) nx(1,1) r(1,1)");
    expect(&t, 2, 0, PS_NEUTRAL, "d1*2");
    expect(&t, 3, 1, PS_NEUTRAL, "x(2,1) nx(1,1) r(1,2) d2");
    expect(&t, 3, 2, PS_NEUTRAL, "x(2,1) nx(1,1) d2");
    expect(&t, 3, 0, PS_NEUTRAL, "");
    expect(&t, 5, 1, PS_NEUTRAL, "r(1,3) r(2,1)");
    expect(&t, 5, 3, PS_NEUTRAL, "r(1,1) r(1,3)");
    expect(&t, 5, 2, PS_NEUTRAL, "r(2,1)");
    expect(&t, 5, 4, PS_NEUTRAL, "r(1,1)");
    expect(&t, 5, 0, PS_NEUTRAL, "d2*4");
    expect(&t, 8, 1, PS_NEUTRAL, "r(1,4) r(2,4)");
    expect(&t, 8, 0, PS_NEUTRAL, "d5*4 e*4");
    expect(&t, 9, 1, PS_PLUS, "r(1,4) r(2,4) c1");
    assert_int_equal(charged(&t, PS_PLUS), 4);
    expect(&t, 10, 0, PS_NEUTRAL, "r(1,4)*3 d7*4");
    assert_int_equal(charged(&t, PS_MINUS), 3);
    assert_int_equal(charged(&t, PS_PLUS), 1);
    expect(&t, 10, 2, PS_PLUS, "r(2,4) c1");
    expect(&t, 11, 1, PS_PLUS, "r(0,4) r(1,4) c2");
    expect(&t, 11, 3, PS_PLUS, "r(0,4)*2 c2");
    expect(&t, 13, 1, PS_PLUS, "r(0,4)*2 c3");
    expect(&t, 14, 0, PS_NEUTRAL, "d11*4 c3");
    expect(&t, 15, 0, PS_NEUTRAL, "d12*4 c4 t");
    expect(&t, 16, 0, PS_PLUS, "d13*4 c4");
    assert_int_equal(t.system.environment[ps_single(t.sat, PS_T)], 1);
    assert_int_equal(t.system.environment[t.rules.yes], 0);
    expect(&t, 17, 0, PS_MINUS, "d13*4");
    assert_int_equal(t.system.environment[t.rules.yes], 1);
    end(&t);
}

static void test_the_trace_of_a_contradiction(void **state)
{
    (void)state;
    trace t = begin(formula_of(2, 2, "1 0 -1 0"));
    go(&t, 16);
    assert_int_equal(t.system.environment[t.rules.no], 0);
    go(&t, 17);
    assert_int_equal(t.system.environment[t.rules.no], 1);
    assert_int_equal(t.system.environment[t.rules.yes], 0);
    end(&t);
}

/* Yes or No leaves at step 5n + 2m + 3, t a step before, in every system; and no choice is ever open. */
static void check_steps(trace *t)
{
    const int last = ps_steps(t->formula.n, t->formula.m);
    const uint64_t satisfying = formula_count(&t->formula);
    go(t, last - 2);
    assert_int_equal(t->system.environment[ps_single(t->sat, PS_T)], 0);
    go(t, last - 1);
    const uint32_t *environment = t->system.environment;
    assert_int_equal(environment[ps_single(t->sat, PS_T)], satisfying > 0);
    assert_int_equal(environment[t->rules.yes] + environment[t->rules.no], 0);
    go(t, last);
    environment = t->system.environment;
    assert_int_equal(environment[t->rules.yes], satisfying > 0);
    assert_int_equal(environment[t->rules.no], satisfying == 0);
    assert_int_equal(t->system.now.conflicts, 0);
    assert_int_equal(t->system.now.n_inner, 1 << t->formula.n);
}

static void test_steps(void **state)
{
    (void)state;
    static const char *const forms[] = {"", "-sat", "-unsat"};
    for (int n = 1; n <= 5; n++)
        for (int m = 4; m <= 8; m += 2)
            for (int form = 0; form < 3; form++) {
                char name[64];
                snprintf(name, sizeof name, "k%d-n%d-m%d%s", n < 2 ? 1 : 2, n, m, forms[form]);
                trace t = begin(formula_named(name));
                check_steps(&t);
                end(&t);
            }
    static const char *const odd[] = {"1 -1 0 2 -2 3 0", "1 1 2 0 0", "1 2 3 0 1 -2 -3 1 0"};
    for (int i = 0; i < 3; i++) {
        trace t = begin(formula_of(3, 2, odd[i]));
        check_steps(&t);
        end(&t);
    }
}

/* A system that halts: nothing applies any more. */
static void test_halting(void **state)
{
    (void)state;
    trace t = begin(formula_of(1, 1, "1 0"));
    bool halted = false;
    go(&t, 0);
    while (!halted) assert_int_equal(psr_step(&t.system, &halted).code, AB_OK);
    assert_in_range(t.system.step, 5 + 2 + 4, 5 + 2 + 20);
    end(&t);
}

static void add(ps_rules *rules, ps_rule rule)
{
    assert_int_equal(ps_rules_add(rules, rule).code, AB_OK);
}

/* Two objects that can leave: one of them must wait. And an object that can leave or evolve. */
static void test_open_choices_are_reported(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        ps_rules rules;
        psr_system system;
        bool halted;
        assert_int_equal(ps_rules_new(2, &rules).code, AB_OK);
        rules.yes = rules.no = 0;
        rules.initial[PS_INNER * 2] = 1;
        rules.initial[PS_INNER * 2 + 1] = variant == 0;
        add(&rules, (ps_rule){PS_SEND_OUT, PS_INNER, PS_NEUTRAL, 0, {0, PS_NO_OBJECT}, {PS_NEUTRAL, PS_NEUTRAL}});
        if (variant == 0)
            add(&rules, (ps_rule){PS_SEND_OUT, PS_INNER, PS_NEUTRAL, 1, {1, PS_NO_OBJECT}, {PS_NEUTRAL, PS_NEUTRAL}});
        else
            add(&rules, (ps_rule){PS_EVOLUTION, PS_INNER, PS_NEUTRAL, 0, {1, PS_NO_OBJECT}, {PS_NEUTRAL, PS_NEUTRAL}});
        assert_int_equal(psr_open(&rules, &system).code, AB_OK);
        assert_int_equal(psr_step(&system, &halted).code, AB_OK);
        assert_int_equal(system.now.conflicts, 1);
        assert_int_equal(system.now.objects[0], 1);
        psr_free(&system);
        ps_rules_free(&rules);
    }
}

static void test_two_rules_for_the_same_are_refused(void **state)
{
    (void)state;
    ps_rules rules;
    const ps_rule rule = {PS_EVOLUTION, PS_INNER, PS_NEUTRAL, 0, {1, PS_NO_OBJECT}, {PS_NEUTRAL, PS_NEUTRAL}};
    assert_int_equal(ps_rules_new(2, &rules).code, AB_OK);
    add(&rules, rule);
    assert_int_equal(ps_rules_add(&rules, rule).code, AB_BAD_INPUT);
    ps_rules_free(&rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_trace_of_a_satisfiable_formula),
        cmocka_unit_test(test_the_trace_of_a_contradiction),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_halting),
        cmocka_unit_test(test_open_choices_are_reported),
        cmocka_unit_test(test_two_rules_for_the_same_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
