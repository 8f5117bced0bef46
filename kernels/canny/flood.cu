/* Canny to convergence in two launches, for images whose pixels fit in the shared memory of a cluster, two bits each.
 *
 * grow_tiles: classes as bits, 32 pixels a word (pairs.h), and growth from the strong pixels of a tile of 32 x 32 through
 * its weak ones by a warp, a row a lane: to the rows beside it by shuffles, along the row by the carry of an addition,
 * which runs through a run of set bits. flood: the tiles are dealt to the warps of a cluster of eight blocks, which go on
 * across borders, in rounds. A warp looks at those of its tiles beside which something has grown, grows them, and sends
 * their new borders to all blocks. Photographs have 4 to 7 rounds (thresholds 50 and 150).
 *
 * Floor, 512 x 512: two launches and their chains of L2 reads, 7 us, and a round of 0.5 us: 10 growths of a row up and
 * down, each a shuffle and some ten instructions that wait for one another.
 * Measured on an NVIDIA H200, ms (union-find of runs.cu beside it): lena 0.020 (0.043), mandrill 0.020 (0.049), house 0.023,
 * shapes-512 0.009, shapes-1024 0.027; by one block of 32 warps lena 0.039. ncu, lena: grow_tiles 5.3 us, flood 15.9, so a
 * round takes four times what was thought, and most of it is spent at the barrier, waiting for the tile that grows longest.
 * Limits: 2 million pixels, fewer without clusters. A snake through all tiles has as many rounds as it crosses borders.
 * Source: this project; filling by carries after the fill algorithms of bitboards in computer chess.
 */
#include "kernels/canny/canny.h"
#include "kernels/canny/pairs.h"
#include "kernels/cluster.h"
#include "kernels/device_memory.h"
#include "kernels/warp.h"

enum { SIDE = WARP_SIZE, TILE_WORDS = 2, TILE_COLUMNS = TILE_WORDS * SIDE, LANE_ROWS = 2 };
enum { LANES = TILE_COLUMNS / PER_LANE, GROW_THREADS = LANES * SIDE / LANE_ROWS }; /* of a row; of a block */
enum { FLOOD_THREADS = 1024, FLOOD_WARPS = FLOOD_THREADS / WARP_SIZE };
enum { MOST_PIXELS = 1 << 21 }; /* more do not fit, and have more tiles than one cluster should have */

/* The image as tiles in device memory, of an even number across. */
typedef struct tiling {
    int across, down;
    uint2 *words; /* [down][across][SIDE] pixels: candidates, sure */
} tiling;

/* ---- Growth in a tile ---- */

/* The sure pixels of a lane's row, those that touch them or the rows beside it, and what follows these (higher bits) without
 * a gap. */
static __device__ __forceinline__ unsigned spread(unsigned candidates, unsigned sure)
{
    const unsigned around = sure | __shfl_up_sync(FULL_WARP, sure, 1) | __shfl_down_sync(FULL_WARP, sure, 1);
    const unsigned seeds = (around | around << 1 | around >> 1) & candidates;
    return (candidates & ~(candidates + seeds)) | seeds;
}

static __device__ __forceinline__ unsigned grow(unsigned candidates, unsigned sure)
{
    const unsigned reversed = __brev(candidates);
    for (;;) {
        const unsigned grown = __brev(spread(reversed, __brev(spread(candidates, sure))));
        const bool ends = !__any_sync(FULL_WARP, grown != sure);
        sure = grown;
        if (ends) return sure;
    }
}

template <bool WHOLE> static __global__ void __launch_bounds__(GROW_THREADS) grow_tiles(canny_device device, tiling all)
{
    enum { N_WORDS = TILE_WORDS * SIDE, BYTES = N_WORDS * (int)sizeof(unsigned) };
    SHARED_DYNAMIC(unsigned char, candidates, 0, BYTES);
    SHARED_DYNAMIC(unsigned, candidate_words, 0, N_WORDS);
    SHARED_DYNAMIC(unsigned char, strong, BYTES, BYTES);
    SHARED_DYNAMIC(unsigned, strong_words, BYTES, N_WORDS);
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE, warp = thread / WARP_SIZE;
    const int left = (int)blockIdx.x * TILE_COLUMNS, top = (int)blockIdx.y * SIDE;
    const int x = left + thread % LANES * PER_LANE, first = thread / LANES * LANE_ROWS;
    const int at = first * LANES + thread % LANES;
    release_launch();
    if (x < device.width)
        classify<WHOLE, LANE_ROWS>(device, x, top + first, at, LANES, candidates, strong);
    else
        for (int i = 0; i < LANE_ROWS; ++i) candidates[at + i * LANES] = strong[at + i * LANES] = 0;
    __syncthreads();
    if (warp < TILE_WORDS) {
        const int word = lane * TILE_WORDS + warp;
        const int tile = (int)blockIdx.y * all.across + (int)blockIdx.x * TILE_WORDS + warp;
        const unsigned sure = grow(candidate_words[word], strong_words[word]);
        strong_words[word] = sure;
        all.words[tile * SIDE + lane] = {candidate_words[word], sure};
    }
    __syncthreads();
    for (int i = thread; i < N_WORDS * SIDE / QUAD; i += GROW_THREADS) {
        const int to_x = left + i % (TILE_COLUMNS / QUAD) * QUAD, y = top + i / (TILE_COLUMNS / QUAD);
        if (to_x >= device.width || y >= device.height) continue;
        const unsigned bits = strong_words[i * QUAD / SIDE] >> i * QUAD % SIDE;
        unsigned char *const to = device.edges + (size_t)y * (size_t)device.width + (size_t)to_x;
        if (WHOLE)
            *(uint4 *)to =
                make_uint4(four_bytes(bits), four_bytes(bits >> 4), four_bytes(bits >> 8), four_bytes(bits >> 12));
        else
            for (int k = 0; k < min((int)QUAD, device.width - to_x); ++k) to[k] = bits >> k & 1;
    }
}

/* ---- Growth across borders ---- */

/* The sure pixels on a tile's border: its first and last row, and the first and last column, a bit a row. */
typedef uint4 border; /* x: top, y: bottom, z: left, w: right */

/* Borders lie in a ring of those that are outside of the image and empty; every block has all of them. */
static __host__ __device__ __forceinline__ int ring_across(int across)
{
    return across + 2;
}

static __device__ __forceinline__ int ring_of(int tile, int across)
{
    return (tile / across + 1) * ring_across(across) + tile % across + 1;
}

/* Into the borders of all blocks, a lane each. */
static __device__ __forceinline__ void send_border(shared_array<border> borders, int at, unsigned sure)
{
    const unsigned top = __shfl_sync(FULL_WARP, sure, 0), bottom = __shfl_sync(FULL_WARP, sure, SIDE - 1);
    const unsigned left = __ballot_sync(FULL_WARP, sure & 1), right = __ballot_sync(FULL_WARP, sure >> 31);
    const unsigned lane = threadIdx.x % WARP_SIZE;
    if (lane < gridDim.x) shared_of(borders, lane)[at] = make_uint4(top, bottom, left, right);
}

/* A row beside a tile, whose neighbours have `west` and `east` there, as it touches the tile. */
static __device__ __forceinline__ unsigned touched(unsigned row, unsigned west, unsigned east)
{
    return row | row << 1 | row >> 1 | west >> 31 | east << 31;
}

/* What of a lane's row the tiles around touch. */
static __device__ __forceinline__ unsigned touched_row(shared_array<border> borders, int at, int across)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, above = at - ring_across(across), below = at + ring_across(across);
    const unsigned west = borders[at - 1].w, east = borders[at + 1].z;
    unsigned row = ((west << 1 | west | west >> 1) >> lane & 1) | ((east << 1 | east | east >> 1) >> lane & 1) << 31;
    if (lane == 0) row |= touched(borders[above].y, borders[above - 1].y, borders[above + 1].y);
    if (lane == SIDE - 1) row |= touched(borders[below].x, borders[below - 1].x, borders[below + 1].x);
    return row;
}

/* Marks the tiles around a tile, a lane each, in marks[tile / gridDim.x] of the block that has it. */
static __device__ __forceinline__ void mark_around(shared_array<unsigned> marks, int tile, int across, int down)
{
    const int lane = (int)threadIdx.x % WARP_SIZE;
    const int column = tile % across + lane % 3 - 1, row = tile / across + lane / 3 - 1;
    if (lane >= 9 || lane == 4 || column < 0 || column >= across || row < 0 || row >= down) return;
    const unsigned other = (unsigned)(row * across + column);
    atomicOr(&shared_of(marks, other % gridDim.x)[other / gridDim.x], 1u);
}

/* The pixels that have grown since the first kernel. */
static __device__ __forceinline__ void store_grown(const canny_device &device, const tiling &all, int tile, unsigned sure)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, x = tile % all.across * SIDE, y = tile / all.across * SIDE + lane;
    unsigned char *const to = device.edges + (size_t)y * (size_t)device.width + (size_t)x;
    for (unsigned rest = sure & ~all.words[tile * SIDE + lane].y; rest; rest &= rest - 1) to[__ffs((int)rest) - 1] = 1;
}

/* Where a block's arrays lie in its shared memory. */
typedef struct plan {
    int ring, most;                            /* borders; tiles of a block */
    int borders, candidates, sure, marks, end; /* bytes */
} plan;

static __host__ __device__ __forceinline__ plan make_plan(const tiling &all, int blocks)
{
    plan p;
    p.ring = ring_across(all.across) * (all.down + 2);
    p.most = (all.across * all.down + blocks - 1) / blocks;
    p.borders = 0;
    p.candidates = 2 * p.ring * (int)sizeof(border);
    p.sure = p.candidates + p.most * SIDE * (int)sizeof(unsigned);
    p.marks = p.sure + p.most * SIDE * (int)sizeof(unsigned);
    p.end = p.marks + 2 * p.most * (int)sizeof(unsigned);
    return p;
}

/* One cluster. Its block of rank r has the tiles r, r + gridDim.x, ..., and its warps take turns. A round reads the borders
 * and marks that the round before has sent. Of the two sets that rounds send to in turn one may have a tile's border as it
 * was some rounds ago: then those around the tile have been marked, and have grown by the newer one, since. */
static __global__ void __launch_bounds__(FLOOD_THREADS) flood(canny_device device, tiling all)
{
    const plan in = make_plan(all, (int)gridDim.x);
    SHARED_DYNAMIC(border, borders, in.borders, 2 * in.ring);
    SHARED_DYNAMIC(unsigned, candidates, in.candidates, in.most *SIDE);
    SHARED_DYNAMIC(unsigned, sure, in.sure, in.most *SIDE);
    SHARED_DYNAMIC(unsigned, marks, in.marks, 2 * in.most);
    SHARED(unsigned, grows, 3); /* whether any tile has grown in a round: of this, of the next, of the one before */
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE, warp = thread / WARP_SIZE;
    const int n = all.across * all.down, rank = (int)blockIdx.x, blocks = (int)gridDim.x;
    for (int i = thread; i < 2 * in.ring; i += FLOOD_THREADS) borders[i] = make_uint4(0, 0, 0, 0);
    for (int i = thread; i < 2 * in.most; i += FLOOD_THREADS) marks[i] = i < in.most;
    if (thread < 3) grows[thread] = 0;
    meet_cluster();
    await_launch();
    for (int i = warp; i * blocks + rank < n; i += FLOOD_WARPS) {
        const int tile = i * blocks + rank;
        const uint2 word = all.words[tile * SIDE + lane];
        candidates[i * SIDE + lane] = word.x;
        sure[i * SIDE + lane] = word.y;
        send_border(borders, ring_of(tile, all.across), word.y);
        send_border(borders + in.ring, ring_of(tile, all.across), word.y);
    }
    meet_cluster();
    for (int round = 0;; ++round) {
        const int now = round % 2, next = 1 - now;
        bool grown = false;
        if (thread == 0) grows[(round + 1) % 3] = 0;
        for (int i = warp; i * blocks + rank < n; i += FLOOD_WARPS) {
            if (!marks[now * in.most + i]) continue;
            __syncwarp(FULL_WARP);
            if (lane == 0) marks[now * in.most + i] = 0;
            const int tile = i * blocks + rank, at = ring_of(tile, all.across);
            const unsigned mine = candidates[i * SIDE + lane], before = sure[i * SIDE + lane];
            const unsigned seeds = touched_row(borders + now * in.ring, at, all.across) & mine;
            if (!__any_sync(FULL_WARP, (seeds & ~before) != 0)) continue;
            const unsigned after = grow(mine, before | seeds);
            sure[i * SIDE + lane] = after;
            send_border(borders + next * in.ring, at, after);
            mark_around(marks + next * in.most, tile, all.across, all.down);
            grown = true;
        }
        if (grown && lane < blocks) atomicOr(&shared_of(grows, (unsigned)lane)[round % 3], 1u);
        meet_cluster();
        if (!grows[round % 3]) break;
    }
    for (int i = warp; i * blocks + rank < n; i += FLOOD_WARPS)
        store_grown(device, all, i * blocks + rank, sure[i * SIDE + lane]);
}

/* ---- Host ---- */

static tiling make_tiling(int width, int height, void *scratch)
{
    return {ceil_div(width, TILE_COLUMNS) * TILE_WORDS, ceil_div(height, SIDE), (uint2 *)scratch};
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
    return (size_t)(all.across * all.down) * SIDE * sizeof(uint2);
}

static ab_status detect(const canny_device *device)
{
    const tiling all = make_tiling(device->width, device->height, device->scratch);
    const dim3 grid((unsigned)(all.across / TILE_WORDS), (unsigned)all.down);
    const size_t bytes = 2 * SIDE * TILE_WORDS * sizeof(unsigned);
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

AB_RUNG(canny_rung, canny_flood) = {
    .detect = detect, .keeps_blurred = true, .check = check, .scratch_bytes = scratch_bytes};
