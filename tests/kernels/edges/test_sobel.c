/* sobel/seq against the definition of Sobel's gradient, at every size down to one pixel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"
#include "images/image.h"
#include "tests/support/registered.h"

enum { MAX_PIXELS = 4096 };

static void detect(int width, int height, const uint8_t *grey, double threshold, uint8_t *edges)
{
    const ed_image image = {.width = width, .height = height, .grey = grey};
    ed_params params = ed_default_params();
    params.threshold = threshold;
    ed_detector *detector = NULL;
    assert_int_equal(open_detector(registered("sobel/seq", AB_CPU)->open, &image, &params, &detector).code, AB_OK);
    assert_int_equal(detector->methods->poison(detector).code, AB_OK);
    for (int stage = 0; stage < ED_STAGES; stage++)
        assert_int_equal(detector->work.methods->run_stage(&detector->work, stage).code, AB_OK);
    assert_int_equal(detector->methods->read(detector, edges).code, AB_OK);
    detector->work.methods->close(&detector->work);
}

/* The pixel at (x, y), or the nearest to it inside. */
static int at(int width, int height, const uint8_t *grey, int x, int y)
{
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return grey[y * width + x];
}

static double magnitude(int width, int height, const uint8_t *grey, int x, int y)
{
    static const int mask[3] = {1, 2, 1};
    int gx = 0, gy = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            gx += j * mask[i + 1] * at(width, height, grey, x + j, y + i);
            gy += i * mask[j + 1] * at(width, height, grey, x + j, y + i);
        }
    return sqrt(gx * gx + gy * gy);
}

/* Threshold 0 is automatic; the others lie between squares that whole numbers can have. */
static void edges_are_where_the_gradient_is(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 9}, {9, 1}, {3, 3}, {5, 3}, {33, 17}, {64, 64}};
    static const double thresholds[] = {0.0, 0.5, 100.5, 399.7, 1e6};
    uint32_t random = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (size_t t = 0; t < sizeof thresholds / sizeof thresholds[0]; t++) {
            const int width = sizes[k][0], height = sizes[k][1], n = width * height;
            uint8_t grey[MAX_PIXELS], edges[MAX_PIXELS];
            for (int i = 0; i < n; i++) grey[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
            grey[0] = 255;
            grey[n - 1] = 0;
            double squares = 0.0;
            for (int i = 0; i < n; i++) squares += pow(magnitude(width, height, grey, i % width, i / width), 2);
            const double threshold = thresholds[t] > 0.0 ? thresholds[t] : 2.0 * sqrt(squares / n);
            detect(width, height, grey, thresholds[t], edges);
            for (int i = 0; i < n; i++) {
                const double m = magnitude(width, height, grey, i % width, i / width);
                if (fabs(m - threshold) > 1e-9) assert_int_equal(edges[i], m > threshold);
            }
        }
}

static void a_flat_image_has_no_edges(void **state)
{
    (void)state;
    uint8_t grey[64], edges[64], none[64] = {0};
    memset(grey, 77, sizeof grey);
    detect(8, 8, grey, 0.0, edges);
    assert_memory_equal(edges, none, sizeof none);
}

/* What the tables lean on: on clean shapes the automatic threshold finds edges, and what it finds are edges. */
static void finds_drawn_shapes(void **state)
{
    (void)state;
    ab_image image;
    assert_int_equal(image_draw(IMAGE_SHAPES, 256, 256, 1, &image).code, AB_OK);
    uint8_t *grey = malloc(256 * 256), *edges = malloc(256 * 256);
    assert_true(grey && edges);
    image_grey(&image, grey);
    detect(256, 256, grey, 0.0, edges);
    edge_quality quality;
    assert_int_equal(edge_map_compare(256, 256, edges, image.edges, 1.5, &quality).code, AB_OK);
    assert_true(quality.precision > 0.99 && quality.recall > 0.5);
    image_free(&image);
    /* Where hue alone differs grey is flat: nothing can be found. */
    assert_int_equal(image_draw(IMAGE_HUE, 256, 256, 1, &image).code, AB_OK);
    image_grey(&image, grey);
    detect(256, 256, grey, 0.0, edges);
    assert_null(memchr(edges, 1, 256 * 256));
    image_free(&image);
    free(grey);
    free(edges);
}

static void refuses_bad_parameters(void **state)
{
    (void)state;
    const uint8_t grey[1] = {0};
    const ed_image image = {.width = 1, .height = 1, .grey = grey}, empty = {.width = 0, .height = 1, .grey = grey};
    ed_params params = ed_default_params();
    ed_detector *detector = NULL;
    assert_int_equal(open_detector(registered("sobel/seq", AB_CPU)->open, &empty, &params, &detector).code,
                     AB_BAD_INPUT);
    params.threshold = NAN;
    assert_int_equal(open_detector(registered("sobel/seq", AB_CPU)->open, &image, &params, &detector).code,
                     AB_BAD_INPUT);
    assert_null(detector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_where_the_gradient_is),
        cmocka_unit_test(a_flat_image_has_no_edges),
        cmocka_unit_test(finds_drawn_shapes),
        cmocka_unit_test(refuses_bad_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
