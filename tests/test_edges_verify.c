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

static void forget_note(struct ab_sink *sink, const char *text)
{
    (void)sink, (void)text;
}

/* The status of verifying on an image without an edge; *wrong is set. */
static ab_status verify(const ab_implementation *implementation, const ed_params *params, bool *wrong)
{
    ab_input input = {.asked = "shapes-64"};
    const ab_operation *operation = ab_find_operation(implementation->operation);
    ab_sink sink = {.note = forget_note};
    const ab_circumstances c = {.implementation = implementation, .input = &input, .measure = &operation->measures[0]};
    ab_task task = {.c = &c, .params = params, .row = "planted", .sink = &sink};
    ab_verdict verdict = {.wrong = false};
    assert_int_equal(operation->inputs->load(&input, &task.loaded).code, AB_OK);
    memset(((edges_image *)task.loaded)->grey, 100, 64 * 64);
    memset(((edges_image *)task.loaded)->rgba, 100, 4 * 64 * 64);
    assert_int_equal(operation->problem(&task, &task.problem).code, AB_OK);
    const ab_status status = operation->measures[0].verify(&task, &verdict);
    operation->inputs->unload(task.loaded);
    *wrong = verdict.wrong;
    return status;
}

static void expect_bugs(ab_open *open, const char *operation, unsigned traits, const ed_params *params, int n_bugs)
{
    const ab_implementation planted = {.id = "planted", .operation = operation, .name = "planted", .backend = AB_HOST,
                                       .traits = traits, .open = open};
    for (bug_at_hand = 0; bug_at_hand < n_bugs; ++bug_at_hand) {
        bool wrong = false;
        const ab_status status = verify(&planted, params, &wrong);
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

static void test_colour_edge(void **state)
{
    (void)state;
    ed_params params = ed_default_params();
    expect_bugs(open_colour_edge, "colour-edge", 0, &params, CE_BUGS);
}

/* A superset is bounded on both sides: not everything may be an edge, and it may not miss them. */
static void test_superset(void **state)
{
    (void)state;
    bool wrong = false;
    ed_params params = ed_default_params();
    const ab_implementation *opencv = registered("canny/opencv", AB_CPU);
    ed_detector *detector = NULL;
    const uint8_t grey[16] = {0};
    const ed_image image = {.width = 4, .height = 4, .grey = grey};
    if (open_detector(opencv->open, &image, &params, &detector).code == AB_UNSUPPORTED) skip();
    detector->work.methods->close(&detector->work);
    ab_implementation planted = {.id = "planted", .operation = "canny", .name = "planted", .backend = AB_HOST,
                                 .traits = AB_SUPERSET, .open = open_canny};
    params.hysteresis_passes = 1;
    bug_at_hand = CANNY_BUG_NONE;
    assert_int_equal(verify(&planted, &params, &wrong).code, AB_OK);
    bug_at_hand = CANNY_BUG_ALL_EDGES;
    const ab_status status = verify(&planted, &params, &wrong);
    assert_true(wrong);
    assert_non_null(strstr(status.reason, "farther than a pixel from any weak one"));
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
        cmocka_unit_test(test_colour_edge),
        cmocka_unit_test(test_superset),
        cmocka_unit_test(test_probes_have_edges_at_the_border),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
