/* `antbench solve FILE.tsp`: a good tour in a given time (tours/solve.h), written as a TSPLIB .tour. */
#ifndef ANTBENCH_BENCH_SOLVE_H
#define ANTBENCH_BENCH_SOLVE_H

/* The command line, whole; returns the exit code. */
int ab_solve_main(int argc, char **argv);

#endif
