/* The operation "deposit" for the harness: parameters, verification and the amount of work (kernels/operation.h).
 * The problem is a snapshot of a colony (kernels/tsp/check/snapshot.h); a sample is one update. Updates of the
 * gather rungs take n_ants n^3 steps, so the time of a sample is estimated from one ant's time before it is taken. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/deposit/deposit.h"
#include "kernels/host/host_backend.h"
#include "kernels/tsp/steps/inputs.h"

enum { VERIFIED_ORDER = 2 }; /* order of threads on the host backend: it lets a warp run ahead of the others */
enum { MIN_HOST_ANTS = 2 };

/* True if every entry looks for itself in every tour: n^3 steps per ant, not n. */
static bool gathers(const ab_circumstances *c)
{
    return c->implementation->traits & DP_GATHER;
}

/* ---- Parameters ---- */

/* If steps are few, as many ants as host_steps allow. */
static void fit(const ab_circumstances *c, void *fitted)
{
    dp_params *params = fitted;
    const double affordable = c->host_steps / pow(c->input->size, 3.0);
    if (params->n_ants == 0) params->n_ants = c->input->size;
    if (c->few_steps && gathers(c) && affordable < params->n_ants)
        params->n_ants = (int)fmax(affordable, fmin(params->n_ants, MIN_HOST_ANTS));
    if (params->threads == 0) params->threads = c->cores;
}

static ab_status check(const ab_circumstances *c, const void *params)
{
    return dp_check(c->input->size, params);
}

/* Nothing is drawn: the seed is the snapshot's. */
static void set_seed(void *params, uint64_t seed)
{
    (void)params, (void)seed;
}

/* ---- Measures ---- */

static ab_status verify(const ab_task *task, ab_verdict *verdict)
{
    const dp_params *params = task->params;
    ab_work *work = NULL;
    int64_t edges = 0;
    snprintf(verdict->metric, sizeof verdict->metric, "valid-deposits");
    AB_TRY(task->c->implementation->open(task->problem, params, &work));
    host_backend_set_order(VERIFIED_ORDER);
    const ab_status status = deposit_verify((dp_trails *)work, task->problem, params, &edges, &verdict->wrong);
    host_backend_set_order(0);
    work->methods->close(work);
    verdict->value = (double)edges;
    if (task->c->implementation->backend != AB_HOST) return status;
    char note[96];
    snprintf(note, sizeof note, "verified on the host backend with %d of %d ants, not timed", params->n_ants,
             task->c->input->size);
    task->sink->note(task->sink, note);
    return status;
}

/* Loads of global memory of a deposit, over n_ants n^3, which is n^4 where all ants deposit; and their number. */
static ab_status judge_loads(const ab_task *task, double *share)
{
    const dp_params *params = task->params;
    ab_work *work = NULL;
    uint64_t loads = 0;
    AB_TRY(task->c->implementation->open(task->problem, params, &work));
    dp_trails *trails = (dp_trails *)work;
    const ab_status status = trails->methods->loads ? trails->methods->loads(trails, &loads)
                                                    : ab_unsupported("a CPU has no global memory of a GPU");
    work->methods->close(work);
    if (status.code != AB_OK) return status;
    const double number = (double)loads;
    *share = number / (params->n_ants * pow(task->c->input->size, 3.0));
    return task->sink->metric(task->sink, NULL, "loads", &number, 1, NULL);
}

/* One ant's tour: all take as long. */
static double slice(void *sliced)
{
    dp_params *params = sliced;
    const int n_ants = params->n_ants;
    params->n_ants = 1;
    return n_ants;
}

static const ab_measure measures[] = {
    {.name = "time",
     .scope = "update",
     .timed = true,
     .samples = AB_SAMPLE_ITERATIONS,
     .at_once = 10,
     .verify = verify,
     .slice = slice,
     .sliced = "deposit"},
    {.name = "loads", .scope = "quality", .metric = "loads-over-n4", .judge = judge_loads},
    {.name = NULL},
};

/* The pheromone is read and written, a float an entry, and the tours are read. */
static ab_work_size size(const ab_circumstances *c, const void *fitted)
{
    const double n = c->input->size, n_ants = ((const dp_params *)fitted)->n_ants;
    return (ab_work_size){.bytes = 8.0 * n * n + 4.0 * n_ants * (n + 1.0), .flops = NAN};
}

/* Seconds per step of a thread: a gathering one takes 0.5 ps on a GPU and 1.6 ns on fibers. A scattering one, and an
 * entry's evaporation, takes 10 ps, 0.3 us, and 2 ns on one core. */
static void estimate(const ab_circumstances *c, const void *fitted, double *sample_s, double *once_s)
{
    const dp_params *params = fitted;
    const ab_backend backend = c->implementation->backend;
    const double n = c->input->size, gathered = gathers(c) ? params->n_ants * n * n * n : 0.0;
    const double others = n * n + params->n_ants * n;
    const double sample = backend == AB_CUDA   ? 5e-13 * gathered + 1e-11 * others
                          : backend == AB_HOST ? 1.6e-9 * gathered + 3e-7 * others
                                               : 2e-9 * others / params->threads;
    *sample_s = backend == AB_HOST ? 0.0 : sample;
    *once_s = sample + 1e-8 * others;
}

static const ab_trait traits[] = {{DP_GATHER, "gather"}, {0, NULL}};

const ab_operation deposit_operation = {
    .name = "deposit",
    .inputs = &tsp_inputs,
    .parameters = dp_parameters,
    .params_size = sizeof(dp_params),
    .traits = traits,
    .measures = measures,
    .fit = fit,
    .check = check,
    .set_seed = set_seed,
    .problem = tsp_snapshot_give,
    .size = size,
    .estimate = estimate,
};
