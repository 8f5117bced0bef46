/* Formulas for tests of psystem, and what satisfies them by definition. */
#ifndef ANTBENCH_TEST_FORMULAS_H
#define ANTBENCH_TEST_FORMULAS_H

#include "instances/cnf.h"

/* What cnf_load makes of a name. Fails the cmocka test where it makes nothing. Free with cnf_free. */
cnf_formula formula_named(const char *name);

/* A formula from its clauses, "1 -2 0 2 0", as DIMACS has them. */
cnf_formula formula_of(int n, int m, const char *clauses);

/* Whether membrane q satisfies the formula: x_j is false where bit n - j of q is 1. One literal after another. */
bool formula_satisfied(const cnf_formula *formula, uint64_t q);

/* How many do. */
uint64_t formula_count(const cnf_formula *formula);

#endif
