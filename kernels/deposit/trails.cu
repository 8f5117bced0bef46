/* The device memory of deposit, and evaporation: a thread an entry, as JPDC §3.3, unless the rung has another way. */
#include <stdlib.h>

#include "kernels/deposit/trails.h"

enum { EVAPORATE, DEPOSIT, N_STAGES };

typedef struct gpu_trails {
    dp_trails base;
    dp_device device;
    device_memory memory;
    dp_params params;
    const deposit_rung *rung;
} gpu_trails;

static __global__ void evaporate(dp_device device, float keep)
{
    const int entry = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (entry < device.n * device.n) device.pheromone[entry] *= keep;
}

static ab_status run_stage(ab_work *work, int stage)
{
    const gpu_trails *trails = (const gpu_trails *)work;
    const dp_device *device = &trails->device;
    const int block = trails->params.block;
    const float keep = (float)(1.0 - trails->params.rho);
    if (stage == DEPOSIT) return trails->rung->deposit(device, block);
    if (trails->rung->evaporate) return trails->rung->evaporate(device, block, keep);
    LAUNCH(evaporate, ceil_div(device->n * device->n, block), block, 0)(*device, keep);
    return AB_LAUNCHED("evaporate");
}

static void close_trails(ab_work *work)
{
    gpu_trails *trails = (gpu_trails *)work;
    if (!trails) return;
    device_free(&trails->memory);
    free(trails);
}

static size_t matrix_size(const dp_device *device)
{
    return (size_t)device->n * (size_t)device->n;
}

static ab_status read_trails(dp_trails *base, float *pheromone)
{
    const dp_device *device = &((const gpu_trails *)base)->device;
    CUDA_TRY(cudaMemcpy(pheromone, device->pheromone, matrix_size(device) * sizeof(float), cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status count_loads(dp_trails *base, uint64_t *loads)
{
    gpu_trails *trails = (gpu_trails *)base;
    unsigned long long counted = 0;
    if (!trails->rung->count) return ab_unsupported("its kernel does not count loads");
    if (!trails->device.loads) AB_TRY(device_allocate(&trails->memory, &trails->device.loads, 1));
    CUDA_TRY(cudaMemset(trails->device.loads, 0, sizeof counted));
    AB_TRY(trails->rung->count(&trails->device, trails->params.block));
    CUDA_TRY(cudaMemcpy(&counted, trails->device.loads, sizeof counted, cudaMemcpyDeviceToHost));
    *loads = counted;
    return ab_ok();
}

static const ab_work_methods work_methods = {N_STAGES, {"evaporate", "deposit"}, run_stage, close_trails};
static const dp_methods trails_methods = {read_trails, count_loads};

static ab_status upload_tours(const dp_device *device, const int32_t *tours, int *to)
{
    const size_t tour = (size_t)(device->n + 1) * sizeof(int), pitch = (size_t)device->pitch * sizeof(int);
    const size_t n_ants = (size_t)device->n_ants;
    CUDA_TRY(cudaMemset(to, 0xff, n_ants * pitch));
    CUDA_TRY(cudaMemcpy2D(to, pitch, tours, tour, tour, n_ants, cudaMemcpyHostToDevice));
    return ab_ok();
}

static ab_status initialise(gpu_trails *trails, const tsp_snapshot *snapshot)
{
    dp_device *device = &trails->device;
    device_memory *memory = &trails->memory;
    const size_t n_ants = (size_t)device->n_ants, size = matrix_size(device);
    int *tours = NULL;
    long long *lengths = NULL;
    AB_TRY(device_allocate(memory, &device->pheromone, size));
    AB_TRY(device_allocate(memory, &tours, n_ants * (size_t)device->pitch));
    AB_TRY(device_allocate(memory, &lengths, n_ants));
    CUDA_TRY(cudaMemcpy(device->pheromone, snapshot->pheromone, size * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(lengths, snapshot->lengths, n_ants * sizeof *lengths, cudaMemcpyHostToDevice));
    device->tours = tours;
    device->lengths = lengths;
    return upload_tours(device, snapshot->tours, tours);
}

extern "C" ab_status AB_GPU(deposit_open)(const deposit_rung *rung, const tsp_snapshot *snapshot,
                                          const dp_params *params, dp_trails **opened)
{
    AB_TRY(dp_check(snapshot->n, params));
    gpu_trails *trails = (gpu_trails *)calloc(1, sizeof *trails);
    if (!trails) return ab_failed("out of memory");
    trails->base.work.methods = &work_methods;
    trails->base.methods = &trails_methods;
    trails->device.n = snapshot->n;
    trails->device.n_ants = params->n_ants;
    trails->device.pitch = ceil_div(snapshot->n, params->block) * params->block + 1;
    trails->params = *params;
    trails->rung = rung;
    const ab_status status = initialise(trails, snapshot);
    if (status.code == AB_OK)
        *opened = &trails->base;
    else
        close_trails(&trails->base.work);
    return status;
}
