/* Every plan of every kernel (AB_PLAN of cuda_port.h) is taken here by a launch whose output is checked. A plan that
 * only large instances take on a GPU is taken by small ones where the host backend's device is cut, or a parameter says
 * so. The kernels name their plans themselves, and a plan that nothing here has taken fails the last test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/canny/canny.h"
#include "kernels/convolution/convolution.h"
#include "kernels/edge_ants/verify.h"
#include "kernels/host/host_backend.h"
#include "kernels/tsp/check/verify.h"
#include "tests/support/candidate_steps.h"
#include "tests/support/problems.h"
#include "tests/support/registered.h"

#define assert_ok(expression)                                                                                          \
    do {                                                                                                               \
        const ab_status assert_ok_status = (expression);                                                               \
        if (assert_ok_status.code != AB_OK) fail_msg("%s", assert_ok_status.reason);                                   \
    } while (0)

enum { ROOM = 1000 /* cities whose edges all have room without a matrix */ };
enum { N = 100, NN = 20, WIDE = 300, TALL = 130, MOST_PIXELS = 1200 * 70 };

static uint8_t grey[MOST_PIXELS], rgba[4 * MOST_PIXELS], expected[MOST_PIXELS], found[MOST_PIXELS];
static float pixels[MOST_PIXELS];

static int restore(void **state)
{
    (void)state;
    host_backend_set_order(0);
    return host_backend_set_device(NULL).code != AB_OK;
}

/* ---- Cutting the device ---- */

static void a_device_is_cut_and_whole_again(void **state)
{
    (void)state;
    static const char *const wrong[] = {"shared",
                                        "shared=",
                                        "shared=0",
                                        "shared=300000",
                                        "shared=-1",
                                        "l2=x",
                                        "shared=1,",
                                        "cores=1",
                                        ",",
                                        "processors=0",
                                        "shared=5 ",
                                        "together=17",
                                        "processors=1,processors=1,processors=1,processors=1,processors=1"};
    assert_ok(host_backend_set_device("shared=50000,processors=8,l2=0"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const ab_status status = host_backend_set_device(wrong[i]);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_non_null(strstr(status.reason, "ANTBENCH_HOST_DEVICE must be like "));
    }
    assert_string_equal(host_backend_device(), "shared=50000,processors=8,l2=0");
    assert_ok(host_backend_set_device(""));
    assert_string_equal(host_backend_device(), "");
}

/* ---- Ant System ---- */

static tsp_problem with_sets(tsp_problem problem, int nn)
{
    int32_t *list = NULL;
    assert_ok(tsp_nearest_neighbours(&problem, nn, &list));
    problem.nn = nn;
    problem.nn_list = list;
    return problem;
}

static void free_sets(tsp_problem *problem)
{
    free((int32_t *)(uintptr_t)problem->nn_list);
    free_problem(problem);
}

/* All cities are near the first one. */
static tsp_problem problem_with_hub(int n, int nn)
{
    tsp_problem problem = random_problem(n, 1000, 4);
    int32_t *const dist = (int32_t *)(uintptr_t)problem.dist;
    for (int i = 1; i < n; i++) dist[i] = dist[i * n] = 1;
    return with_sets(problem, nn);
}

/* Iterations that verification looks at; where the cut device is too small for the kernel, it must say so. */
static void verify(const ab_implementation *it, const tsp_problem *problem, const tsp_params *params)
{
    tsp_colony *colony = NULL;
    int valid = 0;
    bool wrong = false;
    ab_status status = open_colony(it->open, problem, params, &colony);
    if (status.code == AB_UNSUPPORTED && host_backend_device()[0] && !(it->traits & TSP_RACE)) return;
    if (status.code == AB_OK) {
        status = tsp_verify_iterations(colony, problem, params, TSP_VERIFY_ITERATIONS_ALL, &valid, &wrong);
        colony->work.methods->close(&colony->work);
    }
    if (status.code != AB_OK)
        fail_msg("%s, %d cities, %s, device \"%s\": %s", it->id, problem->n, tsp_protocol_name(params->protocol),
                 host_backend_device(), status.reason);
}

static void ant_system_by_every_device(void **state)
{
    (void)state;
    static const char *const devices[] = {"", "shared=40000", "shared=24000,l2=0", "shared=9000,l2=1000000",
                                          "processors=3"};
    tsp_problem sets = with_sets(random_problem(N, 1000, 5), NN), all = sets;
    all.nn = 0;
    all.nn_list = NULL;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        assert_ok(host_backend_set_device(devices[i]));
        for (const ab_implementation *it = NULL; (it = next_of("tsp", ON_HOST, it)) != NULL;) {
            if (i > 0 && !(it->traits & TSP_RACE)) continue; /* nothing of theirs depends on it */
            for (tsp_protocol protocol = TSP_ALL_ANTS; protocol <= TSP_BEST_ANT; protocol++) {
                tsp_params params = tsp_default_params(N, protocol);
                params.n_ants = it->traits & TSP_RACE ? 24 : 3;
                params.improve = i == 0 ? TSP_IMPROVE_ALL : TSP_IMPROVE_NONE;
                host_backend_set_order(i);
                verify(it, it->traits & TSP_CANDIDATES ? &sets : &all, &params);
            }
        }
    }
    free_sets(&sets);
}

/* Steps of a colony with candidate sets, each by the rule, beginning with a pheromone that differs by edge, and
 * is in proportion to a power of its length. */
static void check_steps(const char *id, const tsp_problem *problem, double steepness, int n_ants, int iterations,
                        const char *own, int value)
{
    const int n = problem->n;
    const size_t edges = (size_t)n * (size_t)n;
    const ab_implementation *it = registered(id, AB_HOST);
    tsp_params params = tsp_default_params(n, TSP_ALL_ANTS);
    params.n_ants = n_ants;
    if (own) set_own(it, &params, own, value);
    float *pheromone = malloc(edges * sizeof *pheromone);
    double *choice = malloc(edges * sizeof *choice);
    int32_t *tours = malloc((size_t)n_ants * (size_t)(n + 1) * sizeof *tours);
    tsp_result result = {.tours = tours};
    candidate_steps counts = {0};
    tsp_colony *colony = NULL;
    assert_true(pheromone && choice && tours);
    assert_ok(open_colony(it->open, problem, &params, &colony));
    for (size_t k = 0; k < edges; k++)
        pheromone[k] = k % (size_t)(n + 1) == 0
                           ? 0.0f
                           : 1e-4f * (float)(1 + k * 2654435761u % 61) * (float)pow(1e-3 * problem->dist[k], steepness);
    if (n <= ROOM) assert_ok(colony->methods->write_pheromone(colony, pheromone));
    for (int i = 0; i < iterations; i++) {
        assert_ok(colony->methods->read_pheromone(colony, pheromone));
        assert_ok(ab_iterate(&colony->work));
        assert_ok(colony->methods->read(colony, &result));
        candidate_choice(problem, &params, pheromone, choice);
        const ab_status status = check_candidate_steps(problem, choice, 1e-6, tours, n_ants, &counts);
        if (status.code != AB_OK) fail_msg("%s, %d cities: %s", id, n, status.reason);
    }
    colony->work.methods->close(&colony->work);
    free(pheromone);
    free(choice);
    free(tours);
}

/* Rings that do not have all cities, sets that are soon exhausted, more cities left than a list has room for, chains of
 * several blocks. */
static void steps_beyond_the_sets(void **state)
{
    (void)state;
    tsp_problem far = with_sets(random_problem(620, 3000, 8), 3), few = with_sets(random_problem(N, 500, 9), 2);
    tsp_problem full = with_sets(random_problem(200, 1000, 3), 32), hub = problem_with_hub(150, 5);
    check_steps("tsp/race-candidates", &far, 0.0, 3, 2, "block-ants", 2);
    check_steps("tsp/race-candidates", &far, 0.0, 3, 2, NULL, 0);
    check_steps("tsp/race-candidates", &far, 3.0, 6, 1, "shared", 70000); /* rows in codes, whose lists are shorter */
    check_steps("tsp/race-candidates", &far, 3.0, 12, 3, NULL, 0); /* more heavy cities than a row has room for */
    check_steps("tsp/race-candidates", &few, 0.0, 2, 45, NULL, 0); /* rows whose factors become too small */
    check_steps("tsp/race-candidates", &hub, 0.0, 6, 2, NULL, 0);  /* a city that most rows have */
    check_steps("tsp/race-candidates", &hub, 0.0, 6, 2, "shared", 50000);
    for (int shared = 9000; shared <= 60000; shared += 17000)
        check_steps("tsp/race-candidates", &few, 0.0, 40, 3, "shared", shared);
    check_steps("tsp/race-candidates", &full, 3.0, 100, 1, "shared", 25000);
    check_steps("tsp/race-sparse", &few, 0.0, 40, 3, NULL, 0);
    tsp_params params = tsp_default_params(N, TSP_ALL_ANTS);
    params.n_ants = 40;
    verify(registered("tsp/race-sparse", AB_HOST), &few, &params);
    free_sets(&hub);
    free_sets(&far);
    free_sets(&few);
    free_sets(&full);
    /* Of 1100 places two groups of leaves. */
    far = with_sets(random_problem(1100, 3000, 8), 4);
    check_steps("tsp/race-sparse", &far, 0.0, 2, 1, NULL, 0);
    free_sets(&far);
}

/* One city draws nearly all arrivals of the tail, and is soon visited: steps are drawn among all cities that are left.
 * Rows stand in memory or, if all ants deposit, in codes. */
static void a_tail_that_says_nothing(void **state)
{
    (void)state;
    enum { MANY = 620 };
    static float pheromone[MANY * MANY];
    static int32_t tours[2 * (MANY + 1)];
    int64_t lengths[2];
    const ab_implementation *const race = registered("tsp/race", AB_HOST);
    tsp_problem problem = random_problem(MANY, 3000, 8);
    for (int k = 0; k < MANY * MANY; k++) pheromone[k] = k / MANY == 0 || k % MANY == 0 ? 1e15f : 1.0f;
    for (tsp_protocol protocol = TSP_ALL_ANTS; protocol <= TSP_BEST_ANT; protocol++) {
        tsp_params params = tsp_default_params(MANY, protocol);
        tsp_result result = {.tours = tours, .lengths = lengths};
        tsp_colony *colony = NULL;
        params.n_ants = 2;
        if (protocol == TSP_ALL_ANTS) set_own(race, &params, "shared", 66000);
        assert_ok(open_colony(race->open, &problem, &params, &colony));
        assert_ok(colony->methods->write_pheromone(colony, pheromone));
        assert_ok(ab_iterate(&colony->work));
        assert_ok(colony->methods->read(colony, &result));
        for (int ant = 0; ant < 2; ant++) assert_tour(&problem, tours + ant * (MANY + 1), lengths[ant]);
        colony->work.methods->close(&colony->work);
    }
    free_problem(&problem);
}

/* City 0 weighs so much that no mean time tells the others apart once it is visited. From then on ants choose odd
 * cities, and of those that weigh nothing the nearest. With `shared` bytes rows are in codes. */
static void check_light_cities(int shared, float light)
{
    static float pheromone[N * N];
    static int32_t tours[ROOM / N * (N + 1)];
    int64_t lengths[ROOM / N];
    tsp_problem problem = random_problem(N, 1000, 8);
    tsp_params params = tsp_default_params(N, TSP_BEST_ANT);
    tsp_result result = {.tours = tours, .lengths = lengths};
    tsp_colony *colony = NULL;
    params.n_ants = ROOM / N;
    set_own(registered("tsp/race-each", AB_HOST), &params, "shared", shared);
    for (int k = 0; k < N * N; k++) pheromone[k] = k / N == 0 || k % N == 0 ? 1e20f : k % N % 2 ? light : 0.0f;
    assert_ok(open_colony(registered("tsp/race-each", AB_HOST)->open, &problem, &params, &colony));
    assert_ok(colony->methods->write_pheromone(colony, pheromone));
    assert_ok(ab_iterate(&colony->work));
    assert_ok(colony->methods->read(colony, &result));
    assert_true(result.zero_weight_steps > 0);
    for (int ant = 0; ant < params.n_ants; ant++) {
        const int32_t *tour = tours + ant * (N + 1);
        int i = 0;
        assert_tour(&problem, tour, lengths[ant]);
        while (tour[i] != 0) i++;
        assert_true(i < 2);
        for (i += 2; i < N && tour[i] % 2; i++) continue;
        for (; i < N; i++) assert_true(tour[i] % 2 == 0);
    }
    colony->work.methods->close(&colony->work);
    free_problem(&problem);
}

static void cities_that_weigh_nearly_nothing(void **state)
{
    (void)state;
    check_light_cities(0, 1e-20f);
    check_light_cities(20000, 1e-20f);
    check_light_cities(20000, 3e10f); /* too little for a code, and enough for a ring of the idle clock to count */
}

/* ---- Images ---- */

/* Bars with the image's longer side, bright at their beginnings and faint to their ends. */
static void draw(int width, int height)
{
    assert_true(width * height <= MOST_PIXELS);
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        const int across = width > height ? y : x, along = width > height ? x : y;
        grey[i] = (uint8_t)(across / 9 % 2 ? 60 + (along < 40 ? 80 : 30) : 60);
        const uint8_t colour[4] = {grey[i], (uint8_t)(250 - grey[i]), (uint8_t)(grey[i] / 2), 0};
        memcpy(rgba + 4 * i, colour, sizeof colour);
        pixels[i] = grey[i];
    }
}

/* Returns false if the detector has no such size. */
static bool detect(const ab_implementation *it, const ed_image *image, const ed_params *params, uint8_t *map)
{
    ed_detector *detector = NULL;
    ab_status status = open_detector(it->open, image, params, &detector);
    if (status.code == AB_UNSUPPORTED) return false;
    if (status.code == AB_OK) status = ab_iterate(&detector->work);
    if (status.code == AB_OK) status = detector->methods->read(detector, map);
    if (status.code != AB_OK) fail_msg("%s, %d x %d: %s", it->id, image->width, image->height, status.reason);
    detector->work.methods->close(&detector->work);
    return true;
}

static void compare(const char *operation, const ed_image *image, const ed_params *params)
{
    const int width = image->width, height = image->height;
    for (const ab_implementation *it = NULL; (it = next_of(operation, ON_HOST, it)) != NULL;) {
        if (it->traits & AB_OTHER_RULES) continue;
        if (detect(it, image, params, found) && memcmp(found, expected, (size_t)(width * height)) != 0)
            fail_msg("%s, %d x %d", it->id, width, height);
    }
}

static void check_detectors(int width, int height)
{
    const ed_image image = {.width = width, .height = height, .rgba = rgba, .grey = grey};
    ed_params params = ed_default_params();
    draw(width, height);
    detect(reference_of("colour-edge"), &image, &params, expected);
    compare("colour-edge", &image, &params);
    params.sigma = 0.0;
    params.hysteresis_passes = 10000;
    assert_ok(canny_reference_growth(&image, &params, expected));
    params.hysteresis_passes = 0;
    compare("canny", &image, &params);
}

static void detectors_of_few_and_many_tiles(void **state)
{
    (void)state;
    static const int sizes[][2] = {{30, 15}, {100, 30}, {250, 40}, {150, 100}, {40, 1100}, {1200, 70}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) check_detectors(sizes[i][0], sizes[i][1]);
}

/* Draws magnitudes on both sides of every bound, so that a wrong bound shows. */
static void draw_noise(int width, int height)
{
    uint32_t random = 1;
    for (int i = 0; i < 4 * width * height; i++) {
        random = random * 1664525 + 1013904223;
        rgba[i] = i % 4 == 3 ? 0 : (uint8_t)(random >> 24);
    }
}

/* Blocks that wait for one another, as on a GPU. */
static void detectors_of_blocks_together(void **state)
{
    (void)state;
    static const int sizes[][2] = {{40, 250}, {150, 100}, {400, 70}, {7, 3}};
    assert_ok(host_backend_set_device("processors=15,together=15"));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const ed_image image = {.width = sizes[i][0], .height = sizes[i][1], .rgba = rgba, .grey = grey};
        const ed_params params = ed_default_params();
        host_backend_set_order(i);
        check_detectors(sizes[i][0], sizes[i][1]);
        draw_noise(sizes[i][0], sizes[i][1]);
        detect(reference_of("colour-edge"), &image, &params, expected);
        compare("colour-edge", &image, &params);
    }
}

static void tiles_of_every_device(void **state)
{
    (void)state;
    static const char *const devices[] = {"", "shared=20000", "shared=2000"};
    const conv_image image = {WIDE, 40, pixels};
    conv_params params = conv_default_params();
    params.filter = CONV_SKEW;
    params.whole = true;
    params.block_x = params.block_y = 16;
    const conv_filter filter = conv_make_filter(&params);
    draw(WIDE, 40);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        assert_ok(host_backend_set_device(devices[i]));
        for (const ab_implementation *it = NULL; (it = next_of("convolution", ON_HOST, it)) != NULL;) {
            ab_work *work = NULL;
            double largest;
            bool wrong = false;
            ab_status status = it->open(&image, &params, &work);
            if (status.code == AB_UNSUPPORTED) continue;
            if (status.code == AB_OK) status = conv_verify((conv_state *)work, &image, &filter, &largest, &wrong);
            if (work) work->methods->close(work);
            if (status.code != AB_UNSUPPORTED && status.code != AB_OK)
                fail_msg("%s, device \"%s\": %s", it->id, devices[i], status.reason);
        }
    }
}

/* ---- Ants on images ---- */

static void verify_ants(const ab_implementation *it, const ea_problem *problem, const ea_params *params)
{
    ea_colony *colony = NULL;
    int64_t moves = 0;
    bool wrong = false;
    ab_status status = open_ants(it->open, problem, params, &colony);
    if (status.code == AB_OK) status = edge_ants_verify(colony, problem, params, 3, 2, &moves, &wrong);
    if (status.code != AB_OK)
        fail_msg("%s, device \"%s\", %d matrices, rho %g: %s", it->id, host_backend_device(), params->matrices,
                 params->rho, status.reason);
    colony->work.methods->close(&colony->work);
}

static void ants_by_every_device(void **state)
{
    (void)state;
    static const char *const devices[] = {"", "processors=4", "shared=2500", "processors=4,together=4"};
    const ea_problem problem = {50, 40, grey, pixels};
    draw(50, 40);
    ea_visibility(50, 40, grey, pixels);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        assert_ok(host_backend_set_device(devices[i]));
        for (int matrices = 0; matrices <= 2; matrices++)
            for (int all = 0; all < 2; all++) {
                ea_params params = ea_default_params(50, 40);
                params.n_ants = 40;
                params.iterations = 1;
                params.block_threads = 64;
                params.matrices = matrices;
                if (all) params.rho = 1.0;
                verify_ants(registered("edge-ants/resident", AB_HOST), &problem, &params);
            }
    }
}

/* ---- The plans ---- */

static bool is_taken(const char *name)
{
    for (const host_backend_plan *plan = host_backend_plans(); plan; plan = plan->next)
        if (plan->taken && strcmp(plan->name, name) == 0) return true;
    return false;
}

/* ANTBENCH_ONLY=tsp/race asks for the plans of race alone. */
static bool is_asked_for(const char *name)
{
    const char *only = getenv("ANTBENCH_ONLY"), *slash = only ? strchr(only, '/') : NULL;
    const size_t length = slash ? strlen(slash + 1) : 0;
    return !slash || (strncmp(name, slash + 1, length) == 0 && name[length] == ':');
}

static void every_plan_was_taken(void **state)
{
    (void)state;
    int plans = 0, missed = 0;
    for (const host_backend_plan *plan = host_backend_plans(); plan; plan = plan->next, plans++)
        if (is_asked_for(plan->name) && !is_taken(plan->name))
            print_error("nothing has taken the plan \"%s\" (%d)\n", plan->name, ++missed);
    assert_int_equal(missed, 0);
    assert_true(plans > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_device_is_cut_and_whole_again, restore),
        cmocka_unit_test_teardown(ant_system_by_every_device, restore),
        cmocka_unit_test_teardown(steps_beyond_the_sets, restore),
        cmocka_unit_test_teardown(a_tail_that_says_nothing, restore),
        cmocka_unit_test_teardown(cities_that_weigh_nearly_nothing, restore),
        cmocka_unit_test_teardown(detectors_of_few_and_many_tiles, restore),
        cmocka_unit_test_teardown(detectors_of_blocks_together, restore),
        cmocka_unit_test_teardown(tiles_of_every_device, restore),
        cmocka_unit_test_teardown(ants_by_every_device, restore),
        cmocka_unit_test(every_plan_was_taken),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
