/* Finds a good tour in a given time, on all cores.
 *
 * Threads search in rounds (tours/search.h). With few cities each thread has the whole tour. With many cities each has
 * parts of one tour, whose ends stay fixed; in the next round the parts begin elsewhere. The search has four phases,
 * which end after 1/125, 1/25, 1/5 and all of the time. The first one keeps what is shorter. Each later phase anneals
 * the best tour several times: a tour may become longer while the temperature falls to 0. The annealed tours are a
 * population, which is crossed (tours/cross.h). Its best tour is kept. */
#ifndef ANTBENCH_SOLVE_H
#define ANTBENCH_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "tours/search.h"

typedef struct solve_options {
    double seconds; /* until when to search, from the call on */
    int64_t target; /* length at which the search ends; 0: no such length */
    uint64_t seed;
    int threads;
    search_moves moves;
    bool (*stops)(void *); /* whether to stop before that; any thread asks */
    /* Told of the tour before the first round and after each: its length, and seconds since the call. */
    void (*tell)(void *, const int32_t *tour, int64_t length, double seconds);
    bool watched;  /* true if tell is told of tours within a round too, if they are shorter by a thousandth; by any
                      thread, one after another */
    void *context; /* argument of both */
} solve_options;

typedef struct solve_result {
    int64_t length;
    double seconds;        /* it took, */
    double cpu_s;          /* ... and of the CPU's time, on all threads, which is less where others are running */
    int64_t kicks, rounds; /* numbers over all threads */
} solve_result;

/* tour[n]: the cities in the order of the tour that was found. The instance is a located one. Without a limit of
 * time, one thread does the same at each call; several do not. AB_FAILED or AB_UNSUPPORTED where there is no memory. */
ab_status solve(const tsp_instance *cities, const solve_options *options, int32_t *tour, solve_result *result);

#endif
