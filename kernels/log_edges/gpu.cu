/* log-edges/gpu: the image as floats, both convolutions by our fastest rungs, and a thread per pixel for the
 * threshold. Bound by memory: 1 + 4 bytes per pixel, twice 8, and 4 + 1. Source: KTH §1, §6. */
#include "kernels/log_edges/detector.h"

#define RUNG(name) AB_RUNG_OF(convolution_rung, name)
extern "C" const convolution_rung RUNG(convolution_registers), RUNG(convolution_registers_separable);

enum { N_THREADS = 256 };

static __device__ __forceinline__ int column()
{
    return (int)(blockIdx.x * N_THREADS + threadIdx.x);
}

static __global__ void __launch_bounds__(N_THREADS) widen(const unsigned char *grey, conv_plane to)
{
    const int x = column(), y = (int)blockIdx.y;
    if (x < to.width) to.pixels[y * to.pitch + x] = grey[y * to.width + x];
}

static __global__ void __launch_bounds__(N_THREADS) mark(conv_plane laplacian, float limit, unsigned char *edges)
{
    const int x = column(), y = (int)blockIdx.y;
    if (x < laplacian.width) edges[y * laplacian.width + x] = laplacian.pixels[y * laplacian.pitch + x] > limit;
}

static ab_status detect(const log_device *device)
{
    const conv_plane &image = device->smooth.from, &laplacian = device->laplace.to;
    const dim3 grid((unsigned)ceil_div(image.width, N_THREADS), (unsigned)image.height);
    const conv_params gaussian = log_gaussian(), laplace = log_laplacian();
    LAUNCH(widen, grid, N_THREADS, 0)(device->grey, image);
    AB_TRY(AB_LAUNCHED("widen"));
    AB_TRY(RUNG(convolution_registers_separable).convolve(&device->smooth, &gaussian));
    AB_TRY(RUNG(convolution_registers).convolve(&device->laplace, &laplace));
    LAUNCH(mark, grid, N_THREADS, 0)(laplacian, device->limit, device->edges);
    return AB_LAUNCHED("mark");
}

AB_RUNG(log_edges_rung, log_edges_gpu) = {.detect = detect};
