/* Verification of edge detectors (kernels/edges/measures.h) accepts what is right and finds every planted bug, in
 * images in which the bug does not show as well: the ones that it draws show it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/canny/canny.h"
#include "kernels/edges/measures.h"
#include "tests/planted/canny_growth.h"
#include "tests/planted/colour_edge.h"
#include "tests/support/registered.h"

static int bug_at_hand;

static ab_status open_canny(const void *image, const void *params, ab_work **work)
{
    return planted_canny_open(image, params, bug_at_hand, (ed_detector **)work);
}

static ab_status open_colour_edge(const void *image, const void *params, ab_work **work)
{
    return planted_colour_edge_open(image, params, bug_at_hand, (ed_detector **)work);
}

enum { PIXELS = 56 * 56 }; /* few enough for edges to be found several times */

static char first_note[256];

static void keep_note(struct ab_sink *sink, const char *text)
{
    (void)sink;
    if (!first_note[0]) snprintf(first_note, sizeof first_note, "%s", text);
}

/* Verifies on drawn shapes, which `flat` leaves without an edge. */
static ab_status verify_on_shapes(const ab_implementation *implementation, const ed_params *params, bool flat,
                                  ab_verdict *verdict)
{
    ab_input input = {.asked = "shapes-56"};
    const ab_operation *operation = ab_find_operation(implementation->operation);
    ab_sink sink = {.note = keep_note};
    const ab_circumstances c = {.implementation = implementation, .input = &input, .measure = &operation->measures[0]};
    ab_task task = {.c = &c, .params = params, .row = "planted", .sink = &sink};
    *verdict = (ab_verdict){.wrong = false};
    first_note[0] = '\0';
    assert_int_equal(operation->inputs->load(&input, &task.loaded).code, AB_OK);
    if (flat) {
        memset(((edges_image *)task.loaded)->grey, 100, PIXELS);
        memset(((edges_image *)task.loaded)->rgba, 100, 4 * PIXELS);
    }
    assert_int_equal(operation->problem(&task, &task.problem).code, AB_OK);
    const ab_status status = operation->measures[0].verify(&task, verdict);
    operation->inputs->unload(task.loaded);
    return status;
}

/* The status of verifying on an image without an edge; *wrong is set. */
static ab_status verify(const ab_implementation *implementation, const ed_params *params, bool *wrong)
{
    ab_verdict verdict;
    const ab_status status = verify_on_shapes(implementation, params, true, &verdict);
    *wrong = verdict.wrong;
    return status;
}

static void expect_bugs(ab_open *open, const char *operation, unsigned traits, const ed_params *params, int n_bugs)
{
    /* An implementation that has passed on the drawn images is not looked at on them again. */
    static ab_implementation all[32], *next = all;
    for (bug_at_hand = 0; bug_at_hand < n_bugs; ++bug_at_hand) {
        bool wrong = false;
        assert_true(next < all + sizeof all / sizeof *all);
        *next = (ab_implementation){.id = "planted",
                                    .operation = operation,
                                    .name = "planted",
                                    .backend = AB_HOST,
                                    .traits = traits,
                                    .open = open};
        const ab_status status = verify(next++, params, &wrong);
        if (bug_at_hand == 0 && status.code != AB_OK) fail_msg("%s without a bug: %s", operation, status.reason);
        if (bug_at_hand > 0 && !(wrong && status.code == AB_FAILED))
            fail_msg("%s, bug %d: not found", operation, bug_at_hand);
        if (bug_at_hand > 0) print_message("# %s, bug %d: %s\n", operation, bug_at_hand, status.reason);
    }
}

/* Where there is no OpenCV the passes are compared all the same. */
static void test_passes_of_canny(void **state)
{
    (void)state;
    ed_params params = ed_default_params();
    params.hysteresis_passes = 2;
    expect_bugs(open_canny, "canny", AB_PARTIAL, &params, CANNY_BUGS);
    params.sigma = 0.0;
    params.hysteresis_passes = 1;
    expect_bugs(open_canny, "canny", AB_PARTIAL, &params, CANNY_BUG_ONE_LESS);
}

/* A serpentine of weak pixels with one strong end, which goes through a block of 16 x 16 pixels twice for each turn: a
 * pass grows it by one block. Growth of so many passes is what is verified; what is missing from all passes is told. */
static void test_missing_passes_are_a_quality(void **state)
{
    (void)state;
    enum { SIDE = 96, WEAK = 70, STRONG = 255, TURN = 32 };
    static uint8_t grey[SIDE * SIDE];
    for (int y = 4; y < SIDE - 4; ++y)
        for (int x = 4; x < SIDE - 4; ++x) {
            const bool across = y % TURN == 8, down = x == (y / TURN % 2 ? 8 : SIDE - 12) && y >= 8;
            if (across || down) grey[y * SIDE + x] = WEAK;
        }
    for (int x = 4; x < 8; ++x) grey[8 * SIDE + x] = STRONG;
    const ed_image image = {.width = SIDE, .height = SIDE, .grey = grey};
    double share_before = 1.0;
    for (int passes = 1; passes <= 64; passes *= 4) {
        ed_params params = ed_default_params();
        params.sigma = 0.0;
        params.low = 100;
        params.high = 600;
        params.hysteresis_passes = passes;
        ab_input input = {.asked = "serpentine"};
        const ab_implementation *gpu = registered("canny/gpu", AB_HOST);
        const ab_operation *operation = ab_find_operation("canny");
        edges_image loaded = {.image = {.width = SIDE, .height = SIDE}, .grey = grey};
        ab_sink sink = {.note = keep_note};
        const ab_circumstances c = {.implementation = gpu, .input = &input, .measure = &operation->measures[0]};
        const ab_task task = {
            .c = &c, .loaded = &loaded, .problem = &image, .params = &params, .row = "h", .sink = &sink};
        ab_verdict verdict = {.wrong = false};
        const ab_status status = operation->measures[0].verify(&task, &verdict);
        if (status.code != AB_OK) fail_msg("%d passes: %s", passes, status.reason);
        assert_true(verdict.value == 0);
        assert_string_equal(verdict.quality, "mismatch-share");
        print_message("# %d passes: %g of the pixels differ\n", passes, verdict.quality_value);
        if (passes <= 4) assert_true(verdict.quality_value > 0 && verdict.quality_value < share_before);
        if (passes == 64) assert_true(verdict.quality_value == 0);
        share_before = verdict.quality_value;
    }
}

static void test_colour_edge(void **state)
{
    (void)state;
    ed_params params = ed_default_params();
    expect_bugs(open_colour_edge, "colour-edge", 0, &params, CE_BUGS);
}

static void skip_without_opencv(void)
{
    const ed_params params = ed_default_params();
    ed_detector *detector = NULL;
    const uint8_t grey[16] = {0};
    const ed_image image = {.width = 4, .height = 4, .grey = grey};
    const ab_status status = open_detector(registered("canny/opencv", AB_CPU)->open, &image, &params, &detector);
    if (status.code == AB_UNSUPPORTED) skip();
    detector->work.methods->close(&detector->work);
}

/* Canny on one pass, with a planted bug, beside OpenCV's. */
static ab_status verify_bug(int bug, unsigned traits, bool flat, ab_verdict *verdict)
{
    const ab_implementation planted = {.id = "planted",
                                       .operation = "canny",
                                       .name = "planted",
                                       .backend = AB_HOST,
                                       .traits = traits,
                                       .open = open_canny};
    ed_params params = ed_default_params();
    params.hysteresis_passes = 1;
    bug_at_hand = bug;
    return verify_on_shapes(&planted, &params, flat, verdict);
}

/* A map as NPP's: for a library a quality of its row, for a kernel of ours a fault. */
static void test_other_rules_are_a_quality(void **state)
{
    (void)state;
    skip_without_opencv();
    ab_verdict verdict;
    double missing, edges, others;
    assert_int_equal(verify_bug(CANNY_BUG_OTHER_RULES, 0, false, &verdict).code, AB_FAILED);
    assert_true(verdict.wrong);
    assert_null(verdict.quality);
    const double differing = verdict.value;
    const ab_status status = verify_bug(CANNY_BUG_OTHER_RULES, AB_OTHER_RULES, false, &verdict);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    print_message("# %s\n", first_note);
    assert_false(verdict.wrong);
    assert_string_equal(verdict.metric, "mismatched-pixels");
    assert_string_equal(verdict.quality, "mismatch-share");
    assert_true(verdict.value == differing && differing > 0.02 * PIXELS);
    assert_true(verdict.quality_value == differing / PIXELS);
    assert_int_equal(sscanf(first_note, "by rules of its own: misses %lf of %lf edges and has %lf others", &missing,
                            &edges, &others),
                     3);
    assert_true(missing > 0 && others > 0 && missing < edges && missing + others == differing);
}

/* On an image without an edge too, of which no map says anything. */
static void test_other_rules_without_edges(void **state)
{
    (void)state;
    skip_without_opencv();
    ab_verdict verdict;
    const int maps[] = {CANNY_BUG_NONE, CANNY_BUG_NO_EDGES, CANNY_BUG_OTHER_RULES};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i) {
        assert_int_equal(verify_bug(maps[i], AB_OTHER_RULES, true, &verdict).code, AB_OK);
        assert_string_equal(verdict.quality, "mismatch-share");
    }
    assert_int_equal(verify_bug(CANNY_BUG_NONE, AB_OTHER_RULES, true, &verdict).code, AB_OK);
    assert_true(verdict.quality_value == 0);
}

static ab_status refuse(const void *image, const void *params, ab_work **work)
{
    (void)image, (void)params, (void)work;
    return ab_failed("status -6");
}

/* What no rules give is an error of the row, and no wrong output. */
static void test_broken_calls_of_a_library(void **state)
{
    (void)state;
    skip_without_opencv();
    static const struct {
        int bug;
        const char *reason;
    } broken[] = {{CANNY_BUG_NO_EDGES, "nothing to do with the image"},
                  {CANNY_BUG_ALL_EDGES, "nothing to do with the image"},
                  {CANNY_BUG_ELSEWHERE, "nothing to do with the image"},
                  {CANNY_BUG_STREWN, "nothing to do with the image"},
                  {CANNY_BUG_UNWRITTEN, "other than 0 and 1"},
                  {CANNY_BUG_OTHER_AGAIN, "finding the edges again gives another map"}};
    const ab_implementation refusing = {.id = "planted",
                                        .operation = "canny",
                                        .name = "planted",
                                        .backend = AB_HOST,
                                        .traits = AB_OTHER_RULES,
                                        .open = refuse};
    const ed_params params = ed_default_params();
    ab_verdict verdict;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; ++i) {
        const ab_status status = verify_bug(broken[i].bug, AB_OTHER_RULES, false, &verdict);
        print_message("# bug %d: %s\n", broken[i].bug, status.code == AB_OK ? first_note : status.reason);
        assert_int_equal(status.code, AB_FAILED);
        assert_non_null(strstr(status.reason, broken[i].reason));
        assert_false(verdict.wrong);
        assert_null(verdict.quality);
    }
    assert_int_equal(verify_on_shapes(&refusing, &params, false, &verdict).code, AB_FAILED);
    assert_false(verdict.wrong);
}

/* The reference by the rules has edges in the last column and row of the images that are drawn. */
static void test_probes_have_edges_at_the_border(void **state)
{
    (void)state;
    static uint8_t rgba[4 * EDGES_PROBE_PIXELS], grey[EDGES_PROBE_PIXELS], map[EDGES_PROBE_PIXELS];
    int in_column[2] = {0}, in_row[2] = {0};
    for (int blurred = 0; blurred < 2; ++blurred)
        for (int probe = 0; probe < EDGES_PROBES; ++probe) {
            ed_image image;
            ed_params params = ed_default_params();
            edges_probe(probe, rgba, grey, &image);
            params.sigma = blurred;
            params.hysteresis_passes = 4;
            assert_int_equal(canny_reference_growth(&image, &params, map).code, AB_OK);
            for (int y = 0; y < image.height; ++y) in_column[blurred] += map[y * image.width + image.width - 1];
            for (int x = 0; x < image.width; ++x) in_row[blurred] += map[(image.height - 1) * image.width + x];
        }
    for (int blurred = 0; blurred < 2; ++blurred) {
        print_message("# sigma %d: %d edges in the last columns, %d in the last rows\n", blurred, in_column[blurred],
                      in_row[blurred]);
        assert_true(in_column[blurred] > 0 && in_row[blurred] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes_of_canny),
        cmocka_unit_test(test_missing_passes_are_a_quality),
        cmocka_unit_test(test_colour_edge),
        cmocka_unit_test(test_other_rules_are_a_quality),
        cmocka_unit_test(test_other_rules_without_edges),
        cmocka_unit_test(test_broken_calls_of_a_library),
        cmocka_unit_test(test_probes_have_edges_at_the_border),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
