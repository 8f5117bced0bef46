/* log-edges: every implementation, on the CPU and on the host backend under sanitizers, against the definition at sizes
 * down to one pixel, with thresholds that whole Laplacians meet exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "images/edge_map.h"
#include "images/image.h"
#include "kernels/host/host_backend.h"
#include "tests/support/registered.h"

enum { MAX_PIXELS = 150 * 70 };

static void detect(const ab_implementation *it, const ed_image *image, double threshold, uint8_t *edges)
{
    ed_params params = ed_default_params();
    params.threshold = threshold;
    ed_detector *detector = NULL;
    assert_int_equal(open_detector(it->open, image, &params, &detector).code, AB_OK);
    assert_int_equal(detector->methods->poison(detector).code, AB_OK);
    assert_int_equal(ab_iterate(&detector->work).code, AB_OK);
    assert_int_equal(detector->methods->read(detector, edges).code, AB_OK);
    detector->work.methods->close(&detector->work);
}

static int inside(int value, int size)
{
    return value < 0 ? 0 : value >= size ? size - 1 : value;
}

/* 289 times the smoothed image at (x, y), or at the nearest pixel. */
static int smoothed(const ed_image *image, int x, int y)
{
    static const int weights[5][5] = {
        {4, 8, 10, 8, 4}, {8, 16, 20, 16, 8}, {10, 20, 25, 20, 10}, {8, 16, 20, 16, 8}, {4, 8, 10, 8, 4}};
    int sum = 0;
    x = inside(x, image->width);
    y = inside(y, image->height);
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += weights[j + 2][i + 2] *
                   image->grey[inside(y + j, image->height) * image->width + inside(x + i, image->width)];
    return sum;
}

static int laplacian(const ed_image *image, int x, int y)
{
    return smoothed(image, x - 1, y) + smoothed(image, x + 1, y) + smoothed(image, x, y - 1) +
           smoothed(image, x, y + 1) - 4 * smoothed(image, x, y);
}

static void edges_are_where_the_laplacian_is_above(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 9}, {3, 3}, {33, 17}, {150, 70}};
    static const double thresholds[] = {5.0, 5.0 - 1.0 / 289.0, 0.0, 20.5, 1e6};
    static uint8_t grey[MAX_PIXELS], edges[MAX_PIXELS];
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++) {
            const ed_image image = {.width = sizes[k][0], .height = sizes[k][1], .grey = grey};
            const int n = image.width * image.height;
            uint64_t random = k;
            for (int i = 0; i < n; i++) grey[i] = (uint8_t)(100 + random_below(&random, t == 3 ? 156 : 20));
            host_backend_set_order(t);
            for (const ab_implementation *it = NULL; (it = next_of("log-edges", ON_CPU | ON_HOST, it)) != NULL;) {
                detect(it, &image, thresholds[t], edges);
                for (int i = 0; i < n; i++) {
                    const bool edge = laplacian(&image, i % image.width, i / image.width) > 289.0 * thresholds[t];
                    if (edges[i] != edge) fail_msg("%s: pixel %d of %d x %d", it->id, i, image.width, image.height);
                }
            }
        }
    host_backend_set_order(0);
}

/* What the figures show: on clean shapes most of what is found are edges, and most of them. */
static void finds_drawn_shapes(void **state)
{
    (void)state;
    ab_image image;
    edge_quality quality;
    assert_int_equal(image_draw(IMAGE_SHAPES, 128, 128, 1, &image).code, AB_OK);
    uint8_t *grey = malloc(128 * 128), *edges = malloc(128 * 128);
    assert_true(grey && edges);
    image_grey(&image, grey);
    const ed_image seen = {.width = 128, .height = 128, .grey = grey};
    detect(registered("log-edges/seq", AB_CPU), &seen, 5.0, edges);
    assert_int_equal(edge_map_compare(128, 128, edges, image.edges, 1.5, &quality).code, AB_OK);
    assert_true(quality.precision > 0.6 && quality.recall > 0.6);
    image_free(&image);
    free(grey);
    free(edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_where_the_laplacian_is_above),
        cmocka_unit_test(finds_drawn_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
