/* The whole of colour edge detection in two launches, and one more for each further pass of thinning.
 *
 * The pipeline of the thesis launches eight kernels that read and write 105 bytes a pixel; this one launches two, 21
 * bytes a pixel, because only the mean needs the whole image. The first kernel takes a tile from bytes to volume and
 * intensity, all in shared memory, and adds up the gradients without keeping them. The second computes them again, which
 * is cheaper than bringing them back, marks edges as bits, 32 pixels a word, and thins whole words by Boolean logic
 * (pixel.h) where the thesis looks up a table pixel by pixel. The price is the apron: a block computes
 * 58 x 32 colours for 56 x 30 gradients, and a word of 32 pixels is good for 28 after a pass. Same map as
 * colour-edge/gpu.
 *
 * Floor, 4096 x 4096: 21 bytes a pixel, 352 MB, 118 us by 2.97 TB/s; instructions, 288 and 118 a pixel (ncu), 144 and 59
 * us were every issue slot used. Measured on an NVIDIA H100 80GB HBM3, one process, ms: lena 0.013, shapes-4096 0.291.
 * Limits: height up to 131070; 14 bytes of GPU memory a pixel.
 * Source: this project.
 */
#include "kernels/colour_edge/pipeline.h"
#include "kernels/cuda_half.h"
#include "kernels/early_launch.h"

enum { N_THREADS = 256, N_WARPS = N_THREADS / WARP_SIZE };

/* ---- First kernel: image -> colour, sums ---- */

enum {
    TILE_COLUMNS = 56,
    TILE_ROWS = 30, /* of gradients of a block */
    COLUMNS = TILE_COLUMNS + 2,
    COLOUR_ROWS = TILE_ROWS + 2, /* of colours: an apron of 1 */
    QUAD = 4,
    QUADS = (COLUMNS + QUAD - 1) / QUAD, /* columns that a thread blurs along a row; how many such there are */
    STRETCH = 8,
    STRETCHES = COLOUR_ROWS / STRETCH, /* rows that a thread blurs down a column, and walks */
    COMMON_RADIUS = 3,                 /* of sigma 1: compiled for it */
    SUM_SETS = 2                       /* one is added to while the other is cleared for the next run */
};

/* Columns of a row of blurred pixels in shared memory, of which colour i is the MOST-th to come after i; a thread reads whole
 * float4. */
static __host__ __device__ __forceinline__ constexpr int pitch_of(int most)
{
    return (QUADS * QUAD + 2 * most + QUAD - 1) / QUAD * QUAD;
}

static constexpr int shared_bytes(int most)
{
    return COLOUR_ROWS * (3 * pitch_of(most) * (int)sizeof(float) + QUADS * QUAD * (int)sizeof(float2));
}

/* Red and blue of a pixel, or twice its green. */
static __device__ __forceinline__ half2 channels(unsigned pixel, unsigned which)
{
    return __hsub2(half2_of(__byte_perm(pixel, 0x64646464u, which)), __float2half2_rn(1024.0f));
}

/* Blurs down the columns, to columns[3][COLOUR_ROWS][pitch]: a thread keeps the pixels of its stretch in registers. Pixels
 * are added in pairs in half precision, which holds whole numbers to 2048. */
template <int MOST>
static __device__ __forceinline__ void blur_columns(const ce_device &device, int radius, int left, int top,
                                                    shared_array<float> columns)
{
    const int width = COLUMNS + 2 * radius, pitch = pitch_of(MOST), plane = COLOUR_ROWS * pitch;
    const unsigned *const image = (const unsigned *)device.image;
    for (int i = (int)threadIdx.x; i < width * STRETCHES; i += N_THREADS) {
        const int column = i % width, first = i / width * STRETCH;
        const int x = ce_clamp(left - 1 - radius + column, device.width);
        half2 red_blue[STRETCH + 2 * MOST], green[STRETCH + 2 * MOST];
#pragma unroll
        for (int j = 0; j < STRETCH + 2 * MOST; ++j) {
            const unsigned pixel = image[ce_clamp(top - 1 + first - MOST + j, device.height) * device.width + x];
            red_blue[j] = channels(pixel, 0x4240);
            green[j] = channels(pixel, 0x4141);
        }
#pragma unroll
        for (int j = 0; j < STRETCH; ++j) {
            const int at = j + MOST, to = (first + j) * pitch + column + MOST - radius;
            float r = ce_blur_begin(&device.taps, __low2float(red_blue[at]));
            float g = ce_blur_begin(&device.taps, __low2float(green[at]));
            float b = ce_blur_begin(&device.taps, __high2float(red_blue[at]));
#pragma unroll
            for (int k = 1; k <= MOST; ++k) {
                if (k > radius) break;
                const half2 pair = __hadd2(red_blue[at - k], red_blue[at + k]);
                r = ce_blur_add(&device.taps, k, __low2float(pair), r);
                g = ce_blur_add(&device.taps, k, __low2float(__hadd2(green[at - k], green[at + k])), g);
                b = ce_blur_add(&device.taps, k, __high2float(pair), b);
            }
            columns[to] = r;
            columns[plane + to] = g;
            columns[2 * plane + to] = b;
        }
    }
}

/* Four blurred pixels of a channel along a row, `at` being the first that the first of them needs. */
template <int MOST>
static __device__ __forceinline__ void blur_quad(const ce_taps *taps, int radius, shared_array<float4> row,
                                                 float blurred[QUAD])
{
    enum { LOADS = (QUAD + 2 * MOST + QUAD - 1) / QUAD };
    float pixels[LOADS * QUAD];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
        const float4 loaded = row[i];
        pixels[QUAD * i] = loaded.x;
        pixels[QUAD * i + 1] = loaded.y;
        pixels[QUAD * i + 2] = loaded.z;
        pixels[QUAD * i + 3] = loaded.w;
    }
#pragma unroll
    for (int i = 0; i < QUAD; ++i) {
        blurred[i] = ce_blur_begin(taps, pixels[i + MOST]);
#pragma unroll
        for (int k = 1; k <= MOST; ++k) {
            if (k > radius) break;
            blurred[i] = ce_blur_add(taps, k, pixels[i + MOST - k] + pixels[i + MOST + k], blurred[i]);
        }
    }
}

/* Blurs along the rows, from columns to colours[COLOUR_ROWS][QUADS * QUAD]. Colours outside of the image are not used. */
template <int MOST>
static __device__ __forceinline__ void blur_rows(const ce_device &device, int radius, shared_array<float4> columns,
                                                 shared_array<float4> colours)
{
    const int pitch = pitch_of(MOST) / QUAD, plane = COLOUR_ROWS * pitch;
    for (int i = (int)threadIdx.x; i < COLOUR_ROWS * QUADS; i += N_THREADS) {
        const int at = i / QUADS * pitch + i % QUADS;
        float r[QUAD], g[QUAD], b[QUAD];
        blur_quad<MOST>(&device.taps, radius, columns + at, r);
        blur_quad<MOST>(&device.taps, radius, columns + (plane + at), g);
        blur_quad<MOST>(&device.taps, radius, columns + (2 * plane + at), b);
#pragma unroll
        for (int k = 0; k < QUAD; k += 2)
            colours[(i * QUAD + k) / 2] =
                make_float4(ce_volume(r[k], g[k], b[k]), ce_intensity(r[k], g[k], b[k]),
                            ce_volume(r[k + 1], g[k + 1], b[k + 1]), ce_intensity(r[k + 1], g[k + 1], b[k + 1]));
    }
}

/* Three pixels side by side. */
typedef struct triple {
    float2 west, middle, east;
} triple;

/* The squared magnitudes at the middle, by ce_magnitude. */
static __device__ __forceinline__ float4 squares(const triple &above, const triple &at, const triple &below)
{
    const ce_gradients volume = ce_prewitt(above.west.x, above.middle.x, above.east.x, at.west.x, at.east.x,
                                           below.west.x, below.middle.x, below.east.x);
    const ce_gradients intensity = ce_prewitt(above.west.y, above.middle.y, above.east.y, at.west.y, at.east.y,
                                              below.west.y, below.middle.y, below.east.y);
    return make_float4(volume.m1, volume.m2, intensity.m1, intensity.m2);
}

/* Keeps the colours of a thread's stretch of a column and adds up its gradients. */
static __device__ __forceinline__ void sum_stretch(const ce_device &device, int left, int top,
                                                   shared_array<float2> colours, unsigned long long sums[CE_MAGNITUDES])
{
    const int thread = (int)threadIdx.x, x = left + thread % TILE_COLUMNS, first = thread / TILE_COLUMNS * STRETCH;
    if (first >= TILE_ROWS || x >= device.width) return;
    const int west = ce_clamp(x - 1, device.width) - left + 1, east = ce_clamp(x + 1, device.width) - left + 1;
    triple rows[3];
#pragma unroll
    for (int i = 0; i < STRETCH + 2; ++i) {
        const int row = (ce_clamp(top + first + i - 1, device.height) - top + 1) * (QUADS * QUAD);
        if (first + i >= COLOUR_ROWS || top + first + i - 1 > device.height) break;
        rows[i % 3] = {colours[row + west], colours[row + x - left + 1], colours[row + east]};
        if (i < 2) continue;
        const float4 m = squares(rows[(i - 2) % 3], rows[(i - 1) % 3], rows[i % 3]);
        device.colour[(top + first + i - 2) * device.width + x] = rows[(i - 1) % 3].middle;
        sums[CE_M1_VOLUME] += (unsigned)ce_fixed_point(ce_square_root(m.x));
        sums[CE_M2_VOLUME] += (unsigned)ce_fixed_point(ce_square_root(m.y));
        sums[CE_M1_INTENSITY] += (unsigned)ce_fixed_point(ce_square_root(m.z));
        sums[CE_M2_INTENSITY] += (unsigned)ce_fixed_point(ce_square_root(m.w));
    }
}

/* The sum over the warp of magnitude `lane / 8`, from a lane's sums of all four: at each of the first two steps a lane gives
 * away half of what it has. */
static __device__ __forceinline__ unsigned long long sum_of_lane(const unsigned long long mine[CE_MAGNITUDES], int lane)
{
    const bool second_half = lane & 16, second = lane & 8;
    const unsigned long long a =
        (second_half ? mine[2] : mine[0]) + __shfl_xor_sync(FULL_WARP, second_half ? mine[0] : mine[2], 16);
    const unsigned long long b =
        (second_half ? mine[3] : mine[1]) + __shfl_xor_sync(FULL_WARP, second_half ? mine[1] : mine[3], 16);
    unsigned long long sum = (second ? b : a) + __shfl_xor_sync(FULL_WARP, second ? a : b, 8);
    for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_xor_sync(FULL_WARP, sum, offset);
    return sum;
}

/* MOST: the radius, or CE_MAX_RADIUS for one that is known at run time. */
template <int MOST> static __global__ void __launch_bounds__(N_THREADS) find_colours(ce_device device, int set)
{
    const int radius = MOST < CE_MAX_RADIUS ? MOST : device.taps.radius;
    enum { COLUMN_FLOATS = 3 * COLOUR_ROWS * pitch_of(MOST), COLOUR_FLOATS = 2 * COLOUR_ROWS * QUADS * QUAD };
    SHARED_DYNAMIC(float, columns, 0, COLUMN_FLOATS);
    SHARED_DYNAMIC(float4, column_quads, 0, COLUMN_FLOATS / 4); /* the same */
    SHARED_DYNAMIC(float2, colours, COLUMN_FLOATS * (int)sizeof(float), COLOUR_FLOATS / 2);
    SHARED_DYNAMIC(float4, colour_pairs, COLUMN_FLOATS * (int)sizeof(float), COLOUR_FLOATS / 4); /* the same */
    SHARED(unsigned long long, warps, N_WARPS *CE_MAGNITUDES);

    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE;
    const int left = (int)blockIdx.x * TILE_COLUMNS, top = (int)blockIdx.y * TILE_ROWS;
    release_launch();
    blur_columns<MOST>(device, radius, left, top, columns);
    __syncthreads();
    blur_rows<MOST>(device, radius, column_quads, colour_pairs);
    __syncthreads();
    unsigned long long sums[CE_MAGNITUDES] = {0, 0, 0, 0};
    sum_stretch(device, left, top, colours, sums);
    const unsigned long long of_warp = sum_of_lane(sums, lane);
    if (lane % 8 == 0) warps[thread / WARP_SIZE * CE_MAGNITUDES + lane / 8] = of_warp;
    __syncthreads();
    if (thread >= CE_MAGNITUDES) return;
    unsigned long long total = 0;
    for (int i = 0; i < N_WARPS; ++i) total += warps[i * CE_MAGNITUDES + thread];
    if (total > 0) atomicAdd(&device.sums[set * CE_MAGNITUDES + thread], total);
}

/* ---- Second kernel, and one for each further pass: words of 32 pixels, a warp's lane being a column ---- */

enum {
    MARGIN = 2,                    /* pixels that a pass spoils on each side: one for each sub-iteration */
    WORD = WARP_SIZE - 2 * MARGIN, /* pixels of a word that are good */
    ROWS = 60,                     /* rows of a block */
    WORDS = ROWS + 2 * MARGIN      /* words of a block */
};

/* A pass of thinning in place. A row outside the words, and a bit outside of them, counts as 0. */
static __device__ __forceinline__ void thin(shared_array<unsigned> words)
{
    const int row = (int)threadIdx.x;
    for (int sub_iteration = 0; sub_iteration < 2; ++sub_iteration) {
        unsigned thinned = 0;
        if (row < WORDS) {
            const ce_words above = {0, row > 0 ? words[row - 1] : 0, 0}, at = {0, words[row], 0};
            const ce_words below = {0, row < WORDS - 1 ? words[row + 1] : 0, 0};
            thinned = ce_thin(above, at, below, sub_iteration);
        }
        __syncthreads();
        if (row < WORDS) words[row] = thinned;
        __syncthreads();
    }
}

/* Writes the good pixels of the block, four a thread. */
static __device__ __forceinline__ void store(const ce_device &device, shared_array<unsigned> words, unsigned char *map)
{
    enum { PER_ROW = WORD / 4 };
    for (int i = (int)threadIdx.x; i < ROWS * PER_ROW; i += N_THREADS) {
        const int row = i / PER_ROW, first = i % PER_ROW * 4;
        const int x = (int)blockIdx.x * WORD + first, y = (int)blockIdx.y * ROWS + row;
        if (x >= device.width || y >= device.height) continue;
        const unsigned bits = words[row + MARGIN] >> (first + MARGIN);
        unsigned char *const to = map + ce_at(device, x, y);
        if (device.width % 4 == 0)
            *(unsigned *)to = (bits & 15u) * 0x00204081u & 0x01010101u; /* bit i to byte i */
        else
            for (int k = 0; k < min(4, device.width - x); ++k) to[k] = bits >> k & 1;
    }
}

/* A lane walks down its column. */
static __global__ void __launch_bounds__(N_THREADS)
    find_edges(ce_device device, int set, bool thins, unsigned char *map)
{
    enum { WALK = WORDS / N_WARPS };
    SHARED(unsigned, words, WORDS);
    SHARED(float, bounds, CE_MAGNITUDES); /* of the squares */
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE, first = thread / WARP_SIZE * WALK;
    const int x = (int)blockIdx.x * WORD - MARGIN + lane, top = (int)blockIdx.y * ROWS - MARGIN + first;
    const int west = ce_clamp(x - 1, device.width), middle = ce_clamp(x, device.width),
              east = ce_clamp(x + 1, device.width);
    release_launch();
    await_launch();
    triple rows[WALK + 2]; /* on their way while the bounds are found */
#pragma unroll
    for (int i = 0; i < WALK + 2; ++i) {
        const float2 *const row = device.colour + ce_clamp(top + i - 1, device.height) * device.width;
        rows[i] = {row[west], row[middle], row[east]};
    }
    if (thread < CE_MAGNITUDES) {
        const float threshold = ce_device_threshold(device, thread, device.sums[set * CE_MAGNITUDES + thread]);
        bounds[thread] = ce_square_bound(threshold);
        if (blockIdx.x == 0 && blockIdx.y == 0) {
            device.thresholds[thread] = threshold;
            device.sums[(1 - set) * CE_MAGNITUDES + thread] = 0;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 2; i < WALK + 2; ++i) {
        const float4 m = squares(rows[i - 2], rows[i - 1], rows[i]);
        const int y = top + i - 2;
        const bool inside = x >= 0 && x < device.width && y >= 0 && y < device.height;
        const bool above = m.x > bounds[CE_M1_VOLUME] || m.y > bounds[CE_M2_VOLUME] || m.z > bounds[CE_M1_INTENSITY] ||
                           m.w > bounds[CE_M2_INTENSITY];
        const unsigned word = __ballot_sync(FULL_WARP, inside && above);
        if (lane == 0) words[first + i - 2] = word;
    }
    __syncthreads();
    if (thins) thin(words);
    store(device, words, map);
}

static __global__ void __launch_bounds__(N_THREADS)
    thin_again(ce_device device, const unsigned char *from, unsigned char *to)
{
    SHARED(unsigned, words, WORDS);
    const int lane = (int)threadIdx.x % WARP_SIZE, x = (int)blockIdx.x * WORD + lane - MARGIN;
    release_launch();
    await_launch();
    for (int row = (int)threadIdx.x / WARP_SIZE; row < WORDS; row += N_WARPS) {
        const int y = (int)blockIdx.y * ROWS + row - MARGIN;
        const bool inside = x >= 0 && x < device.width && y >= 0 && y < device.height;
        const unsigned word = __ballot_sync(FULL_WARP, inside && from[ce_at(device, x, y)]);
        if (lane == 0) words[row] = word;
    }
    __syncthreads();
    thin(words);
    store(device, words, to);
}

/* ---- The rung ---- */

static ab_status find_colours_of(const ce_device *device, int set)
{
    const dim3 grid((unsigned)ceil_div(device->width, TILE_COLUMNS), (unsigned)ceil_div(device->height, TILE_ROWS));
    if (device->taps.radius == COMMON_RADIUS)
        LAUNCH(find_colours<COMMON_RADIUS>, grid, N_THREADS, (size_t)shared_bytes(COMMON_RADIUS))(*device, set);
    else
        LAUNCH(find_colours<CE_MAX_RADIUS>, grid, N_THREADS, (size_t)shared_bytes(CE_MAX_RADIUS))(*device, set);
    return AB_LAUNCHED("find_colours");
}

/* The pass that ends in device->map is the last; the one before ends in half_thinned, and so on. */
static ab_status detect(const ce_device *device, int thinning_passes, unsigned run)
{
    const int set = (int)(run % SUM_SETS);
    AB_TRY(find_colours_of(device, set));
    const dim3 grid((unsigned)ceil_div(device->width, WORD), (unsigned)ceil_div(device->height, ROWS));
    unsigned char *to = thinning_passes > 1 && thinning_passes % 2 == 0 ? device->half_thinned : device->map;
    LAUNCH_EARLY(find_edges, grid, N_THREADS, 0)(*device, set, thinning_passes > 0, to);
    AB_TRY(AB_LAUNCHED("find_edges"));
    for (int pass = 1; pass < thinning_passes; ++pass) {
        unsigned char *const from = to;
        to = from == device->map ? device->half_thinned : device->map;
        LAUNCH_EARLY(thin_again, grid, N_THREADS, 0)(*device, from, to);
        AB_TRY(AB_LAUNCHED("thin_again"));
    }
    return ab_ok();
}

static ab_status check(const ed_image *, const ed_params *)
{
    return device_allow_shared((const void *)find_colours<CE_MAX_RADIUS>, (size_t)shared_bytes(CE_MAX_RADIUS), -1);
}

AB_RUNG(colour_edge_rung, colour_edge_fused) = {.detect = detect, .check = check};
