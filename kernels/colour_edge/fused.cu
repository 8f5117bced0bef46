/* The whole of colour edge detection in two launches, and one more for each further pass of thinning.
 *
 * The pipeline of the thesis launches eight kernels that read and write 105 bytes per pixel. This one launches two, 29
 * bytes per pixel, because only the mean needs the whole image. In the first kernel a block walks down a strip of the
 * image. It computes volume, intensity and gradients from bytes, all in shared memory, and adds up the magnitudes. It
 * keeps 16 bits of each of the four. The second kernel compares them with the bounds' 16 bits, and computes gradients
 * again where they are equal. It marks edges as bits, and thins words of 32 pixels by Boolean logic (pixel.h). The
 * price is the apron: for 120 gradients a block computes 128 blurred columns and 122 colours, and two rows of colours
 * per strip are lost. After a pass 28 pixels of a word are valid.
 *
 * Floor, 4096 x 4096 on an H200: 29 bytes per pixel, 116 us by the 4.2 TB/s of a copy; find_colours 110 us by issue.
 * Limits: height up to 131070; 22 bytes of GPU memory per pixel; odd widths go everywhere as at a border. Same map as
 * colour-edge/gpu. Measured: docs/log/images.md.
 * Source: this project.
 */
#include "kernels/colour_edge/pipeline.h"
#include "kernels/cuda/cuda_half.h"
#include "kernels/cuda/early_launch.h"

enum { N_THREADS = 256, N_WARPS = N_THREADS / WARP_SIZE };

/* ---- First kernel: image -> colour, codes, sums ---- */

/* A block walks down a strip of the image, STEP_ROWS rows of colours at a step; of the step before it keeps two. */
enum {
    COLOUR_THREADS = 384,
    COLOUR_WARPS = COLOUR_THREADS / WARP_SIZE,
    TILE_COLUMNS = 120, /* columns of gradients per block */
    STEP_ROWS = 24,
    COLOUR_ROWS = STEP_ROWS + 2,
    QUAD = 4,
    QUADS = (TILE_COLUMNS + 2 + QUAD - 1) / QUAD, /* columns that a thread blurs along a row; how many such there are */
    STRETCH = 8,
    STRETCHES = STEP_ROWS / STRETCH, /* rows that a thread blurs down a column */
    PAIRS = TILE_COLUMNS / 2,
    PAIR_ROWS = 4,                   /* two columns of four rows: of whose gradients a thread takes the sums */
    COLOUR_PAIRS = QUADS * QUAD / 2, /* pairs of colours per row */
    COMMON_RADIUS = 3,               /* radius for sigma 1, for which a kernel is compiled */
    MOST_STEPS = 4,
    SUM_SETS = 2 /* one is added to while the other is cleared for the next run */
};
/* Blocks that a multiprocessor is to hold where the radius is known; one of compute capability 7.5 has 1024 threads. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
enum { RESIDENT = 2 };
#else
enum { RESIDENT = 3 };
#endif
#ifdef __CUDACC__
enum { BLOCKS_ENOUGH = 3000 }; /* for a strip to have a step more */
#else
enum { BLOCKS_ENOUGH = 3 }; /* so that small images test it */
#endif
static const float PIXEL_UNIT = 0x1p-24f; /* what a pixel's 1 is in blurred columns */
static const float COLOUR_UNIT =
    CE_STEP; /* what 1 is in colours and gradients: a root's whole number is then added up */

/* Columns of a row of blurred pixels in shared memory, of which colour i is the MOST-th to come after i; a thread reads
 * whole float4. */
static __host__ __device__ __forceinline__ constexpr int pitch_of(int most)
{
    return (QUADS * QUAD + 2 * most + QUAD - 1) / QUAD * QUAD;
}

static constexpr int shared_bytes(int most)
{
    return 3 * STEP_ROWS * pitch_of(most) * (int)sizeof(float) + COLOUR_ROWS * QUADS * QUAD * (int)sizeof(float2);
}

/* The place of a block at a step. */
typedef struct strip {
    int left, top; /* the first gradients of the strip */
    int y;         /* row of the step's first new colours, which come to row 2; the gradients begin a row above them */
    bool inside;   /* all pixels that are asked for are in the image, and pairs of them may be stored as one */
} strip;

/* Channel 0, 1, 2 of a pixel, in PIXEL_UNIT: as a half-precision number the byte is that. */
static __device__ __forceinline__ float channel(unsigned pixel, int which)
{
    if (which == 1) return __low2float(half2_of(__byte_perm(pixel, 0, 0x4441)));
    const half2 red_blue = half2_of(pixel & 0x00ff00ffu);
    return which == 0 ? __low2float(red_blue) : __high2float(red_blue);
}

/* Blurs down the columns, to columns[3][STEP_ROWS][pitch]: a thread keeps the pixels of its stretch in registers. */
template <int MOST, bool INSIDE>
static __device__ __forceinline__ void blur_columns(const ce_device &device, int radius, const strip &at,
                                                    shared_array<float> columns)
{
    const int width = TILE_COLUMNS + 2 + 2 * radius, pitch = pitch_of(MOST), plane = STEP_ROWS * pitch;
    const unsigned *const image = (const unsigned *)device.image;
    for (int i = (int)threadIdx.x; i < width * STRETCHES; i += COLOUR_THREADS) {
        const int column = i % width, first = i / width * STRETCH, y = at.y + first - MOST;
        const int x = INSIDE ? at.left - 1 - radius + column : ce_clamp(at.left - 1 - radius + column, device.width);
        unsigned pixels[STRETCH + 2 * MOST];
#pragma unroll
        for (int j = 0; j < STRETCH + 2 * MOST; ++j)
            pixels[j] = image[(INSIDE ? y + j : ce_clamp(y + j, device.height)) * device.width + x];
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            float values[STRETCH + 2 * MOST];
#pragma unroll
            for (int j = 0; j < STRETCH + 2 * MOST; ++j) values[j] = channel(pixels[j], c);
#pragma unroll
            for (int j = 0; j < STRETCH; ++j) {
                float sum = ce_blur_begin(&device.taps, values[j + MOST]);
#pragma unroll
                for (int k = 1; k <= MOST; ++k) {
                    if (k > radius) break;
                    sum = ce_blur_add(&device.taps, k, values[j + MOST - k] + values[j + MOST + k], sum);
                }
                columns[c * plane + (first + j) * pitch + column + MOST - radius] = sum;
            }
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

/* Blurs along the rows by `taps`, from columns to the new rows of colours[COLOUR_ROWS][QUADS * QUAD]. Colours outside of
 * the image are not used. */
template <int MOST>
static __device__ __forceinline__ void blur_rows(const ce_taps *taps, int radius, shared_array<float4> columns,
                                                 shared_array<float4> colours)
{
    const int pitch = pitch_of(MOST) / QUAD, plane = STEP_ROWS * pitch;
    for (int i = (int)threadIdx.x; i < STEP_ROWS * QUADS; i += COLOUR_THREADS) {
        const int at = i / QUADS * pitch + i % QUADS, to = 2 * COLOUR_PAIRS + i * QUAD / 2;
        float r[QUAD], g[QUAD], b[QUAD];
        blur_quad<MOST>(taps, radius, columns + at, r);
        blur_quad<MOST>(taps, radius, columns + (plane + at), g);
        blur_quad<MOST>(taps, radius, columns + (2 * plane + at), b);
#pragma unroll
        for (int k = 0; k < QUAD; k += 2)
            colours[to + k / 2] =
                make_float4(ce_volume(r[k], g[k], b[k]), ce_intensity(r[k], g[k], b[k]),
                            ce_volume(r[k + 1], g[k + 1], b[k + 1]), ce_intensity(r[k + 1], g[k + 1], b[k + 1]));
    }
}

/* Pixels side by side. */
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

/* What is kept of squared magnitudes for the second kernel: the upper 16 bits of each. */
static __device__ __forceinline__ uint2 code_of(float4 m)
{
    return {__byte_perm((unsigned)__float_as_int(m.x), (unsigned)__float_as_int(m.y), 0x7632),
            __byte_perm((unsigned)__float_as_int(m.z), (unsigned)__float_as_int(m.w), 0x7632)};
}

static __device__ __forceinline__ unsigned long long fixed_root(float square)
{
    return (unsigned)ce_whole_root(square);
}

static __device__ __forceinline__ void add_to(unsigned long long sums[CE_MAGNITUDES], float4 m, float4 n)
{
    sums[CE_M1_VOLUME] += fixed_root(m.x) + fixed_root(n.x);
    sums[CE_M2_VOLUME] += fixed_root(m.y) + fixed_root(n.y);
    sums[CE_M1_INTENSITY] += fixed_root(m.z) + fixed_root(n.z);
    sums[CE_M2_INTENSITY] += fixed_root(m.w) + fixed_root(n.w);
}

/* Keeps colours and codes of a thread's pixels and adds up their magnitudes. */
template <bool INSIDE>
static __device__ __forceinline__ void sum_pairs(const ce_device &device, const strip &at, shared_array<float4> colours,
                                                 unsigned long long sums[CE_MAGNITUDES])
{
    const int pair = (int)threadIdx.x % PAIRS, first = (int)threadIdx.x / PAIRS * PAIR_ROWS, x = at.left + 2 * pair;
    if (first >= STEP_ROWS || x >= device.width) return;
    const int before = (at.y + first - 1) * device.width + x; /* the first pixel, whose row may be of the strip above */
    float2 *colour = device.colour + before;
    uint2 *codes = (uint2 *)device.scratch + before;
    triple rows[3], eastern[3]; /* values at x, and at x + 1 */
#pragma unroll
    for (int i = 0; i < PAIR_ROWS + 2; ++i) {
        const int y = at.y + first + i - 2; /* number of the row that is loaded */
        const int row = INSIDE ? first + i : ce_clamp(y, device.height) - at.y + 2;
        if (!INSIDE && y > device.height) break;
        const float4 low = colours[row * COLOUR_PAIRS + pair], high = colours[row * COLOUR_PAIRS + pair + 1];
        float2 west = make_float2(low.x, low.y), east = make_float2(high.x, high.y), last = make_float2(high.z, high.w);
        const float2 middle = make_float2(low.z, low.w);
        if (!INSIDE && x == 0) west = middle;
        if (!INSIDE && x + 1 >= device.width) east = middle;
        if (!INSIDE && x + 2 >= device.width) last = east;
        rows[i % 3] = {west, middle, east};
        eastern[i % 3] = {middle, east, last};
        if (i < 2) continue;
        if (i > 2) {
            colour += device.width;
            codes += device.width;
        }
        if (i < 4 && y <= at.top) continue;
        const float4 m = squares(rows[(i - 2) % 3], rows[(i - 1) % 3], rows[i % 3]);
        float4 n = squares(eastern[(i - 2) % 3], eastern[(i - 1) % 3], eastern[i % 3]);
        const float2 here = rows[(i - 1) % 3].middle, there = rows[(i - 1) % 3].east;
        const uint2 code = code_of(m), other = code_of(n);
        if (INSIDE) {
            *(float4 *)colour = make_float4(here.x, here.y, there.x, there.y);
            *(uint4 *)codes = make_uint4(code.x, code.y, other.x, other.y);
        } else {
            *colour = here;
            *codes = code;
            if (x + 1 < device.width) {
                colour[1] = there;
                codes[1] = other;
            } else {
                n = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            }
        }
        add_to(sums, m, n);
    }
}

/* The sum over the warp of magnitude `lane / 8`, from each lane's sums of all four. In each of the first two steps
 * every lane gives away half of its sums. */
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

/* MOST: the radius, or CE_MAX_RADIUS for one that is known at run time. row_taps turn PIXEL_UNIT into COLOUR_UNIT. */
template <int MOST>
static __global__ void __launch_bounds__(COLOUR_THREADS, MOST < CE_MAX_RADIUS ? RESIDENT : 1)
    find_colours(ce_device device, ce_taps row_taps, int set, int steps)
{
    const int radius = MOST < CE_MAX_RADIUS ? MOST : device.taps.radius;
    enum { COLUMN_FLOATS = 3 * STEP_ROWS * pitch_of(MOST), COLOURS = COLOUR_ROWS * QUADS * QUAD };
    SHARED_DYNAMIC(float, columns, 0, COLUMN_FLOATS);
    SHARED_DYNAMIC(float4, column_quads, 0, COLUMN_FLOATS / 4); /* the same */
    SHARED_DYNAMIC(float4, colours, COLUMN_FLOATS * (int)sizeof(float), COLOURS / 2);
    SHARED(unsigned long long, warps, COLOUR_WARPS *CE_MAGNITUDES);

    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE;
    strip at = {(int)blockIdx.x * TILE_COLUMNS, (int)blockIdx.y * (steps * STEP_ROWS - 2), 0, false};
    unsigned long long sums[CE_MAGNITUDES] = {0, 0, 0, 0};
    release_launch();
    at.y = at.top - 1;
    for (int step = 0; step < steps && at.y <= device.height; ++step, at.y += STEP_ROWS) {
        at.inside = device.width % 2 == 0 && at.left > radius && at.left + TILE_COLUMNS + radius < device.width &&
                    at.y >= MOST && at.y + STEP_ROWS + MOST <= device.height;
        if (step > 0) {
            __syncthreads();
            if (thread < 2 * COLOUR_PAIRS) colours[thread] = colours[STEP_ROWS * COLOUR_PAIRS + thread];
        }
        if (at.inside)
            blur_columns<MOST, true>(device, radius, at, columns);
        else
            blur_columns<MOST, false>(device, radius, at, columns);
        __syncthreads();
        blur_rows<MOST>(&row_taps, radius, column_quads, colours);
        __syncthreads();
        if (at.inside)
            sum_pairs<true>(device, at, colours, sums);
        else
            sum_pairs<false>(device, at, colours, sums);
    }
    const unsigned long long of_warp = sum_of_lane(sums, lane);
    if (lane % 8 == 0) warps[thread / WARP_SIZE * CE_MAGNITUDES + lane / 8] = of_warp;
    __syncthreads();
    if (thread >= CE_MAGNITUDES) return;
    unsigned long long total = 0;
    for (int i = 0; i < COLOUR_WARPS; ++i) total += warps[i * CE_MAGNITUDES + thread];
    if (total > 0) atomicAdd(&device.sums[set * CE_MAGNITUDES + thread], total);
}

/* ---- Second kernel, and one for each further pass: words of 32 pixels, a warp's lane being a column ---- */

enum {
    MARGIN = 2,                    /* pixels that a pass spoils on each side: one for each sub-iteration */
    WORD = WARP_SIZE - 2 * MARGIN, /* pixels of a word that are good */
    ROWS = 60,                     /* rows of a block */
    WORDS = ROWS + 2 * MARGIN      /* words of a block */
};

static __device__ __forceinline__ int row_of_block()
{
    return (int)(gridDim.y - 1 - blockIdx.y);
}

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
        const int x = (int)blockIdx.x * WORD + first, y = row_of_block() * ROWS + row;
        if (x >= device.width || y >= device.height) continue;
        const unsigned bits = words[row + MARGIN] >> (first + MARGIN);
        unsigned char *const to = map + ce_at(device, x, y);
        if (device.width % 4 == 0)
            *(unsigned *)to = (bits & 15u) * 0x00204081u & 0x01010101u; /* bit i to byte i */
        else
            for (int k = 0; k < min(4, device.width - x); ++k) to[k] = bits >> k & 1;
    }
}

/* Run by a warp: computes bounds[CE_MAGNITUDES] and limits[4] from sums[set]. The limits are codes of volume and
 * intensity above which a pixel is on an edge, and codes above which it may be, with bit 15 of each half set. A
 * bound of 0 leaves no doubt: a magnitude other than 0 is at least 1e-30 (pixel.h) and its code is not 0. */
static __device__ __forceinline__ void find_bounds(const ce_device &device, int set, shared_array<float> bounds,
                                                   shared_array<unsigned> limits)
{
    const int lane = (int)threadIdx.x, magnitude = lane % CE_MAGNITUDES;
    const float threshold = ce_device_threshold(device, magnitude, device.sums[set * CE_MAGNITUDES + magnitude]);
    const float bound = ce_square_bound(threshold) / COLOUR_UNIT / COLOUR_UNIT;
    const unsigned above = 0x8000u | (unsigned)__float_as_int(bound) >> 16, least = bound > 0.0f ? above - 1 : above;
    const unsigned other_above = __shfl_down_sync(FULL_WARP, above, 1),
                   other_least = __shfl_down_sync(FULL_WARP, least, 1);
    if (lane >= CE_MAGNITUDES) return;
    bounds[lane] = bound;
    if (lane % 2 == 0) {
        limits[lane / 2] = above | other_above << 16;
        limits[2 + lane / 2] = least | other_least << 16;
    }
    if (blockIdx.x == 0 && blockIdx.y == 0) {
        device.thresholds[lane] = threshold;
        device.sums[(1 - set) * CE_MAGNITUDES + lane] = 0;
    }
}

/* True if any of the four codes is above its code in the limit. Bit 15 of the limit is set, so that no difference
 * borrows from the next. */
static __device__ __forceinline__ bool any_above(unsigned first, unsigned second, uint2 code)
{
    return (~((first - code.x) & (second - code.y)) & 0x80008000u) != 0;
}

/* Whether a pixel is on an edge, by the colours around it. */
static __device__ __forceinline__ bool is_edge(const ce_device &device, int x, int y, shared_array<float> bounds)
{
    const int west = ce_clamp(x - 1, device.width), east = ce_clamp(x + 1, device.width);
    triple rows[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        const float2 *const row = device.colour + ce_clamp(y + i - 1, device.height) * device.width;
        rows[i] = {row[west], row[x], row[east]};
    }
    const float4 m = squares(rows[0], rows[1], rows[2]);
    return m.x > bounds[CE_M1_VOLUME] || m.y > bounds[CE_M2_VOLUME] || m.z > bounds[CE_M1_INTENSITY] ||
           m.w > bounds[CE_M2_INTENSITY];
}

/* A lane walks down its column. Blocks go up, as what the first kernel has written last is in the cache. */
static __global__ void __launch_bounds__(N_THREADS)
    find_edges(ce_device device, int set, bool thins, unsigned char *map)
{
    enum { WALK = WORDS / N_WARPS };
    SHARED(unsigned, words, WORDS);
    SHARED(float, bounds, CE_MAGNITUDES); /* bounds of the squares */
    SHARED(unsigned, limits, 4);
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE, first = thread / WARP_SIZE * WALK;
    const int x = (int)blockIdx.x * WORD - MARGIN + lane, top = row_of_block() * ROWS - MARGIN + first;
    const uint2 *const codes = (const uint2 *)device.scratch;
    release_launch();
    await_launch();
    uint2 code[WALK]; /* on their way while the bounds are found */
#pragma unroll
    for (int i = 0; i < WALK; ++i) {
        const bool inside = x >= 0 && x < device.width && top + i >= 0 && top + i < device.height;
        code[i] = inside ? codes[(top + i) * device.width + x] : uint2{0, 0};
    }
    if (thread < WARP_SIZE) find_bounds(device, set, bounds, limits);
    __syncthreads();
    const unsigned above_volume = limits[0], above_intensity = limits[1], least_volume = limits[2],
                   least_intensity = limits[3];
    unsigned doubts = 0; /* a bit a row */
#pragma unroll
    for (int i = 0; i < WALK; ++i) {
        const bool above = any_above(above_volume, above_intensity, code[i]);
        const unsigned word = __ballot_sync(FULL_WARP, above);
        if (!above && any_above(least_volume, least_intensity, code[i])) doubts |= 1u << i;
        if (lane == 0) words[first + i] = word;
    }
    __syncwarp(FULL_WARP);
    for (; doubts; doubts &= doubts - 1) {
        const int i = __ffs((int)doubts) - 1, y = top + i;
        const bool inside = x >= 0 && x < device.width && y >= 0 && y < device.height;
        if (inside && is_edge(device, x, y, bounds)) atomicOr(&words[first + i], 1u << lane);
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
        const int y = row_of_block() * ROWS + row - MARGIN;
        const bool inside = x >= 0 && x < device.width && y >= 0 && y < device.height;
        const unsigned word = __ballot_sync(FULL_WARP, inside && from[ce_at(device, x, y)]);
        if (lane == 0) words[row] = word;
    }
    __syncthreads();
    thin(words);
    store(device, words, to);
}

/* ---- The rung ---- */

/* Steps of a strip: more where that leaves blocks enough, as a strip's first two rows are blurred for nothing. */
static int steps_of(const ce_device *device)
{
    const int blocks = ceil_div(device->width, TILE_COLUMNS) * ceil_div(device->height, STEP_ROWS - 2);
    return min(max(blocks / BLOCKS_ENOUGH, 1), (int)MOST_STEPS);
}

static ab_status find_colours_of(const ce_device *device, int set)
{
    const int steps = steps_of(device);
    if (steps == 1) AB_PLAN("fused: a step a strip");
    if (steps > 1 && steps < MOST_STEPS) AB_PLAN("fused: several steps a strip");
    if (steps == MOST_STEPS) AB_PLAN("fused: the most steps a strip");
    const dim3 grid((unsigned)ceil_div(device->width, TILE_COLUMNS),
                    (unsigned)ceil_div(device->height, steps * STEP_ROWS - 2));
    ce_taps row_taps = device->taps;
    for (int i = 0; i <= row_taps.radius; ++i) row_taps.weight[i] /= PIXEL_UNIT * COLOUR_UNIT;
    if (device->taps.radius == COMMON_RADIUS)
        LAUNCH(find_colours<COMMON_RADIUS>, grid, COLOUR_THREADS, (size_t)shared_bytes(COMMON_RADIUS))
    (*device, row_taps, set, steps);
    else LAUNCH(find_colours<CE_MAX_RADIUS>, grid, COLOUR_THREADS,
                (size_t)shared_bytes(CE_MAX_RADIUS))(*device, row_taps, set, steps);
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

static ab_status check(const ed_image *, const ed_params *params)
{
    if (ce_gaussian(params->sigma).radius == COMMON_RADIUS)
        return device_allow_shared((const void *)find_colours<COMMON_RADIUS>, (size_t)shared_bytes(COMMON_RADIUS), -1);
    return device_allow_shared((const void *)find_colours<CE_MAX_RADIUS>, (size_t)shared_bytes(CE_MAX_RADIUS), -1);
}

static size_t scratch_bytes(const ed_image *image, const ed_params *)
{
    return (size_t)image->width * (size_t)image->height * sizeof(uint2);
}

AB_RUNG(colour_edge_rung, colour_edge_fused) = {
    .detect = detect, .check = check, .colour_unit = COLOUR_UNIT, .scratch_bytes = scratch_bytes};
