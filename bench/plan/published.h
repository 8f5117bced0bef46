/* The published numbers. The files of results/published have the members of ab_published as columns, in the same order.
 */
#ifndef ANTBENCH_PUBLISHED_H
#define ANTBENCH_PUBLISHED_H

#include <stdbool.h>

#include "base/status.h"

typedef struct ab_published {
    char id[64];       /* unique id, "thesis-3.3/ds-roulette/d198" */
    char source[48];   /* "thesis" */
    char table[16];    /* "3.3" */
    char section[32];  /* place in the source, "§3.6.3" */
    char row[48];      /* "ds-roulette" */
    char instance[64]; /* name, "d198"; the true name if the source misprints it */
    char metric[32];   /* "iteration", "speedup-cpu", "best-tour" */
    char unit[16];     /* "ms", "x", "length" */
    double value;
    int digits; /* number of digits after the decimal point, as printed */
} ab_published;

typedef struct ab_published_table {
    ab_published *rows; /* [count] */
    int count;
} ab_published_table;

/* Reads a file of published numbers. Returns AB_BAD_INPUT with "file:line: ..." for a malformed line or a duplicate id.
 * Free with ab_published_free, also after an error. */
ab_status ab_published_read_file(const char *path, ab_published_table *table);

/* Reads the numbers called "thesis-3.3" from results/published/thesis-3.3.csv, as ab_published_read_file does. */
ab_status ab_published_read(const char *name, ab_published_table *table);
void ab_published_free(ab_published_table *table); /* accepts a zeroed table */

/* True if the table has a row of this name. "{x}" in the name matches any text. */
bool ab_published_has_row(const ab_published_table *table, const char *name);

/* Returns the number of (row, instance, metric), or NULL. */
const ab_published *ab_published_find(const ab_published_table *table, const char *row, const char *instance,
                                      const char *metric);

#endif
