/* No random number is drawn twice: of every kernel that draws, on the host backend, in an iteration and across
 * iterations, by the ants of a colony and by those of another rank; and of the CPU colonies. Kernels that share numbers
 * are each in proportion, so that no test of proportions sees it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/cpu_colony.h"
#include "kernels/host/host_backend.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"

#define assert_ok(expression)                                                                                          \
    do {                                                                                                               \
        const ab_status assert_ok_status = (expression);                                                               \
        if (assert_ok_status.code != AB_OK) fail_msg("%s", assert_ok_status.reason);                                   \
    } while (0)

enum { CITIES = 40, ANTS = 7, NN = 20, ITERATIONS = 3, SIDE = 16 };

/* ---- What is drawn ---- */

typedef struct number {
    uint64_t seed, subsequence, offset; /* Philox's */
    int when;                           /* iteration */
} number;

static struct {
    number *numbers; /* [capacity], of which there are `count` */
    size_t count, capacity;
    int when;
} heard;

static void hear(uint64_t seed, uint64_t subsequence, uint64_t offset)
{
    if (heard.count == heard.capacity) {
        heard.capacity = heard.capacity ? 2 * heard.capacity : 1024;
        heard.numbers = realloc(heard.numbers, heard.capacity * sizeof *heard.numbers);
        if (heard.numbers == NULL) abort(); /* in a kernel: no test may be left from here */
    }
    heard.numbers[heard.count++] = (number){seed, subsequence, offset, heard.when};
}

static int compare(const void *a, const void *b)
{
    const number *one = a, *other = b;
    if (one->seed != other->seed) return one->seed < other->seed ? -1 : 1;
    if (one->subsequence != other->subsequence) return one->subsequence < other->subsequence ? -1 : 1;
    return (one->offset > other->offset) - (one->offset < other->offset);
}

static void forget(void)
{
    free(heard.numbers);
    memset(&heard, 0, sizeof heard);
}

/* In order. */
static void sort_heard(const char *name)
{
    if (heard.count == 0) fail_msg("%s draws nothing from cuRAND or philox_numbers (cuda_random.h)", name);
    qsort(heard.numbers, heard.count, sizeof *heard.numbers, compare);
}

/* Fails unless `name` has drawn, and no number twice. Forgets all. */
static void assert_distinct(const char *name)
{
    sort_heard(name);
    for (size_t i = 1; i < heard.count; i++) {
        const number *one = &heard.numbers[i - 1], *other = &heard.numbers[i];
        if (compare(one, other) != 0) continue;
        fail_msg("%s: number %llu of stream %llu is drawn twice, in iterations %d and %d", name,
                 (unsigned long long)one->offset, (unsigned long long)one->subsequence, one->when, other->when);
    }
    forget();
}

/* Fails unless `name` has drawn so many numbers, each any number of times. Forgets all. */
static void assert_different(const char *name, size_t expected)
{
    size_t different = 1;
    sort_heard(name);
    for (size_t i = 1; i < heard.count; i++) different += compare(&heard.numbers[i - 1], &heard.numbers[i]) != 0;
    if (different != expected) fail_msg("%s draws %zu different numbers, not %zu", name, different, expected);
    forget();
}

/* ---- Ant System ---- */

static tsp_problem problem_for(const ab_implementation *rung, tsp_problem problem, int32_t **nn_list)
{
    *nn_list = NULL;
    if (!(rung->traits & TSP_CANDIDATES)) return problem;
    assert_ok(tsp_nearest_neighbours(&problem, NN, nn_list));
    problem.nn = NN;
    problem.nn_list = *nn_list;
    return problem;
}

/* With stage "improve", which would be heard too. */
static void hear_colony(const ab_implementation *rung, const tsp_problem *cities, const tsp_params *given)
{
    int32_t *nn_list;
    const tsp_problem problem = problem_for(rung, *cities, &nn_list);
    tsp_params params = *given;
    tsp_colony *colony = NULL;
    params.improve = TSP_IMPROVE_ALL;
    assert_ok(open_colony(rung->open, &problem, &params, &colony));
    host_backend_hear_draws(hear);
    for (heard.when = 0; heard.when < ITERATIONS; heard.when++) assert_ok(ab_iterate(&colony->work));
    host_backend_hear_draws(NULL);
    colony->work.methods->close(&colony->work);
    free(nn_list);
}

static void ants_draw_numbers_of_their_own(void **state)
{
    (void)state;
    tsp_problem cities = random_problem(CITIES, 1000, 5);
    tsp_params params = tsp_default_params(CITIES, TSP_ALL_ANTS);
    params.n_ants = ANTS;
    params.seed = UINT64_C(0xfedcba9876543210); /* all of it counts */
    for (const ab_implementation *rung = NULL; (rung = next_of("tsp", ON_HOST, rung)) != NULL;)
        for (int streamed = 0; streamed <= !!(rung->traits & TSP_RACE); streamed++) {
            tsp_params own = params;
            if (streamed) set_own(rung, &own, "block-ants", 3); /* an ant of the last block is none */
            hear_colony(rung, &cities, &own);
            for (size_t i = 0; i < heard.count; i++) assert_true(heard.numbers[i].seed == params.seed);
            assert_distinct(rung->id);
        }
    free_problem(&cities);
}

/* The rung of which tsp/split and tsp/islands are made, as ranks 0, 1 and 2 open it (team.h). */
static void ranks_draw_numbers_of_their_own(void **state)
{
    (void)state;
    const ab_implementation *rung = registered("tsp/race-candidates", AB_HOST);
    tsp_problem cities = random_problem(CITIES, 1000, 5);
    tsp_params params = tsp_default_params(CITIES, TSP_BEST_ANT);
    params.all_ants = 3 * ANTS;
    params.n_ants = ANTS;
    for (params.first_ant = 0; params.first_ant < params.all_ants; params.first_ant += ANTS)
        hear_colony(rung, &cities, &params);
    assert_distinct(rung->id);
    free_problem(&cities);
}

/* A stream of SplitMix64 is a run of one sequence that all share: where on it an ant's begins. */
static uint64_t place_of(uint64_t stream)
{
    const uint64_t gamma = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t inverse = gamma; /* right in its lowest 3 bits; each round doubles them (Newton) */
    for (int i = 0; i < 5; i++) inverse *= 2 - gamma * inverse;
    assert_true(gamma * inverse == 1);
    return stream * inverse;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* More numbers than a tour takes lie from the beginning of each ant's to that of the next. */
static void ants_of_a_cpu_draw_numbers_of_their_own(void **state)
{
    (void)state;
    enum { PARTS = 3, OF_PART = 200, SO_MANY = 40, COUNT = PARTS * OF_PART * SO_MANY, MOST_DRAWS = 1 << 24 };
    static uint64_t places[COUNT];
    size_t count = 0;
    cpu_colony colony = {.params = {.seed = 1, .n_ants = OF_PART}};
    for (int part = 0; part < PARTS; part++)
        for (colony.iteration = 1; colony.iteration <= SO_MANY; colony.iteration++)
            for (int ant = 0; ant < OF_PART; ant++) {
                colony.params.first_ant = part * OF_PART;
                places[count++] = place_of(cpu_colony_stream(&colony, ant));
            }
    qsort(places, count, sizeof *places, ascending);
    for (size_t i = 0; i < count; i++) assert_true(places[(i + 1) % count] - places[i] > MOST_DRAWS);
}

/* ---- Ants on images: four numbers each at a placement and in an iteration, which several threads of an ant may draw ---- */

static void ants_on_images_draw_numbers_of_their_own(void **state)
{
    (void)state;
    static uint8_t grey[SIDE * SIDE];
    static float visibility[SIDE * SIDE];
    uint64_t random = 99;
    for (int i = 0; i < SIDE * SIDE; i++) grey[i] = (uint8_t)(256.0 * test_random(&random));
    ea_visibility(SIDE, SIDE, grey, visibility);
    const ea_problem problem = {SIDE, SIDE, grey, visibility};
    ea_params params = ea_default_params(SIDE, SIDE);
    params.n_ants = ANTS;
    params.iterations = ITERATIONS;
    params.seed = UINT64_C(0xfedcba9876543210);
    for (const ab_implementation *rung = NULL; (rung = next_of("edge-ants", ON_HOST, rung)) != NULL;) {
        ea_colony *colony = NULL;
        assert_ok(open_ants(rung->open, &problem, &params, &colony));
        host_backend_hear_draws(hear);
        for (heard.when = 0; heard.when < 2; heard.when++) { /* runs */
            assert_ok(run_stage_named(&colony->work, "place"));
            assert_ok(run_stage_named(&colony->work, "run"));
        }
        host_backend_hear_draws(NULL);
        colony->work.methods->close(&colony->work);
        assert_different(rung->id, (size_t)heard.when * ANTS * (1 + ITERATIONS) * 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ants_draw_numbers_of_their_own),
        cmocka_unit_test(ranks_draw_numbers_of_their_own),
        cmocka_unit_test(ants_of_a_cpu_draw_numbers_of_their_own),
        cmocka_unit_test(ants_on_images_draw_numbers_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
