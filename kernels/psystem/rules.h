/* Rule sets of P systems with active membranes: a skin, labelled 1, and inside of it membranes labelled 2, which
 * divide. It also has the family that solves SAT (Pérez-Jiménez, Romero-Jiménez & Sancho-Caparrini 2003), which JSC §3
 * simulates.
 *
 * In a step every membrane applies rules under the charge that it has when the step begins: any number of evolution
 * rules and at most one rule of another kind. It applies as many as it can (maximal parallelism). An object is consumed
 * once.
 */
#ifndef ANTBENCH_PSYSTEM_RULES_H
#define ANTBENCH_PSYSTEM_RULES_H

#include <stdint.h>

#include "instances/cnf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ps_kind {
    PS_EVOLUTION, /* [a -> b c]: inside; up to two products, none for lambda */
    PS_SEND_OUT,  /* [a] -> [ ]b: to the skin, of the skin to the environment */
    PS_SEND_IN,   /* a[ ] -> [b]: of the skin into an inner membrane */
    PS_DIVISION,  /* [a] -> [b][c]: of an inner membrane; all other objects go into both */
    PS_KINDS
} ps_kind;

typedef enum ps_label { PS_SKIN, PS_INNER, PS_LABELS } ps_label;

typedef enum ps_charge { PS_NEUTRAL, PS_PLUS, PS_MINUS, PS_CHARGES } ps_charge;

enum { PS_NO_OBJECT = -1 };

typedef struct ps_rule {
    ps_kind kind;
    ps_label label;     /* label of the membrane; for SEND_IN, of the membrane that the object enters */
    ps_charge charge;   /* charge that it has */
    int object;         /* consumed */
    int products[2];    /* or PS_NO_OBJECT; of a DIVISION one for each half; one of SEND_OUT, SEND_IN */
    ps_charge after[2]; /* the charge that it gets; of a DIVISION one for each half; EVOLUTION: as before */
} ps_rule;

typedef struct ps_rules {
    int n_objects;     /* number in the alphabet: objects are 0 .. n_objects-1 */
    ps_rule *rules;    /* [n_rules] */
    int n_rules, room; /* room: how many fit */
    int32_t *find;     /* [PS_KINDS][PS_LABELS][PS_CHARGES][n_objects]: the rule, or -1 */
    uint32_t *initial; /* [PS_LABELS][n_objects]: in the skin and in the one membrane inside, at the beginning */
    int yes, no;       /* a system halts when one of them has left the skin */
} ps_rules;

/* An empty rule set over an alphabet of n_objects. Free with ps_rules_free, also after an error. */
ab_status ps_rules_new(int n_objects, ps_rules *rules);
void ps_rules_free(ps_rules *rules);

/* AB_BAD_INPUT where there is such a rule for the same object, label and charge: the set would not be deterministic. */
ab_status ps_rules_add(ps_rules *rules, ps_rule rule);

/* The rule of this ps_kind for an object in (for SEND_IN: that would enter) a membrane of this label and charge; -1. */
static inline int ps_find(const ps_rules *rules, int kind, int label, int charge, int object)
{
    return rules->find[((kind * PS_LABELS + label) * PS_CHARGES + charge) * rules->n_objects + object];
}

/* ---- The family for SAT ---- */

/* The objects of the system for n variables and m clauses; i, j and k count from 1, but i of r from 0. */
typedef struct ps_sat {
    int n, m;
} ps_sat;

enum ps_single { PS_E, PS_T, PS_YES, PS_NO, PS_SINGLES };

static inline int ps_x(ps_sat s, int i, int j) /* x_j is in clause i; 1 <= i <= m, 1 <= j <= n */
{
    return (i - 1) * s.n + j - 1;
}
static inline int ps_nx(ps_sat s, int i, int j) /* not x_j is */
{
    return s.m * s.n + ps_x(s, i, j);
}
static inline int ps_r(ps_sat s, int i, int k) /* clause i is true; 0 <= i <= m, 1 <= k <= 2n */
{
    return 2 * s.m * s.n + i * 2 * s.n + k - 1;
}
static inline int ps_d(ps_sat s, int k) /* the clock; 1 <= k <= 3n + 2m + 3 */
{
    return ps_r(s, s.m + 1, k);
}
static inline int ps_c(ps_sat s, int k) /* clauses found true; 1 <= k <= m + 2 */
{
    return ps_d(s, 3 * s.n + 2 * s.m + 3 + k);
}
static inline int ps_single(ps_sat s, enum ps_single object)
{
    return ps_c(s, s.m + 3 + (int)object);
}

/* "x(1,2)", "Yes" */
void ps_object_name(ps_sat s, int object, char name[32]);

/* Steps until Yes or No leaves the skin: 5n + 2m + 3. */
int ps_steps(int n, int m);

/* The system of a formula. AB_UNSUPPORTED where its alphabet has more than 2^24 objects. */
ab_status ps_sat_rules(const cnf_formula *formula, ps_rules *rules);

#ifdef __cplusplus
}
#endif
#endif
