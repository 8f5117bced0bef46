/* What a driver says: the tables of one source, row by row, as data. bench/table_*.c each hold one; everything else,
 * the loop over cells, looking up and printing, is the harness's.
 *
 * Parameters are texts as rows have them (base/parameter.h), where a value may be several, "block=64|128", or the
 * members of a set, "block={blocks}": then there is a row for each. l2=cold, a parameter of every row on a GPU, has
 * the GPU's L2 cache flushed before each sample; without, what fits it stays there (hot).
 */
#ifndef ANTBENCH_DRIVER_H
#define ANTBENCH_DRIVER_H

#include "bench/harness/options.h"

/* How long and how often to measure. */
typedef struct ab_effort {
    int runs;          /* independent runs, seeds seed .. seed + runs - 1 */
    int iterations;    /* of each run */
    double budget_s;   /* for the timed part of a row; at least one sample is always taken */
    double precise;    /* a row ends when half its interval is within this share of its median; 0: it does not */
    double limit_s;    /* a row that would take longer is not run but `timeout`; 0: all are run */
    double host_steps; /* elementary steps (the operation says of what) that a row on the host backend may cost */
} ab_effort;

/* Names that several rows, tables and figures run through; the report has them from here. */
typedef struct ab_set {
    const char *name, *members; /* "blocks", "64 128 256" */
} ab_set;

/* A row, or one for each combination of its parameters' values. */
typedef struct ab_line {
    const char *row;            /* "warp-{block}": {name} is the implementation's, {x} the value of parameter x */
    const char *implementation; /* "tsp/ds-roulette"; "tsp/+" for those of one GPU that no line of the driver names */
    const char *params;         /* those of the block come before; NULL for none */
    const char *label;          /* in the report; NULL: the row's name */
    const char *published;      /* the sources' row beside which it stands, as in `row`; NULL: one of the same name */
    double seconds, power; /* a sample takes about seconds * size^power on one core; 0: as the operation estimates */
    bool gpu_only;              /* left out where there is no GPU */
    int least;                  /* samples that are taken whatever they cost, but in profile smoke */
} ab_line;

/* The same inputs in every profile, for ab_block.on and ab_driver.inputs. */
#define AB_ALWAYS(names) {names, names, names}

/* Which of the inputs that the user names a block is measured on. */
typedef enum ab_asked { AB_ASKED_ALL, AB_ASKED_LISTED, AB_ASKED_WITH_EDGES } ab_asked;

/* Rows that are measured alike, on the same inputs. */
typedef struct ab_block {
    const char *table;              /* "3.3"; the list of blocks ends with NULL */
    const char *measure;            /* "time": one of the operations' */
    const char *params;             /* of all lines; NULL for none */
    const char *on[AB_PROFILES];    /* of the driver's inputs these, by profile: names, or "{set}"; NULL: all */
    ab_asked asked;                 /* of the user's inputs these; LISTED: those of `on`, WITH_EDGES: those as well */
    const ab_line *lines;           /* ends with a row of NULL */
    unsigned with, without;         /* traits that "+" must have and must not have */
    const char *stages;             /* table of the rows of the stages' times; NULL for none */
    int runs;                       /* at most so many but in profile thesis; 0: the effort's */
    int part;                       /* blocks of a part are measured together, input by input */
    bool gpu_only;                  /* left out where there is no GPU */
    bool found_only;                /* not measured on stand-ins */
    bool unpublished;               /* what the sources did not measure: no number of theirs stands beside */
} ab_block;

/* How a table is headed, and what stands beside it. */
typedef struct ab_heading {
    const char *table, *title; /* "3.3", "time of an iteration"; the list ends with NULL */
    const char *published;     /* "thesis-3.3": a file of results/published; NULL for none */
    const char *metric;        /* of the published numbers: "iteration"; NULL: a stage's name */
    const char *instance;      /* of the published numbers where it is not the input's name: "512x512" */
} ab_heading;

typedef struct ab_driver {
    const char *name;               /* "3.3" */
    const char *program;            /* "table_3_3": in meta.json */
    const char *summary;            /* a line for --help */
    const char *machine;            /* whose the published numbers are: "GTX 580, one core of an i7 950" */
    ab_effort efforts[AB_PROFILES];
    const char *inputs[AB_PROFILES]; /* names, or "{set}" */
    const char *optional;           /* more of them where they are found, but not in profile smoke; NULL for none */
    const ab_set *sets;             /* ends with a name of NULL */
    const ab_heading *headings;
    const ab_block *blocks;
} ab_driver;

/* All drivers, in order of their files; ends with NULL. The Makefile lists bench/table_*.c. */
extern const ab_driver *const ab_drivers[];

/* The driver called "3.3" or "thesis-3.3", or NULL. */
const ab_driver *ab_driver_find(const char *name);

/* The members of a set of the driver, or of another; NULL where there is none. */
const char *ab_driver_set(const ab_driver *driver, const char *name);

#endif
