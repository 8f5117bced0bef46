/* What the GPU implementations of colour-edge share: the device memory of a detector, and transfers around it.
 */
#ifndef ANTBENCH_COLOUR_EDGE_PIPELINE_H
#define ANTBENCH_COLOUR_EDGE_PIPELINE_H

#include "kernels/colour_edge/pixel.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/warp.h"
#include "kernels/edges/detector.h"

/* Device memory of a detector, passed to kernels by value. A plane is [height][width]. */
typedef struct ce_device {
    int width, height;           /* pixels */
    ce_taps taps;                /* taps of the Gaussian */
    double factors[2];           /* ce_threshold_factor of volume and intensity */
    const uchar4 *image;         /* plane: R, G, B and one byte ignored */
    float4 *columns;             /* plane: R, G, B blurred down the columns, 0; NULL where not kept */
    float2 *colour;              /* plane: volume, intensity; NULL where not kept */
    float4 *gradients;           /* plane: the magnitudes by ce_magnitude; NULL where not kept */
    unsigned long long *sums;    /* [CE_MAX_SUMS][CE_MAGNITUDES] in fixed point, as the implementation uses them */
    float *thresholds;           /* [CE_MAGNITUDES], on a boundary of 16 bytes */
    unsigned char *edges;        /* plane: before thinning; NULL where not kept, or without thinning */
    unsigned char *half_thinned; /* plane: between the two halves of thinning */
    unsigned char *map;          /* plane: the result, 0 and 1 */
    const unsigned char *tables; /* [2][512]: guo_hall_tables */
    int step;                    /* ce_sample: what a DETECT is */
    void *scratch;               /* the rung's own, as many bytes as it asked for, uninitialised; else NULL */
} ce_device;

enum { CE_MAX_SUMS = 1024 };

/* A way of finding edges, as registry.def names it. */
typedef struct colour_edge_rung {
    /* Enqueues what finds the edges of device->image into device->map; run counts the calls from 0. */
    ab_status (*detect)(const ce_device *device, int thinning_passes, unsigned run);
    /* Whether columns, gradients and edges are kept too. */
    bool keeps_all = false;
    /* What must hold beyond ed_check, AB_UNSUPPORTED else; asks for shared memory (device_allow_shared). NULL: nothing.
     */
    ab_status (*check)(const ed_image *image, const ed_params *params) = NULL;
    /* Whether detect keeps to ce_device.step. */
    bool has_steps = false;
    /* Whether the colours are kept. */
    bool keeps_colour = true;
    /* Bytes of ce_device.scratch. NULL: none. */
    size_t (*scratch_bytes)(const ed_image *image, const ed_params *params) = NULL;
} colour_edge_rung;

static __host__ __device__ __forceinline__ size_t ce_at(const ce_device &device, int x, int y)
{
    return (size_t)y * (size_t)device.width + (size_t)x;
}

/* x, or the nearest of 0 .. n-1 where it is outside. */
static __device__ __forceinline__ int ce_clamp(int x, int n)
{
    return min(max(x, 0), n - 1);
}

/* The threshold of one magnitude from its sum over the image. */
static __device__ __forceinline__ float ce_device_threshold(const ce_device &device, int magnitude,
                                                            unsigned long long sum)
{
    return ce_threshold(sum, device.factors[magnitude / 2]);
}

static __device__ __forceinline__ unsigned long long ce_warp_sum(unsigned long long value)
{
    for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(FULL_WARP, value, offset);
    return value;
}

/* Adds up mine[CE_MAGNITUDES] over all threads of a block of n_warps warps. Thread i < CE_MAGNITUDES gets the sum of
 * magnitude i, the others 0. `warps` has n_warps * CE_MAGNITUDES elements of shared memory. */
static __device__ __forceinline__ unsigned long long ce_block_sum(const unsigned long long *mine, int thread,
                                                                  int n_warps, shared_array<unsigned long long> warps)
{
    for (int i = 0; i < CE_MAGNITUDES; ++i) {
        const unsigned long long sum = ce_warp_sum(mine[i]);
        if (thread % WARP_SIZE == 0) warps[thread / WARP_SIZE * CE_MAGNITUDES + i] = sum;
    }
    __syncthreads();
    unsigned long long total = 0;
    if (thread < CE_MAGNITUDES)
        for (int i = 0; i < n_warps; ++i) total += warps[i * CE_MAGNITUDES + thread];
    return total;
}

extern "C" {

/* Opens a detector around a rung. AB_UNSUPPORTED when the image does not fit. */
ab_status AB_GPU(colour_edge_open)(const colour_edge_rung *rung, const ed_image *image, const ed_params *params,
                                   ed_detector **detector);

/* A detector of kernels a step, with its own blur and gradient: device->step of it. */
ab_status AB_GPU(ce_detect)(const ce_device *device, int thinning_passes, ab_status (*blur)(const ce_device *),
                            ab_status (*gradient)(const ce_device *));

/* The stages of colour-edge/gpu, one launcher a file. */
ab_status AB_GPU(ce_blur)(const ce_device *device);                       /* image -> columns -> colour */
ab_status AB_GPU(ce_blur_acos)(const ce_device *device);                  /* the same, the hue by an arc cosine */
ab_status AB_GPU(ce_gradient)(const ce_device *device);                   /* colour -> gradients */
ab_status AB_GPU(ce_reduce)(const ce_device *device);                     /* gradients -> sums -> thresholds */
ab_status AB_GPU(ce_mark)(const ce_device *device, unsigned char *edges); /* gradients, thresholds -> edges */
/* One sub-iteration, 0 or 1. */
ab_status AB_GPU(ce_thin)(const ce_device *device, const unsigned char *from, unsigned char *to, int sub_iteration);
}

#endif
