/* Kernels that lack a barrier or an initialisation. In ascending order the racing ones are right by luck. */
#include "kernels/cuda/cuda_port.h"
#include "tests/planted/planted.h"

/* Each thread stores its number, and the next one reads it without waiting. */
static __global__ void missing_syncthreads(int *out)
{
    SHARED(int, number, RACE_THREADS);
    const int thread = threadIdx.x;
    number[thread] = thread;
    out[blockIdx.x * blockDim.x + threadIdx.x] = thread == 0 ? 0 : number[thread - 1] + 1;
}

extern "C" ab_status AB_GPU(planted_missing_syncthreads)(int out[RACE_BLOCKS * RACE_THREADS])
{
    LAUNCH(missing_syncthreads, RACE_BLOCKS, RACE_THREADS, 0)(out);
    return AB_LAUNCHED("missing_syncthreads");
}

/* Each warp stores its number, and warp 0 adds them up without waiting for the others; but it meets itself a few times
 * before it does, so that they only come too late where a warp runs ahead. */
static __global__ void missing_barrier_after_warps(int *out)
{
    SHARED(int, number, RACE_THREADS / 32);
    const int warp = threadIdx.x / 32;
    if (threadIdx.x < RACE_THREADS / 32) number[threadIdx.x] = -100;
    __syncthreads();
    if (threadIdx.x % 32 == 0) number[warp] = warp;
    int sum = 0;
    for (int i = 0; i < 5; i++) sum = __shfl_sync(0xFFFFFFFFu, sum, i);
    for (int i = 0; warp == 0 && i < RACE_THREADS / 32; i++) sum += number[i];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" ab_status AB_GPU(planted_missing_barrier_after_warps)(int out[RACE_BLOCKS * RACE_THREADS])
{
    LAUNCH(missing_barrier_after_warps, RACE_BLOCKS, RACE_THREADS, 0)(out);
    return AB_LAUNCHED("missing_barrier_after_warps");
}

/* Lane 0 stores the warp's number after all have met, and the other lanes read it without meeting again. */
static __global__ void missing_syncwarp(int *out)
{
    SHARED(int, number, RACE_THREADS / 32);
    const int warp = threadIdx.x / 32;
    __syncwarp();
    if (threadIdx.x % 32 == 0) number[warp] = warp;
    out[blockIdx.x * blockDim.x + threadIdx.x] = number[warp];
}

extern "C" ab_status AB_GPU(planted_missing_syncwarp)(int out[RACE_BLOCKS * RACE_THREADS])
{
    LAUNCH(missing_syncwarp, RACE_BLOCKS, RACE_THREADS, 0)(out);
    return AB_LAUNCHED("missing_syncwarp");
}

/* Each block reads what the block before it wrote in the same launch. */
static __global__ void race_between_blocks(int *out)
{
    out[blockIdx.x] = blockIdx.x == 0 ? 1 : out[blockIdx.x - 1] + 1;
}

extern "C" ab_status AB_GPU(planted_race_between_blocks)(int out[RACE_BLOCKS])
{
    LAUNCH(race_between_blocks, RACE_BLOCKS, 1, 0)(out);
    return AB_LAUNCHED("race_between_blocks");
}

/* Each block reads shared memory before it writes it, which the next block must not find there. */
static __global__ void unset_shared(float *out)
{
    SHARED(float, fixed, 1);
    SHARED_DYNAMIC(float, chosen, 0, 1);
    out[blockIdx.x] = fixed[0] + chosen[0];
    fixed[0] = chosen[0] = 1.0f;
}

extern "C" ab_status AB_GPU(planted_unset_shared)(float out[RACE_BLOCKS])
{
    LAUNCH(unset_shared, RACE_BLOCKS, 1, sizeof(float))(out);
    return AB_LAUNCHED("unset_shared");
}

static __global__ void copy(float *to, const float *from)
{
    *to = *from;
}

extern "C" ab_status AB_GPU(planted_unset_device_memory)(float *out)
{
    float *memory;
    CUDA_TRY(cudaMalloc(&memory, sizeof *memory));
    LAUNCH(copy, 1, 1, 0)(out, memory);
    CUDA_TRY(cudaFree(memory));
    return AB_LAUNCHED("copy");
}
