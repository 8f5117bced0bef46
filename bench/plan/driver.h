/* What a driver says: the tables of one source, row by row, as data. Each file in bench/tables holds one; everything
 * else, the loop over cells, looking up and printing, is the harness's.
 *
 * A driver is data only: each row, block, heading and set is a line, with its members by name, and a macro is a text.
 *
 * Parameters are texts as rows have them (base/parameter.h), where a value may be several, "block=64|128", or the
 * members of a set, "block={blocks}": then there is a row for each. l2=cold, a parameter of every row on a GPU, has
 * the GPU's L2 cache flushed before each sample; without, what fits it stays there (hot).
 */
#ifndef ANTBENCH_DRIVER_H
#define ANTBENCH_DRIVER_H

#include "base/names.h"
#include "base/parameter.h"
#include "bench/plan/options.h"

/* How long and how often to measure. A limit that is 0 or left out is no limit. */
typedef struct ab_effort {
    int runs;          /* number of independent runs, 1 or more; their seeds are seed .. seed + runs - 1 */
    int iterations;    /* number of iterations of each run, 1 or more */
    double budget_s;   /* limit of the timed part of a row, seconds; at least one sample is always taken */
    double precise;    /* share of what it is of within which half a row's interval ends the row; 0: off */
    double limit_s;    /* limit of the whole row, seconds; a row that would take longer is not run but `timeout` */
    double host_steps; /* limit of elementary steps (the operation says of what) of a row on the host backend */
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
    const char *published;      /* the sources' row beside it, as in `row`; NULL: that of the same name; "": none */
    double seconds, power; /* a sample takes about seconds * size^power on one core; 0: as the operation estimates */
    bool gpu_only;         /* left out where there is no GPU */
    int least;             /* samples that are taken whatever they cost, but in profile smoke */
} ab_line;

/* The same inputs in every profile, for ab_block.on and ab_driver.inputs. */
#define AB_ALWAYS(names)                                                                                               \
    {                                                                                                                  \
        names, names, names                                                                                            \
    }

/* Which of the inputs that the user names a block is measured on. */
typedef enum ab_asked { AB_ASKED_ALL, AB_ASKED_LISTED, AB_ASKED_WITH_EDGES } ab_asked;

/* Rows that are measured alike, on the same inputs. */
typedef struct ab_block {
    const char *table;           /* "3.3"; the list of blocks ends with NULL */
    const char *measure;         /* "time": one of the operations' */
    const char *params;          /* of all lines; NULL for none */
    const char *on[AB_PROFILES]; /* of the driver's inputs these, by profile: names, or "{set}"; NULL: all */
    ab_asked asked;              /* of the user's inputs these; LISTED: those of `on`, WITH_EDGES: those as well */
    const ab_line *lines;        /* ends with a row of NULL */
    unsigned with, without;      /* traits that "+" must have and must not have */
    const char *stages;          /* table of the rows of the stages' times; NULL for none */
    int runs;                    /* at most so many but in profile thesis; 0: the effort's */
    int part;                    /* blocks of a part are measured together, input by input */
    bool gpu_only;               /* left out where there is no GPU */
    bool found_only;             /* not measured on stand-ins */
    bool unpublished;            /* what the sources did not measure: no number of theirs stands beside */
} ab_block;

/* How a table is headed, and what stands beside it. */
typedef struct ab_heading {
    const char *table, *title; /* "3.3", "time of an iteration"; the list ends with NULL */
    const char *published;     /* "thesis-3.3": a file of results/published; NULL for none */
    const char *metric;        /* of the published numbers: "iteration"; NULL: a stage's name */
    const char *instance;      /* of the published numbers where it is not the input's name: "512x512" */
} ab_heading;

typedef struct ab_driver {
    const char *name;    /* "3.3" */
    const char *program; /* "table_3_3": in meta.json */
    const char *summary; /* a line for --help */
    const char *machine; /* whose the published numbers are: "GTX 580, one core of an i7 950" */
    ab_effort efforts[AB_PROFILES];
    const char *inputs[AB_PROFILES]; /* names, or "{set}" */
    const char *optional;            /* more of them where they are found, but not in profile smoke; NULL for none */
    const ab_set *sets;              /* ends with a name of NULL; NULL for none */
    const ab_heading *headings;
    const ab_block *blocks;
} ab_driver;

/* All drivers, in order of their files; ends with NULL. The Makefile lists what is in bench/tables. */
extern const ab_driver *const ab_drivers[];

/* The driver called "3.3" or "thesis-3.3", or NULL. */
const ab_driver *ab_driver_find(const char *name);

/* The file that the driver is in, within bench/tables and without its ending: "thesis/table_3_3". */
const char *ab_driver_file(const ab_driver *driver);

/* AB_BAD_INPUT for the first slip in a driver's data, a name that does not exist or a value that is not allowed:
 * "bench/tables/thesis/table_3_3.c: table 3.3, row race: there is no implementation tsp/rase; did you mean
 * tsp/race?". A library or a device that a build lacks is no slip. The rest of the harness expects a driver without slips. */
ab_status ab_driver_check(const ab_driver *driver);

/* The same for what the driver names in files: published numbers, instances, pictures. AB_FAILED where a file cannot
 * be read. The driver has passed ab_driver_check. */
ab_status ab_driver_check_files(const ab_driver *driver);

/* The same for tables and sets that an earlier driver has too, as the copy of a driver's file does. */
ab_status ab_driver_check_unlike(const ab_driver *driver);

/* ---- Reading a driver's texts ---- */

/* The members of a set of the driver, or of another; NULL where there is none. */
const char *ab_driver_set(const ab_driver *driver, const char *name);

/* The names that a list means: the members of the set in "{set}", NULL where there is none, or the list itself. */
const char *ab_driver_names(const ab_driver *driver, const char *list);

/* The next of the names in *names, separated by spaces, as a view; false at the end. */
bool ab_next_name(const char **names, const char **name, size_t *length);

/* What every row on a GPU has beside its operation's params. */
typedef struct ab_gpu_params {
    int l2_cold; /* true if the GPU's L2 cache is flushed before each sample */
} ab_gpu_params;

extern const ab_parameter ab_gpu_parameters[];

/* The parameter of this name in the row's table or among those of all rows on a GPU, or NULL; *of_gpu: it lies in the
 * row's ab_gpu_params. */
const ab_parameter *ab_row_parameter(const ab_parameter *parameters, const char *name, size_t length, bool *of_gpu);

/* The parameters that implementations of the operation have for themselves, each name once, as a table. */
void ab_own_parameters(const ab_operation *operation, ab_parameter own[AB_MOST_PARAMETERS + 1]);

/* Looks for a parameter among those that rows of the operation may have. */
void ab_search_parameters(ab_search *search, const ab_operation *operation);

/* The same among those of all rows of the driver. */
void ab_search_all_parameters(ab_search *search, const ab_driver *driver);

#define AB_SEPARATORS "| " /* between the values of a parameter, and between the members of a set */

/* A parameter of a text of parameters, as views. */
typedef struct ab_setting {
    const char *name;     /* beginning of "block={blocks}" */
    size_t name_length;   /* length of the name */
    const char *values;   /* beginning of "64|128", or of a set's members "64 128"; NULL where there is no such set */
    size_t values_length; /* length of the values */
} ab_setting;

/* The next parameter of *params; false at the end. */
bool ab_next_setting(const ab_driver *driver, const char **params, ab_setting *setting);

/* The operation of an implementation, by its id; NULL where there is none. */
const ab_operation *ab_operation_of(const char *id);

#endif
