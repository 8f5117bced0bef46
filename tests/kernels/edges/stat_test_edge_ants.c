/* Do ants go where eq. 5.1 says? Frequencies of steps from one pixel, and of whole walks, by chi-square; and an image
 * of 4096 x 4096. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/edge_ants/verify.h"
#include "kernels/edge_ants/edge_ants.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"
#include "tests/support/selection_test.h"

static const ab_implementation *next_ants(const ab_implementation *last)
{
    return next_of("edge-ants", ON_CPU | ON_HOST, last);
}

/* Seeds are fixed: a right implementation passes always, one in a million of them would have needed another seed. */
static const double least_p = 1e-6;

enum { W = 40, H = 30, PIXELS = W * H };

/* An image and pheromone at random: weights over several orders of magnitude, some of them 0. */
typedef struct landscape {
    uint8_t grey[PIXELS];
    float visibility[PIXELS];
    float pheromone[PIXELS];
} landscape;

static ea_problem make_landscape(landscape *land)
{
    uint64_t random = 4;
    for (int i = 0; i < PIXELS; i++) {
        land->grey[i] = (uint8_t)(256.0 * test_random(&random));
        land->pheromone[i] = test_random(&random) < 0.1 ? 0.0f : (float)pow(10.0, -test_random(&random));
    }
    ea_visibility(W, H, land->grey, land->visibility);
    return (ea_problem){W, H, land->grey, land->visibility};
}

static ea_colony *open_and_place(const ab_implementation *ants, const ea_problem *problem, const ea_params *params)
{
    ea_colony *colony = NULL;
    assert_int_equal(open_ants(ants->open, problem, params, &colony).code, AB_OK);
    assert_int_equal(run_stage_named(&colony->work, "place").code, AB_OK);
    return colony;
}

/* The weight, by eq. 5.1, of each neighbour of `position` for an ant with this memory; the sum is returned. */
static double exact_weights(const ea_params *params, const landscape *land, const float *pheromone, int position,
                            const int32_t *memory, double weight[EA_NEIGHBOURS])
{
    double total = 0.0;
    for (int i = 0; i < EA_NEIGHBOURS; i++) {
        const int pixel = ea_neighbour(position, i, W, H);
        bool visited = false;
        for (int k = 0; memory && k < EA_MEMORY; k++) visited |= memory[k] == pixel;
        weight[i] = pixel < 0 || visited ? 0.0
                                         : pow((double)pheromone[pixel], params->alpha) *
                                               pow((double)land->visibility[pixel], params->beta);
        total += weight[i];
    }
    return total;
}

static int which_neighbour(int from, int to)
{
    for (int i = 0; i < EA_NEIGHBOURS; i++)
        if (ea_neighbour(from, i, W, H) == to) return i;
    return -1;
}

/* ---- One pixel ---- */

/* Chi-square of where the ants have gone. Neighbours that are expected less than 5 times are taken together. */
static chi_square fit(const int64_t *observed, const double *weight, double total, int n_ants)
{
    chi_square result = {0};
    double rare_observed = 0.0, rare_expected = 0.0;
    for (int i = 0; i < EA_NEIGHBOURS; i++) {
        const double expected = n_ants * weight[i] / total;
        if (weight[i] > 0.0 && expected >= 5.0) {
            result.statistic += pow((double)observed[i] - expected, 2.0) / expected;
            result.df++;
        } else {
            rare_observed += (double)observed[i];
            rare_expected += expected;
        }
    }
    if (rare_expected > 0.0) result.statistic += pow(rare_observed - rare_expected, 2.0) / rare_expected;
    result.df -= !(rare_expected > 0.0);
    result.p = chi_square_p(result.statistic, result.df);
    return result;
}

static void check_steps_from(const ab_implementation *ants, const ea_params *params, const landscape *land,
                             const ea_problem *problem, int position)
{
    const size_t n_ants = (size_t)params->n_ants;
    int32_t *at = malloc(n_ants * sizeof *at);
    int64_t observed[EA_NEIGHBOURS] = {0};
    double weight[EA_NEIGHBOURS];
    assert_non_null(at);
    for (size_t ant = 0; ant < n_ants; ant++) at[ant] = position;
    ea_colony *colony = open_and_place(ants, problem, params);
    ea_result result = {.position = at};
    assert_int_equal(colony->methods->write(colony, land->pheromone, at).code, AB_OK);
    assert_int_equal(run_stage_named(&colony->work, "run").code, AB_OK);
    assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
    colony->work.methods->close(&colony->work);
    const double total = exact_weights(params, land, land->pheromone, position, NULL, weight);
    for (size_t ant = 0; ant < n_ants; ant++) {
        const int which = which_neighbour(position, at[ant]);
        if (which < 0 || !(weight[which] > 0.0)) fail_msg("%s: an ant went from %d to %d", ants->id, position, at[ant]);
        observed[which]++;
    }
    free(at);
    const chi_square chi = fit(observed, weight, total, params->n_ants);
    if (!(chi.p >= least_p))
        fail_msg("%s, from pixel %d: chi-square %g, df %d, p %g", ants->id, position, chi.statistic, chi.df, chi.p);
}

static void test_steps_from_one_pixel(void **state)
{
    (void)state;
    static landscape land;
    static const int positions[] = {0, W - 1, PIXELS - W, PIXELS - 1, 7, 10 * W, 9 * W + 20, 15 * W + 11, 20 * W + 30};
    const ea_problem problem = make_landscape(&land);
    ea_params params = ea_default_params(W, H);
    params.n_ants = 10000;
    params.iterations = 1;
    params.block_threads = 32;
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;)
        for (size_t i = 0; ants->traits & AB_EXACT && i < sizeof positions / sizeof *positions; i++)
            check_steps_from(ants, &params, &land, &problem, positions[i]);
}

/* ---- Walks ---- */

/* Every step has a distribution of its own, so what is tested is its randomised probability integral transform: a point
 * at random inside the winner's part of the roulette, which is uniform if eq. 5.1 is followed (selection_test.h). */
static void test_walks(void **state)
{
    (void)state;
    enum { ANTS = 400, ITERATIONS = 50, BINS = 50 };
    static landscape land;
    static float pheromone[2][PIXELS];
    static int32_t position[2][ANTS], memory[2][ANTS * EA_MEMORY];
    const ea_problem problem = make_landscape(&land);
    ea_params params = ea_default_params(W, H);
    params.n_ants = ANTS;
    params.iterations = 1;
    params.initial = 0.1;
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;) {
        if (!(ants->traits & AB_EXACT)) continue;
        ea_colony *colony = open_and_place(ants, &problem, &params);
        double weight[EA_NEIGHBOURS], bins[BINS] = {0}, steps = 0.0, statistic = 0.0;
        uint64_t random = 1234;
        for (int t = 0; t <= ITERATIONS; t++) {
            ea_result now = {pheromone[t % 2], position[t % 2], memory[t % 2], 0};
            if (t > 0) assert_int_equal(run_stage_named(&colony->work, "run").code, AB_OK);
            assert_int_equal(colony->methods->read(colony, &now).code, AB_OK);
            for (int ant = 0; t > 0 && ant < ANTS; ant++) {
                const int last = (t - 1) % 2, from = position[last][ant];
                const int went = which_neighbour(from, now.position[ant]);
                const double total = exact_weights(&params, &land, pheromone[last], from,
                                                   memory[last] + (size_t)ant * EA_MEMORY, weight);
                if (!(total > 0.0)) continue;
                assert_true(went >= 0);
                double before = 0.0;
                for (int i = 0; i < went; i++) before += weight[i];
                const int bin = (int)(BINS * (before + test_random(&random) * weight[went]) / total);
                bins[bin < BINS ? bin : BINS - 1]++;
                steps++;
            }
        }
        colony->work.methods->close(&colony->work);
        for (int i = 0; i < BINS; i++) statistic += pow(bins[i] - steps / BINS, 2.0) / (steps / BINS);
        const double p = chi_square_p(statistic, BINS - 1);
        print_message("# %s: %.0f steps, chi-square %.1f, df %d, p %.3g\n", ants->id, steps, statistic, BINS - 1, p);
        assert_true(steps > 0.9 * ANTS * ITERATIONS);
        assert_true(p >= least_p);
    }
}

/* Where ants are placed and relocated: every pixel alike. In a black image every ant is relocated at every step. */
static void test_relocations_are_uniform(void **state)
{
    (void)state;
    enum { ANTS = 10000, SIDE = 8 };
    static uint8_t grey[SIDE * SIDE];
    static float visibility[SIDE * SIDE];
    static int32_t position[ANTS];
    const ea_problem problem = {SIDE, SIDE, grey, visibility};
    ea_params params = ea_default_params(SIDE, SIDE);
    params.n_ants = ANTS;
    params.iterations = 1;
    params.block_threads = 32;
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;) {
        ea_colony *colony = open_and_place(ants, &problem, &params);
        for (int run = 0; run < 2; run++) {
            double observed[SIDE * SIDE] = {0}, statistic = 0.0;
            const double expected = (double)ANTS / (SIDE * SIDE);
            ea_result result = {.position = position};
            if (run) assert_int_equal(run_stage_named(&colony->work, "run").code, AB_OK);
            assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
            for (int ant = 0; ant < ANTS; ant++) observed[position[ant]]++;
            for (int i = 0; i < SIDE * SIDE; i++) statistic += pow(observed[i] - expected, 2.0) / expected;
            assert_true(chi_square_p(statistic, SIDE * SIDE - 1) >= least_p);
        }
        colony->work.methods->close(&colony->work);
    }
}

static void test_large_image(void **state)
{
    (void)state;
    enum { SIDE = 4096 };
    uint8_t *grey = malloc((size_t)SIDE * SIDE);
    float *visibility = malloc((size_t)SIDE * SIDE * sizeof *visibility);
    uint64_t random = 8;
    assert_true(grey && visibility);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) grey[i] = (uint8_t)(256.0 * test_random(&random));
    ea_visibility(SIDE, SIDE, grey, visibility);
    const ea_problem problem = {SIDE, SIDE, grey, visibility};
    ea_params params = ea_default_params(SIDE, SIDE);
    assert_int_equal(params.n_ants, 192000);
    params.iterations = 1;
    params.n_ants = 5000;
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;) {
        ea_colony *colony = NULL;
        int64_t moves = 0;
        bool wrong = false;
        assert_int_equal(open_ants(ants->open, &problem, &params, &colony).code, AB_OK);
        const ab_status status = edge_ants_verify(colony, &problem, &params, 1, 0, &moves, &wrong);
        colony->work.methods->close(&colony->work);
        if (status.code != AB_OK) fail_msg("%s: %s", ants->id, status.reason);
    }
    free(grey);
    free(visibility);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_from_one_pixel),
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_relocations_are_uniform),
        cmocka_unit_test(test_large_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
