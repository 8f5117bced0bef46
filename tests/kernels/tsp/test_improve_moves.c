/* Local search against brute force: every move is a whole tour, spliced from the one before and measured.
 *
 * The stage of the kernels (steps/improve.cu) must make exactly the moves that its rule says, to the last one, by lists
 * of every length: the best of the city's 2-opts and Or-opts of one to three cities, and the cities at its ends are
 * looked at again. The search of the CPU (tours/search.h) must leave no move of the class that it claims. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kernels/host/host_backend.h"
#include "kernels/tsp/check/improved.h"
#include "tests/planted/tsp_improve.h"
#include "tests/support/problems.h"
#include "tours/search.h"

enum { MOST = 70, ANTS = 8, OR_OPT = 3, LONGEST_LIST = 16, N_ORDERS = 3 };

typedef struct ring {
    int n;
    const tsp_problem *problem;
    int32_t at[MOST], where[MOST]; /* the city at each place, the place of each city */
} ring;

static ring *number_places(ring *tour)
{
    for (int i = 0; i < tour->n; i++) tour->where[tour->at[i]] = i;
    return tour;
}

static int64_t distance(const ring *tour, int a, int b)
{
    return tsp_distance(tour->problem, a, b);
}

static int64_t length_of(const ring *tour)
{
    int64_t length = 0;
    for (int i = 0; i < tour->n; i++) length += distance(tour, tour->at[i], tour->at[(i + 1) % tour->n]);
    return length;
}

/* The city that many steps from here; step is +1 or -1 times their number. */
static int beside(const ring *tour, int city, int steps)
{
    return tour->at[(tour->where[city] + steps + tour->n) % tour->n];
}

/* The tour from `first` on, in that direction. */
static ring turned(const ring *tour, int first, int step)
{
    ring made = *tour;
    for (int i = 0; i < tour->n; i++) made.at[i] = beside(tour, first, i * step);
    return *number_places(&made);
}

/* ---- Moves ---- */

/* Takes out the edges from `city` to the next city and from `to` to the one after it, puts in city-to. */
static ring two_opt(const ring *tour, int city, int step, int to)
{
    ring made = turned(tour, beside(tour, city, step), step); /* next .. to after .. city */
    for (int i = 0, j = made.where[to]; i < j; i++, j--) {
        const int32_t swapped = made.at[i];
        made.at[i] = made.at[j];
        made.at[j] = swapped;
    }
    return *number_places(&made);
}

/* Carries `count` cities, `city` and those behind it, beside `to`: behind it in this direction (side 0) or before it. */
static ring or_opt(const ring *tour, int city, int step, int count, int to, int side)
{
    const ring from_next = turned(tour, beside(tour, city, step), step); /* the cities carried are its end */
    ring made = *tour;
    int at = 0;
    for (int i = 0; i < tour->n - count; i++) {
        if (side == 0 || from_next.at[i] != to) made.at[at++] = from_next.at[i];
        for (int k = 0; from_next.at[i] == to && k < count; k++)
            made.at[at++] = from_next.at[tour->n - (side == 0 ? 1 + k : count - k)];
        if (side == 1 && from_next.at[i] == to) made.at[at++] = to;
    }
    assert_int_equal(at, tour->n);
    return *number_places(&made);
}

static bool carries(const ring *tour, int city, int step, int count, int to)
{
    for (int k = 0; k < count; k++)
        if (beside(tour, city, -k * step) == to) return true;
    return false;
}

/* ---- The rule of the kernels' stage ---- */

typedef struct best_move {
    int64_t gain; /* 0: none */
    ring made;
    int n_ends, ends[6]; /* of the edges that go */
} best_move;

static void keep(const ring *tour, ring made, best_move *best, int city, int step, int to, int count, int side)
{
    const int64_t gain = length_of(tour) - length_of(&made);
    if (gain <= best->gain) return;
    const int last = beside(tour, city, -(count - 1) * step);
    *best = (best_move){
        gain,
        made,
        count ? 6 : 4,
        {city, beside(tour, city, step), to, beside(tour, to, side ? -step : step), last, beside(tour, last, -step)}};
}

/* The best move of a city: of equals the first, as lanes and forms are numbered. */
static best_move best_of(const ring *tour, const int32_t *near, int listed, int city)
{
    best_move best = {0};
    for (int step = 1; step >= -1; step -= 2)
        for (int k = 0; k < listed; k++) {
            const int to = near[city * listed + k];
            if (distance(tour, city, to) >= distance(tour, city, beside(tour, city, step))) continue;
            keep(tour, two_opt(tour, city, step, to), &best, city, step, to, 0, 0);
            for (int count = 1; count <= OR_OPT && count <= tour->n - 3; count++) {
                if (carries(tour, city, step, count, to)) break;
                for (int side = 0; side < 2; side++)
                    keep(tour, or_opt(tour, city, step, count, to, side), &best, city, step, to, count, side);
            }
        }
    return best;
}

/* The next city to be looked at, the first bit of the first word from the latest one on; -1: none. */
static int take(bool *look, int n, int *word)
{
    const int words = (n + 31) / 32;
    for (int i = 0; i < words; i++) {
        const int at = (*word + i) % words;
        for (int city = 32 * at; city < n && city < 32 * (at + 1); city++)
            if (look[city]) {
                look[city] = false;
                *word = at;
                return city;
            }
    }
    return -1;
}

/* Improves as the stage must, at most so many moves; returns how many. */
static int improve(ring *tour, const int32_t *near, int listed, int most)
{
    bool look[MOST];
    int moves = 0, word = 0;
    for (int i = 0; i < tour->n; i++) look[i] = true;
    for (int city; moves < most && (city = take(look, tour->n, &word)) >= 0;) {
        const best_move best = best_of(tour, near, listed, city);
        if (best.gain == 0) continue;
        for (int i = 0; i < best.n_ends; i++) look[best.ends[i]] = true;
        *tour = best.made;
        moves++;
    }
    return moves;
}

/* ---- Problems and tours ---- */

/* Cities on a plane, or distances that obey no triangle; so long that hardly two moves gain the same. */
static tsp_problem make_problem(int n, bool plane, uint64_t seed)
{
    tsp_problem problem = random_problem(n, 1000000, seed);
    int32_t *const dist = (int32_t *)(uintptr_t)problem.dist;
    for (int i = 0; i < n && !plane; i++)
        for (int j = 0; j < i; j++) dist[i * n + j] = dist[j * n + i] = 1 + random_below(&seed, 1000000);
    return problem;
}

static ring shuffled(const tsp_problem *problem, uint64_t *random)
{
    ring tour = {.n = problem->n, .problem = problem};
    for (int i = 0; i < tour.n; i++) {
        const int j = random_below(random, i + 1);
        tour.at[i] = tour.at[j];
        tour.at[j] = i;
    }
    return *number_places(&tour);
}

static void close_ring(const ring *tour, int32_t *closed)
{
    memcpy(closed, tour->at, (size_t)tour->n * sizeof *closed);
    closed[tour->n] = closed[0];
}

/* Whether two tours are one, whatever its first city and direction. */
static bool same_ring(const ring *a, const ring *b)
{
    const int step = beside(b, a->at[0], 1) == a->at[1] ? 1 : -1;
    const ring other = turned(b, a->at[0], step);
    return memcmp(a->at, other.at, (size_t)a->n * sizeof *a->at) == 0;
}

/* ---- Kernels ---- */

/* Some tours, improved by at most so many moves; returns the number of moves. */
static int check_stage(const tsp_problem *problem, const int32_t *near, int listed, int most, uint64_t seed)
{
    const int n = problem->n;
    static int32_t tours[ANTS * (MOST + 1)];
    int64_t lengths[ANTS];
    ring expected[ANTS];
    int moves = 0;
    for (int ant = 0; ant < ANTS; ant++) {
        expected[ant] = shuffled(problem, &seed);
        lengths[ant] = length_of(&expected[ant]);
        close_ring(&expected[ant], tours + ant * (n + 1));
        moves += improve(&expected[ant], near, listed, most);
    }
    const ab_status status = planted_improve_tours(problem, near, listed, most, ANTS, tours, lengths);
    if (status.code != AB_OK) fail_msg("n %d: %s", n, status.reason);
    for (int ant = 0; ant < ANTS; ant++) {
        ring found = {.n = n, .problem = problem};
        assert_tour(problem, tours + ant * (n + 1), lengths[ant]);
        memcpy(found.at, tours + ant * (n + 1), (size_t)n * sizeof *found.at);
        number_places(&found);
        if (lengths[ant] != length_of(&expected[ant]) || !same_ring(&found, &expected[ant]))
            fail_msg("n %d, lists of %d, at most %d moves, ant %d: the tour is %lld long and must be %lld", n, listed,
                     most, ant, (long long)lengths[ant], (long long)length_of(&expected[ant]));
    }
    return moves;
}

static int check_stage_of(int n, bool plane, uint64_t seed)
{
    const tsp_problem made = make_problem(n, plane, seed);
    tsp_problem problem = made;
    int moves = 0;
    for (int listed = 1; listed < n && listed <= LONGEST_LIST; listed++) {
        int32_t *near = NULL;
        assert_int_equal(tsp_nearest_neighbours(&problem, listed, &near).code, AB_OK);
        host_backend_set_order((unsigned)(n + listed) % N_ORDERS);
        check_stage(&problem, near, listed, 1, seed + (unsigned)listed);
        moves += check_stage(&problem, near, listed, INT_MAX, seed + (unsigned)listed);
        free(near);
    }
    host_backend_set_order(0);
    free_problem(&problem);
    return moves;
}

static void the_stage_makes_the_moves_of_its_rule(void **state)
{
    (void)state;
    int moves = 0;
    for (int n = 4; n <= 12; n++)
        for (int seed = 0; seed < 4; seed++) moves += check_stage_of(n, seed % 2 == 0, (uint64_t)(100 * n + seed));
    print_message("# %d moves of up to 12 cities\n", moves);
    assert_true(moves > 5000);
}

/* Beyond a word of bits, and beyond a warp. */
static void the_stage_makes_the_moves_of_more_cities(void **state)
{
    (void)state;
    static const int sizes[] = {31, 32, 33, 64, 65};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) check_stage_of(sizes[i], i % 2 == 0, i);
}

/* ---- The CPU's search ---- */

static bool never(void *context)
{
    (void)context;
    return false;
}

/* Edges of one tour that the other has not, as pairs of cities; returns how many. */
static int edges_without(const ring *tour, const ring *other, int edges[3][2])
{
    int count = 0;
    for (int i = 0; i < tour->n; i++) {
        const int a = tour->at[i], b = tour->at[(i + 1) % tour->n];
        if (beside(other, a, 1) == b || beside(other, a, -1) == b) continue;
        assert_true(count < 3);
        edges[count][0] = a;
        edges[count++][1] = b;
    }
    return count;
}

static bool is_near(const int32_t *near, int listed, int from, int to)
{
    for (int k = 0; k < listed; k++)
        if (near[from * listed + k] == to) return true;
    return false;
}

/* Whether the edges, taken in turn, from t on, out and in, lead back to t1 with a gain before each; in lists but for the last. */
static bool leads_back(const ring *tour, const int32_t *near, int listed, int edges[2][3][2], int count,
                       unsigned used[2], int t, int64_t gain, int depth)
{
    const int kind = depth % 2; /* 0: an edge goes out */
    if (depth == 2 * count) return true;
    for (int i = 0; i < count; i++)
        for (int end = 0; end < 2; end++) {
            const int to = edges[kind][i][1 - end];
            if (used[kind] >> i & 1 || edges[kind][i][end] != t) continue;
            const int64_t left = gain + (kind ? -1 : 1) * distance(tour, t, to);
            if (kind && depth < 2 * count - 1 && (left <= 0 || !is_near(near, listed, t, to))) continue;
            used[kind] |= 1u << i;
            const bool found = leads_back(tour, near, listed, edges, count, used, to, left, depth + 1);
            used[kind] &= ~(1u << i);
            if (found) return true;
        }
    return false;
}

/* Whether the search, as search.h says, must have found this: from some t1 on. */
static bool is_claimed(const ring *tour, const ring *made, const int32_t *near, int listed)
{
    int edges[2][3][2];
    const int count = edges_without(tour, made, edges[0]);
    unsigned used[2] = {0, 0};
    if (length_of(made) >= length_of(tour)) return false;
    assert_int_equal(edges_without(made, tour, edges[1]), count);
    for (int i = 0; i < count; i++)
        for (int end = 0; end < 2; end++)
            if (leads_back(tour, near, listed, edges, count, used, edges[0][i][end], 0, 0)) return true;
    return false;
}

/* Fails where a move of the class is left: all 2-opts, all Or-opts to everywhere, either way round. */
static void assert_nothing_left(const ring *tour, const int32_t *near, int listed)
{
    const int n = tour->n;
    for (int i = 0; i < n; i++)
        for (int step = -1; step <= 1; step += 2)
            for (int j = 0; j < n; j++) {
                const int city = tour->at[i], to = tour->at[j];
                if (city == to || beside(tour, city, step) == to) continue;
                const ring made = two_opt(tour, city, step, to);
                if (is_claimed(tour, &made, near, listed))
                    fail_msg("n %d, lists of %d: a 2-opt with the edge %d-%d is left", n, listed, city, to);
                for (int count = 1; count <= OR_OPT && count <= n - 3; count++)
                    for (int side = 0; side < 2 && !carries(tour, city, step, count, to); side++) {
                        const ring carried = or_opt(tour, city, step, count, to, side);
                        if (is_claimed(tour, &carried, near, listed))
                            fail_msg("n %d, lists of %d: an Or-opt of %d cities with the edge %d-%d is left", n, listed,
                                     count, city, to);
                    }
            }
}

/* Improves the tour by lists cut to so many cities, all looked at, and writes them; returns the gain. */
static int64_t descend(search *s, const neighbours *all, ring *tour, int listed, int32_t *near)
{
    const int n = tour->n;
    int32_t rank[MOST];
    memcpy(rank, tour->where, sizeof rank);
    search_load(s, all, tour->at, rank, 0, n, false);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < NEIGHBOURS_MOST; k++) {
            search_near *const entry = &s->near[i * NEIGHBOURS_MOST + k];
            if (k >= listed) entry->city = -1;
            if (k < listed) near[s->id[i] * listed + k] = s->id[entry->city];
        }
    const int64_t gain = search_descend(s);
    search_store(s, tour->at, 0, n);
    number_places(tour);
    return gain;
}

static void check_search(int n, bool plane, uint64_t seed)
{
    tsp_problem problem = make_problem(n, plane, seed);
    tsp_instance cities = {.n = n, .dist = (int32_t *)(uintptr_t)problem.dist};
    search s = {.moves = SEARCH_OR_OPT, .stops = never};
    ab_memory memory = {0};
    neighbours all = {0};
    search_allocate(&s, &cities, n, &memory);
    assert_int_equal(neighbours_find(&cities, 1, &all, &memory).code, AB_OK);
    for (int listed = 1; listed <= all.count; listed++)
        for (int i = 0; i < ANTS; i++) {
            int32_t near[MOST * NEIGHBOURS];
            ring tour = shuffled(&problem, &seed);
            for (int64_t before = length_of(&tour), gain = 1; gain > 0; before -= gain) {
                gain = descend(&s, &all, &tour, listed, near);
                assert_int_equal(length_of(&tour), before - gain);
            }
            assert_nothing_left(&tour, near, listed);
        }
    ab_memory_free(&memory);
    free_problem(&problem);
}

static void the_search_leaves_no_move_of_its_class(void **state)
{
    (void)state;
    for (int n = 5; n <= 12; n++)
        for (int seed = 0; seed < 4; seed++) check_search(n, seed % 2 == 0, (uint64_t)(100 * n + seed));
    check_search(60, true, 60); /* so many that a third edge often begins farther down a list */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stage_makes_the_moves_of_its_rule),
        cmocka_unit_test(the_stage_makes_the_moves_of_more_cities),
        cmocka_unit_test(the_search_leaves_no_move_of_its_class),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
