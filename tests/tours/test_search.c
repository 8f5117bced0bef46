/* Tours (tours/): near cities, the curve that a search begins with, local search move by move, and solving. Lengths are
 * measured anew by tests/support/tours.h, and, at each move, by a sum over the whole tour. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/support/directory.h"
#include "tests/support/tours.h"
#include "tours/search.h"
#include "tours/solve.h"
#include "tours/tour.h"

/* ---- Instances ---- */

enum { MOST = 2000 };

static tsp_point places[MOST];

/* An instance of places[0 .. n-1], not to be freed. */
static tsp_instance instance_of(int n, const char *rule)
{
    return (tsp_instance){.n = n, .points = places, .rule = tsp_find_rule(rule)};
}

typedef enum kind { UNIFORM, CLUSTERED, GRID, DOUBLED, ONE_PLACE, LINE, KINDS } kind;

static void draw_places(kind of, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++) {
        const double x = random_below(&seed, 1000), y = random_below(&seed, 1000);
        switch (of) {
        case CLUSTERED:
            places[i] = i % 7 ? (tsp_point){places[i - 1].x + x / 500, places[i - 1].y + y / 500} : (tsp_point){x, y};
            break;
        case GRID:
            places[i] = (tsp_point){10 * (i % 8), 10 * (i / 8)};
            break;
        case DOUBLED:
            places[i] = i % 3 ? places[i - 1] : (tsp_point){x, y};
            break;
        case ONE_PLACE:
            places[i] = (tsp_point){5, 5};
            break;
        case LINE:
            places[i] = (tsp_point){x, 0};
            break;
        default:
            places[i] = (tsp_point){x, y};
        }
    }
}

/* The distances of an instance with points, as those of one with EXPLICIT weights. The caller frees dist. */
static tsp_instance matrix_of(const tsp_instance *located)
{
    tsp_instance matrix = {.n = located->n};
    assert_int_equal(tsp_compute_distances("", located->rule, located->points, located->n, &matrix.dist).code, AB_OK);
    return matrix;
}

/* ---- Near cities and the curve ---- */

static bool is_near(const neighbours *near, int a, int b)
{
    for (int k = 0; k < near->count; k++)
        if (near->city[a * near->count + k] == b) return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double squared(int a, int b)
{
    const double x = places[a].x - places[b].x, y = places[a].y - places[b].y;
    return x * x + y * y;
}

/* Equally near cities may stand for each other, so their distances are compared. */
static void finds_the_nearest_cities(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, 8, 9, 50, 777};
    double all[MOST];
    for (int of = 0; of < KINDS; of++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
            const int n = sizes[size];
            neighbours near;
            ab_memory memory = {0};
            draw_places((kind)of, n, 3);
            const tsp_instance cities = instance_of(n, "EUC_2D");
            assert_int_equal(neighbours_find(&cities, 2, &near, &memory).code, AB_OK);
            assert_int_equal(near.count, n - 1 < NEIGHBOURS ? n - 1 : NEIGHBOURS);
            for (int i = 0; i < n; i++) {
                int others = 0;
                for (int j = 0; j < n; j++)
                    if (j != i) all[others++] = squared(i, j);
                qsort(all, (size_t)others, sizeof *all, compare);
                for (int k = 0; k < near.count; k++) {
                    const int32_t *city = near.city + i * near.count + k;
                    assert_int_not_equal(*city, i);
                    assert_true(squared(i, *city) == all[k]);
                    for (int earlier = 1; earlier <= k; earlier++) assert_int_not_equal(*city, city[-earlier]);
                }
            }
            ab_memory_free(&memory);
        }
}

static int quadrant(int from, int to)
{
    const bool left = places[to].x < places[from].x, below = places[to].y < places[from].y;
    return 2 * below + (left != below);
}

/* The two nearest of each quadrant are listed, or as many as there are. Equally near cities may stand for each other. */
static void finds_cities_of_each_quadrant(void **state)
{
    (void)state;
    for (int of = 0; of < KINDS; of++)
        for (int n = 1; n <= 400; n = 3 * n + 1) {
            neighbours near;
            ab_memory memory = {0};
            draw_places((kind)of, n, 5);
            const tsp_instance cities = instance_of(n, "EUC_2D");
            assert_int_equal(neighbours_find_around(&cities, 2, &near, &memory).code, AB_OK);
            assert_int_equal(near.count, n - 1 < NEIGHBOURS_MOST ? n - 1 : NEIGHBOURS_MOST);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    if (i == j || is_near(&near, i, j)) continue;
                    int nearer = 0;
                    for (int k = 0; k < n; k++)
                        nearer += k != i && quadrant(i, k) == quadrant(i, j) && squared(i, k) <= squared(i, j) &&
                                  is_near(&near, i, k);
                    assert_true(nearer >= 2);
                }
            ab_memory_free(&memory);
        }
}

/* Across the 180th meridian nothing is near, but north of 80 degrees a degree of longitude is short. */
static void near_on_the_globe_is_near_on_a_map(void **state)
{
    (void)state;
    neighbours near;
    ab_memory memory = {0};
    for (int i = 0; i < 20; i++)
        places[i] = i < 10 ? (tsp_point){84.0, 2.0 * i} : (tsp_point){84.0 - (i - 9) * 3.0, 0.0};
    const tsp_instance cities = instance_of(20, "GEO");
    assert_int_equal(neighbours_find(&cities, 1, &near, &memory).code, AB_OK);
    for (int k = 0; k < NEIGHBOURS; k++) assert_in_range(near.city[k], 1, 9);
    ab_memory_free(&memory);
}

/* On a grid of 2^k by 2^k places each step of Hilbert's curve goes to the next place. */
static void the_curve_goes_from_place_to_place(void **state)
{
    (void)state;
    int32_t order[1024];
    bool seen[1024] = {false};
    for (int i = 0; i < 1024; i++) places[i] = (tsp_point){7 * i % 1024 % 32, 7 * i % 1024 / 32};
    const tsp_instance cities = instance_of(1024, "EUC_2D");
    assert_int_equal(order_along_curve(&cities, order).code, AB_OK);
    for (int i = 0; i < 1024; i++) {
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
        if (i > 0) assert_true(squared(order[i - 1], order[i]) == 1.0);
    }
}

/* ---- The greedy tour ---- */

static void must_follow(const int32_t *order, int n, int a, int b)
{
    int i = 0;
    while (order[i] != a) i++;
    assert_true(order[i + 1 == n ? 0 : i + 1] == b || order[i == 0 ? n - 1 : i - 1] == b);
}

/* All edges that are chosen one by one, the shortest of all near ones that may still be, are in the tour. */
static void the_greedy_tour_has_the_shortest_edges(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 9, 60};
    for (int of = 0; of < KINDS; of++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
            const int n = sizes[size];
            int32_t order[60], path[60], edges[60] = {0};
            neighbours near;
            ab_memory memory = {0};
            draw_places((kind)of, n, 11);
            const tsp_instance located = instance_of(n, "EUC_2D");
            tsp_instance matrix = matrix_of(&located);
            assert_int_equal(neighbours_find(&located, 1, &near, &memory).code, AB_OK);
            assert_int_equal(order_along_curve(&located, order).code, AB_OK);
            assert_int_equal(order_greedily(size % 2 ? &located : &matrix, &near, order).code, AB_OK);
            assert_true(tour_measure(&matrix, order) >= 0);
            for (int i = 0; i < n; i++) path[i] = i;
            for (;;) {
                int a = -1, b = -1;
                for (int i = 0; i < n; i++)
                    for (int j = i + 1; j < n; j++)
                        if ((is_near(&near, i, j) || is_near(&near, j, i)) && path[i] != path[j] && edges[i] < 2 &&
                            edges[j] < 2 && (a < 0 || matrix.dist[i * n + j] < matrix.dist[a * n + b])) {
                            a = i;
                            b = j;
                        }
                if (a < 0) break;
                edges[a]++;
                edges[b]++;
                for (int i = 0, from = path[b]; i < n; i++) path[i] = path[i] == from ? path[a] : path[i];
                if (of == UNIFORM || of == LINE)
                    must_follow(order, n, a, b); /* elsewhere equal edges may stand for each other */
            }
            free(matrix.dist);
            ab_memory_free(&memory);
        }
}

/* Paths are joined where their ends are near: 0.70 of the curve's length. Joined in the order of their first cities,
 * they have 0.85 of it. */
static void the_greedy_tour_joins_near_ends(void **state)
{
    (void)state;
    static int32_t order[MOST];
    neighbours near;
    ab_memory memory = {0};
    draw_places(CLUSTERED, MOST, 7);
    const tsp_instance cities = instance_of(MOST, "EUC_2D");
    assert_int_equal(neighbours_find(&cities, 1, &near, &memory).code, AB_OK);
    assert_int_equal(order_along_curve(&cities, order).code, AB_OK);
    const int64_t along = tour_measure(&cities, order);
    assert_int_equal(order_greedily(&cities, &near, order).code, AB_OK);
    assert_true(10 * tour_measure(&cities, order) < 8 * along);
    ab_memory_free(&memory);
}

/* ---- Local search ---- */

/* The tour that is searched, as far as a watch must know it. */
static struct {
    int64_t length; /* as the gains say */
    int64_t told;   /* changes, or rounds */
    int looks_left; /* before time is over */
} watched;

static int64_t measure(const search *s)
{
    static bool seen[MOST];
    int64_t length = 0;
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < s->n; i++) {
        const int a = s->at[i], b = s->at[i + 1 == s->n ? 0 : i + 1];
        assert_in_range(a, 0, s->n - 1);
        assert_false(seen[a]);
        seen[a] = true;
        assert_int_equal(s->where[a], i);
        const size_t from = (size_t)s->id[a], to = (size_t)s->id[b];
        if (s->n > 1)
            length += s->cities->dist
                          ? s->cities->dist[from * (size_t)s->cities->n + to]
                          : (int64_t)s->cities->rule->distance(s->cities->points[from], s->cities->points[to]);
    }
    return length;
}

/* Measures the whole tour: each change gains what it says. */
static void check_change(const search *s, int64_t gain)
{
    watched.length -= gain;
    watched.told++;
    assert_int_equal(measure(s), watched.length);
}

static bool count_looks(void *context)
{
    (void)context;
    return watched.looks_left-- <= 0;
}

static void check_gained(void *context, int64_t gain)
{
    (void)context;
    assert_true(gain > 0);
}

/* A search that can be loaded, in *memory. */
static search prepare(const tsp_instance *cities, search_moves moves, neighbours *near, ab_memory *memory)
{
    search s = {.moves = moves, .random = 5, .stops = count_looks, .watch = check_change};
    assert_int_equal(neighbours_find(cities, 1, near, memory).code, AB_OK);
    search_allocate(&s, cities, cities->n, memory);
    assert_int_equal(ab_memory_status(memory).code, AB_OK);
    return s;
}

static void shuffle(int32_t *tour, int32_t *rank, int n, uint64_t seed)
{
    for (int i = 0; i < n; i++) tour[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int j = random_below(&seed, i + 1), city = tour[i];
        tour[i] = tour[j];
        tour[j] = city;
    }
    for (int i = 0; i < n; i++) rank[tour[i]] = i;
}

/* Descends and iterates with every change measured; returns the moves that were made. */
static int64_t search_checked(search *s, int kicked)
{
    watched.length = measure(s);
    watched.looks_left = 1 << 20;
    const int64_t begin = watched.length, gain = search_descend(s);
    assert_true(gain >= 0);
    assert_int_equal(measure(s), begin - gain);
    assert_int_equal(s->queue_length, 0);
    const int64_t moved = s->moved, settled = measure(s);
    watched.looks_left = kicked;
    const int64_t more = search_iterate(s, check_gained);
    assert_true(more >= 0);
    assert_int_equal(measure(s), settled - more);
    return moved;
}

static void every_move_gains_what_it_says(void **state)
{
    (void)state;
    static const char *const rules[] = {"EUC_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "ATT", "GEO"};
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 8, 11, 40, 150};
    int32_t tour[MOST], rank[MOST];
    int64_t moved = 0;
    for (int of = 0; of < KINDS; of++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
            for (int moves = SEARCH_OR_OPT; moves <= SEARCH_THREE_OPT; moves++) {
                const int n = sizes[size];
                ab_memory memory = {0};
                neighbours near;
                draw_places((kind)of, n, (uint64_t)size);
                const char *rule = rules[(size + (size_t)of) % 6];
                if (strcmp(rule, "GEO") == 0)
                    for (int i = 0; i < n; i++) places[i] = (tsp_point){places[i].x / 12 - 42, places[i].y / 6 - 80};
                const tsp_instance located = instance_of(n, rule);
                tsp_instance matrix = matrix_of(&located);
                search s = prepare(of % 2 ? &matrix : &located, (search_moves)moves, &near, &memory);
                shuffle(tour, rank, n, 9);
                search_load(&s, &near, tour, rank, 0, n, false);
                moved += search_checked(&s, 3);
                search_store(&s, tour, 0, n);
                assert_int_equal(tour_measure(&matrix, tour), measure(&s));
                ab_memory_free(&memory);
                free(matrix.dist);
            }
    assert_true(moved > 1000);
}

/* A warm search leaves its best tour, finds back to it or below, and stores no other; a cold one is never above. */
static void the_best_tour_is_kept(void **state)
{
    (void)state;
    enum { N = 150, ROUNDS = 200 };
    int32_t tour[N], rank[N];
    ab_memory memory = {0};
    neighbours near;
    draw_places(UNIFORM, N, 3);
    const tsp_instance cities = instance_of(N, "EUC_2D");
    search s = prepare(&cities, SEARCH_THREE_OPT, &near, &memory);
    shuffle(tour, rank, N, 9);
    search_load(&s, &near, tour, rank, 0, N, false);
    watched.length = measure(&s);
    watched.looks_left = 1 << 20;
    search_descend(&s);
    int64_t best = watched.length;
    int above = 0, gains = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const bool was_above = s.above > 0;
        s.temperature = round % 20 < 15 ? 10.0 : 0.0; /* the mean edge has about 60 */
        watched.looks_left = 1;
        const int64_t gain = search_iterate(&s, check_gained);
        best -= gain;
        assert_true(gain >= 0 && s.above >= 0);
        if (s.temperature == 0.0 && !was_above) assert_int_equal(s.above, 0);
        assert_int_equal(measure(&s), best + s.above);
        search_store(&s, tour, 0, N);
        assert_int_equal(tour_measure(&cities, tour), best);
        above += s.above > 0;
        gains += was_above && gain > 0;
    }
    assert_in_range(above, ROUNDS / 10, ROUNDS - 10);
    assert_true(gains > 0);
    ab_memory_free(&memory);
}

/* A part of a tour keeps its ends, and what is outside of it. */
static void a_part_keeps_its_ends(void **state)
{
    (void)state;
    enum { N = 300, PART = 120 };
    int32_t tour[N], rank[N], before[N];
    draw_places(UNIFORM, N, 1);
    const tsp_instance cities = instance_of(N, "EUC_2D");
    for (int first = 0; first < N; first += 90) {
        ab_memory memory = {0};
        neighbours near;
        search s = prepare(&cities, SEARCH_THREE_OPT, &near, &memory);
        shuffle(tour, rank, N, 4);
        memcpy(before, tour, sizeof tour);
        const int64_t length = tour_measure(&cities, tour);
        search_load(&s, &near, tour, rank, first, PART, false);
        const int64_t begin = measure(&s);
        assert_true(search_checked(&s, 30) > 50);
        assert_int_equal(abs(s.where[0] - s.where[PART - 1]) % (PART - 2), 1);
        search_store(&s, tour, first, N);
        assert_int_equal(length - tour_measure(&cities, tour), begin - measure(&s));
        assert_int_equal(tour[first], before[first]);
        assert_int_equal(tour[(first + PART - 1) % N], before[(first + PART - 1) % N]);
        for (int i = PART; i < N; i++) assert_int_equal(tour[(first + i) % N], before[(first + i) % N]);
        ab_memory_free(&memory);
    }
}

/* A warm search of a part may be above its best path when it ends. The path that it stores begins and ends where the part
 * does. */
static void a_warm_part_keeps_its_ends(void **state)
{
    (void)state;
    enum { N = 300, PART = 120, ROUNDS = 100 };
    int32_t tour[N], rank[N];
    ab_memory memory = {0};
    neighbours near;
    draw_places(UNIFORM, N, 1);
    const tsp_instance cities = instance_of(N, "EUC_2D");
    search s = prepare(&cities, SEARCH_THREE_OPT, &near, &memory);
    shuffle(tour, rank, N, 4);
    const int32_t begins = tour[90], ends = tour[90 + PART - 1];
    int64_t length = tour_measure(&cities, tour);
    search_load(&s, &near, tour, rank, 90, PART, false);
    watched.length = measure(&s);
    watched.looks_left = 1 << 20;
    length -= search_descend(&s);
    int above = 0, turned = 0;
    for (int round = 0; round < ROUNDS; round++) {
        s.temperature = 10.0; /* the mean edge has about 60 */
        watched.looks_left = 1;
        length -= search_iterate(&s, NULL);
        search_store(&s, tour, 90, N);
        assert_int_equal(tour_measure(&cities, tour), length);
        assert_int_equal(tour[90], begins);
        assert_int_equal(tour[90 + PART - 1], ends);
        above += s.above > 0;
        turned += s.above > 0 && s.best[0] != 0;
    }
    assert_in_range(above, ROUNDS / 10, ROUNDS);
    assert_true(turned > 0);
    ab_memory_free(&memory);
}

/* ---- Nothing is overlooked: what begins and ends at near cities ---- */

enum { FEW = 14 };

static int64_t cost(const tsp_instance *matrix, const int32_t *tour)
{
    int64_t length = 0;
    for (int i = 0; i < matrix->n; i++)
        length += matrix->dist[tour[i] * matrix->n + tour[i + 1 == matrix->n ? 0 : i + 1]];
    return length;
}

/* Copies tour[from .. to] behind copy[*count], turned round or not. Whether it begins near to the city before it. */
static bool copy_path(const neighbours *near, const int32_t *tour, int from, int to, bool turned, int32_t *copy,
                      int *count)
{
    const int begin = *count;
    for (int i = from; i <= to; i++) copy[(*count)++] = tour[turned ? from + to - i : i];
    return begin == 0 || (is_near(near, copy[begin - 1], copy[begin]) && is_near(near, copy[begin], copy[begin - 1]));
}

/* The shortest that a tour becomes by one move: each way to put the paths [0, i), [i, j), [j, n) together, of 2-opt
 * and, as far as `moves` goes, of 3-opt, with new edges between cities that are near to each other. Rotating the tour
 * is the caller's. */
static int64_t best_move(const tsp_instance *matrix, const neighbours *near, const int32_t *tour, search_moves moves)
{
    const int n = matrix->n;
    int64_t best = INT64_MAX;
    int32_t changed[FEW];
    for (int i = 1; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int form = 0; form < 8; form++) {
                /* Of the second and the third path; with both turned as well as swapped it is 2-opt, of both
                 * together. */
                const bool swapped = form & 4, turned[] = {form & 1, form & 2};
                const int first = j - i, second = n - j, moved = turned[0] ? second : first;
                const bool two_opt =
                    swapped == turned[0] && swapped == turned[1] ? swapped : !swapped && turned[0] != turned[1];
                const bool or_opt =
                    swapped && (turned[0] || turned[1] ? moved <= 3 : first <= 3 || second <= 3 || i <= 3);
                if (moves == SEARCH_OR_OPT && !two_opt && !or_opt) continue;
                int count = 0;
                copy_path(near, tour, 0, i - 1, false, changed, &count);
                const bool near_one =
                    copy_path(near, tour, swapped ? j : i, swapped ? n - 1 : j - 1, turned[0], changed, &count);
                const bool near_two =
                    copy_path(near, tour, swapped ? i : j, swapped ? j - 1 : n - 1, turned[1], changed, &count);
                const int64_t length = cost(matrix, changed);
                if (near_one && near_two && is_near(near, changed[n - 1], changed[0]) &&
                    is_near(near, changed[0], changed[n - 1]))
                    best = length < best ? length : best;
            }
    return best;
}

/* Weights at random know no triangle inequality: here all moves have a chance. */
static void draw_weights(tsp_instance *matrix, uint64_t seed)
{
    const int n = matrix->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) matrix->dist[i * n + j] = matrix->dist[j * n + i] = random_below(&seed, 1000);
}

/* Descends until no city has a move. Once is not enough: a move of some cities may become possible by one of others
 * that are not near to them, which does not make a search look at them again. */
static void settle(search *s, const neighbours *near, int32_t *tour, int32_t *rank)
{
    do {
        for (int i = 0; i < s->cities->n; i++) rank[tour[i]] = i;
        search_load(s, near, tour, rank, 0, s->cities->n, false);
        watched.length = measure(s);
        watched.looks_left = 1000;
        s->moved = 0;
        search_descend(s);
        search_store(s, tour, 0, s->cities->n);
    } while (s->moved > 0);
}

static void overlooks_no_move(void **state)
{
    (void)state;
    int32_t tour[FEW], rank[FEW], turned[FEW];
    for (uint64_t seed = 1; seed <= 1000; seed++)
        for (int moves = SEARCH_OR_OPT; moves <= SEARCH_THREE_OPT; moves++) {
            ab_memory memory = {0};
            neighbours near;
            const int n = 5 + (int)(seed % (FEW - 4));
            draw_places(seed % 3 ? UNIFORM : CLUSTERED, n, seed);
            const tsp_instance cities = instance_of(n, "EUC_2D");
            tsp_instance matrix = matrix_of(&cities);
            if (seed % 2) draw_weights(&matrix, seed);
            search s = prepare(seed % 2 ? &matrix : &cities, (search_moves)moves, &near, &memory);
            shuffle(tour, rank, n, seed);
            settle(&s, &near, tour, rank);
            for (int shift = 0; shift < n; shift++) {
                for (int i = 0; i < n; i++) turned[i] = tour[(i + shift) % n];
                assert_true(best_move(&matrix, &near, turned, (search_moves)moves) >= measure(&s));
            }
            free(matrix.dist);
            ab_memory_free(&memory);
        }
}

/* 2000 cities from the curve on: 1.102 and 1.059 times 0.7080 sqrt(n A). Where the ends of a move's edges are not
 * looked at again it is 1.107 and 1.073. */
static void descends_far(void **state)
{
    (void)state;
    static int32_t tour[MOST], rank[MOST];
    static const double most[] = {[SEARCH_OR_OPT] = 1.105, [SEARCH_THREE_OPT] = 1.065};
    draw_places(UNIFORM, MOST, 1);
    const tsp_instance cities = instance_of(MOST, "EUC_2D");
    for (int moves = SEARCH_OR_OPT; moves <= SEARCH_THREE_OPT; moves++) {
        ab_memory memory = {0};
        neighbours near;
        search s = prepare(&cities, (search_moves)moves, &near, &memory);
        s.watch = NULL;
        assert_int_equal(order_along_curve(&cities, tour).code, AB_OK);
        for (int i = 0; i < MOST; i++) rank[tour[i]] = i;
        search_load(&s, &near, tour, rank, 0, MOST, false);
        watched.looks_left = INT32_MAX;
        search_descend(&s);
        assert_true((double)measure(&s) < most[moves] * 0.7080 * sqrt(MOST) * 1000);
        ab_memory_free(&memory);
    }
}

/* ---- Solving ---- */

static int64_t shortest(const tsp_instance *matrix, int32_t *tour, int from)
{
    if (from == matrix->n) return cost(matrix, tour);
    int64_t best = INT64_MAX;
    for (int i = from; i < matrix->n; i++) {
        const int32_t city = tour[i];
        tour[i] = tour[from];
        tour[from] = city;
        const int64_t length = shortest(matrix, tour, from + 1);
        best = length < best ? length : best;
        tour[from] = tour[i];
        tour[i] = city;
    }
    return best;
}

static solve_result solve_checked(const tsp_instance *cities, const solve_options *options, int32_t *tour)
{
    solve_result result;
    const ab_status status = solve(cities, options, tour, &result);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    assert_int_equal(tour_measure(cities, tour), result.length);
    return result;
}

static void finds_the_shortest_of_all(void **state)
{
    (void)state;
    int32_t tour[8];
    for (int n = 1; n <= 8; n++) {
        draw_places(UNIFORM, n, (uint64_t)n);
        const tsp_instance cities = instance_of(n, "EUC_2D");
        tsp_instance matrix = matrix_of(&cities);
        for (int i = 0; i < n; i++) tour[i] = i;
        const solve_options options = {
            .moves = SEARCH_THREE_OPT, .seconds = 5, .target = shortest(&matrix, tour, 1), .threads = 2};
        const solve_result result = solve_checked(n % 2 ? &cities : &matrix, &options, tour);
        assert_int_equal(result.length, options.target);
        assert_true(result.seconds < 5);
        free(matrix.dist);
    }
}

static void one_place_has_a_tour_at_once(void **state)
{
    (void)state;
    static int32_t tour[MOST];
    draw_places(ONE_PLACE, MOST, 0);
    const tsp_instance cities = instance_of(MOST, "EUC_2D");
    const solve_options options = {.moves = SEARCH_THREE_OPT, .seconds = 100, .threads = 2};
    assert_int_equal(solve_checked(&cities, &options, tour).length, 0);
}

static bool stops_after(void *context)
{
    return --*(int *)context < 0;
}

static void check_round(void *context, const int32_t *tour, int64_t length, double seconds)
{
    (void)context;
    static int64_t before = INT64_MAX;
    assert_non_null(tour);
    assert_true(seconds > 0);
    if (watched.told == 0) before = INT64_MAX;
    watched.told++;
    assert_true(length <= before);
    before = length;
}

/* Whole tours and parts of one, one thread and several; a part's length is counted by what its thread has gained. */
static void each_round_is_shorter(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int threads;
        double seconds, ratio; /* to 0.7124 sqrt(n A), with room: sanitizers are slow */
    } cases[] = {{"u1000", 1, 0.3, 1.15}, {"u1000", 3, 0.3, 1.15}, {"u11000", 2, 1.5, 1.2}, {"u60000", 1, 2.0, 1.4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsp_instance cities;
        int left = INT32_MAX;
        watched.told = 0;
        assert_int_equal(tsp_locate(cases[i].name, &cities).code, AB_OK);
        int32_t *tour = malloc((size_t)cities.n * sizeof *tour);
        const solve_options options = {.moves = SEARCH_THREE_OPT,
                                       .seconds = cases[i].seconds,
                                       .seed = 2,
                                       .threads = cases[i].threads,
                                       .stops = stops_after,
                                       .tell = check_round,
                                       .context = &left};
        const solve_result result = solve_checked(&cities, &options, tour);
        const double shape = (double)result.length / 1e6, n = cities.n;
        assert_true(shape * shape < cases[i].ratio * cases[i].ratio * 0.7124 * 0.7124 * n);
        assert_int_equal(watched.told, 1 + result.rounds);
        free(tour);
        tsp_free(&cities);
    }
}

static void stops_when_told(void **state)
{
    (void)state;
    static int32_t tour[MOST];
    int left = 3;
    draw_places(UNIFORM, MOST, 1);
    const tsp_instance cities = instance_of(MOST, "EUC_2D");
    const solve_options options = {
        .moves = SEARCH_THREE_OPT, .seconds = 1000, .threads = 1, .stops = stops_after, .context = &left};
    assert_true(solve_checked(&cities, &options, tour).seconds < 100);
}

static void a_seed_is_one_search(void **state)
{
    (void)state;
    static int32_t first[MOST], second[MOST];
    draw_places(UNIFORM, MOST, 1);
    const tsp_instance cities = instance_of(MOST, "EUC_2D");
    for (uint64_t seed = 1; seed <= 2; seed++) {
        int left[2] = {60, 60};
        solve_options options = {.moves = SEARCH_THREE_OPT,
                                 .seconds = 1000,
                                 .seed = 7,
                                 .threads = 1,
                                 .stops = stops_after,
                                 .context = &left[0]};
        solve_checked(&cities, &options, first);
        options.context = &left[1];
        options.seed = seed == 1 ? 7 : 8;
        solve_checked(&cities, &options, second);
        assert_int_equal(memcmp(first, second, sizeof first) == 0, seed == 1);
    }
}

/* ---- Tours ---- */

static void measures_only_tours(void **state)
{
    (void)state;
    draw_places(GRID, 3, 0);
    const tsp_instance cities = instance_of(3, "EUC_2D");
    assert_int_equal(tour_measure(&cities, (const int32_t[]){0, 1, 2}), 40);
    assert_int_equal(tour_measure(&cities, (const int32_t[]){0, 1, 1}), -1);
    assert_int_equal(tour_measure(&cities, (const int32_t[]){0, 1, 3}), -1);
    assert_int_equal(tour_measure(&cities, (const int32_t[]){0, -1, 2}), -1);
    const tsp_instance one = instance_of(1, "GEO"); /* where a city is 1 km from itself */
    assert_int_equal(tour_measure(&one, (const int32_t[]){0}), 0);
}

static void writes_what_can_be_read(void **state)
{
    (void)state;
    const int32_t tour[] = {3, 0, 2, 1};
    int32_t read[4];
    assert_int_equal(tour_write("four.tour", "four", "length 12", tour, 4).code, AB_OK);
    read_tour("four.tour", 4, read);
    assert_memory_equal(read, tour, sizeof tour);
    char text[256] = "";
    FILE *file = fopen("four.tour", "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(
        text, "NAME : four\nCOMMENT : length 12\nTYPE : TOUR\nDIMENSION : 4\nTOUR_SECTION\n4\n1\n3\n2\n-1\nEOF\n");
    assert_int_equal(tour_check_path("four.tour").code, AB_OK);
    assert_string_equal(tour_check_path("nowhere/x.tour").reason, "nowhere/x.tour: No such file or directory");
    assert_string_equal(tour_check_path(".").reason, ".: not a regular file");
    assert_string_equal(tour_check_path("/dev/null").reason, "/dev/null: not a regular file");
    assert_string_equal(tour_write("nowhere/x.tour", "x", "", tour, 4).reason,
                        "nowhere/x.tour: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_nearest_cities),
        cmocka_unit_test(finds_cities_of_each_quadrant),
        cmocka_unit_test(near_on_the_globe_is_near_on_a_map),
        cmocka_unit_test(the_curve_goes_from_place_to_place),
        cmocka_unit_test(the_greedy_tour_has_the_shortest_edges),
        cmocka_unit_test(the_greedy_tour_joins_near_ends),
        cmocka_unit_test(every_move_gains_what_it_says),
        cmocka_unit_test(the_best_tour_is_kept),
        cmocka_unit_test(a_part_keeps_its_ends),
        cmocka_unit_test(a_warm_part_keeps_its_ends),
        cmocka_unit_test(overlooks_no_move),
        cmocka_unit_test(descends_far),
        cmocka_unit_test(finds_the_shortest_of_all),
        cmocka_unit_test(one_place_has_a_tour_at_once),
        cmocka_unit_test(each_round_is_shorter),
        cmocka_unit_test(stops_when_told),
        cmocka_unit_test(a_seed_is_one_search),
        cmocka_unit_test(measures_only_tours),
        cmocka_unit_test(writes_what_can_be_read),
    };
    return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
