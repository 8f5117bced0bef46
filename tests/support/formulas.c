/* Formulas for tests (formulas.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/formulas.h"

cnf_formula formula_named(const char *name)
{
    cnf_formula formula;
    const ab_status status = cnf_load(name, &formula);
    if (status.code != AB_OK) fail_msg("%s: %s", name, status.reason);
    return formula;
}

cnf_formula formula_of(int n, int m, const char *clauses)
{
    char path[] = "/tmp/antbench-formula-XXXXXX.cnf";
    const int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    dprintf(descriptor, "p cnf %d %d\n%s\n", n, m, clauses);
    assert_int_equal(close(descriptor), 0);
    const cnf_formula formula = formula_named(path);
    assert_int_equal(unlink(path), 0);
    return formula;
}

bool formula_satisfied(const cnf_formula *formula, uint64_t q)
{
    for (int i = 0; i < formula->m; i++) {
        bool any = false;
        for (int l = formula->first[i]; l < formula->first[i + 1]; l++) {
            const int literal = formula->literals[l];
            const bool value = !(q >> (formula->n - abs(literal)) & 1);
            any |= literal > 0 ? value : !value;
        }
        if (!any) return false;
    }
    return true;
}

/* A clause is false where every variable of it has the one value that makes its literal false. */
typedef struct false_where {
    uint64_t variables, values; /* bits of q */
} false_where;

static false_where where_false(const cnf_formula *formula, int i)
{
    false_where where = {0, 0};
    for (int l = formula->first[i]; l < formula->first[i + 1]; l++) {
        const uint64_t bit = UINT64_C(1) << (formula->n - abs(formula->literals[l]));
        const uint64_t value = formula->literals[l] > 0 ? bit : 0;
        if (where.variables & bit && (where.values & bit) != value) return (false_where){0, 1}; /* nowhere */
        where.variables |= bit;
        where.values |= value;
    }
    return where;
}

uint64_t formula_count(const cnf_formula *formula)
{
    uint64_t count = 0;
    false_where *clauses = malloc((size_t)formula->m * sizeof *clauses);
    assert_non_null(clauses);
    for (int i = 0; i < formula->m; i++) clauses[i] = where_false(formula, i);
    for (uint64_t q = 0; q < UINT64_C(1) << formula->n; q++) {
        int i = 0;
        while (i < formula->m && (q & clauses[i].variables) != clauses[i].values) i++;
        count += i == formula->m;
    }
    free(clauses);
    return count;
}
