/* Canny: the GPU's kernels on the host backend, step by step and as a whole, against naive code written here and
 * against OpenCV's Canny, which both must equal pixel for pixel. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/clock/measure.h"
#include "kernels/canny/canny.h"
#include "kernels/host/host_backend.h"
#include "tests/planted/canny_runs.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"

enum { N_ORDERS = 4, GROW_TILE = 16 };

/* The rungs whose map must be the reference's, those with passes going to convergence; a library's need not be. */
static const ab_implementation *next_rung(const ab_implementation *last)
{
    while ((last = next_of("canny", ON_HOST, last)) != NULL)
        if (!(last->traits & AB_OTHER_RULES)) return last;
    return NULL;
}

/* ---- Images ---- */

typedef struct picture {
    int width, height; /* pixels */
    uint8_t *grey;     /* [height][width] */
} picture;

static picture new_picture(int width, int height, uint8_t background)
{
    picture made = {width, height, malloc((size_t)width * (size_t)height)};
    assert_non_null(made.grey);
    memset(made.grey, background, (size_t)width * (size_t)height);
    return made;
}

static size_t n_pixels(const picture *image)
{
    return (size_t)image->width * (size_t)image->height;
}

/* Independent pixels, of few values, so that neighbours and gradients are often equal. */
static picture noise(int width, int height, int n_values, uint64_t seed)
{
    picture made = new_picture(width, height, 0);
    for (size_t i = 0; i < n_pixels(&made); ++i)
        made.grey[i] = (uint8_t)(255 / (n_values - 1) * (int)(test_random(&seed) * n_values));
    return made;
}

/* Discs on a ramp, with a little noise: edges of every direction and strength. */
static picture discs(int width, int height, uint64_t seed)
{
    picture made = new_picture(width, height, 0);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const double far = hypot(fmod(x, 61.0) - 30.0, fmod(y, 47.0) - 23.0);
            const double disc = far < 17.0 ? 40.0 + 90.0 * ((x / 61 + y / 47) % 2) : 0.0;
            made.grey[y * width + x] = (uint8_t)(60.0 * x / width + disc + 12.0 * test_random(&seed));
        }
    return made;
}

/* A faint band that winds through the whole image, bright where it begins: a single edge, strong at one end only. */
static picture snake(int width, int height)
{
    enum { BAND = 4, TURN = 12 };
    picture made = new_picture(width, height, 50);
    for (int y = 4; y < height - 4; ++y)
        for (int x = 4; x < width - 4; ++x) {
            const int row = (y - 4) / TURN, inside = (y - 4) % TURN;
            const bool back = row % 2, link = back ? x < 4 + BAND : x >= width - 4 - BAND;
            if (inside < BAND || link) made.grey[y * width + x] = y < 4 + BAND && x < 12 ? 250 : 90;
        }
    return made;
}

/* Columns become rows. */
static picture turned(picture image)
{
    picture made = new_picture(image.height, image.width, 0);
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) made.grey[x * image.height + y] = image.grey[y * image.width + x];
    free(image.grey);
    return made;
}

/* ---- The rules of canny.h, naively ---- */

static int mirrored(int i, int n)
{
    while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * (n - 1) - i;
    return n > 1 ? i : 0;
}

/* Both directions at once, pixel by pixel. */
static picture naive_blur(const picture *image, double sigma)
{
    const canny_gaussian gaussian = canny_make_gaussian(sigma);
    const int radius = gaussian.radius;
    picture blurred = new_picture(image->width, image->height, 0);
    for (int y = 0; y < image->height; ++y)
        for (int x = 0; x < image->width; ++x) {
            uint32_t sum = 1u << 15;
            for (int dy = -radius; dy <= radius; ++dy)
                for (int dx = -radius; dx <= radius; ++dx) {
                    const int from = mirrored(y + dy, image->height) * image->width + mirrored(x + dx, image->width);
                    sum += gaussian.weights[dy + radius] * gaussian.weights[dx + radius] * image->grey[from];
                }
            blurred.grey[y * image->width + x] = (uint8_t)(sum >> 16);
        }
    return blurred;
}

static int pixel(const picture *image, int x, int y)
{
    x = x < 0 ? 0 : x >= image->width ? image->width - 1 : x;
    y = y < 0 ? 0 : y >= image->height ? image->height - 1 : y;
    return image->grey[y * image->width + x];
}

static void gradient(const picture *image, int x, int y, int *gx, int *gy)
{
    static const int smooth[3] = {1, 2, 1};
    *gx = *gy = 0;
    for (int i = -1; i <= 1; ++i) {
        *gx += smooth[i + 1] * (pixel(image, x + 1, y + i) - pixel(image, x - 1, y + i));
        *gy += smooth[i + 1] * (pixel(image, x + i, y + 1) - pixel(image, x + i, y - 1));
    }
}

static int magnitude(const picture *image, int x, int y)
{
    if (x < 0 || x >= image->width || y < 0 || y >= image->height) return 0;
    int gx, gy;
    gradient(image, x, y, &gx, &gy);
    return abs(gx) + abs(gy);
}

static int naive_class(const picture *image, int x, int y, int low, int high)
{
    int gx, gy, dx, dy, ties_lose = 0;
    gradient(image, x, y, &gx, &gy);
    const double slope = gx ? fabs((double)gy / gx) : INFINITY, split = 13573.0 / 32768.0;
    if ((gx || gy) && slope < split)
        dx = 1, dy = 0;
    else if (slope > split + 2.0 || (!gx && !gy))
        dx = 0, dy = 1;
    else
        dx = (gx < 0) == (gy < 0) ? 1 : -1, dy = 1, ties_lose = 1;
    const int here = magnitude(image, x, y), after = magnitude(image, x + dx, y + dy);
    if (here <= low || here <= magnitude(image, x - dx, y - dy) || here < after + ties_lose) return CANNY_NONE;
    return here > high ? CANNY_STRONG : CANNY_WEAK;
}

static picture naive_classes(const picture *image, int low, int high)
{
    picture classes = new_picture(image->width, image->height, 0);
    for (int y = 0; y < image->height; ++y)
        for (int x = 0; x < image->width; ++x)
            classes.grey[y * image->width + x] = (uint8_t)naive_class(image, x, y, low, high);
    return classes;
}

/* Makes the weak pixels of columns x0 .. x1-1, rows y0 .. y1-1 strong that touch a strong one, until none does; those
 * outside are as they are in `around`. */
static void naive_grow(const picture *around, picture *classes, int x0, int y0, int x1, int y1)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x)
                for (int i = 0; i < 9 && classes->grey[y * classes->width + x] == CANNY_WEAK; ++i) {
                    const int nx = x + i % 3 - 1, ny = y + i / 3 - 1;
                    if (nx < 0 || nx >= classes->width || ny < 0 || ny >= classes->height) continue;
                    const bool inside = nx >= x0 && nx < x1 && ny >= y0 && ny < y1;
                    if ((inside ? classes : around)->grey[ny * classes->width + nx] != CANNY_STRONG) continue;
                    classes->grey[y * classes->width + x] = CANNY_STRONG;
                    changed = true;
                }
    }
}

static int at_most(int value, int limit)
{
    return value < limit ? value : limit;
}

/* The edges after `passes` passes of growth inside blocks, or to convergence for 0. Frees classes. */
static picture naive_edges(picture classes, int passes)
{
    const int width = classes.width, height = classes.height;
    picture before = new_picture(width, height, 0);
    if (passes == 0) naive_grow(&before, &classes, 0, 0, width, height);
    for (int pass = 0; pass < passes; ++pass) {
        memcpy(before.grey, classes.grey, n_pixels(&classes));
        for (int y = 0; y < height; y += GROW_TILE)
            for (int x = 0; x < width; x += GROW_TILE)
                naive_grow(&before, &classes, x, y, at_most(x + GROW_TILE, width), at_most(y + GROW_TILE, height));
    }
    free(before.grey);
    for (size_t i = 0; i < n_pixels(&classes); ++i) classes.grey[i] = classes.grey[i] == CANNY_STRONG;
    return classes;
}

/* ---- Running implementations ---- */

static ed_detector *open_rung(const ab_implementation *rung, const picture *image, const ed_params *params)
{
    const ed_image input = {.width = image->width, .height = image->height, .grey = image->grey};
    ed_detector *detector = NULL;
    const ab_status status = open_detector(rung->open, &input, params, &detector);
    if (status.code != AB_OK) fail_msg("%s: %s", rung->id, status.reason);
    return detector;
}

static picture read_map(ed_detector *detector, const picture *image)
{
    picture map = new_picture(image->width, image->height, 7);
    assert_int_equal(detector->methods->read(detector, map.grey).code, AB_OK);
    return map;
}

static picture run_rung(const ab_implementation *rung, const picture *image, const ed_params *params)
{
    ed_detector *detector = open_rung(rung, image, params);
    const ab_status status = ab_iterate(&detector->work);
    if (status.code != AB_OK) fail_msg("%s, %d x %d: %s", rung->id, image->width, image->height, status.reason);
    picture map = read_map(detector, image);
    detector->work.methods->close(&detector->work);
    return map;
}

static void assert_same(const char *what, const picture *found, const picture *expected)
{
    for (int y = 0; y < expected->height; ++y)
        for (int x = 0; x < expected->width; ++x) {
            const int at = y * expected->width + x;
            if (found->grey[at] != expected->grey[at])
                fail_msg("%s, %d x %d: pixel (%d, %d) is %d and must be %d", what, expected->width, expected->height, x,
                         y, found->grey[at], expected->grey[at]);
        }
}

static size_t count(const picture *map)
{
    size_t edges = 0;
    for (size_t i = 0; i < n_pixels(map); ++i) edges += map->grey[i];
    return edges;
}

static const int sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {3, 5}, {2, 2}, {16, 32}, {33, 31}, {65, 47}, {97, 130}};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

/* ---- Tests ---- */

static void test_gaussian_weights(void **state)
{
    (void)state;
    assert_int_equal(canny_make_gaussian(0.0).radius, 0);
    assert_int_equal(canny_make_gaussian(0.0).weights[0], 256);
    assert_int_equal(canny_make_gaussian(1.0).radius, 3);
    assert_int_equal(canny_make_gaussian(5.0).radius, CANNY_MAX_RADIUS);
    for (double sigma = 0.1; sigma < 5.05; sigma += 0.1) {
        const canny_gaussian gaussian = canny_make_gaussian(sigma);
        unsigned sum = 0;
        double exact_sum = 0.0;
        for (int i = -gaussian.radius; i <= gaussian.radius; ++i) exact_sum += exp(-0.5 * i * i / (sigma * sigma));
        for (int i = -gaussian.radius; i <= gaussian.radius; ++i) {
            const double exact = 256.0 * exp(-0.5 * i * i / (sigma * sigma)) / exact_sum;
            sum += gaussian.weights[i + gaussian.radius];
            assert_true(fabs(gaussian.weights[i + gaussian.radius] - exact) < 1.01);
        }
        assert_int_equal(sum, 256);
    }
}

/* Whether the detector keeps the step, which must then be right. */
static bool check_step(ed_detector *detector, int step, const picture *expected)
{
    float *const values = malloc(n_pixels(expected) * sizeof *values);
    assert_non_null(values);
    const ab_status status = detector->methods->read_step(detector, step, values);
    if (status.code == AB_OK) {
        picture found = new_picture(expected->width, expected->height, 0);
        for (size_t i = 0; i < n_pixels(expected); ++i) found.grey[i] = (uint8_t)values[i];
        assert_same(step == CANNY_BLURRED ? "blurred" : "classes", &found, expected);
        free(found.grey);
    } else {
        assert_int_equal(status.code, AB_UNSUPPORTED);
    }
    free(values);
    return status.code == AB_OK;
}

/* Blur, classes and edges of every rung; canny/gpu keeps all of them. */
static void check_steps(const picture *image, double sigma, int low, int high)
{
    ed_params params = ed_default_params();
    params.sigma = sigma;
    params.low = low;
    params.high = high;
    picture blurred = naive_blur(image, sigma), classes = naive_classes(&blurred, low, high);
    picture expected = naive_edges(naive_classes(&blurred, low, high), 0);
    for (const ab_implementation *rung = NULL; (rung = next_rung(rung)) != NULL;) {
        ed_detector *detector = open_rung(rung, image, &params);
        assert_int_equal(ab_iterate(&detector->work).code, AB_OK);
        const bool keeps_blurred = check_step(detector, CANNY_BLURRED, &blurred);
        const bool keeps_classes = check_step(detector, CANNY_CLASSES, &classes);
        assert_true((keeps_blurred && keeps_classes) || strcmp(rung->name, "gpu") != 0);
        picture found = read_map(detector, image);
        assert_same(rung->id, &found, &expected);
        free(found.grey);
        detector->work.methods->close(&detector->work);
    }
    free(expected.grey);
    free(classes.grey);
    free(blurred.grey);
}

static void test_every_step_size_and_order(void **state)
{
    (void)state;
    static const double sigmas[] = {1.0, 0.0, 2.3, 5.0};
    for (unsigned order = 0; order < N_ORDERS; ++order) {
        host_backend_set_order(order);
        for (unsigned i = 0; i < N_SIZES; ++i) {
            picture image = i % 2 ? noise(sizes[i][0], sizes[i][1], 4, i + 1) : discs(sizes[i][0], sizes[i][1], i + 1);
            check_steps(&image, sigmas[(i + order) % 4], 40, 130);
            free(image.grey);
        }
    }
    host_backend_set_order(0);
}

/* Two pixels at once in half precision decide as whole numbers do. */
static void test_directions_of_every_gradient(void **state)
{
    (void)state;
    int wrong = 0;
    assert_int_equal(planted_canny_directions(&wrong).code, AB_OK);
    assert_int_equal(wrong, 0);
}

static void test_odd_image_of_full_size(void **state)
{
    (void)state;
    host_backend_set_order(7);
    picture image = discs(511, 513, 3);
    check_steps(&image, 1.0, 50, 150);
    host_backend_set_order(0);
    free(image.grey);
}

/* Faint lines of one pixel, every sixth column (or row) from `first` on, each strong at its beginning. */
static picture faint_lines(int width, int height, bool down, int first)
{
    enum { GROUND = 10, FAINT = 25, BRIGHT = 60, APART = 6 };
    picture made = new_picture(width, height, GROUND);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const int across = (down ? x : y) - first, along = down ? y : x;
            uint8_t *pixel = &made.grey[y * width + x];
            if (across % APART == 0) *pixel = along < 20 ? BRIGHT : FAINT;
            if (across % APART == APART - 1 || across == -1) *pixel = 0; /* that side's gradient is the larger one */
        }
    return made;
}

/* Edges that cross the borders of tiles at one pixel alone, each pixel of them in turn: they are edges to their end. */
static void test_lines_cross_tiles_everywhere(void **state)
{
    (void)state;
    enum { LONG = 70, WIDE = 41 };
    int whole = 0;
    for (int first = 0; first < 6; ++first)
        for (int down = 0; down < 2; ++down) {
            const int width = down ? WIDE : LONG, height = down ? LONG : WIDE;
            picture image = faint_lines(width, height, down, first);
            picture expected = naive_edges(naive_classes(&image, 50, 150), 0);
            whole += expected.grey[n_pixels(&expected) - 1]; /* the last column's, or row's */
            check_steps(&image, 0.0, 50, 150);
            free(expected.grey);
            free(image.grey);
        }
    assert_int_equal(whole, 4); /* of both directions: the line at the border, and the one beside it */
}

/* A number of passes gives the same map in every order, more passes give more edges, and all are part of the map at
 * convergence. */
static void test_passes_of_growth(void **state)
{
    (void)state;
    static const int passes[] = {1, 4, 10, 0};
    picture image = snake(150, 110);
    ed_params params = ed_default_params();
    params.sigma = 0.0;
    params.high = 500.0;
    size_t edges_before = 0;
    for (unsigned i = 0; i < 4; ++i) {
        params.hysteresis_passes = passes[i];
        picture expected = naive_edges(naive_classes(&image, 50, 500), passes[i]);
        for (unsigned order = 0; order < N_ORDERS; ++order) {
            host_backend_set_order(order);
            picture found = run_rung(registered("canny/gpu", AB_HOST), &image, &params);
            assert_same("growth on the snake", &found, &expected);
            free(found.grey);
        }
        assert_true(count(&expected) > edges_before);
        edges_before = count(&expected);
        free(expected.grey);
    }
    host_backend_set_order(0);
    free(image.grey);
}

/* Each map's edges are the next one's too, on an image with many edges. */
static void test_growth_only_adds(void **state)
{
    (void)state;
    static const int passes[] = {1, 2, 4, 10, 0};
    picture image = noise(90, 70, 8, 5), before = new_picture(90, 70, 0);
    ed_params params = ed_default_params();
    params.low = 20.0;
    params.high = 240.0;
    for (unsigned i = 0; i < 5; ++i) {
        params.hysteresis_passes = passes[i];
        picture map = run_rung(registered("canny/gpu", AB_HOST), &image, &params);
        for (size_t p = 0; p < n_pixels(&map); ++p) assert_true(map.grey[p] >= before.grey[p] && map.grey[p] <= 1);
        free(before.grey);
        before = map;
    }
    assert_true(count(&before) > 0);
    free(before.grey);
    free(image.grey);
}

/* A detector works again, on the image as it was opened, and a poisoned map is not mistaken for one. */
static void test_second_iteration_and_poison(void **state)
{
    (void)state;
    picture image = discs(70, 50, 9);
    const ed_params params = ed_default_params();
    for (const ab_implementation *rung = NULL; (rung = next_rung(rung)) != NULL;) {
        ed_detector *detector = open_rung(rung, &image, &params);
        picture unwritten = read_map(detector, &image);
        for (size_t i = 0; i < n_pixels(&image); ++i) assert_true(unwritten.grey[i] > 1);
        assert_int_equal(ab_iterate(&detector->work).code, AB_OK);
        picture first = read_map(detector, &image);
        assert_int_equal(detector->methods->poison(detector).code, AB_OK);
        picture poisoned = read_map(detector, &image);
        for (size_t i = 0; i < n_pixels(&image); ++i) assert_true(poisoned.grey[i] > 1);
        assert_int_equal(ab_iterate(&detector->work).code, AB_OK);
        picture second = read_map(detector, &image);
        assert_same("second iteration", &second, &first);
        detector->work.methods->close(&detector->work);
        free(unwritten.grey);
        free(first.grey);
        free(poisoned.grey);
        free(second.grey);
    }
    free(image.grey);
}

static void test_unmet_preconditions(void **state)
{
    (void)state;
    picture image = new_picture(4, 4, 0);
    const ed_image input = {.width = 4, .height = 4, .grey = image.grey};
    ed_params params = ed_default_params();
    ed_detector *detector = NULL;
    params.sigma = NAN;
    for (const ab_implementation *rung = NULL; (rung = next_rung(rung)) != NULL;)
        assert_int_equal(open_detector(rung->open, &input, &params, &detector).code, AB_BAD_INPUT);
    params = ed_default_params();
    const ab_status npp = open_detector(registered("canny/npp", AB_HOST)->open, &input, &params, &detector);
    assert_int_equal(npp.code, AB_UNSUPPORTED);
    assert_non_null(strstr(npp.reason, "NPP"));
    const ed_image tall = {.width = 1, .height = CANNY_MAX_SIDE + 1, .grey = image.grey};
    assert_int_equal(open_detector(registered("canny/gpu", AB_HOST)->open, &tall, &params, &detector).code,
                     AB_UNSUPPORTED);
    assert_null(detector);
    free(image.grey);
}

/* ---- OpenCV ---- */

static void skip_without_opencv(void)
{
    picture image = new_picture(1, 1, 0);
    const ed_image input = {.width = 1, .height = 1, .grey = image.grey};
    const ed_params params = ed_default_params();
    ed_detector *detector = NULL;
    const ab_status status = open_detector(reference_of("canny")->open, &input, &params, &detector);
    free(image.grey);
    if (status.code == AB_OK) detector->work.methods->close(&detector->work);
    if (status.code != AB_UNSUPPORTED) return;
    print_message("canny/opencv: %s\n", status.reason);
    skip();
}

/* The naive code, which the kernels equal, equals OpenCV too: many images, sigmas and thresholds, whole or not. */
static void test_opencv_has_the_same_rules(void **state)
{
    (void)state;
    skip_without_opencv();
    for (unsigned i = 0; i < 40; ++i) {
        picture image = i % 3 ? noise(20 + (int)i * 3, 57, 2 + (int)i % 7, i + 1) : discs(80 + (int)i, 61, i + 1);
        ed_params params = ed_default_params();
        params.sigma = i % 4 ? 0.125 * i : 0.0;
        params.low = 7.5 * i;
        params.high = params.low + 31.0 * (i % 5);
        params.threads = (int)i % 2;
        picture blurred = naive_blur(&image, params.sigma);
        picture expected = naive_edges(naive_classes(&blurred, (int)params.low, (int)params.high), 0);
        picture found = run_rung(reference_of("canny"), &image, &params);
        assert_same("canny/opencv", &found, &expected);
        free(found.grey);
        free(expected.grey);
        free(blurred.grey);
        free(image.grey);
    }
}

static void test_rungs_equal_opencv(void **state)
{
    (void)state;
    skip_without_opencv();
    for (unsigned i = 0; i < N_SIZES + 2; ++i) {
        picture image = i < N_SIZES    ? noise(sizes[i][0], sizes[i][1], 5, i + 11)
                        : i == N_SIZES ? snake(200, 150)
                                       : turned(snake(190, 150));
        ed_params params = ed_default_params();
        params.sigma = i < N_SIZES ? 0.8 * (i % 3) : 0.0;
        params.high = i < N_SIZES ? 300.0 : 250.0;
        picture expected = run_rung(reference_of("canny"), &image, &params);
        for (const ab_implementation *rung = NULL; (rung = next_rung(rung)) != NULL;) {
            picture found = run_rung(rung, &image, &params);
            assert_same(rung->id, &found, &expected);
            free(found.grey);
        }
        free(expected.grey);
        free(image.grey);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaussian_weights),
        cmocka_unit_test(test_every_step_size_and_order),
        cmocka_unit_test(test_lines_cross_tiles_everywhere),
        cmocka_unit_test(test_odd_image_of_full_size),
        cmocka_unit_test(test_passes_of_growth),
        cmocka_unit_test(test_growth_only_adds),
        cmocka_unit_test(test_second_iteration_and_poison),
        cmocka_unit_test(test_unmet_preconditions),
        cmocka_unit_test(test_opencv_has_the_same_rules),
        cmocka_unit_test(test_rungs_equal_opencv),
        cmocka_unit_test(test_directions_of_every_gradient),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
