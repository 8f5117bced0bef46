/* MAX-MIN Ant System (Stützle & Hoos, Future Generation Computer Systems 16, 2000), protocol=mmas: one ant deposits,
 * and the pheromone of every edge stays between limits. What CPU and GPU go by; max_min_again.h is verification's own.
 *
 * An iteration's update, with L the length of the best tour so far, this iteration's among them:
 *   most   = 1/(rho L), what an edge of every best tour tends to
 *   least  = most (1 - p)/((n/2 - 1) p), p the n-th root of 0.05: once all edges are at a limit, a tour is the best one
 *            with probability 0.05, n/2 being the cities that a step has to choose among on average (their section 3)
 *   every edge has (1 - rho) tau, and 1/length more on the tour that deposits, cut to [least, most]
 * The iteration's best tour deposits, and more and more often the best so far in its place: never in 25 iterations,
 * then in each 5th up to 75, 3rd up to 125, 2nd up to 250, and in all. After `patience` iterations without a better
 * tour every edge has `most` again, as at first with the length of a nearest-neighbour tour for L, and the count begins
 * anew.
 */
#ifndef ANTBENCH_TSP_MAX_MIN_H
#define ANTBENCH_TSP_MAX_MIN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define MAX_MIN_BOTH static inline __host__ __device__
#else
#define MAX_MIN_BOTH static inline
#endif

/* The limits of the pheromone, for a best tour of this length (one of 0 counts as 1). */
typedef struct max_min_limits {
    double least, most;
} max_min_limits;

MAX_MIN_BOTH max_min_limits max_min_limits_of(int n, double rho, int64_t best_length)
{
    const double most = 1.0 / (rho * (best_length > 0 ? (double)best_length : 1.0)), p = pow(0.05, 1.0 / n);
    const double choices = n / 2.0 - 1.0, least = choices > 0.0 ? most * (1.0 - p) / (choices * p) : most;
    max_min_limits limits = {least < most ? least : most, most};
    return limits;
}

/* How far a run has come; zeroed at first. Iterations are counted from 1. */
typedef struct max_min_course {
    int64_t begun;  /* the last iteration that made all edges equal, 0 for the beginning */
    int64_t better; /* the last one that found a better tour */
} max_min_course;

/* What an iteration's update does. */
typedef enum max_min_step {
    MAX_MIN_ITERATION_BEST, /* this iteration's best tour deposits */
    MAX_MIN_BEST_SO_FAR,    /* the best of all does */
    MAX_MIN_RESTART         /* every edge has `most` */
} max_min_step;

/* Goes on to this iteration, which has found a `better` tour than those before or not. patience 0 waits for ever. */
MAX_MIN_BOTH max_min_step max_min_go_on(max_min_course *course, int64_t iteration, bool better, int patience)
{
    if (better) course->better = iteration;
    const int64_t last = course->better > course->begun ? course->better : course->begun,
                  age = iteration - course->begun;
    if (patience > 0 && iteration - last >= patience) {
        course->begun = iteration;
        return MAX_MIN_RESTART;
    }
    const int each = age <= 25 ? 0 : age <= 75 ? 5 : age <= 125 ? 3 : age <= 250 ? 2 : 1;
    return each > 0 && age % each == 0 ? MAX_MIN_BEST_SO_FAR : MAX_MIN_ITERATION_BEST;
}

#endif
