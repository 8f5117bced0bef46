/* The whole of colour edge detection in one launch or two, and one more for each further pass of thinning.
 *
 * The pipeline of the thesis launches eight kernels that read and write 105 bytes per pixel. Here small images take the
 * one launch of at_once.cu. Others take two that move 21 bytes per pixel, because only the mean needs the whole image.
 * In the first kernel a block walks down a strip of the image, tile by tile. It computes volume, intensity and
 * gradients from bytes, all in shared memory. It adds up the magnitudes and keeps 16 bits of each of the four. Of a
 * flat tile, which reads one colour only, it keeps nothing, so 5 bytes per pixel move. The second kernel compares with
 * the bounds' 16 bits. Where they are equal, a warp computes a pixel again from the image. It marks edges as bits, and
 * thins words of 32 pixels by Boolean logic (pixel.h). The price is the apron: for 56 x 24 gradients a block blurs 64
 * columns.
 *
 * Limits: height up to 131070; 14 bytes of GPU memory per pixel; odd widths go everywhere as at a border. Same map as
 * colour-edge/gpu. Measured: docs/log/images.md. Source: this project.
 */
#include "kernels/colour_edge/fused.h"
#include "kernels/cuda/early_launch.h"

enum { N_THREADS = 256, N_WARPS = N_THREADS / WARP_SIZE };

/* ---- First kernel: image -> colour, codes, sums ---- */

/* A block walks down a strip of the image, STEP_ROWS rows of colours at a step; of the step before it keeps two. */
enum {
    COLOUR_THREADS = 192,
    COLOUR_WARPS = COLOUR_THREADS / WARP_SIZE,
    TILE_COLUMNS = 56, /* columns of gradients per block */
    STEP_ROWS = 24,
    COLOUR_ROWS = STEP_ROWS + 2,
    QUADS = (TILE_COLUMNS + 2 + QUAD - 1) / QUAD,
    STRETCH = 8,
    STRETCHES = STEP_ROWS / STRETCH, /* rows that a thread blurs down a column */
    PAIRS = TILE_COLUMNS / 2,
    PAIR_ROWS = 4,                   /* two columns of four rows: of whose gradients a thread takes the sums */
    COLOUR_PAIRS = QUADS * QUAD / 2, /* pairs of colours per row */
    MOST_STEPS = 4,
    COLOURS_OF_PIXEL = 0x00ffffff,
    SUM_SETS = 2 /* one is added to while the other is cleared for the next run */
};
/* Blocks that a multiprocessor is to hold where the radius is known; one of compute capability 7.5 has 1024 threads. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
enum { RESIDENT = 5, RESIDENT_EDGES = 4, RESIDENT_SHORT_EDGES = 4 };
#else
enum { RESIDENT = 6, RESIDENT_EDGES = 4, RESIDENT_SHORT_EDGES = 5 };
#endif
/* Blocks enough for a strip to have a step more, and, of the second kernel, for long walks. */
#ifdef __CUDACC__
enum { BLOCKS_ENOUGH = 3000, EDGE_BLOCKS_ENOUGH = 1000 };
#else
enum { BLOCKS_ENOUGH = 3, EDGE_BLOCKS_ENOUGH = 3 }; /* so that small images test all */
#endif
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

/* Columns of pixels that a step reads. */
static __host__ __device__ __forceinline__ constexpr int width_of(int radius)
{
    return TILE_COLUMNS + 2 + 2 * radius;
}

/* The pixels that stretch i of a step needs: STRETCH of a column, and MOST on both sides. */
template <int MOST>
static __device__ __forceinline__ void load_stretch(const ce_device &device, int radius, const strip &at, int i,
                                                    unsigned pixels[STRETCH + 2 * MOST])
{
    const int x = at.left - 1 - radius + i % width_of(radius), y = at.y + i / width_of(radius) * STRETCH - MOST;
    const unsigned *const image = (const unsigned *)device.image;
    if (at.inside) {
#pragma unroll
        for (int j = 0; j < STRETCH + 2 * MOST; ++j) pixels[j] = image[(y + j) * device.width + x];
    } else {
#pragma unroll
        for (int j = 0; j < STRETCH + 2 * MOST; ++j) pixels[j] = pixel_near(device, x, y + j);
    }
}

/* Blurs it down its column, to columns[3][STEP_ROWS][pitch]. */
template <int MOST>
static __device__ __forceinline__ void blur_stretch(const ce_device &device, int radius, int i,
                                                    const unsigned pixels[STRETCH + 2 * MOST],
                                                    shared_array<float> columns)
{
    const int pitch = pitch_of(MOST);
    const int to = i / width_of(radius) * STRETCH * pitch + i % width_of(radius) + MOST - radius;
    blur_down<STRETCH, MOST>(&device.taps, radius, pixels, columns + to, STEP_ROWS * pitch, pitch);
}

/* Blurs along the rows by `taps`, from columns to the new rows of colours[COLOUR_ROWS][QUADS * QUAD]. Colours outside of
 * the image are not used. */
template <int MOST>
static __device__ __forceinline__ void blur_rows(const ce_taps *taps, int radius, shared_array<float4> columns,
                                                 shared_array<float4> colours)
{
    const int pitch = pitch_of(MOST) / QUAD, plane = STEP_ROWS * pitch;
    for (int i = (int)threadIdx.x; i < STEP_ROWS * QUADS; i += COLOUR_THREADS)
        blur_along<MOST>(taps, radius, columns + (i / QUADS * pitch + i % QUADS), plane,
                         colours + (2 * COLOUR_PAIRS + i * QUAD / 2));
}

/* A magnitude, in COLOUR_UNIT; not a number for 0. */
static __device__ __forceinline__ float magnitude_of(float square)
{
#ifdef __CUDA_ARCH__
    return ce_positive_root(square);
#else
    return square > 0.0f ? ce_square_root(square) : NAN;
#endif
}

static __device__ __forceinline__ float4 magnitudes_of(float4 m)
{
    return make_float4(magnitude_of(m.x), magnitude_of(m.y), magnitude_of(m.z), magnitude_of(m.w));
}

/* What is kept of two magnitudes for the second kernel, from 0 to 1. As numbers of half precision they do not fall
 * where a magnitude rises. They are 0 where that is not a number, and there alone. */
static __device__ __forceinline__ half2 kept_of(float m, float n)
{
    return __floats2half2_rn(__saturatef(fmaf(m, 0x1p-31f, 0x1p-24f)), __saturatef(fmaf(n, 0x1p-31f, 0x1p-24f)));
}

/* Both magnitudes of the volume, and of the intensity. */
static __device__ __forceinline__ uint2 code_of(float4 m)
{
    return {half2_bits(kept_of(m.x, m.y)), half2_bits(kept_of(m.z, m.w))};
}

/* In fixed point; 0 for what is not a number. */
static __device__ __forceinline__ unsigned long long fixed(float magnitude)
{
    return (unsigned)__float2int_rz(magnitude);
}

static __device__ __forceinline__ void add_to(unsigned long long sums[CE_MAGNITUDES], float4 m, float4 n)
{
    sums[CE_M1_VOLUME] += fixed(m.x) + fixed(n.x);
    sums[CE_M2_VOLUME] += fixed(m.y) + fixed(n.y);
    sums[CE_M1_INTENSITY] += fixed(m.z) + fixed(n.z);
    sums[CE_M2_INTENSITY] += fixed(m.w) + fixed(n.w);
}

/* Keeps the codes of a thread's pixels and adds up their magnitudes. */
template <bool INSIDE>
static __device__ __forceinline__ void sum_pairs(const ce_device &device, const strip &at, shared_array<float4> colours,
                                                 unsigned long long sums[CE_MAGNITUDES])
{
    const int pair = (int)threadIdx.x % PAIRS, first = (int)threadIdx.x / PAIRS * PAIR_ROWS, x = at.left + 2 * pair;
    if (first >= STEP_ROWS || x >= device.width) return;
    const int before = (at.y + first - 1) * device.width + x; /* the first pixel, whose row may be of the strip above */
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
        if (i > 2) codes += device.width;
        if (i < 4 && y <= at.top) continue;
        const float4 m = magnitudes_of(squares(rows[(i - 2) % 3], rows[(i - 1) % 3], rows[i % 3]));
        float4 n = magnitudes_of(squares(eastern[(i - 2) % 3], eastern[(i - 1) % 3], eastern[i % 3]));
        const uint2 code = code_of(m), other = code_of(n);
        if (INSIDE) {
            *(uint4 *)codes = make_uint4(code.x, code.y, other.x, other.y);
        } else {
            *codes = code;
            if (x + 1 < device.width)
                codes[1] = other;
            else
                n = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
        add_to(sums, m, n);
    }
}

/* Where tiles lie: a tile is what a block does at a step. */
typedef struct tiling {
    int steps, across; /* steps of a strip; strips beside one another */
    unsigned char
        *dense; /* [tiles down][across]: 0 where all pixels that a tile reads are equal, and no code is kept */
} tiling;

/* A pair of colours where all pixels are equal. */
template <int RADIUS>
static __device__ __forceinline__ float4 flat_colours(const ce_taps &taps, const ce_taps &row_taps, unsigned pixel)
{
    float blurred[3];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
        const float value = channel(pixel, c);
        float column = ce_blur_begin(&taps, value);
#pragma unroll
        for (int k = 1; k <= RADIUS; ++k) column = ce_blur_add(&taps, k, value + value, column);
        blurred[c] = ce_blur_begin(&row_taps, column);
#pragma unroll
        for (int k = 1; k <= RADIUS; ++k) blurred[c] = ce_blur_add(&row_taps, k, column + column, blurred[c]);
    }
    const float volume = ce_volume(blurred[0], blurred[1], blurred[2]),
                intensity = ce_intensity(blurred[0], blurred[1], blurred[2]);
    return make_float4(volume, intensity, volume, intensity);
}

/* MOST: the radius, or CE_MAX_RADIUS for one that is known at run time. row_taps turn PIXEL_UNIT into COLOUR_UNIT. */
template <int MOST>
static __global__ void __launch_bounds__(COLOUR_THREADS, MOST < CE_MAX_RADIUS ? RESIDENT : 1)
    find_colours(ce_device device, ce_taps row_taps, int set, tiling all)
{
    const int radius = MOST < CE_MAX_RADIUS ? MOST : device.taps.radius;
    constexpr bool SKIPS = MOST < CE_MAX_RADIUS; /* a thread has one stretch */
    static_assert(!SKIPS || width_of(MOST) * STRETCHES == COLOUR_THREADS);
    enum { COLUMN_FLOATS = 3 * STEP_ROWS * pitch_of(MOST), COLOURS = COLOUR_ROWS * QUADS * QUAD };
    SHARED_DYNAMIC(float, columns, 0, COLUMN_FLOATS);
    SHARED_DYNAMIC(float4, column_quads, 0, COLUMN_FLOATS / 4); /* the same */
    SHARED_DYNAMIC(float4, colours, COLUMN_FLOATS * (int)sizeof(float), COLOURS / 2);
    SHARED(unsigned long long, warps, COLOUR_WARPS *CE_MAGNITUDES);

    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE;
    strip at = {(int)blockIdx.x * TILE_COLUMNS, (int)blockIdx.y * (all.steps * STEP_ROWS - 2), 0, false};
    unsigned long long sums[CE_MAGNITUDES] = {0, 0, 0, 0};
    bool skipped = false; /* the tile above */
    release_launch();
    at.y = at.top - 1;
    for (int step = 0; step < all.steps && at.y <= device.height; ++step, at.y += STEP_ROWS) {
        at.inside = device.width % 2 == 0 && at.left > radius && at.left + TILE_COLUMNS + radius < device.width &&
                    at.y >= MOST && at.y + STEP_ROWS + MOST <= device.height;
        const unsigned one = pixel_near(device, at.left, at.y); /* which the tile above reads, too */
        unsigned pixels[STRETCH + 2 * MOST];
        bool differs = true; /* as the warp's pixels show: it need not wait for the others before it blurs */
        if constexpr (SKIPS) {
            load_stretch<MOST>(device, radius, at, thread, pixels);
            unsigned different = pixels[MOST] ^ one; /* in a photograph this pixel shows it */
            differs = __any_sync(FULL_WARP, different & COLOURS_OF_PIXEL);
            if (!differs) {
                if (step > 0 && thread < width_of(radius)) /* the two rows of colours before */
                    for (int j = 1; j <= 2; ++j)
                        different |= pixel_near(device, at.left - 1 - radius + thread, at.y - MOST - j) ^ one;
#pragma unroll
                for (int j = 0; j < STRETCH + 2 * MOST; ++j) different |= pixels[j] ^ one;
                differs = __any_sync(FULL_WARP, different & COLOURS_OF_PIXEL);
            }
            if (differs) blur_stretch<MOST>(device, radius, thread, pixels, columns);
        }
        const bool dense = __syncthreads_or(differs);
        if (thread == 0) all.dense[((int)blockIdx.y * all.steps + step) * all.across + (int)blockIdx.x] = dense;
        if (!dense) {
            skipped = true;
            continue;
        }
        if (step > 0 && thread < 2 * COLOUR_PAIRS)
            colours[thread] =
                skipped ? flat_colours<MOST>(device.taps, row_taps, one) : colours[STEP_ROWS * COLOUR_PAIRS + thread];
        skipped = false;
        if constexpr (SKIPS) {
            if (!differs) blur_stretch<MOST>(device, radius, thread, pixels, columns);
        } else {
            for (int i = thread; i < width_of(radius) * STRETCHES; i += COLOUR_THREADS) {
                load_stretch<MOST>(device, radius, at, i, pixels);
                blur_stretch<MOST>(device, radius, i, pixels, columns);
            }
        }
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

/* A block has 64 columns. Beside their two words lie two more, of whose pixels it needs the nearest MARGIN: a pass
 * spoils one on each side in each sub-iteration. */
enum {
    OWN_WORDS = 2, /* per row */
    ROW_WORDS = OWN_WORDS + 2,
    COLUMNS = OWN_WORDS * WARP_SIZE,
    LONG_WALK = 8, /* rows of a warp: of large images, */
    SHORT_WALK = 4 /* and of small ones, which have few blocks */
};

static __host__ __device__ __forceinline__ constexpr int word_rows(int walk)
{
    return walk * N_WARPS;
}

static __host__ __device__ __forceinline__ constexpr int rows_of_block(int walk)
{
    return word_rows(walk) - 2 * MARGIN;
}

static __host__ __device__ __forceinline__ constexpr int items_of(int walk)
{
    return OWN_WORDS * walk + 1;
}
static_assert(LONG_WALK * 2 * MARGIN == WARP_SIZE && word_rows(LONG_WALK) * ROW_WORDS == N_THREADS);

/* First row of the block's words. */
template <int WALK> static __device__ __forceinline__ int top_of_block()
{
    return (int)(gridDim.y - 1 - blockIdx.y) * rows_of_block(WALK) - MARGIN;
}

/* A lane's pixel in a warp's item: a word of a row, or, in the last item, two pixels on both sides of each row. */
template <int WALK> static __device__ __forceinline__ int2 pixel_of(int item, int lane)
{
    const int left = (int)blockIdx.x * COLUMNS, top = top_of_block<WALK>() + (int)threadIdx.x / WARP_SIZE * WALK;
    if (item < items_of(WALK) - 1) return make_int2(left + item / WALK * WARP_SIZE + lane, top + item % WALK);
    const int i = lane % (2 * MARGIN);
    return make_int2(i < MARGIN ? left - MARGIN + i : left + COLUMNS - MARGIN + i, top + lane / (2 * MARGIN));
}

/* Keeps a word of a warp, of which bit `lane` is that lane's pixel. */
template <int WALK>
static __device__ __forceinline__ void keep_word(shared_array<unsigned> words, int item, unsigned word)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, first = (int)threadIdx.x / WARP_SIZE * WALK * ROW_WORDS;
    if (item < items_of(WALK) - 1) {
        if (lane == 0) words[first + item % WALK * ROW_WORDS + 1 + item / WALK] = word;
    } else if (lane < WALK) {
        const unsigned four = word >> lane * 2 * MARGIN;
        words[first + lane * ROW_WORDS] = four << (WARP_SIZE - MARGIN);
        words[first + lane * ROW_WORDS + ROW_WORDS - 1] = four >> MARGIN & ((1u << MARGIN) - 1);
    }
}

static __device__ __forceinline__ bool is_in_image(const ce_device &device, int2 at)
{
    return (unsigned)at.x < (unsigned)device.width && (unsigned)at.y < (unsigned)device.height;
}

/* A pass of thinning in place, a word per thread. */
template <int WALK> static __device__ __forceinline__ void thin(shared_array<unsigned> words)
{
    constexpr int N = word_rows(WALK) * ROW_WORDS;
    const int at = (int)threadIdx.x;
    for (int sub_iteration = 0; sub_iteration < 2; ++sub_iteration) {
        const unsigned thinned = at < N ? thin_word<ROW_WORDS, N>(words, at, sub_iteration) : 0;
        __syncthreads();
        if (at < N) words[at] = thinned;
        __syncthreads();
    }
}

/* Writes the block's own pixels, 16 per thread. */
template <int WALK>
static __device__ __forceinline__ void store(const ce_device &device, shared_array<unsigned> words, unsigned char *map)
{
    enum { PER_THREAD = 16, PER_ROW = COLUMNS / PER_THREAD };
    const int row = (int)threadIdx.x / PER_ROW, first = (int)threadIdx.x % PER_ROW * PER_THREAD;
    const int x = (int)blockIdx.x * COLUMNS + first, y = top_of_block<WALK>() + MARGIN + row;
    if (row >= rows_of_block(WALK) || x >= device.width || y >= device.height) return;
    const unsigned bits = words[(row + MARGIN) * ROW_WORDS + 1 + first / WARP_SIZE] >> first % WARP_SIZE;
    unsigned char *const to = map + ce_at(device, x, y);
    if (device.width % PER_THREAD == 0)
        *(uint4 *)to =
            make_uint4(four_bytes(bits), four_bytes(bits >> 4), four_bytes(bits >> 8), four_bytes(bits >> 12));
    else
        for (int k = 0; k < min((int)PER_THREAD, device.width - x); ++k) to[k] = bits >> k & 1;
}

/* Run by a warp: computes bounds[CE_MAGNITUDES] and limits[4] from sums[set]. The limits are codes of volume and
 * intensity above which a pixel is on an edge, and codes above which it may be, with bit 15 of each half set. A
 * threshold of 0 leaves no doubt. */
static __device__ __forceinline__ void find_bounds(const ce_device &device, int set, shared_array<float> bounds,
                                                   shared_array<unsigned> limits)
{
    const int lane = (int)threadIdx.x, magnitude = lane % CE_MAGNITUDES;
    const float threshold = ce_device_threshold(device, magnitude, device.sums[set * CE_MAGNITUDES + magnitude]);
    const bool is_0 = threshold == 0.0f;
    const unsigned above = 0x8000u | (is_0 ? 0 : half2_bits(kept_of(threshold / COLOUR_UNIT, 0.0f)) & 0xffffu),
                   least = is_0 ? above : above - 1;
    const unsigned other_above = __shfl_down_sync(FULL_WARP, above, 1),
                   other_least = __shfl_down_sync(FULL_WARP, least, 1);
    if (lane >= CE_MAGNITUDES) return;
    bounds[lane] = square_bound(threshold);
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

/* Channel `which` of a pixel, blurred by any radius, in COLOUR_UNIT. */
static __device__ __forceinline__ float blurred_channel(const ce_device &device, const ce_taps &row_taps, int x, int y,
                                                        int which)
{
    float sum = 0.0f;
    for (int i = 0; i <= row_taps.radius; ++i) {
        float sides[2] = {0.0f, 0.0f};
        for (int side = 0; side < 2; ++side) {
            const int column = side == 0 ? x - i : x + i;
            sides[side] = ce_blur_begin(&device.taps, channel(pixel_near(device, column, y) >> 8 * which, 0));
            for (int k = 1; k <= row_taps.radius; ++k) {
                const float above = channel(pixel_near(device, column, y - k) >> 8 * which, 0),
                            below = channel(pixel_near(device, column, y + k) >> 8 * which, 0);
                sides[side] = ce_blur_add(&device.taps, k, above + below, sides[side]);
            }
        }
        sum = i == 0 ? ce_blur_begin(&row_taps, sides[0]) : ce_blur_add(&row_taps, i, sides[0] + sides[1], sum);
    }
    return sum;
}

/* Called by a warp: volume and intensity, in lane i < 9, at place i of the 3 x 3 pixels around (x, y). Where a place is
 * outside of the image, the nearest pixel inside stands for it. */
template <int MOST>
static __device__ __forceinline__ float2 colours_around(const ce_device &device, const ce_taps &row_taps, int x, int y)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, place = min(lane, 26) % 9;
    const int at_x = ce_clamp(x + place % 3 - 1, device.width), at_y = ce_clamp(y + place / 3 - 1, device.height);
    float rgb[3];
    if constexpr (MOST < CE_MAX_RADIUS) {
        enum { PLACES = 3 + 2 * MOST, PIXELS = 2 * MOST + 1 }; /* a lane has one of 3 x PLACES columns */
        static_assert(3 * PLACES <= WARP_SIZE);
        const int column = min(lane, 3 * PLACES - 1) % PLACES, row = min(lane, 3 * PLACES - 1) / PLACES;
        const int middle = ce_clamp(y + row - 1, device.height), first = place / 3 * PLACES + at_x - x + 1;
        unsigned pixels[PIXELS];
#pragma unroll
        for (int j = 0; j < PIXELS; ++j) pixels[j] = pixel_near(device, x - 1 - MOST + column, middle + j - MOST);
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            float sum = ce_blur_begin(&device.taps, channel(pixels[MOST], c));
#pragma unroll
            for (int k = 1; k <= MOST; ++k)
                sum = ce_blur_add(&device.taps, k, channel(pixels[MOST - k], c) + channel(pixels[MOST + k], c), sum);
            rgb[c] = ce_blur_begin(&row_taps, __shfl_sync(FULL_WARP, sum, first + MOST));
#pragma unroll
            for (int k = 1; k <= MOST; ++k) {
                const float west = __shfl_sync(FULL_WARP, sum, first + MOST - k),
                            east = __shfl_sync(FULL_WARP, sum, first + MOST + k);
                rgb[c] = ce_blur_add(&row_taps, k, west + east, rgb[c]);
            }
        }
    } else {
        const float blurred = blurred_channel(device, row_taps, at_x, at_y, min(lane, 26) / 9);
        for (int c = 0; c < 3; ++c) rgb[c] = __shfl_sync(FULL_WARP, blurred, place + 9 * c);
    }
    return make_float2(ce_volume(rgb[0], rgb[1], rgb[2]), ce_intensity(rgb[0], rgb[1], rgb[2]));
}

/* Called by a warp: whether a pixel is on an edge, by the image. */
template <int MOST>
static __device__ __forceinline__ bool is_edge(const ce_device &device, const ce_taps &row_taps, int x, int y,
                                               shared_array<float> bounds)
{
    const float2 colour = colours_around<MOST>(device, row_taps, x, y);
    const float volume = colour.x, intensity = colour.y;
    triple rows[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        rows[i].west = {__shfl_sync(FULL_WARP, volume, 3 * i), __shfl_sync(FULL_WARP, intensity, 3 * i)};
        rows[i].middle = {__shfl_sync(FULL_WARP, volume, 3 * i + 1), __shfl_sync(FULL_WARP, intensity, 3 * i + 1)};
        rows[i].east = {__shfl_sync(FULL_WARP, volume, 3 * i + 2), __shfl_sync(FULL_WARP, intensity, 3 * i + 2)};
    }
    const float4 m = squares(rows[0], rows[1], rows[2]);
    return m.x > bounds[CE_M1_VOLUME] || m.y > bounds[CE_M2_VOLUME] || m.z > bounds[CE_M1_INTENSITY] ||
           m.w > bounds[CE_M2_INTENSITY];
}

/* A row of tiles. */
typedef struct tile_row {
    int number, first; /* first row of gradients */
} tile_row;

/* The row of tiles that has row y of gradients. */
static __device__ __forceinline__ tile_row tile_row_of(const tiling &all, int y)
{
    const int rows = all.steps * STEP_ROWS - 2, before = y / rows, step = (y - before * rows + 2) / STEP_ROWS;
    return {before * all.steps + step, before * rows + max(step * STEP_ROWS - 2, 0)};
}

/* Whether codes of a row of tiles were kept at column x. */
static __device__ __forceinline__ bool is_dense(const ce_device &device, const tiling &all, int row, int x)
{
    return all.dense[row * all.across + ce_clamp(x, device.width) / TILE_COLUMNS];
}

/* A bit per item: whether the lane's pixel in it is in the image and has a code. */
template <int WALK>
static __device__ __forceinline__ unsigned items_with_codes(const ce_device &device, const tiling &all)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, left = (int)blockIdx.x * COLUMNS;
    const int top = top_of_block<WALK>() + (int)threadIdx.x / WARP_SIZE * WALK;
    const tile_row upper = tile_row_of(all, ce_clamp(top, device.height)),
                   lower = tile_row_of(all, ce_clamp(top + WALK - 1, device.height));
    const unsigned rows = ((1u << max(min(device.height - top, (int)WALK), 0)) - 1) & ~((1u << max(-top, 0)) - 1);
    const unsigned of_upper = lower.number == upper.number ? ~0u : (1u << (lower.first - top)) - 1;
    unsigned items = 0;
#pragma unroll
    for (int word = 0; word < OWN_WORDS; ++word) {
        const int x = left + word * WARP_SIZE + lane;
        unsigned dense = is_dense(device, all, upper.number, x) ? of_upper : 0;
        if (is_dense(device, all, lower.number, x)) dense |= ~of_upper;
        if (x < device.width) items |= (rows & dense) << word * WALK;
    }
    const int2 beside = pixel_of<WALK>(items_of(WALK) - 1, lane);
    if (lane < WALK * 2 * MARGIN && is_in_image(device, beside) &&
        is_dense(device, all, of_upper >> (beside.y - top) & 1 ? upper.number : lower.number, beside.x))
        items |= 1u << (items_of(WALK) - 1);
    return items;
}

/* Looks at the pixels in doubt, a warp at every N_WARPS-th word. Returns whether one of the warp's is on an edge. */
template <int MOST, int WALK>
static __device__ __forceinline__ bool settle_doubts(const ce_device &device, const ce_taps &row_taps,
                                                     shared_array<float> bounds, shared_array<unsigned> doubt_words,
                                                     shared_array<unsigned> words)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, warp = (int)threadIdx.x / WARP_SIZE;
    unsigned doubts = lane < WALK * ROW_WORDS ? doubt_words[lane * N_WARPS + warp] : 0;
    bool found = false;
    for (unsigned lanes; (lanes = __ballot_sync(FULL_WARP, doubts != 0)) != 0;) {
        const int whose = __ffs((int)lanes) - 1, bit = __ffs(__shfl_sync(FULL_WARP, (int)doubts, whose)) - 1;
        const int word = whose * N_WARPS + warp;
        const int x = (int)blockIdx.x * COLUMNS + (word % ROW_WORDS - 1) * WARP_SIZE + bit,
                  y = top_of_block<WALK>() + word / ROW_WORDS;
        if (lane == whose) doubts &= doubts - 1;
        if (!is_edge<MOST>(device, row_taps, x, y, bounds)) continue;
        if (lane == 0) words[word] |= 1u << bit;
        found = true;
    }
    return found;
}

/* Blocks go up, as what the first kernel has written last is in the cache. */
template <int MOST, int WALK>
static __global__ void __launch_bounds__(N_THREADS, WALK == LONG_WALK ? RESIDENT_EDGES : RESIDENT_SHORT_EDGES)
    find_edges(ce_device device, ce_taps row_taps, int set, tiling all, bool thins, unsigned char *map)
{
    constexpr int ITEMS = items_of(WALK), N_WORDS = word_rows(WALK) * ROW_WORDS;
    SHARED(unsigned, words, N_WORDS);
    SHARED(unsigned, doubt_words, N_WORDS); /* those that the codes leave in doubt */
    SHARED(float, bounds, CE_MAGNITUDES);   /* bounds of the squares */
    SHARED(unsigned, limits, 4);
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE;
    const uint2 *const codes = (const uint2 *)device.scratch;
    release_launch();
    await_launch();
    const unsigned items = items_with_codes<WALK>(device, all);
    uint2 code[ITEMS]; /* on their way while the bounds are found */
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int2 at = pixel_of<WALK>(i, lane);
        code[i] = items >> i & 1 ? codes[at.y * device.width + at.x] : uint2{0, 0};
    }
    if (thread < N_WORDS) doubt_words[thread] = 0;
    if (thread < WARP_SIZE) find_bounds(device, set, bounds, limits);
    __syncthreads();
    unsigned found = 0; /* whether the words are not empty */
    bool doubtful = false;
    if (__any_sync(FULL_WARP, items != 0)) {
        const unsigned above_volume = limits[0], above_intensity = limits[1], least_volume = limits[2],
                       least_intensity = limits[3];
        unsigned doubts = 0; /* a bit per item */
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            const bool above = any_above(above_volume, above_intensity, code[i]);
            const unsigned word = __ballot_sync(FULL_WARP, above);
            if (!above && any_above(least_volume, least_intensity, code[i])) doubts |= 1u << i & items;
            keep_word<WALK>(words, i, word);
            found |= word;
        }
        doubtful = __any_sync(FULL_WARP, doubts != 0);
        if (doubtful) {
#pragma unroll
            for (int i = 0; i < ITEMS; ++i) keep_word<WALK>(doubt_words, i, __ballot_sync(FULL_WARP, doubts >> i & 1));
        }
    } else {
        for (int i = lane; i < WALK * ROW_WORDS; i += WARP_SIZE) words[thread / WARP_SIZE * WALK * ROW_WORDS + i] = 0;
    }
    if (__syncthreads_or(doubtful)) found |= settle_doubts<MOST, WALK>(device, row_taps, bounds, doubt_words, words);
    if (__syncthreads_or(found != 0) && thins) thin<WALK>(words);
    store<WALK>(device, words, map);
}

static __global__ void __launch_bounds__(N_THREADS)
    thin_again(ce_device device, const unsigned char *from, unsigned char *to)
{
    constexpr int WALK = LONG_WALK, ITEMS = items_of(WALK);
    SHARED(unsigned, words, word_rows(WALK) * ROW_WORDS);
    release_launch();
    await_launch();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int2 at = pixel_of<WALK>(i, (int)threadIdx.x % WARP_SIZE);
        const bool edge = is_in_image(device, at) && from[ce_at(device, at.x, at.y)];
        keep_word<WALK>(words, i, __ballot_sync(FULL_WARP, edge));
    }
    __syncthreads();
    thin<WALK>(words);
    store<WALK>(device, words, to);
}

/* ---- The rung ---- */

/* Steps of a strip: more where that leaves blocks enough, as a strip's first two rows are blurred for nothing. */
static int steps_of(int width, int height)
{
    const int blocks = ceil_div(width, TILE_COLUMNS) * ceil_div(height, STEP_ROWS - 2);
    return min(max(blocks / BLOCKS_ENOUGH, 1), (int)MOST_STEPS);
}

static int strips_down(int steps, int height)
{
    return ceil_div(height, steps * STEP_ROWS - 2);
}

/* Behind the codes. */
static tiling make_tiling(int width, int height, void *scratch)
{
    return {steps_of(width, height), ceil_div(width, TILE_COLUMNS),
            (unsigned char *)scratch + (size_t)width * (size_t)height * sizeof(uint2)};
}

static ab_status find_colours_of(const ce_device *device, const ce_taps &row_taps, int set, const tiling &all)
{
    if (all.steps == 1) AB_PLAN("fused: a step a strip");
    if (all.steps > 1 && all.steps < MOST_STEPS) AB_PLAN("fused: several steps a strip");
    if (all.steps == MOST_STEPS) AB_PLAN("fused: the most steps a strip");
    const dim3 grid((unsigned)all.across, (unsigned)strips_down(all.steps, device->height));
    if (device->taps.radius == COMMON_RADIUS)
        LAUNCH(find_colours<COMMON_RADIUS>, grid, COLOUR_THREADS, (size_t)shared_bytes(COMMON_RADIUS))
    (*device, row_taps, set, all);
    else LAUNCH(find_colours<CE_MAX_RADIUS>, grid, COLOUR_THREADS,
                (size_t)shared_bytes(CE_MAX_RADIUS))(*device, row_taps, set, all);
    return AB_LAUNCHED("find_colours");
}

/* Blocks of the second kernel. */
static dim3 grid_of(const ce_device *device, int walk)
{
    return dim3((unsigned)ceil_div(device->width, COLUMNS), (unsigned)ceil_div(device->height, rows_of_block(walk)));
}

static ab_status find_edges_of(const ce_device *device, const ce_taps &row_taps, int set, const tiling &all, bool thins,
                               unsigned char *map)
{
    const dim3 blocks = grid_of(device, LONG_WALK);
    const bool is_short = device->taps.radius == COMMON_RADIUS && (int)(blocks.x * blocks.y) < EDGE_BLOCKS_ENOUGH;
    auto *const find = device->taps.radius != COMMON_RADIUS ? find_edges<CE_MAX_RADIUS, LONG_WALK>
                       : is_short                           ? find_edges<COMMON_RADIUS, SHORT_WALK>
                                                            : find_edges<COMMON_RADIUS, LONG_WALK>;
    LAUNCH_EARLY(find, grid_of(device, is_short ? SHORT_WALK : LONG_WALK), N_THREADS, 0)
    (*device, row_taps, set, all, thins, map);
    return AB_LAUNCHED("find_edges");
}

/* The pass that ends in device->map is the last; the one before ends in half_thinned, and so on. */
static ab_status detect(const ce_device *device, int thinning_passes, unsigned run)
{
    const int set = (int)(run % SUM_SETS);
    const tiling all = make_tiling(device->width, device->height, device->scratch);
    ce_taps row_taps = device->taps;
    for (int i = 0; i <= row_taps.radius; ++i) row_taps.weight[i] /= PIXEL_UNIT * COLOUR_UNIT;
    unsigned char *to = thinning_passes > 1 && thinning_passes % 2 == 0 ? device->half_thinned : device->map;
    bool at_once = false;
    AB_TRY(AB_GPU(ce_can_at_once)(device->width, device->height, &device->taps, &at_once));
    if (at_once) {
        AB_TRY(AB_GPU(ce_at_once)(device, &row_taps, set, thinning_passes > 0, to));
    } else {
        AB_TRY(find_colours_of(device, row_taps, set, all));
        AB_TRY(find_edges_of(device, row_taps, set, all, thinning_passes > 0, to));
    }
    for (int pass = 1; pass < thinning_passes; ++pass) {
        unsigned char *const from = to;
        to = from == device->map ? device->half_thinned : device->map;
        LAUNCH_EARLY(thin_again, grid_of(device, LONG_WALK), N_THREADS, 0)(*device, from, to);
        AB_TRY(AB_LAUNCHED("thin_again"));
    }
    return ab_ok();
}

static ab_status check(const ed_image *image, const ed_params *params)
{
    const ce_taps taps = ce_gaussian(params->sigma);
    bool at_once = false;
    AB_TRY(AB_GPU(ce_can_at_once)(image->width, image->height, &taps, &at_once));
    if (at_once) return AB_GPU(ce_prepare_at_once)();
    if (taps.radius == COMMON_RADIUS)
        return device_allow_shared((const void *)find_colours<COMMON_RADIUS>, (size_t)shared_bytes(COMMON_RADIUS), -1);
    return device_allow_shared((const void *)find_colours<CE_MAX_RADIUS>, (size_t)shared_bytes(CE_MAX_RADIUS), -1);
}

static size_t scratch_bytes(const ed_image *image, const ed_params *)
{
    const tiling all = make_tiling(image->width, image->height, NULL);
    return (size_t)image->width * (size_t)image->height * sizeof(uint2) +
           (size_t)(all.across * strips_down(all.steps, image->height) * all.steps);
}

AB_RUNG(colour_edge_rung,
        colour_edge_fused) = {.detect = detect, .check = check, .keeps_colour = false, .scratch_bytes = scratch_bytes};
