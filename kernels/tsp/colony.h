/* What the GPU implementations of Ant System share: the device memory of a colony and the pipeline around construction.
 *
 * An iteration is choice_info, the rung's own construction kernel, evaporation and deposit; nothing leaves the GPU
 * until somebody reads the colony. docs/example_rung.cu is the smallest rung.
 */
#ifndef ANTBENCH_TSP_COLONY_H
#define ANTBENCH_TSP_COLONY_H

#include "kernels/cuda/device_memory.h"
#include "kernels/tsp/max_min.h"
#include "kernels/tsp/tsp.h"

/* Device memory of a colony, passed to kernels by value. Rows are `stride` long, so that each starts on a 128-byte
 * line. */
typedef struct tsp_device {
    int n;                                 /* cities */
    int n_ants;                            /* ants */
    int first_ant, all_ants;               /* of all parts of a colony (team.h): 0 and n_ants where this is the whole */
    int nn;                                /* candidate cities per city, 0 for none */
    int nn_stride;                         /* nn rounded up to a multiple of 32 */
    int stride;                            /* n rounded up to a multiple of 32 */
    const int *dist;                       /* [n][stride], 0 in the padding */
    const float *heuristic;                /* [n][stride], eta^beta, 0 on the diagonal and in the padding */
    const int *nn_list;                    /* [n][nn_stride], filled up with the row's own city, always visited */
    float *pheromone;                      /* [n][stride], 0 in the padding */
    float *choice_info;                    /* [n][stride], 0 on the diagonal and in the padding */
    int *tours;                            /* [n_ants][n + 1], closed */
    long long *lengths;                    /* [n_ants] */
    unsigned long long *iteration_best;    /* [1] least tour_key of this iteration */
    unsigned long long *best;              /* [1] least length << ANT_BITS of all iterations */
    int *best_tour;                        /* [n + 1] */
    unsigned long long *zero_weight_steps; /* [1] steps that used the all-zero rule (tsp.h) */
    void *scratch;                         /* the rung's own (scratch_bytes), uninitialised; else NULL */
} tsp_device;

/* A tour's rank in one 64-bit word: by length, then by ant, so that one atomicMin per ant finds the best ant and a tie
 * still has one winner. */
enum { ANT_BITS = 16 };

static __device__ __forceinline__ unsigned long long tour_key(long long length, int ant)
{
    return (unsigned long long)length << ANT_BITS | (unsigned)ant;
}

/* Where the least tour_key of the next iteration will be: both stand side by side and change places before
 * construction. No member of tsp_device, as the walk of race.h spills registers where it has eight bytes more of
 * parameters. */
static inline __host__ __device__ unsigned long long *next_best(const tsp_device &colony)
{
    return (unsigned long long *)((size_t)colony.iteration_best ^ sizeof *colony.iteration_best);
}

/* The iteration's, once all have built their tours. */
static __device__ __forceinline__ int best_ant(const tsp_device &colony)
{
    return (int)(*colony.iteration_best & ((1 << ANT_BITS) - 1));
}

/* The number of an ant's random stream. */
static __device__ __forceinline__ unsigned long long ant_stream(const tsp_device &colony, unsigned iteration, int ant)
{
    return (unsigned long long)iteration * (unsigned)colony.all_ants + (unsigned)(colony.first_ant + ant);
}

/* A city's rank for the best remaining city (tsp.h): by weight, which is not negative, then the lower index first. */
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

/* A city's rank for the all-zero rule: by distance, then by index. */
static __device__ __forceinline__ unsigned long long city_key(int distance, int city)
{
    return (unsigned long long)(unsigned)distance << 32 | (unsigned)city;
}

/* What stage "improve" searches by: near[n][TSP_NEAR], the nearest cities of each, nearest first; where there are
 * fewer, the row's own city at TSP_NO_CITY fills up. */
enum { TSP_NEAR = 16, TSP_NO_CITY = 0x7fffffff };

typedef struct tsp_near {
    int city, distance;
} tsp_near;

/* What an update of MAX-MIN Ant System goes by; in device memory, zeroed at first. */
typedef struct tsp_max_min {
    max_min_course course;
    max_min_step step;
    float least, most; /* the same where all edges are to be equal */
    float amount;      /* that is deposited */
} tsp_max_min;

/* Enqueues a part of iteration `iteration` (counted from 0), on the default stream. */
typedef ab_status tsp_step(const tsp_device *colony, const as_params *params, unsigned iteration);

/* What a rung has for itself, as its table of parameters (AB_OWN_PARAMETERS, AS_OWN) has filled it. */
template <typename Own> static inline Own as_own(const as_params *params)
{
    Own own;
    static_assert(sizeof own <= sizeof params->own, "more parameters of a rung's own than there is room for");
    memcpy(&own, params->own, sizeof own);
    return own;
}

/* A way of building tours, as registry.def names it. */
typedef struct tsp_rung {
    /* Stage "construct": writes tours, lengths and iteration_best, which is all ones before. */
    tsp_step *construct;
    /* The end of stage "choice": what construct needs of choice_info, such as alias tables. NULL: nothing. */
    tsp_step *prepare = NULL;
    /* Stage "improve", after construct: makes no tour longer, keeps lengths and iteration_best right. NULL: the usual
     * one, tsp_improve, where the parameter `improve` asks for it. */
    tsp_step *improve = NULL;
    /* After the usual one: what construct has left beside the tours is to follow them. NULL: there is no such thing. */
    tsp_step *relink = NULL;
    /* In place of tsp_choice_info. NULL: that. */
    tsp_step *choice = NULL;
    /* Whether `choice` also sets next_best to all ones, which is a launch less. */
    bool resets_best = false;
    /* Whether `choice` leaves what tsp_choice_info does, and is to be checked for it. */
    bool same_weights = false;
    /* All of stage "update", in place of tsp_evaporate and then tsp_deposit_all or tsp_deposit_best, and not of
     * tsp_limit_trails, which protocol=mmas has. NULL: those. */
    tsp_step *deposit = NULL;
    /* Whether `deposit` also does what `choice` would for the next iteration, which then has nothing to do. */
    bool weighs_next = false;
    /* What an instance must be like beyond as_check, AB_UNSUPPORTED else; asks for shared memory (device_allow_shared).
     * NULL: nothing. */
    ab_status (*check)(const as_problem *problem, const as_params *params) = NULL;
    /* Bytes of tsp_device.scratch. NULL: none. */
    size_t (*scratch_bytes)(const as_problem *problem, const as_params *params) = NULL;
    /* Fills it, once, when a colony is opened. NULL: nothing. */
    ab_status (*begin)(const tsp_device *colony, const as_problem *problem, const as_params *params) = NULL;
    /* Of a rung without matrices, which has the pheromone in its scratch memory: reading and writing it (as_methods). Such a rung has its own
     * choice and deposit, and of tsp_device neither heuristic, pheromone, choice_info nor nn_list; dist where the problem has
     * no points. NULL: the rung has all of them. */
    ab_status (*read_edges)(const tsp_device *colony, const as_params *params, as_edges *edges) = NULL;
    ab_status (*write_edges)(const tsp_device *colony, const as_params *params, const as_edges *edges) = NULL;
    /* Of several ranks' colonies (team.h), which are of the implementation `part`: how they work together. Such a rung
     * has nothing else. */
    const struct as_way *way = NULL;
    const char *part = NULL;
} tsp_rung;

extern "C" {

/* Opens a colony around a rung. AB_UNSUPPORTED when the instance does not fit. */
ab_status AB_GPU(tsp_open)(const tsp_rung *rung, const as_problem *problem, const as_params *params,
                           as_colony **colony);

/* The usual steps, one launcher a file. */
ab_status AB_GPU(tsp_choice_info)(const tsp_device *colony, float alpha);
ab_status AB_GPU(tsp_improve)(const tsp_device *colony, const tsp_near *near, as_improve which, int most_moves);
ab_status AB_GPU(tsp_limit_trails)(const tsp_device *colony, tsp_max_min *plan, int2 *links, const as_params *params,
                                   unsigned iteration);
ab_status AB_GPU(tsp_evaporate)(const tsp_device *colony, float rho);
ab_status AB_GPU(tsp_deposit_all)(const tsp_device *colony);
ab_status AB_GPU(tsp_deposit_best)(const tsp_device *colony);
}

/* Ends a construction, by one thread of the ant, which has entered the tour's cities 0 .. n-1 and stands in `last`, the
 * last of them, after `length`: closes the tour and counts it among those of the iteration. */
static __device__ __forceinline__ void finish_tour(const tsp_device &colony, int ant, int *tour, int last,
                                                   long long length, unsigned zero_weight_steps)
{
    tour[colony.n] = tour[0];
    length += colony.dist[(size_t)last * (size_t)colony.stride + (size_t)tour[0]];
    colony.lengths[ant] = length;
    atomicMin(colony.iteration_best, tour_key(length, ant));
    if (zero_weight_steps) atomicAdd(colony.zero_weight_steps, (unsigned long long)zero_weight_steps);
}

/* Run by the whole block of the iteration's best ant: keeps its tour if it is the best so far. */
static __device__ __forceinline__ void keep_if_best(const tsp_device &colony, int ant)
{
    if (tour_key(colony.lengths[ant], 0) >= *colony.best) return;
    __syncthreads(); /* every thread has compared before one overwrites */
    const int *tour = colony.tours + (size_t)ant * (size_t)(colony.n + 1);
    for (int i = (int)threadIdx.x; i <= colony.n; i += (int)blockDim.x) colony.best_tour[i] = tour[i];
    if (threadIdx.x == 0) *colony.best = tour_key(colony.lengths[ant], 0);
}

#endif
