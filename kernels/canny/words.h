/* Growth of strong pixels through weak ones in a tile of 32 columns and 64 rows, by words of 32 pixels.
 *
 * A warp has the tile, and a lane two rows of it. What has grown reaches the rows beside it by shuffles. It moves along
 * a row by an addition, whose carry runs through a run of set bits. Source: this project; filling by carries after the
 * fill algorithms of bitboards in computer chess.
 */
#ifndef ANTBENCH_CANNY_WORDS_H
#define ANTBENCH_CANNY_WORDS_H

#include "kernels/cuda/warp.h"

/* A lane's two rows, x above y. */
static __device__ __forceinline__ uint2 mirrored(uint2 rows)
{
    return {__brev(rows.x), __brev(rows.y)};
}

static __device__ __forceinline__ unsigned touched(unsigned row)
{
    return row | row << 1 | row >> 1;
}

/* The seeds among the candidates of a row, and what follows them (higher bits) without a gap. */
static __device__ __forceinline__ unsigned fill(unsigned candidates, unsigned seeds)
{
    seeds &= candidates;
    return (candidates & ~(candidates + seeds)) | seeds;
}

/* The sure pixels and `more`, what the sure ones touch, downwards and upwards, and what follows that in its row. */
static __device__ __forceinline__ uint2 spread(uint2 candidates, uint2 sure, uint2 more)
{
    const unsigned above = __shfl_up_sync(FULL_WARP, sure.y, 1), below = __shfl_down_sync(FULL_WARP, sure.x, 1);
    const uint2 own = {sure.x | more.x, sure.y | more.y};
    const unsigned first = fill(candidates.x, own.x | touched(above)),
                   second = fill(candidates.y, own.y | touched(below));
    return {first | fill(candidates.x, own.x | touched(second)), second | fill(candidates.y, own.y | touched(first))};
}

/* Grows for at most so many steps. Returns whether that may have been too few. Rows are kept mirrored too, because
 * carries run one way: each form learns from the other a step later. The vote is about the step before, so that no
 * lane waits for it. */
static __device__ __forceinline__ bool grow(uint2 candidates, uint2 &sure, int most_steps)
{
    const uint2 other_candidates = mirrored(candidates);
    uint2 other = mirrored(sure);
    bool changes = true, goes_on = true;
    for (int i = 0; i < most_steps && goes_on; ++i) {
        goes_on = __any_sync(FULL_WARP, changes);
        const uint2 next = spread(candidates, sure, mirrored(other));
        const uint2 next_other = spread(other_candidates, other, mirrored(sure));
        changes = (next.x ^ sure.x) | (next.y ^ sure.y) | (next_other.x ^ other.x) | (next_other.y ^ other.y);
        sure = next;
        other = next_other;
    }
    const uint2 rest = mirrored(other);
    sure = {sure.x | rest.x, sure.y | rest.y};
    return goes_on;
}

#endif
