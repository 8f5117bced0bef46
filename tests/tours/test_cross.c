/* Crossing of tours (tours/cross.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "tours/cross.h"
#include "tours/tour.h"

enum { MOST = 300 };

static tsp_point places[MOST];
static int32_t cities_at[2][MOST], places_of[2][MOST];
static cross_tour tours[2];

static tsp_instance instance_of(int n)
{
    return (tsp_instance){.n = n, .points = places, .rule = tsp_find_rule("EUC_2D")};
}

static crossing *prepare(const tsp_instance *cities, neighbours *near, ab_memory *memory)
{
    assert_int_equal(neighbours_find_around(cities, 1, near, memory).code, AB_OK);
    crossing *with = crossing_allocate(cities, near, memory);
    assert_int_equal(ab_memory_status(memory).code, AB_OK);
    for (int k = 0; k < 2; k++) {
        tours[k] = (cross_tour){.at = cities_at[k], .where = places_of[k]};
        for (int i = 0; i < cities->n; i++) cities_at[k][i] = i;
    }
    return with;
}

static void number(const tsp_instance *cities, int k)
{
    cross_tour_number(&tours[k], cities->n, tour_measure(cities, tours[k].at));
}

static void reverse(int32_t *tour, int from, int to)
{
    for (; from < to; from++, to--) {
        const int32_t city = tour[from];
        tour[from] = tour[to];
        tour[to] = city;
    }
}

/* Crosses tours[0] with tours[1]; checks that it is a tour of the length that is told, and no longer. */
static int64_t cross_checked(crossing *with, const tsp_instance *cities, double probability, uint64_t *random)
{
    const int64_t before = tours[0].length, gain = cross(with, &tours[0], &tours[1], probability, random);
    assert_true(gain >= 0);
    assert_int_equal(tours[0].length, before - gain);
    assert_int_equal(tour_measure(cities, tours[0].at), tours[0].length);
    for (int i = 0; i < cities->n; i++) assert_int_equal(tours[0].where[tours[0].at[i]], i);
    return gain;
}

/* Cities on a circle, whose shortest tour goes round. Each tour turns other paths of it. */
static void test_takes_the_better_of_each_place(void **state)
{
    (void)state;
    enum { N = 100 };
    for (int i = 0; i < N; i++)
        places[i] = (tsp_point){1e4 * cos(2 * i * 3.14159265 / N), 1e4 * sin(2 * i * 3.14159265 / N)};
    const tsp_instance cities = instance_of(N);
    ab_memory memory = {0};
    neighbours near;
    crossing *with = prepare(&cities, &near, &memory);
    uint64_t random = 1;
    number(&cities, 0);
    const int64_t shortest = tours[0].length;
    for (int i = 0; i < 4; i++) {
        reverse(cities_at[0], 25 * i, 25 * i + 5 + i);
        reverse(cities_at[1], 25 * i + 12, 25 * i + 16 + i);
    }
    for (int k = 0; k < 2; k++) number(&cities, k);
    assert_true(tours[0].length > shortest);
    assert_int_equal(cross_checked(with, &cities, 0.0, &random), 0);
    assert_true(cross_checked(with, &cities, 1.0, &random) > 0);
    assert_int_equal(tours[0].length, shortest);
    assert_int_equal(cross_checked(with, &cities, 1.0, &random), 0);
    ab_memory_free(&memory);
}

/* Tours by 2-opt of all pairs, ended early, so that they differ much, and their exchanges leave several closed tours. */
static void descend(const tsp_instance *cities, int k, int steps, uint64_t *random)
{
    int32_t *tour = cities_at[k];
    const int n = cities->n;
    for (int i = n - 1; i > 0; i--) {
        const int j = random_below(random, i + 1), city = tour[i];
        tour[i] = tour[j];
        tour[j] = city;
    }
    for (int step = 0; step < steps; step++) {
        const int i = random_below(random, n - 2), j = i + 1 + random_below(random, n - i - 2);
        const int a = tour[i], b = tour[i + 1], c = tour[j], d = tour[j + 1];
        if (tour_distance(cities, a, c) + tour_distance(cities, b, d) <
            tour_distance(cities, a, b) + tour_distance(cities, c, d))
            reverse(tour, i + 1, j);
    }
    number(cities, k);
}

static void test_what_is_crossed_stays_a_tour(void **state)
{
    (void)state;
    uint64_t random = 7;
    int64_t gained = 0;
    for (int n = 5; n <= MOST; n += n < 40 ? 1 : 20) {
        for (int i = 0; i < n; i++) {
            places[i] = (tsp_point){random_below(&random, 1000), random_below(&random, 1000)};
            if (n % 3 == 0 && i % 3) places[i] = places[i - 1];
        }
        const tsp_instance cities = instance_of(n);
        ab_memory memory = {0};
        neighbours near;
        crossing *with = prepare(&cities, &near, &memory);
        for (int steps = 0; steps <= 1 << 16; steps = 4 * steps + 16) {
            for (int k = 0; k < 2; k++) descend(&cities, k, steps, &random);
            for (int times = 0; times < 4; times++) gained += cross_checked(with, &cities, 0.7, &random);
        }
        memcpy(cities_at[1], cities_at[0], (size_t)n * sizeof *cities_at[1]);
        number(&cities, 1);
        assert_int_equal(cross_checked(with, &cities, 1.0, &random), 0);
        ab_memory_free(&memory);
    }
    assert_true(gained > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_takes_the_better_of_each_place),
        cmocka_unit_test(test_what_is_crossed_stays_a_tour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
