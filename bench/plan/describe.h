/* Prints what all drivers measure to stdout, for the report and INDEX.md. */
#ifndef ANTBENCH_DESCRIBE_H
#define ANTBENCH_DESCRIBE_H

#include "base/status.h"

/* --tables, as TSV: driver, program, file, table, heading, published. Includes drivers that contain errors. */
ab_status ab_describe_tables(void);
/* --sets, as CSV: set, members. Every driver must have passed ab_driver_check. */
ab_status ab_describe_sets(void);
/* --rows, as CSV: driver, table, row, implementation, instances, params, label, published, iterations. Every driver
 * must have passed ab_driver_check. Returns AB_FAILED if a file of published numbers cannot be read. */
ab_status ab_describe_rows(void);

#endif
