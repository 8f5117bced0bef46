/* How detectors stand noise (detector_noise of detector_bench.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/detector_bench.h"
#include "bench/detector_grid.h"
#include "bench/quality.h"

const int detector_noise_percent[DETECTOR_NOISE_LEVELS] = {0, 10, 20, 30, 40};

const char *detector_noise_name(image_noise noise)
{
    return noise == IMAGE_GAUSSIAN ? "gaussian" : "salt-and-pepper";
}

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

static ab_status make_noisy(const image_table *t, const image_input *input, image_noise kind, int percent,
                            noisy_image *noisy)
{
    const size_t pixels = (size_t)input->image.width * (size_t)input->image.height;
    const size_t bytes = pixels * (size_t)input->image.channels;
    *noisy = (noisy_image){.image = input->image, .rgba = malloc(4 * pixels), .grey = malloc(pixels)};
    noisy->image.edges = NULL;
    noisy->image.pixels = malloc(bytes);
    if (!noisy->image.pixels || !noisy->rgba || !noisy->grey) return ab_failed("out of memory");
    memcpy(noisy->image.pixels, input->image.pixels, bytes);
    if (percent) image_add_noise(&noisy->image, kind, percent / 100.0, t->base.options.seed);
    image_rgba(&noisy->image, noisy->rgba);
    image_grey(&noisy->image, noisy->grey);
    return ab_ok();
}

static ed_image view_of(const noisy_image *noisy)
{
    return (ed_image){noisy->image.width, noisy->image.height, noisy->rgba, noisy->grey};
}

/* Params of the row for a level: "noise=gaussian;level=40;tuning=best". */
static void format_noise(const image_cell *cell, int percent, const char *tuning, char text[128])
{
    snprintf(text, 128, "noise=%s;level=%d;tuning=%s", detector_noise_name(cell->noise.kind), percent, tuning);
}

static void format_noise_params(const image_table *t, const image_cell *cell, ab_backend backend, char text[128])
{
    (void)t, (void)backend;
    format_noise(cell, cell->noise.percent, "best", text);
}

/* With --save, to "<image>-gaussian-20-<row>-best-edges.png". */
static ab_status save_noisy_map(const image_table *t, const image_cell *cell, int percent, const char *tuning,
                                const uint8_t *map)
{
    char name[128];
    snprintf(name, sizeof name, "%s-%d-%s-%s-edges", detector_noise_name(cell->noise.kind), percent, cell->row, tuning);
    return image_save_map(t, &t->inputs[cell->input], name, map);
}

static double estimate_noise(const image_table *t, const image_cell *cell, ab_backend backend)
{
    const int levels = 1 + cell->noise.percent / 10;
    const double one = 1.2e-8 * detector_pixels(t, cell) + detector_seconds(t, cell, backend);
    return levels * detector_grid(cell->implementation).count * one;
}

static ab_status score(const image_input *input, const ab_implementation *implementation, const noisy_image *noisy,
                       const ed_params *params, uint8_t *map, double *f)
{
    const ed_image view = view_of(noisy);
    AB_TRY(detector_map(implementation, &view, params, map));
    edge_quality quality;
    AB_TRY(edge_map_compare(view.width, view.height, map, input->image.edges, quality_radius(&input->image), &quality));
    *f = quality.f;
    return ab_ok();
}

/* F of every point of the grid for a noisy image into f[grid.count]. */
static ab_status score_grid(const image_table *t, const image_cell *cell, const ab_implementation *implementation,
                            const noisy_image *noisy, uint8_t *map, double *f)
{
    const detector_parameter_grid grid = detector_grid(cell->implementation);
    for (int i = 0; i < grid.count; ++i) {
        ed_params params = detector_params(t, cell);
        grid.set(i, &params);
        AB_TRY(score(&t->inputs[cell->input], implementation, noisy, &params, map, &f[i]));
    }
    return ab_ok();
}

/* The point with the largest sum of f[level][point] over levels first .. last; the first of equals. */
static ed_params best_point(const image_table *t, const image_cell *cell, const double *f, int first, int last)
{
    const detector_parameter_grid grid = detector_grid(cell->implementation);
    ed_params best = detector_params(t, cell);
    double best_sum = -1.0;
    for (int i = 0; i < grid.count; ++i) {
        double sum = 0.0;
        for (int level = first; level <= last; ++level) sum += f[level * grid.count + i];
        if (sum <= best_sum) continue;
        best_sum = sum;
        grid.set(i, &best);
    }
    return best;
}

static ab_status append_level(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                              const noisy_image *noisy, const ed_params *params, int percent, const char *tuning,
                              uint8_t *map, const ab_row *key)
{
    ab_row row = *key;
    double f;
    char used[96];
    AB_TRY(score(&t->inputs[cell->input], implementation, noisy, params, map, &f));
    AB_TRY(save_noisy_map(t, cell, percent, tuning, map));
    detector_format_params(cell->implementation, params, used);
    ab_row_add_note(&row, "%s", used);
    format_noise(cell, percent, tuning, row.params);
    strcat(row.params, ";metric=f"); /* as the row of the key has it; it replaced a longer text */
    return quality_append_metric(t, &row, "f", f);
}

static ab_status save_noisy_image(const image_table *t, const image_cell *cell, const noisy_image *noisy, int percent)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%d-input", detector_noise_name(cell->noise.kind), percent);
    return image_save_pixels(t, &t->inputs[cell->input], name, noisy->image.pixels);
}

/* What is done with the noisy image of a level. */
typedef struct noise_task {
    image_table *t;
    const image_cell *cell;
    const ab_implementation *implementation;
    const ab_row *key; /* the row that the others are made from */
    uint8_t *map;      /* [height][width], scratch */
    double *f;         /* [levels][grid.count] */
    int n_levels;
} noise_task;

static ab_status score_level(const noise_task *task, int level, const noisy_image *noisy)
{
    double *f = task->f + level * detector_grid(task->cell->implementation).count;
    AB_TRY(save_noisy_image(task->t, task->cell, noisy, detector_noise_percent[level]));
    return score_grid(task->t, task->cell, task->implementation, noisy, task->map, f);
}

/* Both rows of a level, once all levels have their scores. */
static ab_status append_rows(const noise_task *task, int level, const noisy_image *noisy)
{
    const ed_params fixed = best_point(task->t, task->cell, task->f, 0, task->n_levels - 1);
    const ed_params best = best_point(task->t, task->cell, task->f, level, level);
    const int percent = detector_noise_percent[level];
    AB_TRY(
        append_level(task->t, task->cell, task->implementation, noisy, &fixed, percent, "fixed", task->map, task->key));
    return append_level(task->t, task->cell, task->implementation, noisy, &best, percent, "best", task->map, task->key);
}

static ab_status for_each_level(const noise_task *task,
                                ab_status (*work)(const noise_task *, int level, const noisy_image *))
{
    for (int level = 0; level < task->n_levels; ++level) {
        noisy_image noisy;
        ab_status status = make_noisy(task->t, &task->t->inputs[task->cell->input], task->cell->noise.kind,
                                      detector_noise_percent[level], &noisy);
        if (status.code == AB_OK) status = work(task, level, &noisy);
        free_noisy(&noisy);
        AB_TRY(status);
    }
    return ab_ok();
}

static ab_status measure_noise(image_table *t, const image_cell *cell, const ab_implementation *implementation,
                               ab_row *row)
{
    noise_task task = {t, cell, implementation, row, malloc((size_t)detector_pixels(t, cell)), NULL, 0};
    while (task.n_levels < DETECTOR_NOISE_LEVELS && detector_noise_percent[task.n_levels] <= cell->noise.percent)
        ++task.n_levels;
    task.f = calloc((size_t)(task.n_levels * detector_grid(cell->implementation).count), sizeof *task.f);
    ab_status status = task.map && task.f ? for_each_level(&task, score_level) : ab_failed("out of memory");
    if (status.code == AB_OK) status = for_each_level(&task, append_rows);
    free(task.map);
    free(task.f);
    const ab_row *written = ab_run_find(t->base.bench.run, row);
    if (written) *row = *written;
    return status.code == AB_OK || written ? status : detector_append_failure(t, row, &status);
}

const image_cell_kind detector_noise = {
    .scope = "quality",
    .metric = "f",
    .format_params = format_noise_params,
    .estimate = estimate_noise,
    .measure = measure_noise,
};
