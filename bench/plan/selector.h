/* Which rows a user means by --rows: TABLE/ROW/INPUT?NAME=VALUE;..., as the addresses of the report are written
 * (scripts/antbench/data/cells.py) and INDEX.md names rows.
 *
 *     3.3/race                             that row of Table 3.3, on all of its inputs
 *     3.3/cpu-*-1/pr1002?protocol=as       rows by a pattern, on one input, with one value of a parameter
 *     ?block=64+128                        all rows with one of two values
 *
 * Each part and each value is a pattern, of "*" and "[a-z]"; "?" is none, as it begins the conditions. A part that is
 * left out or empty is anything. A condition names a parameter that rows show in `params`, or backend or scope.
 */
#ifndef ANTBENCH_SELECTOR_H
#define ANTBENCH_SELECTOR_H

#include <stdbool.h>

#include "bench/row/row.h"

typedef struct ab_selector {
    char table[32], row[64], input[256], conditions[256]; /* "" where there are none */
} ab_selector;

/* AB_BAD_INPUT where it is not written so. */
ab_status ab_selector_read(const char *text, ab_selector *selector);

/* Whether it names one input, and no pattern. */
bool ab_selector_names_input(const ab_selector *selector);

/* Whether it means a row of the table, which --set may have given another name than the driver's `row`, measured on the
 * input that was asked for as `asked`. */
bool ab_selector_means(const ab_selector *selector, const ab_row *key, const char *row, const char *asked);

/* Whether a pattern, as of a shell, is of a name; the empty one is of every name. */
bool ab_pattern_is_of(const char *pattern, const char *name);

#endif
