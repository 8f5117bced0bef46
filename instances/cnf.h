/* Formulas in conjunctive normal form: reading DIMACS files, drawing random ones, and what a user calls them. */
#ifndef ANTBENCH_CNF_H
#define ANTBENCH_CNF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CNF_MOST = 1000000 }; /* variables, and clauses, of a formula */

typedef struct cnf_formula {
    char name[64];     /* the file's without .cnf; "2^13", "k3-n20-m91" */
    int n;             /* variables x_1 .. x_n */
    int m;             /* clauses */
    int n_literals;    /* number in all clauses together, without repeated ones */
    int32_t *literals; /* [n_literals], clause by clause: j for x_j, -j for not x_j */
    int32_t *first;    /* [m + 1]: where the literals of a clause begin */
    int repeated;      /* literals that were left out because their clause has them already */
    int tautologies;   /* clauses with a variable and its negation, which are kept */
    bool stand_in;     /* drawn, not read from a file */
    char path[1024];   /* the file it was read from; empty for what was drawn */
    char sha256[65];   /* hash of that file, or of literals and first; hexadecimal */
} cnf_formula;

/* Loads what a user calls `name`:
 *   "2^13"                       JSC's experiment with 2^13 membranes, as far as JSC §4 describes it: a random formula
 *   of
 *                                13 variables and 256 literals, 200 from 22 variables on, in clauses of 4
 *   "k3-n20-m91"                 a random formula of 20 variables and 91 clauses of 3 literals each,
 *   "-sat", "-unsat" after that  that has a solution planted, or a contradiction; "-7" at the end: another such formula
 *   "uf20"                       uf20.cnf in $CNF_DIR, else in instances/cnf/ of the project's folder (base/root.h)
 *   "x.cnf", "a/b"               the file at this path
 * AB_BAD_INPUT for anything else. Free with cnf_free. */
ab_status cnf_load(const char *name, cnf_formula *formula);

/* Whether there is something called `name` to load: AB_OK, or the AB_BAD_INPUT of cnf_load. Files are not opened. */
ab_status cnf_check_name(const char *name);

/* Reads a DIMACS file: comments, "p cnf VARIABLES CLAUSES", then clauses that end with 0, over lines as they like. A
 * line that begins with % ends the file, as in SATLIB's. 1 to CNF_MOST variables and clauses; a clause may be empty.
 * Errors, which leave *formula zeroed: AB_BAD_INPUT "file:line: what is wrong", AB_FAILED for what cannot be opened or
 * read. */
ab_status cnf_read(const char *path, cnf_formula *formula);

typedef enum cnf_planting { CNF_RANDOM, CNF_SATISFIABLE, CNF_UNSATISFIABLE } cnf_planting;

/* How a formula is drawn: m clauses, each with k different variables out of n. Every literal is negated with
 * probability 1/2. SATISFIABLE: clauses that a random assignment, drawn first, does not satisfy are drawn again.
 * UNSATISFIABLE: 2^k of the clauses are all clauses of the same k variables. */
typedef struct cnf_draw {
    int n, m, k; /* 1 <= k <= n <= CNF_MOST, k <= 16; 1 <= m <= CNF_MOST, and 2^k <= m for UNSATISFIABLE */
    cnf_planting planting;
    uint64_t seed;
} cnf_draw;

/* One cnf_draw gives one formula on every machine. AB_BAD_INPUT where it is out of range. The name is left empty. */
ab_status cnf_generate(const cnf_draw *draw, cnf_formula *formula);

void cnf_free(cnf_formula *formula); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif
#endif
