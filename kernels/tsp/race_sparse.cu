/* Ant System with candidate sets for very many cities: race-candidates in memory of O(n x candidates), on one GPU.
 *
 * There is no matrix. Distances are computed from coordinates. The pheromone is kept, exactly, on some edges alone: a
 * city's row is a chain of blocks of 32 edges, first its candidate set, then blocks from a pool. The pool holds the
 * edges outside of the set on which an ant has ever deposited. Every other edge has the same pheromone, the
 * background. An ant has a bit per city for its visited flags: 12.5 KB at 100000 cities. On the device cities go by
 * their places among the leaves (leaves.h), 32 cities that lie together. Clocks go on from step to step (race.h). Of an
 * exhausted set the nearest city left is looked for in the row's ring, its 256 nearest cities, then in boxes of leaves.
 *
 * Floor on an H100, m ants: 118 m n instructions / (528 x 1.98 GHz), and 16 m n bytes per update (as).
 * Limits: sets of 1 to 32 cities; beta > 0; coordinates on a plane, or a matrix, with which searches look at every
 * leaf. A full pool is an error. Tours of n ants need 40 GB at 100000 cities, so large instances set `ants`.
 * Measured: docs/log/ant-system.md.
 * Source: this project; the rule: thesis §4.4.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/tsp/race.h"
#include "kernels/tsp/steps/leaves.h"

enum {
    EDGES = WARP_SIZE,        /* edges per block, one per lane */
    RING = 2 * 4 * WARP_SIZE, /* nearest cities of a city, among which the nearest that is left is looked for first */
    POOL = 32,                /* blocks of the pool a city, less where there are fewer edges */
    USUAL_ANTS = 4,           /* ants per thread block */
    MOST_ANTS = 8,
    ROW_THREADS = 128, /* threads of a block that works on rows, one warp per row */
    LINK_THREADS = 256
};

/* ---- The rung's memory ---- */

typedef struct sparse_clock {
    float mean;
    int to;
} sparse_clock;

typedef struct sparse_state {
    float background; /* pheromone of all edges that are in no block */
    int used;         /* blocks of the pool, */
    int full;         /* ... and whether one more was needed than there are */
    int rule;         /* number of the rule of distances in sparse_rules */
} sparse_state;

/* Cities are places (leaves.h) throughout. Slots of a block that have no edge lead to the row's own city, which is
 * always visited, with pheromone 0. */
typedef struct sparse_rows {
    int n_leaves, n_groups, n_blocks;
    int n_linked; /* ants that deposit */
    double beta;
    const tsp_point *points;        /* [n]; where they are used colony.dist is NULL */
    const tsp_box *leaves, *groups; /* [n_leaves], [n_groups] */
    const int *city, *place;        /* [n]: the city of a place, the place of a city */
    const int *ring;                /* [n][RING]: nearest first, the lower city of equals; then the row's own city */
    sparse_clock *clocks;           /* [n][EDGES] of the sets */
    int *to;                        /* [n_blocks][EDGES]; block i < n is the set of city i */
    float *pheromone, *heuristic;   /* [n_blocks][EDGES] */
    int *next;                      /* [n_blocks]: the row's next block, 0 for none */
    int2 *links;                    /* [n][n_linked]: neighbours in the tours that deposit */
    sparse_state *state;
} sparse_rows;

/* The metrics on a plane. */
enum { EUC_2D, CEIL_2D, MAN_2D, MAX_2D, ATT, N_RULES };
static const char *const sparse_rules[N_RULES] = {"EUC_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "ATT"};

/* ---- Distances, as instances/distances.c has them, to the bit ---- */

static __device__ __forceinline__ double squared_length(double x, double y)
{
#ifdef __CUDACC__
    return __dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y)); /* not fused */
#else
    return x * x + y * y;
#endif
}

static __device__ int planar_distance(int rule, tsp_point a, tsp_point b)
{
    const double x = fabs(a.x - b.x), y = fabs(a.y - b.y);
    if (rule == EUC_2D) return (int)floor(sqrt(squared_length(x, y)) + 0.5);
    if (rule == CEIL_2D) return (int)ceil(sqrt(squared_length(x, y)));
    if (rule == MAN_2D) return (int)floor(x + y + 0.5);
    if (rule == MAX_2D) return (int)floor(fmax(x, y) + 0.5);
    const double exact = sqrt(squared_length(x, y) / 10.0), rounded = floor(exact + 0.5);
    return (int)(rounded < exact ? rounded + 1.0 : rounded);
}

static __device__ int distance_between(const tsp_device &colony, const sparse_rows &rows, int a, int b)
{
    if (!colony.dist) return planar_distance(rows.state->rule, rows.points[a], rows.points[b]);
    return colony.dist[(size_t)rows.city[a] * (size_t)colony.stride + (size_t)rows.city[b]];
}

/* No city in the box is nearer. */
static __device__ int box_distance(const tsp_device &colony, const sparse_rows &rows, int from, const tsp_box &box)
{
    if (colony.dist) return 0;
    const tsp_point point = rows.points[from];
    const tsp_point nearest = {fmin(fmax(point.x, box.low.x), box.high.x), fmin(fmax(point.y, box.low.y), box.high.y)};
    return planar_distance(rows.state->rule, point, nearest);
}

/* eta^beta. */
static __device__ float heuristic_of(const sparse_rows &rows, int distance)
{
    const double eta = 1.0 / (distance + 0.1);
    return (float)(rows.beta == 1.0 ? eta : rows.beta == 2.0 ? eta * eta : pow(eta, rows.beta));
}

static __device__ __forceinline__ float weight_of(float pheromone, float heuristic, float alpha)
{
    return (alpha == 1.0f ? pheromone : powf(pheromone, alpha)) * heuristic;
}

/* ---- Where an ant has been: a bit a city, a word a leaf; 1 where it has ---- */

struct sparse_visited {
    shared_array<unsigned> words;

    __device__ __forceinline__ bool has(int place) const
    {
        return words[(unsigned)place / LEAF] >> place % LEAF & 1;
    }
    /* Run by one lane. */
    __device__ __forceinline__ void add(int place) const
    {
        words[(unsigned)place / LEAF] |= 1u << place % LEAF;
    }
};

/* ---- The nearest city that is left ---- */

/* The nearest so far; the lower city of equals. */
struct sparse_nearest {
    unsigned distance = TSP_RACE_NEVER, city = TSP_RACE_NEVER;

    /* The lane whose box is to be looked into next: the one with the least bound; -1 if no box may have a nearer
     * city. */
    __device__ __forceinline__ int next_box(bool open, int bound) const
    {
        const unsigned least = warp_min(open ? (unsigned)bound : TSP_RACE_NEVER);
        if (least > distance || least == TSP_RACE_NEVER) return -1;
        return __ffs((int)__ballot_sync(FULL_WARP, open && (unsigned)bound == least)) - 1;
    }
};

static __device__ void search_group(const tsp_device &colony, const sparse_rows &rows, int from, int group,
                                    sparse_visited visited, sparse_nearest &nearest)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, leaf = group * LEAF + lane;
    unsigned left = leaf < rows.n_leaves ? ~visited.words[leaf] : 0;
    if (!__any_sync(FULL_WARP, left != 0)) return;
    if (group == from / (LEAF * LEAF))
        AB_PLAN("race-sparse: the nearest is looked for in the city's own group");
    else
        AB_PLAN("race-sparse: the nearest is looked for in another group");
    const int bound = left ? box_distance(colony, rows, from, rows.leaves[leaf]) : 0;
    for (int next; (next = nearest.next_box(left != 0, bound)) >= 0;) {
        const int place = (group * LEAF + next) * LEAF + lane;
        unsigned distance = TSP_RACE_NEVER, city = TSP_RACE_NEVER;
        if (__shfl_sync(FULL_WARP, left, next) >> lane & 1) {
            distance = (unsigned)distance_between(colony, rows, from, place);
            city = (unsigned)rows.city[place];
        }
        const unsigned least = warp_min(distance), first = warp_min(distance == least ? city : TSP_RACE_NEVER);
        if (least < nearest.distance || (least == nearest.distance && first < nearest.city)) {
            nearest.distance = least;
            nearest.city = first;
        }
        if (lane == next) left = 0;
    }
}

/* The nearest city that is left, if it is in the ring: four cities per lane at a time, in order. -1 if it is not. */
static __device__ int search_ring(const sparse_rows &rows, int from, sparse_visited visited)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const int4 *const ring = reinterpret_cast<const int4 *>(rows.ring + (size_t)from * RING);
#pragma unroll
    for (int first = 0; first < RING / 4; first += WARP_SIZE) {
        const int4 four = __ldg(ring + (first + lane));
        int place = visited.has(four.w) ? -1 : four.w;
        if (!visited.has(four.z)) place = four.z;
        if (!visited.has(four.y)) place = four.y;
        if (!visited.has(four.x)) place = four.x;
        const unsigned left = __ballot_sync(FULL_WARP, place >= 0);
        if (left) return __shfl_sync(FULL_WARP, place, __ffs((int)left) - 1);
    }
    return -1;
}

static __device__ sparse_nearest search_nearest(const tsp_device &colony, const sparse_rows &rows, int from,
                                                sparse_visited visited)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, own = from / (LEAF * LEAF), near = search_ring(rows, from, visited);
    sparse_nearest nearest;
    if (near >= 0) {
        AB_PLAN("race-sparse: the nearest is in the ring");
        nearest.distance = (unsigned)distance_between(colony, rows, from, near);
        nearest.city = (unsigned)rows.city[near];
        return nearest;
    }
    AB_PLAN("race-sparse: the nearest is beyond the ring");
    for (int first = 0; first < rows.n_groups; first += WARP_SIZE) { /* from the city's own group on */
        const int group = (own + first + lane) % rows.n_groups;
        bool open = first + lane < rows.n_groups;
        const int bound = open ? box_distance(colony, rows, from, rows.groups[group]) : 0;
        for (int next; (next = nearest.next_box(open, bound)) >= 0;) {
            search_group(colony, rows, from, __shfl_sync(FULL_WARP, group, next), visited, nearest);
            if (lane == next) open = false;
        }
    }
    return nearest;
}

/* The best remaining city (tsp.h): of the row's chain, or the nearest.
 *
 * Among edges of the same pheromone the shortest weighs most, as beta is more than 0. If the nearest city happens to
 * be in the chain, it weighs no less there, as no edge has less pheromone than the background. Where a float cannot
 * tell weights apart, below 1e-38 or beyond 2^24 in distance, distances decide. */
static __device__ int choose_best(const tsp_device &colony, const sparse_rows &rows, int from, float alpha,
                                  sparse_visited visited, unsigned &zero_weight_steps)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const sparse_nearest nearest = search_nearest(colony, rows, from, visited);
    const float heuristic = heuristic_of(rows, (int)nearest.distance);
    unsigned long long best = best_key(weight_of(rows.state->background, heuristic, alpha), (int)nearest.city);
    for (int block = rows.next[from]; block; block = rows.next[block]) {
        const size_t edge = (size_t)block * EDGES + (size_t)lane;
        const int to = rows.to[edge];
        if (visited.has(to)) continue;
        if (block == rows.next[from])
            AB_PLAN("race-sparse: the best is looked for in the first block of a chain");
        else
            AB_PLAN("race-sparse: the best is looked for in further blocks of a chain");
        const float weight = weight_of(rows.pheromone[edge], rows.heuristic[edge], alpha);
        best = max(best, best_key(weight, rows.city[to]));
    }
    best = warp_max(best);
    if (!best_weighs_nothing(best)) return rows.place[best_city(best)];
    ++zero_weight_steps;
    return rows.place[nearest.city];
}

/* ---- The walk ---- */

/* Keeps a tour on its way, one city per lane, and writes it 32 cities at a time. */
struct sparse_record {
    int *tour;
    int first = 0, mine = 0; /* the tour's first city; the latest whose position is this lane's number modulo 32 */
    int last = 0;            /* the city before those that are kept */
    long long length = 0;    /* this lane's part of it */

    /* Writes the 32 cities up to the one of this step, or as many as there are. */
    __device__ void write(const tsp_device &colony, const sparse_rows &rows, int step)
    {
        const int lane = (int)threadIdx.x % WARP_SIZE, position = step / WARP_SIZE * WARP_SIZE + lane;
        const int below = __shfl_up_sync(FULL_WARP, mine, 1), from = lane == 0 ? last : below;
        if (position <= step) {
            tour[position] = rows.city[mine];
            if (position > 0) length += distance_between(colony, rows, from, mine);
        }
        last = __shfl_sync(FULL_WARP, mine, step);
    }

    __device__ void finish(const tsp_device &colony, const sparse_rows &rows, int ant, unsigned zero_weight_steps)
    {
        for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) length += __shfl_xor_sync(FULL_WARP, length, offset);
        if (threadIdx.x % WARP_SIZE != 0) return;
        length += distance_between(colony, rows, last, first);
        tour[colony.n] = rows.city[first];
        colony.lengths[ant] = length;
        atomicMin(colony.iteration_best, tour_key(length, ant));
        if (zero_weight_steps) atomicAdd(colony.zero_weight_steps, (unsigned long long)zero_weight_steps);
    }
};

template <typename Random>
static __global__ void __launch_bounds__(MOST_ANTS *WARP_SIZE)
    sparse_walk(tsp_device colony, sparse_rows rows, float alpha, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, ants = (int)blockDim.x / WARP_SIZE, warp = (int)threadIdx.x / WARP_SIZE;
    const int lane = (int)threadIdx.x % WARP_SIZE, ant = (int)blockIdx.x * ants + warp;
    SHARED_DYNAMIC(unsigned, words, 0, ants *rows.n_leaves);
    const sparse_visited visited = {words + warp * rows.n_leaves};
    if (ant >= colony.n_ants) return;

    for (int leaf = lane; leaf < rows.n_leaves; leaf += WARP_SIZE)
        visited.words[leaf] = leaf == n / LEAF ? ~0u << n % LEAF : 0; /* no cities where the last leaf has none */
    Random random(seed, ant_stream(colony, iteration, ant) * WARP_SIZE + (unsigned)lane);
    sparse_record record = {.tour = colony.tours + (size_t)ant * (size_t)(n + 1)};
    unsigned zero_weight_steps = 0;

    int from = __shfl_sync(FULL_WARP, min((int)((double)random.next() * 0x1p-32 * n), n - 1), 0);
    record.first = record.mine = from;
    __syncwarp(FULL_WARP);
    if (lane == 0) visited.add(from);
    sparse_clock clock = rows.clocks[(size_t)from * EDGES + (size_t)lane];
    float wait = tsp_race_exponential(random.next());

    for (int begin = 0; begin < n; begin += WARP_SIZE) {
        const int steps = min(n - begin, (int)WARP_SIZE);
        const float spare = tsp_race_exponential(random.next()); /* for the clock that rings in this lane's step */
        for (int i = begin == 0 ? 1 : 0; i < steps; ++i) {
            __syncwarp(FULL_WARP); /* the flag of `from` is written */
            const bool out = visited.has(clock.to);
            const unsigned key = out ? TSP_RACE_NEVER : tsp_race_key(fabsf(wait) * clock.mean, lane);
            const float rate = tsp_race_reciprocal_now(clock.mean);
            const unsigned first = warp_min(key);
            int next = __shfl_sync(FULL_WARP, clock.to, (int)first);
            const float fresh = __shfl_sync(FULL_WARP, spare, i);
            if (first < TSP_RACE_WEIGHTLESS) {
                clock = rows.clocks[(size_t)next * EDGES + (size_t)lane];
                if (!out) wait -= tsp_race_time(first) * rate;
                if (key == first) wait = fresh;
            } else {
                next = choose_best(colony, rows, from, alpha, visited, zero_weight_steps);
                clock = rows.clocks[(size_t)next * EDGES + (size_t)lane];
                wait = tsp_race_exponential(random.next());
            }
            __syncwarp(FULL_WARP); /* every lane has read the flags */
            if (lane == 0) visited.add(next);
            if (lane == i) record.mine = next;
            from = next;
        }
        record.write(colony, rows, begin + steps - 1);
    }
    record.finish(colony, rows, ant, zero_weight_steps);
}

/* ---- Rows: a warp each ---- */

static __device__ __forceinline__ int row_of_warp()
{
    return (int)(blockIdx.x * (ROW_THREADS / WARP_SIZE) + threadIdx.x / WARP_SIZE);
}

/* eta^beta of every edge in a block. */
static __global__ void __launch_bounds__(ROW_THREADS) set_heuristics(tsp_device colony, sparse_rows rows)
{
    const int row = row_of_warp(), lane = (int)threadIdx.x % WARP_SIZE;
    if (row >= colony.n) return;
    for (int block = row, i = 0; i == 0 || block; block = rows.next[block], ++i) {
        const size_t edge = (size_t)block * EDGES + (size_t)lane;
        const int to = rows.to[edge];
        rows.heuristic[edge] = to == row ? 0.0f : heuristic_of(rows, distance_between(colony, rows, row, to));
    }
}

/* Stage "choice". */
static __global__ void __launch_bounds__(ROW_THREADS) weigh_clocks(tsp_device colony, sparse_rows rows, float alpha)
{
    const int row = row_of_warp(), lane = (int)threadIdx.x % WARP_SIZE;
    if (row >= colony.n) return;
    const size_t edge = (size_t)row * EDGES + (size_t)lane;
    const float weight = weight_of(rows.pheromone[edge], rows.heuristic[edge], alpha), unit = tsp_race_sum(weight);
    rows.clocks[edge] = {tsp_race_mean(weight, unit), rows.to[edge]};
}

/* The ant in place i of those that deposit. */
static __device__ __forceinline__ int depositor(const tsp_device &colony, const sparse_rows &rows, int i)
{
    return rows.n_linked == colony.n_ants ? i : best_ant(colony);
}

static __global__ void __launch_bounds__(LINK_THREADS) link_cities(tsp_device colony, sparse_rows rows)
{
    const int n = colony.n, at = (int)(blockIdx.x * LINK_THREADS + threadIdx.x), linked = (int)blockIdx.y;
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const int *const tour = colony.tours + (size_t)depositor(colony, rows, linked) * (size_t)(n + 1);
    const int place = rows.place[tour[min(at, n)]];
    int2 link = {__shfl_up_sync(FULL_WARP, place, 1), __shfl_down_sync(FULL_WARP, place, 1)};
    if (at >= n) return;
    if (lane == 0) link.x = rows.place[tour[at == 0 ? n - 1 : at - 1]];
    if (lane == WARP_SIZE - 1) link.y = rows.place[tour[at + 1]];
    rows.links[(size_t)place * (size_t)rows.n_linked + (size_t)linked] = link;
}

/* A block of the pool for one edge, behind `last`. */
static __device__ void begin_block(const tsp_device &colony, const sparse_rows &rows, int row, int last, int to,
                                   float pheromone, float heuristic)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    int block = rows.n_blocks;
    if (lane == 0) block = colony.n + atomicAdd(&rows.state->used, 1);
    block = __shfl_sync(FULL_WARP, block, 0);
    if (block >= rows.n_blocks) {
        if (lane == 0) rows.state->full = 1;
        return;
    }
    if (last == row)
        AB_PLAN("race-sparse: a chain's first block");
    else
        AB_PLAN("race-sparse: a chain's further blocks");
    const size_t edge = (size_t)block * EDGES + (size_t)lane;
    rows.to[edge] = lane == 0 ? to : row;
    rows.pheromone[edge] = lane == 0 ? pheromone : 0.0f;
    rows.heuristic[edge] = lane == 0 ? heuristic : 0.0f;
    if (lane == 0) {
        rows.next[block] = 0;
        rows.next[last] = block;
    }
    __syncwarp(FULL_WARP);
}

/* Lays `amount` on an edge outside of the set; `fresh` is what one has that is in no block yet. */
static __device__ void deposit_outside(const tsp_device &colony, const sparse_rows &rows, int row, int to, float amount,
                                       float fresh)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    int last = row;
    for (int block = rows.next[row]; block; block = rows.next[block]) {
        const size_t edge = (size_t)block * EDGES + (size_t)lane;
        const int there = rows.to[edge];
        const unsigned same = __ballot_sync(FULL_WARP, there == to), empty = __ballot_sync(FULL_WARP, there == row);
        if (same && there == to) rows.pheromone[edge] += amount;
        if (!same && empty && lane == __ffs((int)empty) - 1) {
            rows.to[edge] = to;
            rows.pheromone[edge] = fresh + amount;
            rows.heuristic[edge] = heuristic_of(rows, distance_between(colony, rows, row, to));
        }
        __syncwarp(FULL_WARP);
        if (same || empty) return;
        last = block;
    }
    const float heuristic = heuristic_of(rows, distance_between(colony, rows, row, to));
    begin_block(colony, rows, row, last, to, fresh + amount, heuristic);
}

/* Evaporation and deposit, a warp per row: it adds what the ants lay on the row's edges in the order of the ants. No
 * sum depends on the order of threads, so that one seed gives the same tours again. */
static __global__ void __launch_bounds__(ROW_THREADS) update_rows(tsp_device colony, sparse_rows rows, float keep)
{
    const int row = row_of_warp(), lane = (int)threadIdx.x % WARP_SIZE;
    if (row >= colony.n) return;
    const size_t set = (size_t)row * EDGES + (size_t)lane;
    const float fresh = keep * rows.state->background;
    const int to = rows.to[set];
    float pheromone = keep * rows.pheromone[set];
    for (int block = rows.next[row]; block; block = rows.next[block])
        rows.pheromone[(size_t)block * EDGES + (size_t)lane] *= keep;
    __syncwarp(FULL_WARP);
    const int2 *const links = rows.links + (size_t)row * (size_t)rows.n_linked;
    for (int first = 0; first < rows.n_linked; first += WARP_SIZE) {
        const int count = min(rows.n_linked - first, (int)WARP_SIZE), linked = first + min(lane, count - 1);
        const long long length = colony.lengths[depositor(colony, rows, linked)];
        const float amount = 1.0f / (float)(length > 0 ? length : 1);
        unsigned x = 0, y = 0; /* bit i: this lane's edge is one of the i-th ant's two */
#pragma unroll 8
        for (int i = 0; i < count; ++i) {
            const int2 link = links[first + i];
            const float laid = __shfl_sync(FULL_WARP, amount, i);
            if (to == link.x) pheromone += laid;
            if (to == link.y) pheromone += laid;
            x |= (unsigned)(to == link.x) << i;
            y |= (unsigned)(to == link.y) << i;
        }
        const unsigned all = FULL_WARP >> (WARP_SIZE - count), out_x = all & ~warp_or(x), out_y = all & ~warp_or(y);
        for (unsigned left = out_x | out_y; left; left &= left - 1) {
            const int i = __ffs((int)left) - 1;
            const int2 link = links[first + i];
            const float laid = __shfl_sync(FULL_WARP, amount, i);
            if (out_x >> i & 1) deposit_outside(colony, rows, row, link.x, laid, fresh);
            if (out_y >> i & 1) deposit_outside(colony, rows, row, link.y, laid, fresh);
        }
    }
    rows.pheromone[set] = pheromone;
}

/* What is left of the update, by one block. */
static __global__ void __launch_bounds__(LINK_THREADS) end_update(tsp_device colony, sparse_rows rows, float keep)
{
    if (threadIdx.x == 0) rows.state->background *= keep;
    keep_if_best(colony, best_ant(colony));
}

/* ---- The rung ---- */

/* Blocks of the pool: enough for all edges of a small instance, which tests fill in. */
static int pool_size(int n)
{
    return n * min(ceil_div(n - 1, (int)EDGES), (int)POOL);
}

/* The next `count` elements of the scratch memory, of which `bytes` are taken; of none where it is NULL. */
template <typename T> static T *take(void *scratch, size_t *bytes, size_t count)
{
    T *const array = scratch ? (T *)((char *)scratch + *bytes) : NULL;
    *bytes += tsp_race_round_up(count * sizeof(T));
    return array;
}

/* Places the rows of a rung in its scratch memory; *bytes is their size. */
static sparse_rows place_rows(void *scratch, int n, const tsp_params *params, size_t *bytes)
{
    const int n_leaves = ceil_div(n, LEAF), n_groups = ceil_div(n_leaves, LEAF), n_blocks = n + pool_size(n);
    const int n_linked = params->protocol == TSP_ALL_ANTS ? params->n_ants : 1;
    const size_t cities = (size_t)n, blocks = (size_t)n_blocks;
    *bytes = 0;
    return {.n_leaves = n_leaves,
            .n_groups = n_groups,
            .n_blocks = n_blocks,
            .n_linked = n_linked,
            .beta = params->beta,
            .points = take<tsp_point>(scratch, bytes, cities),
            .leaves = take<tsp_box>(scratch, bytes, (size_t)n_leaves),
            .groups = take<tsp_box>(scratch, bytes, (size_t)n_groups),
            .city = take<int>(scratch, bytes, cities),
            .place = take<int>(scratch, bytes, cities),
            .ring = take<int>(scratch, bytes, cities * RING),
            .clocks = take<sparse_clock>(scratch, bytes, cities * EDGES),
            .to = take<int>(scratch, bytes, blocks * EDGES),
            .pheromone = take<float>(scratch, bytes, blocks * EDGES),
            .heuristic = take<float>(scratch, bytes, blocks * EDGES),
            .next = take<int>(scratch, bytes, blocks),
            .links = take<int2>(scratch, bytes, cities * (size_t)n_linked),
            .state = take<sparse_state>(scratch, bytes, 1)};
}

static sparse_rows rows_of(const tsp_device *colony, const tsp_params *params)
{
    size_t bytes;
    return place_rows(colony->scratch, colony->n, params, &bytes);
}

static size_t scratch_bytes(const tsp_problem *problem, const tsp_params *params)
{
    size_t bytes;
    (void)place_rows(NULL, problem->n, params, &bytes);
    return bytes;
}

static int block_ants(const tsp_params *params)
{
    const int asked = tsp_own<tsp_race_params>(params).block_ants;
    return asked ? asked : (int)USUAL_ANTS;
}

static size_t shared_bytes(int n, const tsp_params *params)
{
    return (size_t)block_ants(params) * (size_t)ceil_div(n, LEAF) * sizeof(unsigned);
}

static int find_rule(const char *name)
{
    int rule = 0;
    while (rule < N_RULES && strcmp(name, sparse_rules[rule]) != 0) ++rule;
    return rule;
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(tsp_check_candidates(problem));
    if (problem->nn > EDGES) return ab_unsupported("needs sets of at most %d, not %d", EDGES, problem->nn);
    if (!(params->beta > 0.0)) return ab_unsupported("needs beta > 0: the nearest of equal edges is to be the best");
    if (tsp_own<tsp_race_params>(params).block_ants > MOST_ANTS)
        return ab_unsupported("needs block-ants <= %d", MOST_ANTS);
    if (problem->points && find_rule(problem->rule->name) == N_RULES)
        return ab_unsupported("needs distances on a plane, not %s", problem->rule->name);
    return device_allow_shared((const void *)sparse_walk<tsp_race_random>, shared_bytes(problem->n, params),
                               params->carveout);
}

template <typename T> static ab_status upload(const T *to, const T *from, size_t count)
{
    CUDA_TRY(cudaMemcpy((void *)to, from, count * sizeof(T), cudaMemcpyHostToDevice));
    return ab_ok();
}

template <typename T> static ab_status download(T *to, const T *from, size_t count)
{
    CUDA_TRY(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status upload_leaves(const tsp_problem *problem, const tsp_leaves *leaves, const sparse_rows *rows)
{
    const size_t n = (size_t)problem->n;
    AB_TRY(upload(rows->city, leaves->city, n));
    AB_TRY(upload(rows->place, leaves->place, n));
    AB_TRY(upload(rows->leaves, leaves->boxes, (size_t)leaves->n_leaves));
    AB_TRY(upload(rows->groups, leaves->groups, (size_t)leaves->n_groups));
    if (!problem->points) return ab_ok();
    tsp_point *const points = (tsp_point *)malloc(n * sizeof *points);
    if (!points) return ab_failed("out of memory: %zu cities", n);
    for (size_t i = 0; i < n; ++i) points[i] = problem->points[leaves->city[i]];
    const ab_status status = upload(rows->points, (const tsp_point *)points, n);
    free(points);
    return status;
}

/* Each set with the pheromone that a colony has at first. */
static ab_status upload_sets(const tsp_problem *problem, const tsp_leaves *leaves, const sparse_rows *rows,
                             float initial)
{
    const size_t n = (size_t)problem->n, nn = (size_t)problem->nn;
    int *const to = (int *)malloc(n * EDGES * sizeof *to);
    float *const pheromone = (float *)malloc(n * EDGES * sizeof *pheromone);
    ab_status status = to && pheromone ? ab_ok() : ab_failed("out of memory: sets of %zu cities", n);
    for (size_t i = 0; i < n * EDGES && status.code == AB_OK; ++i) {
        const size_t place = i / EDGES, k = i % EDGES;
        to[i] = k < nn ? leaves->place[problem->nn_list[(size_t)leaves->city[place] * nn + k]] : (int)place;
        pheromone[i] = k < nn ? initial : 0.0f;
    }
    if (status.code == AB_OK) status = upload(rows->to, (const int *)to, n * EDGES);
    if (status.code == AB_OK) status = upload(rows->pheromone, (const float *)pheromone, n * EDGES);
    free(to);
    free(pheromone);
    return status;
}

static ab_status upload_rings(const tsp_problem *problem, const tsp_leaves *leaves, const sparse_rows *rows)
{
    const size_t n = (size_t)problem->n, known = (size_t)min(problem->n - 1, (int)RING);
    int32_t *near = NULL;
    AB_TRY(tsp_nearest_neighbours(problem, (int)known, &near));
    int *const ring = (int *)malloc(n * RING * sizeof *ring);
    ab_status status = ring ? ab_ok() : ab_failed("out of memory: rings of %zu cities", n);
    for (size_t i = 0; i < n * RING && status.code == AB_OK; ++i) {
        const size_t place = i / RING, k = i % RING;
        ring[i] = k < known ? leaves->place[near[(size_t)leaves->city[place] * known + k]] : (int)place;
    }
    if (status.code == AB_OK) status = upload(rows->ring, (const int *)ring, n * RING);
    free(ring);
    free(near);
    return status;
}

static ab_status launch_heuristics(const tsp_device *colony, const sparse_rows *rows)
{
    LAUNCH(set_heuristics, ceil_div(colony->n, ROW_THREADS / WARP_SIZE), ROW_THREADS, 0)(*colony, *rows);
    return AB_LAUNCHED("set_heuristics");
}

static ab_status begin(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    const sparse_rows rows = rows_of(colony, params);
    double exact;
    AB_TRY(tsp_initial_pheromone(problem, params->rho, &exact));
    const float initial = (float)exact;
    const sparse_state state = {initial, 0, 0, problem->points ? find_rule(problem->rule->name) : 0};
    tsp_leaves leaves;
    ab_status status = tsp_leaves_make(problem, &leaves);
    if (status.code == AB_OK) status = upload_leaves(problem, &leaves, &rows);
    if (status.code == AB_OK) status = upload_sets(problem, &leaves, &rows, initial);
    if (status.code == AB_OK) status = upload_rings(problem, &leaves, &rows);
    tsp_leaves_free(&leaves);
    AB_TRY(status);
    AB_TRY(upload(rows.state, &state, 1));
    CUDA_TRY(cudaMemset(rows.next, 0, (size_t)rows.n_blocks * sizeof *rows.next));
    return launch_heuristics(colony, &rows);
}

static ab_status choice(const tsp_device *colony, const tsp_params *params, unsigned)
{
    LAUNCH(weigh_clocks, ceil_div(colony->n, ROW_THREADS / WARP_SIZE), ROW_THREADS, 0)
    (*colony, rows_of(colony, params), (float)params->alpha);
    return AB_LAUNCHED("weigh_clocks");
}

template <typename Random>
static ab_status launch_walk(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    const int ants = block_ants(params);
    LAUNCH(sparse_walk<Random>, ceil_div(colony->n_ants, ants), ants * WARP_SIZE, shared_bytes(colony->n, params))
    (*colony, rows_of(colony, params), (float)params->alpha, params->seed, iteration);
    return AB_LAUNCHED("sparse_walk");
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    return launch_walk<tsp_race_random>(colony, params, iteration);
}

static ab_status deposit(const tsp_device *colony, const tsp_params *params, unsigned)
{
    const sparse_rows rows = rows_of(colony, params);
    const float keep = 1.0f - (float)params->rho;
    LAUNCH(link_cities, dim3((unsigned)ceil_div(colony->n, LINK_THREADS), (unsigned)rows.n_linked), LINK_THREADS, 0)
    (*colony, rows);
    AB_TRY(AB_LAUNCHED("link_cities"));
    LAUNCH(update_rows, ceil_div(colony->n, ROW_THREADS / WARP_SIZE), ROW_THREADS, 0)(*colony, rows, keep);
    AB_TRY(AB_LAUNCHED("update_rows"));
    LAUNCH(end_update, 1, LINK_THREADS, 0)(*colony, rows, keep);
    return AB_LAUNCHED("end_update");
}

/* ---- The pheromone as edges ---- */

/* The blocks of all rows, on the host, cities by place. */
typedef struct sparse_copy {
    sparse_state state;
    int *city, *place, *to, *next;
    float *pheromone;
} sparse_copy;

static void free_blocks(sparse_copy *copy)
{
    free(copy->city);
    free(copy->place);
    free(copy->to);
    free(copy->next);
    free(copy->pheromone);
}

static ab_status allocate_blocks(int n, size_t n_blocks, sparse_copy *copy)
{
    copy->city = (int *)malloc((size_t)n * sizeof(int));
    copy->place = (int *)malloc((size_t)n * sizeof(int));
    copy->to = (int *)malloc(n_blocks * EDGES * sizeof(int));
    copy->next = (int *)malloc(n_blocks * sizeof(int));
    copy->pheromone = (float *)malloc(n_blocks * EDGES * sizeof(float));
    if (copy->city && copy->place && copy->to && copy->next && copy->pheromone) return ab_ok();
    return ab_failed("out of memory: %zu blocks of edges", n_blocks);
}

/* Downloads the blocks in use, with room for all. */
static ab_status download_blocks(const tsp_device *colony, const sparse_rows *rows, sparse_copy *copy)
{
    const size_t n = (size_t)colony->n;
    AB_TRY(download(&copy->state, rows->state, 1));
    if (copy->state.full)
        return ab_failed("more edges outside of the candidate sets than there is room for: %d blocks of %d",
                         rows->n_blocks - colony->n, EDGES);
    const size_t used = n + (size_t)copy->state.used;
    AB_TRY(allocate_blocks(colony->n, (size_t)rows->n_blocks, copy));
    AB_TRY(download(copy->city, rows->city, n));
    AB_TRY(download(copy->place, rows->place, n));
    AB_TRY(download(copy->to, (const int *)rows->to, used * EDGES));
    AB_TRY(download(copy->next, (const int *)rows->next, used));
    return download(copy->pheromone, (const float *)rows->pheromone, used * EDGES);
}

static void list_edges(const sparse_copy *copy, int n, tsp_edges *edges)
{
    size_t at = 0;
    edges->background = copy->state.background;
    for (int i = 0; i < n; edges->first[++i] = at) {
        const int row = copy->place[i];
        for (int block = row, k = 0; k == 0 || block; block = copy->next[block], ++k)
            for (size_t edge = (size_t)block * EDGES; edge < ((size_t)block + 1) * EDGES; ++edge) {
                if (copy->to[edge] == row) continue;
                edges->city[at] = copy->city[copy->to[edge]];
                edges->pheromone[at++] = copy->pheromone[edge];
            }
    }
}

static ab_status read_edges(const tsp_device *colony, const tsp_params *params, tsp_edges *edges)
{
    const sparse_rows rows = rows_of(colony, params);
    sparse_copy copy = {};
    ab_status status = download_blocks(colony, &rows, &copy);
    if (status.code == AB_OK)
        status = tsp_edges_allocate(colony->n, ((size_t)colony->n + (size_t)copy.state.used) * EDGES, edges);
    if (status.code == AB_OK) list_edges(&copy, colony->n, edges);
    free_blocks(&copy);
    return status;
}

/* Writes an edge into the row's chain on the host. */
static ab_status enter_edge(const sparse_rows *rows, sparse_copy *copy, int n, int row, int to, float pheromone)
{
    int block = row;
    for (;;) {
        int *const there = copy->to + (size_t)block * EDGES;
        for (int k = 0; k < EDGES; ++k) {
            if (there[k] != to && (block < n || there[k] != row)) continue; /* a set has its own cities alone */
            there[k] = to;
            copy->pheromone[(size_t)block * EDGES + (size_t)k] = pheromone;
            return ab_ok();
        }
        if (copy->next[block] == 0) {
            const int fresh = n + copy->state.used++;
            if (fresh >= rows->n_blocks)
                return ab_unsupported("needs room for more edges outside of the candidate sets");
            copy->next[block] = fresh;
            copy->next[fresh] = 0;
            for (int k = 0; k < EDGES; ++k) copy->to[(size_t)fresh * EDGES + (size_t)k] = row;
            for (int k = 0; k < EDGES; ++k) copy->pheromone[(size_t)fresh * EDGES + (size_t)k] = 0.0f;
        }
        block = copy->next[block];
    }
}

static ab_status enter_edges(const sparse_rows *rows, const tsp_edges *edges, int n, sparse_copy *copy)
{
    copy->state.background = edges->background;
    copy->state.used = 0;
    for (int row = 0; row < n; ++row) copy->next[row] = 0;
    for (size_t edge = 0; edge < (size_t)n * EDGES; ++edge)
        copy->pheromone[edge] = copy->to[edge] == (int)(edge / EDGES) ? 0.0f : edges->background;
    for (int i = 0; i < n; ++i)
        for (size_t k = edges->first[i]; k < edges->first[i + 1]; ++k)
            AB_TRY(enter_edge(rows, copy, n, copy->place[i], copy->place[edges->city[k]], edges->pheromone[k]));
    return ab_ok();
}

static ab_status write_edges(const tsp_device *colony, const tsp_params *params, const tsp_edges *edges)
{
    const sparse_rows rows = rows_of(colony, params);
    sparse_copy copy = {};
    ab_status status = download_blocks(colony, &rows, &copy);
    if (status.code == AB_OK) status = enter_edges(&rows, edges, colony->n, &copy);
    const size_t used = (size_t)colony->n + (size_t)copy.state.used;
    if (status.code == AB_OK) status = upload(rows.to, (const int *)copy.to, used * EDGES);
    if (status.code == AB_OK) status = upload(rows.next, (const int *)copy.next, used);
    if (status.code == AB_OK) status = upload(rows.pheromone, (const float *)copy.pheromone, used * EDGES);
    if (status.code == AB_OK) status = upload(rows.state, (const sparse_state *)&copy.state, 1);
    free_blocks(&copy);
    AB_TRY(status);
    return launch_heuristics(colony, &rows);
}

AB_OWN_PARAMETERS(tsp_race_sparse) = {TSP_RACE_ANTS_PARAMETER, {}};

AB_RUNG(tsp_rung, tsp_race_sparse) = {.construct = construct,
                                      .choice = choice,
                                      .deposit = deposit,
                                      .check = check,
                                      .scratch_bytes = scratch_bytes,
                                      .begin = begin,
                                      .read_edges = read_edges,
                                      .write_edges = write_edges};
