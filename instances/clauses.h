/* A formula that grows literal by literal: for those who read and draw them. Inside instances/ only. */
#ifndef ANTBENCH_CLAUSES_H
#define ANTBENCH_CLAUSES_H

#include <stddef.h>

#include "instances/cnf.h"

typedef struct cnf_clauses {
    cnf_formula *formula; /* n and m are set; m counts those to come too */
    int n_closed;         /* clauses that have ended */
    size_t capacity;      /* literals there is room for */
    int32_t *seen;        /* [2n + 1] from -n on: the clause, from 1, that had this literal last */
    bool tautology;       /* the open clause has a variable and its negation */
} cnf_clauses;

/* Allocates for formula->n variables and formula->m clauses. cnf_clauses_end frees what is not the formula's. */
ab_status cnf_clauses_begin(cnf_clauses *clauses, cnf_formula *formula);
void cnf_clauses_end(cnf_clauses *clauses);

/* Adds a literal, -n .. n but 0, to the open clause, unless that has it. */
ab_status cnf_clauses_add(cnf_clauses *clauses, int literal);

/* Ends the open clause; fewer than m have ended. */
void cnf_clauses_close(cnf_clauses *clauses);

#endif
