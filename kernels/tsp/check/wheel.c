/* Choices among equals (kernels/tsp/check/wheel.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tsp/check/wheel.h"

/* A count x of choices of probability p_1, p_2 ... whose sum is the mean has a chance of exp(-surprise) at most to be
 * so far from it (Chernoff's bound). */
#define MOST_SURPRISE 20.0

/* Tours of so many bits of chance are the same once in 2^bits times. */
#define DIFFERENT_BITS 60.0

enum { MANY = 500 /* tours from which on they are hashed on all cores */ };

/* FNV-1a (Fowler, Noll & Vo), a city at a time. */
static uint64_t hash_of(const int32_t *tour, int n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < n; ++i) hash = (hash ^ (uint64_t)(uint32_t)tour[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The number of cities that may follow `from`, and the number of these before `to`. They are the unmarked cities: in
 * the candidate set if there is one. If it is exhausted both numbers are 0. */
static int options(const tsp_problem *problem, int from, int to, const bool *visited, int *before)
{
    const int32_t *set = problem->nn_list ? problem->nn_list + (size_t)from * (size_t)problem->nn : NULL;
    const int count = set ? problem->nn : problem->n;
    int found = 0;
    *before = 0;
    for (int i = 0; i < count; ++i) {
        const int city = set ? set[i] : i;
        if (visited[city]) continue;
        ++found;
        *before += city < to;
    }
    return found;
}

/* A choice takes the wheel from before/k to (before + 1)/k. */
static void add_choice(tsp_wheel *w, int before, int k)
{
    const double from = (double)before / k * WHEEL_PARTS, to = (double)(before + 1) / k * WHEEL_PARTS;
    for (int part = 0; part < WHEEL_PARTS; ++part) {
        const double inside = fmin(to, part + 1) - fmax(from, part);
        if (inside > 0.0) w->part[part] += inside / (to - from);
    }
    w->first += before == 0;
    w->last += before == k - 1;
    w->end += 1.0 / k;
    w->choices += 1.0;
    w->bits += log2(k);
}

static void add_tour(tsp_wheel *w, const tsp_problem *problem, const int32_t *tour, bool *visited)
{
    memset(visited, 0, (size_t)problem->n * sizeof *visited);
    w->tours += 1.0;
    for (int i = 0; i + 1 < problem->n; ++i) {
        int before;
        visited[tour[i]] = true;
        const int k = options(problem, tour[i], tour[i + 1], visited, &before);
        if (k > 1) add_choice(w, before, k);
    }
}

void tsp_wheel_add(tsp_wheel *w, const tsp_problem *problem, const int32_t *tours, int n_ants, int iteration,
                   bool *mark)
{
    const int n = problem->n, enough = WHEEL_CHOICES / n + 1, every = n_ants > enough ? n_ants / enough : 1;
    const size_t length = (size_t)n + 1;
    tsp_wheel_tour *const added = w->all + w->n_all;
#pragma omp parallel for if (n_ants >= MANY)
    for (int ant = 0; ant < n_ants; ++ant)
        added[ant] = (tsp_wheel_tour){hash_of(tours + (size_t)ant * length, n), iteration, ant};
    w->n_all += n_ants;
    for (int ant = 0; ant < n_ants; ant += every) add_tour(w, problem, tours + (size_t)ant * length, mark);
}

static int compare_tours(const void *one, const void *other)
{
    const tsp_wheel_tour *a = one, *b = other;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->iteration != b->iteration ? a->iteration - b->iteration : a->ant - b->ant;
}

static ab_status check_different(tsp_wheel *w)
{
    qsort(w->all, (size_t)w->n_all, sizeof *w->all, compare_tours);
    for (int i = 1; i < w->n_all; ++i) {
        const tsp_wheel_tour *one = &w->all[i - 1], *other = &w->all[i];
        if (one->hash == other->hash)
            return ab_failed(
                "ant %d of iteration %d goes the same way as ant %d of iteration %d: the same random numbers",
                other->ant, other->iteration, one->ant, one->iteration);
    }
    return ab_ok();
}

static ab_status check_count(const char *what, double count, double mean, double choices)
{
    const double surprise = (count > 0.0 ? count * log(count / mean) : 0.0) - count + mean;
    if (!(mean > 0.0) || surprise <= MOST_SURPRISE) return ab_ok();
    return ab_failed("of %.0f choices among cities that weigh the same %.0f took %s, not about %.0f", choices, count,
                     what, mean);
}

ab_status tsp_wheel_check(tsp_wheel *w)
{
    char name[48];
    if (w->bits >= DIFFERENT_BITS * w->tours) AB_TRY(check_different(w));
    AB_TRY(check_count("the first of them", w->first, w->end, w->choices));
    AB_TRY(check_count("the last of them", w->last, w->end, w->choices));
    for (int part = 0; part < WHEEL_PARTS; ++part) {
        snprintf(name, sizeof name, "sixteenth %d of the wheel", part + 1);
        AB_TRY(check_count(name, w->part[part], w->choices / WHEEL_PARTS, w->choices));
    }
    return ab_ok();
}

ab_status tsp_wheel_check_nearest(const tsp_problem *problem, const int32_t *tour, bool *mark)
{
    memset(mark, 0, (size_t)problem->n * sizeof *mark);
    for (int i = 0; i + 1 < problem->n; ++i) {
        mark[tour[i]] = true;
        const int nearest = tsp_nearest_unvisited(problem, tour[i], mark);
        if (tour[i + 1] != nearest)
            return ab_failed("where all weigh 0 city %d follows city %d, not %d, the nearest", tour[i + 1], tour[i],
                             nearest);
    }
    return ab_ok();
}
