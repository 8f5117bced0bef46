/* Hysteresis to convergence: the components of weak and strong pixels by union-find, in three launches for any image.
 *
 * Growth (grow.cu) takes as many passes as an edge crosses blocks, and the last pass must be detected. Here every edge
 * pixel gets a label, and one label means "strong" (labels.h). Labels are united inside tiles first, in shared memory,
 * starting from runs that a ballot finds. Then they are united across the borders of tiles. A pixel is an edge if its
 * root is the strong one. Limit: chains of roots are not shortened, so a pixel can cost as many steps as its edge
 * crosses tiles. Source: this project; union by atomics after Playne & Hawick 2018.
 */
#include "kernels/canny/labels.h"

enum { N_THREADS = 256, PIXELS_PER_THREAD = 4 };

static __global__ void __launch_bounds__(LABEL_PIXELS)
    label_tiles(const unsigned char *classes, int width, int height, unsigned *labels)
{
    const int left = (int)blockIdx.x * LABEL_TILE, top = (int)blockIdx.y * LABEL_TILE;
    const int x = left + (int)threadIdx.x, y = top + (int)threadIdx.y;
    const bool inside = x < width && y < height;
    const unsigned char pixel_class =
        inside ? classes[(size_t)y * (size_t)width + (size_t)x] : (unsigned char)CANNY_NONE;
    label_tile(pixel_class, left, top, width, height, labels);
}

static __device__ __forceinline__ void unite_with(int x, int y, int width, int height, unsigned node, unsigned *labels)
{
    if (x < 0 || x >= width || y < 0 || y >= height) return;
    const unsigned other = (unsigned)y * (unsigned)width + (unsigned)x;
    if (labels[other] != NO_LABEL) unite(labels, node, other);
}

/* One thread per pixel of a tile's first column, then of a tile's first row, where there is a tile before it. */
static __global__ void __launch_bounds__(N_THREADS) join_tiles(int width, int height, unsigned *labels)
{
    const int n_columns = (width - 1) / LABEL_TILE, n_rows = (height - 1) / LABEL_TILE;
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), in_rows = i - n_columns * height;
    if (in_rows >= n_rows * width) return;
    const bool column = in_rows < 0;
    const int x = column ? (i / height + 1) * LABEL_TILE : in_rows % width;
    const int y = column ? i % height : (in_rows / width + 1) * LABEL_TILE;
    const unsigned node = (unsigned)y * (unsigned)width + (unsigned)x;
    if (labels[node] == NO_LABEL) return;
    for (int step = -1; step <= 1; ++step)
        unite_with(column ? x - 1 : x + step, column ? y + step : y - 1, width, height, node, labels);
}

static __device__ __forceinline__ unsigned char is_edge(const unsigned *labels, unsigned label, unsigned strong)
{
    if (label == NO_LABEL) return 0;
    while (labels[label] != label) label = labels[label];
    return label == strong;
}

/* Four pixels per thread, loaded and stored as one. */
static __global__ void __launch_bounds__(N_THREADS)
    find_edges(const unsigned *labels, unsigned n_pixels, unsigned char *edges)
{
    const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * PIXELS_PER_THREAD;
    if (i + PIXELS_PER_THREAD <= n_pixels) {
        const uint4 label = *(const uint4 *)(labels + i);
        *(uchar4 *)(edges + i) = make_uchar4(is_edge(labels, label.x, n_pixels), is_edge(labels, label.y, n_pixels),
                                             is_edge(labels, label.z, n_pixels), is_edge(labels, label.w, n_pixels));
    } else {
        for (unsigned last = i; last < n_pixels; ++last) edges[last] = is_edge(labels, labels[last], n_pixels);
    }
}

static ab_status launch_join(const canny_device *device)
{
    const int width = device->width, height = device->height;
    unsigned *const labels = (unsigned *)device->scratch;
    const int n_border = (width - 1) / LABEL_TILE * height + (height - 1) / LABEL_TILE * width;
    if (n_border > 0) LAUNCH(join_tiles, (unsigned)ceil_div(n_border, N_THREADS), N_THREADS, 0)(width, height, labels);
    AB_TRY(AB_LAUNCHED("join_tiles"));
    const int n_blocks = ceil_div(width * height, N_THREADS * PIXELS_PER_THREAD);
    LAUNCH(find_edges, (unsigned)n_blocks, N_THREADS, 0)(labels, (unsigned)(width * height), device->edges);
    return AB_LAUNCHED("find_edges");
}

extern "C" ab_status AB_GPU(canny_connect)(const canny_device *device)
{
    const int width = device->width, height = device->height;
    const dim3 grid((unsigned)ceil_div(width, LABEL_TILE), (unsigned)ceil_div(height, LABEL_TILE));
    LAUNCH(label_tiles, grid, dim3(LABEL_TILE, LABEL_TILE), 0)
    (device->classes, width, height, (unsigned *)device->scratch);
    AB_TRY(AB_LAUNCHED("label_tiles"));
    return launch_join(device);
}
