/* What the GPU implementations of Ant System share: the device memory of a colony, and the steps around construction.
 *
 * An iteration consists of choice_info, the rung's own construction kernel, evaporation and deposit. All data stays on
 * the GPU until the colony is read. docs/example_rung.cu is the smallest rung.
 */
#ifndef ANTBENCH_TSP_COLONY_H
#define ANTBENCH_TSP_COLONY_H

#include "kernels/cuda/device_memory.h"
#include "kernels/tsp/max_min.h"
#include "kernels/tsp/tsp.h"

/* Device memory of a colony, passed to kernels by value. Rows have `stride` elements, so that each starts on a 128-byte
 * line. */
typedef struct tsp_device {
    int n;      /* number of cities */
    int n_ants; /* number of ants */
    /* Number of the first ant, and ants of all parts of a colony (team.h); 0 and n_ants if this is the whole colony. */
    int first_ant, all_ants;
    int nn;                                /* number of candidate cities per city; 0: none */
    int nn_stride;                         /* nn rounded up to a multiple of 32 */
    int stride;                            /* n rounded up to a multiple of 32 */
    const int *dist;                       /* [n][stride], 0 in the padding */
    const float *heuristic;                /* [n][stride], eta^beta, 0 on the diagonal and in the padding */
    const int *nn_list;                    /* [n][nn_stride], padded with the row's own city, which is always visited */
    float *pheromone;                      /* [n][stride], 0 in the padding */
    float *choice_info;                    /* [n][stride], 0 on the diagonal and in the padding */
    int *tours;                            /* [n_ants][n + 1], closed */
    long long *lengths;                    /* [n_ants] */
    unsigned long long *iteration_best;    /* [1] smallest tour_key of this iteration */
    unsigned long long *best;              /* [1] smallest length << ANT_BITS of all iterations */
    int *best_tour;                        /* [n + 1] */
    unsigned long long *zero_weight_steps; /* [1] number of steps that used the all-zero rule (tsp.h) */
    void *scratch;                         /* memory of the rung (scratch_bytes), uninitialised; else NULL */
} tsp_device;

/* A tour's rank in one 64-bit word, by length, then by ant. So one atomicMin per ant finds the best ant, and a tie has
 * one winner. */
enum { ANT_BITS = 16 };

static __device__ __forceinline__ unsigned long long tour_key(long long length, int ant)
{
    return (unsigned long long)length << ANT_BITS | (unsigned)ant;
}

/* Returns where the smallest tour_key of the next iteration goes. Both keys are side by side and swap places before
 * construction. This is not a member of tsp_device, because eight more bytes of parameters make the walk in race.h
 * spill registers. */
static inline __host__ __device__ unsigned long long *next_best(const tsp_device &colony)
{
    return (unsigned long long *)((size_t)colony.iteration_best ^ sizeof *colony.iteration_best);
}

/* Returns the best ant of the iteration, once all tours are built. */
static __device__ __forceinline__ int best_ant(const tsp_device &colony)
{
    return (int)(*colony.iteration_best & ((1 << ANT_BITS) - 1));
}

/* Returns the number of an ant's random stream. */
static __device__ __forceinline__ unsigned long long ant_stream(const tsp_device &colony, unsigned iteration, int ant)
{
    return (unsigned long long)iteration * (unsigned)colony.all_ants + (unsigned)(colony.first_ant + ant);
}

/* Returns a city's rank for the best remaining city (tsp.h): by weight, which is not negative, then by lower index. */
static __device__ __forceinline__ unsigned long long best_key(float weight, int city)
{
    return (unsigned long long)(unsigned)__float_as_int(weight) << 32 | (0xffffffffu - (unsigned)city);
}

static __device__ __forceinline__ int best_city(unsigned long long key)
{
    return (int)(0xffffffffu - (unsigned)key);
}

static __device__ __forceinline__ bool best_weighs_nothing(unsigned long long key)
{
    return key >> 32 == 0;
}

/* Returns a city's rank for the all-zero rule: by distance, then by index. */
static __device__ __forceinline__ unsigned long long city_key(int distance, int city)
{
    return (unsigned long long)(unsigned)distance << 32 | (unsigned)city;
}

/* Neighbour lists for stage "improve": near[n][TSP_NEAR], the nearest cities of each city, nearest first. If there are
 * fewer, the row is padded with its own city at distance TSP_NO_CITY. */
enum { TSP_NEAR = 16, TSP_NO_CITY = 0x7fffffff };

typedef struct tsp_near {
    int city, distance;
} tsp_near;

/* State of MAX-MIN Ant System's update, in device memory, zeroed at first. */
typedef struct tsp_max_min {
    tsp_max_min_course course;
    tsp_max_min_step step;
    float least, most; /* limits; equal if all edges are to be equal */
    float amount;      /* amount that is deposited */
} tsp_max_min;

/* Queues a part of iteration `iteration` (counted from 0) on the default stream. */
typedef ab_status tsp_step(const tsp_device *colony, const tsp_params *params, unsigned iteration);

/* Returns the rung's own parameters, as its table (AB_OWN_PARAMETERS, TSP_OWN) has filled them. */
template <typename Own> static inline Own tsp_own(const tsp_params *params)
{
    Own own;
    static_assert(sizeof own <= sizeof params->own, "more parameters of a rung's own than there is room for");
    memcpy(&own, params->own, sizeof own);
    return own;
}

/* A rung: a way of building tours, as registry.def names it. */
typedef struct tsp_rung {
    /* Stage "construct". Writes tours, lengths and iteration_best, which is all ones before. */
    tsp_step *construct;
    /* End of stage "choice": makes what construct needs from choice_info, such as alias tables. NULL: not needed. */
    tsp_step *prepare = NULL;
    /* Stage "improve", after construct. It must not lengthen a tour, and keeps lengths and iteration_best correct.
     * NULL: tsp_improve, if the parameter `improve` asks for it. */
    tsp_step *improve = NULL;
    /* Called after tsp_improve to update what construct has written besides the tours. NULL: not needed. */
    tsp_step *relink = NULL;
    /* Replaces tsp_choice_info. NULL: tsp_choice_info. */
    tsp_step *choice = NULL;
    /* True if `choice` also sets next_best to all ones, which saves a launch. */
    bool resets_best = false;
    /* True if `choice` leaves the same weights as tsp_choice_info, so that they can be checked. */
    bool same_weights = false;
    /* Returns [n] factors, in device memory, of the rows of pheromone, so that it evaporates without being written, and
     * choice_info has them to the power of alpha. Then `choice` multiplies by them and sets them to 1. NULL: all are 1.
     */
    const float *(*factors)(const tsp_device *colony, const tsp_params *params) = NULL;
    /* All of stage "update". Replaces tsp_evaporate and tsp_deposit_all or tsp_deposit_best, but not tsp_limit_trails
     * of protocol=mmas. NULL: these functions. */
    tsp_step *deposit = NULL;
    /* True if `deposit` also does the work of `choice` for the next iteration. */
    bool weighs_next = false;
    /* Checks requirements beyond tsp_check, with AB_UNSUPPORTED if they are not met, and requests shared memory
     * (device_allow_shared). NULL: no requirements. */
    ab_status (*check)(const tsp_problem *problem, const tsp_params *params) = NULL;
    /* Returns the bytes of tsp_device.scratch. NULL: 0. */
    size_t (*scratch_bytes)(const tsp_problem *problem, const tsp_params *params) = NULL;
    /* Fills the scratch memory once, when a colony is opened. NULL: not needed. */
    ab_status (*begin)(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params) = NULL;
    /* Reads and writes the pheromone of a rung without matrices, which keeps it in its scratch memory (tsp_methods).
     * Such a rung has its own choice and deposit. Its tsp_device has no heuristic, pheromone, choice_info or nn_list,
     * and has dist only if the problem has no points. NULL: the rung has all matrices. */
    ab_status (*read_edges)(const tsp_device *colony, const tsp_params *params, tsp_edges *edges) = NULL;
    ab_status (*write_edges)(const tsp_device *colony, const tsp_params *params, const tsp_edges *edges) = NULL;
    /* How the colonies of several ranks work together (team.h). Their implementation is `part`. Such a rung has no
     * other members. NULL: a single colony. */
    const struct tsp_way *way = NULL;
    const char *part = NULL;
} tsp_rung;

extern "C" {

/* Opens a colony around a rung. Returns AB_UNSUPPORTED if the instance does not fit. */
ab_status AB_GPU(tsp_open)(const tsp_rung *rung, const tsp_problem *problem, const tsp_params *params,
                           tsp_colony **colony);

/* The default steps, one launcher per file. */
ab_status AB_GPU(tsp_choice_info)(const tsp_device *colony, float alpha);
ab_status AB_GPU(tsp_improve)(const tsp_device *colony, const tsp_near *near, tsp_improving which, int most_moves);
ab_status AB_GPU(tsp_limit_trails)(const tsp_device *colony, tsp_max_min *plan, int2 *links, const tsp_params *params,
                                   unsigned iteration);
ab_status AB_GPU(tsp_evaporate)(const tsp_device *colony, float rho);
ab_status AB_GPU(tsp_deposit_all)(const tsp_device *colony);
ab_status AB_GPU(tsp_deposit_best)(const tsp_device *colony);
}

/* Counts a complete tour for the iteration. One thread of the ant calls it. */
static __device__ __forceinline__ void count_tour(const tsp_device &colony, int ant, long long length,
                                                  unsigned zero_weight_steps)
{
    colony.lengths[ant] = length;
    atomicMin(colony.iteration_best, tour_key(length, ant));
    if (zero_weight_steps) atomicAdd(colony.zero_weight_steps, (unsigned long long)zero_weight_steps);
}

/* Ends a construction. One thread of the ant calls it, after entering cities 0 .. n-1 of the tour. `last` is the last
 * of them, and `length` the length so far. Closes the tour and counts it for the iteration. */
static __device__ __forceinline__ void finish_tour(const tsp_device &colony, int ant, int *tour, int last,
                                                   long long length, unsigned zero_weight_steps)
{
    tour[colony.n] = tour[0];
    length += colony.dist[(size_t)last * (size_t)colony.stride + (size_t)tour[0]];
    count_tour(colony, ant, length, zero_weight_steps);
}

/* Called by the whole block of the iteration's best ant: keeps its tour if it is the best so far. */
static __device__ __forceinline__ void keep_if_best(const tsp_device &colony, int ant)
{
    if (tour_key(colony.lengths[ant], 0) >= *colony.best) return;
    __syncthreads(); /* every thread compares before one thread overwrites */
    const int *tour = colony.tours + (size_t)ant * (size_t)(colony.n + 1);
    for (int i = (int)threadIdx.x; i <= colony.n; i += (int)blockDim.x) colony.best_tour[i] = tour[i];
    if (threadIdx.x == 0) *colony.best = tour_key(colony.lengths[ant], 0);
}

#endif
