/* psystem to the harness: formulas as inputs, parameters, verification and how much work it is (kernels/operation.h).
 * The problem is a formula (instances/cnf.h); a sample is a run of its system. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cuda/device_bytes.h"
#include "kernels/host/host_backend.h"
#include "kernels/operation.h"
#include "kernels/psystem/psystem.h"

enum { VERIFIED_ORDER = 2 }; /* order of threads on the host backend: it lets a warp run ahead of the others */

/* ---- Inputs ---- */

typedef struct ps_input {
    cnf_formula formula;
    uint64_t satisfying; /* ps_count's */
    bool counted;
} ps_input;

static void describe_formula(const char *asked, const cnf_formula *formula, ab_input *input)
{
    *input = (ab_input){.asked = asked, .size = formula->n, .stand_in = formula->stand_in, .reference = NAN};
    snprintf(input->name, sizeof input->name, "%s", formula->name);
    snprintf(input->path, sizeof input->path, "%s", formula->path);
    snprintf(input->sha256, sizeof input->sha256, "%s", formula->sha256);
    if (!formula->stand_in)
        snprintf(input->note, sizeof input->note, "%d clauses, %d literals, %d repeated, %d tautologies", formula->m,
                 formula->n_literals, formula->repeated, formula->tautologies);
}

static ab_status describe(const char *name, ab_input *input)
{
    cnf_formula formula;
    AB_TRY(cnf_load(name, &formula));
    describe_formula(name, &formula, input);
    cnf_free(&formula);
    return ab_ok();
}

static ab_status load(ab_input *input, void **loaded)
{
    ps_input *l = calloc(1, sizeof *l);
    if (!l) return ab_failed("out of memory");
    const ab_status status = cnf_load(input->asked, &l->formula);
    if (status.code != AB_OK) {
        free(l);
        return status;
    }
    describe_formula(input->asked, &l->formula, input);
    *loaded = l;
    return ab_ok();
}

static void unload(void *loaded)
{
    ps_input *l = loaded;
    if (!l) return;
    cnf_free(&l->formula);
    free(l);
}

static const ab_inputs inputs = {
    .help = "2^N (JSC's: N variables), random formulas (k3-n20-m91, -sat, -unsat), files of $CNF_DIR or paths",
    .check_name = cnf_check_name,
    .describe = describe,
    .load = load,
    .unload = unload,
};

static ab_status problem(const ab_task *task, const void **given)
{
    *given = &((const ps_input *)task->loaded)->formula;
    return ab_ok();
}

/* ---- Parameters ---- */

static void fit(const ab_circumstances *c, void *fitted)
{
    ps_params *params = fitted;
    if (params->threads == 0) params->threads = c->cores;
}

static ab_status check(const ab_circumstances *c, const void *params)
{
    (void)c;
    return ps_check(params);
}

/* Nothing is drawn but the formula, of which the name says how. */
static void set_seed(void *params, uint64_t seed)
{
    (void)params, (void)seed;
}

/* ---- The measure ---- */

static ab_status verify(const ab_task *task, ab_verdict *verdict)
{
    ps_input *l = task->loaded;
    ab_work *work = NULL;
    snprintf(verdict->metric, sizeof verdict->metric, "satisfying-membranes");
    AB_TRY(task->c->implementation->open(task->problem, task->params, &work));
    if (!l->counted) l->satisfying = ps_count(&l->formula, NULL);
    l->counted = true;
    host_backend_set_order(VERIFIED_ORDER);
    const ab_status status = psystem_verify((ps_system *)work, &l->formula, l->satisfying, &verdict->wrong);
    host_backend_set_order(0);
    work->methods->close(work);
    verdict->value = (double)l->satisfying;
    if (task->c->implementation->backend == AB_HOST)
        task->sink->note(task->sink, "verified on the host backend, not timed");
    return status;
}

/* The most bytes of the GPU's memory that a run has at a time; the run is verified like any other. */
static ab_status judge_memory(const ab_task *task, double *bytes)
{
    ab_verdict verdict = {.wrong = false};
    if (task->c->implementation->backend == AB_CPU) return ab_unsupported("a CPU has no device memory to count");
    ab_device_peak_begin();
    const size_t before = ab_device_peak();
    AB_TRY(verify(task, &verdict));
    *bytes = (double)(ab_device_peak() - before);
    return ab_ok();
}

/* Membranes. */
static double membranes(const ab_circumstances *c, const void *fitted)
{
    (void)fitted;
    return exp2(c->input->size);
}

static const ab_measure measures[] = {
    {.name = "time", .scope = "run", .timed = true, .samples = AB_SAMPLE_ITERATIONS, .at_once = 1, .verify = verify},
    {.name = "memory", .scope = "quality", .metric = "gpu-bytes", .judge = judge_memory, .least_on_host = membranes},
    {.name = NULL},
};

/* Nothing must be moved: the formula fits the cache, and the answer is a bit. */
static ab_work_size size(const ab_circumstances *c, const void *params)
{
    (void)c, (void)params;
    return (ab_work_size){.bytes = NAN, .flops = NAN};
}

/* Seconds of a membrane by backend, for JSC's 256 literals: by single steps, as words of memory, as bits. */
static double membrane_seconds(const ab_circumstances *c)
{
    const unsigned traits = c->implementation->traits;
    switch (c->implementation->backend) {
    case AB_CPU:
        return traits & PS_SINGLE_STEPS ? 2e-3 : traits & PS_BITS ? 1e-10 : 2e-6;
    case AB_HOST:
        return traits & PS_SINGLE_STEPS ? 0.025 : traits & PS_BITS ? 4e-8 : 5e-4;
    default:
        return traits & PS_SINGLE_STEPS ? 1e-5 : traits & PS_BITS ? 1e-12 : 1e-8;
    }
}

static void estimate(const ab_circumstances *c, const void *fitted, double *sample_s, double *once_s)
{
    const ps_params *params = fitted;
    const double membranes = exp2(c->input->size), sample = 1e-5 + membrane_seconds(c) * membranes / params->threads;
    *sample_s = c->implementation->backend == AB_HOST ? 0.0 : sample;
    *once_s = sample + 1e-9 * membranes / c->cores;
}

static const ab_trait traits[] = {{PS_SINGLE_STEPS, "single-steps"}, {PS_BITS, "bits"}, {0, NULL}};

const ab_operation psystem_operation = {
    .name = "psystem",
    .inputs = &inputs,
    .parameters = ps_parameters,
    .params_size = sizeof(ps_params),
    .traits = traits,
    .measures = measures,
    .fit = fit,
    .check = check,
    .set_seed = set_seed,
    .problem = problem,
    .size = size,
    .estimate = estimate,
};
