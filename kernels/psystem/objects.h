/* The objects of a membrane as words, one per literal of the formula. Implementations that keep membranes in memory and
 * know the family's rules share this (cpu-seq, baseline, enhanced, tiled). A literal is x(i,j) or nx(i,j), later r(i,k)
 * or absent; so a word has the kind, the clause i and the index j or k.
 */
#ifndef ANTBENCH_PSYSTEM_OBJECTS_H
#define ANTBENCH_PSYSTEM_OBJECTS_H

#include <stdint.h>

#include "kernels/psystem/rules.h"

enum {
    PS_KIND_SHIFT = 24,
    PS_CLAUSE_SHIFT = 8,
    PS_INDEX_MASK = 0xff,    /* j to 32, k to 64 */
    PS_CLAUSE_MASK = 0xffff, /* after the shift */
};

/* The kind of a literal: the charge under which it becomes an r. A word of 0 is an absent literal. */
enum { PS_KIND_X = PS_PLUS, PS_KIND_NX = PS_MINUS, PS_KIND_R = 3 };

static inline uint32_t ps_word(unsigned kind, unsigned clause, unsigned index)
{
    return kind << PS_KIND_SHIFT | clause << PS_CLAUSE_SHIFT | index;
}

/* cod(phi): words[n_literals], clause by clause. */
static inline void ps_encode(const cnf_formula *formula, uint32_t *words)
{
    for (int i = 1; i <= formula->m; i++)
        for (int l = formula->first[i - 1]; l < formula->first[i]; l++) {
            const int literal = formula->literals[l];
            words[l] = literal > 0 ? ps_word(PS_KIND_X, (unsigned)i, (unsigned)literal)
                                   : ps_word(PS_KIND_NX, (unsigned)i, (unsigned)-literal);
        }
}

#endif
