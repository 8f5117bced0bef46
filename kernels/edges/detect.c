/* Running edge detectors, checking and judging their maps (kernels/edges/measures.h). */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/edges/measures.h"

ab_status edges_problem(const ab_task *task, const void **given)
{
    edges_image *image = task->loaded;
    ed_image *view = realloc(image->problem, sizeof *view);
    if (!view) return ab_failed("out of memory");
    image->problem = view;
    *view = (ed_image){image->image.width, image->image.height, image->rgba, image->grey};
    *given = view;
    return ab_ok();
}

void edges_fit(const ab_circumstances *c, void *fitted)
{
    ed_params *params = fitted;
    if (params->threads == 0) params->threads = c->cores;
}

ab_status edges_check(const ab_circumstances *c, const void *params)
{
    const ed_image image = {.width = c->input->width, .height = c->input->height};
    return ed_check(&image, params);
}

void edges_set_seed(void *params, uint64_t seed)
{
    (void)params, (void)seed;
}

/* Seconds for one image: on one 2.5 GHz core, on a GPU, on fibers. */
void edges_estimate(const ab_circumstances *c, const void *fitted, double *sample_s, double *once_s)
{
    const ed_params *params = fitted;
    const double pixels = c->input->size;
    const ab_backend backend = c->implementation->backend;
    double one = 2e-8 * pixels / params->threads;
    if (backend == AB_CUDA) one = 3e-5 + 1e-10 * pixels;
    if (backend == AB_HOST) one = 2e-6 * pixels;
    *sample_s = backend == AB_HOST || !c->measure->timed ? 0.0 : one;
    *once_s = c->measure->timed ? 1e-7 * pixels : 5e-7 * pixels + one;
    if (c->measure->timed && backend == AB_HOST) *once_s = pixels > c->host_steps ? 0.0 : one;
    if (c->measure->only_own) *once_s = (1 + params->level / 10) * 100.0 * (1.2e-8 * pixels + one);
}

ab_status edges_map(const ab_implementation *implementation, const ed_image *image, const ed_params *params,
                    uint8_t *map)
{
    ab_work *work = NULL;
    AB_TRY(implementation->open(image, params, &work));
    ed_detector *detector = (ed_detector *)work;
    ab_status status = detector->methods->poison(detector);
    if (status.code == AB_OK) status = ab_iterate(work);
    if (status.code == AB_OK) status = detector->methods->read(detector, map);
    work->methods->close(work);
    return status;
}

static ab_status save_edges(const ab_task *task, const uint8_t *map)
{
    char name[80];
    snprintf(name, sizeof name, "%s-edges", task->row);
    return edges_save_map(task, name, map);
}

/* ---- Verification ---- */

/* The map that the cell's must equal. */
static ab_status reference_map(const ab_task *task, uint8_t *map)
{
    ed_params params = *(const ed_params *)task->params;
    params.hysteresis_passes = 0;
    params.threads = 1;
    return edges_map(ab_find_reference(task->c->implementation), task->problem, &params, map);
}

static ab_status compare_maps(const ab_task *task, const uint8_t *map, const uint8_t *reference, ab_verdict *verdict)
{
    const ed_params *params = task->params;
    const unsigned traits = task->c->implementation->traits;
    const bool superset = traits & AB_SUPERSET, partial = (traits & AB_PARTIAL) && params->hysteresis_passes > 0;
    const double pixels = (double)edges_pixels(task->loaded);
    double missing = 0.0, surplus = 0.0;
    for (size_t i = 0; i < (size_t)pixels; ++i) {
        verdict->wrong |= map[i] > 1;
        missing += map[i] == 0 && reference[i] == 1;
        surplus += map[i] == 1 && reference[i] == 0;
    }
    snprintf(verdict->metric, sizeof verdict->metric, "mismatched-pixels");
    verdict->value = missing + surplus;
    if (verdict->wrong) return ab_failed("the map has values other than 0 and 1");
    char note[96];
    snprintf(note, sizeof note, "%g pixels missing, %g too many", missing, surplus);
    if (superset || partial) task->sink->note(task->sink, note);
    const double mistakes = superset ? missing : partial ? surplus : missing + surplus;
    verdict->wrong = mistakes > (superset ? EDGES_SUPERSET_TOLERANCE * pixels + 1.0 : EDGES_TOLERANCE * pixels);
    if (!verdict->wrong) return ab_ok();
    return ab_failed("%g pixels are missing and %g are too many, of %g", missing, surplus, pixels);
}

ab_status edges_verify(const ab_task *task, ab_verdict *verdict)
{
    const size_t pixels = edges_pixels(task->loaded);
    uint8_t *map = malloc(pixels), *reference = malloc(pixels);
    ab_status status = map && reference ? ab_ok() : ab_failed("out of memory");
    if (status.code == AB_OK) status = reference_map(task, reference);
    if (status.code == AB_OK) status = edges_map(task->c->implementation, task->problem, task->params, map);
    if (status.code == AB_OK) status = compare_maps(task, map, reference, verdict);
    if (status.code == AB_OK) status = save_edges(task, map);
    if (status.code == AB_OK && task->c->implementation->backend == AB_HOST)
        task->sink->note(task->sink, "verified on the host backend, not timed");
    free(map);
    free(reference);
    return status;
}

/* ---- Quality ---- */

ab_status edges_judge_map(const ab_task *task, double *f)
{
    uint8_t *map = malloc(edges_pixels(task->loaded));
    ab_status status = map ? ab_ok() : ab_failed("out of memory");
    if (status.code == AB_OK) status = edges_map(task->c->implementation, task->problem, task->params, map);
    if (status.code == AB_OK) status = save_edges(task, map);
    if (status.code == AB_OK) status = edges_judge(task, map, f);
    free(map);
    return status;
}
