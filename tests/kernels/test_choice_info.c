/* choice-info: every implementation that the registry has, on the CPU and on the host backend under sanitizers, against
 * the formula in double precision; and that verification rejects kernels with planted bugs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/choice_info/choice_info.h"
#include "kernels/host/host_backend.h"
#include "tests/planted/choice_info.h"
#include "tests/support/registered.h"
#include "tests/support/snapshots.h"

enum { N_ORDERS = 5 };

static const int sizes[] = {2, 3, 4, 15, 16, 17, 33, 64, 101};
static const int blocks[] = {16, 32, 48, 100, 256, 1024};
enum { N_SIZES = sizeof sizes / sizeof *sizes, N_BLOCKS = sizeof blocks / sizeof *blocks };

/* The largest relative error, or fails; -1 where the implementation has not these exponents. */
static double check(const ab_implementation *it, const tsp_snapshot *snapshot, const ci_params *params)
{
    ab_work *work = NULL;
    double largest = -1.0;
    bool wrong = false;
    ab_status status = it->open(snapshot, params, &work);
    if (status.code == AB_UNSUPPORTED) return -1.0;
    if (status.code == AB_OK) status = choice_info_verify((ci_weights *)work, snapshot, params, &largest, &wrong);
    if (status.code != AB_OK) fail_msg("%s, n %d, block %d: %s", it->id, snapshot->n, params->block, status.reason);
    work->methods->close(work);
    return largest;
}

static void test_every_size_block_and_order(void **state)
{
    (void)state;
    for (unsigned order = 0; order < N_ORDERS; order++) {
        host_backend_set_order(order);
        for (size_t i = 0; i < N_SIZES; i++) {
            tsp_snapshot snapshot = random_snapshot(sizes[i], i);
            ci_params params = ci_default_params();
            params.block = blocks[(i + order) % N_BLOCKS];
            params.threads = 1 + (int)(i % 3);
            for (const ab_implementation *it = NULL; (it = next_of("choice-info", ON_CPU | ON_HOST, it)) != NULL;) {
                const double largest = check(it, &snapshot, &params);
                assert_true(largest >= 0.0 && largest < 1e-6);
            }
            random_snapshot_free(&snapshot);
        }
    }
    host_backend_set_order(0);
}

/* A rung may have not all of them, but those of the papers. */
static void test_exponents(void **state)
{
    (void)state;
    static const double exponents[][2] = {{1, 2}, {1, 5}, {0.5, 2}, {2, 0}, {0, 3}, {1.3, 2.7}};
    tsp_snapshot snapshot = random_snapshot(40, 1);
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++)
        for (const ab_implementation *it = NULL; (it = next_of("choice-info", ON_CPU | ON_HOST, it)) != NULL;) {
            ci_params params = ci_default_params();
            params.alpha = exponents[k][0];
            params.beta = exponents[k][1];
            const bool refused = check(it, &snapshot, &params) < 0.0;
            if (k == 0 || strstr(it->name, "pow") || it->backend == AB_CPU) assert_false(refused);
            if (k > 0 && strcmp(it->name, "multiply") == 0) assert_true(refused);
        }
    random_snapshot_free(&snapshot);
}

static void test_bad_parameters_are_refused(void **state)
{
    (void)state;
    tsp_snapshot snapshot = random_snapshot(5, 1);
    for (const ab_implementation *it = NULL; (it = next_of("choice-info", ON_CPU | ON_HOST, it)) != NULL;) {
        ab_work *work = NULL;
        ci_params params = ci_default_params();
        params.block = 1025;
        assert_int_equal(it->open(&snapshot, &params, &work).code, AB_BAD_INPUT);
        params = ci_default_params();
        params.beta = NAN;
        assert_int_equal(it->open(&snapshot, &params, &work).code, AB_BAD_INPUT);
        assert_null(work);
    }
    random_snapshot_free(&snapshot);
}

/* The bound must hold for __powf() as CUDA documents it, and be no wider than is of use: a ten-thousandth is seen. */
static void test_the_bound(void **state)
{
    (void)state;
    const ci_params params = ci_default_params();
    assert_true(ci_bound(1.0, 1.0, &params) >= 0x1p-24 * 32.0 && ci_bound(1.0, 1.0, &params) < 2.5e-6);
    assert_true(ci_bound(1e-9, 1e-6, &params) > ci_bound(1e-3, 1e-3, &params));
    assert_true(ci_bound(1e-9, 1e-6, &params) < 5e-5);
}

static void test_verification_rejects_planted_bugs(void **state)
{
    (void)state;
    static const char *const expected[N_CI_BUGS] = {
        [CI_BUG_FORGETS_THE_LAST] = "choice_info[39][39] is ",
        [CI_BUG_NO_SQUARE] = "choice_info[0][0] is ",
        [CI_BUG_OTHER_EDGE] = "choice_info[0][1] is ",
        [CI_BUG_A_LITTLE] = "choice_info[0][7] is ",
        [CI_BUG_NAN] = "choice_info[0][7] is nan",
    };
    tsp_snapshot snapshot = random_snapshot(40, 7);
    const ci_params params = ci_default_params();
    for (int bug = 0; bug < N_CI_BUGS; bug++) {
        ci_weights *weights = NULL;
        double largest;
        bool wrong = false;
        assert_int_equal(planted_choice_info_open(&snapshot, &params, bug, &weights).code, AB_OK);
        const ab_status status = choice_info_verify(weights, &snapshot, &params, &largest, &wrong);
        weights->work.methods->close(&weights->work);
        assert_int_equal(status.code, bug == CI_BUG_NONE ? AB_OK : AB_FAILED);
        assert_int_equal(wrong, bug != CI_BUG_NONE);
        if (wrong && !strstr(status.reason, expected[bug])) fail_msg("bug %d: reported \"%s\"", bug, status.reason);
    }
    random_snapshot_free(&snapshot);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size_block_and_order),        cmocka_unit_test(test_exponents),
        cmocka_unit_test(test_bad_parameters_are_refused),        cmocka_unit_test(test_the_bound),
        cmocka_unit_test(test_verification_rejects_planted_bugs),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
