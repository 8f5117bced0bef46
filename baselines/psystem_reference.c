/* psystem/reference: exact and slow (baselines/psystem_reference.h). A membrane chooses first the one rule that is no
 * evolution, of its own objects or of the skin's, then all its other objects evolve that can. */
#include <stdlib.h>
#include <string.h>

#include "baselines/psystem_reference.h"
#include "operations/psystem.h"

psystem_open psystem_reference;

/* ---- The system ---- */

static ab_status make_room(psr_system *system, int64_t membranes)
{
    const size_t row = (size_t)system->rules->n_objects * sizeof(uint32_t), rows = (size_t)membranes;
    uint32_t *objects = realloc(system->now.objects, rows * row);
    if (objects) system->now.objects = objects;
    uint8_t *charges = realloc(system->now.charges, rows);
    if (charges) system->now.charges = charges;
    uint32_t *next = realloc(system->next, rows * row);
    if (next) system->next = next;
    if (!objects || !charges || !next)
        return ab_unsupported("needs %zu MiB for %lld membranes", 2 * rows * row >> 20, (long long)membranes);
    system->room = membranes;
    return ab_ok();
}

ab_status psr_open(const ps_rules *rules, psr_system *system)
{
    const size_t n_objects = (size_t)rules->n_objects;
    *system = (psr_system){.rules = rules, .now = {.n_objects = rules->n_objects, .n_inner = 1}};
    system->environment = calloc(n_objects, sizeof *system->environment);
    if (!system->environment) return ab_failed("out of memory");
    AB_TRY(make_room(system, 2));
    memcpy(system->now.objects, rules->initial, PS_LABELS * n_objects * sizeof *rules->initial);
    memset(system->now.charges, PS_NEUTRAL, PS_LABELS);
    return ab_ok();
}

void psr_free(psr_system *system)
{
    ps_configuration_free(&system->now);
    free(system->next);
    free(system->environment);
    *system = (psr_system){0};
}

static uint32_t *row_of(const psr_system *system, uint32_t *rows, int64_t membrane)
{
    return rows + membrane * system->rules->n_objects;
}

/* ---- A step ---- */

/* The rule other than evolution among the rules that a membrane's own objects have, or NULL. */
static const ps_rule *choose_own(psr_system *system, ps_label label, int64_t membrane)
{
    const ps_rules *rules = system->rules;
    const uint32_t *row = row_of(system, system->now.objects, membrane);
    const ps_charge charge = system->now.charges[membrane];
    int chosen = -1;
    for (int object = 0; object < rules->n_objects; object++) {
        if (row[object] == 0) continue;
        const int out = ps_find(rules, PS_SEND_OUT, label, charge, object);
        const int divide = ps_find(rules, PS_DIVISION, label, charge, object);
        const int evolution = ps_find(rules, PS_EVOLUTION, label, charge, object), one = out >= 0 ? out : divide;
        if (one < 0) continue;
        system->now.conflicts += (chosen >= 0) + (out >= 0 && divide >= 0) + (evolution >= 0);
        if (chosen < 0) chosen = one;
    }
    return chosen < 0 ? NULL : &rules->rules[chosen];
}

/* An object of the skin that can enter the membrane, and which of the skin's that are left have none to spare. */
static const ps_rule *choose_entering(psr_system *system, int64_t membrane, const uint32_t *left)
{
    const ps_rules *rules = system->rules;
    const uint32_t *skin = system->now.objects;
    int chosen = -1;
    for (int object = 0; object < rules->n_objects; object++) {
        if (skin[object] == 0) continue;
        const int in = ps_find(rules, PS_SEND_IN, PS_INNER, system->now.charges[membrane], object);
        if (in < 0) continue;
        system->now.conflicts += chosen >= 0 || left[object] == 0 ||
                                 ps_find(rules, PS_EVOLUTION, PS_SKIN, system->now.charges[0], object) >= 0;
        if (chosen < 0 && left[object] > 0) chosen = in;
    }
    return chosen < 0 ? NULL : &rules->rules[chosen];
}

/* What is left in a row evolves, or stays; returns whether anything evolved. */
static bool evolve(const psr_system *system, ps_label label, ps_charge charge, const uint32_t *left, uint32_t *next)
{
    const ps_rules *rules = system->rules;
    bool any = false;
    for (int object = 0; object < rules->n_objects; object++) {
        const int found = left[object] ? ps_find(rules, PS_EVOLUTION, label, charge, object) : -1;
        any |= found >= 0;
        if (found < 0) next[object] += left[object];
        for (int i = 0; found >= 0 && i < 2; i++) {
            const int product = rules->rules[found].products[i];
            if (product != PS_NO_OBJECT) next[product] += left[object];
        }
    }
    return any;
}

/* The other half of a membrane that divides: a copy of what is next in it, with its own product. */
static ab_status divide(psr_system *system, const ps_rule *rule, int64_t membrane, int64_t *n_membranes)
{
    if (*n_membranes == system->room) AB_TRY(make_room(system, 2 * system->room));
    const int64_t half = (*n_membranes)++;
    uint32_t *one = row_of(system, system->next, membrane), *other = row_of(system, system->next, half);
    memcpy(other, one, (size_t)system->rules->n_objects * sizeof *one);
    one[rule->products[0]]++;
    other[rule->products[1]]++;
    system->now.charges[half] = (uint8_t)rule->after[1];
    return ab_ok();
}

/* One inner membrane; `skin` are the skin's objects that no membrane has taken yet. */
static ab_status step_membrane(psr_system *system, int64_t membrane, uint32_t *skin, int64_t *n_membranes, bool *any)
{
    const ps_charge charge = system->now.charges[membrane];
    uint32_t *row = row_of(system, system->now.objects, membrane), *next = row_of(system, system->next, membrane);
    const ps_rule *entering = choose_entering(system, membrane, skin), *rule = choose_own(system, PS_INNER, membrane);
    system->now.conflicts += rule && entering;
    if (rule) row[rule->object]--;
    if (!rule && entering) skin[(rule = entering)->object]--;
    *any |= evolve(system, PS_INNER, charge, row, next) || rule != NULL;
    if (!rule) return ab_ok();
    system->now.charges[membrane] = (uint8_t)rule->after[0];
    if (rule->kind == PS_SEND_OUT) system->next[rule->products[0]]++;
    if (rule->kind == PS_SEND_IN) next[rule->products[0]]++;
    return rule->kind == PS_DIVISION ? divide(system, rule, membrane, n_membranes) : ab_ok();
}

/* The skin, of whose objects `skin` have not entered a membrane. */
static void step_skin(psr_system *system, uint32_t *skin, bool *any)
{
    const ps_charge charge = system->now.charges[0];
    memcpy(system->now.objects, skin, (size_t)system->rules->n_objects * sizeof *skin);
    const ps_rule *rule = choose_own(system, PS_SKIN, 0);
    if (rule) {
        skin[rule->object]--;
        system->environment[rule->products[0]]++;
        system->now.charges[0] = (uint8_t)rule->after[0];
    }
    *any |= evolve(system, PS_SKIN, charge, skin, system->next) || rule != NULL;
}

ab_status psr_step(psr_system *system, bool *halted)
{
    const size_t n_objects = (size_t)system->rules->n_objects, row = n_objects * sizeof(uint32_t);
    int64_t n_membranes = 1 + system->now.n_inner;
    bool any = false;
    uint32_t *skin = malloc(row);
    if (!skin) return ab_failed("out of memory");
    memcpy(skin, system->now.objects, row);
    memset(system->next, 0, (size_t)n_membranes * row);
    ab_status status = ab_ok();
    for (int64_t q = 1; q <= system->now.n_inner && status.code == AB_OK; q++)
        status = step_membrane(system, q, skin, &n_membranes, &any);
    step_skin(system, skin, &any);
    free(skin);
    uint32_t *const was = system->now.objects;
    system->now.objects = system->next;
    system->next = was;
    system->now.n_inner = n_membranes - 1;
    system->step++;
    *halted = !any;
    return status;
}

/* ---- As an implementation ---- */

typedef struct reference {
    ps_system base; /* first */
    ps_sat sat;
    ps_params params;
    ps_rules rules;
    psr_system system; /* system of the last run; zeroed before the first */
} reference;

static bool has_left(const reference *r)
{
    return r->system.environment[r->rules.yes] + r->system.environment[r->rules.no] > 0;
}

static ab_status run_stage(ab_work *work, int stage)
{
    reference *r = (reference *)work;
    bool halted = false;
    (void)stage;
    psr_free(&r->system);
    AB_TRY(psr_open(&r->rules, &r->system));
    while (!halted && !has_left(r) && !(r->params.steps > 0 && r->system.step == r->params.steps))
        AB_TRY(psr_step(&r->system, &halted));
    return ab_ok();
}

/* A membrane that satisfies the formula has sent out a c_{m+1}, of which all became c_{m+2} and one of these Yes. */
static ab_status result(ps_system *system, ps_result *found)
{
    const reference *r = (const reference *)system;
    *found = (ps_result){.yes = r->system.environment[r->rules.yes] > 0};
    found->satisfying = r->system.now.objects[ps_c(r->sat, r->sat.m + 2)] + (found->yes ? 1u : 0u);
    found->steps = has_left(r) ? r->system.step : 0;
    return ab_ok();
}

static ab_status poison(ps_system *system)
{
    psr_free(&((reference *)system)->system);
    return ab_ok();
}

static ab_status configuration(ps_system *system, ps_configuration *copy)
{
    const ps_configuration *now = &((const reference *)system)->system.now;
    const size_t rows = (size_t)(1 + now->n_inner), row = (size_t)now->n_objects * sizeof *now->objects;
    *copy = *now;
    copy->charges = malloc(rows);
    copy->objects = malloc(rows * row);
    if (!copy->charges || !copy->objects) {
        ps_configuration_free(copy);
        return ab_failed("out of memory");
    }
    memcpy(copy->charges, now->charges, rows);
    memcpy(copy->objects, now->objects, rows * row);
    return ab_ok();
}

static void close_reference(ab_work *work)
{
    reference *r = (reference *)work;
    if (!r) return;
    psr_free(&r->system);
    ps_rules_free(&r->rules);
    free(r);
}

ab_status psystem_reference(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ab_work_methods work_methods = {1, {"steps"}, run_stage, close_reference};
    static const ps_methods methods = {.result = result, .poison = poison, .configuration = configuration};
    AB_TRY(ps_check(params));
    AB_TRY(ps_check_formula(formula));
    reference *r = calloc(1, sizeof *r);
    if (!r) return ab_failed("out of memory");
    r->base = (ps_system){{.methods = &work_methods}, &methods};
    r->sat = (ps_sat){formula->n, formula->m};
    r->params = *params;
    const ab_status status = ps_sat_rules(formula, &r->rules);
    if (status.code != AB_OK)
        close_reference(&r->base.work);
    else
        *opened = &r->base;
    return status;
}
