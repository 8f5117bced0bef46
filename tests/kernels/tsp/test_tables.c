/* Clocks and alias tables, entry by entry: what each row of them gives each city is what the city weighs, as exactly as
 * whole numbers and floats can say it. And rows in codes, whose clocks run a little too fast, give each city its share
 * of choices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "tests/planted/tsp_race.h"
#include "tests/planted/tsp_tables.h"
#include "tests/support/candidate_steps.h"
#include "tests/support/city_counts.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"
#include "tests/support/selection_test.h"

#define assert_ok(expression)                                                                                          \
    do {                                                                                                               \
        const ab_status assert_ok_status = (expression);                                                               \
        if (assert_ok_status.code != AB_OK) fail_msg("%s", assert_ok_status.reason);                                   \
    } while (0)

enum { MOST = 100 };

static const double of_float = 2e-6; /* what rounding may add to a weight, of the weight */

static float pheromone[MOST * MOST];
static double choice[MOST * MOST], rate[MOST * MOST], unit[MOST];

/* Stage "choice" of weights of this kind, which goes to planted_tables. */
static void make_tables(ab_open *open, const tsp_problem *problem, const tsp_params *params, int kind)
{
    tsp_colony *colony = NULL;
    planted_tables = (tsp_tables){rate, unit};
    selection_pheromone(problem, params, (selection_weights)kind, pheromone);
    candidate_choice(problem, params, pheromone, choice);
    assert_ok(open_colony(open, problem, params, &colony));
    assert_ok(colony->methods->write_pheromone(colony, pheromone));
    assert_ok(run_stage_named(&colony->work, "choice"));
    colony->work.methods->close(&colony->work);
}

/* Parts of the tail are rounded to the nearest; what that leaves over is the row's own city's, which is not chosen. */
static void check_tail(int n, int row)
{
    double total = 0.0, given = 0.0, own = rate[row * n + row];
    for (int j = 0; j < n; j++) total += j == row ? 0.0 : choice[row * n + j];
    for (int j = 0; j < n; j++) {
        const double share = choice[row * n + j] / total, is = rate[row * n + j];
        given += is;
        if (j == row || fabs(is - share) <= 0.5 * unit[row] + of_float * (share + is)) continue;
        fail_msg("of %d cities, %d is given %.9g after %d, not %.9g; the least share is %.3g", n, j, is, row, share,
                 unit[row]);
    }
    /* n - 1 roundings, and n units that n buckets have more than all parts */
    if (!(own >= 0.0 && own <= (1.5 * n + 1.0) * unit[row] + n * of_float))
        fail_msg("of %d cities, what is no city's after %d is %.9g", n, row, own);
    assert_true(fabs(given - own - 1.0) <= 0.5 * n * unit[row] + n * of_float);
}

static void a_race_gives_each_city_its_weight(void **state)
{
    static const int sizes[] = {2, 5, 31, 32, 33, 45, 64, 100}, near[] = {0, 1, 8};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof near / sizeof *near; k++)
            for (int kind = 0; kind < WEIGHTS_KINDS; kind++) {
                tsp_problem problem = random_problem(sizes[s], 1000, 5);
                tsp_params params = tsp_default_params(problem.n, TSP_BEST_ANT);
                set_own(registered("tsp/race", AB_HOST), &params, "near", near[k]);
                make_tables(planted_race_with_tables, &problem, &params, kind);
                for (int row = 0; row < problem.n; row++) check_tail(problem.n, row);
                free_problem(&problem);
            }
}

static void check_set(const tsp_problem *problem, int row)
{
    const int n = problem->n, nn = problem->nn;
    const int32_t *set = problem->nn_list + row * nn;
    double total = 0.0, given = 0.0;
    for (int k = 0; k < nn; k++) total += choice[row * n + set[k]];
    for (int k = 0; k < nn; k++) {
        const double share = choice[row * n + set[k]] / total, is = rate[row * n + set[k]];
        if (fabs(is - share) > of_float * share)
            fail_msg("sets of %d: %d is given %.9g after %d, not %.9g", nn, set[k], is, row, share);
    }
    for (int j = 0; j < n; j++) given += j == row ? 0.0 : rate[row * n + j];
    assert_true(fabs(given - 1.0) <= of_float); /* and none to others */
}

static void clocks_of_candidates_give_each_its_weight(void **state)
{
    static const int sizes[] = {1, 5, 6, 13, 31, 32};
    ab_open *const opens[] = {planted_coded_rows_with_tables, planted_sparse_with_tables};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < 2 * WEIGHTS_KINDS; kind++) {
            tsp_problem problem = random_problem(50, 1000, 5);
            const tsp_params params = tsp_default_params(problem.n, TSP_BEST_ANT);
            int32_t *nn_list = NULL;
            assert_ok(tsp_nearest_neighbours(&problem, sizes[s], &nn_list));
            problem.nn = sizes[s];
            problem.nn_list = nn_list;
            make_tables(opens[kind % 2], &problem, &params, kind / 2);
            for (int row = 0; row < problem.n; row++) check_set(&problem, row);
            free(nn_list);
            free_problem(&problem);
        }
}

enum { CODED = 40, CODED_ANTS = 3000, MOST_CODED_ANTS = 12000 };

/* Makes weights that are the same, or so many octaves apart. Then all that are left may weigh too little for a code, or
 * some. */
static void spread_weights(const tsp_problem *problem, const tsp_params *params, double least_octaves, double octaves)
{
    uint64_t random = 3;
    selection_pheromone(problem, params, WEIGHTS_UNIFORM, pheromone);
    for (int i = 0; octaves > 0.0 && i < CODED * CODED; i++)
        if (random_unit(&random) > 0.1) pheromone[i] *= (float)exp2(-least_octaves - octaves * random_unit(&random));
}

/* Makes half of all weights such that codes of three bits of mantissa round them most, and the others not. */
static void round_weights(const tsp_problem *problem, const tsp_params *params)
{
    selection_pheromone(problem, params, WEIGHTS_UNIFORM, pheromone);
    for (int i = 0; i < CODED * CODED; i++)
        if (i % CODED % 2) pheromone[i] *= 0.8895f; /* its reciprocal is a little less than 9/8 */
}

/* Each city by itself, by the weights that were made. */
static void check_choices(ab_open *open, tsp_problem problem, tsp_params params, int n_ants)
{
    static int32_t tours[MOST_CODED_ANTS * (CODED + 1)];
    tsp_result result = {.tours = tours};
    tsp_colony *colony = NULL;
    city_counts counts;
    params.n_ants = n_ants;
    assert_ok(open_colony(open, &problem, &params, &colony));
    assert_ok(colony->methods->write_pheromone(colony, pheromone));
    assert_ok(run_stage_named(&colony->work, "choice"));
    assert_ok(run_stage_named(&colony->work, "construct"));
    assert_ok(colony->methods->read(colony, &result));
    assert_ok(city_counts_open(&problem, &params, pheromone, &counts));
    assert_ok(city_counts_add(&counts, tours, n_ants));
    for (int steps = 0; steps < CITY_STEPS; steps++) {
        const city_verdict v = city_counts_judge(&counts, steps);
        print_message("# %.0f choices: %.1f standard deviations, of one city %.1f\n", v.choices, v.sum, v.worst);
        assert_true(v.sum < 6.0 && v.worst < 7.0);
    }
    city_counts_free(&counts);
    colony->work.methods->close(&colony->work);
}

static void rows_in_codes_choose_each_city_as_often_as_they_should(void **state)
{
    static const int sizes[] = {24, 32, 32}, octaves[] = {0, 12, 40};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        tsp_problem problem = random_problem(CODED, 1000, 5);
        int32_t *nn_list = NULL;
        assert_ok(tsp_nearest_neighbours(&problem, sizes[k], &nn_list));
        problem.nn = sizes[k];
        problem.nn_list = nn_list;
        const tsp_params params = tsp_default_params(CODED, TSP_BEST_ANT);
        spread_weights(&problem, &params, 22.0, octaves[k]);
        check_choices(planted_race_coded(CODED_FAULT_NONE), problem, params, CODED_ANTS);
        free(nn_list);
        free_problem(&problem);
    }
}

/* The rows of all cities: as floats, then in codes. */
static void a_clock_per_city_chooses_each_as_often_as_it_should(void **state)
{
    static const int octaves[] = {0, 12, 40};
    const ab_implementation *it = registered("tsp/race-each", AB_HOST);
    tsp_problem problem = random_problem(CODED, 1000, 5);
    (void)state;
    for (size_t k = 0; k < sizeof octaves / sizeof *octaves; k++)
        for (int shared = 0; shared <= 3000; shared += 3000) {
            tsp_params params = tsp_default_params(CODED, TSP_BEST_ANT);
            set_own(it, &params, "shared", shared);
            spread_weights(&problem, &params, 26.0, octaves[k]);
            check_choices(it->open, problem, params, CODED_ANTS);
        }
    free_problem(&problem);
}

static void rings_of_rounded_clocks_count_as_often_as_they_should(void **state)
{
    const ab_implementation *it = registered("tsp/race-each", AB_HOST);
    tsp_problem problem = random_problem(CODED, 1000, 5);
    tsp_params params = tsp_default_params(CODED, TSP_BEST_ANT);
    (void)state;
    set_own(it, &params, "shared", 3000);
    round_weights(&problem, &params);
    check_choices(it->open, problem, params, MOST_CODED_ANTS);
    free_problem(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_gives_each_city_its_weight),
        cmocka_unit_test(clocks_of_candidates_give_each_its_weight),
        cmocka_unit_test(rows_in_codes_choose_each_city_as_often_as_they_should),
        cmocka_unit_test(a_clock_per_city_chooses_each_as_often_as_it_should),
        cmocka_unit_test(rings_of_rounded_clocks_count_as_often_as_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
