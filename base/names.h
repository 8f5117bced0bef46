/* Guesses what a mistyped name was meant to be. */
#ifndef ANTBENCH_NAMES_H
#define ANTBENCH_NAMES_H

#include <stdbool.h>

/* Returns the candidate (NULL-terminated list) with the smallest edit distance to `name`, the first among equals.
 * Returns NULL if more than a third of the name and more than two letters would have to change. The part before a
 * candidate's slash may be missing: "ds-roulette" is near "tsp/ds-roulette". */
const char *ab_nearest_name(const char *name, const char *const *candidates);

/* A search for a name among candidates, one after another. Start with {.name = name}. */
typedef struct ab_search {
    const char *name; /* name that is looked for */
    bool found;       /* true if a candidate has this name */
    char nearest[96]; /* nearest candidate so far, as ab_nearest_name finds it, or "" */
    int edits;        /* number of edits from the name to the nearest candidate */
} ab_search;

/* Looks at one more candidate; NULL is ignored. */
void ab_search_add(ab_search *search, const char *candidate);

/* Writes "; did you mean race?" to hint[128], or "" if no candidate is near. Returns hint. */
const char *ab_search_hint(const ab_search *search, char hint[128]);

#endif
