/* Finds a good tour in a given time, on all cores.
 *
 * Threads search in rounds (tours/search.h). With few cities each thread has the whole tour, and the best tour goes
 * into the next round. Later it goes into cycles, each twice as long as the one before. In a cycle the threads' tours
 * may become longer while the temperature falls. With many cities each thread has parts of the tour, whose ends stay
 * fixed. In the next round the parts begin elsewhere. So no thread's gain is lost, and its arrays are smaller. */
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
    void *context; /* argument of both */
} solve_options;

typedef struct solve_result {
    int64_t length;
    double seconds;        /* it took, */
    double cpu_s;          /* ... and of the CPU's time, on all threads, which is less where others are running */
    int64_t kicks, rounds; /* numbers over all threads */
} solve_result;

/* tour[n]: the cities in the order of the tour that was found. The instance is a located one. One thread does the same
 * at each call, as far as its time reaches; several do not. AB_FAILED or AB_UNSUPPORTED where there is no memory. */
ab_status solve(const tsp_instance *cities, const solve_options *options, int32_t *tour, solve_result *result);

#endif
