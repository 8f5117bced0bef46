/* The CPU colonies: tours, pheromone and best tour are right, the same for every number of threads; cities are selected
 * by the random proportional rule; a thousand iterations do no harm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/tsp/cpu_blocks.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"
#include "tests/support/selection_test.h"

/* Those that consider all cities; the others are for test_candidate_sets.c. */
static const ab_implementation *next_baseline(const ab_implementation *last)
{
    while ((last = next_of("tsp", ON_CPU, last)) != NULL)
        if (!(last->traits & TSP_CANDIDATES)) return last;
    return NULL;
}

static ab_open *opener(const char *id)
{
    return registered(id, AB_CPU)->open;
}

#define assert_ok(expression)                                                                                          \
    do {                                                                                                               \
        const ab_status assert_ok_status = (expression);                                                               \
        if (assert_ok_status.code != AB_OK) fail_msg("%s", assert_ok_status.reason);                                   \
    } while (0)

/* ---- What a colony computed ---- */

typedef struct output {
    tsp_result result; /* all arrays allocated */
    float *pheromone;  /* [n][n] */
} output;

static output new_output(int n, int n_ants)
{
    const size_t cities = (size_t)n, ants = (size_t)n_ants;
    const output o = {
        .result = {.tours = calloc(ants * (cities + 1), sizeof(int32_t)),
                   .lengths = calloc(ants, sizeof(int64_t)),
                   .best_tour = calloc(cities + 1, sizeof(int32_t))},
        .pheromone = calloc(cities * cities, sizeof(float)),
    };
    assert_true(o.result.tours && o.result.lengths && o.result.best_tour && o.pheromone);
    return o;
}

static void free_output(output *o)
{
    free(o->result.tours);
    free(o->result.lengths);
    free(o->result.best_tour);
    free(o->pheromone);
}

static void iterate(tsp_colony *colony, int iterations)
{
    for (int i = 0; i < iterations; i++)
        for (int stage = 0; stage < colony->work.methods->n_stages; stage++)
            assert_ok(colony->work.methods->run_stage(&colony->work, stage));
}

static void read_output(tsp_colony *colony, output *o)
{
    assert_ok(colony->methods->read(colony, &o->result));
    assert_ok(colony->methods->read_pheromone(colony, o->pheromone));
}

static void close_colony(tsp_colony *colony)
{
    colony->work.methods->close(&colony->work);
}

static void assert_tours(const tsp_problem *problem, const output *o, int n_ants)
{
    for (int k = 0; k < n_ants; k++)
        assert_tour(problem, o->result.tours + (size_t)k * ((size_t)problem->n + 1), o->result.lengths[k]);
    assert_tour(problem, o->result.best_tour, o->result.best_length);
}

/* ---- Tours and pheromone ---- */

/* pheromone := what the update stage should make of it, in double from the tours. */
static void expected_update(const tsp_problem *problem, const tsp_params *params, const output *o, double *pheromone)
{
    const size_t n = (size_t)problem->n;
    int best = 0;
    for (int k = 1; k < params->n_ants; k++)
        if (o->result.lengths[k] < o->result.lengths[best]) best = k;
    for (size_t k = 0; k < n * n; k++) pheromone[k] *= 1.0 - params->rho;
    for (int k = 0; k < params->n_ants; k++) {
        const int32_t *tour = o->result.tours + (size_t)k * (n + 1);
        if (params->protocol == TSP_BEST_ANT && k != best) continue;
        for (size_t i = 0; i < n; i++) {
            const double deposit = o->result.lengths[k] > 0 ? 1.0 / (double)o->result.lengths[k] : 1.0;
            pheromone[(size_t)tour[i] * n + (size_t)tour[i + 1]] += deposit;
            pheromone[(size_t)tour[i + 1] * n + (size_t)tour[i]] += deposit;
        }
    }
}

static void assert_pheromone(int n, const float *actual, const double *expected)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const size_t ij = (size_t)i * (size_t)n + (size_t)j, ji = (size_t)j * (size_t)n + (size_t)i;
            assert_true(fabs(actual[ij] - expected[ij]) <= 1e-5 * expected[ij]);
            assert_true(actual[ij] == actual[ji]);
        }
}

static void check_iterations(ab_open *open, const tsp_problem *problem, tsp_protocol protocol)
{
    const size_t n = (size_t)problem->n;
    const tsp_params params = tsp_default_params(problem->n, protocol);
    tsp_colony *colony = NULL;
    output o = new_output(problem->n, params.n_ants);
    double *expected = malloc(n * n * sizeof *expected);
    assert_non_null(expected);
    double initial;
    assert_ok(tsp_initial_pheromone(problem, params.rho, &initial));
    for (size_t k = 0; k < n * n; k++) expected[k] = initial;
    int64_t best = INT64_MAX;

    assert_ok(open_colony(open, problem, &params, &colony));
    for (int iteration = 0; iteration < 3; iteration++) {
        assert_ok(colony->methods->poison(colony));
        read_output(colony, &o);
        assert_int_equal(o.result.tours[0], -1);
        assert_true(o.result.lengths[params.n_ants - 1] == -1);
        assert_true(o.result.best_length == best);
        iterate(colony, 1);
        read_output(colony, &o);
        assert_tours(problem, &o, params.n_ants);
        expected_update(problem, &params, &o, expected);
        assert_pheromone(problem->n, o.pheromone, expected);
        for (int k = 0; k < params.n_ants; k++) best = o.result.lengths[k] < best ? o.result.lengths[k] : best;
        assert_true(o.result.best_length == best);
    }
    close_colony(colony);
    free_output(&o);
    free(expected);
}

static void iterations_are_right(void **state)
{
    static const int sizes[] = {2, 3, 5, 31, 32, 33, 34, 80, 127, 200, 257};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int duplicates = 0; duplicates < 2; duplicates++) {
            tsp_problem problem = random_problem(sizes[s], duplicates ? 4 : 10000, 7);
            for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;) {
                check_iterations(baseline->open, &problem, TSP_ALL_ANTS);
                check_iterations(baseline->open, &problem, TSP_BEST_ANT);
            }
            free_problem(&problem);
        }
}

/* Every city in one place: all lengths 0, deposits of 1. */
static void cities_may_coincide(void **state)
{
    (void)state;
    tsp_problem problem = random_problem(40, 1, 1);
    for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;)
        check_iterations(baseline->open, &problem, TSP_ALL_ANTS);
    free_problem(&problem);
}

/* ---- The same result, however many threads; another seed, another result ---- */

static output run(ab_open *open, const tsp_problem *problem, tsp_protocol protocol, int threads, uint64_t seed)
{
    tsp_params params = tsp_default_params(problem->n, protocol);
    tsp_colony *colony = NULL;
    output o = new_output(problem->n, params.n_ants);
    params.threads = threads;
    params.seed = seed;
    assert_ok(open_colony(open, problem, &params, &colony));
    iterate(colony, 2);
    read_output(colony, &o);
    close_colony(colony);
    return o;
}

static bool same_output(const output *a, const output *b, size_t n)
{
    return memcmp(a->result.tours, b->result.tours, n * (n + 1) * sizeof *a->result.tours) == 0 &&
           memcmp(a->pheromone, b->pheromone, n * n * sizeof *a->pheromone) == 0;
}

static void assert_same_run(ab_open *one, ab_open *other, tsp_protocol protocol, int threads, uint64_t seed,
                            bool expected)
{
    tsp_problem problem = random_problem(100, 1000, 3);
    output a = run(one, &problem, protocol, 1, 1), b = run(other, &problem, protocol, threads, seed);
    assert_int_equal(same_output(&a, &b, (size_t)problem.n), expected);
    free_output(&a);
    free_output(&b);
    free_problem(&problem);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int protocol = TSP_ALL_ANTS; protocol <= TSP_BEST_ANT; protocol++)
        for (int threads = 0; threads <= 3; threads++) {
            assert_same_run(opener("tsp/acotsp-seq"), opener("tsp/acotsp-omp"), (tsp_protocol)protocol, threads, 1,
                            true);
            assert_same_run(opener("tsp/cpu-rejection"), opener("tsp/cpu-rejection"), (tsp_protocol)protocol, threads,
                            1, true);
            assert_same_run(opener("tsp/cpu-blocks"), opener("tsp/cpu-blocks"), (tsp_protocol)protocol, threads, 1,
                            true);
        }
}

static ab_status open_anywhere(const void *problem, const void *params, ab_work **work)
{
    const ab_status status = opener("tsp/cpu-blocks")(problem, params, work);
    if (status.code == AB_OK) ((cpu_blocks_colony *)*work)->walk = cpu_blocks_walk;
    return status;
}

/* Of what is compiled twice. Where the processor has no AVX-512 both are the same. */
static void processors_do_not_matter(void **state)
{
    (void)state;
    for (int protocol = TSP_ALL_ANTS; protocol <= TSP_BEST_ANT; protocol++)
        assert_same_run(opener("tsp/cpu-blocks"), open_anywhere, (tsp_protocol)protocol, 2, 1, true);
    tsp_problem problem = random_problem(400, 1000, 5);
    output wide = run(opener("tsp/cpu-blocks"), &problem, TSP_BEST_ANT, 1, 1);
    output anywhere = run(open_anywhere, &problem, TSP_BEST_ANT, 1, 1);
    assert_true(same_output(&wide, &anywhere, (size_t)problem.n));
    free_output(&wide);
    free_output(&anywhere);
    free_problem(&problem);
}

static void seeds_matter(void **state)
{
    (void)state;
    for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;)
        assert_same_run(baseline->open, baseline->open, TSP_ALL_ANTS, 1, 2, false);
}

/* ---- Selection ---- */

/* A colony that is wrong on purpose: every unvisited city is as likely as any other. Its pheromone is not used. */
typedef struct careless {
    tsp_colony colony; /* first */
    int n, n_ants;
    int32_t *tours; /* [n_ants][n + 1] */
    uint64_t random;
} careless;

static ab_status careless_run_stage(ab_work *work, int stage)
{
    careless *c = (careless *)work;
    for (int k = 0; stage == TSP_CONSTRUCT && k < c->n_ants; k++) {
        int32_t *tour = c->tours + (size_t)k * ((size_t)c->n + 1);
        for (int i = 0; i < c->n; i++) {
            const int j = (int)(test_random(&c->random) * (i + 1));
            tour[i] = tour[j];
            tour[j] = i;
        }
        tour[c->n] = tour[0];
    }
    return ab_ok();
}

static void careless_close(ab_work *work)
{
    free(((careless *)work)->tours);
    free(work);
}

static ab_status careless_read(tsp_colony *colony, tsp_result *result)
{
    const careless *c = (const careless *)colony;
    memcpy(result->tours, c->tours, (size_t)c->n_ants * ((size_t)c->n + 1) * sizeof *c->tours);
    return ab_ok();
}

static ab_status careless_write(tsp_colony *colony, const float *pheromone)
{
    (void)colony;
    (void)pheromone;
    return ab_ok();
}

static ab_status careless_open(const void *untyped_problem, const void *untyped_params, ab_work **work)
{
    static const ab_work_methods work_methods = {.n_stages = TSP_STAGES,
                                                 .stage_names = {"choice", "construct", "update"},
                                                 .run_stage = careless_run_stage,
                                                 .close = careless_close};
    static const tsp_methods methods = {.read = careless_read, .write_pheromone = careless_write};
    const tsp_problem *problem = untyped_problem;
    const tsp_params *params = untyped_params;
    careless *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->colony = (tsp_colony){.work = {.methods = &work_methods}, .methods = &methods};
    c->n = problem->n;
    c->n_ants = params->n_ants;
    c->random = params->seed;
    c->tours = calloc((size_t)c->n_ants * ((size_t)c->n + 1), sizeof *c->tours);
    assert_non_null(c->tours);
    *work = &c->colony.work;
    return ab_ok();
}

static selection_report observe(ab_open *open, int n, int n_ants, selection_weights kind)
{
    tsp_problem problem = random_problem(n, 1000, 11);
    tsp_params params = tsp_default_params(n, TSP_ALL_ANTS);
    selection_report report;
    float *pheromone = malloc((size_t)n * (size_t)n * sizeof *pheromone);
    assert_non_null(pheromone);
    params.n_ants = n_ants;
    selection_pheromone(&problem, &params, kind, pheromone);
    assert_ok(selection_test(open, &problem, &params, pheromone, &report));
    free(pheromone);
    free_problem(&problem);
    return report;
}

static void assert_proportional(ab_open *open, int n, int n_ants, selection_weights kind)
{
    const selection_report report = observe(open, n, n_ants, kind);
    if (!(selection_worst_p(&report) > 1e-4))
        fail_msg("n %d, weights %d: p %g of all steps, %g nearest first, %g %g %g by third, %g of second cities", n,
                 (int)kind, report.all.p, report.nearest_first.p, report.third[0].p, report.third[1].p,
                 report.third[2].p, report.second_city.p);
    assert_in_range(report.steps, (int64_t)n_ants * (n - 3), (int64_t)n_ants * (n - 2));
    assert_int_equal(report.zero_weight_steps, 0);
}

static void selection_is_proportional(void **state)
{
    (void)state;
    for (int kind = 0; kind < WEIGHTS_KINDS; kind++) {
        assert_proportional(opener("tsp/acotsp-seq"), 45, 2000, (selection_weights)kind);
        assert_proportional(opener("tsp/acotsp-seq"), 100, 1000, (selection_weights)kind);
        assert_proportional(opener("tsp/cpu-rejection"), 45, 3000, (selection_weights)kind);
        assert_proportional(opener("tsp/cpu-rejection"), 100, 1000, (selection_weights)kind);
        assert_proportional(opener("tsp/cpu-rejection"), 600, 60, (selection_weights)kind); /* several nodes */
    }
    assert_proportional(opener("tsp/cpu-rejection"), 4200, 4, WEIGHTS_UNIFORM); /* more nodes than a vector has lanes */
    for (int kind = 0; kind < WEIGHTS_KINDS; kind++) {
        assert_proportional(opener("tsp/cpu-blocks"), 45, 3000, (selection_weights)kind); /* near blocks alone */
        assert_proportional(opener("tsp/cpu-blocks"), 300, 100, (selection_weights)kind); /* groups of a block */
    }
    assert_proportional(opener("tsp/cpu-blocks"), 1301, 10, WEIGHTS_SKEWED); /* of two */
    assert_proportional(opener("tsp/cpu-blocks"), 5200, 2, WEIGHTS_UNIFORM); /* of more than a word of cities */
}

static void careless_selection_is_found_out(void **state)
{
    (void)state;
    const selection_report uniform = observe(careless_open, 45, 20000, WEIGHTS_UNIFORM);
    const selection_report skewed = observe(careless_open, 45, 20000, WEIGHTS_SKEWED);
    const selection_report blocks = observe(careless_open, 45, 20000, WEIGHTS_BLOCKS);
    assert_true(selection_worst_p(&uniform) > 1e-4);
    assert_true(skewed.all.p < 1e-9 && skewed.second_city.p < 1e-9);
    assert_true(blocks.all.p < 1e-9 && blocks.second_city.p < 1e-9);
}

static void powers(void **state)
{
    (void)state;
    assert_true(tsp_power(0.3, 0.0) == 1.0 && tsp_power(0.3, 1.0) == 0.3 && tsp_power(0.3, 2.0) == 0.3 * 0.3);
    assert_true(fabs(tsp_power(0.3, 2.5) - exp(2.5 * log(0.3))) < 1e-15);
}

static void chi_square_matches_tables(void **state)
{
    (void)state;
    assert_true(fabs(chi_square_p(3.841, 1) - 0.05) < 1e-4);
    assert_true(fabs(chi_square_p(5.991, 2) - 0.05) < 1e-4);
    assert_true(fabs(chi_square_p(79.082, 60) - 0.05) < 1e-4);
    assert_true(fabs(chi_square_p(103.442, 63) - 0.001) < 1e-5);
    assert_true(chi_square_p((double)NAN, 63) == 0.0);
}

/* ---- The range of floating point ---- */

/* Without any pheromone every step falls under the all-zero rule: the tours are nearest-neighbour tours. */
static void all_zero_rule(void **state)
{
    (void)state;
    tsp_problem problem = random_problem(90, 20, 5); /* a small grid: many equal distances */
    const tsp_params params = tsp_default_params(problem.n, TSP_ALL_ANTS);
    const size_t n = (size_t)problem.n;
    for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;) {
        tsp_colony *colony = NULL;
        output o = new_output(problem.n, params.n_ants);
        assert_ok(open_colony(baseline->open, &problem, &params, &colony));
        assert_ok(colony->methods->write_pheromone(colony, o.pheromone)); /* still zeros */
        iterate(colony, 1);
        read_output(colony, &o);
        assert_tours(&problem, &o, params.n_ants);
        assert_true(o.result.zero_weight_steps == (int64_t)(n * (n - 1)));
        for (size_t k = 0; k < n; k++) {
            const int32_t *tour = o.result.tours + k * (n + 1);
            bool visited[90] = {false};
            for (size_t i = 0; i + 1 < n; i++) {
                visited[tour[i]] = true;
                const int32_t *dist = problem.dist + (size_t)tour[i] * n;
                for (int j = 0; j < problem.n; j++) {
                    if (visited[j] || j == tour[i + 1]) continue;
                    assert_true(dist[tour[i + 1]] < dist[j] || (dist[tour[i + 1]] == dist[j] && tour[i + 1] < j));
                }
            }
        }
        close_colony(colony);
        free_output(&o);
    }
    free_problem(&problem);
}

static void assert_finite(const float *pheromone, size_t count)
{
    for (size_t k = 0; k < count; k++) assert_true(pheromone[k] >= 0.0f && pheromone[k] < 1e10f);
}

static void pheromone_underflows(void **state)
{
    (void)state;
    tsp_problem problem = random_problem(61, 1000, 9);
    ab_open *const colonies[] = {opener("tsp/acotsp-seq"), opener("tsp/cpu-rejection"), opener("tsp/cpu-blocks")};
    for (size_t c = 0; c < 3; c++) {
        tsp_params params = tsp_default_params(problem.n, TSP_ALL_ANTS);
        tsp_colony *colony = NULL;
        output o = new_output(problem.n, params.n_ants);
        params.rho = c == 0 ? 0.9 : 0.5; /* double reaches further: unused edges are 0 after 320 iterations, or 150 */
        assert_ok(open_colony(colonies[c], &problem, &params, &colony));
        for (int hundred = 0; hundred < 4; hundred++) {
            iterate(colony, 100);
            read_output(colony, &o);
            assert_tours(&problem, &o, params.n_ants);
            assert_finite(o.pheromone, (size_t)problem.n * (size_t)problem.n);
        }
        assert_true(o.result.zero_weight_steps > 0);
        close_colony(colony);
        free_output(&o);
    }
    free_problem(&problem);
}

/* ---- What is refused ---- */

static void assert_refused(ab_open *open, const tsp_problem *problem, const tsp_params *params, ab_code code,
                           const char *word)
{
    tsp_colony *colony = NULL;
    const ab_status status = open_colony(open, problem, params, &colony);
    assert_int_equal(status.code, code);
    assert_non_null(strstr(status.reason, word));
    assert_null(colony);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    tsp_problem problem = random_problem(8, 100, 1);
    const tsp_problem single = {.n = 1, .dist = problem.dist}, none = {.n = 0};
    const tsp_params good = tsp_default_params(8, TSP_ALL_ANTS);
    for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;) {
        assert_refused(baseline->open, &single, &good, AB_UNSUPPORTED, "needs n >= 2, n is 1");
        assert_refused(baseline->open, &none, &good, AB_UNSUPPORTED, "needs n >= 2, n is 0");
        tsp_params bad = good;
        bad.rho = (double)NAN;
        assert_refused(baseline->open, &problem, &bad, AB_BAD_INPUT, "rho");
        bad = good;
        bad.rho = 0.0;
        assert_refused(baseline->open, &problem, &bad, AB_BAD_INPUT, "rho");
        bad = good;
        bad.beta = -1.0;
        assert_refused(baseline->open, &problem, &bad, AB_BAD_INPUT, "beta");
        bad = good;
        bad.alpha = (double)INFINITY;
        assert_refused(baseline->open, &problem, &bad, AB_BAD_INPUT, "alpha");
        bad = good;
        bad.n_ants = 0;
        assert_refused(baseline->open, &problem, &bad, AB_BAD_INPUT, "ants");
        bad = good;
        bad.threads = -1;
        assert_refused(baseline->open, &problem, &bad, AB_BAD_INPUT, "threads");
        bad = good;
        bad.n_ants = 2000000000; /* 2e9 tours */
        assert_refused(baseline->open, &problem, &bad, AB_UNSUPPORTED, "MiB");
    }
    tsp_params steep = good;
    steep.beta = 40.0;
    assert_refused(opener("tsp/cpu-rejection"), &problem, &steep, AB_UNSUPPORTED, "eta^beta");
    free_problem(&problem);
}

/* Exponents other than 1 and 2, and few ants. */
static void other_parameters(void **state)
{
    (void)state;
    tsp_problem problem = random_problem(50, 1000, 13);
    tsp_params params = tsp_default_params(problem.n, TSP_ALL_ANTS);
    float *pheromone = malloc((size_t)problem.n * (size_t)problem.n * sizeof *pheromone);
    assert_non_null(pheromone);
    params.alpha = 1.5;
    params.beta = 2.5;
    params.n_ants = 5000;
    selection_pheromone(&problem, &params, WEIGHTS_SKEWED, pheromone);
    for (const ab_implementation *baseline = NULL; (baseline = next_baseline(baseline)) != NULL;) {
        selection_report report;
        assert_ok(selection_test(baseline->open, &problem, &params, pheromone, &report));
        assert_true(selection_worst_p(&report) > 1e-4);
    }
    free(pheromone);
    free_problem(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_are_right),
        cmocka_unit_test(cities_may_coincide),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(processors_do_not_matter),
        cmocka_unit_test(seeds_matter),
        cmocka_unit_test(powers),
        cmocka_unit_test(chi_square_matches_tables),
        cmocka_unit_test(selection_is_proportional),
        cmocka_unit_test(careless_selection_is_found_out),
        cmocka_unit_test(all_zero_rule),
        cmocka_unit_test(pheromone_underflows),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(other_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
