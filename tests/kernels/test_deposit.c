/* deposit: every implementation that the registry has, on the CPU and on the host backend under sanitizers, against an
 * update in double precision; that verification rejects kernels with planted bugs; and the snapshots that it starts
 * from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instances/tsplib.h"
#include "kernels/deposit/deposit.h"
#include "kernels/host/host_backend.h"
#include "tests/planted/deposit.h"
#include "tests/support/registered.h"
#include "tests/support/snapshots.h"

enum { N_ORDERS = 5 };

/* Tours of less than a tile, of one, of one step more, of several; even and odd. */
static const int sizes[] = {2, 3, 4, 5, 15, 16, 17, 32, 33, 50};
static const int blocks[] = {16, 32, 40, 256, 1024};
enum { N_SIZES = sizeof sizes / sizeof *sizes, N_BLOCKS = sizeof blocks / sizeof *blocks };

static void check(const ab_implementation *it, const tsp_snapshot *snapshot, const dp_params *params)
{
    ab_work *work = NULL;
    int64_t edges = 0;
    bool wrong = false;
    ab_status status = it->open(snapshot, params, &work);
    if (status.code == AB_OK) status = deposit_verify((dp_trails *)work, snapshot, params, &edges, &wrong);
    if (status.code != AB_OK)
        fail_msg("%s, n %d, %d ants, block %d: %s", it->id, snapshot->n, params->n_ants, params->block, status.reason);
    assert_int_equal(edges, params->n_ants * snapshot->n);
    work->methods->close(work);
}

static void test_every_size_block_and_order(void **state)
{
    (void)state;
    for (unsigned order = 0; order < N_ORDERS; order++) {
        host_backend_set_order(order);
        for (size_t i = 0; i < N_SIZES; i++) {
            if (order > 0 && i % 2 != order % 2) continue;
            tsp_snapshot snapshot = random_snapshot(sizes[i], i);
            dp_params params = dp_default_params(sizes[i]);
            params.block = blocks[(i + order) % N_BLOCKS];
            params.threads = 1 + (int)(i % 3);
            for (const ab_implementation *it = NULL; (it = next_of("deposit", ON_CPU | ON_HOST, it)) != NULL;)
                check(it, &snapshot, &params);
            random_snapshot_free(&snapshot);
        }
    }
    host_backend_set_order(0);
}

static void test_fewer_ants_and_other_rates(void **state)
{
    (void)state;
    static const double rates[] = {1e-9, 0.1, 1.0};
    tsp_snapshot snapshot = random_snapshot(20, 3);
    for (int k = 0; k < 3; k++)
        for (const ab_implementation *it = NULL; (it = next_of("deposit", ON_CPU | ON_HOST, it)) != NULL;) {
            dp_params params = dp_default_params(1 + 3 * k);
            params.rho = rates[k];
            params.block = 16;
            check(it, &snapshot, &params);
        }
    random_snapshot_free(&snapshot);
}

/* Without an addition that waits for no other, the order in which threads run is none of the result. */
static void test_what_is_gathered_does_not_depend_on_the_order(void **state)
{
    (void)state;
    enum { N = 33 };
    static float expected[N * N], found[N * N];
    tsp_snapshot snapshot = random_snapshot(N, 5);
    dp_params params = dp_default_params(N);
    params.block = 32;
    for (const ab_implementation *it = NULL; (it = next_of("deposit", ON_HOST, it)) != NULL;) {
        if (!(it->traits & DP_GATHER)) continue;
        for (unsigned order = 0; order < N_ORDERS; order++) {
            ab_work *work = NULL;
            host_backend_set_order(order);
            assert_int_equal(it->open(&snapshot, &params, &work).code, AB_OK);
            assert_int_equal(ab_iterate(work).code, AB_OK);
            dp_trails *trails = (dp_trails *)work;
            assert_int_equal(trails->methods->read(trails, order == 0 ? expected : found).code, AB_OK);
            if (order > 0) assert_memory_equal(found, expected, sizeof expected);
            work->methods->close(work);
        }
    }
    host_backend_set_order(0);
    random_snapshot_free(&snapshot);
}

static void test_bad_parameters_are_refused(void **state)
{
    (void)state;
    tsp_snapshot snapshot = random_snapshot(5, 1);
    for (const ab_implementation *it = NULL; (it = next_of("deposit", ON_CPU | ON_HOST, it)) != NULL;) {
        ab_work *work = NULL;
        for (int n_ants = 0; n_ants <= 6; n_ants += 6) {
            const dp_params params = dp_default_params(n_ants);
            const ab_status status = it->open(&snapshot, &params, &work);
            assert_int_equal(status.code, AB_BAD_INPUT);
            assert_non_null(strstr(status.reason, "ants must be 1 to 5"));
        }
        dp_params params = dp_default_params(5);
        params.rho = 0.0;
        assert_int_equal(it->open(&snapshot, &params, &work).code, AB_BAD_INPUT);
        assert_null(work);
    }
    random_snapshot_free(&snapshot);
}

/* With one deposit there are two roundings of its terms and one of the sum, and it grows with the deposits. */
static void test_the_bound(void **state)
{
    (void)state;
    assert_true(dp_bound(0) >= 0x1p-24 * 2.0 && dp_bound(0) < 0x1p-24 * 4.0);
    assert_true(dp_bound(1000) > 0x1p-24 * 1002.0 && dp_bound(1000) < 1e-4);
    assert_true(dp_bound(5000) < 5e-4);
}

static void test_verification_rejects_planted_bugs(void **state)
{
    (void)state;
    enum { N = 40 };
    tsp_snapshot snapshot = random_snapshot(N, 7);
    const dp_params params = dp_default_params(N);
    for (int bug = 0; bug < N_DP_BUGS; bug++) {
        dp_trails *trails = NULL;
        int64_t edges;
        bool wrong = false;
        assert_int_equal(planted_deposit_open(&snapshot, &params, bug, &trails).code, AB_OK);
        const ab_status status = deposit_verify(trails, &snapshot, &params, &edges, &wrong);
        trails->work.methods->close(&trails->work);
        if (bug == DP_BUG_NONE ? status.code != AB_OK : !wrong) fail_msg("bug %d: \"%s\"", bug, status.reason);
        if (wrong) assert_non_null(strstr(status.reason, "pheromone["));
        if (bug == DP_BUG_A_LITTLE) assert_non_null(strstr(status.reason, "pheromone[0][1] is "));
        if (bug == DP_BUG_NAN) assert_non_null(strstr(status.reason, "pheromone[0][0] is nan"));
    }
    random_snapshot_free(&snapshot);
}

/* ---- Snapshots ---- */

static void assert_tour(int n, const int32_t *dist, const int32_t *tour, int64_t length)
{
    bool *visited = calloc((size_t)n, sizeof *visited);
    assert_non_null(visited);
    for (int i = 0; i < n; i++) {
        assert_in_range(tour[i], 0, n - 1);
        assert_false(visited[tour[i]]);
        visited[tour[i]] = true;
        length -= dist[tour[i] * n + tour[i + 1]];
    }
    assert_int_equal(tour[n], tour[0]);
    assert_int_equal(length, 0);
    free(visited);
}

static void test_a_snapshot_is_that_of_a_colony(void **state)
{
    (void)state;
    enum { N = 60 };
    tsp_instance instance;
    tsp_snapshot snapshot, again, other;
    assert_int_equal(tsp_generate(TSP_UNIFORM, N, 7, &instance).code, AB_OK);
    assert_int_equal(tsp_snapshot_take(N, instance.dist, 1, &snapshot).code, AB_OK);
    assert_int_equal(tsp_snapshot_take(N, instance.dist, 1, &again).code, AB_OK);
    assert_int_equal(tsp_snapshot_take(N, instance.dist, 2, &other).code, AB_OK);
    assert_int_equal(snapshot.n, N);
    for (int ant = 0; ant < N; ant++)
        assert_tour(N, instance.dist, snapshot.tours + ant * (N + 1), snapshot.lengths[ant]);
    float least = INFINITY, most = 0.0f;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            assert_true(snapshot.pheromone[i * N + j] == snapshot.pheromone[j * N + i]);
            least = fminf(least, snapshot.pheromone[i * N + j]);
            most = fmaxf(most, snapshot.pheromone[i * N + j]);
        }
    assert_true(least > 0.0f && most > 100.0f * least);
    assert_memory_equal(snapshot.tours, again.tours, N * (N + 1) * sizeof(int32_t));
    assert_memory_equal(snapshot.pheromone, again.pheromone, N * N * sizeof(float));
    assert_memory_not_equal(snapshot.tours, other.tours, N * (N + 1) * sizeof(int32_t));
    tsp_snapshot_free(&snapshot);
    tsp_snapshot_free(&again);
    tsp_snapshot_free(&other);
    tsp_free(&instance);
}

static void test_no_snapshot_where_there_is_no_colony(void **state)
{
    (void)state;
    static const int32_t dist[1] = {0};
    tsp_snapshot snapshot;
    assert_int_equal(tsp_snapshot_take(1, dist, 1, &snapshot).code, AB_UNSUPPORTED);
    assert_null(snapshot.pheromone);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size_block_and_order),
        cmocka_unit_test(test_fewer_ants_and_other_rates),
        cmocka_unit_test(test_what_is_gathered_does_not_depend_on_the_order),
        cmocka_unit_test(test_bad_parameters_are_refused),
        cmocka_unit_test(test_the_bound),
        cmocka_unit_test(test_verification_rejects_planted_bugs),
        cmocka_unit_test(test_a_snapshot_is_that_of_a_colony),
        cmocka_unit_test(test_no_snapshot_where_there_is_no_colony),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
