/* A GPU colony of edge ants: its device memory, placement, evaporation, and the pipeline around the rung's kernel.
 *
 * Evaporation reads one matrix and writes the other: 8 bytes per pixel and iteration, 2 MiB for 512 x 512, which stay
 * in the L2 cache of a recent GPU. The thesis maps it to a single tiling block. One block would leave all but one
 * multiprocessor idle, so the grid covers the matrix, four pixels per thread. Source: thesis §5.4.2, §5.4.4.
 */
#include <stdlib.h>

#include "kernels/edge_ants/colony.h"

enum { N_THREADS = 256, PER_THREAD = 4 };

typedef struct gpu_colony {
    ea_colony base;
    ea_device device;
    device_memory memory;
    ea_params params;
    const edge_ants_rung *rung;
    uint64_t seed; /* seed of this run */
    int64_t runs;  /* PLACEs so far */
    int iteration; /* since PLACE */
} gpu_colony;

static __global__ void fill(float4 *pheromone, int n, float value)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) pheromone[i] = make_float4(value, value, value, value);
}

static __global__ void evaporate(const float4 *primary, float4 *secondary, int n, float factor)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const float4 tau = primary[i];
    secondary[i] = make_float4(factor * tau.x, factor * tau.y, factor * tau.z, factor * tau.w);
}

static __global__ void place(ea_device colony, unsigned long long seed)
{
    const int ant = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (ant >= colony.n_ants) return;
    const int pixel = random_pixel(colony, draw(seed, ant, 0));
    colony.position[ant] = pixel;
    for (int i = 0; i < EA_MEMORY; ++i) colony.memory[(size_t)ant * EA_MEMORY + (size_t)i] = i == 0 ? pixel : -1;
}

/* The float4 of an image. */
static int quads(const ea_device *colony)
{
    return ceil_div(colony->width * colony->height, PER_THREAD);
}

extern "C" ab_status AB_GPU(ea_evaporate)(const ea_device *colony, float factor)
{
    const int n = quads(colony);
    LAUNCH(evaporate, ceil_div(n, N_THREADS), N_THREADS, 0)
    ((const float4 *)colony->pheromone, (float4 *)colony->next_pheromone, n, factor);
    return AB_LAUNCHED("evaporate");
}

/* The iterations of the thesis: evaporate, move, swap. */
static ab_status evaporate_and_move(gpu_colony *colony, const ea_stretch *stretch)
{
    ea_device *device = &colony->device;
    for (int iteration = stretch->first; iteration <= stretch->last; ++iteration) {
        AB_TRY(AB_GPU(ea_evaporate)(device, device->keep));
        AB_TRY(colony->rung->move(device, stretch->seed, iteration));
        ea_swap(device);
    }
    return ab_ok();
}

static ab_status place_ants(gpu_colony *colony)
{
    const ea_device *device = &colony->device;
    const int n = quads(device);
    colony->seed = colony->params.seed + (uint64_t)colony->runs++;
    colony->iteration = 0;
    LAUNCH(fill, ceil_div(n, N_THREADS), N_THREADS, 0)
    ((float4 *)device->pheromone, n, (float)colony->params.initial);
    AB_TRY(AB_LAUNCHED("fill"));
    LAUNCH(place, ceil_div(device->n_ants, N_THREADS), N_THREADS, 0)(*device, colony->seed);
    return AB_LAUNCHED("place");
}

static ab_status check_placed(const gpu_colony *colony)
{
    return colony->runs > 0 ? ab_ok() : ab_failed("the ants have not been placed");
}

static ab_status run_stage(ab_work *work, int stage)
{
    gpu_colony *colony = (gpu_colony *)work;
    if (stage == EA_PLACE) return place_ants(colony);
    AB_TRY(check_placed(colony));
    const ea_stretch stretch = {colony->seed, colony->iteration + 1, colony->iteration + colony->params.iterations};
    colony->iteration = stretch.last;
    return colony->rung->run ? colony->rung->run(&colony->device, &stretch) : evaporate_and_move(colony, &stretch);
}

static void close_colony(ab_work *work)
{
    gpu_colony *colony = (gpu_colony *)work;
    if (!colony) return;
    device_free(&colony->memory);
    free(colony);
}

static size_t image_bytes(const ea_device *device)
{
    return (size_t)device->width * (size_t)device->height * sizeof(float);
}

static ab_status read_colony(ea_colony *base, ea_result *result)
{
    const gpu_colony *colony = (const gpu_colony *)base;
    const ea_device *device = &colony->device;
    const size_t ints = (size_t)device->n_ants * sizeof(int);
    AB_TRY(check_placed(colony));
    result->iteration = colony->iteration;
    if (result->pheromone)
        CUDA_TRY(cudaMemcpy(result->pheromone, device->pheromone, image_bytes(device), cudaMemcpyDeviceToHost));
    if (result->position) CUDA_TRY(cudaMemcpy(result->position, device->position, ints, cudaMemcpyDeviceToHost));
    if (result->memory) CUDA_TRY(cudaMemcpy(result->memory, device->memory, EA_MEMORY * ints, cudaMemcpyDeviceToHost));
    return ab_ok();
}

/* Each position as the only entry of its ant's memory. */
static ab_status write_memory(const gpu_colony *colony, const int32_t *position)
{
    const size_t entries = (size_t)colony->device.n_ants * EA_MEMORY, now = (size_t)(colony->iteration % EA_MEMORY);
    int *memory = (int *)malloc(entries * sizeof *memory);
    if (!memory) return ab_failed("out of memory for %d ants", colony->device.n_ants);
    for (size_t i = 0; i < entries; ++i) memory[i] = i % EA_MEMORY == now ? position[i / EA_MEMORY] : -1;
    const cudaError_t error =
        cudaMemcpy(colony->device.memory, memory, entries * sizeof *memory, cudaMemcpyHostToDevice);
    free(memory);
    CUDA_TRY(error);
    return ab_ok();
}

static ab_status write_colony(ea_colony *base, const float *pheromone, const int32_t *position)
{
    const gpu_colony *colony = (const gpu_colony *)base;
    const ea_device *device = &colony->device;
    AB_TRY(check_placed(colony));
    if (pheromone) CUDA_TRY(cudaMemcpy(device->pheromone, pheromone, image_bytes(device), cudaMemcpyHostToDevice));
    if (!position) return ab_ok();
    CUDA_TRY(cudaMemcpy(device->position, position, (size_t)device->n_ants * sizeof(int), cudaMemcpyHostToDevice));
    return write_memory(colony, position);
}

static const ab_work_methods work_methods = {EA_STAGES, {"place", "run"}, run_stage, close_colony};
static const ea_methods colony_methods = {read_colony, write_colony};

static ab_status upload_heuristic(const ea_problem *problem, double beta, float *heuristic)
{
    const size_t bytes = (size_t)problem->width * (size_t)problem->height * sizeof(float);
    float *values = (float *)malloc(bytes);
    if (!values) return ab_failed("out of memory: %zu MiB for the heuristic", bytes >> 20);
    ea_heuristic(problem, beta, values);
    const cudaError_t error = cudaMemcpy(heuristic, values, bytes, cudaMemcpyHostToDevice);
    free(values);
    CUDA_TRY(error);
    return ab_ok();
}

static ab_status initialise(gpu_colony *colony, const ea_problem *problem)
{
    ea_device *device = &colony->device;
    device_memory *memory = &colony->memory;
    const size_t pixels = (size_t)quads(device) * PER_THREAD, n_ants = (size_t)device->n_ants;
    float *visibility = NULL, *heuristic = NULL;
    AB_TRY(device_allocate(memory, &visibility, pixels));
    AB_TRY(device_allocate(memory, &heuristic, pixels));
    AB_TRY(device_allocate(memory, &device->pheromone, pixels));
    AB_TRY(device_allocate(memory, &device->next_pheromone, pixels));
    AB_TRY(device_allocate(memory, &device->position, n_ants));
    AB_TRY(device_allocate(memory, &device->memory, n_ants * EA_MEMORY));
    CUDA_TRY(cudaMemcpy(visibility, problem->visibility, image_bytes(device), cudaMemcpyHostToDevice));
    AB_TRY(upload_heuristic(problem, colony->params.beta, heuristic));
    if (colony->rung->scratch_bytes) {
        const size_t bytes = colony->rung->scratch_bytes(problem, &colony->params);
        AB_TRY(device_allocate_bytes(memory, &device->scratch, bytes));
        CUDA_TRY(cudaMemset(device->scratch, 0, bytes));
    }
    device->visibility = visibility;
    device->heuristic = heuristic;
    return ab_ok();
}

extern "C" ab_status AB_GPU(edge_ants_open)(const edge_ants_rung *rung, const ea_problem *problem,
                                            const ea_params *params, ea_colony **opened)
{
    AB_TRY(ea_check(problem, params));
    if (params->part != EA_ALL && !rung->updates_apart) return ab_unsupported("has no update apart from the moves");
    if (rung->check) AB_TRY(rung->check(problem, params));
    gpu_colony *colony = (gpu_colony *)calloc(1, sizeof *colony);
    if (!colony) return ab_failed("out of memory");
    colony->base.work.methods = &work_methods;
    colony->base.methods = &colony_methods;
    colony->params = *params;
    colony->rung = rung;
    ea_device *device = &colony->device;
    device->width = problem->width;
    device->height = problem->height;
    device->n_ants = params->n_ants;
    device->block_threads = params->block_threads;
    device->only_update = params->part == EA_UPDATE;
    device->cache_memory = params->cache_memory;
    device->matrices = params->matrices;
    device->alpha = (float)params->alpha;
    device->keep = (float)(1.0 - params->rho);
    device->min_visibility = (float)params->min_visibility;
    const ab_status status = initialise(colony, problem);
    if (status.code == AB_OK)
        *opened = &colony->base;
    else
        close_colony(&colony->base.work);
    return status;
}
