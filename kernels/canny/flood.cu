/* Canny to convergence in two launches, for images whose pixels fit in the shared memory of a cluster, two bits each.
 *
 * grow_tiles: a warp grows a tile of 32 columns and 64 rows, two rows per lane. Classes are bits, 32 pixels per word
 * (pairs.h). Strong pixels grow through weak ones. They reach the rows beside them by shuffles, and move along a row by
 * an addition, whose carry runs through a run of set bits. Kernel flood: the tiles are dealt to the warps of a cluster
 * of eight blocks, which go on across borders, in rounds. A warp grows each of its tiles beside which a bit has grown,
 * and sends its new borders to all blocks. On photographs it is faster than the union-find of runs.cu, because it needs
 * few rounds.
 *
 * Floor, 512 x 512: two launches and their chains of L2 reads, 7 us, and 0.5 us per round.
 * Limits: 2 million pixels, fewer without clusters. A snake through all tiles has as many rounds as it crosses
 * borders. Measured, and what else was tried: docs/log/images.md.
 * Source: this project; filling by carries after the fill algorithms of bitboards in computer chess.
 */
#include <limits.h>

#include "kernels/canny/canny.h"
#include "kernels/canny/pairs.h"
#include "kernels/canny/words.h"
#include "kernels/cuda/cluster.h"
#include "kernels/cuda/device_memory.h"

enum { COLUMNS = 32, ROWS = 64, LANE_ROWS = 2 }; /* sizes of a tile; a lane of a warp has two rows of it */
enum {
    LANES = COLUMNS / PER_LANE,
    GROW_THREADS = LANES * ROWS / LANE_ROWS
}; /* lanes that classify a row; threads
                                                                               * of a block */
enum { FLOOD_THREADS = 512, FLOOD_WARPS = FLOOD_THREADS / WARP_SIZE };
enum { MOST_PIXELS = 1 << 21 }; /* more do not fit, and have more tiles than one cluster should have */
enum { ROUND_STEPS = 5 };       /* steps of growth after which tiles hear from one another, if a warp has one tile */

/* The image as tiles in device memory. */
typedef struct tiling {
    int across, down;
    uint4 *words; /* [down][across][WARP_SIZE] pixels of two rows: candidates x, y, sure z, w */
} tiling;

template <bool WHOLE> static __global__ void __launch_bounds__(GROW_THREADS) grow_tiles(canny_device device, tiling all)
{
    enum { BYTES = ROWS * (int)sizeof(unsigned) };
    SHARED_DYNAMIC(unsigned char, candidates, 0, BYTES);
    SHARED_DYNAMIC(uint2, candidate_rows, 0, WARP_SIZE);
    SHARED_DYNAMIC(unsigned char, strong, BYTES, BYTES);
    SHARED_DYNAMIC(uint2, strong_rows, BYTES, WARP_SIZE);
    SHARED_DYNAMIC(unsigned, strong_words, BYTES, ROWS);
    const int thread = (int)threadIdx.x, left = (int)blockIdx.x * COLUMNS, top = (int)blockIdx.y * ROWS;
    const int x = left + thread % LANES * PER_LANE, first = thread / LANES * LANE_ROWS;
    const int at = first * LANES + thread % LANES;
    release_launch();
    if (x < device.width)
        classify<WHOLE, LANE_ROWS>(device, x, top + first, at, LANES, candidates, strong);
    else
        for (int i = 0; i < LANE_ROWS; ++i) candidates[at + i * LANES] = strong[at + i * LANES] = 0;
    __syncthreads();
    if (thread < WARP_SIZE) {
        const uint2 rows = candidate_rows[thread];
        uint2 sure = strong_rows[thread];
        (void)grow(rows, sure, INT_MAX);
        strong_rows[thread] = sure;
        all.words[((int)blockIdx.y * all.across + (int)blockIdx.x) * WARP_SIZE + thread] =
            make_uint4(rows.x, rows.y, sure.x, sure.y);
    }
    __syncthreads();
    for (int i = thread; i < ROWS * COLUMNS / QUAD; i += GROW_THREADS) {
        const int to_x = left + i % (COLUMNS / QUAD) * QUAD, y = top + i / (COLUMNS / QUAD);
        if (to_x >= device.width || y >= device.height) continue;
        const unsigned bits = strong_words[i * QUAD / COLUMNS] >> i * QUAD % COLUMNS;
        unsigned char *const to = device.edges + (size_t)y * (size_t)device.width + (size_t)to_x;
        if (WHOLE)
            *(uint4 *)to =
                make_uint4(four_bytes(bits), four_bytes(bits >> 4), four_bytes(bits >> 8), four_bytes(bits >> 12));
        else
            for (int k = 0; k < min((int)QUAD, device.width - to_x); ++k) to[k] = bits >> k & 1;
    }
}

/* ---- Growth across borders ---- */

/* What the tiles around a tile know of it. Tiles lie in a ring of those that are outside of the image and empty. Every
 * block has the borders of all, in two sets: a round reads what the one before has sent, and sends to the other set.
 * That may have a tile's border as it was some rounds ago: then those around have heard the newer one, and grown by
 * it, since. */
typedef uint4 sides; /* a bit a lane: the first column of upper and lower rows x, y, the last column z, w */
typedef uint4 ends;  /* first row x, last row y, the round that looks at it z */
#define BOTH_ENDS 0x80000001u

static __host__ __device__ __forceinline__ int ring_across(int across)
{
    return across + 2;
}

static __device__ __forceinline__ sides sides_of(uint2 sure)
{
    return make_uint4(__ballot_sync(FULL_WARP, sure.x & 1), __ballot_sync(FULL_WARP, sure.y & 1),
                      __ballot_sync(FULL_WARP, sure.x >> 31), __ballot_sync(FULL_WARP, sure.y >> 31));
}

static __device__ __forceinline__ ends ends_of(uint2 sure, unsigned round)
{
    return make_uint4(__shfl_sync(FULL_WARP, sure.x, 0), __shfl_sync(FULL_WARP, sure.y, WARP_SIZE - 1), round, 0);
}

/* What of a lane's rows the tiles around touch. */
static __device__ __forceinline__ uint2 touched_rows(shared_array<sides> beside, shared_array<ends> around, int at,
                                                     int pitch)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, above = at - pitch, below = at + pitch;
    const sides west = beside[at - 1], east = beside[at + 1];
    uint2 rows;
    rows.x = ((west.z | west.w | west.w << 1) >> lane & 1) | ((east.x | east.y | east.y << 1) >> lane & 1) << 31;
    rows.y = ((west.w | west.z | west.z >> 1) >> lane & 1) | ((east.y | east.x | east.x >> 1) >> lane & 1) << 31;
    if (lane == 0) rows.x |= touched(around[above].y) | around[above - 1].y >> 31 | around[above + 1].y << 31;
    if (lane == WARP_SIZE - 1)
        rows.y |= touched(around[below].x) | around[below - 1].x >> 31 | around[below + 1].x << 31;
    return rows;
}

/* The pixels of a row that have grown since the first kernel. */
static __device__ __forceinline__ void store_row(const canny_device &device, int x, int y, unsigned grown)
{
    unsigned char *const to = device.edges + (size_t)y * (size_t)device.width + (size_t)x;
    for (; grown; grown &= grown - 1) to[__ffs((int)grown) - 1] = 1;
}

/* The places of a block's arrays in its shared memory. */
typedef struct plan {
    int ring, most;                 /* tiles with those outside; tiles of a block */
    int around, words, places, end; /* bytes; the sides lie at 0 */
} plan;

static __host__ __device__ __forceinline__ plan make_plan(const tiling &all, int blocks)
{
    plan p;
    p.ring = ring_across(all.across) * (all.down + 2);
    p.most = (all.across * all.down + blocks - 1) / blocks;
    p.around = 2 * p.ring * (int)sizeof(sides);
    p.words = p.around + 2 * p.ring * (int)sizeof(ends);
    p.places = p.words + p.most * WARP_SIZE * (int)sizeof(uint4);
    p.end = p.places + p.most * (int)sizeof(int);
    return p;
}

/* One cluster. Its block of rank r has the tiles r, r + gridDim.x, ..., and its warps take turns. A round looks at
 * tiles which, or beside which, something has grown at a border, or which had too few steps. */
static __global__ void __launch_bounds__(FLOOD_THREADS) flood(canny_device device, tiling all)
{
    const plan in = make_plan(all, (int)gridDim.x);
    SHARED_DYNAMIC(sides, beside, 0, 2 * in.ring);
    SHARED_DYNAMIC(ends, around, in.around, 2 * in.ring);
    SHARED_DYNAMIC(uint4, words, in.words, in.most * WARP_SIZE); /* candidates, sure */
    SHARED_DYNAMIC(int, places, in.places, in.most);             /* in the ring */
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE, warp = thread / WARP_SIZE;
    const int n = all.across * all.down, rank = (int)blockIdx.x, blocks = (int)gridDim.x,
              pitch = ring_across(all.across);
    const int mine = (n - rank + blocks - 1) / blocks;
    for (int i = thread; i < 2 * in.ring; i += FLOOD_THREADS) beside[i] = around[i] = make_uint4(0, 0, 0, 0);
    for (int i = thread; i < mine; i += FLOOD_THREADS)
        places[i] = ((i * blocks + rank) / all.across + 1) * pitch + (i * blocks + rank) % all.across + 1;
    meet_cluster();
    await_launch();
    for (int i = warp; i < mine; i += FLOOD_WARPS) {
        const uint4 word = all.words[(i * blocks + rank) * WARP_SIZE + lane];
        const sides at_sides = sides_of({word.z, word.w});
        const ends at_ends = ends_of({word.z, word.w}, 0);
        words[i * WARP_SIZE + lane] = word;
        if (lane < 2 * blocks) {
            const int at = places[i] + lane / blocks * in.ring;
            shared_of(beside, (unsigned)(lane % blocks))[at] = at_sides;
            shared_of(around, (unsigned)(lane % blocks))[at] = at_ends;
        }
    }
    meet_cluster();
    const int steps = in.most <= FLOOD_WARPS ? (int)ROUND_STEPS : INT_MAX;
    if (in.most <= FLOOD_WARPS)
        AB_PLAN("flood: a tile a warp");
    else
        AB_PLAN("flood: several tiles a warp");
    const int neighbour = lane < 9 ? (lane / 3 - 1) * pitch + lane % 3 - 1 : 0;
    for (unsigned round = 0;; ++round) {
        const int now = (int)(round % 2) * in.ring, next = in.ring - now;
        for (int i = warp; i < mine; i += FLOOD_WARPS) {
            const int at = places[i] + now, to = places[i] + next;
            if (!__any_sync(FULL_WARP, around[at + neighbour].z == round)) continue;
            uint4 word = words[i * WARP_SIZE + lane];
            const uint2 seeds = touched_rows(beside, around, at, pitch);
            uint2 sure = {word.z | (seeds.x & word.x), word.w | (seeds.y & word.y)};
            const bool goes_on = grow({word.x, word.y}, sure, steps);
            const uint2 grown = {sure.x ^ word.z, sure.y ^ word.w};
            const bool at_border =
                ((grown.x | grown.y) & BOTH_ENDS) || (lane == 0 && grown.x) || (lane == WARP_SIZE - 1 && grown.y);
            word.z = sure.x;
            word.w = sure.y;
            words[i * WARP_SIZE + lane] = word;
            if (!__any_sync(FULL_WARP, goes_on || at_border)) continue;
            if (round > 0) AB_PLAN("flood: what grows in a later round");
            const sides new_sides = sides_of(sure);
            const ends new_ends = ends_of(sure, round + 1);
            if (lane < blocks) {
                shared_of(beside, (unsigned)lane)[to] = new_sides;
                shared_of(around, (unsigned)lane)[to] = new_ends;
            }
        }
        meet_cluster();
        bool sent = false;
        for (int i = thread; i < in.ring; i += FLOOD_THREADS) sent |= around[next + i].z == round + 1;
        if (!__syncthreads_or(sent)) break;
    }
    for (int i = warp; i < mine; i += FLOOD_WARPS) {
        const int tile = i * blocks + rank, x = tile % all.across * COLUMNS,
                  y = tile / all.across * ROWS + lane * LANE_ROWS;
        const uint4 word = words[i * WARP_SIZE + lane], before = all.words[tile * WARP_SIZE + lane];
        store_row(device, x, y, word.z & ~before.z);
        store_row(device, x, y + 1, word.w & ~before.w);
    }
}

/* ---- Host ---- */

static tiling make_tiling(int width, int height, void *scratch)
{
    return {ceil_div(width, COLUMNS), ceil_div(height, ROWS), (uint4 *)scratch};
}

static ab_status check(const ed_image *image, const ed_params *)
{
    const int width = image->width, height = image->height;
    if ((long long)width * height > MOST_PIXELS)
        return ab_unsupported("needs at most %d pixels, the image has %d x %d", (int)MOST_PIXELS, width, height);
    return device_allow_shared((const void *)flood,
                               (size_t)make_plan(make_tiling(width, height, NULL), cluster_blocks()).end, -1);
}

static size_t scratch_bytes(const ed_image *image, const ed_params *)
{
    const tiling all = make_tiling(image->width, image->height, NULL);
    return (size_t)(all.across * all.down) * WARP_SIZE * sizeof(uint4);
}

static ab_status detect(const canny_device *device)
{
    const tiling all = make_tiling(device->width, device->height, device->scratch);
    const dim3 grid((unsigned)all.across, (unsigned)all.down);
    const size_t bytes = 2 * ROWS * sizeof(unsigned);
    const int blocks = cluster_blocks();
    if (device->gaussian.radius > 0) AB_TRY(AB_GPU(canny_blur)(device));
    if (device->width % QUAD == 0)
        LAUNCH(grow_tiles<true>, grid, GROW_THREADS, bytes)(*device, all);
    else
        LAUNCH(grow_tiles<false>, grid, GROW_THREADS, bytes)(*device, all);
    AB_TRY(AB_LAUNCHED("grow_tiles"));
    LAUNCH_CLUSTER(flood, (unsigned)blocks, FLOOD_THREADS, (size_t)make_plan(all, blocks).end)(*device, all);
    return AB_LAUNCHED("flood");
}

AB_RUNG(canny_rung,
        canny_flood) = {.detect = detect, .keeps_blurred = true, .check = check, .scratch_bytes = scratch_bytes};
