/* Rule sets (kernels/psystem/rules.h). The comments number the rules of the family as Pérez-Jiménez et al. 2003 do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/psystem/rules.h"

enum { MOST_OBJECTS = 1 << 24 };

ab_status ps_rules_new(int n_objects, ps_rules *rules)
{
    const size_t objects = (size_t)n_objects, cells = (size_t)(PS_KINDS * PS_LABELS * PS_CHARGES) * objects;
    *rules = (ps_rules){.n_objects = n_objects, .yes = PS_NO_OBJECT, .no = PS_NO_OBJECT};
    rules->find = malloc(cells * sizeof *rules->find);
    rules->initial = calloc(PS_LABELS * objects, sizeof *rules->initial);
    if (!rules->find || !rules->initial) return ab_failed("out of memory for an alphabet of %d objects", n_objects);
    for (size_t i = 0; i < cells; i++) rules->find[i] = -1;
    return ab_ok();
}

void ps_rules_free(ps_rules *rules)
{
    free(rules->rules);
    free(rules->find);
    free(rules->initial);
    *rules = (ps_rules){0};
}

ab_status ps_rules_add(ps_rules *rules, ps_rule rule)
{
    const int kind = (int)rule.kind, label = (int)rule.label, charge = (int)rule.charge;
    int32_t *found = &rules->find[((kind * PS_LABELS + label) * PS_CHARGES + charge) * rules->n_objects + rule.object];
    if (*found >= 0)
        return ab_bad_input("object %d has two rules of kind %d at label %d, charge %d", rule.object, rule.kind,
                            rule.label, rule.charge);
    if (rules->n_rules == rules->room) {
        rules->room = 2 * rules->room + 64;
        ps_rule *grown = realloc(rules->rules, (size_t)rules->room * sizeof *grown);
        if (!grown) return ab_failed("out of memory for %d rules", rules->room);
        rules->rules = grown;
    }
    *found = rules->n_rules;
    rules->rules[rules->n_rules++] = rule;
    return ab_ok();
}

/* ---- The family for SAT ---- */

int ps_steps(int n, int m)
{
    return 5 * n + 2 * m + 3;
}

void ps_object_name(ps_sat s, int object, char name[32])
{
    static const char *const singles[] = {"e", "t", "Yes", "No"};
    const int to_nx = ps_nx(s, 1, 1), to_r = ps_r(s, 0, 1), to_d = ps_d(s, 1), to_c = ps_c(s, 1),
              to_single = ps_single(s, PS_E);
    if (object >= to_single)
        snprintf(name, 32, "%s", singles[object - to_single]);
    else if (object >= to_c)
        snprintf(name, 32, "c%d", object - to_c + 1);
    else if (object >= to_d)
        snprintf(name, 32, "d%d", object - to_d + 1);
    else if (object >= to_r)
        snprintf(name, 32, "r(%d,%d)", (object - to_r) / (2 * s.n), (object - to_r) % (2 * s.n) + 1);
    else
        snprintf(name, 32, "%s(%d,%d)", object >= to_nx ? "nx" : "x", object % to_nx / s.n + 1, object % s.n + 1);
}

static ab_status evolve(ps_rules *rules, ps_label label, ps_charge charge, int object, int to)
{
    return ps_rules_add(rules, (ps_rule){PS_EVOLUTION, label, charge, object, {to, PS_NO_OBJECT}, {charge, charge}});
}

static ab_status send(ps_rules *rules, ps_kind kind, ps_label label, ps_charge charge, int object, ps_charge after,
                      int to)
{
    return ps_rules_add(rules, (ps_rule){kind, label, charge, object, {to, PS_NO_OBJECT}, {after, after}});
}

/* Rules 1 and 4: the clock d divides the membranes n times, a variable a time. */
static ab_status add_division(ps_sat s, ps_rules *rules)
{
    for (int k = 1; k <= s.n; k++) {
        const int d = ps_d(s, k);
        AB_TRY(ps_rules_add(rules, (ps_rule){PS_DIVISION, PS_INNER, PS_NEUTRAL, d, {d, d}, {PS_PLUS, PS_MINUS}}));
        AB_TRY(send(rules, PS_SEND_OUT, PS_INNER, PS_PLUS, d, PS_NEUTRAL, d));
        AB_TRY(send(rules, PS_SEND_OUT, PS_INNER, PS_MINUS, d, PS_NEUTRAL, d));
        if (k < s.n) AB_TRY(send(rules, PS_SEND_IN, PS_INNER, PS_NEUTRAL, d, PS_NEUTRAL, ps_d(s, k + 1)));
    }
    return ab_ok();
}

/* Rules 2 and 3: a literal of the variable whose turn it is becomes r where it is true, else nothing. */
static ab_status add_literals(ps_sat s, ps_rules *rules)
{
    for (int i = 1; i <= s.m; i++) {
        AB_TRY(evolve(rules, PS_INNER, PS_PLUS, ps_x(s, i, 1), ps_r(s, i, 1)));
        AB_TRY(evolve(rules, PS_INNER, PS_MINUS, ps_nx(s, i, 1), ps_r(s, i, 1)));
        AB_TRY(evolve(rules, PS_INNER, PS_MINUS, ps_x(s, i, 1), PS_NO_OBJECT));
        AB_TRY(evolve(rules, PS_INNER, PS_PLUS, ps_nx(s, i, 1), PS_NO_OBJECT));
        for (int j = 2; j <= s.n; j++)
            for (ps_charge charge = PS_PLUS; charge <= PS_MINUS; charge++) {
                AB_TRY(evolve(rules, PS_INNER, charge, ps_x(s, i, j), ps_x(s, i, j - 1)));
                AB_TRY(evolve(rules, PS_INNER, charge, ps_nx(s, i, j), ps_nx(s, i, j - 1)));
            }
    }
    return ab_ok();
}

/* Rules 5 and 6: every r waits for the youngest; d and e count the steps in the skin. */
static ab_status add_synchronization(ps_sat s, ps_rules *rules)
{
    const int n = s.n, m = s.m, e = ps_single(s, PS_E);
    for (int i = 0; i <= m; i++)
        for (int k = 1; k <= 2 * n - 1; k++)
            AB_TRY(evolve(rules, PS_INNER, PS_NEUTRAL, ps_r(s, i, k), ps_r(s, i, k + 1)));
    for (int k = n; k <= 3 * n + 2 * m + 2; k++) {
        const int also = k == 3 * n - 2 ? e : PS_NO_OBJECT;
        AB_TRY(ps_rules_add(
            rules,
            (ps_rule){
                PS_EVOLUTION, PS_SKIN, PS_NEUTRAL, ps_d(s, k), {ps_d(s, k + 1), also}, {PS_NEUTRAL, PS_NEUTRAL}}));
    }
    return send(rules, PS_SEND_IN, PS_INNER, PS_NEUTRAL, e, PS_PLUS, ps_c(s, 1));
}

/* Rule 7: two steps a clause. Where r(1,2n) is there it goes out and comes back as r(0,2n), and meanwhile c counts and
 * the others move down a clause. */
static ab_status add_check_out(ps_sat s, ps_rules *rules)
{
    const int last = 2 * s.n, r = ps_r(s, 1, last);
    AB_TRY(send(rules, PS_SEND_OUT, PS_INNER, PS_PLUS, r, PS_MINUS, r));
    AB_TRY(send(rules, PS_SEND_IN, PS_INNER, PS_MINUS, r, PS_PLUS, ps_r(s, 0, last)));
    for (int i = 1; i <= s.m; i++) {
        AB_TRY(evolve(rules, PS_INNER, PS_MINUS, ps_r(s, i, last), ps_r(s, i - 1, last)));
        AB_TRY(evolve(rules, PS_INNER, PS_MINUS, ps_c(s, i), ps_c(s, i + 1)));
    }
    return ab_ok();
}

/* Rule 8. */
static ab_status add_output(ps_sat s, ps_rules *rules)
{
    const int c = ps_c(s, s.m + 1), past = ps_c(s, s.m + 2), t = ps_single(s, PS_T);
    AB_TRY(send(rules, PS_SEND_OUT, PS_INNER, PS_PLUS, c, PS_PLUS, c));
    AB_TRY(ps_rules_add(rules, (ps_rule){PS_EVOLUTION, PS_SKIN, PS_NEUTRAL, c, {past, t}, {PS_NEUTRAL, PS_NEUTRAL}}));
    AB_TRY(send(rules, PS_SEND_OUT, PS_SKIN, PS_NEUTRAL, t, PS_PLUS, t));
    AB_TRY(send(rules, PS_SEND_OUT, PS_SKIN, PS_PLUS, past, PS_MINUS, rules->yes));
    return send(rules, PS_SEND_OUT, PS_SKIN, PS_NEUTRAL, ps_d(s, 3 * s.n + 2 * s.m + 3), PS_PLUS, rules->no);
}

static void place_formula(const cnf_formula *formula, ps_sat s, uint32_t *inner)
{
    inner[ps_d(s, 1)] = 1;
    for (int i = 1; i <= s.m; i++)
        for (int l = formula->first[i - 1]; l < formula->first[i]; l++) {
            const int literal = formula->literals[l];
            inner[literal > 0 ? ps_x(s, i, literal) : ps_nx(s, i, -literal)] = 1;
        }
}

ab_status ps_sat_rules(const cnf_formula *formula, ps_rules *rules)
{
    const ps_sat s = {formula->n, formula->m};
    const double n_objects = 4.0 * s.n * s.m + 5.0 * s.n + 3.0 * s.m + 3 + 2 + PS_SINGLES;
    *rules = (ps_rules){0};
    if (n_objects > MOST_OBJECTS)
        return ab_unsupported("an alphabet of %.3g objects; single steps are simulated of up to %d", n_objects,
                              MOST_OBJECTS);
    AB_TRY(ps_rules_new((int)n_objects, rules));
    rules->yes = ps_single(s, PS_YES);
    rules->no = ps_single(s, PS_NO);
    place_formula(formula, s, rules->initial + (size_t)PS_INNER * (size_t)rules->n_objects);
    AB_TRY(add_division(s, rules));
    AB_TRY(add_literals(s, rules));
    AB_TRY(add_synchronization(s, rules));
    AB_TRY(add_check_out(s, rules));
    return add_output(s, rules);
}
