/* Canny to convergence in three launches: tiles are settled alone, then joined at their seams.
 *
 * grow_tiles: a block has a tile of 32 columns and 64 rows. Strong pixels grow through weak ones for a few steps
 * (words.h). Union-find unites the runs of weak pixels that are left; a run beside a sure pixel is sure. What is still
 * open and reaches the tile's border is a group. Groups never touch, so a tile has at most 94. The block writes its
 * map. It writes the group of each border pixel and the runs of its groups. join_tiles unites groups across the seams.
 * settle_groups adds the sure ones to the map. Flat pixels need no gradient, and most seams have no group, so large
 * drawings take half of the time of runs.cu. Chains of runs become short in rounds of the block: no thread walks them.
 *
 * Floor, 4096 x 4096: 33.6 MB, 12 us at 2.97 TB/s; 512 x 512: three launches and their chains of L2 reads, 10 us.
 * Limits: photographs of 512 x 512 pixels take less by flood.cu. Measured: docs/log/images.md.
 * Source: this project; union by atomics after Playne & Hawick 2018.
 */
#include "kernels/canny/canny.h"
#include "kernels/canny/labels.h"
#include "kernels/canny/pairs.h"
#include "kernels/canny/words.h"
#include "kernels/cuda/early_launch.h"

enum { COLUMNS = 32, ROWS = 64, LANES = COLUMNS / PER_LANE };
enum { LANE_ROWS = 2, TILE_THREADS = LANES * ROWS / LANE_ROWS }; /* rows that a thread classifies; threads of a tile */
enum { PART = PER_LANE * LANE_ROWS, NODES = PART / 2 };          /* columns of a thread's runs; most such runs */
enum { RUNS = COLUMNS / 2, STRONG_NODE = ROWS * RUNS };          /* most runs of a word, of a tile */
enum { MOST_STEPS = 5 };                                         /* of growth in words */
enum { RING = 2 * (COLUMNS + ROWS), BOTTOM = COLUMNS, LEFT = 2 * COLUMNS, RIGHT = LEFT + ROWS }; /* top row first */
enum { QUAD_PIXELS = 4, SEAM_QUADS = (COLUMNS + ROWS) / QUAD_PIXELS, RING_WORDS = RING / (int)sizeof(unsigned) };
enum { GROUPS = RING / 2, SURE = 255 }; /* labels per tile, 0 being none; a sure pixel in a ring */
enum { SEAM_THREADS = 256 };

/* What the tiles leave in device memory. */
typedef struct seams {
    int across, down; /* tiles */
    unsigned *labels; /* [down * across][GROUPS], and one for "strong" */
    unsigned *rings;  /* [down * across][RING] bytes: group of each border pixel, 0 of none */
    int *counts;      /* [down * across] runs of groups */
    unsigned *runs;   /* [down * across][STRONG_NODE], by run_code */
} seams;

static __device__ __forceinline__ unsigned strong_label(const seams &all)
{
    return (unsigned)(all.across * all.down * GROUPS);
}

/* ---- Union-find ---- */

static __device__ __forceinline__ unsigned label_of(shared_array<unsigned> labels, unsigned node)
{
    return atomicOr(&labels[node], 0u);
}

static __device__ __forceinline__ unsigned label_of(far_labels labels, unsigned node)
{
    return __ldcg(labels.first + node);
}

/* As find_root of labels.h, but the label of `strong` is not read: half of all threads would wait for that one. */
template <typename Labels>
static __device__ __forceinline__ unsigned root_of(Labels labels, unsigned strong, unsigned node)
{
    while (node != strong) {
        const unsigned parent = label_of(labels, node);
        if (parent == node) break;
        node = parent;
    }
    return node;
}

template <typename Labels>
static __device__ __forceinline__ void unite_roots(Labels labels, unsigned strong, unsigned a, unsigned b)
{
    for (;;) {
        a = root_of(labels, strong, a);
        b = root_of(labels, strong, b);
        if (a == b) return;
        const unsigned child = min(a, b), parent = max(a, b), before = atomicMax(&labels[child], parent);
        if (before == child) return;
        a = before;
        b = parent;
    }
}

/* ---- A tile ---- */

static __device__ __forceinline__ unsigned node_of(int row, unsigned run)
{
    return (unsigned)(row * RUNS + (__ffs((int)run) - 1) / 2);
}

static __device__ __forceinline__ unsigned run_code(int row, unsigned run, unsigned group)
{
    const int first = __ffs((int)run) - 1;
    return (unsigned)first | (unsigned)(__popc(run) - 1) << 5 | (unsigned)row << 10 | group << 16;
}

/* What a thread knows of its row: the runs that begin in its part of it. */
typedef struct stretch {
    int row;
    unsigned rest, starts; /* weak pixels that growth has left; where the thread's runs begin */
    unsigned beside;       /* sure pixels of the row and those above and below */
    unsigned below;        /* what growth has left in the row below */
} stretch;

static __device__ __forceinline__ stretch stretch_of(shared_array<unsigned> candidates, shared_array<unsigned> sure)
{
    const int thread = (int)threadIdx.x, row = thread * PART / COLUMNS, part = thread * PART % COLUMNS;
    const bool last = row == ROWS - 1;
    stretch mine = {row, candidates[row] & ~sure[row], 0, sure[row], last ? 0 : candidates[row + 1] & ~sure[row + 1]};
    mine.starts = mine.rest & ~(mine.rest << 1) & ~0u >> (COLUMNS - PART) << part;
    if (row > 0) mine.beside |= sure[row - 1];
    if (!last) mine.beside |= sure[row + 1];
    return mine;
}

/* The first run of `starts`, which it takes away. */
static __device__ __forceinline__ unsigned take_run(unsigned bits, unsigned *starts)
{
    const unsigned run = run_around(bits, __ffs((int)*starts) - 1);
    *starts &= *starts - 1;
    return run;
}

/* Labels the runs that growth has left. A run's label is "strong", or a run below it: labels grow. */
static __device__ __forceinline__ void link_runs(shared_array<unsigned> labels, shared_array<unsigned> groups,
                                                 const stretch &mine)
{
    for (unsigned starts = mine.starts; starts;) {
        const unsigned run = take_run(mine.rest, &starts), node = node_of(mine.row, run);
        const unsigned met = touched(run) & mine.below;
        labels[node] = touched(run) & mine.beside ? (unsigned)STRONG_NODE
                       : met                      ? node_of(mine.row + 1, run_around(mine.below, __ffs((int)met) - 1))
                                                  : node;
        groups[node] = 0;
    }
}

/* Replaces labels by their labels until all are roots. A chain of runs, one below another, needs 6 rounds at most. */
static __device__ __forceinline__ void shorten_chains(shared_array<unsigned> labels, unsigned starts)
{
    const int first = (int)threadIdx.x * NODES, part = (int)threadIdx.x * PART % COLUMNS;
    for (bool goes_on = true; goes_on;) {
        unsigned next[NODES];
        bool changes = false;
#pragma unroll
        for (int i = 0; i < NODES; ++i) {
            const unsigned label = starts >> (part + 2 * i) & 3 ? labels[first + i] : (unsigned)STRONG_NODE;
            next[i] = labels[label];
            changes |= next[i] != label;
        }
        goes_on = __syncthreads_or(changes);
#pragma unroll
        for (int i = 0; i < NODES; ++i)
            if (starts >> (part + 2 * i) & 3) labels[first + i] = next[i];
        __syncthreads();
    }
}

/* Unites runs with those below that link_runs has not. */
static __device__ __forceinline__ void unite_runs(shared_array<unsigned> labels, const stretch &mine)
{
    for (unsigned starts = mine.starts; starts;) {
        const unsigned run = take_run(mine.rest, &starts);
        bool linked = !(touched(run) & mine.beside);
        for (unsigned met = touched(run) & mine.below; met; linked = false) {
            const unsigned other = run_around(mine.below, __ffs((int)met) - 1);
            met &= ~other;
            if (!linked) unite_roots(labels, STRONG_NODE, node_of(mine.row, run), node_of(mine.row + 1, other));
        }
    }
}

/* Row and column of a pixel of the ring. */
static __device__ __forceinline__ int2 place_in_ring(int i)
{
    if (i < LEFT) return make_int2(i < BOTTOM ? 0 : ROWS - 1, i % COLUMNS);
    return i < RIGHT ? make_int2(i - LEFT, 0) : make_int2(i - RIGHT, COLUMNS - 1);
}

/* Settles what hangs on sure pixels in the tile, and writes down the ring and the groups' runs. Called by all. */
__device__ __forceinline__ void settle_tile(const seams &all, int tile, shared_array<unsigned> candidates,
                                            shared_array<unsigned> sure)
{
    SHARED(unsigned, labels, STRONG_NODE + 1);
    SHARED(unsigned, groups, STRONG_NODE); /* number of the group of a root; 0: it does not reach the border */
    SHARED(unsigned, n_groups, 1);
    SHARED(int, n_runs, 1);
    const int thread = (int)threadIdx.x;
    const stretch mine = stretch_of(candidates, sure);
    unsigned char *const ring = (unsigned char *)(all.rings + tile * RING_WORDS);
    if (thread == 0) {
        labels[STRONG_NODE] = STRONG_NODE;
        n_groups[0] = 0;
        n_runs[0] = 0;
    }
    link_runs(labels, groups, mine);
    __syncthreads();
    shorten_chains(labels, mine.starts);
    unite_runs(labels, mine);
    __syncthreads();
    shorten_chains(labels, mine.starts);
    for (unsigned starts = mine.starts; starts;) {
        const unsigned run = take_run(mine.rest, &starts), root = labels[node_of(mine.row, run)];
        if (root == STRONG_NODE)
            atomicOr(&sure[mine.row], run);
        else if (mine.row == 0 || mine.row == ROWS - 1 || run & 0x80000001u)
            if (atomicCAS(&groups[root], 0u, (unsigned)SURE) == 0)
                atomicExch(&groups[root], 1 + atomicAdd(&n_groups[0], 1u));
    }
    __syncthreads();
    for (unsigned starts = mine.starts; starts;) {
        const unsigned run = take_run(mine.rest, &starts), root = labels[node_of(mine.row, run)];
        if (root == STRONG_NODE || groups[root] == 0) continue;
        all.runs[tile * STRONG_NODE + atomicAdd(&n_runs[0], 1)] = run_code(mine.row, run, groups[root]);
    }
    for (int i = thread; i < RING; i += TILE_THREADS) {
        const int2 at = place_in_ring(i);
        const unsigned is_sure = sure[at.x] >> at.y & 1, rest = candidates[at.x] & ~sure[at.x];
        unsigned group = is_sure ? (unsigned)SURE : 0;
        if (rest >> at.y & 1) group = groups[labels[node_of(at.x, run_around(rest, at.y))]];
        ring[i] = (unsigned char)group;
    }
    if (thread >= 1 && thread <= (int)n_groups[0])
        all.labels[tile * GROUPS + thread] = (unsigned)(tile * GROUPS + thread);
    __syncthreads();
    if (thread == 0) all.counts[tile] = n_runs[0];
}

template <bool WHOLE>
static __device__ __forceinline__ void write_tile(const canny_device &device, shared_array<unsigned> sure, int left,
                                                  int top)
{
    for (int i = (int)threadIdx.x; i < ROWS * COLUMNS / QUAD; i += TILE_THREADS) {
        const int x = left + i % (COLUMNS / QUAD) * QUAD, y = top + i / (COLUMNS / QUAD);
        if (x >= device.width || y >= device.height) continue;
        const unsigned bits = sure[i * QUAD / COLUMNS] >> i * QUAD % COLUMNS;
        unsigned char *const to = device.edges + (size_t)y * (size_t)device.width + (size_t)x;
        if (WHOLE)
            *(uint4 *)to =
                make_uint4(four_bytes(bits), four_bytes(bits >> 4), four_bytes(bits >> 8), four_bytes(bits >> 12));
        else
            for (int k = 0; k < min((int)QUAD, device.width - x); ++k) to[k] = bits >> k & 1;
    }
}

template <bool WHOLE> static __global__ void __launch_bounds__(TILE_THREADS) grow_tiles(canny_device device, seams all)
{
    enum { BYTES = ROWS * (int)sizeof(unsigned) };
    SHARED_DYNAMIC(unsigned char, candidates, 0, BYTES);
    SHARED_DYNAMIC(unsigned, candidate_words, 0, ROWS);
    SHARED_DYNAMIC(uint2, candidate_rows, 0, WARP_SIZE);
    SHARED_DYNAMIC(unsigned char, strong, BYTES, BYTES);
    SHARED_DYNAMIC(unsigned, sure_words, BYTES, ROWS);
    SHARED_DYNAMIC(uint2, sure_rows, BYTES, WARP_SIZE);
    const int thread = (int)threadIdx.x, left = (int)blockIdx.x * COLUMNS, top = (int)blockIdx.y * ROWS;
    const int x = left + thread % LANES * PER_LANE, first = thread / LANES * LANE_ROWS;
    const int at = first * LANES + thread % LANES, tile = (int)blockIdx.y * all.across + (int)blockIdx.x;
    release_launch();
    if (x < device.width)
        classify<WHOLE, LANE_ROWS, true>(device, x, top + first, at, LANES, candidates, strong);
    else
        for (int i = 0; i < LANE_ROWS; ++i) candidates[at + i * LANES] = strong[at + i * LANES] = 0;
    bool any = false;
    for (int i = 0; i < LANE_ROWS; ++i) any |= candidates[at + i * LANES] != 0;
    if (__syncthreads_or(any)) {
        if (thread < WARP_SIZE) {
            uint2 sure = sure_rows[thread];
            (void)grow(candidate_rows[thread], sure, MOST_STEPS);
            sure_rows[thread] = sure;
        }
        __syncthreads();
        settle_tile(all, tile, candidate_words, sure_words);
    } else {
        if (thread < RING_WORDS) all.rings[tile * RING_WORDS + thread] = 0;
        if (thread == 0) all.counts[tile] = 0;
    }
    if (tile == 0 && thread == 0) all.labels[strong_label(all)] = strong_label(all);
    write_tile<WHOLE>(device, sure_words, left, top);
}

/* ---- Seams ---- */

static __device__ __forceinline__ unsigned ring_byte(const unsigned *rings, int at)
{
    return rings[at / 4] >> at % 4 * 8 & 255;
}

static __device__ __forceinline__ unsigned label_node(const seams &all, int tile, unsigned group)
{
    return group == SURE ? strong_label(all) : (unsigned)(tile * GROUPS) + group;
}

/* Unites what two pixels belong to that touch: of tile a group m, of tile b group n. */
static __device__ __forceinline__ void unite_groups(const seams &all, int a, unsigned m, int b, unsigned n)
{
    if ((m & n) == SURE) return;
    unite_roots(far_labels{all.labels}, strong_label(all), label_node(all, a, m), label_node(all, b, n));
}

/* Unites groups across a seam: four pixels of a tile's first row, or first column, meet the pixels of the tile above,
 * or to the left. The first row also meets the tiles above to the left and right at its corners. */
static __device__ __forceinline__ void join_seam(const seams &all, const unsigned *rings, int i)
{
    const int tile = i / SEAM_QUADS, at = i % SEAM_QUADS * QUAD_PIXELS;
    const int column = tile % all.across, row = tile / all.across;
    const bool beside = at >= COLUMNS;
    if (beside ? column == 0 : row == 0) return;
    const int other = beside ? tile - 1 : tile - all.across, first = beside ? at - COLUMNS : at;
    const int last = (beside ? ROWS : COLUMNS) - QUAD_PIXELS, side = other * RING + (beside ? RIGHT : BOTTOM);
    const unsigned mine = rings[(tile * RING + (beside ? LEFT + first : first)) / QUAD_PIXELS];
    if (mine == 0) return;
    const unsigned theirs = rings[(side + first) / QUAD_PIXELS];
    unsigned before = 0, after = 0;
    if (first > 0)
        before = ring_byte(rings, side + first - 1);
    else if (!beside && column > 0)
        before = ring_byte(rings, side + COLUMNS - 1 - RING);
    if (first < last)
        after = ring_byte(rings, side + first + QUAD_PIXELS);
    else if (!beside && column < all.across - 1)
        after = ring_byte(rings, side + RING);
    const unsigned long long window = before | (unsigned long long)theirs << 8 | (unsigned long long)after << 40;
#pragma unroll
    for (int k = 0; k < QUAD_PIXELS; ++k) {
        const unsigned m = mine >> 8 * k & 255, three = (unsigned)(window >> 8 * k) & 0xffffff;
        const unsigned west = three & 255, middle = three >> 8 & 255, east = three >> 16;
        if (m == 0 || three == 0) continue;
        if (middle) {
            unite_groups(all, tile, m, other, middle);
            continue;
        }
        if (west) unite_groups(all, tile, m, first + k > 0 ? other : other - 1, west);
        if (east) unite_groups(all, tile, m, first + k < last + QUAD_PIXELS - 1 ? other : other + 1, east);
    }
}

/* A thread per four pixels of a seam. At most seams no tile has a group. */
static __global__ void __launch_bounds__(SEAM_THREADS) join_tiles(seams all)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), tile = i / SEAM_QUADS;
    const bool beside = i % SEAM_QUADS >= COLUMNS / QUAD_PIXELS;
    release_launch();
    await_launch();
    if (tile >= all.across * all.down) return;
    const int other = max(beside ? tile - 1 : tile - all.across, 0), before = max(other - 1, 0);
    if ((all.counts[tile] | all.counts[other] | (beside ? 0 : all.counts[before] | all.counts[other + 1])) == 0) return;
    join_seam(all, all.rings, i);
}

/* A warp per tile. Runs that hang on a sure pixel go to the map. */
static __global__ void __launch_bounds__(SEAM_THREADS) settle_groups(canny_device device, seams all)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), tile = i / WARP_SIZE;
    const unsigned strong = strong_label(all);
    await_launch();
    const int n = tile < all.across * all.down ? all.counts[tile] : 0;
    for (int k = i % WARP_SIZE; k < n; k += WARP_SIZE) {
        const unsigned code = all.runs[tile * STRONG_NODE + k];
        if (root_of(far_labels{all.labels}, strong, (unsigned)(tile * GROUPS) + (code >> 16)) != strong) continue;
        const int x = tile % all.across * COLUMNS + (int)(code & 31);
        const int y = tile / all.across * ROWS + (int)(code >> 10 & 63);
        unsigned char *const to = device.edges + (size_t)y * (size_t)device.width + (size_t)x;
        for (int pixel = 0; pixel <= (int)(code >> 5 & 31); ++pixel) to[pixel] = 1;
    }
}

/* ---- The rung ---- */

static seams make_seams(int width, int height, void *scratch)
{
    const int across = ceil_div(width, COLUMNS), down = ceil_div(height, ROWS);
    const size_t n_tiles = (size_t)across * (size_t)down;
    unsigned *const rings = (unsigned *)scratch, *const labels = rings + n_tiles * RING_WORDS;
    int *const counts = (int *)(labels + n_tiles * GROUPS + 1);
    return {across, down, labels, rings, counts, (unsigned *)(counts + n_tiles)};
}

static size_t scratch_bytes(const ed_image *image, const ed_params *)
{
    const seams all = make_seams(image->width, image->height, NULL);
    const size_t n_tiles = (size_t)all.across * (size_t)all.down;
    return (n_tiles * (RING_WORDS + GROUPS + 1 + STRONG_NODE) + 1) * sizeof(unsigned);
}

static ab_status detect(const canny_device *device)
{
    const seams all = make_seams(device->width, device->height, device->scratch);
    const dim3 grid((unsigned)all.across, (unsigned)all.down);
    const int n_tiles = all.across * all.down;
    const size_t bytes = 2 * ROWS * sizeof(unsigned);
    if (device->gaussian.radius > 0) AB_TRY(AB_GPU(canny_blur)(device));
    if (device->width % QUAD == 0)
        LAUNCH(grow_tiles<true>, grid, TILE_THREADS, bytes)(*device, all);
    else
        LAUNCH(grow_tiles<false>, grid, TILE_THREADS, bytes)(*device, all);
    AB_TRY(AB_LAUNCHED("grow_tiles"));
    LAUNCH_EARLY(join_tiles, (unsigned)ceil_div(n_tiles * SEAM_QUADS, SEAM_THREADS), SEAM_THREADS, 0)(all);
    AB_TRY(AB_LAUNCHED("join_tiles"));
    LAUNCH_EARLY(settle_groups, (unsigned)ceil_div(n_tiles * WARP_SIZE, SEAM_THREADS), SEAM_THREADS, 0)(*device, all);
    return AB_LAUNCHED("settle_groups");
}

AB_RUNG(canny_rung, canny_seams) = {.detect = detect, .keeps_blurred = true, .scratch_bytes = scratch_bytes};
