/* Near cities, and cities along a curve (tours/neighbours.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tours/neighbours.h"
#include "tours/tour.h"

/* Coordinates in which near cities are near: as they are, on a plane or on a sphere, but for GEO's degrees and minutes,
 * which become a flat map. */
static tsp_place place(const tsp_instance *cities, int city)
{
    if (cities->sphere) return cities->sphere[city];
    const tsp_point at = cities->points[city];
    if (strcmp(cities->rule->name, "GEO") != 0) return (tsp_place){at.x, at.y, 0.0};
    const double radian = 3.14159265358979 / 180.0;
    const double latitude = trunc(at.x) + (at.x - trunc(at.x)) / 0.6,
                 longitude = trunc(at.y) + (at.y - trunc(at.y)) / 0.6;
    return (tsp_place){latitude, longitude * cos(latitude * radian), 0.0};
}

static bool has_places(const tsp_instance *cities)
{
    return cities->points || cities->sphere;
}

static tsp_place least(tsp_place a, tsp_place b)
{
    return (tsp_place){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static tsp_place greatest(tsp_place a, tsp_place b)
{
    return (tsp_place){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

/* ---- A k-d tree without nodes: the middle of a range parts it, by the coordinate in which it is longer ---- */

typedef enum axis { X, Y, Z } axis;

typedef struct tree {
    int n;
    const tsp_place *places; /* [n] */
    int32_t *city;           /* [n] the cities, in the tree's order */
    uint8_t *by;             /* [n] the axis by which this middle parts its range */
} tree;

enum { LEAF = 8, PER_QUADRANT = 2 };

static double along(tsp_place at, axis by)
{
    return by == X ? at.x : by == Y ? at.y : at.z;
}

static double coordinate(const tree *t, int at, axis by)
{
    return along(t->places[t->city[at]], by);
}

static void swap(int32_t *a, int32_t *b)
{
    const int32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the city that sorting lo .. hi-1 would put at `middle` there, and those before and behind it on their sides
 * (Hoare 1961). Equal ones go to either side, so that many of them cost nothing more. */
static void select_middle(tree *t, int lo, int hi, int middle, axis by)
{
    for (int first = lo, last = hi - 1; first < last;) {
        const double pivot = coordinate(t, first + (last - first) / 2, by);
        int i = first, j = last;
        while (i <= j) {
            while (coordinate(t, i, by) < pivot) i++;
            while (coordinate(t, j, by) > pivot) j--;
            if (i <= j) swap(&t->city[i++], &t->city[j--]);
        }
        if (middle <= j)
            last = j;
        else if (middle >= i)
            first = i;
        else
            return;
    }
}

static void build(tree *t, int lo, int hi)
{
    if (hi - lo <= LEAF) return;
    tsp_place low = t->places[t->city[lo]], high = low;
    for (int i = lo + 1; i < hi; i++) {
        low = least(low, t->places[t->city[i]]);
        high = greatest(high, t->places[t->city[i]]);
    }
    const int middle = lo + (hi - lo) / 2;
    axis widest = high.y - low.y > high.x - low.x ? Y : X;
    if (high.z - low.z > along(high, widest) - along(low, widest)) widest = Z;
    t->by[middle] = (uint8_t)widest;
    select_middle(t, lo, hi, middle, widest);
    build(t, lo, middle);
    build(t, middle + 1, hi);
}

/* The nearest cities found so far, of all or of one quadrant. */
typedef struct nearest {
    int city, most, count;
    int quadrant; /* -1: all */
    int32_t found[NEIGHBOURS_MOST];
    double squared[NEIGHBOURS_MOST]; /* ascending */
} nearest;

/* A box that holds a range of the tree. */
typedef struct box {
    tsp_place low, high;
} box;

static void consider(nearest *near, int city, double squared)
{
    if (city == near->city || (near->count == near->most && squared >= near->squared[near->most - 1])) return;
    int k = near->count < near->most ? near->count++ : near->most - 1;
    for (; k > 0 && near->squared[k - 1] > squared; k--) {
        near->squared[k] = near->squared[k - 1];
        near->found[k] = near->found[k - 1];
    }
    near->squared[k] = squared;
    near->found[k] = city;
}

/* Quadrants are half open: each other place is in one, and the place itself in the first. */
static int quadrant_of(double x, double y)
{
    if (x >= 0 && y >= 0) return 0;
    return x < 0 && y >= 0 ? 1 : x < 0 ? 2 : 3;
}

static void consider_point(const tree *t, int at, nearest *near)
{
    const tsp_place a = t->places[t->city[at]], b = t->places[near->city];
    const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    if (near->quadrant < 0 || quadrant_of(x, y) == near->quadrant) consider(near, t->city[at], x * x + y * y + z * z);
}

static double square(double x)
{
    return x * x;
}

/* The square of the distance between a value and a range. */
static double apart(double value, double low, double high)
{
    return value < low ? square(low - value) : value > high ? square(value - high) : 0.0;
}

/* Whether a box may hold a city that is nearer than those found. */
static bool may_hold(const tree *t, box in, const nearest *near)
{
    const tsp_place at = t->places[near->city];
    const bool left = near->quadrant == 1 || near->quadrant == 2, below = near->quadrant >= 2;
    if (near->quadrant >= 0 && (left ? in.low.x > at.x : in.high.x < at.x)) return false;
    if (near->quadrant >= 0 && (below ? in.low.y > at.y : in.high.y < at.y)) return false;
    return near->count < near->most ||
           apart(at.x, in.low.x, in.high.x) + apart(at.y, in.low.y, in.high.y) + apart(at.z, in.low.z, in.high.z) <
               near->squared[near->most - 1];
}

static void set(tsp_place *at, axis by, double value)
{
    *(by == X ? &at->x : by == Y ? &at->y : &at->z) = value;
}

static void descend(const tree *t, int lo, int hi, box in, nearest *near)
{
    if (!may_hold(t, in, near)) return;
    if (hi - lo <= LEAF) {
        for (int i = lo; i < hi; i++) consider_point(t, i, near);
        return;
    }
    const int middle = lo + (hi - lo) / 2;
    const axis by = (axis)t->by[middle];
    const double cut = coordinate(t, middle, by);
    box before = in, behind = in;
    set(&before.high, by, cut);
    set(&behind.low, by, cut);
    const bool first = along(t->places[near->city], by) < cut;
    if (first) descend(t, lo, middle, before, near);
    descend(t, middle + 1, hi, behind, near);
    consider_point(t, middle, near);
    if (!first) descend(t, lo, middle, before, near);
}

static bool is_among(const int32_t *cities, int count, int city)
{
    while (count > 0)
        if (cities[--count] == city) return true;
    return false;
}

/* Some cities of each quadrant, and the nearest of all others, until the list is full. */
static void find_around(const tree *t, box all, int city, const neighbours *near)
{
    int32_t *list = near->city + (size_t)city * (size_t)near->count;
    nearest found = {.city = city, .most = near->count, .quadrant = -1};
    descend(t, 0, t->n, all, &found);
    int count = 0;
    for (int quadrant = 0; quadrant < 4 && near->per_quadrant > 0; quadrant++) {
        nearest there = {.city = city, .most = near->per_quadrant, .quadrant = quadrant};
        descend(t, 0, t->n, all, &there);
        for (int k = 0; k < there.count && count < near->count; k++) list[count++] = there.found[k];
    }
    const int of_quadrants = count;
    for (int k = 0; k < found.count && count < near->count; k++)
        if (!is_among(list, of_quadrants, found.found[k])) list[count++] = found.found[k];
}

static ab_status find_by_tree(const tsp_instance *cities, int threads, neighbours *near)
{
    ab_memory memory = {0};
    const int n = cities->n;
    tsp_place *places = ab_allocate(&memory, (size_t)n, sizeof *places);
    tree t = {n, places, ab_allocate(&memory, (size_t)n, sizeof *t.city),
              ab_allocate(&memory, (size_t)n, sizeof *t.by)};
    const ab_status status = ab_memory_status(&memory);
    if (status.code == AB_OK) {
        box all = {place(cities, 0), place(cities, 0)};
        for (int i = 0; i < n; i++) {
            places[i] = place(cities, i);
            t.city[i] = i;
            all = (box){least(all.low, places[i]), greatest(all.high, places[i])};
        }
        build(&t, 0, n);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256)
        for (int k = 0; k < n; k++) find_around(&t, all, t.city[k], near);
    }
    ab_memory_free(&memory);
    return status;
}

static void find_by_matrix(const tsp_instance *cities, int threads, neighbours *near)
{
    const int n = cities->n;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int i = 0; i < n; i++) {
        nearest around = {.city = i, .most = near->count, .quadrant = -1};
        for (int j = 0; j < n; j++) consider(&around, j, cities->dist[(size_t)i * (size_t)n + (size_t)j]);
        memcpy(near->city + (size_t)i * (size_t)near->count, around.found, (size_t)near->count * sizeof *around.found);
    }
}

static ab_status find(const tsp_instance *cities, int count, int per_quadrant, int threads, neighbours *near,
                      ab_memory *memory)
{
    near->count = cities->n - 1 < count ? cities->n - 1 : count;
    near->per_quadrant = cities->sphere ? 0 : per_quadrant;
    near->city = ab_allocate(memory, (size_t)cities->n * (size_t)near->count, sizeof *near->city);
    AB_TRY(ab_memory_status(memory));
    if (has_places(cities)) return find_by_tree(cities, threads, near);
    find_by_matrix(cities, threads, near);
    return ab_ok();
}

ab_status neighbours_find(const tsp_instance *cities, int threads, neighbours *near, ab_memory *memory)
{
    return find(cities, NEIGHBOURS, 0, threads, near, memory);
}

ab_status neighbours_find_around(const tsp_instance *cities, int threads, neighbours *near, ab_memory *memory)
{
    return find(cities, NEIGHBOURS_MOST, PER_QUADRANT, threads, near, memory);
}

/* ---- Hilbert's curve ---- */

typedef struct stop {
    uint64_t along; /* the curve */
    int32_t city;
} stop;

enum { CURVE_BITS = 30 };

/* How far along the curve of 2^30 by 2^30 squares the square (x, y) is. */
static uint64_t curve_position(uint32_t x, uint32_t y)
{
    uint64_t along = 0;
    for (uint32_t side = UINT32_C(1) << (CURVE_BITS - 1); side > 0; side /= 2) {
        const bool right = x & side, up = y & side;
        along = 4 * along + (right ? (up ? 2 : 3) : up);
        x &= side - 1, y &= side - 1;
        if (up) continue;
        const uint32_t kept = right ? side - 1 - x : x; /* the lower quarters lie on their side */
        x = right ? side - 1 - y : y;
        y = kept;
    }
    return along;
}

static int compare_stops(const void *a, const void *b)
{
    const stop *first = a, *second = b;
    if (first->along != second->along) return first->along < second->along ? -1 : 1;
    return first->city < second->city ? -1 : 1;
}

/* The place of a city on a flat map. The map of a sphere is as wide at each latitude as the sphere there. */
static tsp_point on_map(const tsp_instance *cities, int city)
{
    const tsp_place at = place(cities, city);
    if (cities->sphere == NULL) return (tsp_point){at.x, at.y};
    const double around = hypot(at.x, at.y);
    return (tsp_point){atan2(at.z, around) * cities->radius, atan2(at.y, at.x) * around};
}

ab_status order_along_curve(const tsp_instance *cities, int32_t *order)
{
    const int n = cities->n;
    for (int i = 0; i < n; i++) order[i] = i;
    if (!has_places(cities)) return ab_ok();
    stop *stops = malloc((size_t)n * sizeof *stops);
    if (stops == NULL) return ab_failed("no memory for %d cities", n);
    tsp_point lowest = on_map(cities, 0), highest = lowest;
    for (int i = 1; i < n; i++) {
        const tsp_point at = on_map(cities, i);
        lowest = (tsp_point){fmin(lowest.x, at.x), fmin(lowest.y, at.y)};
        highest = (tsp_point){fmax(highest.x, at.x), fmax(highest.y, at.y)};
    }
    const double side = fmax(highest.x - lowest.x, highest.y - lowest.y);
    const double scale = side > 0 ? ((1 << CURVE_BITS) - 1) / side : 0;
    for (int i = 0; i < n; i++) {
        const tsp_point at = on_map(cities, i);
        const uint32_t x = (uint32_t)((at.x - lowest.x) * scale), y = (uint32_t)((at.y - lowest.y) * scale);
        stops[i] = (stop){curve_position(x, y), i};
    }
    qsort(stops, (size_t)n, sizeof *stops, compare_stops);
    for (int i = 0; i < n; i++) order[i] = stops[i].city;
    free(stops);
    return ab_ok();
}

/* ---- The greedy tour ---- */

typedef struct edge {
    int32_t length, a, b;
} edge;

/* Paths that grow together. */
typedef struct paths {
    int32_t (*next)[2]; /* [n] the cities that a city is joined to; -1 for none */
    int32_t *end;       /* [n] of a path's end, its other end */
} paths;

static int compare_edges(const void *a, const void *b)
{
    const edge *first = a, *second = b;
    if (first->length != second->length) return first->length < second->length ? -1 : 1;
    if (first->a != second->a) return first->a < second->a ? -1 : 1;
    return (first->b > second->b) - (first->b < second->b);
}

/* Each pair of near cities once. Returns how many there are. */
static size_t list_edges(const tsp_instance *cities, const neighbours *near, edge *edges)
{
    size_t count = 0;
    for (int a = 0; a < cities->n; a++) {
        for (int k = 0; k < near->count; k++) {
            const int b = near->city[(size_t)a * (size_t)near->count + (size_t)k];
            bool mutual = false;
            for (int other = 0; other < near->count; other++)
                mutual |= near->city[(size_t)b * (size_t)near->count + (size_t)other] == a;
            if (!mutual || a < b) edges[count++] = (edge){(int32_t)tour_distance(cities, a, b), a, b};
        }
    }
    return count;
}

static void join(paths *grown, int a, int b)
{
    grown->next[a][grown->next[a][0] >= 0] = b;
    grown->next[b][grown->next[b][0] >= 0] = a;
    const int first = grown->end[a], last = grown->end[b];
    grown->end[first] = last;
    grown->end[last] = first;
}

/* Walks along the path that a city is in, from the end that comes first in the order. */
static int append_path(const paths *grown, int city, bool *seen, int32_t *order, int count)
{
    for (int before = -1; city >= 0;) {
        const int after = grown->next[city][0] == before ? grown->next[city][1] : grown->next[city][0];
        seen[city] = true;
        order[count++] = city;
        before = city;
        city = after;
    }
    return count;
}

static size_t join_shortest(paths *grown, edge *edges, size_t n_edges)
{
    size_t joined = 0;
    qsort(edges, n_edges, sizeof *edges, compare_edges);
    for (const edge *e = edges; e < edges + n_edges; e++) {
        if (grown->next[e->a][1] >= 0 || grown->next[e->b][1] >= 0 || grown->end[e->a] == e->b) continue;
        join(grown, e->a, e->b);
        joined++;
    }
    return joined;
}

/* The cities at the ends of paths, as an instance of their own. */
typedef struct ends {
    tsp_instance cities;
    int32_t *id; /* [n] number of each in the whole instance */
} ends;

static ends find_ends(const tsp_instance *cities, const paths *grown, ab_memory *memory)
{
    const size_t n = (size_t)cities->n;
    ends found = {.cities = {.rule = cities->rule, .radius = cities->radius},
                  .id = ab_allocate(memory, n, sizeof *found.id)};
    if (cities->points) found.cities.points = ab_allocate(memory, n, sizeof *found.cities.points);
    if (cities->sphere) found.cities.sphere = ab_allocate(memory, n, sizeof *found.cities.sphere);
    for (int i = 0; i < cities->n && !memory->failed; i++) {
        if (grown->next[i][1] >= 0) continue;
        const int k = found.cities.n++;
        found.id[k] = i;
        if (cities->points) found.cities.points[k] = cities->points[i];
        if (cities->sphere) found.cities.sphere[k] = cities->sphere[i];
    }
    return found;
}

/* Joins the ends of paths to near ends of others. *joined: the number of new edges. */
static ab_status join_ends(const tsp_instance *cities, paths *grown, size_t *joined)
{
    ab_memory memory = {0};
    neighbours near = {0};
    *joined = 0;
    ends of = find_ends(cities, grown, &memory);
    edge *edges = ab_allocate(&memory, (size_t)of.cities.n * NEIGHBOURS_MOST, sizeof *edges);
    ab_status status = ab_memory_status(&memory);
    if (status.code == AB_OK) status = neighbours_find_around(&of.cities, 1, &near, &memory);
    if (status.code == AB_OK) {
        const size_t count = list_edges(&of.cities, &near, edges);
        for (edge *e = edges; e < edges + count; e++) *e = (edge){e->length, of.id[e->a], of.id[e->b]};
        *joined = join_shortest(grown, edges, count);
    }
    ab_memory_free(&memory);
    return status;
}

/* Puts the paths behind each other, in the order of their first cities. */
static void append_paths(const paths *grown, int n, bool *seen, int32_t *order, int32_t *before)
{
    memcpy(before, order, (size_t)n * sizeof *order);
    for (int i = 0, count = 0; i < n; i++)
        if (!seen[before[i]] && grown->next[before[i]][1] < 0)
            count = append_path(grown, before[i], seen, order, count);
}

ab_status order_greedily(const tsp_instance *cities, const neighbours *near, int32_t *order)
{
    ab_memory memory = {0};
    const size_t n = (size_t)cities->n;
    edge *edges = ab_allocate(&memory, n * (size_t)near->count, sizeof *edges);
    paths grown = {ab_allocate(&memory, n, sizeof *grown.next), ab_allocate(&memory, n, sizeof *grown.end)};
    bool *seen = ab_allocate(&memory, n, sizeof *seen);
    int32_t *before = ab_allocate(&memory, n, sizeof *before);
    ab_status status = ab_memory_status(&memory);
    if (status.code == AB_OK) {
        for (size_t i = 0; i < n; i++) grown.next[i][0] = grown.next[i][1] = -1;
        for (size_t i = 0; i < n; i++) grown.end[i] = (int32_t)i;
        size_t joined = join_shortest(&grown, edges, list_edges(cities, near, edges));
        while (status.code == AB_OK && joined > 0 && has_places(cities)) status = join_ends(cities, &grown, &joined);
        if (status.code == AB_OK) append_paths(&grown, cities->n, seen, order, before);
    }
    ab_memory_free(&memory);
    return status;
}
