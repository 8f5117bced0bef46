/* What all drivers measure, for the report and INDEX.md: on stdout. */
#ifndef ANTBENCH_DESCRIBE_H
#define ANTBENCH_DESCRIBE_H

#include "base/status.h"

/* --tables, TSV: driver, program, file, table, heading, published; also of drivers that have slips. */
ab_status ab_describe_tables(void);
/* --sets, CSV: set, members; of drivers that have passed ab_driver_check, as --rows. */
ab_status ab_describe_sets(void);
/* --rows, CSV: driver, table, row, implementation, instances, params, label, published, iterations; AB_FAILED where a
 * file of published numbers cannot be read. */
ab_status ab_describe_rows(void);

#endif
