/* convolution/adaptive-tiling: 1 x T tiling with as many tiles as the shared memory of a block holds on this device
 * (eqs. 6 to 8). Pixels are floats here, as in the report's §4.2, where its eq. 6 has shorts; and T is rounded down
 * where its eq. 8 rounds up, which does not fit. On an H100 T is 50 for 5 x 5 and a multiprocessor has one block,
 * which does not load while it computes. Source: KTH §3.5.1. */
#include "kernels/convolution/tiling.h"

static ab_status shared_bytes(int *bytes)
{
    int device = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return ab_ok();
}

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    int bytes = 0;
    AB_TRY(shared_bytes(&bytes));
    const int pixels = bytes / (int)sizeof(float), apron = params->width - 1;
    const int left_and_right = apron * (params->block_y + apron);
    const int per_tile = params->block_x * (params->block_y + apron);
    const int tiles = max((pixels - left_and_right) / per_tile, 1);
    if (tiles == 1)
        AB_PLAN("adaptive-tiling: one tile");
    else if (tiles * params->block_x < device->to.width)
        AB_PLAN("adaptive-tiling: several blocks of several tiles");
    else
        AB_PLAN("adaptive-tiling: a block per row of tiles");
    return tiling_convolve(device, params, tiles);
}

AB_RUNG(convolution_rung, convolution_adaptive_tiling) = {.convolve = convolve, .check = tile_check};
