/* The device memory of choice-info: pheromone and eta, uploaded once, and the weights that a rung makes of them. */
#include <stdlib.h>

#include "kernels/choice_info/weights.h"

typedef struct gpu_weights {
    ci_weights base;
    ci_device device;
    device_memory memory;
    ci_params params;
    const choice_info_rung *rung;
} gpu_weights;

static ab_status run_stage(ab_work *work, int)
{
    const gpu_weights *weights = (const gpu_weights *)work;
    return weights->rung->weigh(&weights->device, &weights->params);
}

static void close_weights(ab_work *work)
{
    gpu_weights *weights = (gpu_weights *)work;
    if (!weights) return;
    device_free(&weights->memory);
    free(weights);
}

static size_t matrix_bytes(const ci_device *device)
{
    return (size_t)device->n_edges * sizeof(float);
}

static ab_status read_weights(ci_weights *base, float *choice_info)
{
    const ci_device *device = &((const gpu_weights *)base)->device;
    CUDA_TRY(cudaMemcpy(choice_info, device->choice_info, matrix_bytes(device), cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status poison(ci_weights *base)
{
    const ci_device *device = &((const gpu_weights *)base)->device;
    CUDA_TRY(cudaMemset(device->choice_info, 0xff, matrix_bytes(device)));
    return ab_ok();
}

static const ab_work_methods work_methods = {1, {"choice"}, run_stage, close_weights};
static const ci_methods weights_methods = {read_weights, poison};

static ab_status upload_visibility(const tsp_snapshot *snapshot, float *to)
{
    const size_t bytes = (size_t)snapshot->n * (size_t)snapshot->n * sizeof(float);
    float *eta = (float *)malloc(bytes);
    if (!eta) return ab_failed("out of memory: %zu MiB for the heuristic", bytes >> 20);
    ci_visibility(snapshot, eta);
    const cudaError_t error = cudaMemcpy(to, eta, bytes, cudaMemcpyHostToDevice);
    free(eta);
    CUDA_TRY(error);
    return ab_ok();
}

static ab_status initialise(gpu_weights *weights, const tsp_snapshot *snapshot)
{
    ci_device *device = &weights->device;
    float *pheromone = NULL, *eta = NULL;
    AB_TRY(device_allocate(&weights->memory, &pheromone, (size_t)device->n_edges));
    AB_TRY(device_allocate(&weights->memory, &eta, (size_t)device->n_edges));
    AB_TRY(device_allocate(&weights->memory, &device->choice_info, (size_t)device->n_edges));
    CUDA_TRY(cudaMemcpy(pheromone, snapshot->pheromone, matrix_bytes(device), cudaMemcpyHostToDevice));
    AB_TRY(upload_visibility(snapshot, eta));
    device->pheromone = pheromone;
    device->eta = eta;
    return ab_ok();
}

extern "C" ab_status AB_GPU(choice_info_open)(const choice_info_rung *rung, const tsp_snapshot *snapshot,
                                              const ci_params *params, ci_weights **opened)
{
    AB_TRY(ci_check(params));
    if (rung->check) AB_TRY(rung->check(params));
    gpu_weights *weights = (gpu_weights *)calloc(1, sizeof *weights);
    if (!weights) return ab_failed("out of memory");
    weights->base.work.methods = &work_methods;
    weights->base.methods = &weights_methods;
    weights->device.n_edges = snapshot->n * snapshot->n;
    weights->params = *params;
    weights->rung = rung;
    const ab_status status = initialise(weights, snapshot);
    if (status.code == AB_OK)
        *opened = &weights->base;
    else
        close_weights(&weights->base.work);
    return status;
}
