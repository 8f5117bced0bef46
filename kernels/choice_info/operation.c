/* choice-info to the harness: parameters, verification and how much work it is (kernels/operation.h). The problem is a
 * snapshot of a colony (kernels/tsp/check/snapshot.h); a sample is the weights of all edges. */
#include <math.h>
#include <stdio.h>

#include "kernels/choice_info/choice_info.h"
#include "kernels/host/host_backend.h"
#include "kernels/tsp/steps/inputs.h"

enum { VERIFIED_ORDER = 2 }; /* order of threads on the host backend: it lets a warp run ahead of the others */

static void fit(const ab_circumstances *c, void *fitted)
{
    ci_params *params = fitted;
    if (params->threads == 0) params->threads = c->cores;
}

static ab_status check(const ab_circumstances *c, const void *params)
{
    (void)c;
    return ci_check(params);
}

/* Nothing is drawn: the seed is the snapshot's. */
static void set_seed(void *params, uint64_t seed)
{
    (void)params, (void)seed;
}

static ab_status verify(const ab_task *task, ab_verdict *verdict)
{
    ab_work *work = NULL;
    snprintf(verdict->metric, sizeof verdict->metric, "largest-relative-error");
    AB_TRY(task->c->implementation->open(task->problem, task->params, &work));
    host_backend_set_order(VERIFIED_ORDER);
    const ab_status status =
        choice_info_verify((ci_weights *)work, task->problem, task->params, &verdict->value, &verdict->wrong);
    host_backend_set_order(0);
    work->methods->close(work);
    if (task->c->implementation->backend == AB_HOST)
        task->sink->note(task->sink, "verified on the host backend, not timed");
    return status;
}

static const ab_measure measures[] = {
    {.name = "time",
     .scope = "kernel",
     .timed = true,
     .samples = AB_SAMPLE_ITERATIONS,
     .at_once = 10,
     .verify = verify},
    {.name = NULL},
};

/* Pheromone and eta are read and choice_info written, a float each. A power counts as one operation (JPDC §5.1.1): two
 * of them and a product. */
static ab_work_size size(const ab_circumstances *c, const void *params)
{
    const double edges = (double)c->input->size * c->input->size;
    (void)params;
    return (ab_work_size){.bytes = 12.0 * edges, .flops = 3.0 * edges};
}

/* An edge takes 0.5 ns on one core, 10 ps on a GPU, 0.3 us on fibers; to verify it takes two powers in double. */
static void estimate(const ab_circumstances *c, const void *fitted, double *sample_s, double *once_s)
{
    const ci_params *params = fitted;
    const double edges = (double)c->input->size * c->input->size;
    const double edge = c->implementation->backend == AB_CUDA ? 1e-11 : 5e-10 / params->threads;
    *sample_s = c->implementation->backend == AB_HOST ? 0.0 : edge * edges;
    *once_s = (c->implementation->backend == AB_HOST ? 4e-7 : 1e-7) * edges;
    if (c->seconds > 0.0) *sample_s = c->seconds * pow(c->input->size, c->power) / params->threads;
}

const ab_operation choice_info_operation = {
    .name = "choice-info",
    .inputs = &tsp_inputs,
    .parameters = ci_parameters,
    .params_size = sizeof(ci_params),
    .measures = measures,
    .fit = fit,
    .check = check,
    .set_seed = set_seed,
    .problem = tsp_snapshot_give,
    .size = size,
    .estimate = estimate,
};
