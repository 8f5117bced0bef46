/* Edge detection by ants: eq. 5.2, every implementation on images of every kind, under several orders of threads; that
 * they take the same walks; that verification rejects planted bugs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/edge_ants/verify.h"
#include "kernels/edge_ants/edge_ants.h"
#include "kernels/host/host_backend.h"
#include "tests/planted/edge_ants_resident.h"
#include "tests/planted/edge_ants_walk.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"

enum { N_ORDERS = 4 };

/* Every implementation but those that need a GPU, and those of them that are kernels. */
static const ab_implementation *next_ants(const ab_implementation *last)
{
    return next_of("edge-ants", ON_CPU | ON_HOST, last);
}

static const ab_implementation *next_rung(const ab_implementation *last)
{
    return next_of("edge-ants", ON_HOST, last);
}

static void run_stage(ea_colony *colony, const char *stage)
{
    const ab_status status = run_stage_named(&colony->work, stage);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
}

static void close_ants(ea_colony *colony)
{
    colony->work.methods->close(&colony->work);
}

/* ---- Images ---- */

typedef enum image_kind {
    NOISE, /* every pixel at random */
    STEP,  /* half dark, half bright: most pixels have no visibility */
    FLAT,  /* one intensity: none has */
    KINDS
} image_kind;

static ea_problem make_problem(int width, int height, image_kind kind)
{
    const size_t pixels = (size_t)width * (size_t)height;
    uint8_t *grey = malloc(pixels);
    float *visibility = malloc(pixels * sizeof *visibility);
    uint64_t random = 99;
    assert_true(grey && visibility);
    for (size_t i = 0; i < pixels; i++)
        grey[i] = kind == FLAT                             ? 77
                  : kind == NOISE                          ? (uint8_t)(256.0 * test_random(&random))
                  : i % (size_t)width >= (size_t)width / 2 ? 200
                                                           : 40;
    ea_visibility(width, height, grey, visibility);
    return (ea_problem){width, height, grey, visibility};
}

static void free_problem_of(ea_problem *problem)
{
    free((void *)problem->grey);
    free((void *)problem->visibility);
}

static void test_visibility(void **state)
{
    (void)state;
    const uint8_t grey[] = {10, 20, 30, 40, 50, 60, 70, 80, 100};
    float visibility[9];
    ea_visibility(3, 3, grey, visibility);
    assert_true(visibility[4] == 0.90f); /* |10 - 100|; the others are 40, 20 and 60 */
    /* The upper left pixel: outside is as the nearest inside. |10 - 50|, |20 - 40|, |10 - 20|, |10 - 40| */
    assert_true(visibility[0] == 0.40f);
    assert_true(visibility[5] == 0.80f); /* |20 - 100|; the others are |30 - 80|, |50 - 60| and |30 - 100| */
    ea_visibility(1, 1, grey, visibility);
    assert_true(visibility[0] == 0.0f);
    memset(visibility, 0xff, sizeof visibility);
    ea_visibility(3, 3, (const uint8_t[9]){0}, visibility);
    for (int i = 0; i < 9; i++) assert_true(visibility[i] == 0.0f);
}

static void test_neighbours(void **state)
{
    (void)state;
    enum { W = 5, H = 4 };
    const int expected[EA_NEIGHBOURS] = {1, 2, 3, 6, 8, 11, 12, 13}; /* of pixel 7 */
    for (int i = 0; i < EA_NEIGHBOURS; i++) assert_int_equal(ea_neighbour(7, i, W, H), expected[i]);
    for (int width = 1; width <= W; width++)
        for (int position = 0; position < width * H; position++)
            for (int entry = -1; entry < width * H; entry++)
                for (int i = 0; i < EA_NEIGHBOURS; i++) {
                    const int neighbour = ea_neighbour(position, i, width, H);
                    if (neighbour >= 0)
                        assert_int_equal(ea_among(ea_places(position, entry, width), i), neighbour == entry);
                }
}

static void test_spin(void **state)
{
    (void)state;
    const float weight[EA_NEIGHBOURS] = {0, 1, 0, 2, 0, 0, 1, 0}, none[EA_NEIGHBOURS] = {0};
    assert_int_equal(ea_spin(weight, 1e-9f), 1);
    assert_int_equal(ea_spin(weight, 0.25f), 1);
    assert_int_equal(ea_spin(weight, 0.26f), 3);
    assert_int_equal(ea_spin(weight, 0.75f), 3);
    assert_int_equal(ea_spin(weight, 1.0f), 6);
    assert_int_equal(ea_spin(none, 0.5f), -1);
    assert_int_equal(ea_cell(1.0f, 7), 6);
    assert_int_equal(ea_cell(0x1p-33f, 7), 0);
}

static void test_parameters_are_checked(void **state)
{
    (void)state;
    ea_problem problem = make_problem(8, 8, NOISE);
    const ea_params good = ea_default_params(512, 512);
    assert_int_equal(good.n_ants, 3000);
    assert_int_equal(ea_default_params(8, 8).n_ants, 1);
    assert_int_equal(ea_check(&problem, &good).code, AB_OK);
    ea_params bad = good;
    bad.rho = NAN;
    assert_string_equal(ea_check(&problem, &bad).reason, "rho must be 0 to 1, not nan");
    bad = good;
    bad.block_threads = 100;
    for (const ab_implementation *rung = NULL; (rung = next_rung(rung)) != NULL;) {
        ea_colony *colony = NULL;
        const ab_status status = open_ants(rung->open, &problem, &bad, &colony);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, "block must be a multiple of 32 from 32 to 1024, not 100");
    }
    const ea_problem huge = {1 << 16, 1 << 15, problem.grey, problem.visibility};
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;) {
        ea_colony *colony = NULL;
        assert_int_equal(open_ants(ants->open, &huge, &good, &colony).code, AB_UNSUPPORTED);
    }
    free_problem_of(&problem);
}

/* ---- Every implementation, size, block and order ---- */

static void verify(const ab_implementation *ants, const ea_problem *problem, const ea_params *params, int iterations)
{
    ea_colony *colony = NULL;
    int64_t moves = 0;
    bool wrong = false;
    ab_status status = open_ants(ants->open, problem, params, &colony);
    if (status.code == AB_OK) {
        status = edge_ants_verify(colony, problem, params, iterations, 3, &moves, &wrong);
        close_ants(colony);
    }
    if (status.code != AB_OK)
        fail_msg("%s, %d x %d, %d threads per block, %s: %s", ants->id, problem->width, problem->height,
                 params->block_threads, params->cache_memory ? "cached" : "not cached", status.reason);
    assert_int_equal(moves, (int64_t)(iterations + 2) * params->n_ants);
}

static const int block_sizes[] = {32, 64, 128, 256, 512, 768, 1024};
enum { N_BLOCK_SIZES = sizeof block_sizes / sizeof *block_sizes };

static void test_every_size_of_image(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {1, 40},  {40, 1},
                                   {2, 2}, {3, 2}, {2, 7}, {17, 13}, {33, 20}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (image_kind kind = 0; kind < KINDS; kind++) {
            ea_problem problem = make_problem(sizes[i][0], sizes[i][1], kind);
            ea_params params = ea_default_params(problem.width, problem.height);
            params.n_ants = 13;
            params.iterations = 1;
            params.block_threads = 64;
            for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;) {
                host_backend_set_order(i % N_ORDERS);
                params.cache_memory = (i + kind) % 2;
                verify(ants, &problem, &params, i % 3 == 0 ? EA_MEMORY + 5 : 7);
            }
            free_problem_of(&problem);
        }
    host_backend_set_order(0);
}

static void test_every_size_of_block(void **state)
{
    (void)state;
    ea_problem problem = make_problem(31, 18, NOISE);
    ea_params params = ea_default_params(31, 18);
    params.n_ants = 35;
    params.iterations = 1;
    for (const ab_implementation *ants = NULL; (ants = next_rung(ants)) != NULL;)
        for (int i = 0; i < N_BLOCK_SIZES; i++)
            for (int cached = 0; cached < 2; cached++) {
                host_backend_set_order((unsigned)(i + cached) % N_ORDERS);
                params.block_threads = block_sizes[i];
                params.cache_memory = cached;
                verify(ants, &problem, &params, 2);
            }
    host_backend_set_order(0);
    free_problem_of(&problem);
}

static void test_other_parameters(void **state)
{
    (void)state;
    ea_problem problem = make_problem(20, 20, NOISE);
    ea_params params = ea_default_params(20, 20);
    params.n_ants = 40;
    params.iterations = 1;
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;) {
        ea_params other = params;
        other.min_visibility = 0.4; /* half of the deposits are left out */
        verify(ants, &problem, &other, 5);
        other.alpha = 1.0;
        other.beta = 0.7;
        verify(ants, &problem, &other, 5);
        other.rho = 1.0; /* where nobody was, nobody goes again: relocations */
        verify(ants, &problem, &other, 5);
        other.rho = 0.0;
        verify(ants, &problem, &other, 5);
        other.alpha = other.beta = 0.0;
        verify(ants, &problem, &other, 5);
    }
    free_problem_of(&problem);
}

/* ---- The same walks ---- */

enum { W = 24, H = 17, ANTS = 21 };

/* What a run leaves: positions and memory exactly, pheromone up to rounding. */
typedef struct outcome {
    float pheromone[W * H];
    int32_t position[ANTS];
    int32_t memory[ANTS * EA_MEMORY];
} outcome;

static void run_once(const ab_implementation *ants, const ea_problem *problem, const ea_params *params, outcome *left)
{
    ea_colony *colony = NULL;
    ea_result result = {left->pheromone, left->position, left->memory, 0};
    assert_int_equal(open_ants(ants->open, problem, params, &colony).code, AB_OK);
    run_stage(colony, "place");
    run_stage(colony, "run");
    assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
    assert_int_equal(result.iteration, params->iterations);
    close_ants(colony);
}

static void assert_same_walk(const ab_implementation *ants, const ea_params *params, const outcome *left,
                             const outcome *expected)
{
    const size_t n_ants = (size_t)params->n_ants;
    if (memcmp(left->memory, expected->memory, n_ants * EA_MEMORY * sizeof(int32_t)) ||
        memcmp(left->position, expected->position, n_ants * sizeof(int32_t)))
        fail_msg("%s takes another walk: seed %d, rho %g", ants->id, (int)params->seed, params->rho);
    for (int i = 0; i < W * H; i++)
        if (!(fabs((double)left->pheromone[i] - (double)expected->pheromone[i]) <=
              1e-5 * (double)expected->pheromone[i]))
            fail_msg("%s: pheromone of pixel %d is %g, not %g (rho %g)", ants->id, i, (double)left->pheromone[i],
                     (double)expected->pheromone[i], params->rho);
}

static void compare_walks(image_kind kind, ea_params params)
{
    static outcome expected, left;
    ea_problem problem = make_problem(W, H, kind);
    run_once(reference_of("edge-ants"), &problem, &params, &expected);
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;) {
        run_once(ants, &problem, &params, &left);
        assert_same_walk(ants, &params, &left, &expected);
    }
    free_problem_of(&problem);
}

static void test_one_ant_takes_the_same_walk_everywhere(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        ea_params params = ea_default_params(W, H);
        params.n_ants = 1;
        params.iterations = 45;
        params.seed = seed << (seed % 2 ? 0 : 33); /* both halves of the key */
        compare_walks(seed % 3 == 0 ? STEP : NOISE, params);
    }
}

static void test_many_ants_take_the_same_walks_everywhere(void **state)
{
    (void)state;
    static const struct {
        double rho;     /* deferred evaporation has its limits at the last ones */
        int iterations; /* as many as leave weights that a float holds */
    } runs[] = {{0.0, 40}, {0.04, 40}, {0.5, 40}, {0.999, 5}, {0.99999, 3}, {1.0, 3}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        ea_params params = ea_default_params(W, H);
        params.n_ants = ANTS;
        params.initial = 1.0;
        params.rho = runs[i].rho;
        params.iterations = runs[i].iterations;
        compare_walks(NOISE, params);
        params.matrices = 1;
        compare_walks(STEP, params);
    }
}

/* More ants than a block can hold, where all blocks cannot run at once. */
static void test_residents_of_many_blocks(void **state)
{
    (void)state;
    ea_problem problem = make_problem(W, H, NOISE);
    ea_params params = ea_default_params(W, H);
    params.n_ants = 1900;
    params.iterations = 1;
    for (params.matrices = 0; params.matrices <= 1; params.matrices++)
        verify(registered("edge-ants/resident", AB_HOST), &problem, &params, 2);
    free_problem_of(&problem);
}

static void test_walks_do_not_depend_on_the_order_of_threads(void **state)
{
    (void)state;
    static outcome expected, left;
    ea_problem problem = make_problem(W, H, NOISE);
    ea_params params = ea_default_params(W, H);
    params.n_ants = ANTS;
    params.iterations = 12;
    for (const ab_implementation *ants = NULL; (ants = next_rung(ants)) != NULL;)
        for (int cached = 0; cached < 2; cached++) {
            params.cache_memory = cached;
            run_once(ants, &problem, &params, &expected);
            for (uint64_t order = 1; order < N_ORDERS; order++) {
                host_backend_set_order(order);
                run_once(ants, &problem, &params, &left);
                host_backend_set_order(0);
                assert_same_walk(ants, &params, &left, &expected);
            }
        }
    free_problem_of(&problem);
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    static outcome expected, left;
    ea_problem problem = make_problem(W, H, NOISE);
    ea_params params = ea_default_params(W, H);
    params.n_ants = ANTS;
    run_once(reference_of("edge-ants"), &problem, &params, &expected);
    for (int threads = 0; threads <= 30; threads += 3) {
        params.threads = threads;
        run_once(registered("edge-ants/omp", AB_CPU), &problem, &params, &left);
        assert_memory_equal(&left, &expected, sizeof left);
    }
    free_problem_of(&problem);
}

/* Run r has the seed params.seed + r, and RUN goes on where the last one ended. */
static void test_runs_and_seeds(void **state)
{
    (void)state;
    static outcome expected, left;
    ea_problem problem = make_problem(W, H, NOISE);
    ea_params once = ea_default_params(W, H), thrice;
    once.n_ants = ANTS;
    once.iterations = 36;
    thrice = once;
    thrice.iterations = 12;
    thrice.seed = once.seed - 1;
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;) {
        ea_colony *colony = NULL;
        ea_result result = {left.pheromone, left.position, left.memory, 0};
        run_once(ants, &problem, &once, &expected);
        assert_int_equal(open_ants(ants->open, &problem, &thrice, &colony).code, AB_OK);
        assert_int_equal(run_stage_named(&colony->work, "run").code, AB_FAILED);
        assert_int_equal(colony->methods->read(colony, &result).code, AB_FAILED);
        for (int place = 0; place < 2; place++) {
            run_stage(colony, "place");
            for (int i = 0; i < 3; i++) run_stage(colony, "run");
        }
        assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
        close_ants(colony);
        assert_int_equal(result.iteration, 36);
        assert_same_walk(ants, &once, &left, &expected);
    }
    free_problem_of(&problem);
}

/* What is written is read again, and is what the next iteration starts from. */
static void test_write(void **state)
{
    (void)state;
    static outcome left;
    static float pheromone[W * H];
    int32_t position[ANTS];
    ea_problem problem = make_problem(W, H, NOISE);
    ea_params params = ea_default_params(W, H);
    params.n_ants = ANTS;
    params.iterations = 2;
    for (int i = 0; i < W * H; i++) pheromone[i] = i == 5 * W + 6 ? 3.0f : 0.0f;
    for (int ant = 0; ant < ANTS; ant++) position[ant] = 4 * W + 5 + ant % 2; /* beside the only pixel that weighs */
    assert_true(problem.visibility[5 * W + 6] > 0.0f);
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;) {
        ea_colony *colony = NULL;
        ea_result result = {left.pheromone, left.position, left.memory, 0};
        assert_int_equal(open_ants(ants->open, &problem, &params, &colony).code, AB_OK);
        run_stage(colony, "place");
        run_stage(colony, "run");
        assert_int_equal(colony->methods->write(colony, pheromone, position).code, AB_OK);
        assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
        assert_memory_equal(left.pheromone, pheromone, sizeof pheromone);
        assert_memory_equal(left.position, position, sizeof position);
        for (int i = 0; i < ANTS * EA_MEMORY; i++)
            assert_int_equal(left.memory[i], i % EA_MEMORY == 2 ? position[i / EA_MEMORY] : -1);
        run_stage(colony, "run");
        assert_int_equal(colony->methods->read(colony, &result).code, AB_OK);
        for (int ant = 0; ant < ANTS; ant++) assert_int_equal(left.memory[ant * EA_MEMORY + 3], 5 * W + 6);
        close_ants(colony);
    }
    free_problem_of(&problem);
}

/* ---- Planted bugs ---- */

static void test_verification_rejects_planted_bugs(void **state)
{
    (void)state;
    static const char *const expected[N_EA_BUGS] = {
        [EA_BUG_FORGETS_THE_MEMORY] = "ant 1 went to",
        [EA_BUG_WRAPS_AROUND] = "which is no neighbour",
        [EA_BUG_LEAVES_THE_IMAGE] = "is on pixel",
        [EA_BUG_JUMPS] = "ant 0 went to",
        [EA_BUG_STANDS_STILL] = "ant 39 went from pixel",
        [EA_BUG_FORGETS_EVAPORATION] = "pheromone of pixel 0 is",
        [EA_BUG_EVAPORATES_A_LITTLE] = "pheromone of pixel 0 is",
        [EA_BUG_FORGETS_A_DEPOSIT] = "pheromone of pixel",
        [EA_BUG_DEPOSITS_TWICE] = "pheromone of pixel",
        [EA_BUG_DEPOSITS_IN_PRIMARY] = "ant 6 went to",
        [EA_BUG_FORGETS_TO_SWAP] = "pheromone of pixel 0 is",
        [EA_BUG_WRONG_SLOT] = "ant 0: memory 0 holds",
        [EA_BUG_SPILLS_NAN] = "pheromone of pixel 1 is nan",
        [EA_BUG_LATER] = "pheromone of pixel",
        [EA_BUG_ANTS_ALIKE] = "and its random number is",
        [EA_BUG_ITERATIONS_ALIKE] = "and its random number is",
        [EA_BUG_NOTHING_ON_FRAME] = "pheromone of pixel",
    };
    ea_problem problem = make_problem(20, 15, NOISE);
    ea_params params = ea_default_params(20, 15);
    params.n_ants = 40;
    params.iterations = 1;
    for (int bug = 0; bug < N_EA_BUGS; bug++) {
        ea_colony *colony = NULL;
        int64_t moves = 0;
        bool wrong = false;
        assert_int_equal(planted_edge_ants_open(&problem, &params, bug, &colony).code, AB_OK);
        const ab_status status = edge_ants_verify(colony, &problem, &params, 4, 30, &moves, &wrong);
        close_ants(colony);
        if (bug == EA_BUG_NONE) {
            if (status.code != AB_OK) fail_msg("%s", status.reason);
            continue;
        }
        if (!wrong || status.code != AB_FAILED || !strstr(status.reason, expected[bug]))
            fail_msg("bug %d: reported \"%s\"", bug, status.reason);
    }
    free_problem_of(&problem);
}

/* What verification says of four runs of one iteration. */
static ab_status judge(ab_open *open, const ea_params *params)
{
    ea_problem problem = make_problem(W, H, NOISE);
    ea_params once = *params;
    ea_colony *colony = NULL;
    int64_t moves = 0;
    bool wrong = false;
    once.iterations = 1;
    assert_int_equal(open_ants(open, &problem, &once, &colony).code, AB_OK);
    const ab_status status = edge_ants_verify(colony, &problem, &once, 4, 0, &moves, &wrong);
    assert_int_equal(status.code, wrong ? AB_FAILED : AB_OK);
    close_ants(colony);
    free_problem_of(&problem);
    return status;
}

/* Whether the rung takes another walk than the reference. */
static bool walks_elsewhere(ab_open *open, const ea_params *params)
{
    static outcome expected, left;
    const ab_implementation planted = {.id = "planted", .open = open};
    ea_problem problem = make_problem(W, H, NOISE);
    run_once(reference_of("edge-ants"), &problem, params, &expected);
    run_once(&planted, &problem, params, &left);
    free_problem_of(&problem);
    return memcmp(left.memory, expected.memory, sizeof left.memory) != 0;
}

static void test_faults_planted_in_resident_are_found(void **state)
{
    (void)state;
    static const char *const expected[N_RESIDENT_FAULTS][2] = {
        [RESIDENT_FAULT_LOSES_A_MOVE] = {"ant 20", "ant 20"},
        [RESIDENT_FAULT_EVAPORATES_TWICE] = {"pheromone of pixel 0 is", "pheromone of pixel 0 is"},
        [RESIDENT_FAULT_NO_BARRIER] = {"pheromone of pixel", "pheromone of pixel"},
    };
    ea_params params = ea_default_params(W, H);
    params.n_ants = ANTS;
    params.iterations = 12;
    for (params.matrices = 1; params.matrices <= 2; params.matrices++)
        for (int fault = 0; fault < N_RESIDENT_FAULTS; fault++) {
            const ab_status judged = judge(planted_resident(fault), &params);
            const char *const reason = expected[fault][params.matrices - 1];
            if (reason ? !strstr(judged.reason, reason) : judged.code != AB_OK)
                fail_msg("fault %d with %d matrices: reported \"%s\"", fault, params.matrices, judged.reason);
            assert_int_equal(walks_elsewhere(planted_resident(fault), &params), fault == RESIDENT_FAULT_NO_BARRIER);
        }
}

static void test_seeds_place_ants_elsewhere(void **state)
{
    (void)state;
    ea_problem problem = make_problem(20, 15, NOISE);
    ea_params params = ea_default_params(20, 15), other = params;
    params.n_ants = other.n_ants = 40;
    other.seed += 1000;
    for (const ab_implementation *ants = NULL; (ants = next_ants(ants)) != NULL;)
        for (int alike = 0; alike < 2; alike++) {
            ea_colony *one = NULL, *two = NULL;
            bool wrong = false;
            assert_int_equal(open_ants(ants->open, &problem, &params, &one).code, AB_OK);
            assert_int_equal(open_ants(ants->open, &problem, alike ? &params : &other, &two).code, AB_OK);
            assert_int_equal(verify_seeds(one, two, params.n_ants, &wrong).code, alike ? AB_FAILED : AB_OK);
            assert_int_equal(wrong, alike);
            close_ants(one);
            close_ants(two);
        }
    free_problem_of(&problem);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_visibility),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_parameters_are_checked),
        cmocka_unit_test(test_every_size_of_image),
        cmocka_unit_test(test_every_size_of_block),
        cmocka_unit_test(test_other_parameters),
        cmocka_unit_test(test_one_ant_takes_the_same_walk_everywhere),
        cmocka_unit_test(test_many_ants_take_the_same_walks_everywhere),
        cmocka_unit_test(test_residents_of_many_blocks),
        cmocka_unit_test(test_walks_do_not_depend_on_the_order_of_threads),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_runs_and_seeds),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_verification_rejects_planted_bugs),
        cmocka_unit_test(test_faults_planted_in_resident_are_found),
        cmocka_unit_test(test_seeds_place_ants_elsewhere),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
