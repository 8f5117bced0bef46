/* The whole of colour edge detection in two launches, and one more for each further pass of thinning.
 *
 * The pipeline of the thesis launches eight kernels that read and write 105 bytes a pixel; this one launches two, 21
 * bytes a pixel, because only the mean needs the whole image. The first kernel takes a tile from bytes to volume and
 * intensity, all in shared memory, and adds up the gradients without keeping them. The second computes them again, which
 * is cheaper than bringing them back, marks edges as bits, 32 pixels a word, and thins whole words by Boolean logic
 * (pixel.h) where the thesis looks up a table pixel by pixel. The price is the apron: a tile recomputes 13 % of its
 * colours, and a word of 32 pixels is good for 28 after a pass. Same results as colour-edge/gpu, to the last bit.
 * Limits: height up to 131070; 14 bytes of GPU memory a pixel.
 * Source: this project.
 */
#include "kernels/colour_edge/pipeline.h"

enum { N_THREADS = 256, N_WARPS = N_THREADS / WARP_SIZE };

/* ---- First kernel: image -> colour, sums ---- */

enum {
    TILE = 32,          /* columns and rows of gradients of a block */
    COLOURS = TILE + 2, /* of colours: an apron of 1 */
    COMMON_RADIUS = 3,  /* of sigma 1: compiled for it, with loops unrolled */
    SUM_SETS = 2        /* one is added to while the other is cleared for the next run */
};

/* Columns and rows of a tile's pixels: an apron of 1 + radius. */
static __host__ __device__ __forceinline__ int pixels_of(int radius)
{
    return COLOURS + 2 * radius;
}

/* Bytes of the shared memory that first holds pixels and then colours. */
static __host__ __device__ __forceinline__ int first_bytes(int radius)
{
    const int of_pixels = pixels_of(radius) * pixels_of(radius) * (int)sizeof(uchar4);
    const int of_colours = COLOURS * COLOURS * (int)sizeof(float2);
    return (of_pixels > of_colours ? of_pixels : of_colours);
}

static __host__ __device__ __forceinline__ int shared_bytes(int radius)
{
    return first_bytes(radius) + 3 * COLOURS * pixels_of(radius) * (int)sizeof(float);
}

/* Place in the tile of the pixel at `i` from the tile's first colour, moved into the image: the gradients' apron outside
 * the image repeats colours, not pixels. `first` is the image coordinate of that colour. */
static __device__ __forceinline__ int centre_of(int i, int first, int n, int radius)
{
    return ce_clamp(first + i, n) - first + radius;
}

/* Blurs down the columns, from pixels[width][width] to columns[3][COLOURS][width]. */
static __device__ __forceinline__ void blur_columns(const ce_device &device, int radius, int top,
                                                    shared_array<uchar4> pixels, shared_array<float> columns)
{
    const int width = pixels_of(radius), plane = COLOURS * width;
    for (int i = (int)threadIdx.x; i < plane; i += N_THREADS) {
        const int row = i / width, at = centre_of(row, top, device.height, radius) * width + i - row * width;
        const uchar4 c = pixels[at];
        float r = ce_blur_begin(&device.taps, c.x), g = ce_blur_begin(&device.taps, c.y),
              b = ce_blur_begin(&device.taps, c.z);
#pragma unroll
        for (int k = 1; k <= radius; ++k) {
            const uchar4 above = pixels[at - k * width], below = pixels[at + k * width];
            r = ce_blur_add(&device.taps, k, (float)(above.x + below.x), r);
            g = ce_blur_add(&device.taps, k, (float)(above.y + below.y), g);
            b = ce_blur_add(&device.taps, k, (float)(above.z + below.z), b);
        }
        columns[i] = r;
        columns[plane + i] = g;
        columns[2 * plane + i] = b;
    }
}

static __device__ __forceinline__ float blur_row(const ce_taps *taps, int radius, shared_array<float> row, int at)
{
    float sum = ce_blur_begin(taps, row[at]);
#pragma unroll
    for (int k = 1; k <= radius; ++k) sum = ce_blur_add(taps, k, row[at - k] + row[at + k], sum);
    return sum;
}

/* Blurs along the rows, from columns[3][COLOURS][width] to colours[COLOURS][COLOURS]. */
static __device__ __forceinline__ void blur_rows(const ce_device &device, int radius, int left,
                                                 shared_array<float> columns, shared_array<float2> colours)
{
    const int width = pixels_of(radius), plane = COLOURS * width;
    for (int i = (int)threadIdx.x; i < COLOURS * COLOURS; i += N_THREADS) {
        const int row = i / COLOURS, at = row * width + centre_of(i - row * COLOURS, left, device.width, radius);
        const float r = blur_row(&device.taps, radius, columns, at);
        const float g = blur_row(&device.taps, radius, columns, plane + at);
        const float b = blur_row(&device.taps, radius, columns, 2 * plane + at);
        colours[i] = make_float2(ce_volume(r, g, b), ce_intensity(r, g, b));
    }
}

/* The squared magnitudes at place `at` of rows `stride` long, by ce_magnitude. */
static __device__ __forceinline__ float4 squares(shared_array<float2> colours, int stride, int at)
{
    const float2 nw = colours[at - stride - 1], n = colours[at - stride], ne = colours[at - stride + 1];
    const float2 w = colours[at - 1], e = colours[at + 1];
    const float2 sw = colours[at + stride - 1], s = colours[at + stride], se = colours[at + stride + 1];
    const ce_gradients volume = ce_prewitt(nw.x, n.x, ne.x, w.x, e.x, sw.x, s.x, se.x);
    const ce_gradients intensity = ce_prewitt(nw.y, n.y, ne.y, w.y, e.y, sw.y, s.y, se.y);
    return make_float4(volume.m1, volume.m2, intensity.m1, intensity.m2);
}

/* FIXED_RADIUS 0: the radius is known at run time. */
template <int FIXED_RADIUS> static __global__ void __launch_bounds__(N_THREADS) find_colours(ce_device device, int set)
{
    const int radius = FIXED_RADIUS ? FIXED_RADIUS : device.taps.radius, width = pixels_of(radius);
    SHARED_DYNAMIC(uchar4, pixels, 0, width * width);
    SHARED_DYNAMIC(float2, colours, 0, COLOURS * COLOURS); /* when the pixels have been used */
    SHARED_DYNAMIC(float, columns, first_bytes(radius), 3 * COLOURS * width);
    SHARED(unsigned long long, warps, N_WARPS *CE_MAGNITUDES);

    const int thread = (int)threadIdx.x, left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE;
    for (int i = thread; i < width * width; i += N_THREADS) {
        const int row = i / width, x = left - 1 - radius + i - row * width, y = top - 1 - radius + row;
        pixels[i] = device.image[ce_at(device, ce_clamp(x, device.width), ce_clamp(y, device.height))];
    }
    __syncthreads();
    blur_columns(device, radius, top - 1, pixels, columns);
    __syncthreads();
    blur_rows(device, radius, left - 1, columns, colours);
    __syncthreads();

    unsigned long long sums[CE_MAGNITUDES] = {0, 0, 0, 0};
    const int x = left + thread % TILE;
    for (int row = thread / TILE; row < TILE && x < device.width && top + row < device.height; row += N_WARPS) {
        const int at = (row + 1) * COLOURS + thread % TILE + 1;
        const float4 m = squares(colours, COLOURS, at);
        device.colour[ce_at(device, x, top + row)] = colours[at];
        sums[CE_M1_VOLUME] += (unsigned)ce_fixed_point(sqrtf(m.x));
        sums[CE_M2_VOLUME] += (unsigned)ce_fixed_point(sqrtf(m.y));
        sums[CE_M1_INTENSITY] += (unsigned)ce_fixed_point(sqrtf(m.z));
        sums[CE_M2_INTENSITY] += (unsigned)ce_fixed_point(sqrtf(m.w));
    }
    const unsigned long long total = ce_block_sum(sums, thread, N_WARPS, warps);
    if (thread < CE_MAGNITUDES && total > 0) atomicAdd(&device.sums[set * CE_MAGNITUDES + thread], total);
}

/* ---- Second kernel, and one for each further pass: words of 32 pixels, a warp's lane being a column ---- */

enum {
    MARGIN = 2,                    /* pixels that a pass spoils on each side: one for each sub-iteration */
    WORD = WARP_SIZE - 2 * MARGIN, /* pixels of a word that are good */
    ROWS = 32,                     /* rows of a block */
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

/* Writes the good pixels of the block. */
static __device__ __forceinline__ void store(const ce_device &device, shared_array<unsigned> words, unsigned char *map)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, x = (int)blockIdx.x * WORD + lane - MARGIN;
    if (lane < MARGIN || lane >= MARGIN + WORD || x >= device.width) return;
    for (int row = (int)threadIdx.x / WARP_SIZE; row < ROWS; row += N_WARPS) {
        const int y = (int)blockIdx.y * ROWS + row;
        if (y < device.height) map[ce_at(device, x, y)] = words[row + MARGIN] >> lane & 1;
    }
}

static __global__ void __launch_bounds__(N_THREADS)
    find_edges(ce_device device, int set, bool thins, unsigned char *map)
{
    enum { COLUMNS = WARP_SIZE + 2 }; /* an apron of 1 for the gradients */
    SHARED(float2, colours, (WORDS + 2) * COLUMNS);
    SHARED(unsigned, words, WORDS);
    SHARED(float, bounds, CE_MAGNITUDES); /* of the squares */
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE;
    const int left = (int)blockIdx.x * WORD - MARGIN, top = (int)blockIdx.y * ROWS - MARGIN;
    if (thread < CE_MAGNITUDES) {
        const float threshold = ce_device_threshold(device, thread, device.sums[set * CE_MAGNITUDES + thread]);
        bounds[thread] = ce_square_bound(threshold);
        if (blockIdx.x == 0 && blockIdx.y == 0) {
            device.thresholds[thread] = threshold;
            device.sums[(1 - set) * CE_MAGNITUDES + thread] = 0;
        }
    }
    for (int i = thread; i < (WORDS + 2) * COLUMNS; i += N_THREADS) {
        const int row = i / COLUMNS, x = left - 1 + i - row * COLUMNS, y = top - 1 + row;
        colours[i] = device.colour[ce_at(device, ce_clamp(x, device.width), ce_clamp(y, device.height))];
    }
    __syncthreads();
    for (int row = thread / WARP_SIZE; row < WORDS; row += N_WARPS) {
        const int x = left + lane, y = top + row;
        const float4 m = squares(colours, COLUMNS, (row + 1) * COLUMNS + lane + 1);
        const bool inside = x >= 0 && x < device.width && y >= 0 && y < device.height;
        const bool above = m.x > bounds[CE_M1_VOLUME] || m.y > bounds[CE_M2_VOLUME] || m.z > bounds[CE_M1_INTENSITY] ||
                           m.w > bounds[CE_M2_INTENSITY];
        const unsigned word = __ballot_sync(FULL_WARP, inside && above);
        if (lane == 0) words[row] = word;
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
    const dim3 grid((unsigned)ceil_div(device->width, TILE), (unsigned)ceil_div(device->height, TILE));
    const size_t bytes = (size_t)shared_bytes(device->taps.radius);
    if (device->taps.radius == COMMON_RADIUS)
        LAUNCH(find_colours<COMMON_RADIUS>, grid, N_THREADS, bytes)(*device, set);
    else
        LAUNCH(find_colours<0>, grid, N_THREADS, bytes)(*device, set);
    return AB_LAUNCHED("find_colours");
}

/* The pass that ends in device->map is the last; the one before ends in half_thinned, and so on. */
static ab_status detect(const ce_device *device, int thinning_passes, unsigned run)
{
    const int set = (int)(run % SUM_SETS);
    AB_TRY(find_colours_of(device, set));
    const dim3 grid((unsigned)ceil_div(device->width, WORD), (unsigned)ceil_div(device->height, ROWS));
    unsigned char *to = thinning_passes > 1 && thinning_passes % 2 == 0 ? device->half_thinned : device->map;
    LAUNCH(find_edges, grid, N_THREADS, 0)(*device, set, thinning_passes > 0, to);
    AB_TRY(AB_LAUNCHED("find_edges"));
    for (int pass = 1; pass < thinning_passes; ++pass) {
        unsigned char *const from = to;
        to = from == device->map ? device->half_thinned : device->map;
        LAUNCH(thin_again, grid, N_THREADS, 0)(*device, from, to);
        AB_TRY(AB_LAUNCHED("thin_again"));
    }
    return ab_ok();
}

AB_RUNG(colour_edge_rung, colour_edge_fused) = {.detect = detect};
