/* The contract between an implementation and its caller.
 *
 * An implementation is one way to do an operation: `tsp/ds-roulette`. Opening it prepares the operation's state for one
 * problem and returns its ab_work. A work is a fixed list of stages. Running each stage once, in order, is one
 * iteration. Implementations never time themselves: the harness owns the clock and runs the stages
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

/* ---- Work: an opened implementation, as the harness sees it ---- */

enum { AB_MAX_STAGES = 4 };

typedef struct ab_work ab_work;

typedef struct ab_work_methods {
    int n_stages; /* number of stages, 1 .. AB_MAX_STAGES */
    /* Names such as "construct" and "update", as in the CSV's params column; literals. */
    const char *stage_names[AB_MAX_STAGES];
    /* Runs stage `stage` (0 .. n_stages-1). A CPU stage returns when it is done. A GPU stage may return when its work
     * is queued on the default stream. The harness marks that stream between stages, on the device that gpu_open made
     * current. So an implementation with other streams or several GPUs must tie them to it, or the marks time only one
     * GPU. Its other work waits for that stream first, and that stream waits for all other work before the stage
     * returns (cudaEventRecord, cudaStreamWaitEvent). The stage returns with that device current. */
    ab_status (*run_stage)(ab_work *work, int stage);
    void (*close)(ab_work *work); /* frees everything; accepts NULL */
} ab_work_methods;

/* The first member of every operation's state. */
struct ab_work {
    const ab_work_methods *methods;
    int threads; /* number of OpenMP's threads that a stage of a CPU's work has; 0: one thread, or a library's */
};

/* Runs every stage of `work` once, in order, without timing. */
ab_status ab_iterate(ab_work *work);

/* Returns the number of the stage called `name`; -1 if the work does not have it. */
int ab_stage_named(const ab_work *work, const char *name);

/* ---- Registry: the list of every implementation (bench/registry.def) ---- */

typedef enum ab_backend {
    AB_CPU,  /* plain C on the CPU, timed with CLOCK_MONOTONIC */
    AB_CUDA, /* a .cu file on a GPU, timed with CUDA events */
    AB_HOST  /* the same .cu file run by kernels/host on the CPU; verified, never timed */
} ab_backend;

const char *ab_backend_name(ab_backend backend); /* returns "cpu", "cuda" or "host" */

/* Traits: what tests, tables and checks need to know of an implementation. Bits 1 and 6 to 12 are for the traits of one
 * operation, which its header defines (ab_operation.traits). */
enum {
    AB_EXACT = 1 << 0, /* "exact": chooses by the random proportional rule, so a chi-square test applies */
    /* "partial": its map has only edges of the reference's map; some may be missing if a parameter limits the passes. */
    AB_PARTIAL = 1 << 2,
    /* "other-rules": an edge detector with rules of its own, such as a library's. The share of pixels that differ is a
     * quality of the row. Only a failed call is an error. */
    AB_OTHER_RULES = 1 << 3,
    /* "reference": the one that the operation's other implementations are compared with. */
    AB_REFERENCE = 1 << 4,
    /* "several": runs on several GPUs or machines (mpi/ranks.h); its stages return when all are done, and
     * CLOCK_MONOTONIC times them, also on GPUs. */
    AB_SEVERAL = 1 << 5,
    AB_ONE_THREAD = 1 << 13 /* "one-thread": uses one CPU thread, whatever the parameter threads says */
};

/* A trait and its name, such as "candidates". */
typedef struct ab_trait {
    unsigned trait;
    const char *name; /* name; NULL ends a table of traits */
} ab_trait;

enum { AB_TRAITS_TEXT = 160 };

/* Opens an implementation. The operation's header says what `problem` and `params` point to. *work is the first member
 * of the operation's state, or NULL if the status is not AB_OK. */
typedef ab_status ab_open(const void *problem, const void *params, ab_work **work);

typedef struct ab_implementation {
    const char *id;        /* "tsp/ds-roulette" */
    const char *operation; /* part of the id before the slash, "tsp" */
    const char *name;      /* part of the id after the slash, "ds-roulette" */
    ab_backend backend;
    unsigned traits;         /* traits, AB_EXACT | ... */
    const char *file;        /* source file, from the repository's root */
    const char *source;      /* citation, "thesis §3.5.2" */
    const char *description; /* description in one line */
    ab_open *open;
    /* Parameters of this implementation only, defined beside its kernel (AB_OWN_PARAMETERS); or NULL. */
    const ab_parameter *parameters;
} ab_implementation;

/* Writes the names of its traits, separated by spaces: "exact candidates"; "" if it has none. */
void ab_trait_names(const ab_implementation *implementation, char text[AB_TRAITS_TEXT]);

/* Returns all implementations of this binary, in the order of registry.def, and sets *count. */
const ab_implementation *ab_registry(size_t *count);

/* Returns the implementation `id` on `backend`, or NULL. */
const ab_implementation *ab_find_implementation(const char *id, ab_backend backend);

/* Returns the implementation that the others of its operation are compared with, the CPU's AB_REFERENCE, or NULL. */
const ab_implementation *ab_find_reference(const ab_implementation *implementation);

/* All operations (operation.h), in the order of registry.def, with their number in *count; and the operation of a name,
 * or NULL. */
typedef struct ab_operation ab_operation;
const ab_operation *const *ab_operations(size_t *count);
const ab_operation *ab_find_operation(const char *name);

#ifdef __cplusplus
}
#endif
#endif
