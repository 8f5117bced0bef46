/* What Canny's kernels do with the pixels of a tile in shared memory: the rules of canny.h for one pixel. */
#ifndef ANTBENCH_CANNY_TILE_H
#define ANTBENCH_CANNY_TILE_H

#include "kernels/canny/canny.h"

/* The coordinate inside 0 .. n - 1 that stands for i when the border is mirrored without repeating the border pixel, as
 * often as need be. */
static __device__ __forceinline__ int reflected(int i, int n)
{
    if (i >= 0 && i < n) return i;
    if (n == 1) return 0;
    const int period = 2 * (n - 1), place = (i < 0 ? -i : i) % period;
    return place < n ? place : period - place;
}

/* The same when the border pixel is repeated. */
static __device__ __forceinline__ int repeated(int i, int n)
{
    return min(max(i, 0), n - 1);
}

/* gx and gy by the 3x3 Sobel operator at pixels[middle], rows being `pitch` apart. */
static __device__ __forceinline__ int2 sobel(shared_array<unsigned char> pixels, int middle, int pitch)
{
    const int above = middle - pitch, below = middle + pitch;
    const int gx = pixels[above + 1] - pixels[above - 1] + 2 * (pixels[middle + 1] - pixels[middle - 1]) +
                   pixels[below + 1] - pixels[below - 1];
    const int gy = pixels[below - 1] - pixels[above - 1] + 2 * (pixels[below] - pixels[above]) + pixels[below + 1] -
                   pixels[above + 1];
    return make_int2(gx, gy);
}

static __device__ __forceinline__ short magnitude(int2 gradient)
{
    return (short)(abs(gradient.x) + abs(gradient.y));
}

/* Whether magnitudes[middle] is a maximum along the gradient there. */
static __device__ __forceinline__ bool is_maximum(shared_array<short> magnitudes, int middle, int pitch, int2 gradient)
{
    /* Tangents in 1/32768; tan 67.5 degrees is tan 22.5 degrees + 2. */
    const int tangent_22 = 13573;
    const int dx = abs(gradient.x), dy = abs(gradient.y) << 15;
    const short here = magnitudes[middle];
    if (dy < dx * tangent_22) return here > magnitudes[middle - 1] && here >= magnitudes[middle + 1];
    if (dy > dx * tangent_22 + (dx << 16))
        return here > magnitudes[middle - pitch] && here >= magnitudes[middle + pitch];
    const int falling = (gradient.x ^ gradient.y) < 0 ? -1 : 1;
    return here > magnitudes[middle - pitch - falling] && here > magnitudes[middle + pitch + falling];
}

static __device__ __forceinline__ unsigned char classify(short magnitude, bool maximum, int low, int high)
{
    if (!maximum || magnitude <= low) return CANNY_NONE;
    return magnitude > high ? CANNY_STRONG : CANNY_WEAK;
}

#endif
