/* MAX-MIN Ant System for verification: its limits and its course, written a second time from the paper (Stützle & Hoos
 * 2000, section 3), in another form. All colonies use max_min.h, which explains them.
 */
#ifndef ANTBENCH_TSP_MAX_MIN_AGAIN_H
#define ANTBENCH_TSP_MAX_MIN_AGAIN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The upper limit, for a best tour of this length (one of 0 counts as 1). */
static inline double tsp_max_min_again_most(double rho, int64_t best_length)
{
    return 1.0 / rho / (double)(best_length > 1 ? best_length : 1);
}

/* The ratio of the lower limit to the upper one. The best tour has probability 0.05 if each of its n cities is
 * chosen with probability p, so 1/p = 20^(1/n). Against it are n/2 - 1 other cities with this share of its edge's
 * pheromone: p = 1/(1 + (n/2 - 1) share). */
static inline double tsp_max_min_again_share(int n)
{
    return n > 2 ? fmin(expm1(log(20.0) / n) / (0.5 * n - 1.0), 1.0) : 1.0;
}

/* Zeroed at first. */
typedef struct tsp_max_min_again {
    int age;                    /* iterations since all edges had the upper limit */
    int waiting;                /* ... or since the last better tour, if that is less */
    bool restarts, best_so_far; /* what this iteration does: neither, its own best tour deposits */
} tsp_max_min_again;

static inline void tsp_max_min_again_go_on(tsp_max_min_again *course, bool better, int patience)
{
    static const struct {
        int upto, every;
    } schedule[] = {{25, INT32_MAX}, {75, 5}, {125, 3}, {250, 2}, {INT32_MAX, 1}};
    int part = 0;
    course->age++;
    course->waiting = better ? 0 : course->waiting + 1;
    course->restarts = patience > 0 && course->waiting >= patience;
    if (course->restarts) course->age = course->waiting = 0;
    while (course->age > schedule[part].upto) part++;
    course->best_so_far = !course->restarts && course->age % schedule[part].every == 0;
}

#endif
