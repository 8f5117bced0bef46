/* What a mistyped name was probably meant to be. */
#ifndef ANTBENCH_NAMES_H
#define ANTBENCH_NAMES_H

/* The candidate (NULL-terminated list) with the least edit distance to `name`, the first of equals, or NULL if none is
 * near: more than a third of the name would have to change, and more than two letters. What precedes a candidate's
 * slash may be missing: "ds-roulette" is near "tsp/ds-roulette". */
const char *ab_nearest_name(const char *name, const char *const *candidates);

#endif
