/* Edge maps: thresholding, thinning by Guo & Hall against the paper's conditions and its promises, components,
 * thickness, and the comparison with known edges against brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"
#include "tests/support/components.h"

/* ---- Maps of a test ---- */

enum { MAX_PIXELS = 4096 };

/* A linear congruential generator (Numerical Recipes' constants): its upper bits are random enough to scatter
 * pixels. */
static uint32_t next_random(uint32_t *state)
{
    return (*state = *state * 1664525u + 1013904223u) >> 16;
}

/* One pixel in 1/255ths is set. */
static void scatter(int pixels, uint32_t share, uint32_t *random, uint8_t *map)
{
    for (int i = 0; i < pixels; i++) map[i] = (next_random(random) & 255) < share;
}

/* Reads a drawing, '#' for 1; returns it in a static map. */
static const uint8_t *drawing(const char *text)
{
    static uint8_t map[2][MAX_PIXELS];
    static int turn;
    uint8_t *into = map[turn ^= 1];
    for (int i = 0; text[i]; i++) into[i] = text[i] == '#';
    return into;
}

static void assert_thins_to(int width, int height, int passes, const char *before, const char *after, int made)
{
    uint8_t map[MAX_PIXELS];
    memcpy(map, drawing(before), (size_t)(width * height));
    assert_int_equal(edge_map_thin(width, height, passes, map), made);
    assert_memory_equal(map, drawing(after), (size_t)(width * height));
}

/* 4-connected components of the 0 pixels, the outside being one of them. */
static int holes_and_outside(int width, int height, const uint8_t *map)
{
    uint8_t left[MAX_PIXELS] = {0};
    int stack[MAX_PIXELS], components = 0;
    const int w = width + 2, size = w * (height + 2);
    assert_true(size <= MAX_PIXELS);
    for (int i = 0; i < size; i++) {
        const int x = i % w - 1, y = i / w - 1;
        left[i] = x < 0 || y < 0 || x >= width || y >= height || !map[y * width + x];
    }
    for (int seed = 0; seed < size; seed++) {
        int depth = 0;
        components += left[seed];
        if (left[seed]) stack[depth++] = seed;
        left[seed] = 0;
        while (depth > 0) {
            const int at = stack[--depth];
            const int neighbours[] = {at % w ? at - 1 : -1, at % w < w - 1 ? at + 1 : -1, at - w, at + w};
            for (int k = 0; k < 4; k++) {
                const int next = neighbours[k];
                if (next < 0 || next >= size || !left[next]) continue;
                left[next] = 0;
                stack[depth++] = next;
            }
        }
    }
    return components;
}

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- Threshold ---- */

static void threshold_is_the_mean(void **state)
{
    (void)state;
    uint8_t map[6];
    edge_map_threshold_mean(3, 2, (const float[]){0, 1, 2, 3, 4, 8}, map); /* mean 3 */
    assert_memory_equal(map, ((const uint8_t[]){0, 0, 0, 0, 1, 1}), 6);
}

static void a_flat_matrix_has_no_edges(void **state)
{
    (void)state;
    static const float levels[] = {0.0f, 1e-4f, 0.1f, 1.0f / 3.0f, 3e30f};
    static float values[MAX_PIXELS];
    static uint8_t map[MAX_PIXELS], none[MAX_PIXELS];
    for (size_t k = 0; k < sizeof levels / sizeof levels[0]; k++)
        for (int n = 1; n <= MAX_PIXELS; n += 97) {
            for (int i = 0; i < n; i++) values[i] = levels[k];
            edge_map_threshold_mean(n, 1, values, map);
            assert_memory_equal(map, none, (size_t)n);
        }
}

/* ---- Thinning ---- */

/* The conditions as the paper prints them: P1 .. P8 clockwise from the top left. */
static uint8_t as_printed(int sub_iteration, int index)
{
    static const int bit_of[] = {0, 256, 32, 4, 2, 1, 8, 64, 128};
    bool p[9];
    for (int i = 1; i <= 8; i++) p[i] = index & bit_of[i];
    const int c =
        (!p[2] && (p[3] || p[4])) + (!p[4] && (p[5] || p[6])) + (!p[6] && (p[7] || p[8])) + (!p[8] && (p[1] || p[2]));
    const int n1 = (p[1] || p[2]) + (p[3] || p[4]) + (p[5] || p[6]) + (p[7] || p[8]);
    const int n2 = (p[2] || p[3]) + (p[4] || p[5]) + (p[6] || p[7]) + (p[8] || p[1]);
    const int n = n1 < n2 ? n1 : n2;
    const bool third = sub_iteration == 0 ? (p[2] || p[3] || !p[5]) && p[4] : (p[6] || p[7] || !p[1]) && p[8];
    return (index & 16) && !(c == 1 && n >= 2 && n <= 3 && !third);
}

static void tables_are_the_papers_conditions(void **state)
{
    (void)state;
    uint8_t tables[2][512];
    guo_hall_tables(tables);
    for (int s = 0; s < 2; s++)
        for (int index = 0; index < 512; index++)
            if (tables[s][index] != as_printed(s, index)) fail_msg("sub-iteration %d, index %d", s, index);
    assert_int_equal(tables[0][511], 1); /* the inside of a region stays */
    assert_int_equal(tables[0][16], 1);  /* and a single pixel */
}

static void thins_by_hand(void **state)
{
    (void)state;
    assert_thins_to(2, 2, 0,
                    "##"
                    "##",
                    ".."
                    "#.",
                    1);
    assert_thins_to(5, 3, 0,
                    "#####"
                    "#####"
                    "#####",
                    "....."
                    ".###."
                    ".....",
                    1);
    assert_thins_to(4, 1, 0, "####", "####", 0);
    assert_thins_to(1, 1, 0, "#", "#", 0);
    assert_thins_to(3, 1, 0, "...", "...", 0);
}

/* Each pass is both sub-iterations: with one of them the rim of one side would still be there. */
static void a_number_of_passes_is_kept(void **state)
{
    (void)state;
    enum { SIDE = 21 };
    uint8_t once[SIDE * SIDE], twice[SIDE * SIDE], two[SIDE * SIDE];
    memset(once, 1, sizeof once);
    assert_int_equal(edge_map_thin(SIDE, SIDE, 1, once), 1);
    memcpy(twice, once, sizeof once);
    assert_int_equal(edge_map_thin(SIDE, SIDE, 1, twice), 1);
    memset(two, 1, sizeof two);
    assert_int_equal(edge_map_thin(SIDE, SIDE, 2, two), 2);
    assert_memory_equal(two, twice, sizeof two);
    assert_memory_not_equal(two, once, sizeof two);
    for (int i = 1; i < SIDE - 1; i++) {
        assert_int_equal(once[i], 0);                              /* top */
        assert_int_equal(once[(SIDE - 1) * SIDE + i], 0);          /* bottom */
        assert_int_equal(once[i * SIDE] + once[i * SIDE + 20], 0); /* left and right */
    }
}

/* A map's thinning to convergence: a subset of it, with the same components and holes, that thinning leaves alone. */
static void check_promises(int width, int height, const uint8_t *map)
{
    uint8_t thin[MAX_PIXELS], again[MAX_PIXELS];
    const size_t size = (size_t)(width * height);
    memcpy(thin, map, size);
    assert_true(edge_map_thin(width, height, 0, thin) >= 0);
    for (size_t i = 0; i < size; i++) assert_true(thin[i] <= map[i]);
    memcpy(again, thin, size);
    assert_int_equal(edge_map_thin(width, height, 0, again), 0);
    assert_memory_equal(again, thin, size);
    assert_int_equal(edge_map_components(width, height, thin), edge_map_components(width, height, map));
    assert_int_equal(holes_and_outside(width, height, thin), holes_and_outside(width, height, map));
}

static void every_small_map_keeps_its_connections(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 1u << 16; bits++) {
        uint8_t map[16];
        for (unsigned i = 0; i < 16; i++) map[i] = bits >> i & 1;
        check_promises(4, 4, map);
    }
}

static void random_maps_keep_their_connections(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 40}, {40, 1}, {3, 5}, {17, 31}, {33, 16}, {50, 50}};
    uint32_t random = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (uint32_t share = 20; share <= 255; share += 15) {
            uint8_t map[MAX_PIXELS];
            scatter(sizes[k][0] * sizes[k][1], share, &random, map);
            check_promises(sizes[k][0], sizes[k][1], map);
        }
}

/* ---- Counting ---- */

static void components_are_8_connected(void **state)
{
    (void)state;
    assert_int_equal(edge_map_components(5, 4,
                                         drawing("#...#"
                                                 ".#..#"
                                                 "..#.."
                                                 "#...#")),
                     4);
    assert_int_equal(edge_map_components(3, 1, drawing("...")), 0);
    assert_int_equal(edge_map_components(1, 4, drawing("#.##")), 2);
    /* The end of one row does not touch the beginning of the next. */
    assert_int_equal(edge_map_components(4, 2,
                                         drawing("...#"
                                                 "#...")),
                     2);
}

static void thickness_is_pixels_over_skeleton(void **state)
{
    (void)state;
    double thickness;
    assert_int_equal(edge_map_thickness(4, 1, drawing("####"), &thickness).code, AB_OK);
    assert_close(thickness, 1.0, 0.0);
    assert_int_equal(edge_map_thickness(5, 3, drawing("###############"), &thickness).code, AB_OK);
    assert_close(thickness, 5.0, 0.0);
    assert_int_equal(edge_map_thickness(3, 1, drawing("..."), &thickness).code, AB_OK);
    assert_true(isnan(thickness));
}

/* ---- Quality ---- */

static void assert_quality(int width, int height, const char *found, const char *truth, double radius,
                           edge_quality expected)
{
    edge_quality quality;
    assert_int_equal(edge_map_compare(width, height, drawing(found), drawing(truth), radius, &quality).code, AB_OK);
    assert_close(quality.precision, expected.precision, 1e-12);
    assert_close(quality.recall, expected.recall, 1e-12);
    assert_close(quality.f, expected.f, 1e-12);
    assert_close(quality.pratt, expected.pratt, 1e-12);
    assert_int_equal(quality.found, expected.found);
    assert_int_equal(quality.truth, expected.truth);
}

static void quality_by_hand(void **state)
{
    (void)state;
    const edge_quality perfect = {.precision = 1, .recall = 1, .f = 1, .pratt = 1, .found = 2, .truth = 2};
    assert_quality(3, 1, "##.", "##.", 0, perfect);
    /* Found at distance 1 and 3 of the one true pixel. */
    assert_quality(5, 1, ".#..#", "#....", 1,
                   (edge_quality){.precision = 0.5,
                                  .recall = 1,
                                  .f = 2.0 / 3,
                                  .found = 2,
                                  .truth = 1,
                                  .pratt = (1 / (1 + 1 / 9.0) + 1 / (1 + 16 / 9.0)) / 2});
    /* A diagonal neighbour is farther than 1 and nearer than 1.5. */
    assert_quality(2, 2, "#...", "...#", 1, (edge_quality){.pratt = 1 / (1 + 2 / 9.0), .found = 1, .truth = 1});
    assert_quality(
        2, 2, "#...", "...#", 1.5,
        (edge_quality){.precision = 1, .recall = 1, .f = 1, .pratt = 1 / (1 + 2 / 9.0), .found = 1, .truth = 1});
}

static void quality_of_empty_maps(void **state)
{
    (void)state;
    assert_quality(2, 1, "..", "..", 1, (edge_quality){.precision = 1, .recall = 1, .f = 1, .pratt = 1});
    assert_quality(2, 1, "#.", "..", 1e9, (edge_quality){.recall = 1, .found = 1});
    assert_quality(2, 1, "..", "#.", 1e9, (edge_quality){.precision = 1, .truth = 1});
}

/* The least squared distance from (x, y) to a pixel of the map; -1 where it has none. */
static int nearest(int width, int height, const uint8_t *map, int x, int y)
{
    int least = -1;
    for (int v = 0; v < height; v++)
        for (int u = 0; u < width; u++) {
            const int d = (u - x) * (u - x) + (v - y) * (v - y);
            if (map[v * width + u] && (least < 0 || d < least)) least = d;
        }
    return least;
}

static double share_near(int width, int height, const uint8_t *of, const uint8_t *to, double radius, double *pratt)
{
    int pixels = 0, near = 0;
    *pratt = 0.0;
    for (int i = 0; i < width * height; i++) {
        if (!of[i]) continue;
        const int d = nearest(width, height, to, i % width, i / width);
        pixels++;
        near += d >= 0 && sqrt(d) <= radius;
        if (d >= 0) *pratt += 1.0 / (1.0 + d / 9.0);
    }
    return pixels ? (double)near / pixels : 1.0;
}

static void quality_equals_brute_force(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 17}, {23, 1}, {7, 9}, {32, 20}};
    static const double radii[] = {0, 1, 1.5, 2, 3.7, 12};
    static const uint32_t shares[] = {2, 8, 60, 200};
    uint32_t random = 7;
    for (int trial = 0; trial < 600; trial++) {
        const int width = sizes[trial % 5][0], height = sizes[trial % 5][1];
        const double radius = radii[trial % 6];
        uint8_t found[MAX_PIXELS], truth[MAX_PIXELS];
        scatter(width * height, shares[trial / 6 % 4], &random, found);
        scatter(width * height, shares[trial / 24 % 4], &random, truth);
        edge_quality quality;
        assert_int_equal(edge_map_compare(width, height, found, truth, radius, &quality).code, AB_OK);
        double pratt, unused;
        assert_close(quality.precision, share_near(width, height, found, truth, radius, &pratt), 1e-12);
        assert_close(quality.recall, share_near(width, height, truth, found, radius, &unused), 1e-12);
        const int larger = quality.found > quality.truth ? quality.found : quality.truth;
        assert_close(quality.pratt, larger ? pratt / larger : 1.0, 1e-9);
    }
}

/* The fast F is the other's, at every size and with empty maps. */
static void near_f_equals_the_comparison(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 17}, {23, 1}, {2, 2}, {7, 9}, {32, 20}};
    static const uint32_t shares[] = {0, 2, 8, 60};
    uint32_t random = 11;
    for (int trial = 0; trial < 600; trial++) {
        const int width = sizes[trial % 6][0], height = sizes[trial % 6][1];
        uint8_t found[MAX_PIXELS], truth[MAX_PIXELS], scratch[2 * MAX_PIXELS];
        scatter(width * height, shares[trial / 6 % 4], &random, found);
        scatter(width * height, shares[trial / 24 % 4], &random, truth);
        edge_quality quality;
        assert_int_equal(edge_map_compare(width, height, found, truth, EDGE_MAP_NEAR, &quality).code, AB_OK);
        assert_true(edge_map_near_f(width, height, found, truth, scratch) == quality.f);
    }
}

static void best_f_finds_the_threshold(void **state)
{
    (void)state;
    enum { SIDE = 30, SIZE = SIDE * SIDE };
    float values[SIZE];
    uint8_t truth[SIZE] = {0};
    uint32_t random = 3;
    for (int i = 0; i < SIZE; i++) values[i] = (float)(next_random(&random) % 1000) / 1000.0f;
    for (int i = 0; i < SIDE; i++) {
        truth[i * SIDE + 15] = 1;
        values[i * SIDE + 15] += 2.0f;
    }
    edge_quality best;
    double threshold;
    assert_int_equal(edge_map_best_f(SIDE, SIDE, values, truth, 0, 60, false, &best, &threshold).code, AB_OK);
    assert_true(best.f == 1.0 && best.found == SIDE);
    assert_true(threshold >= 0.9 && threshold < 2.0);
    /* A map that is one already: its own 1 pixels, whatever their share. */
    for (int i = 0; i < SIZE; i++) values[i] = truth[i];
    assert_int_equal(edge_map_best_f(SIDE, SIDE, values, truth, 0, 3, true, &best, &threshold).code, AB_OK);
    assert_true(best.f == 1.0 && threshold == 0.0);
}

static void best_f_thins_when_asked(void **state)
{
    (void)state;
    enum { W = 9, H = 5 };
    float values[W * H];
    for (int i = 0; i < W * H; i++) values[i] = i / W >= 1 && i / W <= 3 ? 1.0f : 0.0f;
    const uint8_t *line = drawing("........."
                                  "........."
                                  ".#######."
                                  "........."
                                  ".........");
    edge_quality best;
    double threshold;
    assert_int_equal(edge_map_best_f(W, H, values, line, 0, 4, true, &best, &threshold).code, AB_OK);
    assert_true(best.f == 1.0 && best.found == 7);
    assert_int_equal(edge_map_best_f(W, H, values, line, 0, 4, false, &best, &threshold).code, AB_OK);
    assert_true(best.f < 1.0 && best.found == 27);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threshold_is_the_mean),
        cmocka_unit_test(a_flat_matrix_has_no_edges),
        cmocka_unit_test(tables_are_the_papers_conditions),
        cmocka_unit_test(thins_by_hand),
        cmocka_unit_test(a_number_of_passes_is_kept),
        cmocka_unit_test(every_small_map_keeps_its_connections),
        cmocka_unit_test(random_maps_keep_their_connections),
        cmocka_unit_test(components_are_8_connected),
        cmocka_unit_test(thickness_is_pixels_over_skeleton),
        cmocka_unit_test(quality_by_hand),
        cmocka_unit_test(quality_of_empty_maps),
        cmocka_unit_test(quality_equals_brute_force),
        cmocka_unit_test(near_f_equals_the_comparison),
        cmocka_unit_test(best_f_finds_the_threshold),
        cmocka_unit_test(best_f_thins_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
