/* The mean of each gradient magnitude over the image, times its coefficient: the thresholds.
 *
 * CUDA has no barrier across blocks, so there are two stages: each block adds up a share of the image, then one block
 * adds up the blocks. The four magnitudes of a pixel come in one 128-bit load. Inside a block warps add by shuffles
 * (the thesis, after NVIDIA's example: trees in shared memory). The sums are integers in fixed point, so that they are
 * the same in any order, and the same as a CPU's. Bound by memory: 16 bytes per pixel. Source: thesis §6.5.2, step 3;
 * Harris, Optimizing parallel reduction in CUDA (2007).
 */
#include "kernels/colour_edge/pipeline.h"

enum { N_THREADS = 256, N_WARPS = N_THREADS / WARP_SIZE, PIXELS_PER_THREAD = 8 };

static __global__ void __launch_bounds__(N_THREADS) sum_image(ce_device device)
{
    SHARED(unsigned long long, warps, N_WARPS *CE_MAGNITUDES);
    const size_t n = (size_t)device.width * (size_t)device.height, stride = (size_t)gridDim.x * N_THREADS;
    const int thread = (int)threadIdx.x;
    unsigned long long sums[CE_MAGNITUDES] = {0, 0, 0, 0};
    for (size_t i = (size_t)blockIdx.x * N_THREADS + threadIdx.x; i < n; i += stride) {
        const float4 m = device.gradients[i];
        sums[CE_M1_VOLUME] += (unsigned)ce_fixed_point(m.x);
        sums[CE_M2_VOLUME] += (unsigned)ce_fixed_point(m.y);
        sums[CE_M1_INTENSITY] += (unsigned)ce_fixed_point(m.z);
        sums[CE_M2_INTENSITY] += (unsigned)ce_fixed_point(m.w);
    }
    const unsigned long long total = ce_block_sum(sums, thread, N_WARPS, warps);
    if (thread < CE_MAGNITUDES) device.sums[(size_t)blockIdx.x * CE_MAGNITUDES + threadIdx.x] = total;
}

static __global__ void __launch_bounds__(N_THREADS) sum_blocks(ce_device device, int n_blocks)
{
    SHARED(unsigned long long, warps, N_WARPS *CE_MAGNITUDES);
    const int thread = (int)threadIdx.x;
    unsigned long long sums[CE_MAGNITUDES] = {0, 0, 0, 0};
    for (int block = thread; block < n_blocks; block += N_THREADS)
        for (int i = 0; i < CE_MAGNITUDES; ++i) sums[i] += device.sums[(size_t)block * CE_MAGNITUDES + (size_t)i];
    const unsigned long long total = ce_block_sum(sums, thread, N_WARPS, warps);
    if (thread < CE_MAGNITUDES) device.thresholds[thread] = ce_device_threshold(device, thread, total);
}

extern "C" ab_status AB_GPU(ce_reduce)(const ce_device *device)
{
    const size_t n = (size_t)device->width * (size_t)device->height, share = N_THREADS * PIXELS_PER_THREAD;
    const size_t wanted = (n + share - 1) / share;
    const int n_blocks = wanted < CE_MAX_SUMS ? (int)wanted : CE_MAX_SUMS;
    LAUNCH(sum_image, n_blocks, N_THREADS, 0)(*device);
    AB_TRY(AB_LAUNCHED("sum_image"));
    LAUNCH(sum_blocks, 1, N_THREADS, 0)(*device, n_blocks);
    return AB_LAUNCHED("sum_blocks");
}
