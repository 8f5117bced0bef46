/* How ants choose where all edges weigh the same: every city that may be chosen is as likely as any other, whatever the
 * rule makes of weights. That shows in a few tours what no tour alone does: random numbers that are used twice, a part
 * of the wheel that is never drawn. */
#ifndef ANTBENCH_WHEEL_H
#define ANTBENCH_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/tsp/tsp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WHEEL_PARTS = 16,
    WHEEL_CHOICES = 20000 /* parts of the wheel; approximate number of choices of an iteration
                                                * that are looked at */
};

/* A tour among others. */
typedef struct tsp_wheel_tour {
    uint64_t hash;
    int iteration, ant;
} tsp_wheel_tour;

/* What has been chosen so far. A choice among k cities, in order of their indices, takes 1/k of the wheel. */
typedef struct tsp_wheel {
    double part[WHEEL_PARTS]; /* choices that took this sixteenth of it, a choice of several in proportion */
    double first, last;       /* choices of the first and of the last city of those that could be chosen */
    double end;               /* how many either should be: the sum of 1/k */
    double choices, tours;    /* looked at */
    double bits;              /* bits of chance in the choices: the sum of log2(k) */
    tsp_wheel_tour *all;      /* [n_all]: of every ant and iteration; the caller's, with room for them */
    int n_all;
} tsp_wheel;

/* Adds the tours [n_ants][n + 1] of an iteration in which all edges weighed the same; mark[n] is scratch. */
void tsp_wheel_add(tsp_wheel *wheel, const tsp_problem *problem, const int32_t *tours, int n_ants, int iteration,
                   bool *mark);

/* AB_OK, or AB_FAILED if two tours are equal, or if a part of the wheel or one of its ends was drawn much more or
 * less often than the others. A right implementation fails less than once in 10^7 times. It sorts wheel->all. */
ab_status tsp_wheel_check(tsp_wheel *wheel);

/* AB_OK, or AB_FAILED if an ant's tour [n + 1] differs from the tour of the all-zero rule from its first city.
 * mark[n] is scratch. */
ab_status tsp_wheel_check_nearest(const tsp_problem *problem, const int32_t *tour, bool *mark);

#ifdef __cplusplus
}
#endif
#endif
