/* Sobel's edge detector to the harness (kernels/operation.h): what the others' maps are compared with (thesis §6.6). */
#include <math.h>
#include <stddef.h>

#include "kernels/edges/measures.h"

static const ab_parameter parameters[] = {
    {.name = "threshold",
     .help = "of the gradient's magnitude; auto: twice its root mean square",
     .kind = AB_REAL,
     .offset = offsetof(ed_params, threshold),
     .most = 1e6,
     .word = "auto",
     .shown = AB_SHOWN},
    EDGES_PARAMETERS,
};

static const double thresholds[] = {0.0, 25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0, 400.0, 600.0, 800.0};

static void set_point(int point, ed_params *params)
{
    params->threshold = thresholds[point];
}

static const edges_grid grid = {sizeof thresholds / sizeof *thresholds, set_point};

static ab_status judge_noise(const ab_task *task, double *f)
{
    return edges_judge_noise(task, &grid, f);
}

static ab_status verify(const ab_task *task, ab_verdict *verdict)
{
    return edges_verify(task, &(edges_rules){0}, verdict);
}

static const ab_measure measures[] = {EDGES_MEASURES(verify, judge_noise)};

/* The grey image is read and the map written, a byte a pixel each. */
static ab_work_size size(const ab_circumstances *c, const void *params)
{
    (void)params;
    return (ab_work_size){.bytes = 2.0 * c->input->size, .flops = NAN};
}

const ab_operation sobel_operation = {
    .name = "sobel",
    .inputs = &edges_inputs,
    .parameters = parameters,
    .params_size = sizeof(ed_params),
    .measures = measures,
    .fit = edges_fit,
    .check = edges_check,
    .set_seed = edges_set_seed,
    .problem = edges_problem,
    .size = size,
    .estimate = edges_estimate,
};
