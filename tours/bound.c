/* A lower bound for tours (tours/bound.h). */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tours/bound.h"
#include "tours/neighbours.h"
#include "tours/tour.h"

/* Weights are whole numbers of parts of a unit of length, so that sums are exact. */
enum { PARTS = 64 };

/* Steps of the potentials, at most, and the share of the time that they may take. The first and the last step are so many
 * times the mean edge of the tree. */
enum { STEPS = 2000 };
static const double steps_share = 0.5, first_step = 10.0, last_step = 0.001;

/* An edge to a near city. */
typedef struct edge {
    int32_t to, length;
} edge;

/* A tree that spans the cities, and what is needed to find it. */
typedef struct spanning {
    const tsp_instance *cities;
    int32_t *first;        /* [n + 1] first edge of each city */
    edge *edges;           /* edges between near cities, and a tour's, in both directions */
    int64_t *potential;    /* [n] in parts */
    int64_t *key;          /* [n] weight of the edge to the tree */
    int32_t *up;           /* [n] the city at the other end of that edge; -1 for the first */
    int32_t *degree;       /* [n] number of edges */
    int32_t *heap, *place; /* [n] cities that have an edge to the tree, least first; a city's place there, or ... */
    int size;              /* number of cities in the heap */
} spanning;

enum { UNSEEN = -1, IN_TREE = -2 };

static int64_t weigh(const spanning *s, int a, int b, int64_t length)
{
    return length * PARTS + s->potential[a] + s->potential[b];
}

/* ---- The tree of edges between near cities ---- */

static void put(spanning *s, int place, int city)
{
    s->heap[place] = city;
    s->place[city] = place;
}

static void rise(spanning *s, int place)
{
    const int city = s->heap[place];
    for (; place > 0 && s->key[s->heap[(place - 1) / 2]] > s->key[city]; place = (place - 1) / 2)
        put(s, place, s->heap[(place - 1) / 2]);
    put(s, place, city);
}

static int take_least(spanning *s)
{
    const int least = s->heap[0], city = s->heap[--s->size];
    int place = 0;
    for (int below = 1; below < s->size; below = 2 * place + 1) {
        if (below + 1 < s->size && s->key[s->heap[below + 1]] < s->key[s->heap[below]]) below++;
        if (s->key[s->heap[below]] >= s->key[city]) break;
        put(s, place, s->heap[below]);
        place = below;
    }
    if (s->size > 0) put(s, place, city);
    s->place[least] = IN_TREE;
    return least;
}

static void begin_tree(spanning *s)
{
    for (int i = 0; i < s->cities->n; i++) {
        s->place[i] = UNSEEN;
        s->key[i] = INT64_MAX;
        s->degree[i] = 0;
    }
    s->up[0] = -1;
    s->key[0] = 0;
}

/* Joins a city to the tree; returns the weight of its edge. */
static int64_t join(spanning *s, int city)
{
    s->place[city] = IN_TREE;
    if (s->up[city] < 0) return 0;
    s->degree[city]++;
    s->degree[s->up[city]]++;
    return s->key[city];
}

static void offer(spanning *s, int from, int to, int64_t weight)
{
    if (weight >= s->key[to]) return;
    s->key[to] = weight;
    s->up[to] = from;
}

static int64_t span_near(spanning *s)
{
    int64_t total = 0;
    begin_tree(s);
    put(s, 0, 0);
    for (s->size = 1; s->size > 0;) {
        const int city = take_least(s);
        total += join(s, city);
        for (const edge *e = s->edges + s->first[city]; e < s->edges + s->first[city + 1]; e++) {
            if (s->place[e->to] == IN_TREE) continue;
            const int64_t before = s->key[e->to];
            offer(s, city, e->to, weigh(s, city, e->to, e->length));
            if (s->key[e->to] == before) continue;
            if (s->place[e->to] == UNSEEN) put(s, s->size++, e->to);
            rise(s, s->place[e->to]);
        }
    }
    return total;
}

static bool is_joined(const spanning *s, int a, int b)
{
    return s->up[a] == b || s->up[b] == a;
}

/* The leaf whose second edge to a near city is the heaviest. *to: the other end of that edge; *weight: its weight. */
static int choose_leaf(const spanning *s, int *to, int64_t *weight)
{
    int best = -1;
    *to = -1;
    *weight = INT64_MIN;
    for (int i = 0; i < s->cities->n; i++) {
        if (s->degree[i] != 1) continue;
        int64_t second = INT64_MAX;
        int other = -1;
        for (const edge *e = s->edges + s->first[i]; e < s->edges + s->first[i + 1]; e++) {
            if (is_joined(s, i, e->to) || weigh(s, i, e->to, e->length) >= second) continue;
            second = weigh(s, i, e->to, e->length);
            other = e->to;
        }
        if (other < 0 || second <= *weight) continue;
        best = i;
        *to = other;
        *weight = second;
    }
    return best;
}

static int64_t twice_potentials(const spanning *s)
{
    int64_t sum = 0;
    for (int i = 0; i < s->cities->n; i++) sum += 2 * s->potential[i];
    return sum;
}

/* The length of the shortest 1-tree of edges between near cities, less the potentials, in parts. */
static int64_t measure_near(spanning *s)
{
    int to;
    int64_t weight;
    const int64_t tree = span_near(s);
    const int leaf = choose_leaf(s, &to, &weight);
    s->degree[leaf]++;
    s->degree[to]++;
    return tree + weight - twice_potentials(s);
}

/* ---- The bound ---- */

/* The same over all pairs of cities, rounded up to a length; -1 if the time is over before. */
static int64_t measure_all(spanning *s, double end_s)
{
    const int n = s->cities->n;
    int64_t total = 0, weight;
    int to;
    begin_tree(s);
    for (int count = 0, city = 0; count < n; count++) {
        if (omp_get_wtime() >= end_s) return -1;
        total += join(s, city);
        int nearest = -1;
        for (int i = 0; i < n; i++) {
            if (s->place[i] == IN_TREE) continue;
            offer(s, city, i, weigh(s, city, i, tour_distance(s->cities, city, i)));
            if (nearest < 0 || s->key[i] < s->key[nearest]) nearest = i;
        }
        city = nearest;
    }
    const int leaf = choose_leaf(s, &to, &weight);
    if (leaf < 0) return -1;
    for (int i = 0; i < n; i++)
        if (i != leaf && !is_joined(s, i, leaf)) {
            const int64_t other = weigh(s, leaf, i, tour_distance(s->cities, leaf, i));
            weight = other < weight ? other : weight;
        }
    const int64_t parts = total + weight - twice_potentials(s);
    return parts <= 0 ? 0 : (parts + PARTS - 1) / PARTS;
}

/* Moves the potentials so that each city of the 1-tree comes to have two edges; keeps the best. */
static void ascend(spanning *s, int64_t *best, int32_t *before, double end_s)
{
    const int n = s->cities->n;
    int64_t longest = measure_near(s);
    const double mean = (double)longest / n, begin_s = omp_get_wtime();
    for (int i = 0; i < n; i++) before[i] = s->degree[i];
    for (double done = 0.0; done < 1.0 && omp_get_wtime() < end_s;) {
        const double size = mean * first_step * pow(last_step / first_step, done);
        for (int i = 0; i < n; i++) {
            s->potential[i] += llround(size * (0.7 * (s->degree[i] - 2) + 0.3 * (before[i] - 2)));
            before[i] = s->degree[i];
        }
        done = fmax(done + 1.0 / STEPS, (omp_get_wtime() - begin_s) / (end_s - begin_s));
        const int64_t length = measure_near(s);
        if (length <= longest) continue;
        longest = length;
        memcpy(best, s->potential, (size_t)n * sizeof *best);
    }
    memcpy(s->potential, best, (size_t)n * sizeof *best);
}

/* ---- Edges between near cities ---- */

/* Adds an edge, in both directions, unless it is there. end[i]: behind the last edge of city i. */
static void add(spanning *s, int32_t *end, int a, int b)
{
    for (int32_t e = s->first[a]; e < end[a]; e++)
        if (s->edges[e].to == b) return;
    const int32_t length = (int32_t)tour_distance(s->cities, a, b);
    s->edges[end[a]++] = (edge){b, length};
    s->edges[end[b]++] = (edge){a, length};
}

/* Lists the edges to near cities, and a tour's edges, without which clusters might be apart. */
static void list_edges(spanning *s, const neighbours *near, const int32_t *tour, int32_t *end)
{
    const int n = s->cities->n;
    for (int i = 0; i < n; i++) {
        s->first[i + 1] += near->count + 2;
        for (int k = 0; k < near->count; k++) s->first[near->city[i * near->count + k] + 1]++;
    }
    for (int i = 0; i < n; i++) s->first[i + 1] += s->first[i];
    memcpy(end, s->first, (size_t)n * sizeof *end);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < near->count; k++) add(s, end, i, near->city[i * near->count + k]);
    for (int i = 0; i < n; i++) add(s, end, tour[i], tour[i + 1 < n ? i + 1 : 0]);
    int32_t count = 0;
    for (int i = 0; i < n; i++) {
        const int32_t from = s->first[i];
        s->first[i] = count;
        memmove(s->edges + count, s->edges + from, (size_t)(end[i] - from) * sizeof *s->edges);
        count += end[i] - from;
    }
    s->first[n] = count;
}

static ab_status find(const tsp_instance *cities, double seconds, int64_t *bound, ab_memory *memory)
{
    const size_t n = (size_t)cities->n;
    const double begin_s = omp_get_wtime();
    neighbours near;
    AB_TRY(neighbours_find_around(cities, 1, &near, memory));
    spanning s = {.cities = cities,
                  .first = ab_allocate(memory, n + 1, sizeof *s.first),
                  .edges = ab_allocate(memory, n * (size_t)(2 * near.count + 2), sizeof *s.edges),
                  .potential = ab_allocate(memory, n, sizeof *s.potential),
                  .key = ab_allocate(memory, n, sizeof *s.key),
                  .up = ab_allocate(memory, n, sizeof *s.up),
                  .degree = ab_allocate(memory, n, sizeof *s.degree),
                  .heap = ab_allocate(memory, n, sizeof *s.heap),
                  .place = ab_allocate(memory, n, sizeof *s.place)};
    int32_t *tour = ab_allocate(memory, n, sizeof *tour), *kept = ab_allocate(memory, n, sizeof *kept);
    int64_t *best = ab_allocate(memory, n, sizeof *best);
    AB_TRY(ab_memory_status(memory));
    AB_TRY(order_along_curve(cities, tour));
    AB_TRY(order_greedily(cities, &near, tour));
    list_edges(&s, &near, tour, kept);
    ascend(&s, best, kept, begin_s + steps_share * seconds);
    *bound = measure_all(&s, begin_s + seconds);
    return ab_ok();
}

ab_status bound_find(const tsp_instance *cities, double seconds, int64_t *bound)
{
    ab_memory memory = {0};
    *bound = cities->n < 2 ? 0 : 2 * tour_distance(cities, 0, 1);
    if (cities->n < 3) return ab_ok();
    const ab_status status = find(cities, seconds, bound, &memory);
    ab_memory_free(&memory);
    return status;
}
