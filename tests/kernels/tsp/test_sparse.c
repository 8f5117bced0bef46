/* Ant System without matrices: leaves find what a look at all cities finds, candidate sets and the initial
 * pheromone are those of the matrix; colonies that are given coordinates alone pass verification and take every
 * step by the rule, by every rule of distances; and verification rejects planted faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/tsp/check/verify.h"
#include "kernels/tsp/steps/leaves.h"
#include "tests/planted/tsp_sparse.h"
#include "tests/support/candidate_steps.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"
#include "tests/support/selection_test.h"

#define assert_ok(expression)                                                                                          \
    do {                                                                                                               \
        const ab_status assert_ok_status = (expression);                                                               \
        if (assert_ok_status.code != AB_OK) fail_msg("%s", assert_ok_status.reason);                                   \
    } while (0)

static const char *const rules[] = {"EUC_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "ATT"};
enum { N_RULES = sizeof rules / sizeof *rules, NN = 8 };

/* The same cities by their coordinates, and by the matrix of their distances. */
typedef struct cities {
    tsp_point *points;
    int32_t *dist, *nn_list;
    tsp_problem located, matrix;
} cities;

/* In clusters and with duplicates, at places that are no whole numbers. */
static cities make_cities(int n, const char *rule)
{
    uint64_t random = 11;
    cities c = {.points = malloc((size_t)n * sizeof *c.points)};
    assert_non_null(c.points);
    for (int i = 0; i < n; i++) {
        const tsp_point centre = {1000.0 * (i % 7), 1300.0 * (i % 5)};
        c.points[i] = i % 50 == 49 ? c.points[i - 30]
                                   : (tsp_point){centre.x + 700.0 * test_random(&random),
                                                 centre.y + 700.0 * test_random(&random)};
    }
    const tsp_rule *found = tsp_find_rule(rule);
    assert_ok(tsp_compute_distances("", found, c.points, n, &c.dist));
    c.matrix = (tsp_problem){.n = n, .dist = c.dist};
    c.located = (tsp_problem){.n = n, .points = c.points, .rule = found};
    return c;
}

static void give_sets(cities *c, int nn)
{
    assert_ok(tsp_nearest_neighbours(&c->matrix, nn, &c->nn_list));
    c->located.nn = c->matrix.nn = nn;
    c->located.nn_list = c->matrix.nn_list = c->nn_list;
}

static void free_cities(cities *c)
{
    free(c->points);
    free(c->dist);
    free(c->nn_list);
}

/* ---- Leaves ---- */

static void nearest_city_is_found(void **state)
{
    static const int sizes[] = {2, 31, 32, 33, 300, 2500}; /* a leaf, a group, and more */
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int rule = 0; rule < N_RULES; rule++) {
            const int n = sizes[s];
            uint64_t random = 3;
            cities c = make_cities(n, rules[rule]);
            tsp_leaves leaves;
            assert_ok(tsp_leaves_make(&c.located, &leaves));
            uint32_t *left = malloc((size_t)leaves.n_leaves * sizeof *left);
            bool *visited = calloc((size_t)n, sizeof *visited);
            assert_true(left && visited);
            tsp_leaves_fill(&leaves, n, left);
            for (int step = 0; step < n; step++) { /* until none is left */
                const int from = (int)(test_random(&random) * n);
                const int nearest = tsp_leaves_nearest(&c.located, &leaves, from, left);
                assert_int_equal(nearest, tsp_nearest_unvisited(&c.matrix, from, visited));
                visited[nearest] = true;
                left[leaves.place[nearest] / LEAF] &= ~(UINT32_C(1) << leaves.place[nearest] % LEAF);
            }
            assert_int_equal(tsp_leaves_nearest(&c.located, &leaves, 0, left), -1);
            free(left);
            free(visited);
            tsp_leaves_free(&leaves);
            free_cities(&c);
        }
}

static void sets_and_pheromone_are_those_of_the_matrix(void **state)
{
    (void)state;
    for (int rule = 0; rule < N_RULES; rule++)
        for (int n = 40; n <= 2200; n += 1080) {
            cities c = make_cities(n, rules[rule]);
            int32_t *list = NULL;
            int valid = 0;
            bool wrong = true;
            give_sets(&c, NN);
            assert_ok(tsp_nearest_neighbours(&c.located, NN, &list));
            assert_memory_equal(list, c.nn_list, (size_t)n * NN * sizeof *list);
            assert_ok(tsp_verify_candidates(&c.located, &valid, &wrong));
            assert_int_equal(valid, n);
            double located, matrix;
            assert_ok(tsp_initial_pheromone(&c.located, 0.5, &located));
            assert_ok(tsp_initial_pheromone(&c.matrix, 0.5, &matrix));
            assert_true(located == matrix && located > 0.0);
            free(list);
            free_cities(&c);
        }
}

/* ---- Colonies ---- */

static const char *const ids[] = {"tsp/cpu-sparse", "tsp/race-sparse"};
static const ab_backend backends[] = {AB_CPU, AB_HOST};

static void colonies_pass_verification(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int rule = 0; rule < N_RULES; rule++)
            for (int protocol = 0; protocol < 2; protocol++) {
                cities c = make_cities(rule == 0 ? 160 : 70, rules[rule]);
                give_sets(&c, NN);
                tsp_params params = tsp_default_params(c.located.n, (tsp_protocol)protocol);
                tsp_colony *colony = NULL;
                int valid = 0;
                bool wrong = false;
                params.n_ants = 6;
                assert_ok(open_colony(registered(ids[i], backends[i])->open, &c.located, &params, &colony));
                assert_ok(
                    tsp_verify_iterations(colony, &c.located, &params, TSP_VERIFY_ITERATIONS_ALL, &valid, &wrong));
                assert_int_equal(valid, params.n_ants);
                colony->work.methods->close(&colony->work);
                free_cities(&c);
            }
}

/* After iterations that have left pheromone on edges outside of the sets, in colonies that know coordinates alone. */
static void steps_follow_the_rule(void **state)
{
    enum { N = 130, ANTS = 20, SET = 4 };
    static float pheromone[N * N];
    static double choice[N * N];
    static int32_t tours[ANTS * (N + 1)];
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int rule = 0; rule < N_RULES; rule++) {
            cities c = make_cities(N, rules[rule]);
            give_sets(&c, SET);
            tsp_params params = tsp_default_params(N, TSP_ALL_ANTS);
            tsp_colony *colony = NULL;
            tsp_result result = {.tours = tours};
            candidate_steps counts = {0};
            tsp_edges edges = {0};
            params.n_ants = ANTS;
            assert_ok(open_colony(registered(ids[i], backends[i])->open, &c.located, &params, &colony));
            for (int iteration = 0; iteration < 3; iteration++) {
                assert_ok(colony->methods->read_pheromone(colony, pheromone));
                assert_ok(ab_iterate(&colony->work));
                assert_ok(colony->methods->read(colony, &result));
                candidate_choice(&c.matrix, &params, pheromone, choice);
                assert_ok(check_candidate_steps(&c.matrix, choice, 1e-6, tours, ANTS, &counts));
                assert_true(counts.best > ANTS);
            }
            assert_ok(colony->methods->read_edges(colony, &edges));
            assert_true(edges.first[N] > N * (SET + 2)); /* many outside */
            tsp_edges_free(&edges);
            colony->work.methods->close(&colony->work);
            free_cities(&c);
        }
}

static void edges_are_written_as_they_are_read(void **state)
{
    enum { N = 60 };
    static float pheromone[N * N], again[N * N];
    (void)state;
    cities c = make_cities(N, "EUC_2D");
    give_sets(&c, NN);
    const tsp_params params = tsp_default_params(N, TSP_ALL_ANTS);
    for (int k = 0; k < N * N; k++) pheromone[k] = k % (N + 1) == 0 ? 0.0f : (float)(k % 3);
    for (int i = 0; i < 2; i++) {
        tsp_colony *colony = NULL;
        assert_ok(open_colony(registered(ids[i], backends[i])->open, &c.located, &params, &colony));
        assert_ok(colony->methods->write_pheromone(colony, pheromone));
        assert_ok(colony->methods->read_pheromone(colony, again));
        for (int k = 0; k < N * N; k++)
            if (k % (N + 1) != 0) assert_true(pheromone[k] == again[k]);
        colony->work.methods->close(&colony->work);
    }
    free_cities(&c);
}

static void planted_faults_are_found(void **state)
{
    static const char *const expected[N_SPARSE_FAULTS] = {
        [SPARSE_FAULT_FORGETS] = "pheromone[",
        [SPARSE_FAULT_OLD_BACKGROUND] = "pheromone[",
        [SPARSE_FAULT_WRONG_BOXES] = "the best remaining city is ",
        [SPARSE_FAULT_FULL] = "more edges outside of the candidate sets than there is room for",
    };
    (void)state;
    cities c = make_cities(160, "EUC_2D");
    give_sets(&c, NN);
    tsp_params params = tsp_default_params(160, TSP_ALL_ANTS);
    params.n_ants = 40;
    for (int fault = 0; fault < N_SPARSE_FAULTS; fault++) {
        tsp_colony *colony = NULL;
        int valid = 0;
        if (fault == SPARSE_FAULT_OLD_CLOCKS) continue;
        bool wrong = false;
        assert_ok(open_colony(planted_sparse(fault), &c.located, &params, &colony));
        const ab_status status =
            tsp_verify_iterations(colony, &c.located, &params, TSP_VERIFY_ITERATIONS_ALL, &valid, &wrong);
        colony->work.methods->close(&colony->work);
        if (fault == SPARSE_FAULT_NONE)
            assert_ok(status);
        else if (status.code == AB_OK || !strstr(status.reason, expected[fault]))
            fail_msg("fault %d: reported \"%s\"", fault, status.reason);
    }
    free_cities(&c);
}

/* Choices are in proportion, but not those by the pheromone that there was at first; the right rung is judged
 * beside it. */
static void old_clocks_are_found(void **state)
{
    enum { N = 90 };
    static float pheromone[N * N];
    static const int faults[] = {SPARSE_FAULT_NONE, SPARSE_FAULT_OLD_CLOCKS};
    (void)state;
    cities c = make_cities(N, "EUC_2D");
    give_sets(&c, NN);
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    params.n_ants = 200;
    c.matrix.points = c.points;
    c.matrix.rule = c.located.rule;
    for (int i = 0; i < 2; i++) {
        selection_report report;
        selection_pheromone(&c.matrix, &params, WEIGHTS_SKEWED, pheromone);
        assert_ok(selection_test(planted_sparse(faults[i]), &c.matrix, &params, pheromone, &report));
        const double p = selection_worst_p(&report);
        print_message("# fault %d: p %.3g\n", faults[i], p);
        assert_true(faults[i] == SPARSE_FAULT_NONE ? p > 1e-4 : p < 1e-6);
    }
    free_cities(&c);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    cities c = make_cities(40, "EUC_2D");
    give_sets(&c, NN);
    tsp_params params = tsp_default_params(40, TSP_BEST_ANT);
    tsp_colony *colony = NULL;
    params.beta = 0.0;
    for (int i = 0; i < 2; i++) {
        const ab_status status = open_colony(registered(ids[i], backends[i])->open, &c.located, &params, &colony);
        assert_int_equal(status.code, AB_UNSUPPORTED);
        assert_string_equal(status.reason, "needs beta > 0: the nearest of equal edges is to be the best");
    }
    params.beta = 2.0;
    for (const ab_implementation *it = NULL; (it = next_of("tsp", ON_CPU | ON_HOST, it)) != NULL;) {
        const ab_status status = open_colony(it->open, &c.located, &params, &colony);
        const bool sparse = strstr(it->id, "sparse") != NULL;
        assert_int_equal(status.code, sparse ? AB_OK : AB_UNSUPPORTED);
        if (!sparse)
            assert_string_equal(status.reason, "needs all distances, which an instance of 40 cities comes without");
        if (sparse) colony->work.methods->close(&colony->work);
    }
    free_cities(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_city_is_found),
        cmocka_unit_test(sets_and_pheromone_are_those_of_the_matrix),
        cmocka_unit_test(colonies_pass_verification),
        cmocka_unit_test(steps_follow_the_rule),
        cmocka_unit_test(edges_are_written_as_they_are_read),
        cmocka_unit_test(planted_faults_are_found),
        cmocka_unit_test(old_clocks_are_found),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
