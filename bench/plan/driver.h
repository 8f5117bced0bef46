/* A driver: the tables of one source, row by row, as data. Each file bench/tables/SOURCE/table_*.c holds one driver. The
 * harness does everything else: the loop over cells, lookups and printing.
 *
 * A driver is data only. Each row, block, heading and set is a line, with its members by name. A macro stands for a
 * text.
 *
 * Parameters are texts as in the rows of a run (base/parameter.h). A value may list several values, "block=64|128", or
 * name a set, "block={blocks}". Then there is one row per value. Every row on a GPU has the parameter l2. With l2=cold
 * the harness flushes the GPU's L2 cache before each sample. Without it, data that fits stays in the cache (hot).
 */
#ifndef ANTBENCH_DRIVER_H
#define ANTBENCH_DRIVER_H

#include "base/names.h"
#include "base/parameter.h"
#include "bench/plan/options.h"

/* How long and how often to measure. A limit that is 0 or left out does not apply. */
typedef struct ab_effort {
    int runs;       /* number of independent runs, 1 or more; their seeds are seed .. seed + runs - 1 */
    int iterations; /* number of iterations of each run, 1 or more */
    /* Limit of the timed part of a row, in seconds; a row always takes at least one sample. */
    double budget_s;
    double precise; /* relative half-width of the interval at which a row ends; 0: off */
    /* Limit of the whole row, in seconds; a row estimated to take longer is not run and gets the status `timeout`. */
    double limit_s;
    /* Limit of a row's elementary steps on the host backend, and with --brief; the operation defines a step. */
    double host_steps;
} ab_effort;

/* A named list of values that several rows, tables and figures use. The report reads it from here. */
typedef struct ab_set {
    const char *name, *members; /* e.g. "blocks" and "64 128 256" */
} ab_set;

/* A row, or one row per combination of its parameters' values. */
typedef struct ab_line {
    /* Name, such as "warp-{block}": {name} is the implementation's name, {x} the value of parameter x. */
    const char *row;
    /* Id, such as "tsp/ds-roulette"; "tsp/+": all that run on one GPU and that no line of the driver names. */
    const char *implementation;
    const char *params; /* parameters, appended to the block's; NULL: only the block's */
    const char *label;  /* label in the report; NULL: the row's name */
    /* Row of the source to compare with, written as `row`; NULL: the row of the same name; "": no row. */
    const char *published;
    /* A sample takes about seconds * size^power on one core; 0: the operation's own estimate. */
    double seconds, power;
    bool gpu_only; /* true if the row is left out where there is no GPU */
    int least;     /* least number of samples, whatever they cost; ignored in profile smoke */
} ab_line;

/* Uses the same inputs in every profile, for ab_block.on and ab_driver.inputs. */
#define AB_ALWAYS(names)                                                                                               \
    {                                                                                                                  \
        names, names, names                                                                                            \
    }

/* Which of the user's inputs a block is measured on. */
typedef enum ab_asked { AB_ASKED_ALL, AB_ASKED_LISTED, AB_ASKED_WITH_EDGES } ab_asked;

/* A block: rows that are measured in the same way on the same inputs. */
typedef struct ab_block {
    const char *table;   /* number of the table, "3.3"; NULL ends the list of blocks */
    const char *measure; /* name of one of the operation's measures, such as "time" */
    const char *params;  /* parameters of all lines; NULL: none */
    /* Names of the driver's inputs to use in each profile, or "{set}"; NULL: all inputs. */
    const char *on[AB_PROFILES];
    /* Which of the user's inputs to use; LISTED: those also in `on`; WITH_EDGES: those with true edges as well. */
    ab_asked asked;
    const ab_line *lines;   /* lines; a row of NULL ends the list */
    unsigned with, without; /* traits that implementations of "+" must have, and must not have */
    const char *stages;     /* table that shows the times of the stages; NULL: none */
    int runs;               /* most runs in every profile but thesis; 0: as many as the effort says */
    int part;               /* number of the part; blocks of one part are measured together, input by input */
    bool gpu_only;          /* true if the block is left out where there is no GPU */
    bool found_only;        /* true if the block is not measured on stand-ins */
    bool smoke_only;        /* true if the block is for profile smoke: what only large inputs do in the others */
    /* True if the sources did not measure these rows, so that they have no published numbers. */
    bool unpublished;
} ab_block;

/* A table's heading, and the published numbers beside the table. */
typedef struct ab_heading {
    const char *table, *title; /* "3.3" and "time of an iteration"; NULL ends the list */
    const char *published;     /* file of results/published, such as "thesis-3.3"; NULL: none */
    const char *metric;        /* metric of the published numbers, such as "iteration"; NULL: the stage's name */
    /* Name of the input in the published numbers, if it differs from the input's own: "512x512". */
    const char *instance;
} ab_heading;

typedef struct ab_driver {
    const char *name;    /* number, "3.3" */
    const char *program; /* name in meta.json, "table_3_3" */
    const char *summary; /* line for --help */
    const char *machine; /* machine of the published numbers: "GTX 580, one core of an i7 950" */
    ab_effort efforts[AB_PROFILES];
    const char *inputs[AB_PROFILES]; /* names of the inputs by profile, or "{set}" */
    /* Names of inputs that are added if their files exist, except in profile smoke; NULL: none. */
    const char *optional;
    const ab_set *sets; /* sets; an entry with name NULL ends the list, and NULL means none */
    const ab_heading *headings;
    const ab_block *blocks;
} ab_driver;

/* All drivers, in the order of their files; NULL ends the list. The Makefile makes it from bench/tables/SOURCE/table_*.c. */
extern const ab_driver *const ab_drivers[];

/* Returns the driver called "3.3" or "thesis-3.3", or NULL. */
const ab_driver *ab_driver_find(const char *name);

/* Returns the driver's file within bench/tables, without its ending: "thesis/table_3_3". */
const char *ab_driver_file(const ab_driver *driver);

/* Checks a driver's data. Returns AB_BAD_INPUT for the first mistake, such as an unknown name or a forbidden value. The
 * message names the place: `bench/tables/thesis/table_3_3.c: table 3.3, row race: there is no implementation tsp/rase; did
 * you mean tsp/race?`. A library or a device that a build lacks is not a mistake. The rest of the harness relies on this
 * check.
 */
ab_status ab_driver_check(const ab_driver *driver);

/* Checks the files that the driver names: published numbers, instances, pictures. Returns AB_FAILED if a file cannot be
 * read. The driver must have passed ab_driver_check. */
ab_status ab_driver_check_files(const ab_driver *driver);

/* Checks that no earlier driver has a table or set of the same name, as a copied driver file would. */
ab_status ab_driver_check_unlike(const ab_driver *driver);

/* ---- Reading a driver's texts ---- */

/* Returns the members of a set of this driver or of another one, or NULL if there is no such set. */
const char *ab_driver_set(const ab_driver *driver, const char *name);

/* Returns the names that a list means: for "{set}" the members of the set, or NULL if there is no such set; otherwise
 * the list itself. */
const char *ab_driver_names(const ab_driver *driver, const char *list);

/* Finds the next of the space-separated names in *names, as a view. Returns false at the end. */
bool ab_next_name(const char **names, const char **name, size_t *length);

/* The parameters that every row on a GPU has in addition to its operation's. */
typedef struct ab_gpu_params {
    int l2_cold; /* true if the GPU's L2 cache is flushed before each sample */
} ab_gpu_params;

extern const ab_parameter ab_gpu_parameters[];

/* Finds a parameter in the row's own table or among the parameters of all GPU rows, or returns NULL. *of_gpu is true if
 * its value is in the row's ab_gpu_params. */
const ab_parameter *ab_row_parameter(const ab_parameter *parameters, const char *name, size_t length, bool *of_gpu);

/* Writes the parameters that implementations of the operation have for themselves, each name once, as a table. */
void ab_own_parameters(const ab_operation *operation, ab_parameter own[AB_MOST_PARAMETERS + 1]);

/* Searches for a parameter among all that rows of the operation may have. */
void ab_search_parameters(ab_search *search, const ab_operation *operation);

/* Searches for a parameter among all that rows of the driver may have. */
void ab_search_all_parameters(ab_search *search, const ab_driver *driver);

#define AB_SEPARATORS "| " /* separators between the values of a parameter, and between the members of a set */

/* One parameter within a text of parameters, as views. */
typedef struct ab_setting {
    const char *name;     /* start of "block={blocks}" */
    size_t name_length;   /* length of the name */
    const char *values;   /* start of "64|128", or of a set's members, "64 128"; NULL if the set does not exist */
    size_t values_length; /* length of the values */
} ab_setting;

/* Finds the next parameter in *params. Returns false at the end. */
bool ab_next_setting(const ab_driver *driver, const char **params, ab_setting *setting);

/* Returns the operation of the implementation with this id, or NULL. */
const ab_operation *ab_operation_of(const char *id);

#endif
