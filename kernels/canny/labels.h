/* Union-find on labels.
 *
 * A node's label is its parent's number, never below its own; a root's is its own. Of two roots the larger becomes the
 * other's parent. The largest node of all stands for "strong": what is united with it has it as root for good.
 * Labels are read by atomics, as they are written by atomics: threads unite at the same time.
 */
#ifndef ANTBENCH_CANNY_LABELS_H
#define ANTBENCH_CANNY_LABELS_H

#include "kernels/canny/canny.h"
#include "kernels/cuda/warp.h"

enum { LABEL_TILE = WARP_SIZE, LABEL_PIXELS = LABEL_TILE * LABEL_TILE }; /* a tile has one thread per pixel */
#define NO_LABEL 0xffffffffu                                             /* label of a pixel that is no edge */

/* Labels is unsigned *, a shared_array of unsigned, or far_labels. */
template <typename Labels> static __device__ __forceinline__ unsigned find_root(Labels labels, unsigned node)
{
    for (;;) {
        const unsigned parent = atomicOr(&labels[node], 0u);
        if (parent == node) return node;
        node = parent;
    }
}

/* Labels in device memory, which other multiprocessors write: not from the L1 cache. */
typedef struct far_labels {
    unsigned *first;
    __device__ unsigned &operator[](unsigned node) const
    {
        return first[node];
    }
} far_labels;

static __device__ __forceinline__ unsigned find_root(far_labels labels, unsigned node)
{
    for (;;) {
        const unsigned parent = __ldcg(labels.first + node);
        if (parent == node) return node;
        node = parent;
    }
}

template <typename Labels> static __device__ __forceinline__ void unite(Labels labels, unsigned a, unsigned b)
{
    for (;;) {
        a = find_root(labels, a);
        b = find_root(labels, b);
        if (a == b) return;
        const unsigned child = min(a, b), parent = max(a, b);
        const unsigned before = atomicMax(&labels[child], parent);
        if (before == child) return;
        a = before; /* child was given a parent meanwhile: that is to be united with ours */
        b = parent;
    }
}

/* The run of set bits around bit `lane`, which is set. */
static __device__ __forceinline__ unsigned run_around(unsigned bits, int lane)
{
    const unsigned below = ~bits & ((1u << lane) - 1), above = ~bits & (~0u << lane);
    return (~0u << (32 - __clz((int)below))) & ((above & (0u - above)) - 1);
}

/* Unites a pixel with the pixels of the row above, unless a neighbour in its own row does so already. */
static __device__ __forceinline__ void unite_with_above(shared_array<unsigned> labels, unsigned node, unsigned row,
                                                        unsigned above, int lane)
{
    const bool west = row << 1 >> lane & 1, east = row >> 1 >> lane & 1;
    const bool north_west = above << 1 >> lane & 1, north = above >> lane & 1, north_east = above >> 1 >> lane & 1;
    if (north) {
        if (!(west && north_west)) unite(labels, node, node - LABEL_TILE);
        return;
    }
    if (north_west && !west) unite(labels, node, node - LABEL_TILE - 1);
    if (north_east && !east) unite(labels, node, node - LABEL_TILE + 1);
}

/* Labels the tile at (left, top), which a block of LABEL_TILE x LABEL_TILE threads has; each brings the class of its
 * pixel, CANNY_NONE outside of the image. The labels go to labels[height * width + 1], whose last one is "strong". */
__device__ __forceinline__ void label_tile(unsigned char pixel_class, int left, int top, int width, int height,
                                           unsigned *labels)
{
    SHARED(unsigned, tile, LABEL_PIXELS + 1);
    SHARED(unsigned, rows, LABEL_TILE + 1); /* a bit for every edge pixel; row -1 has none */
    const int lane = (int)threadIdx.x, row = (int)threadIdx.y;
    const unsigned node = (unsigned)(row * LABEL_TILE + lane), strong_node = LABEL_PIXELS;
    const unsigned candidates = __ballot_sync(FULL_WARP, pixel_class != CANNY_NONE);
    const unsigned strong = __ballot_sync(FULL_WARP, pixel_class == CANNY_STRONG);
    if (pixel_class != CANNY_NONE) {
        const unsigned run = run_around(candidates, lane);
        tile[node] = run & strong ? strong_node : (unsigned)(row * LABEL_TILE + 31 - __clz((int)run));
    }
    if (lane == 0) rows[row + 1] = candidates;
    if (node == 0) {
        rows[0] = 0;
        tile[strong_node] = strong_node;
    }
    __syncthreads();
    if (pixel_class != CANNY_NONE) unite_with_above(tile, node, candidates, rows[row], lane);
    __syncthreads();

    const unsigned n_pixels = (unsigned)width * (unsigned)height;
    if (left + lane < width && top + row < height) {
        unsigned label = NO_LABEL;
        if (pixel_class != CANNY_NONE) {
            const unsigned root = find_root(tile, node);
            label = root == strong_node ? n_pixels
                                        : (unsigned)(top + (int)root / LABEL_TILE) * (unsigned)width +
                                              (unsigned)(left + (int)root % LABEL_TILE);
        }
        labels[(size_t)(top + row) * (size_t)width + (size_t)(left + lane)] = label;
    }
    if (left == 0 && top == 0 && node == 0) labels[n_pixels] = n_pixels;
}

#endif
