/* Ties: where cities weigh the same, or lie at the same distance where all weigh 0, the lowest city is taken (tsp.h), by
 * every implementation, whatever it knows of the cities: matrices, coordinates, edges; of ants with the shortest tour the
 * lowest deposits. And no bound of a group of cities is rounded the wrong way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/cpu_colony.h"
#include "baselines/tsp/cpu_blocks.h"
#include "kernels/tsp/check/verify.h"
#include "tests/support/candidate_steps.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"

#define assert_ok(expression)                                                                                          \
    do {                                                                                                               \
        const ab_status assert_ok_status = (expression);                                                               \
        if (assert_ok_status.code != AB_OK) fail_msg("%s", assert_ok_status.reason);                                   \
    } while (0)

enum { MOST = 300, ANTS = 5, SMALL = 200 /* cities that every implementation takes */ };

/* Cities on the crossings of a grid, several in one place; by the matrix of distances, or by coordinates alone. */
typedef struct grid {
    tsp_point points[MOST];
    int32_t *dist, *nn_list;
    tsp_problem matrix, located;
} grid;

static void make_grid(int n, int side, int nn, grid *g)
{
    uint64_t random = 5;
    const tsp_rule *rule = tsp_find_rule("EUC_2D");
    for (int i = 0; i < n; i++)
        g->points[i] = (tsp_point){floor(side * test_random(&random)), floor(side * test_random(&random))};
    assert_ok(tsp_compute_distances("", rule, g->points, n, &g->dist));
    g->matrix = (tsp_problem){.n = n, .dist = g->dist};
    g->nn_list = NULL;
    if (nn) assert_ok(tsp_nearest_neighbours(&g->matrix, nn, &g->nn_list));
    g->matrix.nn = nn;
    g->matrix.nn_list = g->nn_list;
    g->located = g->matrix;
    g->located.dist = NULL;
    g->located.points = g->points;
    g->located.rule = rule;
}

static void free_grid(grid *g)
{
    free(g->dist);
    free(g->nn_list);
}

typedef enum trail { LEVEL, SOME_MORE, NOTHING, TRAILS } trail;

/* The same on all edges; more, and the same, on one of seven; nothing. */
static void lay(int n, trail kind, float *pheromone)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int low = i < j ? i : j, high = i < j ? j : i;
            const bool more = kind == SOME_MORE && (low * 31 + high * 17) % 7 == 0;
            pheromone[(size_t)i * (size_t)n + (size_t)j] = i == j || kind == NOTHING ? 0.0f : more ? 9.0f : 1.0f;
        }
}

/* Of a colony that keeps edges: they are given to it highest city first, so that the lowest of equals is not the first. */
static ab_status write_backwards(tsp_colony *colony, const float *pheromone, int n)
{
    tsp_edges edges = {0};
    ab_status status = tsp_edges_gather(pheromone, n, &edges);
    for (int i = 0; status.code == AB_OK && i < n; i++)
        for (size_t k = edges.first[i], last = edges.first[i + 1]; k + 1 < last; k++) {
            const int32_t city = edges.city[k];
            const float pheromone_there = edges.pheromone[k];
            edges.city[k] = edges.city[--last];
            edges.pheromone[k] = edges.pheromone[last];
            edges.city[last] = city;
            edges.pheromone[last] = pheromone_there;
        }
    if (status.code == AB_OK) status = colony->methods->write_edges(colony, &edges);
    tsp_edges_free(&edges);
    return status;
}

/* AB_UNSUPPORTED of what cannot do without a matrix, or with this beta. */
static ab_status check(const ab_implementation *it, const grid *g, const tsp_problem *known, trail kind, double beta,
                       candidate_steps *counts)
{
    static float pheromone[MOST * MOST];
    static double choice[MOST * MOST];
    static int32_t tours[ANTS * (MOST + 1)];
    const tsp_problem *problem = &g->matrix;
    tsp_params params = tsp_default_params(problem->n, TSP_BEST_ANT);
    tsp_result result = {.tours = tours};
    tsp_colony *colony = NULL;
    params.n_ants = ANTS;
    params.beta = beta;
    AB_TRY(open_colony(it->open, known, &params, &colony));
    lay(problem->n, kind, pheromone);
    candidate_choice(problem, &params, pheromone, choice);
    assert_ok(colony->methods->write_edges ? write_backwards(colony, pheromone, problem->n)
                                           : colony->methods->write_pheromone(colony, pheromone));
    assert_ok(run_stage_named(&colony->work, "choice"));
    assert_ok(run_stage_named(&colony->work, "construct"));
    assert_ok(colony->methods->read(colony, &result));
    const ab_status status = check_candidate_steps(problem, choice, 1e-6, tours, ANTS, counts);
    if (status.code != AB_OK) fail_msg("%s, %d cities, trail %d: %s", it->id, problem->n, kind, status.reason);
    assert_true(counts->all_zero == result.zero_weight_steps);
    colony->work.methods->close(&colony->work);
    return ab_ok();
}

/* With sets so small that many steps find theirs exhausted. */
static void the_lowest_of_equal_cities_is_taken(void **state)
{
    (void)state;
    static const struct {
        int n, side, nn;
    } sizes[] = {{12, 2, 2}, {70, 4, 3}, {130, 6, 4}, {300, 12, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        grid g;
        make_grid(sizes[i].n, sizes[i].side, sizes[i].nn, &g);
        const tsp_problem *const known[] = {&g.matrix, &g.located};
        for (const ab_implementation *it = NULL; (it = next_of("tsp", ON_CPU | ON_HOST, it)) != NULL;)
            for (int by = 0; it->traits & TSP_CANDIDATES && by < 3;
                 by++) /* the last: near and far ones weigh the same */
                for (int kind = 0; kind < TRAILS; kind++) {
                    candidate_steps counts = {0};
                    const ab_status status = check(it, &g, known[by % 2], (trail)kind, by == 2 ? 0.0 : 2.0, &counts);
                    if (status.code == AB_UNSUPPORTED && by > 0) break;
                    if (status.code != AB_OK) fail_msg("%s: %s", it->id, status.reason);
                    const int64_t steps = (int64_t)ANTS * (sizes[i].n - 1);
                    assert_true(kind == NOTHING ? counts.all_zero == steps : counts.best > ANTS);
                }
        free_grid(&g);
    }
}

/* Of those without candidate sets, where all weigh 0. */
static void the_lowest_of_the_nearest_cities_is_taken(void **state)
{
    (void)state;
    static const int sizes[][2] = {{12, 2}, {70, 4}, {300, 12}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        grid g;
        make_grid(sizes[i][0], sizes[i][1], 0, &g);
        for (const ab_implementation *it = NULL; (it = next_of("tsp", ON_CPU | ON_HOST, it)) != NULL;) {
            candidate_steps counts = {0};
            if (it->traits & TSP_CANDIDATES) continue;
            const ab_status status = check(it, &g, &g.matrix, NOTHING, 2.0, &counts);
            if (status.code == AB_UNSUPPORTED && sizes[i][0] > SMALL) continue;
            assert_ok(status);
            assert_true(counts.all_zero == (int64_t)ANTS * (sizes[i][0] - 1));
        }
        free_grid(&g);
    }
}

/* Of so many ants on so few crossings several have the shortest tour, one by other edges than another. */
static void the_lowest_of_the_best_ants_deposits(void **state)
{
    (void)state;
    enum { CITIES = 9, MANY = 200, ITERATIONS = 3 };
    grid g;
    make_grid(CITIES, 4, 5, &g);
    tsp_problem all = g.matrix;
    all.nn = 0;
    all.nn_list = NULL;
    for (const ab_implementation *it = NULL; (it = next_of("tsp", ON_CPU | ON_HOST, it)) != NULL;) {
        const tsp_problem *problem = it->traits & TSP_CANDIDATES ? &g.matrix : &all;
        tsp_params params = tsp_default_params(CITIES, TSP_BEST_ANT);
        tsp_colony *colony = NULL;
        int valid = 0;
        bool wrong = false;
        params.n_ants = MANY;
        assert_ok(open_colony(it->open, problem, &params, &colony));
        const ab_status status = tsp_verify_iterations(colony, problem, &params, ITERATIONS, &valid, &wrong);
        if (status.code != AB_OK) fail_msg("%s: %s", it->id, status.reason);
        assert_int_equal(valid, MANY);
        colony->work.methods->close(&colony->work);
    }
    free_grid(&g);
}

/* ---- Bounds ---- */

static float widened(uint16_t half)
{
    const uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A group's bound is the least that 16 bits can say of those that are no less than its largest weight; a city of a near
 * block has its weight there and 0 among the others. */
static void check_row(const cpu_blocks_colony *colony, size_t place, const double *choice)
{
    const size_t n = (size_t)colony->common.problem.n;
    const row_head *row = &colony->heads[place];
    const float *far = (const float *)cpu_blocks_far(colony, place);
    const double *weights = choice + (size_t)colony->city[place] * n;
    float largest[MAX_FAR * LANES] = {0.0f};
    double scale = 0.0;
    for (size_t p = 0; p < n; p++) {
        float weight = far[p];
        for (size_t k = 0; k < NEAR; k++)
            if (row->block[k] == p / BLOCK && ((const float *)&row->weight[k])[p % BLOCK] > 0.0f) {
                assert_true(weight == 0.0f);
                weight = ((const float *)&row->weight[k])[p % BLOCK];
            }
        if (p == place) assert_true(weight == 0.0f);
        if (p == place) continue;
        if (scale == 0.0) scale = (double)weight / weights[colony->city[p]];
        assert_true(fabs((double)weight / (weights[colony->city[p]] * scale) - 1.0) < 1e-6);
        float *most = &largest[p / BLOCK >> colony->shift];
        *most = far[p] > *most ? far[p] : *most;
    }
    for (size_t g = 0; g < colony->n_groups; g++) {
        assert_true(widened(row->largest[g]) >= largest[g]);
        assert_true(row->largest[g] == 0 || widened((uint16_t)(row->largest[g] - 1)) < largest[g]);
    }
}

static void bounds_of_groups_are_rounded_up(void **state)
{
    (void)state;
    static float pheromone[MOST * MOST];
    static double choice[MOST * MOST];
    grid g;
    make_grid(MOST, 1000, 0, &g);
    const tsp_params params = tsp_default_params(MOST, TSP_BEST_ANT);
    uint64_t random = 3;
    for (int i = 0; i < MOST * MOST; i++) pheromone[i] = i % (MOST + 1) ? (float)(0.1 + test_random(&random)) : 0.0f;
    candidate_choice(&g.matrix, &params, pheromone, choice);
    tsp_colony *colony = NULL;
    assert_ok(open_colony(registered("tsp/cpu-blocks", AB_CPU)->open, &g.matrix, &params, &colony));
    assert_ok(colony->methods->write_pheromone(colony, pheromone));
    assert_ok(run_stage_named(&colony->work, "choice"));
    for (size_t place = 0; place < MOST; place++) check_row((const cpu_blocks_colony *)colony, place, choice);
    colony->work.methods->close(&colony->work);
    free_grid(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_of_equal_cities_is_taken),
        cmocka_unit_test(the_lowest_of_the_nearest_cities_is_taken),
        cmocka_unit_test(the_lowest_of_the_best_ants_deposits),
        cmocka_unit_test(bounds_of_groups_are_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
