/* A step of an ant that looks at the nearest cities alone: the rule of tsp/cpu-best and, in code of its own,
 * tsp/cpu-alias.
 *
 * The weights of a row i are split into the HEAD nearest cities of i, kept together, and the tail, all others. An
 * ant at i adds up the unvisited head cities, H, by vector, and draws from [0, H + T), where T is the weight of the
 * whole tail, VISITED CITIES INCLUDED, which is the same for all ants and computed once per iteration. A draw below
 * H names a head city. Any other proposes a tail city, which each of the two finds in its own way; if the ant has
 * been there, the draw is thrown away and repeated. After so many of them, or when few would be kept, the remaining
 * cities are added up one by one. So a step reads a few cache lines where a scan of the row reads hundreds.
 *
 * Why this is exact: one draw yields an unvisited city j with probability w_j / (H + T), whether j is in the head
 * or the tail, and is thrown away otherwise; so, given that it is kept, it yields j with probability w_j / W, W the
 * weight of all unvisited cities, which is the random proportional rule. Draws are independent, so how many were
 * thrown away before says nothing about the one that is kept. The fall-back draws from w_j / W directly, and
 * whether it is reached depends only on draws thrown away. Where rounding points at a city without weight the draw
 * is thrown away too.
 */
#ifndef ANTBENCH_REJECTION_H
#define ANTBENCH_REJECTION_H

#include "baselines/lanes.h"
#include "baselines/trails.h"

enum { HEAD = LANES }; /* cities in the head: one vector */

/* The head of a row, and the weight of the rest; refreshed in every choice stage. */
typedef struct head {
    float weight[HEAD];  /* pheromone^alpha * eta^beta */
    uint16_t city[HEAD]; /* nearest first; an instance of fewer cities fills up with the row's own, which weighs 0 */
    float tail_total;    /* weight of all other cities */
} __attribute__((aligned(128))) head;

/* An ant on its way. */
typedef struct walker {
    uint64_t random;           /* state of SplitMix64 */
    uint32_t *visited;         /* [n / 32, rounded up]: a bit a city */
    uint16_t *remaining;       /* [n]: from the first fall-back on a superset of the unvisited cities, ascending */
    int n_remaining;           /* shrinks with each fall-back; 0 before the first */
    int64_t zero_weight_steps; /* of this tour */
} walker;

/* Scratch of the fall-back, a thread's. */
typedef struct fall_back_room {
    double *sum;    /* [n + HEAD + 1]: partial sums of the unvisited cities' weights */
    uint16_t *city; /* [n + HEAD + 1]: and the cities */
    bool *visited;  /* [n], for the all-zero rule */
} fall_back_room;

INLINE bool walker_has_been(const walker *ant, size_t city)
{
    return ant->visited[city / 32] >> city % 32 & 1;
}

INLINE void walker_visit(walker *ant, size_t city)
{
    ant->visited[city / 32] |= UINT32_C(1) << city % 32;
}

/* The memory of each, in whole cache lines. */
size_t walker_bytes(size_t n);
size_t fall_back_bytes(size_t n);

/* Gives them theirs, aligned to a cache line. */
void walker_settle(walker *ant, void *memory, size_t n);
void fall_back_settle(fall_back_room *room, void *memory, size_t n);

/* Before its first city. */
void walker_begin(walker *ant, size_t n, uint64_t stream);

/* Whether one draw in `worth` is kept, estimated as if visited cities were spread evenly over the tail; if not, the
 * fall-back is cheaper. */
INLINE bool draws_are_worthwhile(double head_sum, double tail_total, double unvisited_share, double worth)
{
    return (head_sum + tail_total * unvisited_share) * worth > head_sum + tail_total;
}

/* The fall-back: the roulette over all unvisited cities of row i, one by one. tail has 0 for the head. */
size_t choose_by_scan(const as_problem *problem, size_t i, const head *nearest, const float *tail, walker *ant,
                      const fall_back_room *room);

/* Moves the head's weights out of the tail. */
void split_head(head *nearest, float *tail);

#endif
