/* Problems for tests, without files (tests/support/problems.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/problems.h"

double test_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *state ^ *state >> 33;
    x *= 0xff51afd7ed558ccdu;
    return (double)(x >> 11) * 0x1p-53;
}

tsp_problem random_problem(int n, int side, uint64_t seed)
{
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    int32_t *dist = malloc((size_t)n * (size_t)n * sizeof *dist);
    assert_non_null(x);
    assert_non_null(y);
    assert_non_null(dist);
    for (int i = 0; i < n; i++) {
        x[i] = floor(test_random(&seed) * side);
        y[i] = floor(test_random(&seed) * side);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            dist[(size_t)i * (size_t)n + (size_t)j] = (int32_t)lround(hypot(x[i] - x[j], y[i] - y[j]));
    free(x);
    free(y);
    return (tsp_problem){.n = n, .dist = dist};
}

void free_problem(tsp_problem *problem)
{
    free((void *)(uintptr_t)problem->dist);
    problem->dist = NULL;
}

void assert_tour(const tsp_problem *problem, const int32_t *tour, int64_t length)
{
    const int n = problem->n;
    int64_t expected = 0;
    bool *seen = calloc((size_t)n, sizeof *seen);
    assert_non_null(seen);
    for (int i = 0; i < n; i++) {
        assert_in_range(tour[i], 0, n - 1);
        assert_false(seen[tour[i]]);
        seen[tour[i]] = true;
        assert_in_range(tour[i + 1], 0, n - 1);
        expected += problem->dist[(size_t)tour[i] * (size_t)n + (size_t)tour[i + 1]];
    }
    assert_int_equal(tour[n], tour[0]);
    assert_true(length == expected);
    free(seen);
}
