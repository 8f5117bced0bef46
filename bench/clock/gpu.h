/* The GPU as the harness sees it: which one it is, and a clock on its default stream.
 *
 * Built from gpu.cu with nvcc, and from gpu_none.c, which has no device, without. */
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
    char pci_bus_id[32]; /* for NVML */
    char uuid[48];       /* "GPU-..." */
    int device;          /* CUDA index */
    int sm_count;
    int compute_capability; /* 90 for 9.0 */
    size_t memory_bytes, l2_bytes, shared_per_sm_bytes, shared_per_block_bytes;
    int clock_mhz, memory_clock_mhz, memory_bus_bits;
    bool ecc;
    int driver_version, runtime_version; /* CUDA's: 13000 is 13.0 */
} gpu_info;

/* Makes device `device` current and describes it. AB_UNSUPPORTED, with the reason, when there is no such device. */
ab_status gpu_open(int device, gpu_info *info);

/* Why there is no GPU, told from the CUDA version that the NVIDIA driver runs (0: there is no driver), the version that
 * the program is built with, and the runtime's error, "" where it has none. AB_UNSUPPORTED. */
ab_status gpu_missing(int driver_version, int runtime_version, const char *error);

/* Frees all that this process has on the GPU, its context too. */
void gpu_close(void);

struct ab_nvml;

/* Describes the GPU for meta.json as JSON text, which the caller frees: with the driver's version, power limit and
 * temperature where nvml (may be NULL) knows them. NULL when out of memory. */
char *gpu_describe(const gpu_info *info, struct ab_nvml *nvml);

/* A series of marks on the default stream, each a CUDA event. */
typedef struct gpu_clock gpu_clock;

ab_status gpu_clock_open(int n_marks, gpu_clock **clock);
void gpu_clock_close(gpu_clock *clock); /* accepts NULL */
ab_status gpu_clock_mark(gpu_clock *clock, int mark);
ab_status gpu_clock_wait(gpu_clock *clock, int mark); /* until the GPU has passed the mark */
/* Enqueues a kernel that only waits for so long, in which the CPU gets ahead of the GPU. */
ab_status gpu_clock_delay(gpu_clock *clock, double seconds);
/* Enqueues a write of twice the L2 cache's size: afterwards the cache holds nothing of what was in it. */
ab_status gpu_clock_flush(gpu_clock *clock);
/* Milliseconds between two marks that it has passed. */
ab_status gpu_clock_elapsed(const gpu_clock *clock, int from, int to, double *ms);

/* What a launch takes of a multiprocessor, as the driver says. */
typedef struct gpu_residence {
    int registers;    /* of a thread */
    int shared_bytes; /* of a block, static and dynamic */
    int blocks;       /* at once on a multiprocessor */
    double occupancy; /* share of the warps that a multiprocessor holds at most, 0 .. 1 */
} gpu_residence;

ab_status gpu_residence_of(const ab_launch *launch, gpu_residence *residence);

/* Says to a profiler that waits for it, as Nsight Compute does with --profile-from-start off, where what it is to look
 * at begins and ends; without one, nothing happens. */
void gpu_profiler_begin(void);
void gpu_profiler_end(void);

/* What a GPU can do at most. */
typedef enum gpu_limit {
    GPU_COPY,       /* bytes read and written by a copy within its memory */
    GPU_FMA,        /* operations in single precision, a multiply-add being two */
    GPU_SHARED,     /* bytes read from shared memory, by all multiprocessors together */
    GPU_L2_LATENCY, /* loads from the L2 cache, each waiting for the one before */
    GPU_LAUNCH,     /* kernels that do nothing */
    GPU_LIMITS
} gpu_limit;

/* A work with one stage, which does *amount of that (bench/clock/limits.cu). AB_UNSUPPORTED where there is not enough
 * memory. */
ab_status gpu_limit_open(gpu_limit limit, double *amount, ab_work **work);

#ifdef __cplusplus
}
#endif
#endif
