/* What the GPU implementations of convolution share: the device memory, opening it around a rung, and filters whose
 * width the compiler knows, so that it unrolls their loops. */
#ifndef ANTBENCH_CONVOLUTION_CONVOLVER_H
#define ANTBENCH_CONVOLUTION_CONVOLVER_H

#include "kernels/convolution/convolution.h"
#include "kernels/cuda/device_memory.h"

/* An image on the device, passed to kernels by value. */
typedef struct conv_plane {
    int width, height; /* pixels */
    int pitch;         /* floats from a row to the next: width rounded up to 128 bytes */
    float *pixels;     /* [height][pitch] */
} conv_plane;

enum { CONV_PITCH = 32 }; /* floats that a pitch is a multiple of */

/* A plane that has no pixels yet. */
static inline conv_plane conv_make_plane(int width, int height)
{
    return {width, height, ceil_div(width, CONV_PITCH) * CONV_PITCH, NULL};
}

/* Floats of a plane. */
static inline size_t conv_plane_size(const conv_plane *plane)
{
    return (size_t)plane->pitch * (size_t)plane->height;
}

typedef struct conv_device {
    conv_plane from, to;
    conv_plane between;   /* after the rows, of a rung in two passes; else without pixels */
    const float *weights; /* [2K + 1][2K + 1] in global memory */
    conv_filter filter;   /* on the host's side */
    void *own;            /* what a rung's prepare made */
} conv_device;

/* A way of convolving, as registry.def names it. */
typedef struct convolution_rung {
    /* Enqueues it on the default stream. */
    ab_status (*convolve)(const conv_device *device, const conv_params *params);
    /* AB_UNSUPPORTED for what it has not. NULL: it has all. */
    ab_status (*check)(const conv_image *image, const conv_params *params) = NULL;
    bool two_passes = false; /* rows, then columns: needs a filter of rank 1 and a plane in between */
    /* Makes what convolve needs besides, outside of the time, into device->own; the image is there. Device memory of
     * `memory` is freed with it. NULL: nothing. */
    ab_status (*prepare)(conv_device *device, const conv_params *params, device_memory *memory) = NULL;
    void (*release)(conv_device *device) = NULL; /* frees device->own, also what a failed prepare left, or NULL */
} convolution_rung;

extern "C" ab_status AB_GPU(convolution_open)(const convolution_rung *rung, const conv_image *image,
                                              const conv_params *params, conv_state **opened);

/* Weights as a kernel's parameter, and so in constant memory: a warp reads one of them at a time, which it broadcasts.
 */
template <int count> struct conv_weights {
    float at[count];
};

template <int count> static conv_weights<count> conv_constant(const double *weights)
{
    conv_weights<count> constant;
    for (int i = 0; i < count; ++i) constant.at[i] = (float)weights[i];
    return constant;
}

/* A radius that is known to the compiler. */
template <int K> struct conv_radius {
    static constexpr int k = K, width = 2 * K + 1, area = width * width;
};

/* Calls `launch` with the conv_radius of a filter. */
template <typename Launch> static ab_status conv_with_radius(int radius, const Launch &launch)
{
    switch (radius) {
    case 1:
        return launch(conv_radius<1>{});
    case 2:
        return launch(conv_radius<2>{});
    case 3:
        return launch(conv_radius<3>{});
    case 4:
        return launch(conv_radius<4>{});
    case 5:
        return launch(conv_radius<5>{});
    case 6:
        return launch(conv_radius<6>{});
    case 7:
        return launch(conv_radius<7>{});
    default:
        static_assert(CONV_MAX_RADIUS == 8, "a case for each radius");
        return launch(conv_radius<8>{});
    }
}

/* The pixel at (x, y), or the nearest one of the image. */
static __device__ __forceinline__ float conv_pixel(const conv_plane &plane, int x, int y)
{
    x = min(max(x, 0), plane.width - 1);
    y = min(max(y, 0), plane.height - 1);
    return plane.pixels[y * plane.pitch + x];
}

#endif
