/* Every detector and convolution of the registry on images of every width and height up to two tiles and a step, beside
 * the reference, exactly. The pictures are drawn: edges that are strong on one side of a tile's border alone and fade
 * to weak ones that go on to the image's end, along rows, columns and both diagonals, so that one join that is lost
 * loses the rest of an edge; and noise. A new rung is tested without a line here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/canny/canny.h"
#include "kernels/convolution/convolution.h"
#include "kernels/edge_ants/verify.h"
#include "kernels/host/host_backend.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"

enum { WIDE = 520, TALL = 130, SMALL = 66, MOST_PIXELS = WIDE * TALL, N_ORDERS = 3, BORDER = 16 };

static uint8_t grey[MOST_PIXELS], rgba[4 * MOST_PIXELS], expected[MOST_PIXELS], found[MOST_PIXELS];
static float pixels[MOST_PIXELS];

/* ---- Pictures ---- */

typedef enum picture { ALONG_ROWS, ALONG_COLUMNS, FALLING, RISING, NOISE, PICTURES } picture;

/* Steps of brightness, APART pixels from one another, bright before `fade` along the edge and faint behind it. */
static int brightness(picture kind, int x, int y, int fade, int shift)
{
    enum { APART = 7, FAINT = 25, BRIGHT = 70 };
    const int across = shift + (kind == ALONG_ROWS      ? y
                                : kind == ALONG_COLUMNS ? x
                                : kind == FALLING       ? x - y + TALL
                                                        : x + y);
    const int along = kind == ALONG_ROWS ? x : kind == ALONG_COLUMNS ? y : x;
    return across / APART % 2 == 0 ? 40 : 40 + (along < fade ? BRIGHT : FAINT);
}

/* The picture, its fade and its shift follow from the size and the number. */
static void draw(int width, int height, int number)
{
    const picture kind = (picture)(number % PICTURES);
    const int side = kind == ALONG_COLUMNS ? height : width, borders = side / BORDER + 1;
    const int fade = BORDER * (1 + (number / PICTURES + side) % borders) + (number + width) % 3 - 1;
    uint64_t random = (uint64_t)(width * 1000 + height * 7 + number);
    for (int i = 0; i < width * height; i++) {
        grey[i] = kind == NOISE ? (uint8_t)(60 * (int)(test_random(&random) * 4.0))
                                : (uint8_t)brightness(kind, i % width, i / width, fade, number / PICTURES);
        const uint8_t colour[4] = {grey[i], (uint8_t)(250 - grey[i]), (uint8_t)(grey[i] / 2), 7};
        memcpy(rgba + 4 * i, colour, sizeof colour);
    }
}

/* ---- Sizes ---- */

typedef void checker(int width, int height, int number);

/* Widths and heights from 1 on by all, those beyond `close` around multiples of BORDER alone; the other side is
 * one of a few, in turn. Where a side ends at such a border or one pixel behind it, up to `close`, so many pictures. */
static void every_size(checker *check, int widest, int tallest, int close, int pictures)
{
    static const int others[] = {1, 2, 18, 35, 3, 67};
    enum { N = sizeof others / sizeof *others, USUAL = 35 };
    int number = 0;
    for (int side = 1; side <= widest || side <= tallest; side++) {
        const bool at_border = side % BORDER <= 1;
        if (side > close && (side + 1) % BORDER > 2) continue;
        host_backend_set_order((unsigned)side % N_ORDERS);
        for (int i = 0; i < (at_border && side <= close ? pictures : 1); i++, number++) {
            if (side <= widest) check(side, at_border ? USUAL : others[side % N], number);
            if (side <= tallest) check(at_border ? USUAL : others[(side + 3) % N], side, number + PICTURES);
        }
    }
    host_backend_set_order(0);
}

/* ---- Detectors ---- */

static void detect(const ab_implementation *it, const ed_image *image, const ed_params *params, uint8_t *map)
{
    ed_detector *detector = NULL;
    ab_status status = open_detector(it->open, image, params, &detector);
    if (status.code == AB_OK) status = detector->methods->poison(detector);
    if (status.code == AB_OK) status = ab_iterate(&detector->work);
    if (status.code == AB_OK) status = detector->methods->read(detector, map);
    if (status.code != AB_OK) fail_msg("%s, %d x %d: %s", it->id, image->width, image->height, status.reason);
    detector->work.methods->close(&detector->work);
}

/* What the reference finds: of canny not OpenCV, which may not be there. */
static void expect(const char *operation, const ed_image *image, const ed_params *params)
{
    ed_params to_the_end = *params;
    to_the_end.hysteresis_passes = 10000;
    if (strcmp(operation, "canny") == 0)
        assert_int_equal(canny_reference_growth(image, &to_the_end, expected).code, AB_OK);
    else
        detect(reference_of(operation), image, params, expected);
}

static void check_detectors(const char *operation, int width, int height, int number)
{
    static const double sigmas[] = {1.0, 0.0, 0.0, 1.3};
    const ed_image image = {.width = width, .height = height, .rgba = rgba, .grey = grey};
    ed_params params = ed_default_params();
    draw(width, height, number);
    params.sigma = sigmas[number % 4];
    params.threads = 1 + number % 2;
    expect(operation, &image, &params);
    for (const ab_implementation *it = NULL; (it = next_of(operation, ON_CPU | ON_HOST, it)) != NULL;) {
        if (it->traits & (AB_OTHER_RULES | AB_REFERENCE)) continue;
        detect(it, &image, &params, found);
        for (int i = 0; i < width * height; i++)
            if (found[i] != expected[i])
                fail_msg("%s, %d x %d, picture %d: pixel (%d, %d) is %d and must be %d", it->id, width, height, number,
                         i % width, i / width, found[i], expected[i]);
    }
}

static void check_canny(int width, int height, int number)
{
    check_detectors("canny", width, height, number);
}

static void check_colour_edge(int width, int height, int number)
{
    check_detectors("colour-edge", width, height, number);
}

static void check_log_edges(int width, int height, int number)
{
    check_detectors("log-edges", width, height, number);
}

static void canny_of_every_size(void **state)
{
    (void)state;
    every_size(check_canny, WIDE, TALL, TALL, PICTURES);
    /* Edges of every kind that fade at each border in turn, and go on through several tiles. */
    for (int number = 0; number < 13 * PICTURES; number++) check_canny(67, 193, number);
    /* Diagonals at each distance from the corners of tiles, which fade there: some go on through a corner alone. */
    for (int i = 0; i < 21; i++)
        for (picture kind = FALLING; kind <= RISING; kind++) check_canny(67, TALL, (int)kind + PICTURES * (4 + 5 * i));
}

static void colour_edge_of_every_size(void **state)
{
    (void)state;
    every_size(check_colour_edge, 2 * SMALL, TALL, SMALL, 2);
    /* So wide that blocks are all inside of the image; the usual sigma, of which a kernel is compiled. */
    for (int height = 94; height <= 148; height++) check_colour_edge(250, height, 4 * height);
    for (int width = 204; width <= 236; width++) check_colour_edge(width, 100, 4 * width);
}

static void log_edges_of_every_size(void **state)
{
    (void)state;
    every_size(check_log_edges, WIDE / 2, SMALL, SMALL, 1);
}

/* ---- Convolution ---- */

static void check_convolution(int width, int height, int number)
{
    static const int blocks[][2] = {{16, 16}, {32, 8}, {32, 16}};
    const conv_image image = {width, height, pixels};
    conv_params params = conv_default_params();
    draw(width, height, number);
    for (int i = 0; i < width * height; i++) pixels[i] = grey[i];
    params.filter = CONV_SKEW;
    params.whole = true;
    params.width = 3 + 2 * (number % 3);
    params.block_x = blocks[number % 3][0];
    params.block_y = blocks[number % 3][1];
    params.tiles = 1 + number % 3;
    params.warps = 1 + number % 2;
    const conv_filter filter = conv_make_filter(&params);
    for (const ab_implementation *it = NULL; (it = next_of("convolution", ON_CPU | ON_HOST, it)) != NULL;) {
        ab_work *work = NULL;
        double largest;
        bool wrong = false;
        ab_status status = it->open(&image, &params, &work);
        if (status.code == AB_UNSUPPORTED) continue;
        if (status.code == AB_OK) status = conv_verify((conv_state *)work, &image, &filter, &largest, &wrong);
        if (status.code != AB_OK)
            fail_msg("%s, %d x %d, filter of width %d: %s", it->id, width, height, params.width, status.reason);
        work->methods->close(work);
    }
}

static void convolution_of_every_size(void **state)
{
    (void)state;
    every_size(check_convolution, WIDE / 2, SMALL, SMALL, 1);
    /* So wide that there are warps that do not reach beyond the image. */
    for (int height = 1; height <= SMALL / 2; height++) check_convolution(262, height, height);
}

/* ---- Ants ---- */

static void check_ants(int width, int height, int number)
{
    const ea_problem problem = {width, height, grey, pixels};
    ea_params params = ea_default_params(width, height);
    draw(width, height, number);
    ea_visibility(width, height, grey, pixels);
    params.n_ants = 5;
    params.iterations = 1;
    params.block_threads = 32 << number % 2;
    for (const ab_implementation *it = NULL; (it = next_of("edge-ants", ON_CPU | ON_HOST, it)) != NULL;) {
        ea_colony *colony = NULL;
        int64_t moves = 0;
        bool wrong = false;
        ab_status status = open_ants(it->open, &problem, &params, &colony);
        if (status.code == AB_OK) status = edge_ants_verify(colony, &problem, &params, 2, 1, &moves, &wrong);
        if (status.code != AB_OK) fail_msg("%s, %d x %d: %s", it->id, width, height, status.reason);
        colony->work.methods->close(&colony->work);
    }
}

static void ants_of_every_size(void **state)
{
    (void)state;
    every_size(check_ants, SMALL, SMALL, 20, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canny_of_every_size),     cmocka_unit_test(colour_edge_of_every_size),
        cmocka_unit_test(log_edges_of_every_size), cmocka_unit_test(convolution_of_every_size),
        cmocka_unit_test(ants_of_every_size),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
