/* convolution: every implementation that the registry has, on the CPU and on the host backend under sanitizers,
 * against the sum in double precision; filters; and that verification rejects kernels with planted bugs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kernels/convolution/convolution.h"
#include "kernels/host/host_backend.h"
#include "tests/planted/convolution.h"
#include "tests/support/registered.h"

enum { N_ORDERS = 4, MOST_PIXELS = 397 * 67 };

static float pixels[MOST_PIXELS];

static conv_image whole_image(int width, int height, uint64_t seed)
{
    assert_true(width * height <= MOST_PIXELS);
    for (int i = 0; i < width * height; i++) pixels[i] = (float)random_below(&seed, 256);
    return (conv_image){width, height, pixels};
}

static conv_image real_image(int width, int height, double least, uint64_t seed)
{
    assert_true(width * height <= MOST_PIXELS);
    for (int i = 0; i < width * height; i++) pixels[i] = (float)random_between(&seed, least, 1000.0);
    return (conv_image){width, height, pixels};
}

static conv_params params_of(conv_kind filter, int width, bool whole)
{
    conv_params params = conv_default_params();
    params.filter = filter;
    params.width = width;
    params.whole = whole;
    return params;
}

/* The largest error of an implementation as a share of the terms, or fails; -1 where it refuses. */
static double check(const ab_implementation *it, const conv_image *image, const conv_params *params)
{
    ab_work *work = NULL;
    const conv_filter filter = conv_make_filter(params);
    double largest = -1.0;
    bool wrong = false;
    ab_status status = it->open(image, params, &work);
    if (status.code == AB_UNSUPPORTED) return -1.0;
    if (status.code == AB_OK) status = conv_verify((conv_state *)work, image, &filter, &largest, &wrong);
    if (status.code != AB_OK)
        fail_msg("%s, filter %d of width %d, %d x %d pixels, block %d x %d: %s", it->id, params->filter, params->width,
                 image->width, image->height, params->block_x, params->block_y, status.reason);
    work->methods->close(work);
    return largest;
}

static bool leaves_out_zeros(const ab_implementation *it)
{
    return strstr(it->name, "opencv") != NULL;
}

/* ---- Filters ---- */

static void test_the_reports_filters(void **state)
{
    (void)state;
    static const double gaussian[] = {4,  8,  10, 8,  4,  8,  16, 20, 16, 8,  10, 20, 25,
                                      20, 10, 8,  16, 20, 16, 8,  4,  8,  10, 8,  4};
    static const double laplacian[] = {0, 1, 0, 1, -4, 1, 0, 1, 0};
    const conv_params five = params_of(CONV_GAUSSIAN, 5, false), three = params_of(CONV_LAPLACIAN, 3, false);
    const conv_filter g = conv_make_filter(&five), l = conv_make_filter(&three);
    for (int i = 0; i < 25; i++) assert_true(fabs(g.weights[i] * 289.0 - gaussian[i]) < 1e-12);
    for (int i = 0; i < 9; i++) assert_true(l.weights[i] == laplacian[i]);
    assert_true(g.rank_one && !g.whole && !l.rank_one && l.whole);
}

/* Of every width: products of the factors; sums 1, 0 for the Laplacian; no two weights of skew alike when turned or
 * transposed; small enough that whole numbers stay exact. */
static void test_filters_of_every_width(void **state)
{
    (void)state;
    for (int width = 3; width <= CONV_MAX_WIDTH; width += 2)
        for (conv_kind kind = CONV_LAPLACIAN; kind <= CONV_IDENTITY; kind++) {
            const conv_params scaled = params_of(kind, width, false), whole = params_of(kind, width, true);
            const conv_filter filter = conv_make_filter(&scaled), large = conv_make_filter(&whole);
            double sum = 0.0, absolute = 0.0;
            for (int i = 0; i < width * width; i++) {
                sum += filter.weights[i];
                absolute += 255.0 * fabs(large.weights[i]);
                assert_true(large.weights[i] == round(large.weights[i]));
                if (filter.rank_one)
                    assert_true(fabs(filter.weights[i] - filter.down[i / width] * filter.across[i % width]) < 1e-15);
                if (kind == CONV_SKEW && i > 0)
                    assert_true(large.weights[i] != large.weights[width * width - 1 - i] || i == width * width / 2);
            }
            assert_true(fabs(sum - (kind != CONV_LAPLACIAN)) < 1e-12);
            assert_true(absolute < 0x1p24);
        }
}

/* ---- Implementations ---- */

/* Whole numbers: every implementation must meet each pixel exactly, whichever the size, the width and the order. */
static void test_whole_numbers_are_exact(void **state)
{
    (void)state;
    /* The last is whole warps wide, of registers: 4 pixels per lane. */
    static const int sizes[][2] = {{1, 1},    {2, 3},    {5, 40},   {33, 7},  {64, 33},
                                   {131, 45}, {150, 70}, {397, 35}, {256, 40}};
    static const int blocks[][2] = {{16, 16}, {32, 32}, {32, 16}, {20, 17}}, rows[] = {0, 1, 2, 4};
    enum { N_SIZES = sizeof sizes / sizeof *sizes };
    for (uint64_t order = 0; order < N_ORDERS; order++) {
        host_backend_set_order(order);
        for (int i = 0; i < N_SIZES; i++) {
            const conv_image image = whole_image(sizes[i][0], sizes[i][1], (uint64_t)i);
            const int width = 3 + 2 * ((i + (int)order) % 3) + (i == (int)order ? 10 : 0);
            conv_params params = params_of(CONV_SKEW, width, true);
            params.block_x = blocks[order][0];
            params.block_y = blocks[order][1];
            params.tiles = 1 + i;
            params.rows = rows[order];
            params.warps = 1 + i % 4;
            params.threads = 1 + i % 5;
            for (const ab_implementation *it = NULL; (it = next_of("convolution", ON_CPU | ON_HOST, it)) != NULL;)
                check(it, &image, &params);
        }
    }
    host_backend_set_order(0);
}

/* Real numbers within the bound, by every implementation of every filter that it does not refuse: which the report's
 * are. */
static void test_every_filter(void **state)
{
    (void)state;
    const conv_image image = real_image(50, 24, -1000.0, 3);
    for (conv_kind kind = CONV_LAPLACIAN; kind <= CONV_IDENTITY; kind++)
        for (int width = 3; width <= CONV_MAX_WIDTH; width += 2) {
            const conv_params params = params_of(kind, width, false);
            for (const ab_implementation *it = NULL; (it = next_of("convolution", ON_CPU | ON_HOST, it)) != NULL;) {
                const bool refused = check(it, &image, &params) < 0.0;
                const bool separable = strstr(it->name, "separable") != NULL;
                if (kind == CONV_LAPLACIAN && separable) assert_true(refused);
                if (width <= 5 && it->backend == AB_CPU && !(kind == CONV_LAPLACIAN && separable))
                    assert_false(refused);
                if (strcmp(it->name, "memcpy") == 0) assert_int_equal(refused, kind != CONV_IDENTITY);
            }
        }
}

/* A NaN, and infinities of both signs, in the middle and in corners: compared where they spread to, 0 * NaN included.
 */
static void test_nan_and_infinity_spread(void **state)
{
    (void)state;
    for (conv_kind kind = CONV_LAPLACIAN; kind <= CONV_SKEW; kind++) {
        conv_image image = whole_image(140, 40, 5);
        pixels[0] = NAN;
        pixels[20 * 140 + 30] = NAN;
        pixels[20 * 140 + 60] = INFINITY;
        pixels[20 * 140 + 90] = INFINITY;
        pixels[21 * 140 + 91] = -INFINITY;
        pixels[40 * 140 - 1] = -INFINITY;
        const conv_params params = params_of(kind, kind == CONV_GAUSSIAN ? 5 : 3, false);
        for (const ab_implementation *it = NULL; (it = next_of("convolution", ON_CPU | ON_HOST, it)) != NULL;)
            if (!(leaves_out_zeros(it) && kind == CONV_LAPLACIAN)) check(it, &image, &params);
    }
}

static void test_bad_parameters_are_refused(void **state)
{
    (void)state;
    const conv_image image = whole_image(9, 9, 1);
    for (const ab_implementation *it = NULL; (it = next_of("convolution", ON_CPU | ON_HOST, it)) != NULL;) {
        ab_work *work = NULL;
        conv_params params = params_of(CONV_IDENTITY, 4, false);
        assert_int_equal(it->open(&image, &params, &work).code, AB_BAD_INPUT);
        params = params_of(CONV_IDENTITY, 3, false);
        params.block_x = 64;
        assert_int_equal(it->open(&image, &params, &work).code, AB_BAD_INPUT);
        params = params_of(CONV_IDENTITY, 3, false);
        params.rows = 3;
        assert_int_equal(it->open(&image, &params, &work).code, AB_BAD_INPUT);
        const conv_image empty = {0, 5, pixels};
        params = params_of(CONV_IDENTITY, 3, false);
        assert_int_equal(it->open(&empty, &params, &work).code, AB_BAD_INPUT);
        assert_null(work);
    }
}

/* Built without them, and on the host backend, they are there and say what they need. */
static void test_peers_say_what_they_need(void **state)
{
    (void)state;
    static const char *const peers[][2] = {{"convolution/npp", "NPP"}, {"convolution/cudnn", "cuDNN"}};
    const conv_image image = whole_image(9, 9, 1);
    const conv_params params = params_of(CONV_IDENTITY, 3, false);
    for (int i = 0; i < 2; i++) {
        ab_work *work = NULL;
        const ab_status status = registered(peers[i][0], AB_HOST)->open(&image, &params, &work);
        assert_int_equal(status.code, AB_UNSUPPORTED);
        assert_non_null(strstr(status.reason, peers[i][1]));
        assert_null(work);
    }
}

/* ---- Verification ---- */

static void test_verification_rejects_planted_bugs(void **state)
{
    (void)state;
    static const char *const expected[N_CONV_BUGS] = {
        [CONV_BUG_CORRELATES] = "pixel (0, 0) is ",  [CONV_BUG_TRANSPOSED] = "pixel (0, 0) is ",
        [CONV_BUG_ZERO_BORDER] = "pixel (0, 0) is ", [CONV_BUG_LAST_COLUMN] = "pixel (69, 0) is ",
        [CONV_BUG_SKIPS_ZEROS] = "pixel (8, 8) is ", [CONV_BUG_A_LITTLE] = "pixel (5, 1) is ",
        [CONV_BUG_NO_BARRIER] = "nan, expected ",
    };
    host_backend_set_order(1); /* the pixel to the left comes after */
    for (int bug = 0; bug < N_CONV_BUGS; bug++) {
        const conv_image image = bug == CONV_BUG_A_LITTLE ? real_image(70, 40, 0.0, 9) : whole_image(70, 40, 9);
        if (bug == CONV_BUG_SKIPS_ZEROS) pixels[9 * 70 + 9] = NAN;
        const conv_params params = bug == CONV_BUG_SKIPS_ZEROS ? params_of(CONV_LAPLACIAN, 3, false)
                                                               : params_of(CONV_SKEW, 3, bug != CONV_BUG_A_LITTLE);
        const conv_filter filter = conv_make_filter(&params);
        conv_state *opened = NULL;
        double largest;
        bool wrong = false;
        assert_int_equal(planted_convolution_open(&image, &params, bug, &opened).code, AB_OK);
        const ab_status status = conv_verify(opened, &image, &filter, &largest, &wrong);
        opened->work.methods->close(&opened->work);
        if (status.code != (bug == CONV_BUG_NONE ? AB_OK : AB_FAILED) || wrong != (bug != CONV_BUG_NONE))
            fail_msg("bug %d: %s", bug, wrong ? status.reason : "not found");
        if (wrong && !strstr(status.reason, expected[bug])) fail_msg("bug %d: reported \"%s\"", bug, status.reason);
    }
    host_backend_set_order(0);
}

/* Wide enough for any order of any implementation, and no wider than is of use. */
static void test_the_bound(void **state)
{
    (void)state;
    assert_true(conv_bound(1) < 1e-6 && conv_bound(2) < 2e-6 && conv_bound(CONV_MAX_RADIUS) < 2e-5);
    for (int k = 1; k <= CONV_MAX_RADIUS; k++) assert_true(conv_bound(k) >= 0x1p-24 * (4 * k + 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_reports_filters),
        cmocka_unit_test(test_filters_of_every_width),
        cmocka_unit_test(test_whole_numbers_are_exact),
        cmocka_unit_test(test_every_filter),
        cmocka_unit_test(test_nan_and_infinity_spread),
        cmocka_unit_test(test_bad_parameters_are_refused),
        cmocka_unit_test(test_peers_say_what_they_need),
        cmocka_unit_test(test_verification_rejects_planted_bugs),
        cmocka_unit_test(test_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
