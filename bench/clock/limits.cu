/* The kernels that measure the limits of a GPU (bench/clock/gpu.h, gpu_limit_open). Each does one thing and as little
 * else as possible.
 *
 *   copy        cudaMemcpyAsync inside the GPU's memory
 *   fma         chains of fused multiply-adds in registers, as many as hide their latency, on every multiprocessor
 *   shared      16-byte reads of shared memory without bank conflicts
 *   l2-latency  one thread follows pointers through memory that is in the L2 cache, past the L1 cache
 *   launch      kernels that do nothing, one after another
 */
#include <math.h>
#include <stdlib.h>

#include "bench/clock/gpu.h"
#include "kernels/cuda/device_memory.h"

enum { COPY_BYTES = 1 << 28 };
enum { THREADS = 256, BLOCKS_PER_SM = 8 };
enum { FMA_CHAINS = 8, FMA_STEPS = 4096 };
enum { SHARED_FOURS = 1024, SHARED_STEPS = 2048 };
enum { L2_BYTES = 4 << 20, L2_LINE = 128, L2_LOADS = 2048 };
enum { LAUNCHES = 100 };

typedef struct limit_work {
    ab_work work; /* first member, as in every state */
    gpu_limit limit;
    int blocks; /* number of blocks that fill the device */
    device_memory memory;
    char *from, *to; /* copy: [COPY_BYTES] */
    float *sums;     /* fma, shared: [blocks][THREADS], so that the compiler keeps the computation */
    int *next;       /* l2-latency: [L2_BYTES / 4]; start of the chain, and at the end where it arrived */
} limit_work;

/* ---- Kernels ---- */

static __global__ void __launch_bounds__(THREADS) multiply_add(float *sums, float factor)
{
    float chain[FMA_CHAINS], sum = 0.0f;
#pragma unroll
    for (int i = 0; i < FMA_CHAINS; ++i) chain[i] = (float)(threadIdx.x + i);
#pragma unroll 16
    for (int step = 0; step < FMA_STEPS; ++step)
#pragma unroll
        for (int i = 0; i < FMA_CHAINS; ++i) chain[i] = chain[i] * factor + 1.0f;
#pragma unroll
    for (int i = 0; i < FMA_CHAINS; ++i) sum += chain[i];
    sums[blockIdx.x * THREADS + threadIdx.x] = sum;
}

static __global__ void __launch_bounds__(THREADS) read_shared(float *sums)
{
    SHARED(float4, fours, SHARED_FOURS);
    for (int i = (int)threadIdx.x; i < SHARED_FOURS; i += THREADS) fours[i] = make_float4(1.0f, 2.0f, 3.0f, (float)i);
    __syncthreads();
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 8
    for (int step = 0; step < SHARED_STEPS; ++step) {
        const float4 four = fours[(threadIdx.x + 32 * step) % SHARED_FOURS];
        sum.x += four.x;
        sum.y += four.y;
        sum.z += four.z;
        sum.w += four.w;
    }
    sums[blockIdx.x * THREADS + threadIdx.x] = sum.x + sum.y + sum.z + sum.w;
}

/* Links all lines to a ring, in an order that keeps neighbours far apart. */
static __global__ void link_lines(int *next)
{
    const int n = L2_BYTES / L2_LINE, per_line = L2_LINE / (int)sizeof(int);
    const int line = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (line < n) next[line * per_line] = (line + 10007) % n * per_line;
}

static __global__ void follow(int *next)
{
    int at = 0;
    for (int load = 0; load < L2_LOADS; ++load) at = __ldcg(&next[at]);
    next[1] = at; /* this word is free, because links are at the start of a line */
}

static __global__ void do_nothing()
{
}

/* ---- The work ---- */

static ab_status run_limit(ab_work *base, int)
{
    const limit_work *work = (const limit_work *)base;
    switch (work->limit) {
    case GPU_COPY:
        CUDA_TRY(cudaMemcpyAsync(work->to, work->from, COPY_BYTES, cudaMemcpyDeviceToDevice));
        break;
    case GPU_FMA:
        LAUNCH(multiply_add, work->blocks, THREADS, 0)(work->sums, 0.5f);
        break;
    case GPU_SHARED:
        LAUNCH(read_shared, work->blocks, THREADS, 0)(work->sums);
        break;
    case GPU_L2_LATENCY:
        LAUNCH(follow, 1, 1, 0)(work->next);
        break;
    default:
        for (int i = 0; i < LAUNCHES; ++i) LAUNCH(do_nothing, 1, 1, 0)();
    }
    return AB_LAUNCHED("a limit's kernel");
}

static void close_limit(ab_work *base)
{
    limit_work *work = (limit_work *)base;
    if (!work) return;
    device_free(&work->memory);
    free(work);
}

static double amount_of(const limit_work *work)
{
    const long long threads = (long long)work->blocks * THREADS;
    const long long amounts[GPU_LIMITS] = {2LL * COPY_BYTES, 2LL * FMA_CHAINS * FMA_STEPS * threads,
                                           (long long)sizeof(float4) * SHARED_STEPS * threads, L2_LOADS, LAUNCHES};
    return (double)amounts[work->limit];
}

static ab_status initialise(limit_work *work)
{
    int device = 0, multiprocessors = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    work->blocks = multiprocessors * BLOCKS_PER_SM;
    if (work->limit == GPU_COPY) {
        AB_TRY(device_allocate(&work->memory, &work->from, COPY_BYTES));
        AB_TRY(device_allocate(&work->memory, &work->to, COPY_BYTES));
        CUDA_TRY(cudaMemset(work->from, 1, COPY_BYTES));
    } else if (work->limit == GPU_L2_LATENCY) {
        AB_TRY(device_allocate(&work->memory, &work->next, L2_BYTES / sizeof(int)));
        LAUNCH(link_lines, ceil_div(L2_BYTES / L2_LINE, THREADS), THREADS, 0)(work->next);
        AB_TRY(AB_LAUNCHED("link_lines"));
    } else {
        AB_TRY(device_allocate(&work->memory, &work->sums, (size_t)work->blocks * THREADS));
    }
    return ab_ok();
}

extern "C" ab_status gpu_limit_open(gpu_limit limit, double *amount, ab_work **opened)
{
    static const ab_work_methods methods = {1, {"limit"}, run_limit, close_limit};
    limit_work *work = (limit_work *)calloc(1, sizeof *work);
    if (!work) return ab_failed("out of memory");
    work->work.methods = &methods;
    work->limit = limit;
    const ab_status status = initialise(work);
    *amount = amount_of(work);
    if (status.code == AB_OK)
        *opened = &work->work;
    else
        close_limit(&work->work);
    return status;
}
