/* What a mistyped name was probably meant to be. */
#ifndef ANTBENCH_NAMES_H
#define ANTBENCH_NAMES_H

#include <stdbool.h>

/* The candidate (NULL-terminated list) with the least edit distance to `name`, the first of equals, or NULL if none is
 * near: more than a third of the name would have to change, and more than two letters. What precedes a candidate's
 * slash may be missing: "ds-roulette" is near "tsp/ds-roulette". */
const char *ab_nearest_name(const char *name, const char *const *candidates);

/* A name that is looked for among candidates, one after another: {.name = name} to begin with. */
typedef struct ab_search {
    const char *name; /* name that is looked for */
    bool found;       /* true if a candidate is called so */
    char nearest[96]; /* nearest candidate so far by the rule above, or "" */
    int edits;        /* edits from the name to the nearest */
} ab_search;

/* Looks at one candidate more; NULL is none. */
void ab_search_add(ab_search *search, const char *candidate);

/* "; did you mean race?" into hint[128], or "" where no candidate is near. Returns hint. */
const char *ab_search_hint(const ab_search *search, char hint[128]);

#endif
