/* Crossing of tours (tours/cross.h). */
#include <string.h>

#include "base/random.h"
#include "tours/cross.h"
#include "tours/tour.h"

enum {
    MOST_CUTS = 200,  /* edges of a tour that one exchange takes out, at most */
    MOST_RING = 1000, /* cities of a closed tour that is joined to another, at most */
};

struct crossing {
    const tsp_instance *cities;
    const neighbours *near;
    int n;
    /* Edges that one tour has and the other has not, as far as they are left. For each city the other ends, and how
     * many. [0] is of the tour that becomes shorter, [1] of the other. */
    int32_t (*ends[2])[2];
    int8_t *n_ends[2];
    int32_t *walk, (*step)[2]; /* [2n + 1] a walk along such edges, and [n] the last step to a city before which are as
                                  many edges of each tour, and before which is one more of the first; -1: none */
    int32_t *from;             /* [n] where walks begin */
    int32_t *ring, *first;     /* [2n] cities of alternating rings; [n + 1] where each one begins */
    int n_rings;
    int32_t *order; /* [n] a tour that is being made */
    /* An exchange. It leaves paths, numbered by the cut before each. Their ends have the numbers 2 path (first city)
     * and 2 path + 1 (last city). */
    int64_t gain;
    int n_cuts, n_joins;
    int cut[MOST_CUTS];     /* ascending positions: the edge from there to the next one is cut */
    int join[MOST_CUTS][2]; /* cities that become neighbours */
    int mate[2 * MOST_CUTS];
    int closed[MOST_CUTS]; /* the closed tour that a path is part of, */
    int size[MOST_CUTS];   /* ... and the cities of each */
    int n_closed;
};

crossing *crossing_allocate(const tsp_instance *cities, const neighbours *near, ab_memory *memory)
{
    const size_t n = (size_t)cities->n;
    crossing *with = ab_allocate(memory, 1, sizeof *with);
    if (!with) return NULL;
    *with = (crossing){.cities = cities, .near = near, .n = cities->n};
    for (int k = 0; k < 2; k++) {
        with->ends[k] = ab_allocate(memory, n, sizeof *with->ends[k]);
        with->n_ends[k] = ab_allocate(memory, n, sizeof *with->n_ends[k]);
    }
    with->walk = ab_allocate(memory, 2 * n + 1, sizeof *with->walk);
    with->step = ab_allocate(memory, n, sizeof *with->step);
    with->from = ab_allocate(memory, n, sizeof *with->from);
    with->ring = ab_allocate(memory, 2 * n, sizeof *with->ring);
    with->first = ab_allocate(memory, n + 1, sizeof *with->first);
    with->order = ab_allocate(memory, n, sizeof *with->order);
    return with;
}

void cross_tour_number(cross_tour *tour, int n, int64_t length)
{
    for (int i = 0; i < n; i++) tour->where[tour->at[i]] = i;
    tour->length = length;
}

static int behind(const crossing *with, int position)
{
    return position + 1 == with->n ? 0 : position + 1;
}

static int before(const crossing *with, int position)
{
    return position == 0 ? with->n - 1 : position - 1;
}

/* ---- Rings of edges, one of each tour in turn ---- */

/* Lists the edges that only one tour has; returns the number of cities where there are some. */
static int list_differences(crossing *with, const cross_tour *tour, const cross_tour *other)
{
    int n_from = 0;
    for (int position = 0; position < with->n; position++) {
        const int city = tour->at[position], there = other->where[city];
        const int here[2] = {tour->at[before(with, position)], tour->at[behind(with, position)]};
        const int others[2] = {other->at[before(with, there)], other->at[behind(with, there)]};
        int8_t count[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            if (here[k] != others[0] && here[k] != others[1]) with->ends[0][city][count[0]++] = here[k];
            if (others[k] != here[0] && others[k] != here[1]) with->ends[1][city][count[1]++] = others[k];
        }
        with->n_ends[0][city] = count[0];
        with->n_ends[1][city] = count[1];
        with->step[city][0] = with->step[city][1] = -1;
        if (count[0] > 0) with->from[n_from++] = city;
    }
    return n_from;
}

static void drop_end(crossing *with, int kind, int city, int end)
{
    int32_t *ends = with->ends[kind][city];
    if (ends[0] == end) ends[0] = ends[1];
    with->n_ends[kind][city]--;
}

/* Takes an edge of that kind at a city; returns its other end. */
static int take_edge(crossing *with, int kind, int city, uint64_t *random)
{
    const int end = with->ends[kind][city][with->n_ends[kind][city] == 2 ? splitmix64(random) & 1 : 0];
    drop_end(with, kind, city, end);
    drop_end(with, kind, end, city);
    return end;
}

/* Walks from a city along edges of both tours in turn. A ring is closed where the walk comes to a city by the one kind
 * of edge that it has left by the other. */
static void find_rings_from(crossing *with, int city, int *n_cities, uint64_t *random)
{
    int32_t *walk = with->walk;
    int last = 0;
    walk[0] = city;
    with->step[city][0] = 0;
    do {
        const int end = take_edge(with, last & 1, walk[last], random), kind = (last + 1) & 1;
        const int begin = with->step[end][kind];
        last++;
        walk[last] = end;
        if (begin < 0) {
            with->step[end][kind] = last;
            continue;
        }
        const int length = last - begin;
        with->first[with->n_rings++] = *n_cities;
        for (int i = 0; i < length; i++) with->ring[(*n_cities)++] = walk[begin + (i + kind) % length];
        for (int i = begin + 1; i < last; i++) with->step[walk[i]][i & 1] = -1;
        last = begin;
    } while (last > 0);
    with->step[city][0] = -1;
}

/* Divides the differences into rings, at random where there is a choice. The first edge of each is the tour's own. */
static void find_rings(crossing *with, const cross_tour *tour, const cross_tour *other, uint64_t *random)
{
    const int n_from = list_differences(with, tour, other);
    int n_cities = 0;
    with->n_rings = 0;
    for (int left = n_from; left > 0; left--) {
        const int drawn = random_below(random, left), city = with->from[drawn];
        with->from[drawn] = with->from[left - 1];
        while (with->n_ends[0][city] > 0) find_rings_from(with, city, &n_cities, random);
    }
    with->first[with->n_rings] = n_cities;
}

/* ---- Exchanges ---- */

/* Inserts a cut; false where there is one. */
static bool cut_at(crossing *with, int position)
{
    int i = with->n_cuts;
    for (; i > 0 && with->cut[i - 1] >= position; i--)
        if (with->cut[i - 1] == position) return false;
    memmove(with->cut + i + 1, with->cut + i, (size_t)(with->n_cuts - i) * sizeof *with->cut);
    with->cut[i] = position;
    with->n_cuts++;
    return true;
}

static void join(crossing *with, int a, int b)
{
    with->join[with->n_joins][0] = a;
    with->join[with->n_joins++][1] = b;
}

/* Begins an exchange with a ring. False where the tour does not have its edges any more, or they are too many. */
static bool begin_exchange(crossing *with, const cross_tour *tour, int number)
{
    const int32_t *ring = with->ring + with->first[number];
    const int length = with->first[number + 1] - with->first[number];
    with->n_cuts = with->n_joins = 0;
    with->gain = 0;
    if (length / 2 > MOST_CUTS) return false;
    for (int i = 0; i < length; i += 2) {
        const int a = ring[i], b = ring[i + 1], c = ring[i + 2 == length ? 0 : i + 2];
        const int at_a = tour->where[a], at_b = tour->where[b];
        if (behind(with, at_a) != at_b && behind(with, at_b) != at_a) return false;
        if (!cut_at(with, behind(with, at_a) == at_b ? at_a : at_b)) return false;
        join(with, b, c);
        with->gain += tour_distance(with->cities, a, b) - tour_distance(with->cities, b, c);
    }
    return true;
}

/* The path that a position is on, and the path behind a path. */
static int path_of(const crossing *with, int position)
{
    int low = 0, high = with->n_cuts;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (with->cut[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? with->n_cuts - 1 : low - 1;
}

static int path_behind(const crossing *with, int path)
{
    return path + 1 == with->n_cuts ? 0 : path + 1;
}

static int cities_of(const crossing *with, int path)
{
    const int cities = with->cut[path_behind(with, path)] - with->cut[path];
    return cities > 0 ? cities : cities + with->n;
}

/* The number of an end of a path that is this city and still lacks a mate, or -1. A city may be both ends. */
static int free_end(const crossing *with, int position)
{
    const int path = path_of(with, position);
    if (behind(with, with->cut[path]) == position && with->mate[2 * path] < 0) return 2 * path;
    return with->cut[path_behind(with, path)] == position && with->mate[2 * path + 1] < 0 ? 2 * path + 1 : -1;
}

/* Finds the closed tours that the joins make of the paths. False if they make none of all. */
static bool close_paths(crossing *with, const cross_tour *tour)
{
    for (int i = 0; i < 2 * with->n_cuts; i++) with->mate[i] = -1;
    for (int i = 0; i < with->n_joins; i++) {
        const int a = free_end(with, tour->where[with->join[i][0]]);
        if (a < 0) return false;
        with->mate[a] = a;
        const int b = free_end(with, tour->where[with->join[i][1]]);
        if (b < 0) return false;
        with->mate[a] = b;
        with->mate[b] = a;
    }
    with->n_closed = 0;
    for (int path = 0; path < with->n_cuts; path++) with->closed[path] = -1;
    for (int path = 0; path < with->n_cuts; path++) {
        if (with->closed[path] >= 0) continue;
        const int number = with->n_closed++;
        int end = 2 * path;
        with->size[number] = 0;
        do {
            with->closed[end / 2] = number;
            with->size[number] += cities_of(with, end / 2);
            end = with->mate[end ^ 1];
            if (end < 0) return false;
        } while (end != 2 * path);
    }
    return true;
}

/* Two edges that are cut, and how their ends are joined: cities[0] to [2], and [1] to [3]. */
typedef struct bridge {
    int64_t costs;
    int cut[2], cities[4];
} bridge;

/* Looks for a bridge from the edge between two positions to other closed tours than `small`. */
static void look_for_bridge(const crossing *with, const cross_tour *tour, int small, int from, int to, bridge *best)
{
    const neighbours *near = with->near;
    const int a = tour->at[from], b = tour->at[to], left = behind(with, from) == to ? from : to;
    const int64_t gone = tour_distance(with->cities, a, b);
    for (int i = 0; i < near->count; i++) {
        const int c = near->city[(size_t)a * (size_t)near->count + (size_t)i], at_c = tour->where[c];
        const int path = path_of(with, at_c);
        if (with->closed[path] == small) continue;
        const int64_t joined = tour_distance(with->cities, a, c) - gone;
        for (int side = 0; side < 2; side++) {
            if (at_c == (side ? with->cut[path_behind(with, path)] : behind(with, with->cut[path]))) continue;
            const int at_d = side ? behind(with, at_c) : before(with, at_c), d = tour->at[at_d];
            const int64_t costs = joined + tour_distance(with->cities, b, d) - tour_distance(with->cities, c, d);
            if (costs < best->costs) *best = (bridge){costs, {left, side ? at_c : at_d}, {a, b, c, d}};
        }
    }
}

/* Joins the smallest of the closed tours to another one. False if that is too much, or makes the tour no shorter. */
static bool join_smallest(crossing *with, const cross_tour *tour)
{
    int small = 0;
    bridge best = {.costs = with->gain};
    for (int i = 1; i < with->n_closed; i++)
        if (with->size[i] < with->size[small]) small = i;
    if (with->size[small] > MOST_RING || with->n_cuts + 2 > MOST_CUTS) return false;
    for (int path = 0; path < with->n_cuts; path++) {
        if (with->closed[path] != small) continue;
        int position = behind(with, with->cut[path]);
        for (int left = cities_of(with, path); left > 1; left--) {
            const int next = behind(with, position);
            look_for_bridge(with, tour, small, position, next, &best);
            look_for_bridge(with, tour, small, next, position, &best);
            position = next;
        }
    }
    if (best.costs == with->gain) return false;
    with->gain -= best.costs;
    join(with, best.cities[0], best.cities[2]);
    join(with, best.cities[1], best.cities[3]);
    return cut_at(with, best.cut[0]) && cut_at(with, best.cut[1]);
}

/* Makes the exchange, whose paths form one closed tour. */
static void make_exchange(crossing *with, cross_tour *tour)
{
    int count = 0, end = 0;
    do {
        const int path = end / 2, begin = behind(with, with->cut[path]), last = with->cut[path_behind(with, path)];
        int position = end & 1 ? last : begin;
        for (int left = cities_of(with, path); left > 0; left--) {
            with->order[count++] = tour->at[position];
            position = end & 1 ? before(with, position) : behind(with, position);
        }
        end = with->mate[end ^ 1];
    } while (end != 0);
    memcpy(tour->at, with->order, (size_t)with->n * sizeof *tour->at);
    cross_tour_number(tour, with->n, tour->length - with->gain);
}

int64_t cross(crossing *with, cross_tour *tour, const cross_tour *other, double probability, uint64_t *random)
{
    const int64_t length = tour->length;
    find_rings(with, tour, other, random);
    for (int ring = 0; ring < with->n_rings; ring++) {
        if (random_unit(random) >= probability || !begin_exchange(with, tour, ring) || with->gain <= 0) continue;
        bool closes = close_paths(with, tour);
        while (closes && with->n_closed > 1) closes = join_smallest(with, tour) && close_paths(with, tour);
        if (closes) make_exchange(with, tour);
    }
    return length - tour->length;
}
