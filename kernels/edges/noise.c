/* How detectors stand noise (kernels/edges/measures.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"
#include "kernels/edges/measures.h"

const char *const edges_noise_names[] = {
    [IMAGE_SALT_AND_PEPPER] = "salt-and-pepper", [IMAGE_GAUSSIAN] = "gaussian", NULL};
const char *const edges_tuning_names[] = {"fixed", "best", NULL};
enum { FIXED, BEST };

enum { LEVEL_STEP = 10 }; /* percent between two levels; the first is 0 */

/* An image with noise, as detectors see it. */
typedef struct noisy_image {
    ab_image image;
    uint8_t *rgba, *grey;
} noisy_image;

static void free_noisy(noisy_image *noisy)
{
    image_free(&noisy->image);
    free(noisy->rgba);
    free(noisy->grey);
}

static ab_status make_noisy(const ab_task *task, int percent, noisy_image *noisy)
{
    const edges_image *loaded = task->loaded;
    const ed_params *params = task->params;
    const size_t pixels = edges_pixels(loaded), bytes = pixels * (size_t)loaded->image.channels;
    *noisy = (noisy_image){.image = loaded->image, .rgba = malloc(4 * pixels), .grey = malloc(pixels)};
    noisy->image.edges = NULL;
    noisy->image.pixels = malloc(bytes);
    if (!noisy->image.pixels || !noisy->rgba || !noisy->grey) return ab_failed("out of memory");
    memcpy(noisy->image.pixels, loaded->image.pixels, bytes);
    if (percent) image_add_noise(&noisy->image, (image_noise)params->noise, percent / 100.0, task->seed);
    image_rgba(&noisy->image, noisy->rgba);
    image_grey(&noisy->image, noisy->grey);
    return ab_ok();
}

static ed_image view_of(const noisy_image *noisy)
{
    return (ed_image){noisy->image.width, noisy->image.height, noisy->rgba, noisy->grey};
}

/* What is done level by level. */
typedef struct noise_task {
    const ab_task *task;
    const edges_grid *grid;
    uint8_t *map; /* [height][width], scratch */
    double *f;    /* [n_levels][grid->count] */
    int n_levels;
    double *last; /* F of the cell's row */
} noise_task;

static ab_status score(const noise_task *n, const noisy_image *noisy, const ed_params *params, double *f)
{
    const ab_image *image = &((const edges_image *)n->task->loaded)->image;
    const ed_image view = view_of(noisy);
    edge_quality quality;
    AB_TRY(edges_map(n->task->c->implementation, &view, params, n->map));
    AB_TRY(edge_map_compare(view.width, view.height, n->map, image->edges, edges_radius(image), &quality));
    *f = quality.f;
    return ab_ok();
}

/* "gaussian-20-input" */
static void format_name(const noise_task *n, int percent, const char *rest, char name[160])
{
    const ed_params *params = n->task->params;
    snprintf(name, 160, "%s-%d-%s", edges_noise_names[params->noise], percent, rest);
}

/* F of every point of the grid at a level. */
static ab_status score_level(const noise_task *n, int level, const noisy_image *noisy)
{
    char name[160];
    format_name(n, level * LEVEL_STEP, "input", name);
    AB_TRY(edges_save_pixels(n->task, name, noisy->image.pixels));
    for (int i = 0; i < n->grid->count; ++i) {
        ed_params params = *(const ed_params *)n->task->params;
        n->grid->set(i, &params);
        AB_TRY(score(n, noisy, &params, &n->f[level * n->grid->count + i]));
    }
    return ab_ok();
}

/* The point with the largest sum of F over levels first .. last; the first of equals. */
static ed_params best_point(const noise_task *n, int first, int last)
{
    ed_params best = *(const ed_params *)n->task->params;
    double best_sum = -1.0;
    for (int i = 0; i < n->grid->count; ++i) {
        double sum = 0.0;
        for (int level = first; level <= last; ++level) sum += n->f[level * n->grid->count + i];
        if (sum <= best_sum) continue;
        best_sum = sum;
        n->grid->set(i, &best);
    }
    return best;
}

/* The row of a level and a tuning; of the last, which is the cell's own, only the note and F. */
static ab_status append(const noise_task *n, const noisy_image *noisy, int level, int tuning)
{
    const ab_task *task = n->task;
    const ab_parameter *table = ab_find_operation(task->c->implementation->operation)->parameters;
    ed_params params = tuning == BEST ? best_point(n, level, level) : best_point(n, 0, n->n_levels - 1);
    char rest[96], name[160], key[AB_PARAMS_TEXT] = "", used[AB_PARAMS_TEXT] = "";
    double f;
    AB_TRY(score(n, noisy, &params, &f));
    snprintf(rest, sizeof rest, "%s-%s-edges", task->row, edges_tuning_names[tuning]);
    format_name(n, level * LEVEL_STEP, rest, name);
    AB_TRY(edges_save_map(task, name, n->map));
    AB_TRY(ab_parameters_format(table, &params, 0, "quality", false, AB_SHOWN_GPU, used));
    params.level = level * LEVEL_STEP;
    params.tuning = tuning;
    AB_TRY(ab_parameters_format(table, &params, 0, "noise", true, AB_SHOWN_GPU, key));
    if (level < n->n_levels - 1 || tuning != BEST) return task->sink->metric(task->sink, key, "f", f, used);
    task->sink->note(task->sink, used);
    *n->last = f;
    return ab_ok();
}

/* Both rows of a level, once all levels have their scores. */
static ab_status append_level(const noise_task *n, int level, const noisy_image *noisy)
{
    AB_TRY(append(n, noisy, level, FIXED));
    return append(n, noisy, level, BEST);
}

static ab_status for_each_level(const noise_task *n, ab_status (*work)(const noise_task *, int, const noisy_image *))
{
    for (int level = 0; level < n->n_levels; ++level) {
        noisy_image noisy;
        ab_status status = make_noisy(n->task, level * LEVEL_STEP, &noisy);
        if (status.code == AB_OK) status = work(n, level, &noisy);
        free_noisy(&noisy);
        AB_TRY(status);
    }
    return ab_ok();
}

ab_status edges_judge_noise(const ab_task *task, double *f)
{
    const edges_grid *grid = &((const edges_detector *)task->c->measure->own)->grid;
    const int n_levels = 1 + ((const ed_params *)task->params)->level / LEVEL_STEP;
    if (!task->c->input->known_edges) return ab_unsupported("needs an image whose edges are known");
    const noise_task n = {.task = task,
                          .grid = grid,
                          .map = malloc(edges_pixels(task->loaded)),
                          .f = calloc((size_t)(n_levels * grid->count), sizeof(double)),
                          .n_levels = n_levels,
                          .last = f};
    ab_status status = n.map && n.f ? for_each_level(&n, score_level) : ab_failed("out of memory");
    if (status.code == AB_OK) status = for_each_level(&n, append_level);
    free(n.map);
    free(n.f);
    return status;
}
