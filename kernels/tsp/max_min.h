/* MAX-MIN Ant System (Stützle & Hoos, Future Generation Computer Systems 16, 2000), protocol=mmas. One ant deposits,
 * and the pheromone of every edge stays between limits. CPU and GPU use this header. max_min_again.h is the independent
 * version for verification.
 *
 * L is the length of the best tour so far, including this iteration. An iteration's update is:
 *   most   = 1/(rho L), which an edge of every best tour approaches
 *   least  = most (1 - p)/((n/2 - 1) p), p the n-th root of 0.05: once all edges are at a limit, a tour is the best one
 *            with probability 0.05; n/2 is the average number of cities to choose among in a step (their section 3)
 *   every edge has (1 - rho) tau, plus 1/length on the depositing tour, cut to [least, most]
 * Usually the iteration's best tour deposits. The best tour so far deposits instead more and more often. It never does
 * in 25 iterations, then in each 5th up to 75, 3rd up to 125, 2nd up to 250, then always. After `patience` iterations
 * without a better tour, every edge gets `most` again. At the start L is the length of a nearest-neighbour tour.
 */
#ifndef ANTBENCH_TSP_MAX_MIN_H
#define ANTBENCH_TSP_MAX_MIN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define TSP_MAX_MIN_BOTH static inline __host__ __device__
#else
#define TSP_MAX_MIN_BOTH static inline
#endif

/* The limits of the pheromone for a best tour of this length (0 counts as 1). */
typedef struct tsp_max_min_limits {
    double least, most;
} tsp_max_min_limits;

TSP_MAX_MIN_BOTH tsp_max_min_limits tsp_max_min_limits_of(int n, double rho, int64_t best_length)
{
    const double most = 1.0 / (rho * (best_length > 0 ? (double)best_length : 1.0)), p = pow(0.05, 1.0 / n);
    const double choices = n / 2.0 - 1.0, least = choices > 0.0 ? most * (1.0 - p) / (choices * p) : most;
    tsp_max_min_limits limits = {least < most ? least : most, most};
    return limits;
}

/* The progress of a run, zeroed at first. Iterations are counted from 1. */
typedef struct tsp_max_min_course {
    int64_t begun;  /* last iteration that made all edges equal; 0: the start */
    int64_t better; /* last iteration that found a better tour */
} tsp_max_min_course;

/* What an iteration's update does. */
typedef enum tsp_max_min_step {
    TSP_MAX_MIN_ITERATION_BEST, /* this iteration's best tour deposits */
    TSP_MAX_MIN_BEST_SO_FAR,    /* the best tour so far deposits */
    TSP_MAX_MIN_RESTART         /* every edge gets `most` */
} tsp_max_min_step;

/* Advances to this iteration, in which a `better` tour was found or not. patience 0: never restart. */
TSP_MAX_MIN_BOTH tsp_max_min_step tsp_max_min_go_on(tsp_max_min_course *course, int64_t iteration, bool better,
                                                    int patience)
{
    if (better) course->better = iteration;
    const int64_t last = course->better > course->begun ? course->better : course->begun,
                  age = iteration - course->begun;
    if (patience > 0 && iteration - last >= patience) {
        course->begun = iteration;
        return TSP_MAX_MIN_RESTART;
    }
    const int each = age <= 25 ? 0 : age <= 75 ? 5 : age <= 125 ? 3 : age <= 250 ? 2 : 1;
    return each > 0 && age % each == 0 ? TSP_MAX_MIN_BEST_SO_FAR : TSP_MAX_MIN_ITERATION_BEST;
}

#endif
