/* Local search on a tour (tours/search.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tours/search.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    OR_OPT = 3,       /* cities that an Or-opt moves at most */
    KICKED = 100,     /* cities of each of the three paths that a kick is made of, at most */
    KICKS_A_LOOK = 16 /* between two looks at the clock */
};

INLINE int64_t distance(const search *s, int a, int b)
{
    if (s->euclidean) {
        const double x = s->points[a].x - s->points[b].x, y = s->points[a].y - s->points[b].y;
        return (int64_t)(sqrt(x * x + y * y) + 0.5);
    }
    if (s->points) return (int64_t)s->cities->rule->distance(s->points[a], s->points[b]);
    if (s->sphere) return tsp_arc(s->cities->radius, s->sphere[a], s->sphere[b]);
    return s->cities->dist[(size_t)s->id[a] * (size_t)s->cities->n + (size_t)s->id[b]];
}

/* ---- The tour ---- */

INLINE int next(const search *s, int city)
{
    const int position = s->where[city] + 1;
    return s->at[position == s->n ? 0 : position];
}

INLINE int previous(const search *s, int city)
{
    const int position = s->where[city];
    return s->at[position == 0 ? s->n - 1 : position - 1];
}

/* The city after this one, in the direction that is looked in. */
INLINE int after(const search *s, int city, bool forward)
{
    return forward ? next(s, city) : previous(s, city);
}

/* Whether the edge must stay. */
INLINE bool is_fixed(const search *s, int a, int b)
{
    return s->path && a + b == s->n - 1 && (a == 0 || b == 0);
}

INLINE void put(search *s, int position, int city)
{
    s->at[position] = city;
    s->where[city] = position;
}

/* Reverses what is from position i to position j, or, if that is less, all else. */
static void reverse(search *s, int i, int j)
{
    int inside = j - i + 1;
    if (inside <= 0) inside += s->n;
    if (2 * inside > s->n) {
        const int first = i;
        i = j + 1 == s->n ? 0 : j + 1;
        j = first == 0 ? s->n - 1 : first - 1;
        inside = s->n - inside;
    }
    int32_t *const at = s->at, *const where = s->where;
    const int n = s->n;
    for (int left = inside / 2; left > 0; left--) {
        const int a = at[i], b = at[j];
        at[i] = b;
        at[j] = a;
        where[b] = i;
        where[a] = j;
        i = i + 1 == n ? 0 : i + 1;
        j = j == 0 ? n - 1 : j - 1;
    }
}

/* Edges a-b and c-d become a-c and b-d. The tour has them in the order a b .. c d, one way or the other; so d, which is
 * there to be read, follows from the rest. */
static void exchange(search *s, int a, int b, int c, int d)
{
    const bool forward = next(s, a) == b;
    const int i = s->where[forward ? b : c], j = s->where[forward ? c : b];
    (void)d;
    reverse(s, i, j);
    if (s->n_undo == SEARCH_MOST_UNDO) return;
    s->undo[s->n_undo][0] = i;
    s->undo[s->n_undo++][1] = j;
}

/* t1 [t2 .. t5] [t6 .. t3] t4: swaps the two paths. */
static void swap_paths(search *s, const int t[7])
{
    exchange(s, t[1], t[2], t[3], t[4]);
    exchange(s, t[1], t[3], t[6], t[5]);
    exchange(s, t[3], t[5], t[2], t[4]);
}

/* ---- Cities to look at ---- */

static void look_at(search *s, int city)
{
    if (s->queued[city]) return;
    int last = s->queue_first + s->queue_length++;
    if (last >= s->n) last -= s->n;
    s->queue[last] = city;
    s->queued[city] = true;
}

static int take_from_queue(search *s)
{
    const int city = s->queue[s->queue_first++];
    if (s->queue_first == s->n) s->queue_first = 0;
    s->queue_length--;
    s->queued[city] = false;
    return city;
}

/* ---- Moves ---- */

/* The forms of a move, by what becomes of the paths between its edges; ^ is reversed. */
typedef enum form {
    NO_MOVE,
    REVERSED,     /* t1 [t2 .. t4] t3             -> ^A: 2-opt */
    BOTH,         /* 2-opt, and then another one with the edge that it has put in */
    SWAPPED,      /* t1 [t2 .. t5] [t6 .. t3] t4  -> B A */
    BOTH_REVERSED /* t1 [t2 .. t6] [t5 .. t3] t4  -> ^A ^B */
} form;

typedef struct move {
    form form;
    int t[7]; /* from t[1] on, as in search.h */
    int64_t gain;
} move;

INLINE void keep(move *best, form what, int64_t gain, int t1, int t2, int t3, int t4, int t5, int t6)
{
    if (gain > best->gain) *best = (move){what, {0, t1, t2, t3, t4, t5, t6}, gain};
}

/* Cities on a way: from t2 on, away from t1. t2 has the rank 0, t1 the rank n - 1. */
typedef struct way {
    const int32_t *at, *where; /* the tour's, as in search.h */
    int n;
    bool forward;
    int begin; /* the position of t2 */
} way;

INLINE int rank_of(const way *w, int city)
{
    const int rank = w->forward ? w->where[city] - w->begin : w->begin - w->where[city];
    return rank < 0 ? rank + w->n : rank;
}

INLINE int city_at(const way *w, int rank)
{
    int position = w->forward ? w->begin + rank : w->begin - rank;
    if (w->forward && position >= w->n) position -= w->n;
    if (!w->forward && position < 0) position += w->n;
    return w->at[position];
}

/* Whether a path of so many cities may be moved elsewhere, turned round or not. */
INLINE bool may_move(const search *s, int cities)
{
    return s->moves == SEARCH_THREE_OPT || cities <= OR_OPT;
}

/* Tries the third edge after a valid 2-opt, where t4 is before t3. `gain` is the gain of t1 .. t4 without the edge
 * t4-t1. */
INLINE void extend_reversed(const search *s, const way *w, int64_t gain, int t1, int t2, int t3, int t4, int rank3,
                            move *best)
{
    for (const search_near *near = s->near + (size_t)t4 * NEIGHBOURS_MOST, *end = near + NEIGHBOURS_MOST; near < end;
         near++) {
        const int t5 = near->city;
        const int64_t open = gain - near->distance;
        if (t5 < 0 || open <= best->gain) break;
        const int rank5 = rank_of(w, t5);
        if (rank5 == rank3 || rank5 == w->n - 1) continue; /* t3-t4 has just gone; t4-t1 closes */
        const bool inside = rank5 < rank3;
        const int t6 = city_at(w, inside ? rank5 + 1 : rank5 - 1);
        if (is_fixed(s, t5, t6)) continue;
        if (!may_move(s, inside ? rank5 + 1 : rank5 - rank3)) continue;
        keep(best, BOTH, open + distance(s, t5, t6) - distance(s, t6, t1), t1, t2, t3, t4, t5, t6);
    }
}

/* The third edge where t4 is behind t3, so that two edges would leave the cities t2 .. t3 in a ring of their own. */
INLINE void extend_ring(const search *s, const way *w, int64_t gain, int t1, int t2, int t3, int t4, int rank3,
                        move *best)
{
    const bool rest_moves = may_move(s, w->n - 1 - rank3);
    for (const search_near *near = s->near + (size_t)t4 * NEIGHBOURS_MOST, *end = near + NEIGHBOURS_MOST; near < end;
         near++) {
        const int t5 = near->city;
        const int64_t open = gain - near->distance;
        if (t5 < 0 || open <= best->gain) break;
        const int rank5 = rank_of(w, t5);
        if (rank5 >= rank3) continue;
        const int behind = city_at(w, rank5 + 1);
        if (!is_fixed(s, t5, behind) && (rest_moves || may_move(s, rank5 + 1) || may_move(s, rank3 - rank5)))
            keep(best, SWAPPED, open + distance(s, t5, behind) - distance(s, behind, t1), t1, t2, t3, t4, t5, behind);
        if (rank5 == 0 || !rest_moves) continue;
        const int before = city_at(w, rank5 - 1);
        if (!is_fixed(s, t5, before))
            keep(best, BOTH_REVERSED, open + distance(s, t5, before) - distance(s, before, t1), t1, t2, t3, t4, t5,
                 before);
    }
}

/* Looks for moves that take the edge between t1 and the city after it out. */
INLINE void look(const search *s, int t1, bool forward, move *best)
{
    const int t2 = after(s, t1, forward);
    if (is_fixed(s, t1, t2)) return;
    const way w = {s->at, s->where, s->n, forward, s->where[t2]};
    const int64_t first = distance(s, t1, t2);
    for (const search_near *near = s->near + (size_t)t2 * NEIGHBOURS_MOST, *end = near + NEIGHBOURS_MOST; near < end;
         near++) {
        const int t3 = near->city;
        const int64_t open = first - near->distance;
        if (t3 < 0 || open <= 0) break;
        if (t3 == t1) continue;
        const int rank3 = rank_of(&w, t3), before = city_at(&w, rank3 - 1), behind = city_at(&w, rank3 + 1);
        if (before != t2 && !is_fixed(s, t3, before)) {
            const int64_t gain = open + distance(s, t3, before);
            keep(best, REVERSED, gain - distance(s, before, t1), t1, t2, t3, before, 0, 0);
            extend_reversed(s, &w, gain, t1, t2, t3, before, rank3, best);
        }
        if (!is_fixed(s, t3, behind))
            extend_ring(s, &w, open + distance(s, t3, behind), t1, t2, t3, behind, rank3, best);
    }
}

INLINE void watch(const search *s, int64_t gain)
{
    if (s->watch) s->watch(s, gain);
}

static void apply(search *s, const move *found)
{
    const int *t = found->t;
    switch (found->form) {
    case NO_MOVE:
        return;
    case REVERSED:
        exchange(s, t[1], t[2], t[4], t[3]);
        break;
    case BOTH:
        exchange(s, t[1], t[2], t[4], t[3]);
        exchange(s, t[1], t[4], t[6], t[5]);
        break;
    case SWAPPED:
        swap_paths(s, t);
        break;
    case BOTH_REVERSED:
        exchange(s, t[1], t[2], t[6], t[5]);
        exchange(s, t[2], t[5], t[3], t[4]);
        break;
    }
    for (int i = 1; i <= (found->form == REVERSED ? 4 : 6); i++) look_at(s, t[i]);
    s->moved++;
    watch(s, found->gain);
}

/* Makes the best move there is at a city; returns its gain, 0 for none. */
static int64_t improve_city(search *s, int city)
{
    move best = {.form = NO_MOVE};
    look(s, city, true, &best);
    look(s, city, false, &best);
    apply(s, &best);
    return best.gain;
}

int64_t search_descend(search *s)
{
    int64_t gain = 0;
    for (int looked = 1; s->queue_length > 0; looked++) {
        gain += improve_city(s, take_from_queue(s));
        if (looked % 256 == 0 && s->stops(s->context)) break;
    }
    return gain;
}

/* ---- Kicks ---- */

/* A double bridge: of three paths of random lengths that follow each other, the first and the last change places.
 * Returns what that gains, mostly less than 0. */
static int64_t kick(search *s)
{
    const int most = s->n - 1 < 3 * KICKED ? (s->n - 1) / 3 : KICKED;
    int position = random_below(&s->random, s->n);
    int t[8]; /* the ends: t0 [t1 .. t2] [t3 .. t4] [t5 .. t6] t7 */
    for (int i = 0; i < 8; i += 2) {
        t[i] = s->at[position];
        position = position + 1 == s->n ? 0 : position + 1;
        t[i + 1] = s->at[position];
        position = (position + random_below(&s->random, most)) % s->n;
    }
    int64_t gain = 0;
    for (int i = 0; i < 8; i += 2) {
        if (is_fixed(s, t[i], t[i + 1])) return 0;
        gain += distance(s, t[i], t[i + 1]);
    }
    exchange(s, t[0], t[1], t[6], t[7]);
    exchange(s, t[0], t[6], t[5], t[4]);
    exchange(s, t[6], t[4], t[3], t[2]);
    exchange(s, t[4], t[2], t[1], t[7]);
    for (int i = 0; i < 8; i++) look_at(s, t[i]);
    gain -= distance(s, t[0], t[5]) + distance(s, t[6], t[3]) + distance(s, t[4], t[1]) + distance(s, t[2], t[7]);
    watch(s, gain);
    return gain;
}

static void take_back(search *s)
{
    while (s->n_undo > 0) {
        s->n_undo--;
        reverse(s, s->undo[s->n_undo][0], s->undo[s->n_undo][1]);
    }
}

/* Whether a tour that is so much longer may stay. */
static bool is_let(search *s, int64_t longer)
{
    return s->temperature > 0.0 && (double)longer < -s->temperature * log(1.0 - random_unit(&s->random));
}

/* Kicks once, and improves what the kick has touched; returns what that gains together, 0 where it was taken back. */
static int64_t try_kick(search *s)
{
    s->n_undo = 0;
    s->kicks++;
    int64_t gain = kick(s);
    while (s->queue_length > 0 && s->n_undo < SEARCH_MOST_UNDO - 3) gain += improve_city(s, take_from_queue(s));
    while (s->queue_length > 0) take_from_queue(s);
    if (gain >= 0 || is_let(s, -gain)) return gain;
    take_back(s);
    watch(s, -gain);
    return 0;
}

/* The tour is the best: where it may become longer, that is to be found again. */
static void remember(search *s)
{
    if (s->temperature > 0.0) memcpy(s->best, s->at, (size_t)s->n * sizeof *s->best);
}

int64_t search_iterate(search *s, void (*gained)(void *, int64_t))
{
    int64_t total = 0;
    if (s->above == 0) remember(s);
    for (int i = 0; s->n >= SEARCH_LEAST_KICKED && (i % KICKS_A_LOOK != 0 || !s->stops(s->context)); i++) {
        s->above -= try_kick(s);
        if (s->above >= 0) continue;
        if (gained) gained(s->context, -s->above);
        total -= s->above;
        s->above = 0;
        remember(s);
    }
    return total;
}

int64_t search_take(search *s)
{
    const int64_t above = s->above;
    s->above = 0;
    return above;
}

/* ---- Runs of cities ---- */

void search_allocate(search *s, const tsp_instance *cities, int most, ab_memory *memory)
{
    const size_t n = (size_t)most;
    s->cities = cities;
    s->euclidean = cities->rule && strcmp(cities->rule->name, "EUC_2D") == 0;
    s->id = ab_allocate(memory, n, sizeof *s->id);
    s->points = cities->points ? ab_allocate(memory, n, sizeof *s->points) : NULL;
    s->sphere = cities->sphere ? ab_allocate(memory, n, sizeof *s->sphere) : NULL;
    s->near = ab_allocate(memory, n * NEIGHBOURS_MOST, sizeof *s->near);
    s->at = ab_allocate(memory, n, sizeof *s->at);
    s->where = ab_allocate(memory, n, sizeof *s->where);
    s->queue = ab_allocate(memory, n, sizeof *s->queue);
    s->queued = ab_allocate(memory, n, sizeof *s->queued);
    s->undo = ab_allocate(memory, SEARCH_MOST_UNDO, sizeof *s->undo);
    s->best = ab_allocate(memory, n, sizeof *s->best);
}

/* The cities near to number i that are here too. */
static void load_near(search *s, const neighbours *near, const int32_t *rank, int first, int i)
{
    const int32_t *from = near->city + (size_t)s->id[i] * (size_t)near->count;
    search_near *to = s->near + (size_t)i * NEIGHBOURS_MOST;
    int count = 0;
    for (int k = 0; k < near->count; k++) {
        int other = rank[from[k]] - first;
        if (other < 0) other += s->cities->n;
        if (other >= s->n) continue;
        const search_near found = {other, (int32_t)distance(s, i, other)};
        int at = count++;
        for (; at > 0 && to[at - 1].distance > found.distance; at--) to[at] = to[at - 1];
        to[at] = found;
    }
    if (count < NEIGHBOURS_MOST) to[count].city = -1;
}

void search_load(search *s, const neighbours *near, const int32_t *tour, const int32_t *rank, int first, int count,
                 bool settled)
{
    s->n = count;
    s->path = count < s->cities->n;
    s->queue_first = s->queue_length = s->n_undo = 0;
    s->above = 0;
    for (int i = 0; i < count; i++) {
        s->id[i] = tour[(first + i) % s->cities->n];
        if (s->points) s->points[i] = s->cities->points[s->id[i]];
        if (s->sphere) s->sphere[i] = s->cities->sphere[s->id[i]];
        put(s, i, i);
        s->queued[i] = false;
    }
    for (int i = 0; i < count; i++) {
        load_near(s, near, rank, first, i);
        if (!settled) look_at(s, i);
    }
}

void search_store(const search *s, int32_t *tour, int first, int size)
{
    const int32_t *order = s->above > 0 ? s->best : s->at;
    int position = 0;
    while (order[position] != 0) position++;
    const int before = order[position == 0 ? s->n - 1 : position - 1];
    const bool forward = before == s->n - 1 || !s->path;
    for (int i = 0; i < s->n; i++) {
        tour[(first + i) % size] = s->id[order[position]];
        position += forward ? 1 : -1;
        if (position == s->n) position = 0;
        if (position < 0) position = s->n - 1;
    }
}
