/* Steps among all cities where the tail often rings and rows come from the L2 cache, or few near cities have a clock.
 *
 * In time at rate 1 the tail's arrivals are a Poisson process, which does not depend on the row. So a warp draws some of
 * them ahead, one per lane: when it comes, and what draws its city from a row's alias table. Those that have not come
 * continue from step to step, as the near cities' clocks do. With a row each lane loads the table's entry for its
 * arrival, and then near cities and arrivals race at once. Arrivals at visited cities take no part (thinning). Lane
 * TSP_RACE_TAIL has the clock of the last arrival. If it rings first, all have come and none of them counted: new ones
 * are drawn, and the step goes on.
 *
 * Floor: an L2 latency per step, and 65 instructions. Log: docs/log/ant-system.md. Source: this project.
 */
#ifndef ANTBENCH_TSP_RACE_ARRIVALS_H
#define ANTBENCH_TSP_RACE_ARRIVALS_H

#include "kernels/tsp/race_steps.h"

/* Returns the value of the lane `offset` before this one; the first lanes get 0. */
static __device__ __forceinline__ float tsp_race_below(float value, int offset)
{
#ifdef __CUDACC__
    /* The instruction tells which lanes these are. A comparison would hold a predicate register in all of the walk. */
    float below;
    asm volatile("{\n .reg .pred is;\n .reg .f32 other;\n shfl.sync.up.b32 other|is, %1, %2, 0, 0xffffffff;\n"
                 " selp.f32 %0, other, 0f00000000, is;\n}"
                 : "=f"(below)
                 : "f"(value), "r"(offset));
    return below;
#else
    const float below = __shfl_up_sync(FULL_WARP, value, (unsigned)offset);
    return (int)threadIdx.x % WARP_SIZE >= offset ? below : 0.0f;
#endif
}

/* A lane's arrival. */
struct tsp_race_arrival {
    float at;        /* how far away, at rate 1; infinite if it has come, and for none */
    unsigned drawn;  /* what draws its city: bucket of the alias table << 16 | fraction */
    unsigned bucket; /* the same bucket; 0 if it has come */
    unsigned entry;  /* of the alias table of the row where the ant stands */

    /* Draws `count` arrivals, less than a warp has lanes. Returns how far away the last one is. */
    template <typename Random> __device__ __forceinline__ float draw(Random &random, int n, int lane, int count)
    {
        const unsigned long long product = (unsigned long long)random.next() * (unsigned)n;
        bucket = (unsigned)(product >> 32);
        drawn = bucket << 16 | (unsigned)product >> 16;
        at = tsp_race_exponential(random.next());
#pragma unroll
        for (int offset = 1; offset < WARP_SIZE; offset *= 2) at += tsp_race_below(at, offset);
        const float last = __shfl_sync(FULL_WARP, at, count - 1);
        if (lane >= count) {
            at = INFINITY;
            bucket = 0;
        }
        return last;
    }

    __device__ __forceinline__ void load(const tsp_device &colony, const tsp_race_rows &rows, int row)
    {
        entry = __ldcg(rows.alias + ((unsigned)row * (unsigned)colony.stride + bucket));
    }

    __device__ __forceinline__ int city() const
    {
        return (int)((drawn & 0xffff) < entry >> 16 ? drawn >> 16 : entry & 0xffff);
    }
};

/* Makes up to `steps` steps. Returns how many; fewer if many arrivals in turn did not count. `goes_on`: arrivals and
 * clocks are as the last call left them. *to_tail becomes the number of steps to the tail. */
template <typename Random, typename Visited, typename ClockOf, typename TailOf>
static __device__ __forceinline__ int
tsp_race_arrive(const tsp_device &colony, const tsp_race_rows &rows, int lane, int left, int steps, float spare,
                bool goes_on, Visited visited, Random &random, ClockOf clock_of, TailOf tail_of, int *from,
                tsp_race_clock *clock, float *wait, tsp_race_arrival *arrival, tsp_race_record *record, int *to_tail)
{
    const int n = colony.n, count = min(TSP_RACE_DRAWN + TSP_RACE_DRAWN / 4 * n / left, (int)TSP_RACE_TAIL);
    float tail_mean = tail_of(*from);
    int i = 0, near_won = 0;
    if (!goes_on) {
        const float last = arrival->draw(random, n, lane, count);
        if (lane == TSP_RACE_TAIL) *wait = last;
        arrival->load(colony, rows, *from);
    }
    for (int tried = -1, fruitless = 0;;) {
        unsigned key = 0, first = 0;
#pragma unroll 1
        for (; i < steps; ++i) {
            __syncwarp(FULL_WARP);
            const int proposal = arrival->city();
            const unsigned comes = tsp_race_key(fabsf(arrival->at) * tail_mean, lane);
            key = max(tsp_race_key(fabsf(*wait) * clock->mean, lane), visited.mask(clock->city));
            const unsigned counts = max(comes, visited.mask(proposal));
            const int mine = counts < key ? proposal : clock->city;
            first = warp_min(min(key, counts));
            const int next = __shfl_sync(FULL_WARP, mine, (int)first);
            const float fresh = __shfl_sync(FULL_WARP, spare, i);
            if (first % WARP_SIZE == TSP_RACE_TAIL) break;
            const tsp_race_clock ahead = clock_of(next);
            const float ahead_mean = tail_of(next);
            arrival->load(colony, rows, next);
            const float passed = tsp_race_time(first);
            const bool rang = key == first;
            if (key != TSP_RACE_NEVER) *wait -= passed * tsp_race_reciprocal(clock->mean);
            *wait = rang ? fresh : *wait;
            near_won += rang;
            arrival->at -= passed * tsp_race_reciprocal(tail_mean);
            if (comes <= first) {
                arrival->at = INFINITY;
                arrival->bucket = 0;
            }
            __syncwarp(FULL_WARP); /* other lanes have read the flag */
            if (lane == 0) visited.set(next, true);
            if (lane == i) record->mine = next;
            *clock = ahead;
            tail_mean = ahead_mean;
            *from = next;
        }
        if (i == steps) break;
        if (key != TSP_RACE_NEVER) *wait -= tsp_race_time(first) * tsp_race_reciprocal(clock->mean);
        fruitless = i == tried ? fruitless + count : 0;
        tried = i;
        if (fruitless >= (4 * (left - i) > n ? TSP_RACE_ROUNDS : TSP_RACE_LATE_ROUNDS) * WARP_SIZE) break;
        AB_PLAN("race: new arrivals in a step");
        const float last = arrival->draw(random, n, lane, count);
        if (lane == TSP_RACE_TAIL) *wait = last;
        arrival->load(colony, rows, *from);
    }
    *to_tail = i - __shfl_sync(FULL_WARP, (int)tsp_race_sum((float)near_won), 0);
    return i;
}

#endif
