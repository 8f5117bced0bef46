/* The contract between an implementation and whoever runs it.
 *
 * An implementation is one way of doing one operation: `tsp/ds-roulette`. All implementations of an operation share one
 * opening function type (kernels/<operation>/<operation>.h), which prepares the state for one problem and hands back an
 * ab_work. A work is a fixed list of stages; running every stage once, in order, is one iteration. Implementations
 * never time themselves: the harness owns the clock and runs the stages (bench/harness/measure.h).
 */
#ifndef ANTBENCH_IMPLEMENTATION_H
#define ANTBENCH_IMPLEMENTATION_H

#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Work: what an opened implementation is to the harness. ---- */

enum { AB_MAX_STAGES = 4 };

typedef struct ab_work ab_work;

typedef struct ab_work_methods {
    int n_stages;                           /* 1 .. AB_MAX_STAGES */
    const char *stage_names[AB_MAX_STAGES]; /* "construct", "update": as in the CSV's params column */
    /* Runs stage `stage` (0 .. n_stages-1): a CPU returns when it is done, a GPU may return when it is enqueued on the
     * default stream. */
    ab_status (*run_stage)(ab_work *work, int stage);
    void (*close)(ab_work *work); /* frees everything; accepts NULL */
} ab_work_methods;

/* The first member of every operation's state. */
struct ab_work {
    const ab_work_methods *methods;
};

/* ---- Registry: the one list of every implementation (kernels/registry.def). ---- */

typedef enum ab_backend {
    AB_CPU,  /* plain C on the CPU: timed with CLOCK_MONOTONIC */
    AB_CUDA, /* a .cu file on a GPU: timed with CUDA events */
    AB_HOST  /* the same .cu file run by kernels/host on the CPU: checked, never timed */
} ab_backend;

const char *ab_backend_name(ab_backend backend); /* "cpu", "cuda", "host" */

struct as_problem;
struct as_params;
struct as_colony;
typedef ab_status as_open(const struct as_problem *problem, const struct as_params *params, struct as_colony **colony);

struct ea_problem;
struct ea_params;
struct ea_colony;
typedef ab_status ea_open(const struct ea_problem *problem, const struct ea_params *params, struct ea_colony **colony);

struct ed_image;
struct ed_params;
struct ed_detector;
typedef ab_status ed_open(const struct ed_image *image, const struct ed_params *params, struct ed_detector **detector);

typedef struct ab_implementation {
    const char *id;        /* "tsp/ds-roulette" */
    const char *operation; /* "tsp": the part of the id before the slash */
    ab_backend backend;
    const char *file;        /* source file, from the repository's root */
    const char *source;      /* citation: "thesis §3.5.2" */
    const char *description; /* one line */
    union {
        as_open *tsp;         /* operation "tsp": kernels/tsp/tsp.h */
        ea_open *edge_ants;   /* "edge-ants": kernels/edge_ants/edge_ants.h */
        ed_open *colour_edge; /* "colour-edge": kernels/detector.h */
        ed_open *canny;       /* "canny": likewise */
        ed_open *sobel;       /* "sobel": likewise */
    } open;
} ab_implementation;

/* All implementations this binary was built with, in the order of registry.def; *count is set. */
const ab_implementation *ab_registry(size_t *count);

/* The implementation `id` on `backend`, or NULL. */
const ab_implementation *ab_find_implementation(const char *id, ab_backend backend);

#ifdef __cplusplus
}
#endif
#endif
