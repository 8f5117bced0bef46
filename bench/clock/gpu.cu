/* Implements bench/clock/gpu.h with the CUDA runtime. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/clock/gpu.h"
#include "kernels/cuda/cuda_port.h"

struct gpu_clock {
    int n_marks;
    cudaEvent_t *marks; /* [n_marks] */
    void *flushed;      /* [flushed_bytes] on the GPU, allocated by the first flush */
    size_t flushed_bytes;
};

static int attribute(cudaDeviceAttr which, int device)
{
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

static void format_uuid(const cudaUUID_t *uuid, char text[48])
{
    int at = snprintf(text, 48, "GPU-");
    for (int i = 0; i < 16; ++i)
        at += snprintf(text + at, 48 - (size_t)at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                       (unsigned char)uuid->bytes[i]);
}

extern "C" ab_status gpu_open(int device, gpu_info *info)
{
    int count = 0;
    /* This query comes first: without a driver the runtime only reports that the driver is too old. */
    CUDA_TRY(cudaDriverGetVersion(&info->driver_version));
    CUDA_TRY(cudaRuntimeGetVersion(&info->runtime_version));
    const cudaError_t error = info->driver_version ? cudaGetDeviceCount(&count) : cudaErrorInsufficientDriver;
    if (error != cudaSuccess || count == 0)
        return gpu_missing(info->driver_version, info->runtime_version,
                           error == cudaSuccess ? "" : cudaGetErrorString(error));
    if (device >= count) return ab_unsupported("no CUDA device %d: this machine has %d, counted from 0", device, count);
    CUDA_TRY(cudaSetDevice(device));
    CUDA_TRY(cudaFree(NULL)); /* create the context here, outside of every measurement */
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, device));
    snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, properties.name);
    CUDA_TRY(cudaDeviceGetPCIBusId(info->pci_bus_id, (int)sizeof info->pci_bus_id, device));
    format_uuid(&properties.uuid, info->uuid);
    info->device = device;
    info->sm_count = properties.multiProcessorCount;
    info->compute_capability = properties.major * 10 + properties.minor;
    info->memory_bytes = properties.totalGlobalMem;
    info->l2_bytes = (size_t)properties.l2CacheSize;
    info->shared_per_sm_bytes = properties.sharedMemPerMultiprocessor;
    info->shared_per_block_bytes = properties.sharedMemPerBlockOptin;
    info->clock_mhz = attribute(cudaDevAttrClockRate, device) / 1000;
    info->memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, device) / 1000;
    info->memory_bus_bits = properties.memoryBusWidth;
    info->ecc = properties.ECCEnabled != 0;
    return ab_ok();
}

extern "C" void gpu_close(void)
{
    (void)cudaDeviceReset();
}

extern "C" ab_status gpu_clock_open(int n_marks, gpu_clock **opened)
{
    gpu_clock *clock = (gpu_clock *)calloc(1, sizeof *clock);
    if (clock) clock->marks = (cudaEvent_t *)calloc((size_t)n_marks, sizeof *clock->marks);
    if (!clock || !clock->marks) {
        free(clock);
        return ab_failed("out of memory for %d marks", n_marks);
    }
    *opened = clock;
    for (; clock->n_marks < n_marks; ++clock->n_marks) CUDA_TRY(cudaEventCreate(&clock->marks[clock->n_marks]));
    return ab_ok();
}

extern "C" void gpu_clock_close(gpu_clock *clock)
{
    if (!clock) return;
    for (int i = 0; i < clock->n_marks; ++i) cudaEventDestroy(clock->marks[i]);
    cudaFree(clock->flushed);
    free(clock->marks);
    free(clock);
}

static __global__ void wait_for_ns(unsigned long long ns)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
}

extern "C" ab_status gpu_clock_delay(gpu_clock *, double seconds)
{
    wait_for_ns<<<1, 1>>>((unsigned long long)(1e9 * seconds));
    return AB_LAUNCHED("wait_for_ns");
}

static ab_status allocate_flushed(gpu_clock *clock)
{
    int device = 0, l2_bytes = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    clock->flushed_bytes = 2 * (size_t)l2_bytes;
    CUDA_TRY(cudaMalloc(&clock->flushed, clock->flushed_bytes));
    return ab_ok();
}

extern "C" ab_status gpu_clock_flush(gpu_clock *clock)
{
    if (!clock->flushed) AB_TRY(allocate_flushed(clock));
    CUDA_TRY(cudaMemsetAsync(clock->flushed, 0x5a, clock->flushed_bytes));
    return ab_ok();
}

extern "C" ab_status gpu_clock_mark(gpu_clock *clock, int mark)
{
    CUDA_TRY(cudaEventRecord(clock->marks[mark]));
    return ab_ok();
}

extern "C" ab_status gpu_clock_wait(gpu_clock *clock, int mark)
{
    CUDA_TRY(cudaEventSynchronize(clock->marks[mark]));
    return ab_ok();
}

extern "C" ab_status gpu_clock_elapsed(const gpu_clock *clock, int from, int to, double *ms)
{
    float elapsed = 0.0f;
    CUDA_TRY(cudaEventElapsedTime(&elapsed, clock->marks[from], clock->marks[to]));
    *ms = elapsed;
    return ab_ok();
}

extern "C" ab_status gpu_residence_of(const ab_launch *launch, gpu_residence *residence)
{
    int device = 0, most_threads = 0, warp = 0;
    cudaFuncAttributes attributes;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    CUDA_TRY(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device));
    CUDA_TRY(cudaFuncGetAttributes(&attributes, launch->kernel));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&residence->blocks, launch->kernel, launch->threads,
                                                           launch->shared_bytes));
    residence->registers = attributes.numRegs;
    residence->shared_bytes = (int)(attributes.sharedSizeBytes + launch->shared_bytes);
    residence->occupancy = (double)(residence->blocks * ceil_div(launch->threads, warp)) / (most_threads / warp);
    return ab_ok();
}

/* Part of the runtime. NVIDIA's wheels lack cuda_profiler_api.h, the header that declares them. */
extern "C" cudaError_t cudaProfilerStart(void);
extern "C" cudaError_t cudaProfilerStop(void);

extern "C" void gpu_profiler_begin(void)
{
    (void)cudaProfilerStart();
}

extern "C" void gpu_profiler_end(void)
{
    (void)cudaProfilerStop();
}
