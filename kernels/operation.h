/* The contract between an operation and the harness. Each kernels/<operation>/operation.c ends with one struct. It says
 * what the operation's parameters are, how its problems are loaded, verified and judged, and how much work a sample is.
 * The harness (bench) owns every loop over rows and samples, the clock and the files.
 */
#ifndef ANTBENCH_OPERATION_H
#define ANTBENCH_OPERATION_H

#include <stdint.h>

#include "base/parameter.h"
#include "kernels/implementation.h"

/* ---- Inputs that rows are measured on ---- */

/* What is known of an input before it is loaded. */
typedef struct ab_input {
    const char *asked; /* name that was asked for, "d198", also if a stand-in is measured */
    char name[64];     /* name of the input that is measured: "d198", or its stand-in "u198" */
    int size;          /* number of cities, or of pixels */
    int width, height; /* size of an image in pixels; else 0 */
    bool stand_in;     /* true if it was generated because a file was not found */
    bool traced;       /* true if people traced its edges */
    bool known_edges;  /* true if it has known edges to judge a map by */
    double reference;  /* best possible quality, such as the length of an optimal tour; NAN if not known */
    char path[1024];   /* path of the file; empty if generated */
    char sha256[65];   /* digest of the file, or of what was generated; empty until it is loaded */
    char note[128];    /* note for every row on it, "generated stand-in for d198"; or empty */
} ab_input;

/* A kind of input. Operations may share it. */
typedef struct ab_inputs {
    const char *help;                          /* text for --help: which names are possible */
    ab_status (*check_name)(const char *name); /* returns AB_BAD_INPUT with a suggestion for an unknown name */
    /* Describes the input without loading it; leaves out the digest. */
    ab_status (*describe)(const char *name, ab_input *input);
    ab_status (*load)(ab_input *input, void **loaded); /* loads the input and fills in the digest */
    void (*unload)(void *loaded);                      /* accepts NULL */
    /* Writes the loaded input to the folder, to be seen beside what is computed; NULL if there is nothing to see. */
    ab_status (*save)(const ab_input *input, const void *loaded, const char *folder);
} ab_inputs;

/* ---- A cell: one implementation with its parameters on one input ---- */

typedef struct ab_measure ab_measure;

/* What decides the parameters that are not set. */
typedef struct ab_circumstances {
    const ab_implementation *implementation;
    const ab_input *input;
    const ab_measure *measure;
    int iterations;    /* number of iterations, from the effort */
    int cores;         /* number of cores that threads=all means */
    bool few_steps;    /* true on the host backend, and for a GPU or a CPU that a tool makes as slow (--brief) */
    double host_steps; /* most elementary steps of a row with few_steps; infinite if there is no limit */
    double seconds,
        /* The driver's estimate: a sample takes seconds * size^power on one core; 0: no estimate. */
        power;
} ab_circumstances;

/* A cell while it is measured, and where its results go. */
typedef struct ab_task {
    const ab_circumstances *c;
    void *loaded;        /* input, as ab_inputs.load left it */
    const void *problem; /* problem that the implementation is opened with */
    const void *params;
    uint64_t seed;    /* seed of the first run */
    const char *row;  /* name of the row, "warp-128", for saved files */
    const char *save; /* folder for images and tours, or NULL */
    struct ab_sink *sink;
} ab_task;

/* Data that is built once per input, outside of every timed region. */
typedef struct ab_setup {
    const char *row, *implementation; /* names such as "candidate-set" and "tsp/candidate-set" */
    const char *params;               /* params such as "nn=32" */
    const char *verify_metric;
    double verify_value;
    double ms[16]; /* [n_samples] times */
    int n_samples;
    double bytes;     /* bytes that a sample moves; NAN if not known */
    ab_status status; /* status of building and checking it */
    bool wrong;
} ab_setup;

/* The receiver of rows. A function that returns a status fails only if results can no longer be written. */
typedef struct ab_sink {
    /* Writes a row like the cell's for another metric. `params` replaces the cell's parameters if it is not NULL. The
     * note may be NULL. If there are several values, such as one per seed of the noise, the row has their mean and
     * lists them like the qualities of runs. The best is the largest. */
    ab_status (*metric)(struct ab_sink *sink, const char *params, const char *metric, const double *values,
                        int n_values, const char *note);
    /* Sets the values of the cell's own row, if judge has several and returns their mean. */
    void (*values)(struct ab_sink *sink, const double *values, int n_values);
    ab_status (*setup)(struct ab_sink *sink, const ab_setup *setup); /* writes a row of its own, once */
    void (*note)(struct ab_sink *sink, const char *text);            /* appends to the note of the cell's row */
    /* Passes on the status of saving an image. A failure ends the run and is not a fault of the row. */
    ab_status (*saved)(struct ab_sink *sink, ab_status status);
} ab_sink;

typedef struct ab_verdict {
    char metric[48]; /* name of what was counted, "valid-tours" */
    double value;
    /* True if the output is wrong; else a failure means that the output could not be made or checked. */
    bool wrong;
    const char
        /* Name of a quality of the row, "mismatch-share", for AB_OTHER_RULES or AB_PARTIAL; or NULL. */
        *quality;
    double quality_value; /* value of that quality */
} ab_verdict;

/* The outcome of a run, for operations whose samples come from several runs. */
typedef struct ab_outcome {
    double quality; /* quality, such as the best tour's length */
    int64_t odd;    /* count of a rare event that the reader should know about; ab_measure.odd names it */
} ab_outcome;

/* A measure: what a cell can be measured for. */
struct ab_measure {
    const char *name;  /* name, "time", "quality" or "noise" */
    const char *scope; /* scope of its rows: "iteration", "run", "kernel", "quality" */
    /* Metric at the end of the params of the cell's row, which is written last: "f" for metric=f; NULL: none. */
    const char *metric;
    bool only_own; /* true if rows show only the parameters of this measure */

    /* True if the measure is timed. The following members are for timed measures and for measures with runs to judge.
     */
    bool timed;
    /* Number of the effort that gives the number of samples. */
    enum { AB_SAMPLE_ITERATIONS, AB_SAMPLE_RUNS } samples;
    /* True if every run opens the implementation anew, with the next seed, for `iterations` samples. */
    bool fresh;
    int at_once;           /* number of samples between two checks of the stop rule, if not fresh */
    const char *stage;     /* stage whose time is a sample; NULL: all stages */
    bool alone;            /* true if no other stage runs between two samples */
    const char *transfers; /* scope of an additional GPU row, whose samples are all stages; NULL: none */
    /* Runs the implementation and checks all of its results. Fills *verdict also on failure. */
    ab_status (*verify)(const ab_task *task, ab_verdict *verdict);
    /* Checks the result of a complete run. NULL: there are no runs, or nothing to check. */
    ab_status (*judge_run)(const ab_task *task, ab_work *work, ab_outcome *outcome, ab_verdict *verdict);
    const char *quality; /* metric of ab_outcome.quality, a printf format for the number of iterations */
    const char *odd;     /* printf format for ab_outcome.odd */
    /* Reduces params to a part of a sample. Returns the ratio of the time of the full stage `sliced` to the time of
     * this part. If the driver has a limit, the harness estimates a row's time from the part before it runs the row.
     * NULL: it does not. */
    double (*slice)(void *params);
    const char *sliced;
    /* Returns the elementary steps of the smallest possible sample on the host backend. If they exceed host_steps, the
     * row is `skipped`. NULL: all rows run. */
    double (*least_on_host)(const ab_circumstances *c, const void *fitted);

    /* Judges measures that are not timed and have no runs: writes the metrics, and the metric of the cell's row to
     * *value. */
    ab_status (*judge)(const ab_task *task, double *value);

    const void *own; /* data of the operation for functions that several operations share; NULL: none */
};

/* ---- An operation ---- */

/* The amount of work in a sample. */
typedef struct ab_work_size {
    /* Least number of bytes that any implementation moves to and from the GPU's memory; NAN if not known. */
    double bytes;
    /* Number of floating-point operations, counted as the source counts them; NAN if not known. */
    double flops;
} ab_work_size;

struct ab_operation {
    const char *name; /* "tsp" */
    const ab_inputs *inputs;
    const ab_parameter *parameters; /* parameters without the own parameters of implementations */
    size_t params_size;
    /* traits that its implementations may have, besides the general ones; NULL if there are no such traits */
    const ab_trait *traits;
    const ab_measure *measures; /* measures; an entry with name NULL ends the table */
    /* Fills in the parameters that follow from the circumstances, such as ants and threads. */
    void (*fit)(const ab_circumstances *c, void *params);
    /* Returns AB_BAD_INPUT for parameters that exclude each other. */
    ab_status (*check)(const ab_circumstances *c, const void *params);
    /* Writes the seed for the implementation to its params. */
    void (*set_seed)(void *params, uint64_t seed);
    /* Returns what implementations are opened with. It is part of `loaded`, which keeps what is computed on the way
     * (candidate sets, the visibility). If this computation is a row, the task's sink receives it. */
    ab_status (*problem)(const ab_task *task, const void **problem);
    ab_work_size (*size)(const ab_circumstances *c, const void *params);
    /* Estimates the seconds of a sample, of its verification, and of everything else around the samples, for ETAs. */
    void (*estimate)(const ab_circumstances *c, const void *params, double *sample_s, double *once_s);
    /* Serves on ranks after the first: takes part in a work of several ranks that rank 0 has opened, until it is closed
     * (mpi/workers.h). `gpu` is AB_OK, or the reason why this rank has no GPU. NULL: the operation has no such work. */
    void (*serve)(ab_status gpu);
};

#endif
