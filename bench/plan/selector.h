/* A selector: which rows the user means by --rows, as TABLE/ROW/INPUT?NAME=VALUE;... The report's addresses
 * (scripts/antbench/data/cells.py) and INDEX.md use the same form.
 *
 *     3.3/race                             that row of Table 3.3, on all of its inputs
 *     3.3/cpu-*-1/pr1002?protocol=as       rows by a pattern, on one input, with one value of a parameter
 *     ?block=64+128                        all rows with one of two values
 *
 * Each part and each value is a pattern with "*" and "[a-z]". "?" is not part of a pattern, because it starts the
 * conditions. A part that is empty or left out matches anything. A condition names a parameter that rows show in
 * `params`, or backend or scope.
 */
#ifndef ANTBENCH_SELECTOR_H
#define ANTBENCH_SELECTOR_H

#include <stdbool.h>

#include "bench/row/row.h"

typedef struct ab_selector {
    char table[32], row[64], input[256], conditions[256]; /* parts of the selector; "" if left out */
} ab_selector;

/* Reads a selector. Returns AB_BAD_INPUT if the text is malformed. */
ab_status ab_selector_read(const char *text, ab_selector *selector);

/* True if the selector names exactly one input, without a pattern. */
bool ab_selector_names_input(const ab_selector *selector);

/* True if the selector matches a row of the table. `row` is the row's name in the driver, which --set may have changed.
 * `asked` is the input as the user named it. */
bool ab_selector_means(const ab_selector *selector, const ab_row *key, const char *row, const char *asked);

/* True if a name matches a shell pattern. The empty pattern matches every name. */
bool ab_pattern_is_of(const char *pattern, const char *name);

#endif
