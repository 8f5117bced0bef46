/* Lower bounds (tours/bound.h): no tour is shorter, by every tour of few cities; and how near a bound comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "tours/bound.h"
#include "tours/tour.h"

enum { FEW = 8, MOST = 1000 };

static tsp_point places[MOST];

static int64_t bound_of(const tsp_instance *cities)
{
    int64_t bound;
    assert_int_equal(bound_find(cities, INFINITY, &bound).code, AB_OK);
    return bound;
}

/* The shortest of the tours that begin with tour[0 .. from-1]. */
static int64_t shortest(const tsp_instance *cities, int32_t *tour, int from)
{
    if (from == cities->n) return tour_measure(cities, tour);
    int64_t best = INT64_MAX;
    for (int i = from; i < cities->n; i++) {
        const int32_t city = tour[i];
        tour[i] = tour[from];
        tour[from] = city;
        const int64_t length = shortest(cities, tour, from + 1);
        best = length < best ? length : best;
        tour[from] = tour[i];
        tour[i] = city;
    }
    return best;
}

static int64_t shortest_of_all(const tsp_instance *cities)
{
    int32_t tour[FEW];
    for (int i = 0; i < cities->n; i++) tour[i] = i;
    return shortest(cities, tour, 1);
}

/* Coordinates of few values, so that cities share places and distances are equal. With many values, most bounds are the
 * shortest tour itself. */
static void no_tour_is_below_the_bound(void **state)
{
    (void)state;
    static const char *const rules[] = {"EUC_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "ATT", "GEO"};
    int met = 0, asked = 0;
    for (uint64_t seed = 1; seed <= 180; seed++) {
        uint64_t random = seed;
        const int n = 1 + (int)(seed % FEW), values = seed % 3 ? 80 : 3;
        for (int i = 0; i < n; i++)
            places[i] = (tsp_point){random_below(&random, values), random_below(&random, values)};
        const tsp_instance cities = {.n = n, .points = places, .rule = tsp_find_rule(rules[seed % 6])};
        const int64_t bound = bound_of(&cities), least = shortest_of_all(&cities);
        assert_in_range(bound, 0, least);
        met += bound == least;
        asked++;
    }
    assert_true(10 * met > 8 * asked);
}

/* Weights at random know no triangle inequality, and the near cities are not the shortest edges of the tree. */
static void no_tour_is_below_the_bound_of_a_matrix(void **state)
{
    (void)state;
    int32_t weights[FEW * FEW] = {0};
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t random = seed;
        const int n = 3 + (int)(seed % (FEW - 2));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) weights[i * n + j] = weights[j * n + i] = random_below(&random, 1000);
        const tsp_instance cities = {.n = n, .dist = weights};
        assert_in_range(bound_of(&cities), 0, shortest_of_all(&cities));
    }
}

/* Two far clusters of cities, each with all its near cities within: a long edge between them is in each tree. */
static void a_far_cluster_is_in_the_bound(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 100; i++)
        places[i] = (tsp_point){(i % 2) * 1000000 + random_below(&random, 100), random_below(&random, 100)};
    const tsp_instance cities = {.n = 100, .points = places, .rule = tsp_find_rule("EUC_2D")};
    assert_in_range(bound_of(&cities), 999900, 2 * 1000000 + 4000);
}

/* The shortest tour of many random cities comes to 0.7124 sqrt(n A) (1 + 0.33 / n), the bound to 0.7080 (1 + 0.55 / n)
 * of it, without the border's part (Johnson and McGeoch 1996). The potentials alone lead there: without them, the tree
 * comes to about 0.65. */
static void random_cities_have_the_bound_that_is_known(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < MOST; i++)
        places[i] = (tsp_point){random_below(&random, 1000000), random_below(&random, 1000000)};
    const tsp_instance cities = {.n = MOST, .points = places, .rule = tsp_find_rule("EUC_2D")};
    const double unit = sqrt((double)MOST) * 1e6, bound = (double)bound_of(&cities);
    assert_true(bound > 0.71 * unit && bound < 0.76 * unit);
}

static void no_time_is_no_bound(void **state)
{
    (void)state;
    for (int i = 0; i < MOST; i++) places[i] = (tsp_point){i, i % 7};
    const tsp_instance cities = {.n = MOST, .points = places, .rule = tsp_find_rule("EUC_2D")};
    int64_t bound = 0;
    assert_int_equal(bound_find(&cities, 0.0, &bound).code, AB_OK);
    assert_int_equal(bound, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_tour_is_below_the_bound),    cmocka_unit_test(no_tour_is_below_the_bound_of_a_matrix),
        cmocka_unit_test(a_far_cluster_is_in_the_bound), cmocka_unit_test(random_cities_have_the_bound_that_is_known),
        cmocka_unit_test(no_time_is_no_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
