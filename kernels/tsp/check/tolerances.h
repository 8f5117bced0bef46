/* What the rules of verification (kernels/tsp/check/verify.h) allow for floats. */
#ifndef ANTBENCH_TSP_TOLERANCES_H
#define ANTBENCH_TSP_TOLERANCES_H

/* Float deposits of up to n ants on one edge, in any order. */
#define TSP_VERIFY_PHEROMONE_TOLERANCE 1e-3

/* A product of floats, and a power of one. */
#define TSP_VERIFY_WEIGHT_TOLERANCE 1e-4

/* Far enough from where a float, times a random number and added up with others, ends. */
#define TSP_VERIFY_LEAST_WEIGHT 1e-27

#endif
