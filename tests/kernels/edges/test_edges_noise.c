/* The study of noise (edges_judge_noise) on a detector of which the best parameters are known: the search finds them,
 * rows tell where they are at an end of their grid, and no image is judged that parameters were chosen on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/edges/measures.h"

/* ---- A detector that adds to the known edges the more false ones, the farther its parameters are from `target` ----
 * How far depends on both thresholds together, so that one look at each does not find the best. */

enum { SIDE = 64, SIZE = SIDE * SIDE, VALUES = 9, FAR = 3, MAX_OPENED = 4096 };

typedef struct planted {
    ed_detector detector;
    int distance;
} planted;

static int target[EDGES_AXES];      /* the best point */
static int drift;                   /* by how much its first threshold is larger where there is noise */
static uint64_t clean;              /* sum_of the image without noise */
static const uint8_t *known;        /* [SIDE][SIDE] */
static uint64_t opened[MAX_OPENED]; /* of every image that it was opened on, a sum over its pixels */
static int n_opened;

static bool is_far(int at)
{
    const int x = at % SIDE, y = at / SIDE;
    for (int v = y - FAR; v <= y + FAR; ++v)
        for (int u = x - FAR; u <= x + FAR; ++u)
            if (u >= 0 && v >= 0 && u < SIDE && v < SIDE && known[v * SIDE + u]) return false;
    return true;
}

static ab_status read_map(ed_detector *detector, uint8_t *map)
{
    int left = ((const planted *)detector)->distance;
    memcpy(map, known, SIZE);
    for (int i = 0; i < SIZE && left > 0; ++i) {
        if (!is_far(i)) continue;
        map[i] = 1;
        --left;
    }
    return ab_ok();
}

static ab_status poison(ed_detector *detector)
{
    (void)detector;
    return ab_ok();
}

static ab_status run_stage(ab_work *work, int stage)
{
    (void)work, (void)stage;
    return ab_ok();
}

static void close_planted(ab_work *work)
{
    free(work);
}

static uint64_t sum_of(const uint8_t *rgba)
{
    uint64_t sum = 0;
    for (int i = 0; i < 4 * SIZE; ++i) sum = sum * 31 + rgba[i];
    return sum;
}

static ab_status open_planted(const void *problem, const void *given, ab_work **work)
{
    static const ab_work_methods work_methods = {1, {"detect"}, run_stage, close_planted};
    static const ed_methods methods = {.read = read_map, .poison = poison};
    const ed_image *image = problem;
    const ed_params *params = given;
    planted *self = calloc(1, sizeof *self);
    int number;
#pragma omp atomic capture
    number = n_opened++;
    assert_true(self && number < MAX_OPENED);
    self->detector = (ed_detector){{.methods = &work_methods}, &methods};
    const uint64_t sum = sum_of(image->rgba);
    const int first = (int)params->volume_coefficient - target[1] - (sum == clean ? 0 : drift),
              second = (int)params->intensity_coefficient - target[2];
    self->distance = abs((int)params->sigma - target[0]) + 2 * first * first + first * second + 2 * second * second;
    opened[number] = sum;
    *work = &self->detector.work;
    return ab_ok();
}

static void set_point(const int point[EDGES_AXES], ed_params *params)
{
    params->sigma = point[0];
    params->volume_coefficient = point[1];
    params->intensity_coefficient = point[2];
}

/* ---- What it writes ---- */

typedef struct written {
    char key[160], metric[32], note[160];
    double values[EDGES_MAX_SEEDS];
    int n_values;
} written;

typedef struct book {
    ab_sink sink; /* first */
    written rows[64], own;
    int n_rows;
} book;

static void set_values(written *row, const double *values, int n_values)
{
    memcpy(row->values, values, (size_t)n_values * sizeof *values);
    row->n_values = n_values;
}

static ab_status write_metric(ab_sink *sink, const char *params, const char *metric, const double *values, int n_values,
                              const char *note)
{
    book *b = (book *)sink;
    written *row = &b->rows[b->n_rows++];
    snprintf(row->key, sizeof row->key, "%s", params);
    snprintf(row->metric, sizeof row->metric, "%s", metric);
    snprintf(row->note, sizeof row->note, "%s", note);
    set_values(row, values, n_values);
    return ab_ok();
}

static void write_own(ab_sink *sink, const double *values, int n_values)
{
    set_values(&((book *)sink)->own, values, n_values);
}

static void write_note(ab_sink *sink, const char *text)
{
    book *b = (book *)sink;
    snprintf(b->own.note, sizeof b->own.note, "%s", text);
}

static const written *row_of(const book *b, const char *key, const char *metric)
{
    for (int i = 0; i < b->n_rows; ++i)
        if (strcmp(b->rows[i].key, key) == 0 && strcmp(b->rows[i].metric, metric) == 0) return &b->rows[i];
    fail_msg("no row %s;metric=%s", key, metric);
    return NULL;
}

/* ---- The study ---- */

enum { SEEDS = 3, LEVELS = 5, DRAWS = 3 };

static bool few_steps;

/* F of the cell, on drawn shapes or, where these are not known, on the same as a photograph. */
static double study(edges_grid grid, bool edges_are_known, book *b)
{
    const edges_detector detector = {.grid = grid};
    const ab_measure measure = {.own = &detector};
    const ab_implementation implementation = {.operation = "colour-edge", .name = "planted", .open = open_planted};
    ab_input input = {.asked = "shapes-64"};
    const ab_circumstances c = {
        .implementation = &implementation, .input = &input, .measure = &measure, .few_steps = few_steps};
    ed_params params = ed_default_params();
    params.noise = IMAGE_GAUSSIAN;
    params.level = 40;
    params.seeds = SEEDS;
    *b = (book){.sink = {.metric = write_metric, .values = write_own, .note = write_note}};
    ab_task task = {.c = &c, .params = &params, .seed = 1, .row = "planted", .sink = &b->sink};
    double f = NAN;
    assert_int_equal(edges_inputs.load(&input, &task.loaded).code, AB_OK);
    ab_image *image = &((edges_image *)task.loaded)->image;
    uint8_t *edges = image->edges;
    known = edges;
    clean = sum_of(((edges_image *)task.loaded)->rgba);
    n_opened = 0;
    if (!edges_are_known) image->edges = NULL;
    const ab_status status = edges_judge_noise(&task, &f);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    image->edges = edges;
    edges_inputs.unload(task.loaded);
    return f;
}

static edges_grid usual_grid(void)
{
    return (edges_grid){.axes = {{3, .closed_below = true}, {VALUES, .closed_above = true}, {VALUES}},
                        .set = set_point,
                        .start = {0, 4, 1},
                        .planes = true};
}

static void aim(int sigma, int first, int second)
{
    target[0] = sigma;
    target[1] = first;
    target[2] = second;
}

static const char *const at_20 = "noise=gaussian;level=20;tuning=best",
                         *const fixed_0 = "noise=gaussian;level=0;tuning=fixed",
                         *const planes_20 = "noise=gaussian;level=20;tuning=planes",
                         *const thesis_20 = "noise=gaussian;level=20;tuning=thesis";

static void finds_the_best_point(void **state)
{
    (void)state;
    static book b;
    for (int sigma = 0; sigma < 3; ++sigma) {
        aim(sigma, 1 + 2 * sigma, 6 - sigma);
        assert_true(study(usual_grid(), true, &b) == 1.0);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "sigma=%d;volume=%d;intensity=%d;", sigma, target[1], target[2]);
        assert_non_null(strstr(b.own.note, wanted));
        assert_non_null(strstr(row_of(&b, at_20, "f")->note, wanted));
        assert_non_null(strstr(row_of(&b, fixed_0, "f")->note, wanted));
    }
}

static void tells_an_end_beyond_which_there_is_more(void **state)
{
    (void)state;
    static const struct {
        int at[EDGES_AXES];
        bool told;
    } cases[] = {{{1, 4, 4}, false}, {{0, 4, 4}, false},         {{2, 4, 4}, true},          {{1, 0, 4}, true},
                 {{1, 4, 0}, true},  {{1, 4, VALUES - 1}, true}, {{1, VALUES - 1, 4}, false}};
    static book b;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        aim(cases[i].at[0], cases[i].at[1], cases[i].at[2]);
        study(usual_grid(), true, &b);
        assert_int_equal(strstr(b.own.note, "at the end of its grid") != NULL, cases[i].told);
        assert_int_equal(strstr(row_of(&b, fixed_0, "f")->note, "at the end of its grid") != NULL, cases[i].told);
        assert_null(strstr(row_of(&b, thesis_20, "f")->note, "at the end"));
    }
}

/* Where one plane is best switched off, both stay on with one coefficient all the same. */
static void keeps_both_planes_on(void **state)
{
    (void)state;
    static book b;
    aim(1, VALUES - 1, 3);
    study(usual_grid(), true, &b);
    assert_non_null(strstr(row_of(&b, at_20, "f")->note, "volume=8;intensity=3;"));
    int coefficient[2];
    const written *row = row_of(&b, planes_20, "f");
    assert_int_equal(sscanf(strstr(row->note, "volume="), "volume=%d;intensity=%d", &coefficient[0], &coefficient[1]),
                     2);
    assert_int_equal(coefficient[0], coefficient[1]);
    assert_true(coefficient[0] < VALUES - 1 && row->values[0] < row_of(&b, at_20, "f")->values[0]);
    aim(1, VALUES - 1, VALUES - 1);
    study(usual_grid(), true, &b);
    assert_non_null(strstr(row_of(&b, at_20, "f")->note, "volume=8;intensity=8;"));
    assert_non_null(strstr(row_of(&b, planes_20, "f")->note, "volume=7;intensity=7;"));
    edges_grid one_plane = usual_grid();
    one_plane.planes = false;
    study(one_plane, true, &b);
    for (int i = 0; i < b.n_rows; ++i) assert_null(strstr(b.rows[i].key, "tuning=planes"));
}

/* What a brief verification does: all kernels run, on the same images, but thresholds are hardly searched. */
static void few_steps_try_each_sigma_and_the_middle_of_other_axes(void **state)
{
    (void)state;
    static book all, few;
    aim(2, VALUES / 2, VALUES / 2);
    study(usual_grid(), true, &all);
    const int of_all = n_opened;
    few_steps = true;
    study(usual_grid(), true, &few);
    const int of_few = n_opened;
    assert_non_null(strstr(few.own.note, "sigma=2;volume=4;intensity=4;"));
    assert_int_equal(few.n_rows, all.n_rows);
    assert_in_range(of_few, 1, of_all / 4);
    aim(0, 1, 1);
    study(usual_grid(), true, &few);
    few_steps = false;
    assert_non_null(strstr(few.own.note, "sigma=0;volume=4;intensity=1;")); /* where the search starts */
}

static int distinct_images(void)
{
    int distinct = 0;
    for (int i = 0; i < n_opened; ++i) {
        bool seen = false;
        for (int j = 0; j < i; ++j) seen |= opened[j] == opened[i];
        distinct += !seen;
    }
    return distinct;
}

/* Without noise there is one image; at each other level the draws to choose on, and the seeds. */
static void judges_seeds_that_it_did_not_choose_on(void **state)
{
    (void)state;
    static book b;
    aim(1, 4, 4);
    study(usual_grid(), true, &b);
    assert_int_equal(distinct_images(), 1 + (LEVELS - 1) * (SEEDS + DRAWS));
    assert_int_equal(b.own.n_values, SEEDS);
    for (int i = 0; i < b.n_rows; ++i)
        if (strcmp(b.rows[i].metric, "change") != 0)
            assert_int_equal(b.rows[i].n_values, strstr(b.rows[i].key, "level=0;") ? 1 : SEEDS);
}

/* How far the best parameters are from those without noise, in steps of the grid. */
static void tells_how_far_parameters_are_changed(void **state)
{
    (void)state;
    static book b;
    aim(1, 2, 4);
    for (drift = 0; drift <= 3; ++drift) {
        study(usual_grid(), true, &b);
        const written *row = row_of(&b, at_20, "change");
        assert_int_equal(row->n_values, DRAWS);
        for (int i = 0; i < DRAWS; ++i) assert_true(row->values[i] == drift);
    }
    drift = 0;
}

/* All that there is of a photograph: of the parameters without noise, and of those that find its map again. */
static void without_known_edges_agreement_alone(void **state)
{
    (void)state;
    static book b;
    aim(1, 4, 4);
    assert_true(isnan(study(usual_grid(), false, &b)));
    assert_int_equal(b.n_rows, 2 * (LEVELS - 1));
    for (int i = 0; i < b.n_rows; ++i) {
        assert_string_equal(b.rows[i].metric, "agreement");
        assert_non_null(strstr(b.rows[i].key, i % 2 ? "tuning=best" : "tuning=thesis"));
    }
    assert_true(row_of(&b, thesis_20, "agreement")->values[SEEDS - 1] == 1.0); /* the planted one does not see noise */
    assert_int_equal(distinct_images(), 1 + (LEVELS - 1) * (SEEDS + 1));
    assert_string_equal(b.own.note, "no edges are known");
}

/* Where noise moves the best parameters, those of the thesis lose the map and the tuned ones find it again. */
static void photographs_are_tuned_for_the_map_without_noise(void **state)
{
    (void)state;
    static book b;
    const ed_params thesis = ed_default_params();
    aim((int)thesis.sigma, (int)thesis.volume_coefficient, (int)thesis.intensity_coefficient);
    drift = 3;
    study(usual_grid(), false, &b);
    drift = 0;
    const written *tuned = row_of(&b, at_20, "agreement");
    assert_true(tuned->n_values == SEEDS && tuned->values[SEEDS - 1] == 1.0);
    assert_non_null(strstr(tuned->note, "sigma=1;volume=5;intensity=2;"));
    assert_true(row_of(&b, thesis_20, "agreement")->values[SEEDS - 1] < 1.0);
}

/* ---- The grids of the detectors ---- */

static const edges_grid *grid_of(const char *operation)
{
    return &((const edges_detector *)ab_find_operation(operation)->measures[0].own)->grid;
}

/* Every axis but that of sigma goes in steps of EDGES_STEP, whatever it is of; a plane's last value is off. */
static void grids_are_equally_fine(void **state)
{
    (void)state;
    static const struct {
        const char *operation;
        size_t offset[EDGES_AXES];
    } detectors[] = {
        {"colour-edge", {0, offsetof(ed_params, volume_coefficient), offsetof(ed_params, intensity_coefficient)}},
        {"canny", {0, offsetof(ed_params, high), offsetof(ed_params, low)}},
        {"sobel", {0, offsetof(ed_params, threshold), 0}}};
    for (int d = 0; d < 3; ++d) {
        const edges_grid *grid = grid_of(detectors[d].operation);
        for (int axis = 1; axis < EDGES_AXES; ++axis) {
            double before = NAN;
            for (int i = 0; i < grid->axes[axis].count - grid->planes && grid->axes[axis].count > 1; ++i) {
                int point[EDGES_AXES] = {0};
                ed_params params = ed_default_params();
                point[axis] = i;
                grid->set(point, &params);
                const double value = *(const double *)((const char *)&params + detectors[d].offset[axis]);
                if (i > 0) assert_true(fabs(fabs(log2(value / before)) - 0.5) < 1e-9);
                before = value;
            }
        }
    }
    assert_int_equal(grid_of("canny")->axes[0].count, grid_of("colour-edge")->axes[0].count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_best_point),
        cmocka_unit_test(tells_an_end_beyond_which_there_is_more),
        cmocka_unit_test(keeps_both_planes_on),
        cmocka_unit_test(few_steps_try_each_sigma_and_the_middle_of_other_axes),
        cmocka_unit_test(judges_seeds_that_it_did_not_choose_on),
        cmocka_unit_test(tells_how_far_parameters_are_changed),
        cmocka_unit_test(without_known_edges_agreement_alone),
        cmocka_unit_test(photographs_are_tuned_for_the_map_without_noise),
        cmocka_unit_test(grids_are_equally_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
