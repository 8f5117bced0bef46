/* The published numbers: the files of results/published, with the columns of ab_published in that order. */
#ifndef ANTBENCH_PUBLISHED_H
#define ANTBENCH_PUBLISHED_H

#include <stdbool.h>

#include "base/status.h"

typedef struct ab_published {
    char id[64];       /* "thesis-3.3/ds-roulette/d198"; unique */
    char source[48];   /* "thesis" */
    char table[16];    /* "3.3" */
    char section[32];  /* where it stands: "§3.6.3" */
    char row[48];      /* "ds-roulette" */
    char instance[64]; /* "d198": the true name where the source misprints it */
    char metric[32];   /* "iteration", "speedup-cpu", "best-tour" */
    char unit[16];     /* "ms", "x", "length" */
    double value;
    int digits; /* after the decimal point, as printed */
} ab_published;

typedef struct ab_published_table {
    ab_published *rows; /* [count] */
    int count;
} ab_published_table;

/* Reads a file of published numbers. AB_BAD_INPUT "file:line: ..." for a malformed line or an id that stands twice.
 * Free with ab_published_free, after an error too. */
ab_status ab_published_read_file(const char *path, ab_published_table *table);

/* The same of the numbers called "thesis-3.3", which are in results/published/thesis-3.3.csv. */
ab_status ab_published_read(const char *name, ab_published_table *table);
void ab_published_free(ab_published_table *table); /* accepts a zeroed one */

/* Whether a row is called so; "{x}" in the name stands for anything. */
bool ab_published_has_row(const ab_published_table *table, const char *name);

/* The number for (row, instance, metric), or NULL. */
const ab_published *ab_published_find(const ab_published_table *table, const char *row, const char *instance,
                                      const char *metric);

#endif
