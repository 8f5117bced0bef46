/* The contract between an operation and the harness: one struct, at the end of kernels/<operation>/operation.c, says
 * what its parameters are, how its problems are loaded, verified and judged, and how much work a sample is. The
 * harness (bench) owns every loop over rows and samples, the clock and the files; an operation has none of
 * them.
 */
#ifndef ANTBENCH_OPERATION_H
#define ANTBENCH_OPERATION_H

#include <stdint.h>

#include "base/parameter.h"
#include "kernels/implementation.h"

/* ---- Inputs: what is measured on ---- */

/* What is known of an input before it is loaded. */
typedef struct ab_input {
    const char *asked; /* the name asked for: "d198", also where a stand-in is measured */
    char name[64];     /* what it is: "d198", its stand-in "u198" */
    int size;          /* cities, or pixels */
    int width, height; /* of an image, pixels; else 0 */
    bool stand_in;     /* generated in the place of a file that was not found */
    bool traced;       /* has edges that people traced */
    bool known_edges;  /* has edges to judge a map by */
    double reference;  /* the best quality that there is to be had: a tour's optimum; NAN where not known */
    char path[1024];   /* the file; empty for what is generated */
    char sha256[65];   /* of the file, or of what was generated; empty until it is loaded */
    char note[128];    /* for every row that is measured on it: "generated stand-in for d198"; or empty */
} ab_input;

/* A kind of input; operations may share one. */
typedef struct ab_inputs {
    const char *help;                                         /* for --help: what may be named */
    ab_status (*check_name)(const char *name);                /* AB_BAD_INPUT with what may have been meant */
    ab_status (*describe)(const char *name, ab_input *input); /* everything but the digest, without loading it */
    ab_status (*load)(ab_input *input, void **loaded);        /* fills in the digest */
    void (*unload)(void *loaded);                             /* accepts NULL */
    /* Writes what was loaded as images to the folder; NULL where there is nothing to see. */
    ab_status (*save)(const ab_input *input, const void *loaded, const char *folder);
} ab_inputs;

/* ---- A cell: one implementation with its parameters on one input ---- */

typedef struct ab_measure ab_measure;

/* What decides parameters that nobody set. */
typedef struct ab_circumstances {
    const ab_implementation *implementation;
    const ab_input *input;
    const ab_measure *measure;
    int iterations;    /* of the effort */
    int cores;         /* what threads=all stands for */
    double host_steps; /* elementary steps that a row on the host backend may cost; infinite where there is no limit */
    double seconds,
        power; /* the driver's estimate: a sample takes seconds * size^power on one core; 0: there is none */
} ab_circumstances;

/* A cell that is being measured, and where what is found goes. */
typedef struct ab_task {
    const ab_circumstances *c;
    void *loaded;        /* the input, as ab_inputs.load left it */
    const void *problem; /* what the implementation is opened with */
    const void *params;
    uint64_t seed;    /* of the first run */
    const char *row;  /* "warp-128": names what is saved */
    const char *save; /* folder for images, or NULL */
    struct ab_sink *sink;
} ab_task;

/* Building something once for an input, outside of every timed region. */
typedef struct ab_setup {
    const char *row, *implementation; /* "candidate-set", "tsp/candidate-set" */
    const char *params;               /* "nn=32" */
    const char *verify_metric;
    double verify_value;
    double ms[16]; /* [n_samples] */
    int n_samples;
    double bytes;     /* moved by a sample, NAN where not known */
    ab_status status; /* of building and checking it */
    bool wrong;
} ab_setup;

/* Where rows go. All that can fail fail only when results cannot be written any more. */
typedef struct ab_sink {
    /* A row like the cell's for one more metric, with its own parameters where `params` is not NULL; a note may be
     * NULL. Several values, of seeds of noise say, are listed beside their mean as the qualities of runs are; the best
     * is the largest. */
    ab_status (*metric)(struct ab_sink *sink, const char *params, const char *metric, const double *values,
                        int n_values, const char *note);
    /* The values of the cell's own row, where judge has several and gives their mean. */
    void (*values)(struct ab_sink *sink, const double *values, int n_values);
    ab_status (*setup)(struct ab_sink *sink, const ab_setup *setup); /* a row of its own, once */
    void (*note)(struct ab_sink *sink, const char *text);            /* appended to the note of the cell's row */
    /* Passes on what saving an image came to: one that could not be is no fault of the row, but ends the run. */
    ab_status (*saved)(struct ab_sink *sink, ab_status status);
} ab_sink;

typedef struct ab_verdict {
    char metric[48]; /* what was counted: "valid-tours" */
    double value;
    bool wrong; /* the output is wrong; else a failure means that it could not be made or checked */
    const char
        *quality; /* name of a quality of the row, "mismatch-share", of an AB_OTHER_RULES or AB_PARTIAL, or NULL */
    double quality_value; /* value of that quality */
} ab_verdict;

/* What a run left, for operations whose samples come from several. */
typedef struct ab_outcome {
    double quality; /* "the best tour's length" */
    int64_t odd;    /* how often something happened that a reader should know of: ab_measure.odd says what */
} ab_outcome;

/* What a cell can be measured for. */
struct ab_measure {
    const char *name;   /* "time", "quality", "noise" */
    const char *scope;  /* of its rows: "iteration", "run", "kernel", "quality" */
    const char *metric; /* ends the params of the cell's row, which is written last: "f" for metric=f; NULL for none */
    bool only_own;      /* rows show the parameters of this measure alone */

    /* Of measures that are timed, and of those that are not but have runs to judge: */
    bool timed;
    enum { AB_SAMPLE_ITERATIONS, AB_SAMPLE_RUNS } samples; /* which number of the effort is the number of samples */
    bool fresh;            /* every run opens the implementation anew, with the next seed, for `iterations` samples */
    int at_once;           /* not fresh: samples between two looks at whether they suffice */
    const char *stage;     /* a sample is the time of this stage; NULL: of all */
    bool alone;            /* and no other stage runs in between */
    const char *transfers; /* the scope of one more row for a GPU, whose samples are all stages; NULL for none */
    /* Runs the implementation and checks everything that it leaves; fills *verdict also where it fails. */
    ab_status (*verify)(const ab_task *task, ab_verdict *verdict);
    /* Checks what a complete run left. NULL: there are no runs, or nothing to check. */
    ab_status (*judge_run)(const ab_task *task, ab_work *work, ab_outcome *outcome, ab_verdict *verdict);
    const char *quality; /* the metric of ab_outcome.quality, a printf format for the number of iterations */
    const char *odd;     /* a printf format for ab_outcome.odd */
    /* Cuts params down to a part of a sample and returns how many times as long the stage `sliced` of all of it takes:
     * where the driver has a limit a row's time is told from that of the part, before it is run. NULL: it is not. */
    double (*slice)(void *params);
    const char *sliced;
    /* Elementary steps of the least that the host backend can do of it: a row of more than its host_steps is `skipped`.
     * NULL: all are run. */
    double (*least_on_host)(const ab_circumstances *c, const void *fitted);

    /* Of measures that are not timed and have no runs: writes the metrics, that of the cell's row through *value. */
    ab_status (*judge)(const ab_task *task, double *value);

    const void *own; /* what operations that share these functions tell them of themselves; NULL where none do */
};

/* ---- An operation ---- */

/* How much a sample is. */
typedef struct ab_work_size {
    double bytes; /* the fewest that any implementation must move to and from the GPU's memory; NAN where not known */
    double flops; /* floating-point operations, counted as the source counts them; NAN where not known */
} ab_work_size;

struct ab_operation {
    const char *name; /* "tsp" */
    const ab_inputs *inputs;
    const ab_parameter *parameters; /* of its params, without those of one implementation alone */
    size_t params_size;
    const ab_trait *traits;     /* that its implementations may have, besides those of all operations; NULL for none */
    const ab_measure *measures; /* the table ends with a name of NULL */
    /* Fills in the parameters that follow from the circumstances: ants, threads. */
    void (*fit)(const ab_circumstances *c, void *params);
    /* AB_BAD_INPUT for parameters that do not go together. */
    ab_status (*check)(const ab_circumstances *c, const void *params);
    /* The seed that an implementation is opened with, into its params. */
    void (*set_seed)(void *params, uint64_t seed);
    /* What implementations are opened with: part of `loaded`, which keeps what is computed on the way (candidate sets,
     * the visibility), and told to the task's sink where that is a row. */
    ab_status (*problem)(const ab_task *task, const void **problem);
    ab_work_size (*size)(const ab_circumstances *c, const void *params);
    /* Seconds that a sample, its verification and everything else around the samples roughly take: for ETAs. */
    void (*estimate)(const ab_circumstances *c, const void *params, double *sample_s, double *once_s);
    /* On ranks after the first: does what a work of several ranks orders that rank 0 has called them to, until it is
     * closed (mpi/workers.h); `gpu` is why there is none here, or AB_OK. NULL: there is no such work. */
    void (*serve)(ab_status gpu);
};

#endif
