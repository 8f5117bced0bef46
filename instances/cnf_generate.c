/* Random formulas (instances/cnf.h), drawn in integer arithmetic alone. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/random.h"
#include "instances/clauses.h"

enum { MOST_PER_CLAUSE = 16 };

static ab_status check(const cnf_draw *draw)
{
    if (draw->n < 1 || draw->n > CNF_MOST || draw->m < 1 || draw->m > CNF_MOST)
        return ab_bad_input("a formula has 1 to %d variables and clauses, not %d and %d", CNF_MOST, draw->n, draw->m);
    if (draw->k < 1 || draw->k > MOST_PER_CLAUSE || draw->k > draw->n)
        return ab_bad_input("a clause has 1 to %d different variables of %d, not %d", MOST_PER_CLAUSE, draw->n,
                            draw->k);
    if (draw->planting == CNF_UNSATISFIABLE && draw->m < 1 << draw->k)
        return ab_bad_input("a contradiction in clauses of %d takes %d of them, not %d", draw->k, 1 << draw->k,
                            draw->m);
    return ab_ok();
}

/* The value of a variable in the planted solution, a bit of the seed and its number. */
static bool planted_value(const cnf_draw *draw, int variable)
{
    uint64_t state = draw->seed ^ (uint64_t)variable << 32;
    return splitmix64(&state) & 1;
}

static void draw_variables(const cnf_draw *draw, uint64_t *random, int *variables)
{
    for (int i = 0; i < draw->k;) {
        variables[i] = 1 + random_below(random, draw->n);
        int other = 0;
        while (variables[other] != variables[i]) other++;
        if (other == i) i++;
    }
}

/* Bit i of the result: variable i is negated. */
static unsigned draw_signs(const cnf_draw *draw, uint64_t *random, const int *variables)
{
    for (;;) {
        const unsigned negated = (unsigned)(splitmix64(random) >> (64 - draw->k));
        if (draw->planting != CNF_SATISFIABLE) return negated;
        for (int i = 0; i < draw->k; i++)
            if (planted_value(draw, variables[i]) != (negated >> i & 1)) return negated;
    }
}

static ab_status add_clause(cnf_clauses *clauses, int k, const int *variables, unsigned negated)
{
    for (int i = 0; i < k; i++) AB_TRY(cnf_clauses_add(clauses, negated >> i & 1 ? -variables[i] : variables[i]));
    cnf_clauses_close(clauses);
    return ab_ok();
}

/* A clause is one of the contradiction's with probability (those left) / (clauses left), so that all its are among
 * them. */
static ab_status draw_clauses(const cnf_draw *draw, cnf_clauses *clauses)
{
    uint64_t random = draw->seed;
    int core[MOST_PER_CLAUSE], variables[MOST_PER_CLAUSE];
    int n_core = draw->planting == CNF_UNSATISFIABLE ? 1 << draw->k : 0;
    draw_variables(draw, &random, core);
    for (int left = draw->m; left > 0; left--) {
        if (random_below(&random, left) < n_core) {
            AB_TRY(add_clause(clauses, draw->k, core, (unsigned)--n_core));
            continue;
        }
        draw_variables(draw, &random, variables);
        AB_TRY(add_clause(clauses, draw->k, variables, draw_signs(draw, &random, variables)));
    }
    return ab_ok();
}

static ab_status digest(cnf_formula *formula)
{
    const size_t literals = (size_t)formula->n_literals * sizeof *formula->literals;
    const size_t first = ((size_t)formula->m + 1) * sizeof *formula->first;
    char *both = malloc(literals + first);
    if (!both) return ab_failed("no memory for %d literals", formula->n_literals);
    memcpy(both, formula->literals, literals);
    memcpy(both + literals, formula->first, first);
    sha256_hex(both, literals + first, formula->sha256);
    free(both);
    return ab_ok();
}

ab_status cnf_generate(const cnf_draw *draw, cnf_formula *formula)
{
    cnf_clauses clauses;
    *formula = (cnf_formula){.n = draw->n, .m = draw->m, .stand_in = true};
    ab_status status = check(draw);
    if (status.code != AB_OK) return status;
    status = cnf_clauses_begin(&clauses, formula);
    if (status.code == AB_OK) status = draw_clauses(draw, &clauses);
    if (status.code == AB_OK) status = digest(formula);
    cnf_clauses_end(&clauses);
    if (status.code != AB_OK) cnf_free(formula);
    return status;
}
