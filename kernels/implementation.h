/* The contract between an implementation and whoever runs it.
 *
 * An implementation is one way of doing one operation: `tsp/ds-roulette`. Opening one prepares the operation's state
 * for one problem and hands back its ab_work. A work is a fixed list of stages; running every stage once, in order, is
 * one iteration. Implementations never time themselves: the harness owns the clock and runs the stages
 * (bench/clock/measure.h).
 */
#ifndef ANTBENCH_IMPLEMENTATION_H
#define ANTBENCH_IMPLEMENTATION_H

#include <stddef.h>

#include "base/parameter.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Work: what an opened implementation is to the harness. ---- */

enum { AB_MAX_STAGES = 4 };

typedef struct ab_work ab_work;

typedef struct ab_work_methods {
    int n_stages;                           /* 1 .. AB_MAX_STAGES */
    const char *stage_names[AB_MAX_STAGES]; /* "construct", "update": as in the CSV's params column; literals */
    /* Runs stage `stage` (0 .. n_stages-1): a CPU returns when it is done, a GPU may return when it is enqueued on the
     * default stream. The harness marks that stream, of the device that gpu_open made current, between stages. So an
     * implementation with other streams, or on several GPUs, makes the default stream of that device wait, before it
     * returns, for everything that the stage enqueued anywhere, and everything that it enqueues anywhere wait for that
     * stream first (cudaEventRecord, cudaStreamWaitEvent); otherwise the marks time one GPU of several. It returns with
     * that device current. */
    ab_status (*run_stage)(ab_work *work, int stage);
    void (*close)(ab_work *work); /* frees everything; accepts NULL */
} ab_work_methods;

/* The first member of every operation's state. */
struct ab_work {
    const ab_work_methods *methods;
};

/* Runs every stage of `work` once, in order, untimed. */
ab_status ab_iterate(ab_work *work);

/* The number of the stage called `name`; -1 where the work has none. */
int ab_stage_named(const ab_work *work, const char *name);

/* ---- Registry: the one list of every implementation (bench/registry.def). ---- */

typedef enum ab_backend {
    AB_CPU,  /* plain C on the CPU: timed with CLOCK_MONOTONIC */
    AB_CUDA, /* a .cu file on a GPU: timed with CUDA events */
    AB_HOST  /* the same .cu file run by kernels/host on the CPU: checked, never timed */
} ab_backend;

const char *ab_backend_name(ab_backend backend); /* "cpu", "cuda", "host" */

/* What tests, tables and checks need to know of an implementation: any of these, or 0. Bits 1 and 6 to 12 are left to
 * the traits of one operation, which stand in its header (ab_operation.traits). */
enum {
    AB_EXACT = 1 << 0,       /* "exact": selects by the random proportional rule, so a chi-square test applies */
    AB_PARTIAL = 1 << 2,     /* "partial": its map has no edges but the reference's, of which it may miss some where a
                              * parameter limits the passes */
    AB_OTHER_RULES = 1 << 3, /* "other-rules": an edge detector by rules of its own, as a library's. How much its map
                              * differs from the reference's is a quality of its row; only a broken call is its fault */
    AB_REFERENCE = 1 << 4,   /* "reference": what the operation's other implementations are compared with */
    AB_SEVERAL = 1 << 5,     /* "several": of several GPUs or machines (mpi/ranks.h); its stages return when all are
                              * done, and CLOCK_MONOTONIC times them on GPUs too */
    AB_ONE_THREAD = 1 << 13  /* "one-thread": on the CPU, whatever the parameter threads says */
};

/* A trait and its name: "candidates". */
typedef struct ab_trait {
    unsigned trait;
    const char *name; /* a table of traits ends with NULL */
} ab_trait;

enum { AB_TRAITS_TEXT = 160 };

/* Opens an implementation: `problem` and `params` point to what the operation's header says, and *work is the first
 * member of the operation's state; NULL where the status is not AB_OK. */
typedef ab_status ab_open(const void *problem, const void *params, ab_work **work);

typedef struct ab_implementation {
    const char *id;        /* "tsp/ds-roulette" */
    const char *operation; /* "tsp": the part of the id before the slash */
    const char *name;      /* "ds-roulette": the part after it */
    ab_backend backend;
    unsigned traits;         /* AB_EXACT | ... */
    const char *file;        /* source file, from the repository's root */
    const char *source;      /* citation: "thesis §3.5.2" */
    const char *description; /* one line */
    ab_open *open;
    const ab_parameter *parameters; /* of this implementation alone, beside its kernel (AB_OWN_PARAMETERS); or NULL */
} ab_implementation;

/* The names of its traits, with a space between them: "exact candidates"; "" for none. */
void ab_trait_names(const ab_implementation *implementation, char text[AB_TRAITS_TEXT]);

/* All implementations this binary was built with, in the order of registry.def; *count is set. */
const ab_implementation *ab_registry(size_t *count);

/* The implementation `id` on `backend`, or NULL. */
const ab_implementation *ab_find_implementation(const char *id, ab_backend backend);

/* What the others of its operation are compared with: the CPU's AB_REFERENCE, or NULL. */
const ab_implementation *ab_find_reference(const ab_implementation *implementation);

/* All operations (operation.h), in the order of registry.def; *count is set. And that of a name, or NULL. */
typedef struct ab_operation ab_operation;
const ab_operation *const *ab_operations(size_t *count);
const ab_operation *ab_find_operation(const char *name);

#ifdef __cplusplus
}
#endif
#endif
