/* The published numbers: results/published/ as CSV (id, source, table, page, row, instance, metric, unit, value, digits). */
#ifndef ANTBENCH_PUBLISHED_H
#define ANTBENCH_PUBLISHED_H

#include "kernels/implementation.h"

typedef struct ab_published {
    char id[64];       /* "thesis-3.3/ds-roulette/d198" */
    char source[48];   /* "thesis" */
    char table[16];    /* "3.3" */
    char section[32];  /* page or section */
    char row[48];      /* "ds-roulette" */
    char instance[64]; /* "d198" */
    char metric[32];   /* "iteration", "speedup-cpu", "best-tour" */
    char unit[16];     /* "ms", "x", "length" */
    double value;
    int digits; /* after the decimal point, as printed */
} ab_published;

typedef struct ab_published_table {
    ab_published *rows;
    int count;
} ab_published_table;

/* Reads one CSV file of published numbers. AB_BAD_INPUT "file:line: ..." for a malformed line. */
ab_status ab_published_read(const char *path, ab_published_table *table);
void ab_published_free(ab_published_table *table);

/* The number for (row, instance, metric), or NULL. */
const ab_published *ab_published_find(const ab_published_table *table, const char *row, const char *instance,
                                      const char *metric);

#endif
