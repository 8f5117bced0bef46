/* Colour edges of small images in one launch: all blocks are on the GPU at once, and meet once.
 *
 * A block has a tile of 92 x 24 pixels of the map. Of the gradients it has two more on each side, as a pass of
 * thinning needs them. It computes volume, intensity and gradients as fused.cu does. But a thread keeps the squared
 * magnitudes of four pixels in registers, until all blocks have added up theirs: so no plane goes to memory and no
 * gradient is rounded. A block's arrival is in the same 64 bits as its sum, so that the sum, once it is complete,
 * needs no barrier.
 *
 * Limits: sigma such that the radius is 3, as it is for 1; as many tiles as multiprocessors, 132 for 512 x 512.
 * Measured: docs/log/images.md.
 * Source: this project.
 */
#include "kernels/colour_edge/fused.h"
#include "kernels/cuda/grid_barrier.h"

enum {
    THREADS = 768,
    WARPS = THREADS / WARP_SIZE,
    ROW_WORDS = 3,
    COLUMNS = ROW_WORDS * WARP_SIZE, /* columns of gradients */
    LANE_ROWS = 4,                   /* rows of a column, of which a thread keeps the squares */
    ROWS = (WARPS / ROW_WORDS - 1) * LANE_ROWS,
    GOOD_COLUMNS = COLUMNS - 2 * MARGIN,
    GOOD_ROWS = ROWS - 2 * MARGIN,
    N_WORDS = ROWS * ROW_WORDS,
    QUADS = (COLUMNS + 2 + QUAD - 1) / QUAD,
    COLOUR_ROWS = ROWS + 2,
    COLOUR_PITCH = QUADS * QUAD,
    STRETCH = 5, /* rows that a thread blurs down a column */
    WIDTH = COLUMNS + 2 + 2 * COMMON_RADIUS,
    PITCH = (COLOUR_PITCH + 2 * COMMON_RADIUS + QUAD - 1) / QUAD * QUAD,
    PLANE = COLOUR_ROWS * PITCH,
    MOST_TILES = 256,  /* so that sums and arrivals fit in 64 bits: magnitudes are below 2^31 of their steps */
    ARRIVAL_SHIFT = 52 /* of a block in each of the sums */
};
static_assert(COLOUR_ROWS % STRETCH == 0 && COLOUR_ROWS / STRETCH * WIDTH <= THREADS && QUADS * COLOUR_ROWS <= THREADS);
static_assert(MOST_TILES * GOOD_COLUMNS * GOOD_ROWS <= 1 << (ARRIVAL_SHIFT - 31));

/* The place of a block: its first gradients, of which MARGIN columns and rows are before the map's. */
typedef struct tile {
    int left, top;
} tile;

/* To columns[3][COLOUR_ROWS][PITCH]: the colours' columns, and COMMON_RADIUS more on each side. */
static __device__ __forceinline__ void blur_columns(const ce_device &device, const tile &at,
                                                    shared_array<float> columns)
{
    enum { PIXELS = STRETCH + 2 * COMMON_RADIUS };
    const int column = (int)threadIdx.x % WIDTH, first = (int)threadIdx.x / WIDTH * STRETCH;
    const int x = at.left - 1 - COMMON_RADIUS + column, y = at.top - 1 - COMMON_RADIUS + first;
    if (first >= COLOUR_ROWS) return;
    unsigned pixels[PIXELS];
#pragma unroll
    for (int j = 0; j < PIXELS; ++j) pixels[j] = pixel_near(device, x, y + j);
    blur_down<STRETCH, COMMON_RADIUS>(&device.taps, COMMON_RADIUS, pixels, columns + (first * PITCH + column), PLANE,
                                      PITCH);
}

/* A thread's pixels: LANE_ROWS of a column, whose first row is `first`. */
typedef struct share {
    int column, first, x;
    bool inside; /* true if the column is in the image, and the thread has rows */
    bool counts; /* true if it is in the map, too, so that its magnitudes are this block's to add up */
} share;

static __device__ __forceinline__ share share_of(const ce_device &device, const tile &at)
{
    const int warp = (int)threadIdx.x / WARP_SIZE;
    share mine;
    mine.column = warp % ROW_WORDS * WARP_SIZE + (int)threadIdx.x % WARP_SIZE;
    mine.first = warp / ROW_WORDS * LANE_ROWS;
    mine.x = at.left + mine.column;
    mine.inside = mine.x >= 0 && mine.x < device.width && mine.first < ROWS;
    mine.counts = mine.inside && mine.column >= MARGIN && mine.column < COLUMNS - MARGIN;
    return mine;
}

/* The squares of a thread's pixels, and the sums of their magnitudes. Beyond the image's borders its nearest colours
 * lie. */
static __device__ __forceinline__ void take_squares(const ce_device &device, const tile &at, const share &mine,
                                                    shared_array<float2> colours, float4 kept[LANE_ROWS],
                                                    unsigned long long sums[CE_MAGNITUDES])
{
    const int west = ce_clamp(mine.x - 1, device.width) - at.left + 1,
              middle = ce_clamp(mine.x, device.width) - at.left + 1,
              east = ce_clamp(mine.x + 1, device.width) - at.left + 1;
    triple rows[3];
#pragma unroll
    for (int i = 0; i < LANE_ROWS + 2; ++i) {
        const int row = ce_clamp(at.top + mine.first + i - 1, device.height) - at.top + 1, to = row * COLOUR_PITCH;
        rows[i % 3] = {colours[to + west], colours[to + middle], colours[to + east]};
        if (i < 2) continue;
        const float4 m = squares(rows[(i - 2) % 3], rows[(i - 1) % 3], rows[i % 3]);
        const int r = mine.first + i - 2;
        kept[i - 2] = m;
        if (mine.counts && r >= MARGIN && r < ROWS - MARGIN && at.top + r < device.height) {
            sums[CE_M1_VOLUME] += fixed_root(m.x);
            sums[CE_M2_VOLUME] += fixed_root(m.y);
            sums[CE_M1_INTENSITY] += fixed_root(m.z);
            sums[CE_M2_INTENSITY] += fixed_root(m.w);
        }
    }
}

/* Called by a warp: adds the block's sums to the image's, and waits until all blocks have. Lane i gets the sum of
 * magnitude i. */
static __device__ __forceinline__ unsigned long long meet_sums(unsigned long long *sums,
                                                               shared_array<unsigned long long> warps)
{
    const unsigned long long arrival = 1ull << ARRIVAL_SHIFT, blocks = (unsigned long long)gridDim.x * gridDim.y;
    const int lane = (int)threadIdx.x;
    unsigned long long sum = 0;
    for (int i = lane; i < WARPS * CE_MAGNITUDES; i += WARP_SIZE) sum += warps[i];
    for (int offset = WARP_SIZE / 2; offset >= CE_MAGNITUDES; offset /= 2)
        sum += __shfl_xor_sync(FULL_WARP, sum, offset);
    if (lane >= CE_MAGNITUDES) return 0;
    atomicAdd(&sums[lane], arrival + sum);
    for (;;) {
        sum = *(const volatile unsigned long long *)&sums[lane];
        if (sum >> ARRIVAL_SHIFT == blocks) break;
        spin();
    }
    return sum & (arrival - 1);
}

/* Called by a warp: computes bounds[CE_MAGNITUDES] of the squares. */
static __device__ __forceinline__ void find_bounds(const ce_device &device, int set,
                                                   shared_array<unsigned long long> warps, shared_array<float> bounds)
{
    const int lane = (int)threadIdx.x;
    const unsigned long long sum = meet_sums(device.sums + set * CE_MAGNITUDES, warps);
    if (lane >= CE_MAGNITUDES) return;
    const float threshold = ce_device_threshold(device, lane, sum);
    bounds[lane] = square_bound(threshold);
    if (blockIdx.x == 0 && blockIdx.y == 0) {
        device.thresholds[lane] = threshold;
        device.sums[(1 - set) * CE_MAGNITUDES + lane] = 0;
    }
}

/* To words[ROWS][ROW_WORDS]: what is above the bounds. */
static __device__ __forceinline__ void mark(const ce_device &device, const tile &at, const share &mine,
                                            const float4 kept[LANE_ROWS], shared_array<float> bounds,
                                            shared_array<unsigned> words)
{
#pragma unroll
    for (int i = 0; i < LANE_ROWS; ++i) {
        const int y = at.top + mine.first + i;
        const float4 m = kept[i];
        const bool edge = mine.inside && y >= 0 && y < device.height &&
                          (m.x > bounds[CE_M1_VOLUME] || m.y > bounds[CE_M2_VOLUME] || m.z > bounds[CE_M1_INTENSITY] ||
                           m.w > bounds[CE_M2_INTENSITY]);
        const unsigned word = __ballot_sync(FULL_WARP, edge);
        if (mine.column % WARP_SIZE == 0) words[(mine.first + i) * ROW_WORDS + mine.column / WARP_SIZE] = word;
    }
}

/* A pass of thinning, a word per thread. */
static __device__ __forceinline__ void thin(shared_array<unsigned> words, shared_array<unsigned> half_thinned)
{
    const int thread = (int)threadIdx.x;
    if (thread < N_WORDS) half_thinned[thread] = thin_word<ROW_WORDS, N_WORDS>(words, thread, 0);
    __syncthreads();
    if (thread < N_WORDS) words[thread] = thin_word<ROW_WORDS, N_WORDS>(half_thinned, thread, 1);
    __syncthreads();
}

/* Writes four pixels per thread. */
static __device__ __forceinline__ void store(const ce_device &device, const tile &at, shared_array<unsigned> words,
                                             unsigned char *map)
{
    enum { PER_ROW = GOOD_COLUMNS / QUAD };
    const int row = MARGIN + (int)threadIdx.x / PER_ROW, column = MARGIN + (int)threadIdx.x % PER_ROW * QUAD;
    const int x = at.left + column, y = at.top + row;
    if (row >= ROWS - MARGIN || x >= device.width || y >= device.height) return;
    const ce_words around = words_around<ROW_WORDS, N_WORDS>(words, row * ROW_WORDS + column / WARP_SIZE);
    const unsigned bits = __funnelshift_r(around.middle, around.right, (unsigned)column % WARP_SIZE);
    unsigned char *const to = map + ce_at(device, x, y);
    if (device.width % QUAD == 0)
        *(unsigned *)to = four_bytes(bits);
    else
        for (int k = 0; k < min((int)QUAD, device.width - x); ++k) to[k] = bits >> k & 1;
}

static constexpr int shared_bytes()
{
    return 3 * PLANE * (int)sizeof(float) + COLOUR_ROWS * COLOUR_PITCH * (int)sizeof(float2);
}

static __global__ void __launch_bounds__(THREADS, 1)
    find_at_once(ce_device device, ce_taps row_taps, int set, bool thins, unsigned char *map)
{
    enum { COLOURS_AT = 3 * PLANE * (int)sizeof(float), COLOURS = COLOUR_ROWS * COLOUR_PITCH };
    SHARED_DYNAMIC(float, columns, 0, 3 * PLANE);
    SHARED_DYNAMIC(float4, column_quads, 0, 3 * PLANE / 4); /* the same */
    SHARED_DYNAMIC(float2, colours, COLOURS_AT, COLOURS);
    SHARED_DYNAMIC(float4, colour_pairs, COLOURS_AT, COLOURS / 2); /* the same */
    SHARED(unsigned long long, warps, WARPS *CE_MAGNITUDES);
    SHARED(float, bounds, CE_MAGNITUDES);
    SHARED(unsigned, words, N_WORDS);
    SHARED(unsigned, half_thinned, N_WORDS);
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE;
    const tile at = {(int)blockIdx.x * GOOD_COLUMNS - MARGIN, (int)blockIdx.y * GOOD_ROWS - MARGIN};
    blur_columns(device, at, columns);
    __syncthreads();
    if (thread < COLOUR_ROWS * QUADS)
        blur_along<COMMON_RADIUS>(&row_taps, COMMON_RADIUS,
                                  column_quads + (thread / QUADS * (PITCH / QUAD) + thread % QUADS), PLANE / QUAD,
                                  colour_pairs + thread * QUAD / 2);
    __syncthreads();
    const share mine = share_of(device, at);
    float4 kept[LANE_ROWS];
    unsigned long long sums[CE_MAGNITUDES] = {0, 0, 0, 0};
    if (mine.first < ROWS) take_squares(device, at, mine, colours, kept, sums);
    const unsigned long long of_warp = sum_of_lane(sums, lane);
    if (lane % 8 == 0) warps[thread / WARP_SIZE * CE_MAGNITUDES + lane / 8] = of_warp;
    __syncthreads();
    if (thread < WARP_SIZE) find_bounds(device, set, warps, bounds);
    __syncthreads();
    if (mine.first < ROWS) mark(device, at, mine, kept, bounds, words);
    __syncthreads();
    if (thins) thin(words, half_thinned);
    store(device, at, words, map);
}

/* ---- Host ---- */

static dim3 tiles_of(int width, int height)
{
    return dim3((unsigned)ceil_div(width, GOOD_COLUMNS), (unsigned)ceil_div(height, GOOD_ROWS));
}

extern "C" ab_status AB_GPU(ce_can_at_once)(int width, int height, const ce_taps *taps, bool *can)
{
    int device = 0, processors = 0, cooperative = 0, most_bytes = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    CUDA_TRY(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const dim3 tiles = tiles_of(width, height);
    const int most_tiles = cooperative ? min(processors, (int)MOST_TILES) : 1;
    *can = taps->radius == COMMON_RADIUS && (int)(tiles.x * tiles.y) <= most_tiles && shared_bytes() <= most_bytes;
    return ab_ok();
}

extern "C" ab_status AB_GPU(ce_prepare_at_once)(void)
{
    return device_allow_shared((const void *)find_at_once, (size_t)shared_bytes(), -1);
}

extern "C" ab_status AB_GPU(ce_at_once)(const ce_device *device, const ce_taps *row_taps, int set, bool thins,
                                        unsigned char *map)
{
    const dim3 tiles = tiles_of(device->width, device->height);
    if (tiles.x * tiles.y == 1)
        AB_PLAN("fused: one launch, one block");
    else
        AB_PLAN("fused: one launch, several blocks");
    LAUNCH_TOGETHER(find_at_once, tiles, THREADS, (size_t)shared_bytes())
    (*device, *row_taps, set, thins, map);
    return AB_LAUNCHED("find_at_once");
}
