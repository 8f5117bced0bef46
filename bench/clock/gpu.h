/* The GPU as the harness uses it: its description, and a clock on its default stream.
 *
 * gpu.cu implements this with nvcc. Without nvcc, gpu_none.c does, and finds no device. */
#ifndef ANTBENCH_GPU_H
#define ANTBENCH_GPU_H

#include <stdbool.h>

#include "kernels/cuda/launches.h"
#include "kernels/implementation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gpu_info {
    char name[96];       /* "NVIDIA H100 80GB HBM3" */
    char pci_bus_id[32]; /* id for NVML, "0000:65:00.0" */
    char uuid[48];       /* "GPU-..." */
    int device;          /* CUDA's index of the device */
    int sm_count;
    int compute_capability; /* 90 for 9.0 */
    size_t memory_bytes, l2_bytes, shared_per_sm_bytes, shared_per_block_bytes;
    int clock_mhz, memory_clock_mhz, memory_bus_bits;
    bool ecc;
    int driver_version, runtime_version; /* versions as CUDA counts: 13000 is 13.0 */
} gpu_info;

/* Makes device `device` current and describes it. Returns AB_UNSUPPORTED with the reason if there is no such device. */
ab_status gpu_open(int device, gpu_info *info);

/* Explains why there is no GPU and returns AB_UNSUPPORTED. `driver_version` is the CUDA version of the NVIDIA driver, 0
 * without a driver. `runtime_version` is the version that the program was built with. `error` is the runtime's error,
 * or "". */
ab_status gpu_missing(int driver_version, int runtime_version, const char *error);

/* Frees everything that this process holds on the GPU, including its context. */
void gpu_close(void);

struct ab_nvml;

/* Describes the GPU for meta.json as JSON text, which the caller frees. Adds the driver's version, the power limit and
 * the temperature if nvml knows them; nvml may be NULL. Returns NULL when out of memory. */
char *gpu_describe(const gpu_info *info, struct ab_nvml *nvml);

/* A series of marks on the default stream. Each mark is a CUDA event. */
typedef struct gpu_clock gpu_clock;

ab_status gpu_clock_open(int n_marks, gpu_clock **clock);
void gpu_clock_close(gpu_clock *clock); /* accepts NULL */
ab_status gpu_clock_mark(gpu_clock *clock, int mark);
ab_status gpu_clock_wait(gpu_clock *clock, int mark); /* waits until the GPU has passed the mark */
/* Enqueues a kernel that only waits for this time, so that the CPU gets ahead of the GPU. */
ab_status gpu_clock_delay(gpu_clock *clock, double seconds);
/* Enqueues a write of twice the size of the L2 cache. Afterwards the cache holds none of its earlier data. */
ab_status gpu_clock_flush(gpu_clock *clock);
/* Returns the milliseconds between two marks that the GPU has passed. */
ab_status gpu_clock_elapsed(const gpu_clock *clock, int from, int to, double *ms);

/* The resources of a multiprocessor that a launch uses, as the driver reports them. */
typedef struct gpu_residence {
    int registers;    /* number of registers per thread */
    int shared_bytes; /* static and dynamic shared memory per block */
    int blocks;       /* number of blocks at once per multiprocessor */
    double occupancy; /* share of a multiprocessor's warps that can be resident, 0 .. 1 */
} gpu_residence;

ab_status gpu_residence_of(const ab_launch *launch, gpu_residence *residence);

/* Mark for a profiler the start and the end of what it should record, as with Nsight Compute's --profile-from-start
 * off. Without a profiler they do nothing. */
void gpu_profiler_begin(void);
void gpu_profiler_end(void);

/* The upper limits of a GPU's speed. */
typedef enum gpu_limit {
    GPU_COPY,       /* bytes read and written by a copy within its memory */
    GPU_FMA,        /* operations in single precision; a multiply-add counts as two */
    GPU_SHARED,     /* bytes read from shared memory by all multiprocessors together */
    GPU_L2_LATENCY, /* loads from the L2 cache, each of which waits for the one before */
    GPU_LAUNCH,     /* launches of empty kernels */
    GPU_LIMITS
} gpu_limit;

/* Opens a work with one stage, which does *amount of the limit's operations (bench/clock/limits.cu). Returns
 * AB_UNSUPPORTED if there is not enough memory. */
ab_status gpu_limit_open(gpu_limit limit, double *amount, ab_work **work);

#ifdef __cplusplus
}
#endif
#endif
