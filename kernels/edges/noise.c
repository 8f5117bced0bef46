/* How detectors stand noise (kernels/edges/measures.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"
#include "kernels/edges/measures.h"

const char *const edges_noise_names[] = {
    [IMAGE_SALT_AND_PEPPER] = "salt-and-pepper", [IMAGE_GAUSSIAN] = "gaussian", NULL};
enum { FIXED, BEST, THESIS, PLANES, TUNINGS };
const char *const edges_tuning_names[] = {"fixed", "best", "thesis", "planes", NULL};
const double edges_sigmas[EDGES_SIGMAS] = {0.0, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0};

enum { LEVEL_STEP = 10, MAX_LEVELS = 5 };           /* percent between two levels; the first is 0 */
enum { DRAWS = 3 };                                 /* most draws that are tuned on */
static const uint64_t tuning_seed_offset = 1000000; /* far from the seeds that are judged */

int edges_draws(const ed_params *params)
{
    return params->seeds < DRAWS ? 1 : DRAWS;
}

double edges_threshold(double least, int i)
{
    return least * pow(EDGES_STEP, i);
}

/* ---- Images with noise ---- */

/* A noisy image in the detectors' form. */
typedef struct noisy_image {
    ab_image image;
    uint8_t *rgba, *grey;
} noisy_image;

static void free_noisy(noisy_image *noisy)
{
    image_free(&noisy->image);
    free(noisy->rgba);
    free(noisy->grey);
    *noisy = (noisy_image){0};
}

static ab_status make_noisy(const ab_task *task, int percent, uint64_t seed, noisy_image *noisy)
{
    const edges_image *loaded = task->loaded;
    const ed_params *params = task->params;
    const size_t pixels = edges_pixels(loaded), bytes = pixels * (size_t)loaded->image.channels;
    *noisy = (noisy_image){.image = loaded->image, .rgba = malloc(4 * pixels), .grey = malloc(pixels)};
    noisy->image.edges = NULL;
    noisy->image.pixels = malloc(bytes);
    if (!noisy->image.pixels || !noisy->rgba || !noisy->grey) return ab_failed("out of memory");
    memcpy(noisy->image.pixels, loaded->image.pixels, bytes);
    if (percent) image_add_noise(&noisy->image, (image_noise)params->noise, percent / 100.0, seed);
    image_rgba(&noisy->image, noisy->rgba);
    image_grey(&noisy->image, noisy->grey);
    return ab_ok();
}

/* ---- The study ---- */

/* A point of the grid, and what it is worth. */
typedef struct found_point {
    int at[EDGES_AXES];
    double score;
} found_point;

typedef struct noise_task {
    const ab_task *task;
    const edges_grid *grid;
    int n_levels, n_seeds, n_draws;
    noisy_image tuned_on[MAX_LEVELS];                        /* one draw, whose seed is not judged */
    double *known[MAX_LEVELS];                               /* [points]: F on it, NAN where not known yet */
    found_point best[MAX_LEVELS], planes[MAX_LEVELS], fixed; /* on the first draw */
    double change[MAX_LEVELS][DRAWS];
    double f[TUNINGS][MAX_LEVELS][EDGES_MAX_SEEDS], agreement[TUNINGS][MAX_LEVELS][EDGES_MAX_SEEDS];
    uint8_t *without_noise; /* [height][width]: the map that the thesis's parameters find there */
} noise_task;

/* Buffers for one map. */
typedef struct map_buffers {
    uint8_t *map, *scratch; /* [height][width], and two of them */
} map_buffers;

static const ab_image *image_of(const noise_task *n)
{
    return &((const edges_image *)n->task->loaded)->image;
}

/* True if maps are found side by side, on the CPU's cores. A GPU's are found one after another. */
static bool is_side_by_side(const noise_task *n)
{
    return n->task->c->implementation->backend == AB_CPU;
}

static void add_status(ab_status *all, ab_status one)
{
    if (one.code == AB_OK) return;
#pragma omp critical(add_status)
    *all = one;
}

/* Does the work of each level from `first` on, side by side where maps are. */
static ab_status on_each_level(noise_task *n, int first, ab_status (*work)(noise_task *n, int level))
{
    const bool side_by_side = is_side_by_side(n);
    ab_status status = ab_ok();
#pragma omp parallel
#pragma omp master
    for (int level = first; level < n->n_levels; ++level) {
#pragma omp task if (side_by_side)
        add_status(&status, work(n, level));
    }
    return status;
}

static ab_status find_edges(const noise_task *n, const noisy_image *noisy, const ed_params *params, uint8_t *map)
{
    const ed_image view = {noisy->image.width, noisy->image.height, noisy->rgba, noisy->grey};
    return edges_map(n->task->c->implementation, &view, params, map);
}

/* F of a map against the known edges, of a photograph against the map without noise; scratch as in noise_task. */
static ab_status compare(const noise_task *n, const uint8_t *map, uint8_t *scratch, double *f)
{
    const ab_image *image = image_of(n);
    const double radius = edges_radius(image);
    const uint8_t *expected = image->edges ? image->edges : n->without_noise;
    edge_quality quality;
    if (!image->edges || radius == EDGE_MAP_NEAR) {
        *f = edge_map_near_f(image->width, image->height, map, expected, scratch);
        return ab_ok();
    }
    AB_TRY(edge_map_compare(image->width, image->height, map, expected, radius, &quality));
    *f = quality.f;
    return ab_ok();
}

/* ---- Choosing parameters ---- */

static ed_params params_at(const noise_task *n, const int at[EDGES_AXES])
{
    ed_params params = *(const ed_params *)n->task->params;
    n->grid->set(at, &params);
    return params;
}

static size_t index_of(const edges_grid *grid, const int at[EDGES_AXES])
{
    size_t index = 0;
    for (int axis = 0; axis < EDGES_AXES; ++axis) index = index * (size_t)grid->axes[axis].count + (size_t)at[axis];
    return index;
}

static size_t n_points(const edges_grid *grid)
{
    size_t points = 1;
    for (int axis = 0; axis < EDGES_AXES; ++axis) points *= (size_t)grid->axes[axis].count;
    return points;
}

/* F at a point of one level, into n->known: a task of its own compares the map when it is found. */
static void evaluate(const noise_task *n, const int at[EDGES_AXES], int level, ab_status *status)
{
    const size_t pixels = edges_pixels(n->task->loaded);
    const ed_params params = params_at(n, at);
    double *known = &n->known[level][index_of(n->grid, at)];
    uint8_t *map = malloc(3 * pixels);
    const ab_status found = map ? find_edges(n, &n->tuned_on[level], &params, map) : ab_failed("out of memory");
    add_status(status, found);
    if (found.code != AB_OK) {
        free(map);
        return;
    }
#pragma omp task firstprivate(map, known)
    {
        add_status(status, compare(n, map, map + pixels, known));
        free(map);
    }
}

/* What a search is for. */
typedef struct search {
    int first, last; /* levels */
    bool tied;       /* axis 2 has the values of axis 1, but for its last, which is off */
} search;

/* Value number i from the middle of an axis outwards. So the value nearest to the middle is found first among equal
 * ones. */
static int outwards(int i, int count)
{
    const int middle = (count - 1) / 2;
    return i % 2 ? middle + (i + 1) / 2 : middle - i / 2;
}

static int count_values(const noise_task *n, const search *s, int axis)
{
    return n->grid->axes[axis].count - s->tied;
}

/* All values of an axis; if steps are few, only the one in the middle. */
static int count_tried(const noise_task *n, const search *s, int axis)
{
    return n->task->c->few_steps ? 1 : count_values(n, s, axis);
}

/* The i-th point that is tried on an axis; its score is not known yet. */
static found_point point_on_axis(const noise_task *n, const search *s, int axis, int i, const found_point *from)
{
    found_point tried = *from;
    tried.at[axis] = outwards(i, count_values(n, s, axis));
    if (s->tied) tried.at[2] = tried.at[axis];
    return tried;
}

/* The sum of F over the levels. */
static double score_of(const noise_task *n, const search *s, const int at[EDGES_AXES])
{
    double sum = 0.0;
    for (int level = s->first; level <= s->last; ++level) sum += n->known[level][index_of(n->grid, at)];
    return sum;
}

/* All points of an axis on all levels, as far as they are not known. */
static ab_status evaluate_axis(const noise_task *n, const search *s, int axis, const found_point *from)
{
    const bool side_by_side = is_side_by_side(n);
    ab_status status = ab_ok();
#pragma omp taskgroup
    for (int i = 0; i < count_tried(n, s, axis); ++i)
        for (int level = s->first; level <= s->last; ++level) {
            const found_point tried = point_on_axis(n, s, axis, i, from);
            if (!isnan(n->known[level][index_of(n->grid, tried.at)])) continue;
#pragma omp task if (side_by_side) shared(status)
            evaluate(n, tried.at, level, &status);
        }
    return status;
}

/* The best value of one axis, the others as they are; *better says whether it is another one. */
static ab_status search_axis(const noise_task *n, const search *s, int axis, found_point *point, bool *better)
{
    const found_point from = *point;
    AB_TRY(evaluate_axis(n, s, axis, &from));
    for (int i = 0; i < count_tried(n, s, axis); ++i) {
        found_point tried = point_on_axis(n, s, axis, i, &from);
        tried.score = score_of(n, s, tried.at);
        if (tried.score <= point->score) continue;
        *point = tried;
        *better = true;
    }
    return ab_ok();
}

static ab_status search_grid(noise_task *n, const search *s, found_point *best)
{
    found_point point = {.score = -1.0};
    memcpy(point.at, n->grid->start, sizeof point.at);
    best->score = -1.0;
    for (int sigma = 0; sigma < n->grid->axes[0].count; ++sigma) {
        point.at[0] = sigma;
        point.score = -1.0;
        for (bool better = true; better;) {
            better = false;
            for (int axis = 1; axis < (s->tied ? 2 : EDGES_AXES); ++axis)
                AB_TRY(search_axis(n, s, axis, &point, &better));
        }
        if (point.score > best->score) *best = point;
    }
    return ab_ok();
}

/* The best parameters of one level. */
static ab_status choose_best(noise_task *n, int level)
{
    AB_TRY(search_grid(n, &(search){level, level, false}, &n->best[level]));
    if (!image_of(n)->edges || !n->grid->planes) return ab_ok();
    return search_grid(n, &(search){level, level, true}, &n->planes[level]);
}

static ab_status choose_fixed(noise_task *n)
{
    ab_status status = ab_ok();
#pragma omp parallel
#pragma omp master
    status = search_grid(n, &(search){0, n->n_levels - 1, false}, &n->fixed);
    return status;
}

/* The first point alone: OpenCV's number of threads, which is the process's, is set then. Of a photograph each level
 * with noise is tuned, by itself: nothing says what is best without noise. */
static ab_status choose(noise_task *n)
{
    ab_status status = ab_ok();
    evaluate(n, n->grid->start, 0, &status);
#pragma omp taskwait
    AB_TRY(status);
    const bool known = image_of(n)->edges;
    AB_TRY(on_each_level(n, known ? 0 : 1, choose_best));
    return known ? choose_fixed(n) : ab_ok();
}

/* Number of steps of the grid, over all axes, between the best parameters without noise and other ones. */
static double change_of(const noise_task *n, const found_point *point)
{
    double steps = 0.0;
    for (int axis = 0; axis < EDGES_AXES; ++axis) steps += abs(point->at[axis] - n->best[0].at[axis]);
    return steps;
}

/* Another draw of a level's noise to tune on. */
static ab_status draw_again(noise_task *n, int level, int draw)
{
    free_noisy(&n->tuned_on[level]);
    for (size_t i = 0; i < n_points(n->grid); ++i) n->known[level][i] = NAN;
    const uint64_t seed = n->task->seed + tuning_seed_offset + (uint64_t)draw;
    return make_noisy(n->task, level * LEVEL_STEP, seed, &n->tuned_on[level]);
}

/* How far the best parameters of a level move, on each draw. The first draw is the one that all tunings are chosen on. */
static ab_status find_changes(noise_task *n, int level)
{
    found_point best = n->best[level];
    n->change[level][0] = change_of(n, &best);
    for (int draw = 1; draw < n->n_draws; ++draw) {
        AB_TRY(draw_again(n, level, draw));
        AB_TRY(search_grid(n, &(search){level, level, false}, &best));
        n->change[level][draw] = change_of(n, &best);
    }
    return ab_ok();
}

/* Whether there is such a tuning: a photograph has the best where there is noise. */
static bool is_judged(const noise_task *n, int tuning, int level)
{
    if (tuning == THESIS) return true;
    if (!image_of(n)->edges) return tuning == BEST && level > 0;
    return tuning != PLANES || n->grid->planes;
}

/* The point that was chosen; NULL for the thesis's parameters. */
static const found_point *point_of(const noise_task *n, int tuning, int level)
{
    const found_point *points[TUNINGS] = {[FIXED] = &n->fixed, [BEST] = &n->best[level], [PLANES] = &n->planes[level]};
    return points[tuning];
}

/* What is run, and what a row's key says. */
static ed_params params_of(const noise_task *n, int tuning, int level)
{
    const ed_params *given = n->task->params;
    ed_params params = ed_default_params();
    if (tuning != THESIS) params = params_at(n, point_of(n, tuning, level)->at);
    params.threads = given->threads;
    params.noise = given->noise;
    params.seeds = given->seeds;
    params.level = level * LEVEL_STEP;
    params.tuning = tuning;
    return params;
}

/* ---- Judging ---- */

/* "gaussian-20-input" */
static void format_name(const noise_task *n, int percent, const char *rest, char name[160])
{
    const ed_params *params = n->task->params;
    snprintf(name, 160, "%s-%d-%s", edges_noise_names[params->noise], percent, rest);
}

static ab_status save_map(const noise_task *n, int level, int tuning, const uint8_t *map)
{
    char rest[96], name[160];
    snprintf(rest, sizeof rest, "%s-%s-edges", n->task->row, edges_tuning_names[tuning]);
    format_name(n, level * LEVEL_STEP, rest, name);
    return edges_save_map(n->task, name, map);
}

/* The map beside the one of the thesis's parameters without noise. */
static double agreement_of(const noise_task *n, const map_buffers *found)
{
    const ab_image *image = image_of(n);
    return edge_map_near_f(image->width, image->height, found->map, n->without_noise, found->scratch);
}

/* Whether a map is compared with the one without noise. */
static bool is_constancy(const noise_task *n, int tuning)
{
    return tuning == THESIS || !image_of(n)->edges;
}

/* All tunings on one image. */
static ab_status judge_image(noise_task *n, const noisy_image *noisy, int level, int seed, const map_buffers *found)
{
    const bool known = image_of(n)->edges;
    for (int tuning = 0; tuning < TUNINGS; ++tuning) {
        if (!is_judged(n, tuning, level)) continue;
        const ed_params params = params_of(n, tuning, level);
        AB_TRY(find_edges(n, noisy, &params, found->map));
        if (known) AB_TRY(compare(n, found->map, found->scratch, &n->f[tuning][level][seed]));
        if (is_constancy(n, tuning)) n->agreement[tuning][level][seed] = agreement_of(n, found);
        if (seed == 0) AB_TRY(save_map(n, level, tuning, found->map));
    }
    return ab_ok();
}

static int seeds_of(const noise_task *n, int level)
{
    return level ? n->n_seeds : 1;
}

static ab_status judge_seed(noise_task *n, int level, int seed)
{
    const size_t pixels = edges_pixels(n->task->loaded);
    char name[160];
    noisy_image noisy;
    uint8_t *buffers = malloc(3 * pixels);
    ab_status status = make_noisy(n->task, level * LEVEL_STEP, n->task->seed + (uint64_t)seed, &noisy);
    if (status.code == AB_OK && !buffers) status = ab_failed("out of memory");
    format_name(n, level * LEVEL_STEP, "input", name);
    if (status.code == AB_OK && seed == 0) status = edges_save_pixels(n->task, name, noisy.image.pixels);
    if (status.code == AB_OK) status = judge_image(n, &noisy, level, seed, &(map_buffers){buffers, buffers + pixels});
    free_noisy(&noisy);
    free(buffers);
    return status;
}

/* Files are saved one after another. */
static ab_status judge_all(noise_task *n)
{
    const bool side_by_side = is_side_by_side(n) && !n->task->save;
    ab_status status = ab_ok();
#pragma omp parallel
#pragma omp master
    for (int level = 0; level < n->n_levels; ++level)
        for (int seed = 0; seed < seeds_of(n, level); ++seed) {
#pragma omp task if (side_by_side)
            add_status(&status, judge_seed(n, level, seed));
        }
    return status;
}

/* ---- Rows ---- */

/* Whether a value is at an end of its axis beyond which there would be more. */
static bool at_the_end(const edges_grid *grid, const found_point *point)
{
    for (int axis = 0; axis < EDGES_AXES; ++axis) {
        const edges_axis *a = &grid->axes[axis];
        const bool below = point->at[axis] == 0 && !a->closed_below;
        const bool above = point->at[axis] == a->count - 1 && !a->closed_above;
        if (a->count > 1 && (below || above)) return true;
    }
    return false;
}

/* The row, or of the cell's own, tuning=best at the last level, the note and the values. */
static ab_status append(const noise_task *n, int level, int tuning)
{
    ab_sink *sink = n->task->sink;
    const ab_parameter *table = ab_find_operation(n->task->c->implementation->operation)->parameters;
    const ed_params params = params_of(n, tuning, level);
    const found_point *point = point_of(n, tuning, level);
    const double *f = n->f[tuning][level];
    const int n_seeds = seeds_of(n, level);
    char key[AB_PARAMS_TEXT] = "", used[AB_PARAMS_TEXT] = "", note[AB_PARAMS_TEXT + 32];
    AB_TRY(ab_parameters_format(table, &params, 0, "quality", false, AB_SHOWN_GPU, used));
    AB_TRY(ab_parameters_format(table, &params, 0, "noise", true, AB_SHOWN_GPU, key));
    snprintf(note, sizeof note, "%s%s", used, point && at_the_end(n->grid, point) ? "; at the end of its grid" : "");
    if (is_constancy(n, tuning) && level > 0)
        AB_TRY(sink->metric(sink, key, "agreement", n->agreement[tuning][level], n_seeds, note));
    if (!image_of(n)->edges) return ab_ok();
    if (tuning == BEST && level > 0) AB_TRY(sink->metric(sink, key, "change", n->change[level], n->n_draws, note));
    if (level < n->n_levels - 1 || tuning != BEST) return sink->metric(sink, key, "f", f, n_seeds, note);
    sink->note(sink, note);
    sink->values(sink, f, n_seeds);
    return ab_ok();
}

static ab_status append_all(const noise_task *n)
{
    static const int order[TUNINGS] = {FIXED, THESIS, PLANES, BEST};
    for (int level = 0; level < n->n_levels; ++level)
        for (int i = 0; i < TUNINGS; ++i)
            if (is_judged(n, order[i], level)) AB_TRY(append(n, level, order[i]));
    if (!image_of(n)->edges) n->task->sink->note(n->task->sink, "no edges are known");
    return ab_ok();
}

static double mean(const double *values, int n_values)
{
    double sum = 0.0;
    for (int i = 0; i < n_values; ++i) sum += values[i];
    return sum / n_values;
}

/* ---- All of it ---- */

static ab_status prepare(noise_task *n)
{
    const size_t pixels = edges_pixels(n->task->loaded), points = n_points(n->grid);
    n->without_noise = malloc(pixels);
    if (!n->without_noise) return ab_failed("out of memory");
    for (int level = 0; level < n->n_levels; ++level) {
        n->known[level] = malloc(points * sizeof *n->known[level]);
        if (!n->known[level]) return ab_failed("out of memory for a grid of %zu points", points);
        for (size_t i = 0; i < points; ++i) n->known[level][i] = NAN;
        AB_TRY(make_noisy(n->task, level * LEVEL_STEP, n->task->seed + tuning_seed_offset, &n->tuned_on[level]));
    }
    const ed_params thesis = params_of(n, THESIS, 0);
    return find_edges(n, &n->tuned_on[0], &thesis, n->without_noise);
}

static ab_status study(noise_task *n, double *f)
{
    const int last = n->n_levels - 1;
    AB_TRY(prepare(n));
    AB_TRY(choose(n));
    if (image_of(n)->edges) AB_TRY(on_each_level(n, 1, find_changes));
    AB_TRY(judge_all(n));
    if (image_of(n)->edges) *f = mean(n->f[BEST][last], seeds_of(n, last));
    return append_all(n);
}

ab_status edges_judge_noise(const ab_task *task, double *f)
{
    const ed_params *params = task->params;
    noise_task *n = calloc(1, sizeof *n);
    if (!n) return ab_failed("out of memory");
    n->task = task;
    n->grid = &((const edges_detector *)task->c->measure->own)->grid;
    n->n_levels = 1 + params->level / LEVEL_STEP;
    n->n_seeds = params->seeds;
    n->n_draws = edges_draws(params);
    *f = NAN;
    const ab_status status = study(n, f);
    for (int level = 0; level < MAX_LEVELS; ++level) {
        free_noisy(&n->tuned_on[level]);
        free(n->known[level]);
    }
    free(n->without_noise);
    free(n);
    return status;
}
