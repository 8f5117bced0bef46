/* What the tables of kernels stand for: the rate at which each row chooses each city, read back from clocks and alias
 * tables. */
#ifndef ANTBENCH_PLANTED_TSP_TABLES_H
#define ANTBENCH_PLANTED_TSP_TABLES_H

#include "kernels/tsp/tsp.h"

/* Of the last stage "choice". rate: [n][n], the row's own city's being what is thrown away; an entry of an alias table
 * counts with all that it gives. */
typedef struct tsp_tables {
    double *rate;
    double *unit; /* [n]: the rate of the smallest share that a table has, 2^-16 of a bucket; 0 without a table */
} tsp_tables;

#ifdef __cplusplus
extern "C" {
#endif

/* Rungs that do as the registry's do, and show their tables. Set first where they are shown. */
extern tsp_tables planted_tables;
ab_open planted_race_with_tables, planted_coded_rows_with_tables, planted_sparse_with_tables;

#ifdef __cplusplus
}
#endif
#endif
