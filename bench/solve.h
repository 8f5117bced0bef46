/* `antbench solve FILE.tsp`: finds a good tour in a given time (tours/solve.h) and writes it as a TSPLIB .tour. */
#ifndef ANTBENCH_BENCH_SOLVE_H
#define ANTBENCH_BENCH_SOLVE_H

/* Runs the whole command line and returns the exit code. */
int ab_solve_main(int argc, char **argv);

#endif
