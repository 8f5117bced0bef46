/* Canny to convergence in three launches, by words of 32 pixels.
 *
 * find_runs: a lane has eight columns of two rows, two pixels at once (pairs.h). Classes are bits, 32 pixels per word.
 * A run is a group of neighbouring candidates in a word, and union-find unites runs. A word has at most 16 runs, and a
 * thread takes one at a time. Runs that hang on a strong pixel of the tile are sure, and go to the map. Of the rest,
 * only runs that reach the tile's border stay open, with labels in device memory. Kernel join_tiles unites open runs
 * across borders. Kernel settle writes the open runs that strong ones have reached. The rung canny/gpu has a label per
 * pixel; uniting runs is faster on large drawn pictures. Rung flood (flood.cu) is for small photographs.
 *
 * Floor, 4096 x 4096: 33.6 MB, 12 us at 2.97 TB/s; 512 x 512: three launches and their chains of L2 reads, 10 us.
 * Measured: docs/log/images.md.
 * Source: this project; union by atomics after Playne & Hawick 2018.
 */
#include "kernels/canny/canny.h"
#include "kernels/canny/labels.h"
#include "kernels/canny/pairs.h"
#include "kernels/cuda/early_launch.h"

enum { LANE_ROWS = 2, N_WARPS = 8, N_THREADS = N_WARPS * WARP_SIZE };
enum { WORD = 32, RUNS = WORD / 2, TILE_WORDS = PER_LANE * WARP_SIZE / WORD, TILE_ROWS = LANE_ROWS * N_WARPS };
enum { TILE_COLUMNS = TILE_WORDS * WORD, N_WORDS = TILE_WORDS * TILE_ROWS, STRONG_NODE = N_WORDS * RUNS };

/* The image as words, whole tiles of it, in device memory. */
typedef struct board {
    int pitch, rows;  /* words of a row; rows */
    unsigned strong;  /* the node that means it: the last */
    unsigned *labels; /* [rows][pitch][RUNS] of the open runs, and one of `strong` */
    unsigned *sure;   /* [rows][pitch]: pixels that are edges */
    unsigned *open;   /* [rows][pitch]: pixels that may be, by what is beyond the tile */
} board;

/* ---- Runs ---- */

static __device__ __forceinline__ unsigned lowest_run(unsigned bits)
{
    return bits & ~(bits + (bits & (0u - bits)));
}

static __device__ __forceinline__ unsigned node_of(int word, unsigned run)
{
    return (unsigned)word * RUNS + (unsigned)(__ffs((int)run) - 1) / 2;
}

/* ---- First kernel ---- */

/* The sum of `mine` over the threads of the block before this one; *all: over all. */
__device__ __forceinline__ int sum_before(int mine, int *all)
{
    SHARED(int, sums, N_WARPS);
    const int lane = (int)threadIdx.x % WARP_SIZE, warp = (int)threadIdx.x / WARP_SIZE;
    int sum = mine;
    for (int offset = 1; offset < WARP_SIZE; offset *= 2) {
        const int below = __shfl_up_sync(FULL_WARP, sum, (unsigned)offset);
        if (lane >= offset) sum += below;
    }
    if (lane == WARP_SIZE - 1) sums[warp] = sum;
    __syncthreads();
    int before = 0;
    *all = 0;
    for (int i = 0; i < N_WARPS; ++i) {
        if (i < warp) before += sums[i];
        *all += sums[i];
    }
    return before + sum - mine;
}

/* Unites a run of a word with the word's eastern neighbour and with what touches it of the row above. */
static __device__ __forceinline__ void unite_run(shared_array<unsigned> labels, shared_array<unsigned> candidates,
                                                 int word, unsigned run)
{
    const int column = word % TILE_WORDS, above = word - TILE_WORDS;
    const unsigned node = node_of(word, run);
    const bool has_east = column < TILE_WORDS - 1;
    if (run >> 31 && has_east && (candidates[word + 1] & 1)) unite(labels, node, node_of(word + 1, 1));
    if (above < 0) return;
    const unsigned bits = candidates[above];
    for (unsigned touched = (run << 1 | run | run >> 1) & bits; touched;) {
        const unsigned other = run_around(bits, __ffs((int)touched) - 1);
        touched &= ~other;
        unite(labels, node, node_of(above, other));
    }
    if (run & 1 && column > 0 && candidates[above - 1] >> 31)
        unite(labels, node, node_of(above - 1, run_around(candidates[above - 1], WORD - 1)));
    if (run >> 31 && has_east && (candidates[above + 1] & 1)) unite(labels, node, node_of(above + 1, 1));
}

static __device__ __forceinline__ bool at_border(int word, unsigned run)
{
    const int row = word / TILE_WORDS, column = word % TILE_WORDS;
    return row == 0 || row == TILE_ROWS - 1 || (column == 0 && run & 1) || (column == TILE_WORDS - 1 && run >> 31);
}

/* Unites the runs of a tile, one run per thread at a time. Of strong words it leaves what is sure. */
__device__ __forceinline__ void connect_tile(const board &all, shared_array<unsigned> candidates,
                                             shared_array<unsigned> strong, int first_word)
{
    SHARED(unsigned, labels, STRONG_NODE + 1);
    SHARED(unsigned, reaches, STRONG_NODE / WORD); /* a bit a node: its runs reach the border */
    SHARED(unsigned short, runs, N_WORDS *RUNS);   /* 32 * word + first bit */
    SHARED(unsigned, open, N_WORDS);
    const int word = (int)threadIdx.x;
    const bool exists = word < N_WORDS;
    const unsigned mine = exists ? candidates[word] : 0, certain = exists ? strong[word] : 0;
    int n_runs, at = sum_before(__popc(mine & ~(mine << 1)), &n_runs);
    for (unsigned rest = mine; rest; ++at) {
        const unsigned run = lowest_run(rest), node = node_of(word, run);
        rest ^= run;
        runs[at] = (unsigned short)(word * WORD + __ffs((int)run) - 1);
        labels[node] = run & certain ? (unsigned)STRONG_NODE : node;
    }
    for (int i = word; i < STRONG_NODE / WORD; i += N_THREADS) reaches[i] = 0;
    if (word == 0) labels[STRONG_NODE] = STRONG_NODE;
    if (exists) open[word] = strong[word] = 0;
    __syncthreads();
    for (int i = word; i < n_runs; i += N_THREADS)
        unite_run(labels, candidates, runs[i] / WORD, run_around(candidates[runs[i] / WORD], runs[i] % WORD));
    __syncthreads();
    for (int i = word; i < n_runs; i += N_THREADS) {
        const int of = runs[i] / WORD;
        const unsigned run = run_around(candidates[of], runs[i] % WORD), root = find_root(labels, node_of(of, run));
        if (root == STRONG_NODE)
            atomicOr(&strong[of], run);
        else if (at_border(of, run))
            atomicOr(&reaches[root / WORD], 1u << root % WORD);
    }
    __syncthreads();
    for (int i = word; i < n_runs; i += N_THREADS) {
        const int of = runs[i] / WORD;
        const unsigned run = run_around(candidates[of], runs[i] % WORD), root = find_root(labels, node_of(of, run));
        if (root == STRONG_NODE || !(reaches[root / WORD] >> root % WORD & 1)) continue;
        const int of_root = (int)root / RUNS, there = first_word + of / TILE_WORDS * all.pitch + of % TILE_WORDS;
        atomicOr(&open[of], run);
        all.labels[node_of(there, run)] =
            (unsigned)(first_word + of_root / TILE_WORDS * all.pitch + of_root % TILE_WORDS) * RUNS + root % RUNS;
    }
    __syncthreads();
    if (!exists) return;
    const int there = first_word + word / TILE_WORDS * all.pitch + word % TILE_WORDS;
    all.sure[there] = strong[word];
    all.open[there] = open[word];
}

template <bool WHOLE>
static __device__ __forceinline__ void write_tile(const canny_device &device, shared_array<unsigned> sure, int left,
                                                  int top)
{
    for (int i = (int)threadIdx.x; i < 2 * N_WORDS; i += N_THREADS) {
        const int x = left + i % (2 * TILE_WORDS) * QUAD, y = top + i / (2 * TILE_WORDS);
        if (x >= device.width || y >= device.height) continue;
        const unsigned bits = sure[i / 2] >> i % 2 * QUAD;
        unsigned char *const to = device.edges + (size_t)y * (size_t)device.width + (size_t)x;
        if (WHOLE)
            *(uint4 *)to =
                make_uint4(four_bytes(bits), four_bytes(bits >> 4), four_bytes(bits >> 8), four_bytes(bits >> 12));
        else
            for (int k = 0; k < min((int)QUAD, device.width - x); ++k) to[k] = bits >> k & 1;
    }
}

template <bool WHOLE> static __global__ void __launch_bounds__(N_THREADS) find_runs(canny_device device, board all)
{
    SHARED_DYNAMIC(unsigned char, candidates, 0, N_WORDS *(int)sizeof(unsigned));
    SHARED_DYNAMIC(unsigned, candidate_words, 0, N_WORDS);
    SHARED_DYNAMIC(unsigned char, strong, N_WORDS *(int)sizeof(unsigned), N_WORDS *(int)sizeof(unsigned));
    SHARED_DYNAMIC(unsigned, strong_words, N_WORDS *(int)sizeof(unsigned), N_WORDS);
    const int thread = (int)threadIdx.x, left = (int)blockIdx.x * TILE_COLUMNS, top = (int)blockIdx.y * TILE_ROWS;
    const int x = left + thread % WARP_SIZE * PER_LANE, first = thread / WARP_SIZE * LANE_ROWS;
    release_launch();
    if (x < device.width) {
        classify<WHOLE, LANE_ROWS>(device, x, top + first, first * WARP_SIZE + thread % WARP_SIZE, WARP_SIZE,
                                   candidates, strong);
    } else {
        for (int i = 0; i < LANE_ROWS; ++i) {
            candidates[(first + i) * WARP_SIZE + thread % WARP_SIZE] = 0;
            strong[(first + i) * WARP_SIZE + thread % WARP_SIZE] = 0;
        }
    }
    __syncthreads();
    connect_tile(all, candidate_words, strong_words,
                 (int)blockIdx.y * TILE_ROWS * all.pitch + (int)blockIdx.x * TILE_WORDS);
    if (blockIdx.x == 0 && blockIdx.y == 0 && thread == 0) all.labels[all.strong] = all.strong;
    write_tile<WHOLE>(device, strong_words, left, top);
}

/* ---- Second and third kernel ---- */

enum { JOIN_THREADS = 128 };

/* Unites two runs that touch, of which one is open. */
static __device__ __forceinline__ void join(const board &all, int a, unsigned run_a, int b, unsigned run_b)
{
    const bool sure_a = all.sure[a] & run_a, sure_b = all.sure[b] & run_b;
    if (sure_a && sure_b) return;
    const far_labels labels = {all.labels};
    unite(labels, sure_a ? all.strong : node_of(a, run_a), sure_b ? all.strong : node_of(b, run_b));
}

/* The pixels of a word that count; 0 where there is no such word in row y. */
static __device__ __forceinline__ unsigned pixels_of(const board &all, int column, int y)
{
    if (column < 0 || column >= all.pitch || y < 0 || y >= all.rows) return 0;
    return all.sure[y * all.pitch + column] | all.open[y * all.pitch + column];
}

/* The pixel of row y below a border, bit `bit` of a word, and those above that no neighbour in its own row unites it with. */
static __device__ __forceinline__ void join_above(const board &all, int column, int y, int bit)
{
    const unsigned mine = pixels_of(all, column, y), above = pixels_of(all, column, y - 1);
    if (!(mine >> bit & 1)) return;
    const int word = y * all.pitch + column, there = word - all.pitch;
    const unsigned run = run_around(mine, bit);
    const bool west = bit > 0 && mine >> (bit - 1) & 1;
    const int to_west = bit > 0 ? 0 : -1, to_east = bit < WORD - 1 ? 0 : 1; /* words */
    const unsigned western = to_west ? pixels_of(all, column - 1, y - 1) : above;
    const unsigned eastern = to_east ? pixels_of(all, column + 1, y - 1) : above;
    const int bit_west = (bit - 1) & (WORD - 1), bit_east = (bit + 1) & (WORD - 1);
    const bool north_west = western >> bit_west & 1, north = above >> bit & 1, north_east = eastern >> bit_east & 1;
    if (north) {
        if (!(west && north_west)) join(all, word, run, there, run_around(above, bit));
        return;
    }
    if (north_west && !west) join(all, word, run, there + to_west, run_around(western, bit_west));
    if (north_east) join(all, word, run, there + to_east, run_around(eastern, bit_east));
}

/* The pixel of row y to the east of a border, the first of a word, and the three to its west. */
static __device__ __forceinline__ void join_west(const board &all, int column, int y)
{
    const unsigned mine = pixels_of(all, column, y);
    const int word = y * all.pitch + column;
    if (!(mine & 1)) return;
    for (int step = -1; step <= 1; ++step) {
        const unsigned west = pixels_of(all, column - 1, y + step);
        if (west >> 31) join(all, word, run_around(mine, 0), word - 1 + step * all.pitch, run_around(west, WORD - 1));
    }
}

/* A thread per pixel below a border, then per row and border that stands. */
static __global__ void __launch_bounds__(JOIN_THREADS) join_tiles(board all)
{
    const int width = all.pitch * WORD, n_below = (all.rows / TILE_ROWS - 1) * width;
    const int n_beside = (all.pitch / TILE_WORDS - 1) * all.rows;
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), beside = i - n_below;
    release_launch();
    await_launch();
    if (beside < 0)
        join_above(all, i % width / WORD, (i / width + 1) * TILE_ROWS, i % WORD);
    else if (beside < n_beside)
        join_west(all, (beside / all.rows + 1) * TILE_WORDS, beside % all.rows);
}

/* A thread per four pixels. */
static __global__ void __launch_bounds__(JOIN_THREADS) settle(canny_device device, board all)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), word = i / (WORD / 4), first = i % (WORD / 4) * 4;
    await_launch();
    if (word >= all.rows * all.pitch) return;
    const unsigned open = all.open[word];
    const far_labels labels = {all.labels};
    unsigned char *const to =
        device.edges + (size_t)(word / all.pitch) * (size_t)device.width + (size_t)(word % all.pitch) * WORD;
    for (unsigned rest = open & 15u << first; rest;) {
        const int bit = __ffs((int)rest) - 1;
        const unsigned run = run_around(open, bit);
        const bool edge = find_root(labels, node_of(word, run)) == all.strong;
        for (unsigned pixels = rest & run; pixels && edge; pixels &= pixels - 1) to[__ffs((int)pixels) - 1] = 1;
        rest &= ~run;
    }
}

/* ---- The rung ---- */

static board make_board(int width, int height, void *scratch)
{
    const int pitch = ceil_div(width, TILE_COLUMNS) * TILE_WORDS, rows = ceil_div(height, TILE_ROWS) * TILE_ROWS;
    const size_t n = (size_t)pitch * (size_t)rows;
    unsigned *const labels = (unsigned *)scratch;
    return {pitch, rows, (unsigned)(n * RUNS), labels, labels + n * RUNS + 1, labels + n * (RUNS + 1) + 1};
}

static ab_status detect(const canny_device *device)
{
    const board all = make_board(device->width, device->height, device->scratch);
    const int n_borders = (all.rows / TILE_ROWS - 1) * all.pitch * WORD + (all.pitch / TILE_WORDS - 1) * all.rows;
    const dim3 grid((unsigned)(all.pitch / TILE_WORDS), (unsigned)(all.rows / TILE_ROWS));
    const size_t bytes = 2 * N_WORDS * sizeof(unsigned);
    if (device->gaussian.radius > 0) AB_TRY(AB_GPU(canny_blur)(device));
    if (device->width % QUAD == 0)
        LAUNCH(find_runs<true>, grid, N_THREADS, bytes)(*device, all);
    else
        LAUNCH(find_runs<false>, grid, N_THREADS, bytes)(*device, all);
    AB_TRY(AB_LAUNCHED("find_runs"));
    if (all.rows > TILE_ROWS) AB_PLAN("runs: tiles above one another");
    if (all.pitch > TILE_WORDS) AB_PLAN("runs: tiles beside one another");
    if (n_borders == 0) AB_PLAN("runs: one tile");
    if (n_borders == 0) return ab_ok();
    LAUNCH_EARLY(join_tiles, (unsigned)ceil_div(n_borders, JOIN_THREADS), JOIN_THREADS, 0)(all);
    AB_TRY(AB_LAUNCHED("join_tiles"));
    LAUNCH_EARLY(settle, (unsigned)ceil_div(all.rows * all.pitch * (WORD / 4), JOIN_THREADS), JOIN_THREADS, 0)
    (*device, all);
    return AB_LAUNCHED("settle");
}

static size_t scratch_bytes(const ed_image *image, const ed_params *)
{
    const board all = make_board(image->width, image->height, NULL);
    return ((size_t)all.strong + 1 + 2 * (size_t)all.strong / RUNS) * sizeof(unsigned);
}

AB_RUNG(canny_rung, canny_runs) = {.detect = detect, .keeps_blurred = true, .scratch_bytes = scratch_bytes};
