/* Running edge detectors, checking and judging their maps (kernels/edges/measures.h). */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"
#include "kernels/edges/measures.h"
#include "kernels/host/host_backend.h"

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

enum { FEW_SAMPLES = 100 }; /* so many are asked for where time matters more than certainty */

void edges_fit(const ab_circumstances *c, void *fitted)
{
    ed_params *params = fitted;
    if (params->threads == 0) params->threads = c->cores;
    if (params->seeds == 0) params->seeds = c->iterations < FEW_SAMPLES ? 2 : 10;
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

ab_work_size edges_size(const ab_circumstances *c, const void *params)
{
    const edges_detector *detector = c->measure->own;
    const double bytes = detector->bytes_per_pixel * c->input->size;
    return (ab_work_size){.bytes = ((const ed_params *)params)->step ? (double)NAN : bytes, .flops = NAN};
}

/* Maps that edges_judge_noise finds, roughly. */
static double maps_of_noise(const ab_circumstances *c, const ed_params *params)
{
    const edges_axis *axes = ((const edges_detector *)c->measure->own)->grid.axes;
    const double searches = c->input->known_edges ? 0.75 * (1 + edges_draws(params)) : 0.75; /* fixed parameters too */
    const double chosen = searches * axes[0].count * (axes[1].count + axes[2].count);
    return (1 + params->level / 10) * (chosen + 4.0 * params->seeds);
}

double edges_steps(const ab_circumstances *c, const void *fitted)
{
    (void)fitted;
    return c->input->size;
}

/* Seconds for one image: on one core, on a GPU, on fibers. */
void edges_estimate(const ab_circumstances *c, const void *fitted, double *sample_s, double *once_s)
{
    const ed_params *params = fitted;
    const double pixels = c->input->size;
    const ab_backend backend = c->implementation->backend;
    double one = 6e-9 * pixels / params->threads;
    if (backend == AB_CUDA) one = 3e-5 + 1e-10 * pixels;
    if (backend == AB_HOST) one = 2e-6 * pixels;
    *sample_s = backend == AB_HOST || !c->measure->timed ? 0.0 : one;
    *once_s = c->measure->timed ? 1e-7 * pixels : 5e-7 * pixels + one;
    if (c->measure->timed && backend == AB_HOST) *once_s = one;
    if (c->measure->only_own) *once_s = maps_of_noise(c, params) * (3e-9 * pixels + one);
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

/* How often edges are found, and the order in which the host backend does after the first time: one that lets a warp
 * run ahead of the others. */
enum { TIMES = 3, LATER_ORDER = 2 };

/* The maps of an image, [height][width] each. */
typedef struct maps {
    uint8_t *found, *again, *expected;
} maps;

/* What is compared, and on which image. */
typedef struct comparison {
    const ab_task *task;
    const ed_image *image;
    bool partial, other_rules;
} comparison;

static comparison compare_on(const ab_task *task, const ed_image *image)
{
    const unsigned traits = task->c->implementation->traits;
    const ed_params *params = task->params;
    return (comparison){task, image, (traits & AB_PARTIAL) && params->hysteresis_passes > 0, traits & AB_OTHER_RULES};
}

static ab_status detect_into(ab_work *work, uint8_t *map)
{
    ed_detector *detector = (ed_detector *)work;
    AB_TRY(detector->methods->poison(detector));
    AB_TRY(ab_iterate(work));
    return detector->methods->read(detector, map);
}

/* The same detector several times, as often as it takes until it is where it began: what is kept for two runs is in use
 * again in the third. If steps are few, once on an image that is no small probe. */
static ab_status detect_again(const comparison *c, const maps *m)
{
    ab_work *work = NULL;
    const ab_implementation *implementation = c->task->c->implementation;
    const size_t pixels = (size_t)c->image->width * (size_t)c->image->height;
    const int times = c->task->c->few_steps && pixels > EDGES_SMALL_PIXELS ? 1 : TIMES;
    AB_TRY(implementation->open(c->image, c->task->params, &work));
    ab_status status = detect_into(work, m->found);
    memcpy(m->again, m->found, pixels);
    host_backend_set_order(LATER_ORDER);
    for (int i = 1; i < times && status.code == AB_OK && memcmp(m->again, m->found, pixels) == 0; ++i)
        status = detect_into(work, m->again);
    host_backend_set_order(0);
    work->methods->close(work);
    return status;
}

static ab_status expect(const comparison *c, const edges_detector *detector, const maps *m)
{
    ed_params params = *(const ed_params *)c->task->params;
    if (c->partial && detector->partial) return detector->partial(c->image, &params, m->expected);
    params.hysteresis_passes = 0;
    params.threads = 1;
    return edges_map(ab_find_reference(c->task->c->implementation), c->image, &params, m->expected);
}

enum { MANY = 1 << 16 /* pixels from which on they are compared on all cores */ };

/* How the map differs, in pixels. */
typedef struct difference {
    double pixels;
    double missing, surplus; /* numbers of edges */
    double border;           /* share of both in the last column and row */
    double again;            /* pixels that the second time found otherwise */
    bool other_values;
    double edges, covered;   /* edges of the reference, and of the map */
    double edges_near, near; /* edges of the reference, and pixels, with one of the map's within a pixel: of an
                              * AB_OTHER_RULES */
} difference;

/* Whether a pixel or one of its eight neighbours is set. */
static bool is_near(const uint8_t *map, const ed_image *image, size_t pixel)
{
    const int x = (int)(pixel % (size_t)image->width), y = (int)(pixel / (size_t)image->width);
    for (int i = 0; i < 9; ++i) {
        const int nx = x + i % 3 - 1, ny = y + i / 3 - 1;
        if (nx < 0 || nx >= image->width || ny < 0 || ny >= image->height) continue;
        if (map[(size_t)ny * (size_t)image->width + (size_t)nx]) return true;
    }
    return false;
}

static void add_pixel(const comparison *c, const maps *m, size_t i, difference *d)
{
    const size_t width = (size_t)c->image->width, pixels = width * (size_t)c->image->height;
    const bool last = i % width == width - 1 || i >= pixels - width;
    d->pixels += 1.0;
    d->other_values |= m->found[i] > 1;
    d->missing += m->found[i] == 0 && m->expected[i] == 1;
    d->surplus += m->found[i] == 1 && m->expected[i] == 0;
    d->border += last && m->found[i] != m->expected[i];
    d->again += m->found[i] != m->again[i];
    d->edges += m->expected[i] == 1;
    d->covered += m->found[i] == 1;
    const bool near = c->other_rules && is_near(m->found, c->image, i);
    d->near += near;
    d->edges_near += near && m->expected[i] == 1;
}

static void add_difference(difference *to, const difference *more)
{
    to->pixels += more->pixels;
    to->missing += more->missing;
    to->surplus += more->surplus;
    to->border += more->border;
    to->again += more->again;
    to->other_values |= more->other_values;
    to->edges += more->edges;
    to->covered += more->covered;
    to->edges_near += more->edges_near;
    to->near += more->near;
}

static difference differ(const comparison *c, const maps *m)
{
    const size_t pixels = (size_t)c->image->width * (size_t)c->image->height;
    difference all = {0};
#pragma omp parallel if (pixels >= MANY)
    {
        difference mine = {0};
#pragma omp for
        for (size_t i = 0; i < pixels; ++i) add_pixel(c, m, i, &mine);
#pragma omp critical(differ)
        add_difference(&all, &mine);
    }
    return all;
}

/* The share of the reference's edges that are met, scaled so that 0 is the share by chance and 1 is all. */
static double beyond_chance(double met, double edges, double covered, double pixels)
{
    return covered < pixels ? 1.0 - (1.0 - met / edges) / (1.0 - covered / pixels) : 0.0;
}

static bool has_nothing_to_do_with_it(const difference *d)
{
    if (d->edges < EDGES_TO_JUDGE_BY) return false;
    const double at_pixel = beyond_chance(d->edges - d->missing, d->edges, d->covered, d->pixels);
    const double near = 2.0 * d->near < d->pixels ? beyond_chance(d->edges_near, d->edges, d->near, d->pixels) : 0.0;
    return fmax(at_pixel, near) < EDGES_BEYOND_CHANCE;
}

static ab_status judge_difference(const comparison *c, const difference *d)
{
    if (d->other_values) return ab_failed("the map has values other than 0 and 1");
    if (d->again > 0.0)
        return ab_failed("finding the edges again gives another map: %g pixels of %g", d->again, d->pixels);
    if (c->other_rules && has_nothing_to_do_with_it(d))
        return ab_failed("the map has nothing to do with the image: it misses %g of %g edges and has %g too many",
                         d->missing, d->edges, d->surplus);
    if (c->other_rules) return ab_ok();
    if (d->missing + d->surplus > EDGES_TOLERANCE * d->pixels)
        return ab_failed("%g pixels are missing and %g are too many, of %g", d->missing, d->surplus, d->pixels);
    if (d->border > 0.0) return ab_failed("%g pixels of the last column and row are missing or too many", d->border);
    return ab_ok();
}

/* Fills *d and the map that is found; *wrong as in ab_verdict. */
static ab_status verify_on(const comparison *c, const edges_detector *detector, uint8_t *found, difference *d,
                           bool *wrong)
{
    const size_t pixels = (size_t)c->image->width * (size_t)c->image->height;
    maps m = {found, malloc(pixels), malloc(pixels)};
    ab_status status = m.again && m.expected ? expect(c, detector, &m) : ab_failed("out of memory");
    if (status.code == AB_OK) status = detect_again(c, &m);
    if (status.code == AB_OK) {
        *d = differ(c, &m);
        status = judge_difference(c, d);
        *wrong = status.code != AB_OK && !c->other_rules;
    }
    free(m.again);
    free(m.expected);
    return status;
}

static ab_status verify_each_probe(const ab_task *task, const edges_detector *detector, uint8_t *rgba, uint8_t *grey,
                                   uint8_t *found, bool *wrong)
{
    for (int i = 0; i < EDGES_PROBES; ++i) {
        ed_image probe;
        difference d;
        edges_probe(i, rgba, grey, &probe);
        const comparison c = compare_on(task, &probe);
        const ab_status status = verify_on(&c, detector, found, &d, wrong);
        if (status.code != AB_OK && *wrong) return ab_failed("on probe %d: %.450s", i, status.reason);
        AB_TRY(status);
    }
    return ab_ok();
}

/* What has passed on the probes, which are the same for each image. */
static struct passed {
    const ab_implementation *implementation;
    ed_params params;
} passed[64];

static bool has_passed(const ab_implementation *implementation, const ed_params *params, struct passed **next)
{
    enum { MOST = sizeof passed / sizeof *passed };
    int i = 0;
    for (; i < MOST && passed[i].implementation; ++i)
        if (passed[i].implementation == implementation && memcmp(&passed[i].params, params, sizeof *params) == 0)
            return true;
    *next = &passed[i % MOST];
    return false;
}

static ab_status verify_probes(const ab_task *task, const edges_detector *detector, bool *wrong)
{
    struct passed *next;
    if (has_passed(task->c->implementation, task->params, &next)) return ab_ok();
    uint8_t *rgba = malloc(4 * EDGES_PROBE_PIXELS), *grey = malloc(EDGES_PROBE_PIXELS),
            *found = malloc(EDGES_PROBE_PIXELS);
    const ab_status status = rgba && grey && found ? verify_each_probe(task, detector, rgba, grey, found, wrong)
                                                   : ab_failed("out of memory for the probes");
    free(rgba);
    free(grey);
    free(found);
    AB_TRY(status);
    next->implementation = task->c->implementation;
    memcpy(&next->params, task->params, sizeof next->params);
    return ab_ok();
}

static void describe_difference(const ab_task *task, const difference *d, ab_verdict *verdict)
{
    char note[128];
    snprintf(note, sizeof note, "by rules of its own: misses %g of %g edges and has %g others", d->missing, d->edges,
             d->surplus);
    task->sink->note(task->sink, note);
    verdict->quality = "mismatch-share";
    verdict->quality_value = (d->missing + d->surplus) / d->pixels;
}

/* The share of the pixels of an AB_PARTIAL's map that differ from the map of all passes. */
static ab_status judge_completeness(const comparison *c, const edges_detector *detector, const uint8_t *found,
                                    ab_verdict *verdict)
{
    const size_t pixels = (size_t)c->image->width * (size_t)c->image->height;
    ed_params params = *(const ed_params *)c->task->params;
    uint8_t *complete = malloc(pixels);
    params.hysteresis_passes = INT_MAX;
    const ab_status status =
        complete ? detector->partial(c->image, &params, complete) : ab_failed("out of memory for %zu pixels", pixels);
    size_t differing = 0;
    for (size_t i = 0; status.code == AB_OK && i < pixels; ++i) differing += found[i] != complete[i];
    free(complete);
    verdict->quality = "mismatch-share";
    verdict->quality_value = (double)differing / (double)pixels;
    return status;
}

static ab_status verify_image(const ab_task *task, const edges_detector *detector, uint8_t *found, ab_verdict *verdict)
{
    const comparison c = compare_on(task, task->problem);
    difference d = {0};
    const ab_status status = verify_on(&c, detector, found, &d, &verdict->wrong);
    snprintf(verdict->metric, sizeof verdict->metric, "mismatched-pixels");
    verdict->value = d.missing + d.surplus;
    AB_TRY(status);
    if (c.other_rules) describe_difference(task, &d, verdict);
    if (c.partial && detector->partial) AB_TRY(judge_completeness(&c, detector, found, verdict));
    return save_edges(task, found);
}

ab_status edges_verify(const ab_task *task, ab_verdict *verdict)
{
    const edges_detector *detector = task->c->measure->own;
    uint8_t *found = malloc(edges_pixels(task->loaded));
    ab_status status = found ? verify_image(task, detector, found, verdict) : ab_failed("out of memory");
    const bool other_rules = task->c->implementation->traits & AB_OTHER_RULES;
    if (status.code == AB_OK && !other_rules) status = verify_probes(task, detector, &verdict->wrong);
    if (status.code == AB_OK && task->c->implementation->backend == AB_HOST)
        task->sink->note(task->sink, "verified on the host backend, not timed");
    free(found);
    return status;
}

/* ---- Quality ---- */

/* F of the map against all of Canny's by the rules in plain C, with the usual parameters, unless it is Canny's. */
static ab_status append_canny_agreement(const ab_task *task, const uint8_t *map)
{
    const ed_image *image = task->problem;
    ed_params params = ed_default_params();
    edge_quality quality;
    if (strcmp(task->c->implementation->operation, "canny") == 0) return ab_ok();
    params.hysteresis_passes = INT_MAX;
    uint8_t *canny = malloc(edges_pixels(task->loaded));
    const edges_detector *of_canny = ab_find_operation("canny")->measures->own;
    ab_status status = canny ? of_canny->partial(image, &params, canny) : ab_failed("out of memory");
    if (status.code == AB_OK)
        status = edge_map_compare(image->width, image->height, map, canny, EDGE_MAP_NEAR, &quality);
    free(canny);
    AB_TRY(status);
    return task->sink->metric(task->sink, NULL, "agreement-canny", &quality.f, 1, NULL);
}

ab_status edges_judge_map(const ab_task *task, double *f)
{
    uint8_t *map = malloc(edges_pixels(task->loaded));
    ab_status status = map ? ab_ok() : ab_failed("out of memory");
    if (status.code == AB_OK) status = edges_map(task->c->implementation, task->problem, task->params, map);
    if (status.code == AB_OK) status = save_edges(task, map);
    if (status.code == AB_OK) status = append_canny_agreement(task, map);
    if (status.code == AB_OK) status = edges_judge(task, map, f);
    free(map);
    return status;
}
