/* What the GPU implementations of edge detection by ants share: a colony's device memory, the pipeline around the
 * rung's kernel, and how an ant draws, weighs and enters a pixel.
 *
 * An iteration of the thesis's rungs is two launches: evaporation from the primary pheromone matrix to the secondary,
 * and the rung's kernel. Its ants read the primary matrix and deposit in the secondary. Then the two are swapped. All
 * iterations of a run are enqueued at once.
 */
#ifndef ANTBENCH_EDGE_ANTS_COLONY_H
#define ANTBENCH_EDGE_ANTS_COLONY_H

#include "kernels/cuda/cuda_random.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/edge_ants/edge_ants.h"

/* Passed to kernels by value. Images are [height][width], allocated in whole float4. */
typedef struct ea_device {
    int width, height;       /* pixels */
    int n_ants;              /* ants */
    int block_threads;       /* threads per block of the rung's kernel */
    bool only_update;        /* RUN makes the updates of its iterations, and no ant moves (EA_UPDATE) */
    bool cache_memory;       /* the rung copies the ants' memory to shared memory */
    float alpha;             /* exponent of the pheromone */
    float keep;              /* 1 - rho */
    float min_visibility;    /* ants deposit from here on */
    const float *visibility; /* [height][width] */
    const float *heuristic;  /* [height][width], visibility^beta */
    float *pheromone;        /* [height][width] primary: what the ants read */
    float *next_pheromone;   /* [height][width] secondary: where they deposit */
    int *position;           /* [n_ants] row * width + column */
    int *memory;             /* [n_ants][EA_MEMORY], ea_result.memory */
    int matrices;            /* ea_params.matrices */
    void *scratch;           /* the rung's own, as many bytes as it asked for, all 0 when it is opened; else NULL */
} ea_device;

/* The iterations that one RUN makes. */
typedef struct ea_stretch {
    unsigned long long seed; /* seed of the run */
    int first, last;         /* iterations since PLACE, from 1 on; both included */
} ea_stretch;

/* A way of moving ants, as registry.def names it. */
typedef struct edge_ants_rung {
    /* Enqueues an iteration between evaporation and swap: every ant moves once, reads the primary matrix, deposits in
     * the secondary. NULL where there is a run. */
    ab_status (*move)(const ea_device *colony, unsigned long long seed, int iteration) = NULL;
    /* Enqueues all iterations of a stretch, in place of evaporation, move and swap for each; colony->pheromone is then
     * the matrix that the last update left. */
    ab_status (*run)(ea_device *colony, const ea_stretch *stretch) = NULL;
    /* What must hold beyond ea_check, AB_UNSUPPORTED else; asks for shared memory (device_allow_shared). NULL: nothing.
     */
    ab_status (*check)(const ea_problem *problem, const ea_params *params) = NULL;
    /* Bytes of ea_device.scratch. NULL: none. */
    size_t (*scratch_bytes)(const ea_problem *problem, const ea_params *params) = NULL;
    /* Whether move keeps to ea_device.only_update. */
    bool updates_apart = false;
} edge_ants_rung;

extern "C" {

/* Opens a colony around a rung. AB_UNSUPPORTED when the image or the ants do not fit. */
ab_status AB_GPU(edge_ants_open)(const edge_ants_rung *rung, const ea_problem *problem, const ea_params *params,
                                 ea_colony **colony);

/* secondary = factor * primary. */
ab_status AB_GPU(ea_evaporate)(const ea_device *colony, float factor);

/* edge_ants_rung.move of edge-ants/warp. */
ab_status AB_GPU(ea_move_by_warp)(const ea_device *colony, unsigned long long seed, int iteration);
}

static inline void ea_swap(ea_device *colony)
{
    float *const read = colony->pheromone;
    colony->pheromone = colony->next_pheromone;
    colony->next_pheromone = read;
}

/* The four random numbers of an ant in an iteration. */
static __device__ __forceinline__ float4 draw(unsigned long long seed, int ant, int iteration)
{
    curandStatePhilox4_32_10_t random;
    curand_init(seed, (unsigned long long)ant, 4ull * (unsigned long long)iteration, &random);
    return curand_uniform4(&random);
}

/* The pixel of a placement or relocation. */
static __device__ __forceinline__ int random_pixel(const ea_device &colony, float4 random)
{
    return ea_cell(random.z, colony.height) * colony.width + ea_cell(random.w, colony.width);
}

/* What neighbour `which` of `position` weighs for an ant that does not remember it. Apart from the question whether it
 * does, so that the loads of the pixel and of the memory do not wait for each other. */
static __device__ __forceinline__ float weigh(const ea_device &colony, int position, int which)
{
    const int pixel = ea_neighbour(position, which, colony.width, colony.height);
    if (pixel < 0) return 0.0f;
    return ea_power(colony.pheromone[pixel], colony.alpha) * colony.heuristic[pixel];
}

/* Run by one thread of the ant: it enters `pixel`, remembers it and deposits `scale` times the visibility. */
static __device__ __forceinline__ void enter(const ea_device &colony, int ant, int iteration, int pixel, float scale)
{
    colony.position[ant] = pixel;
    colony.memory[(size_t)ant * EA_MEMORY + (size_t)(iteration % EA_MEMORY)] = pixel;
    const float deposit = colony.visibility[pixel];
    if (deposit >= colony.min_visibility) atomicAdd(&colony.next_pheromone[pixel], scale * deposit);
}

#endif
