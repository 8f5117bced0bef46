/* Colour edge detection: each step of the sequential version against a plain one in double precision, written from the
 * formulas; all other versions against the sequential one, bit for bit, the kernels on the host backend under
 * sanitizers and several orders of threads; and planted bugs, which that comparison must find. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "images/edge_map.h"
#include "kernels/colour_edge/colour_edge.h"
#include "kernels/colour_edge/pixel.h"
#include "kernels/host/host_backend.h"
#include "tests/planted/colour_edge.h"
#include "tests/support/components.h"
#include "tests/support/registered.h"

enum { N_ORDERS = 5 };

/* ---- Images ---- */

typedef enum picture {
    NOISE,    /* every channel of every pixel at random */
    PATCHES,  /* squares of a few saturated colours, black and white among them */
    REDDISH,  /* G and B near each other below R: the hue is on both sides of its jump */
    GREY,     /* random, three equal channels */
    CONSTANT, /* one colour */
    PICTURES,
    FIELDS = PICTURES /* large squares of a few colours, most of them of their neighbours' */
} picture;

static uint8_t next_byte(uint32_t *random)
{
    *random = *random * 1664525u + 1013904223u;
    return (uint8_t)(*random >> 24);
}

static void draw_pixel(picture kind, int x, int y, uint32_t *random, uint8_t rgb[3])
{
    static const uint8_t colours[8][3] = {{0, 0, 0},     {255, 255, 255}, {255, 0, 0},  {0, 255, 0},
                                          {20, 40, 255}, {255, 255, 0},   {90, 90, 90}, {200, 10, 200}};
    const uint8_t level = next_byte(random);
    const int patch = (x / 5 + 3 * (y / 4)) % 8;
    for (int c = 0; c < 3; ++c) {
        const uint8_t own = next_byte(random);
        if (kind == NOISE) rgb[c] = own;
        if (kind == PATCHES) rgb[c] = colours[patch][c];
        if (kind == REDDISH) rgb[c] = c == 0 ? 220 : (uint8_t)(100 + own % 3);
        if (kind == GREY) rgb[c] = level;
        if (kind == FIELDS) rgb[c] = colours[x / 90 * (y / 70) % 3][c];
        if (kind == CONSTANT) rgb[c] = (uint8_t)(200 - 70 * c);
    }
}

/* The caller frees it. The fourth byte, which must not matter, is random. */
static uint8_t *draw(picture kind, int width, int height)
{
    uint8_t *rgba = malloc((size_t)width * (size_t)height * 4);
    assert_non_null(rgba);
    uint32_t random = (uint32_t)(kind + 1) * 77777u;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            uint8_t *pixel = rgba + 4 * ((size_t)y * (size_t)width + (size_t)x);
            draw_pixel(kind, x, y, &random, pixel);
            pixel[3] = next_byte(&random);
        }
    return rgba;
}

/* ---- Running a version ---- */

typedef struct outcome {
    size_t n;               /* pixels */
    float *steps[CE_STEPS]; /* [n], NULL where the version does not keep it */
    uint8_t *map;           /* [n] */
} outcome;

static void free_outcome(outcome *done)
{
    for (int step = 0; step < CE_STEPS; ++step) free(done->steps[step]);
    free(done->map);
}

static outcome read_outcome(ed_detector *detector, size_t n)
{
    outcome got = {.n = n, .map = malloc(n)};
    assert_non_null(got.map);
    for (int step = 0; step < CE_STEPS; ++step) {
        got.steps[step] = malloc(n * sizeof(float));
        assert_non_null(got.steps[step]);
        const ab_status status = detector->methods->read_step(detector, step, got.steps[step]);
        if (status.code == AB_OK) continue;
        assert_int_equal(status.code, AB_UNSUPPORTED);
        free(got.steps[step]);
        got.steps[step] = NULL;
    }
    assert_int_equal(detector->methods->read(detector, got.map).code, AB_OK);
    return got;
}

/* Opens, runs all stages, poisons, and runs them again, so that what is left of the first run cannot serve. */
static outcome run_open(ed_detector *detector, size_t n)
{
    for (int run = 0; run < 2; ++run) {
        assert_int_equal(detector->methods->poison(detector).code, AB_OK);
        for (int stage = 0; stage < ED_STAGES; ++stage) {
            const ab_status status = detector->work.methods->run_stage(&detector->work, stage);
            if (status.code != AB_OK) fail_msg("stage %d: %s", stage, status.reason);
        }
    }
    const outcome got = read_outcome(detector, n);
    detector->work.methods->close(&detector->work);
    return got;
}

static outcome run(const ab_implementation *version, const ed_image *image, const ed_params *params)
{
    ed_detector *detector = NULL;
    const ab_status status = open_detector(version->open, image, params, &detector);
    if (status.code != AB_OK) fail_msg("%s: %s", version->id, status.reason);
    return run_open(detector, (size_t)image->width * (size_t)image->height);
}

/* The sequential version, which the others must equal. */
static outcome run_sequential(const ed_image *image, const ed_params *params)
{
    return run(reference_of("colour-edge"), image, params);
}

/* ---- The sequential version against the formulas ---- */

static int clamped(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Eq. 6.1 over the whole square, normalised. */
static double blurred_at(const ed_image *image, double sigma, int channel, int x, int y)
{
    const int radius = (int)ceil(3.0 * sigma);
    double sum = 0.0, weights = 0.0;
    for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx) {
            const double weight = sigma > 0.0 ? exp(-(dx * dx + dy * dy) / (2.0 * sigma * sigma)) : 1.0;
            const int at = clamped(y + dy, image->height) * image->width + clamped(x + dx, image->width);
            sum += weight * image->rgba[4 * at + channel];
            weights += weight;
        }
    return sum / weights;
}

/* Eq. 6.2-6.5 and the volume; black and grey pixels are 0/0 there and have no colour. */
static double volume_of(double r, double g, double b)
{
    const double intensity = (r + g + b) / 3.0, least = fmin(r, fmin(g, b));
    const double root = sqrt((r - g) * (r - g) + (r - b) * (g - b));
    if (!(intensity > 0.0) || !(root > 0.0)) return 0.0;
    const double theta = acos(fmax(-1.0, fmin(1.0, 0.5 * ((r - g) + (r - b)) / root)));
    const double hue = g >= b ? theta : 2.0 * M_PI - theta, saturation = 1.0 - least / intensity;
    return M_PI * saturation * saturation * intensity * (hue / (2.0 * M_PI));
}

/* Where rounding decides on which side of the jump a reddish pixel is. */
static bool on_the_jump(double r, double g, double b)
{
    return 2.0 * r - g - b > 0.0 && g != b && fabs(g - b) < 1e-3;
}

/* The magnitude of a plane at a pixel, by two kernels, row by row from the top left. */
static double magnitude_at(const float *plane, int width, int height, int x, int y, const int kernels[2][9])
{
    double sums[2] = {0.0, 0.0};
    for (int k = 0; k < 9; ++k) {
        const int at = clamped(y + k / 3 - 1, height) * width + clamped(x + k % 3 - 1, width);
        for (int i = 0; i < 2; ++i) sums[i] += kernels[i][k] * (double)plane[at];
    }
    return sqrt(sums[0] * sums[0] + sums[1] * sums[1]);
}

static void check_colours(const outcome *got, const ed_image *image, const ed_params *params)
{
    for (int y = 0; y < image->height; ++y)
        for (int x = 0; x < image->width; ++x) {
            const size_t at = (size_t)(y * image->width + x);
            double rgb[3];
            for (int c = 0; c < 3; ++c) {
                rgb[c] = blurred_at(image, params->sigma, c, x, y);
                assert_true(fabs(got->steps[CE_BLURRED_R + c][at] - rgb[c]) <= 2e-4);
            }
            assert_true(fabs(got->steps[CE_INTENSITY][at] - (rgb[0] + rgb[1] + rgb[2]) / 3.0) <= 2e-4);
            if (on_the_jump(rgb[0], rgb[1], rgb[2])) continue;
            const double volume = volume_of(rgb[0], rgb[1], rgb[2]);
            if (!(fabs(got->steps[CE_VOLUME][at] - volume) <= 1e-3))
                fail_msg("%d,%d: volume %.9g, not %.9g", x, y, (double)got->steps[CE_VOLUME][at], volume);
        }
}

static void check_magnitudes(const outcome *got, const ed_image *image)
{
    static const int kernels[2][2][9] = {{{-1, 0, 1, -1, 0, 1, -1, 0, 1}, {-1, -1, -1, 0, 0, 0, 1, 1, 1}},
                                         {{0, 1, 1, -1, 0, 1, -1, -1, 0}, {1, 1, 0, 1, 0, -1, 0, -1, -1}}};
    for (int i = 0; i < CE_MAGNITUDES; ++i) {
        const float *plane = got->steps[CE_VOLUME + i / 2];
        for (int y = 0; y < image->height; ++y)
            for (int x = 0; x < image->width; ++x) {
                const double expected = magnitude_at(plane, image->width, image->height, x, y, kernels[i % 2]);
                const float value = got->steps[CE_VOLUME_M1 + i][y * image->width + x];
                assert_true(fabs((double)value - expected) <= 1e-3);
            }
    }
}

/* From the steps before, exactly but for the mean. */
static void check_edges(const outcome *got, const ed_image *image, const ed_params *params)
{
    uint8_t *edges = calloc(got->n, 1);
    assert_non_null(edges);
    for (int i = 0; i < CE_MAGNITUDES; ++i) {
        const float *magnitudes = got->steps[CE_VOLUME_M1 + i], threshold = got->steps[CE_VOLUME_M1_THRESHOLD + i][0];
        double sum = 0.0;
        for (size_t at = 0; at < got->n; ++at) sum += (double)magnitudes[at];
        const double coefficient = i < 2 ? params->volume_coefficient : params->intensity_coefficient;
        const double expected = coefficient * sum / (double)got->n;
        assert_true(fabs((double)threshold - expected) <= 2e-6 * coefficient + 1e-6 * expected);
        for (size_t at = 0; at < got->n; ++at) edges[at] |= magnitudes[at] > threshold;
    }
    for (size_t at = 0; at < got->n; ++at) assert_true(got->steps[CE_EDGES][at] == (float)edges[at]);
    if (params->thinning_passes > 0)
        assert_true(edge_map_thin(image->width, image->height, params->thinning_passes, edges) >= 0);
    assert_memory_equal(got->map, edges, got->n);
    free(edges);
}

static void check_sequential(picture kind, int width, int height, const ed_params *params)
{
    uint8_t *rgba = draw(kind, width, height);
    const ed_image image = {.width = width, .height = height, .rgba = rgba};
    outcome got = run_sequential(&image, params);
    for (int step = 0; step < CE_STEPS; ++step) assert_non_null(got.steps[step]);
    check_colours(&got, &image, params);
    check_magnitudes(&got, &image);
    check_edges(&got, &image, params);
    free_outcome(&got);
    free(rgba);
}

static void test_sequential_follows_the_formulas(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 9}, {37, 1}, {3, 5}, {32, 32}, {65, 40}, {101, 67}};
    for (int kind = 0; kind < PICTURES; ++kind)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            ed_params params = ed_default_params();
            check_sequential((picture)kind, sizes[i][0], sizes[i][1], &params);
            params.sigma = 0.0;
            params.volume_coefficient = 0.7;
            params.intensity_coefficient = 1.4;
            params.thinning_passes = 3;
            check_sequential((picture)kind, sizes[i][0], sizes[i][1], &params);
        }
    ed_params params = ed_default_params();
    params.thinning_passes = 0;
    for (params.sigma = 0.3; params.sigma <= 5.0; params.sigma += 1.55) check_sequential(PATCHES, 45, 33, &params);
    params.sigma = 5.0;
    check_sequential(NOISE, 33, 45, &params);
}

/* ---- The other versions against the sequential one ---- */

/* The first difference as a line for a person, or "". */
static void find_difference(const outcome *expected, const outcome *got, char line[128])
{
    line[0] = '\0';
    for (int step = 0; step < CE_STEPS; ++step) {
        if (got->steps[step] == NULL) continue;
        for (size_t at = 0; at < got->n; ++at)
            if (!(got->steps[step][at] == expected->steps[step][at])) {
                snprintf(line, 128, "step %d, pixel %zu: %.9g, not %.9g", step, at, (double)got->steps[step][at],
                         (double)expected->steps[step][at]);
                return;
            }
    }
    for (size_t at = 0; at < got->n; ++at)
        if (got->map[at] != expected->map[at]) {
            snprintf(line, 128, "map, pixel %zu: %d, not %d", at, got->map[at], expected->map[at]);
            return;
        }
}

/* But for one with rules of its own. */
static const ab_implementation *next_version(const ab_implementation *last)
{
    do last = next_of("colour-edge", ON_CPU | ON_HOST, last);
    while (last && last->traits & AB_OTHER_RULES);
    return last;
}

/* Steps that a version must keep, where it keeps any that another does not need to. */
static int steps_of(const ab_implementation *version)
{
    if (version->backend == AB_CPU) return CE_STEPS;
    return strcmp(version->name, "gpu") == 0 ? CE_STEPS - 3 : strcmp(version->name, "fused") == 0 ? 4 : 0;
}

static void check_version(const ab_implementation *version, const ed_image *image, const ed_params *params,
                          const outcome *expected)
{
    outcome got = run(version, image, params);
    int kept = 0;
    for (int step = 0; step < CE_STEPS; ++step) kept += got.steps[step] != NULL;
    assert_true(kept >= steps_of(version));
    char line[128];
    find_difference(expected, &got, line);
    if (line[0]) fail_msg("%s, %d x %d: %s", version->id, image->width, image->height, line);
    free_outcome(&got);
}

static void check_versions(picture kind, int width, int height, ed_params params)
{
    uint8_t *rgba = draw(kind, width, height);
    const ed_image image = {.width = width, .height = height, .rgba = rgba};
    outcome expected = run_sequential(&image, &params);
    params.threads = 3;
    for (const ab_implementation *version = NULL; (version = next_version(version)) != NULL;)
        check_version(version, &image, &params, &expected);
    free_outcome(&expected);
    free(rgba);
}

static void test_versions_agree_in_every_size_and_order(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1},   {1, 40},  {70, 1},  {3, 5},    {28, 32},  {29, 33}, {31, 31},
                                   {32, 32}, {33, 34}, {64, 16}, {127, 17}, {130, 65}, {57, 97}};
    for (unsigned order = 0; order < N_ORDERS; ++order) {
        host_backend_set_order(order);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
            if (order == 0 || i % (N_ORDERS - 1) == order - 1)
                check_versions((picture)((i + order) % PICTURES), sizes[i][0], sizes[i][1], ed_default_params());
    }
    host_backend_set_order(0);
}

static void test_versions_agree_for_every_parameter(void **state)
{
    (void)state;
    static const double sigmas[] = {0.0, 0.4, 1.0, 2.5, 5.0};
    for (int i = 0; i < 5; ++i) {
        ed_params params = ed_default_params();
        params.sigma = sigmas[i];
        params.thinning_passes = i;
        params.volume_coefficient = i == 1 ? 1e6 : 0.5 * i;
        params.intensity_coefficient = i == 2 ? 1e6 : 1.5;
        host_backend_set_order((unsigned)i);
        check_versions(i % 2 == 0 ? NOISE : PATCHES, 75, 69, params);
    }
    host_backend_set_order(0);
}

static void test_versions_agree_on_a_large_odd_size(void **state)
{
    (void)state;
    check_versions(PATCHES, 511, 513, ed_default_params());
}

/* Kernels may skip what is flat: below something, above something, and beside it. */
static void test_versions_agree_on_flat_fields(void **state)
{
    (void)state;
    for (unsigned order = 0; order < N_ORDERS; ++order) {
        host_backend_set_order(order);
        check_versions(FIELDS, 250 + (int)order, 400, ed_default_params());
    }
    host_backend_set_order(0);
}

/* A fourth run has the third's sums behind it: what a run must clear for a later one shows there. */
static void test_runs_repeat(void **state)
{
    (void)state;
    uint8_t *rgba = draw(NOISE, 40, 37);
    const ed_image image = {.width = 40, .height = 37, .rgba = rgba};
    const ed_params params = ed_default_params();
    outcome expected = run_sequential(&image, &params);
    for (const ab_implementation *version = NULL; (version = next_version(version)) != NULL;) {
        ed_detector *detector = NULL;
        assert_int_equal(open_detector(version->open, &image, &params, &detector).code, AB_OK);
        for (int k = 0; k < 2; ++k)
            for (int stage = 0; stage < ED_STAGES; ++stage)
                assert_int_equal(detector->work.methods->run_stage(&detector->work, stage).code, AB_OK);
        outcome got = run_open(detector, expected.n);
        char line[128];
        find_difference(&expected, &got, line);
        if (line[0]) fail_msg("%s: %s", version->id, line);
        free_outcome(&got);
    }
    free_outcome(&expected);
    free(rgba);
}

/* ---- What must hold of the results ---- */

static void test_grey_has_no_volume(void **state)
{
    (void)state;
    uint8_t *rgba = draw(GREY, 40, 30);
    const ed_image image = {.width = 40, .height = 30, .rgba = rgba};
    const ed_params params = ed_default_params();
    outcome got = run_sequential(&image, &params);
    int edges = 0;
    for (size_t at = 0; at < got.n; ++at) {
        assert_true(got.steps[CE_VOLUME][at] == 0.0f);
        edges += got.map[at];
    }
    assert_true(edges > 0);
    free_outcome(&got);
    free(rgba);
}

static void test_one_colour_has_no_edges(void **state)
{
    (void)state;
    uint8_t *rgba = draw(CONSTANT, 40, 30);
    const ed_image image = {.width = 40, .height = 30, .rgba = rgba};
    ed_params params = ed_default_params();
    params.volume_coefficient = params.intensity_coefficient = 0.0;
    outcome got = run_sequential(&image, &params);
    for (size_t at = 0; at < got.n; ++at) {
        assert_true(got.steps[CE_VOLUME][at] > 0.0f);
        assert_int_equal(got.map[at], 0);
    }
    free_outcome(&got);
    free(rgba);
}

/* The bound of the squares decides as the roots do, around it and at it. */
static void test_square_bound_is_exact(void **state)
{
    (void)state;
    uint32_t random = 5;
    for (int i = 0; i < 20000; ++i) {
        const float threshold = ldexpf((float)(1 + next_byte(&random)) + (float)next_byte(&random) / 257.0f,
                                       (int)next_byte(&random) % 60 - 40);
        const float bound = ce_square_bound(threshold);
        assert_false(sqrtf(bound) > threshold);
        assert_true(sqrtf(nextafterf(bound, HUGE_VALF)) > threshold);
    }
    assert_true(ce_square_bound(0.0f) == 0.0f);
}

/* The Boolean conditions against the tables, for every neighbourhood, in every place of a word. */
static void test_boolean_thinning_is_the_tables(void **state)
{
    (void)state;
    uint8_t tables[2][512];
    guo_hall_tables(tables);
    for (int index = 0; index < 512; ++index)
        for (int place = 0; place < 32; ++place) {
            ce_words rows[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
            for (int k = 0; k < 9; ++k) {
                if (!(index >> (8 - k) & 1)) continue;
                const int column = place + k / 3 - 1;
                ce_words *row = &rows[k % 3];
                if (column < 0) row->left |= 1u << 31;
                if (column >= 0 && column < 32) row->middle |= 1u << column;
                if (column > 31) row->right |= 1u;
            }
            for (int i = 0; i < 2; ++i)
                assert_int_equal(ce_thin(rows[0], rows[1], rows[2], i) >> place & 1, tables[i][index]);
        }
}

/* Every number of passes leaves as many 8-connected components, and enough of them leave nothing to thin. */
static void test_thinning_keeps_components(void **state)
{
    (void)state;
    enum { WIDTH = 90, HEIGHT = 70, ENOUGH = 12 };
    uint8_t *rgba = draw(NOISE, WIDTH, HEIGHT);
    const ed_image image = {.width = WIDTH, .height = HEIGHT, .rgba = rgba};
    ed_params params = ed_default_params();
    params.sigma = 2.0;
    params.volume_coefficient = 1.0;
    params.thinning_passes = 0;
    outcome thick = run_sequential(&image, &params);
    const int components = edge_map_components(WIDTH, HEIGHT, thick.map);
    assert_true(components > 1);
    for (params.thinning_passes = 1; params.thinning_passes <= 4; ++params.thinning_passes) {
        outcome thinned = run(registered("colour-edge/fused", AB_HOST), &image, &params);
        assert_int_equal(edge_map_components(WIDTH, HEIGHT, thinned.map), components);
        assert_memory_not_equal(thinned.map, thick.map, thick.n);
        free_outcome(&thinned);
    }
    params.thinning_passes = ENOUGH;
    outcome once = run_sequential(&image, &params);
    ++params.thinning_passes;
    outcome again = run(registered("colour-edge/gpu", AB_HOST), &image, &params);
    assert_memory_equal(once.map, again.map, once.n);
    assert_int_equal(edge_map_components(WIDTH, HEIGHT, once.map), components);
    free_outcome(&thick);
    free_outcome(&once);
    free_outcome(&again);
    free(rgba);
}

static void test_bad_parameters_are_refused(void **state)
{
    (void)state;
    static const uint8_t pixel[4] = {1, 2, 3, 4};
    ed_image image = {.width = 1, .height = 1, .rgba = pixel};
    ed_params params = ed_default_params();
    params.sigma = NAN;
    ed_detector *detector = NULL;
    for (const ab_implementation *version = NULL; (version = next_version(version)) != NULL;) {
        const ab_status status = open_detector(version->open, &image, &params, &detector);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_non_null(strstr(status.reason, "sigma"));
        assert_null(detector);
    }
    image.height = 200000;
    params.sigma = 1.0;
    const ab_implementation *gpu = registered("colour-edge/gpu", AB_HOST);
    assert_int_equal(open_detector(gpu->open, &image, &params, &detector).code, AB_UNSUPPORTED);
}

/* ---- Planted bugs ---- */

/* Whether some order of threads gives another result than the sequential version. */
static bool is_found(int bug, const ed_image *image, const ed_params *params, const outcome *expected)
{
    bool found = false;
    for (unsigned order = 0; order < N_ORDERS && !found; ++order) {
        host_backend_set_order(order);
        ed_detector *detector = NULL;
        assert_int_equal(planted_colour_edge_open(image, params, bug, &detector).code, AB_OK);
        outcome got = run_open(detector, expected->n);
        char line[128];
        find_difference(expected, &got, line);
        found = line[0] != '\0';
        free_outcome(&got);
    }
    host_backend_set_order(0);
    return found;
}

static void test_planted_bugs_are_found(void **state)
{
    (void)state;
    uint8_t *rgba = draw(NOISE, 70, 50);
    const ed_image image = {.width = 70, .height = 50, .rgba = rgba};
    ed_params params = ed_default_params();
    params.volume_coefficient = 1.0;
    outcome expected = run_sequential(&image, &params);
    for (int bug = 0; bug < CE_BUG_KEEPS_SUMS; ++bug) /* that shows in the third run alone */
        if (is_found(bug, &image, &params, &expected) != (bug != CE_BUG_NONE)) fail_msg("bug %d", bug);
    free_outcome(&expected);
    free(rgba);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequential_follows_the_formulas),
        cmocka_unit_test(test_versions_agree_in_every_size_and_order),
        cmocka_unit_test(test_versions_agree_for_every_parameter),
        cmocka_unit_test(test_versions_agree_on_a_large_odd_size),
        cmocka_unit_test(test_versions_agree_on_flat_fields),
        cmocka_unit_test(test_runs_repeat),
        cmocka_unit_test(test_grey_has_no_volume),
        cmocka_unit_test(test_one_colour_has_no_edges),
        cmocka_unit_test(test_square_bound_is_exact),
        cmocka_unit_test(test_boolean_thinning_is_the_tables),
        cmocka_unit_test(test_thinning_keeps_components),
        cmocka_unit_test(test_bad_parameters_are_refused),
        cmocka_unit_test(test_planted_bugs_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
