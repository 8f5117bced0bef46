/* Candidate sets: the lists are the nearest cities, and every step of the CPU colonies that use them follows the rule:
 * proportional inside the set, the best remaining city where it is exhausted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/tsp/cpu_vectors_nn.h"
#include "tests/support/candidate_steps.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"
#include "tests/support/selection_test.h"

static const ab_implementation *next_baseline(const ab_implementation *last)
{
    while ((last = next_of("tsp", ON_CPU, last)) != NULL)
        if (last->traits & TSP_CANDIDATES) return last;
    return NULL;
}

static ab_open *opener(const char *id)
{
    return registered(id, AB_CPU)->open;
}

static const double TOLERANCE = 1e-6; /* of choice_info in single precision */

#define assert_ok(expression)                                                                                          \
    do {                                                                                                               \
        const ab_status assert_ok_status = (expression);                                                               \
        if (assert_ok_status.code != AB_OK) fail_msg("%s", assert_ok_status.reason);                                   \
    } while (0)

static tsp_problem problem_with_sets(int n, int side, int nn)
{
    tsp_problem problem = random_problem(n, side, 17);
    int32_t *list = NULL;
    assert_ok(tsp_nearest_neighbours(&problem, nn, &list));
    problem.nn = nn;
    problem.nn_list = list;
    return problem;
}

static void free_with_sets(tsp_problem *problem)
{
    free((void *)(uintptr_t)problem->nn_list);
    free_problem(problem);
}

/* ---- The lists ---- */

static bool comes_before(const int32_t *dist, int a, int b)
{
    return dist[a] < dist[b] || (dist[a] == dist[b] && a < b);
}

static void assert_nearest(const tsp_problem *problem, int nn, const int32_t *list)
{
    const int n = problem->n;
    for (int i = 0; i < n; i++) {
        const int32_t *dist = problem->dist + (size_t)i * (size_t)n;
        for (int k = 0; k < nn; k++) {
            const int32_t city = list[(size_t)i * (size_t)nn + (size_t)k];
            int before = 0;
            assert_in_range(city, 0, n - 1);
            assert_int_not_equal(city, i);
            for (int j = 0; j < n; j++) before += j != i && comes_before(dist, j, city);
            assert_int_equal(before, k);
        }
    }
}

static void lists_are_the_nearest(void **state)
{
    static const int sizes[] = {2, 3, 10, 77, 130};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int side = 1; side <= 10000; side *= 10) { /* all in one place, many ties, few */
            tsp_problem problem = random_problem(sizes[s], side, 5);
            for (int nn = 1; nn < problem.n; nn += nn < 20 || nn == problem.n - 2 ? 1 : 19) {
                int32_t *list = NULL;
                assert_ok(tsp_nearest_neighbours(&problem, nn, &list));
                assert_nearest(&problem, nn, list);
                free(list);
            }
            int32_t *none = NULL;
            assert_int_equal(tsp_nearest_neighbours(&problem, 0, &none).code, AB_BAD_INPUT);
            assert_int_equal(tsp_nearest_neighbours(&problem, problem.n, &none).code, AB_BAD_INPUT);
            free_problem(&problem);
        }
}

/* ---- Every step ---- */

typedef enum trail { TRAIL_UNIFORM, TRAIL_SKEWED, TRAIL_SPARSE, TRAIL_ZERO, TRAILS } trail;

static void lay_trail(int n, trail kind, float *pheromone)
{
    uint64_t random = 3;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double u = test_random(&random);
            const double value = kind == TRAIL_UNIFORM  ? 1e-4
                                 : kind == TRAIL_SKEWED ? 1e-6 * u * u * u
                                 : kind == TRAIL_SPARSE ? (u < 0.1 ? 1e-3 * u : 0.0)
                                                        : 0.0;
            pheromone[(size_t)i * (size_t)n + (size_t)j] = (float)value;
            pheromone[(size_t)j * (size_t)n + (size_t)i] = (float)value;
        }
}

static candidate_steps check_iteration(ab_open *open, const tsp_problem *problem, const tsp_params *params, trail lay)
{
    const size_t n = (size_t)problem->n, n_ants = (size_t)params->n_ants;
    float *pheromone = malloc(n * n * sizeof *pheromone);
    double *choice = malloc(n * n * sizeof *choice);
    tsp_result result = {.tours = malloc(n_ants * (n + 1) * sizeof(int32_t)),
                         .lengths = malloc(n_ants * sizeof(int64_t))};
    tsp_colony *colony = NULL;
    candidate_steps counts;
    assert_true(pheromone && choice && result.tours && result.lengths);
    lay_trail(problem->n, lay, pheromone);
    candidate_choice(problem, params, pheromone, choice);
    assert_ok(open_colony(open, problem, params, &colony));
    assert_ok(colony->methods->write_pheromone(colony, pheromone));
    assert_ok(colony->methods->poison(colony));
    assert_ok(run_stage_named(&colony->work, "choice"));
    assert_ok(run_stage_named(&colony->work, "construct"));
    assert_ok(colony->methods->read(colony, &result));
    for (size_t k = 0; k < n_ants; k++) assert_tour(problem, result.tours + k * (n + 1), result.lengths[k]);
    assert_ok(check_candidate_steps(problem, choice, TOLERANCE, result.tours, params->n_ants, &counts));
    assert_true(counts.all_zero == result.zero_weight_steps);
    colony->work.methods->close(&colony->work);
    free(pheromone);
    free(choice);
    free(result.tours);
    free(result.lengths);
    return counts;
}

/* Sizes around the set's, a vector's and a block's; cities far apart, on a coarse grid, and in one place. */
static void every_step_follows_the_rule(void **state)
{
    static const struct {
        int n, nn;
    } sizes[] = {{2, 1},   {3, 1},   {3, 2},   {16, 15}, {17, 16},  {18, 16},  {21, 20}, {22, 20},
                 {33, 32}, {34, 32}, {65, 64}, {66, 64}, {150, 20}, {150, 32}, {150, 1}, {161, 33}};
    static const int sides[] = {10000, 6, 1};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t d = 0; d < sizeof sides / sizeof sides[0]; d++) {
            tsp_problem problem = problem_with_sets(sizes[s].n, sides[d], sizes[s].nn);
            tsp_params params = tsp_default_params(problem.n, TSP_ALL_ANTS);
            for (int lay = 0; lay < TRAILS; lay++)
                for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;) {
                    const candidate_steps counts = check_iteration(baseline->open, &problem, &params, (trail)lay);
                    const int64_t steps = counts.from_set + counts.best + counts.all_zero;
                    assert_true(steps == (int64_t)params.n_ants * (problem.n - 1));
                    if (lay == TRAIL_ZERO) assert_true(counts.all_zero == steps);
                    if (lay == TRAIL_UNIFORM && problem.n == 150) assert_true(counts.best > steps / 200);
                }
            params.alpha = 1.5;
            params.n_ants = 5; /* no multiple of what is built side by side */
            for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;)
                check_iteration(baseline->open, &problem, &params, TRAIL_SKEWED);
            free_with_sets(&problem);
        }
}

/* ---- Selection ---- */

static void selection_is_proportional(void **state)
{
    static const int lengths[] = {7, 32, 48};
    (void)state;
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        tsp_problem problem = problem_with_sets(100, 1000, lengths[l]);
        tsp_params params = tsp_default_params(problem.n, TSP_ALL_ANTS);
        float *pheromone = malloc(100 * 100 * sizeof *pheromone);
        assert_non_null(pheromone);
        params.n_ants = 800;
        for (int weights = 0; weights < WEIGHTS_KINDS; weights++)
            for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;) {
                assert_true(baseline->traits & AB_EXACT);
                selection_report report;
                selection_pheromone(&problem, &params, (selection_weights)weights, pheromone);
                assert_ok(selection_test(baseline->open, &problem, &params, pheromone, &report));
                assert_true(report.steps > 800 * 25);
                if (!(selection_worst_p(&report) > 1e-4))
                    fail_msg("nn %d, weights %d: p %g of all steps, %g nearest first, %g of second cities", lengths[l],
                             weights, report.all.p, report.nearest_first.p, report.second_city.p);
            }
        free(pheromone);
        free_with_sets(&problem);
    }
}

/* ---- Many iterations, any number of threads ---- */

static void run(ab_open *open, const tsp_problem *problem, int threads, int iterations, int32_t *tours,
                float *pheromone)
{
    tsp_params params = tsp_default_params(problem->n, TSP_ALL_ANTS);
    tsp_result result = {.tours = tours};
    tsp_colony *colony = NULL;
    params.threads = threads;
    assert_ok(open_colony(open, problem, &params, &colony));
    for (int i = 0; i < iterations; i++)
        for (int stage = 0; stage < colony->work.methods->n_stages; stage++)
            assert_ok(colony->work.methods->run_stage(&colony->work, stage));
    assert_ok(colony->methods->read(colony, &result));
    assert_ok(colony->methods->read_pheromone(colony, pheromone));
    colony->work.methods->close(&colony->work);
}

static void threads_do_not_matter(void **state)
{
    enum { N = 101 };
    static int32_t one[N * (N + 1)], other[N * (N + 1)];
    static float pheromone[2][N * N];
    ab_open *const sequential[] = {opener("tsp/acotsp-seq-nn"), opener("tsp/cpu-vectors-nn")};
    ab_open *const parallel[] = {opener("tsp/acotsp-omp-nn"), opener("tsp/cpu-vectors-nn")};
    (void)state;
    tsp_problem problem = problem_with_sets(N, 1000, 20);
    for (int c = 0; c < 2; c++) {
        run(sequential[c], &problem, 1, 5, one, pheromone[0]);
        for (int threads = 1; threads <= 3; threads++) {
            run(parallel[c], &problem, threads, 5, other, pheromone[1]);
            assert_memory_equal(one, other, sizeof one);
            assert_memory_equal(pheromone[0], pheromone[1], sizeof pheromone[0]);
        }
    }
    free_with_sets(&problem);
}

static ab_status open_walking(cpu_vectors_nn_walker *walk, const void *problem, const void *params, ab_work **work)
{
    const ab_status status = opener("tsp/cpu-vectors-nn")(problem, params, work);
    if (status.code == AB_OK) ((cpu_vectors_nn_colony *)*work)->walk = walk;
    return status;
}

static ab_status open_anywhere(const void *problem, const void *params, ab_work **work)
{
    return open_walking(cpu_vectors_nn_walk, problem, params, work);
}

static ab_status open_avx2(const void *problem, const void *params, ab_work **work)
{
    return open_walking(cpu_vectors_nn_walk_avx2, problem, params, work);
}

static bool has_avx2(void)
{
#if defined(__x86_64__) && !defined(__clang__)
    return __builtin_cpu_supports("x86-64-v3");
#else
    return true; /* the same code once more */
#endif
}

/* Of what is compiled three times, beside what this processor runs; sets in one vector, in two and in four. */
static void processors_do_not_matter(void **state)
{
    enum { N = 301 };
    static const int lengths[] = {9, 32, 64};
    static int32_t one[N * (N + 1)], other[N * (N + 1)];
    static float pheromone[2][N * N];
    (void)state;
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        tsp_problem problem = problem_with_sets(N, 1000, lengths[l]);
        run(opener("tsp/cpu-vectors-nn"), &problem, 2, 3, one, pheromone[0]);
        for (int avx2 = 0; avx2 <= (int)has_avx2(); avx2++) {
            run(avx2 ? open_avx2 : open_anywhere, &problem, 1, 3, other, pheromone[1]);
            assert_memory_equal(one, other, sizeof one);
            assert_memory_equal(pheromone[0], pheromone[1], sizeof pheromone[0]);
        }
        free_with_sets(&problem);
    }
}

static void pheromone_underflows(void **state)
{
    enum { N = 61 };
    static int32_t tours[N * (N + 1)];
    static float pheromone[N * N];
    (void)state;
    tsp_problem problem = problem_with_sets(N, 1000, 20);
    for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;) {
        if (strcmp(baseline->name, "acotsp-seq-nn") == 0) continue; /* acotsp-omp-nn with one thread */
        run(baseline->open, &problem, 1, 400, tours, pheromone);
        for (int i = 0; i < N; i++) {
            int64_t length = 0;
            for (int j = 0; j < N; j++) length += problem.dist[tours[i * (N + 1) + j] * N + tours[i * (N + 1) + j + 1]];
            assert_tour(&problem, tours + i * (N + 1), length);
        }
        for (int i = 0; i < N * N; i++) assert_true(pheromone[i] >= 0.0f && pheromone[i] < 1e10f);
    }
    free_with_sets(&problem);
}

/* ---- What is refused ---- */

static void assert_refused(ab_open *open, const tsp_problem *problem, ab_code code, const char *reason)
{
    const tsp_params params = tsp_default_params(problem->n, TSP_ALL_ANTS);
    tsp_colony *colony = NULL;
    const ab_status status = open_colony(open, problem, &params, &colony);
    assert_int_equal(status.code, code);
    assert_string_equal(status.reason, reason);
    assert_null(colony);
}

static void sets_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    tsp_problem problem = problem_with_sets(80, 1000, 65);
    assert_refused(opener("tsp/cpu-vectors-nn"), &problem, AB_UNSUPPORTED, "needs nn <= 64, nn is 65");
    problem.nn = 80;
    for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;)
        assert_refused(baseline->open, &problem, AB_BAD_INPUT, "a candidate set has 1 to n - 1 = 79 cities, not 80");
    problem.nn = 0;
    for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;)
        assert_refused(baseline->open, &problem, AB_UNSUPPORTED, "needs a candidate set");
    free_with_sets(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_the_nearest),
        cmocka_unit_test(every_step_follows_the_rule),
        cmocka_unit_test(selection_is_proportional),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(processors_do_not_matter),
        cmocka_unit_test(pheromone_underflows),
        cmocka_unit_test(sets_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
