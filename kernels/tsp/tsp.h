/* Operation "tsp": Ant System on the symmetric travelling salesman problem.
 *
 * n cities, n_ants ants. One iteration has three stages, or four:
 *   choice     choice_info[i][j] = pheromone[i][j]^alpha * eta[i][j]^beta, with eta = 1/(d + 0.1) as d can be 0
 *   construct  every ant builds a closed tour by the implementation's selection rule
 *   improve    with improve=best or all: local search, 2-opt and Or-opt, on the shortest of these tours or on each
 *   update     pheromone evaporates by the factor 1 - rho on every edge, then ants deposit 1/length on the edges of
 *              their tour, in both directions: all of them (TSP_ALL_ANTS), the iteration's best alone (TSP_BEST_ANT),
 *              or that or the best so far, between limits (TSP_MAX_MIN)
 * Sources: thesis §3.2, §3.5; JPDC §2.1; Dorigo & Stützle, Ant Colony Optimization (2004), ch. 3.
 *
 * The ladder, what each rung adds, and how to run it (ids without "tsp/"; `antbench` is build/bin/antbench):
 *   acotsp-seq           the papers' CPU program: double precision, one core, a roulette over all cities
 *                            antbench 3.3 --implementations tsp/acotsp-seq
 *   acotsp-omp           the same tours on all cores, an ant per thread
 *                            antbench 3.3 --implementations tsp/acotsp-omp
 *   cpu-rejection        the same rule as fast as a CPU does it: near cities by SIMD, far ones by rejection from a tree
 *                            antbench 3.3 --implementations tsp/cpu-rejection
 *   cpu-blocks           sixteen cities under a mask, bounds in the tree's place, sixteen ants without a branch
 *                            antbench 3.3 --implementations tsp/cpu-blocks
 *   task-thread          the GPU: an ant per thread, 16 ants per block, as on a CPU
 *                            antbench 3.3 --implementations tsp/task-thread
 *   data-rw              a block per ant (the queen), a thread per city (her workers); one thread spins the wheel
 *                            antbench 3.3 --implementations tsp/data-rw --set workers=32,64,128
 *   data-rw-warp         data-rw with sums of warps by shuffles, which shorten the one thread's walk
 *                            antbench 3.3 --implementations tsp/data-rw-warp --set workers=32,64,128
 *   i-roulette           each city has a random number of its own and the largest product wins; this is not the
 *                        random proportional rule
 *                            antbench 3.3 --implementations tsp/i-roulette --set workers=32,64,128
 *   i-roulette-warp      the same rule with one reduction per step, in registers
 *                            antbench 3.3 --implementations tsp/i-roulette-warp
 *   ds-roulette          exact, two random numbers per step: a spin over sub-blocks, then inside the winner
 *                            antbench 3.3 --implementations tsp/ds-roulette
 *   ds-roulette-reduce   ds-roulette with the scans of warps in shared memory, as in the thesis
 *                            antbench 3.3 --implementations tsp/ds-roulette-reduce
 *   ds-roulette-branch   the same in half of that memory, by branches
 *                            antbench 3.3 --implementations tsp/ds-roulette-branch
 *   race                 exact without a wheel: a warp per ant, clocks of near cities race one for all others
 *                            antbench 3.3 --implementations tsp/race
 *   race-each            a clock per city instead, for up to 480 cities, whose rows fit in shared memory
 *                            antbench 3.3 --implementations tsp/race-each --instances d198
 * With candidate sets a step reads 20 or 32 cities and seldom all:
 *   acotsp-seq-nn        acotsp-seq with candidate sets
 *                            antbench 4.2 --implementations tsp/acotsp-seq-nn
 *   acotsp-omp-nn        acotsp-seq-nn on all cores
 *                            antbench 4.2 --implementations tsp/acotsp-omp-nn
 *   cpu-vectors-nn       a set in a few vectors, several ants of a thread in turns to hide latency
 *                            antbench 4.2 --implementations tsp/cpu-vectors-nn
 *   cpu-sparse           cpu-vectors-nn without matrices, for very many cities
 *                            antbench frontier --implementations tsp/cpu-sparse --instances u100000 --set ants=1024
 *   cand-thread          an ant per thread, as on a CPU
 *                            antbench 4.2 --implementations tsp/cand-thread
 *   cand-block           a block per ant: one warp spins over the set, four search if it is exhausted
 *                            antbench 4.2 --implementations tsp/cand-block
 *   cand-block-compress  the same with the remaining cities in a list, so that the search meets no visited city
 *                            antbench 4.2 --implementations tsp/cand-block-compress
 *   race-candidates      a warp per ant, a clock per candidate
 *                            antbench 4.2 --implementations tsp/race-candidates
 *   race-sparse          race-candidates without matrices, for very many cities: pheromone on some edges, exact
 *                            antbench frontier --implementations tsp/race-sparse --instances u100000 --set ants=1024
 * On several GPUs or machines (team.h; `ranks` is scripts/ranks, which starts one process per rank):
 *   cpu-split, split     one colony of cpu-vectors-nn, or race-candidates, its ants divided over the ranks
 *                            ranks 2 scaling --implementations tsp/split
 *   cpu-islands, islands a colony per rank, which sends its best tour to others every few iterations
 *                            ranks 2 scaling --implementations tsp/islands
 *
 * The all-zero rule, the same in every implementation. In single precision the weight of an unused edge underflows to
 * 0 after about a hundred iterations at rho = 0.5. So a step can find that all its unvisited cities weigh 0. Such a
 * step goes to the nearest unvisited city, the lowest index among equals, which equal pheromone and the heuristic
 * would favour. tsp_result.zero_weight_steps counts these steps. The rule has no other use. If no weight of the matrix
 * is near 0, a step that uses it is wrong output. A run is wrong if more than TSP_MOST_ZERO_STEPS of its steps use it
 * (verify.h): its tours would be a nearest neighbour's and not Ant System's. In the stored runs the share is below one
 * step in a hundred thousand.
 *
 * With candidate sets (thesis §4.4; TSP_CANDIDATES), a step chooses among the unvisited cities of the current city's
 * candidate set by the random proportional rule. If the set has no unvisited city with a weight, the step goes to the
 * best remaining city. This is the unvisited city with the largest choice_info, the lowest index among equals. The
 * thesis says "the largest pheromone value"; ACOTSP, its reference, takes choice_info. If all of them weigh 0, the
 * all-zero rule applies.
 */
#ifndef ANTBENCH_TSP_H
#define ANTBENCH_TSP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/parameter.h"
#include "instances/distances.h"
#include "kernels/implementation.h"
#include "mpi/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TSP_MAX_MATRIX = 65535,   /* most cities with matrices of all edges */
    TSP_MAX_SPARSE = 1000000, /* most cities without matrices */
    TSP_MAX_TILES = 32,       /* most cities per worker, which are bits of a register */
    TSP_OWN_WORDS = 4,        /* words of 8 bytes for a rung's own parameters */
    TSP_USUAL_EXCHANGE = 10   /* islands: default number of iterations between two exchanges of the best tours */
};

/* Traits of implementations. */
enum {
    TSP_CANDIDATES = 1 << 1,  /* "candidates": needs candidate sets */
    TSP_THREAD_EACH = 1 << 6, /* "thread-each": one thread works on each ant; the default is a warp */
    TSP_WORKERS = 1 << 8,     /* "workers": a block works on each ant, with as many threads as its parameters say */
    TSP_RACE = 1 << 12        /* "race": ants choose by a race of clocks (race.h) */
};

typedef struct tsp_problem {
    int n; /* number of cities, >= 2 */
    /* [n][n], symmetric, zero diagonal, >= 0: TSPLIB's integer distances; NULL if there are too many, and points
     * replace them. */
    const int32_t *dist;
    const tsp_point
        /* [n] if the cities lie on a plane, else NULL; `rule` computes the same distances from them. */
        *points;
    const tsp_rule *rule;
    /* Number of candidate cities per city, <= n - 1; 0 for rules that consider all cities. */
    int nn;
    const int32_t *nn_list; /* [n][nn]: the candidate set of each city (tsp_nearest_neighbours); NULL for nn 0 */
} tsp_problem;

typedef enum tsp_protocol {
    TSP_ALL_ANTS, /* "as": every ant deposits; JPDC and JSC, rho 0.5 */
    TSP_BEST_ANT, /* "as-best": the iteration's best ant deposits; thesis §3.5.3 and §3.6, rho 0.1 */
    TSP_MAX_MIN   /* "mmas": MAX-MIN Ant System, whose pheromone has limits (max_min.h); rho 0.02 */
} tsp_protocol;

typedef enum tsp_topology {
    TSP_RING, /* each island sends to the next one */
    TSP_ALL   /* the best tour goes to all */
} tsp_topology;

/* The tours that stage "improve" makes shorter. With TSP_IMPROVE_NONE there is no such stage (Dorigo & Stützle 2004,
 * section 3.7). */
typedef enum tsp_improving { TSP_IMPROVE_NONE, TSP_IMPROVE_BEST, TSP_IMPROVE_ALL } tsp_improving;

typedef struct tsp_params {
    tsp_protocol protocol;
    tsp_improving improve;
    double alpha; /* exponent of the pheromone */
    double beta;  /* exponent of the heuristic */
    double rho;   /* evaporation rate, 0 < rho <= 1 */
    int n_ants;   /* number of ants, >= 1; n in the sources */
    /* TSP_MAX_MIN: number of iterations without a better tour until all edges are equal again; 0: never. */
    int patience;
    /* seed; it gives the same tours for any number of threads, except on a GPU with TSP_ALL_ANTS, where the order of
     * atomic additions, and so their rounding, varies. */
    uint64_t seed;
    int threads; /* number of threads of CPU implementations that have threads; 0: all cores */
    /* GPU: preferred shared memory in percent of the maximum (Fig. 3.9); -1: the driver's choice. */
    int carveout;
    int nn; /* size of the problem's candidate sets; 0: none */
    /* GPU: a rung's own parameters, a struct defined beside its kernel; 0: its defaults. */
    uint64_t own[TSP_OWN_WORDS];
    int ranks; /* AB_SEVERAL: number of ranks that work together; others: 1 */
    /* AB_SEVERAL: true if n_ants was given per rank, before it was multiplied (weak scaling). */
    bool each;
    ranks_way transfer;    /* AB_SEVERAL, GPU: way in which pheromone is summed */
    int exchange;          /* islands: number of iterations between two exchanges of the best tours */
    tsp_topology topology; /* islands: who receives a tour */
    /* Part of a colony: number of its first ant, which determines the ant's random stream. */
    int first_ant;
    int all_ants; /* part of a colony: number of ants of all parts; 0: this is the whole colony */
} tsp_params;

/* The offset of a rung's own parameter, for the rung's table. */
#define TSP_OWN(type, member) (offsetof(tsp_params, own) + offsetof(type, member))

/* The table of the parameters without rungs' own: names, ranges, defaults. If n_ants is 0, it becomes n. If rho is 0,
 * it follows from the protocol. Parameters of AB_SEVERAL and islands are the rungs' own (team/team.h). */
extern const ab_parameter tsp_parameters[];

/* Makes the candidate sets of thesis §4.4.2: the nn nearest other cities of each city, nearest first, then lower index
 * first. The caller frees *nn_list [n][nn]. 1 <= nn <= n - 1. */
ab_status tsp_nearest_neighbours(const tsp_problem *problem, int nn, int32_t **nn_list);

/* Returns the distance between two cities. */
static inline int32_t tsp_distance(const tsp_problem *problem, int a, int b)
{
    if (problem->dist) return problem->dist[(size_t)a * (size_t)problem->n + (size_t)b];
    return (int32_t)problem->rule->distance(problem->points[a], problem->points[b]);
}

/* Returns AB_UNSUPPORTED for an instance without a matrix of distances, or one that is too large for matrices. */
ab_status tsp_check_matrix(const tsp_problem *problem);

/* Returns AB_UNSUPPORTED for protocol=mmas, in which every edge has pheromone of its own. */
ab_status tsp_check_no_limits(const tsp_params *params);

/* Returns AB_UNSUPPORTED "needs a candidate set" for nn 0, or AB_BAD_INPUT for a size out of range. */
ab_status tsp_check_candidates(const tsp_problem *problem);

/* Returns AB_UNSUPPORTED for more than TSP_MAX_TILES cities per worker, or AB_BAD_INPUT if the number of workers is not
 * a power of two. */
ab_status tsp_check_workers(const tsp_problem *problem, int workers);

/* Returns the parameters of the sources: alpha 1, beta 2, one ant per city, rho by protocol; seed 1, threads 1,
 * carveout -1.
 */
tsp_params tsp_default_params(int n, tsp_protocol protocol);

const char *tsp_protocol_name(tsp_protocol protocol); /* returns "as", "as-best" or "mmas" */

/* Computes tau_0 = 1/(rho * C). C is the length of the nearest-neighbour tour from city 0, or 1 if that length is 0. */
ab_status tsp_initial_pheromone(const tsp_problem *problem, double rho, double *initial);

/* Returns x to the power `exponent`. Avoids pow() for 1 and 2, the exponents of the sources. */
double tsp_power(double x, double exponent);

/* Computes eta^beta of all edges, heuristic[n][n], with 0 on the diagonal, on all cores. Needs problem->dist. */
void tsp_heuristic(const tsp_problem *problem, double beta, float *heuristic);

/* Returns AB_BAD_INPUT with the parameter that is out of range, or AB_UNSUPPORTED for n. */
ab_status tsp_check(const tsp_problem *problem, const tsp_params *params);

/* The all-zero rule: returns the nearest city to `city` that is not marked in visited[n], the lowest index among
 * equals; -1 if all are marked. */
int tsp_nearest_unvisited(const tsp_problem *problem, int city, const bool *visited);

/* The result of a colony, copied by methods->read. The caller owns the arrays, and any of them may be NULL. */
typedef struct tsp_result {
    int32_t *tours;            /* [n_ants][n + 1] tours of the last iteration, closed: the last city is the first */
    int64_t *lengths;          /* [n_ants] lengths in the last iteration, as the implementation computed them */
    int32_t *best_tour;        /* [n + 1], closed: best tour since opening */
    int64_t best_length;       /* its length; INT64_MAX before the first iteration */
    int64_t zero_weight_steps; /* number of steps since opening that used the all-zero rule */
    int64_t iterations;        /* number of constructions since opening */
    int depositors;            /* number of ants, from the first, whose tours deposited the pheromone; 0: all */
} tsp_result;

/* The largest share of a run's steps that may use the all-zero rule. */
#define TSP_MOST_ZERO_STEPS 0.01

/* A colony's matrices as they are in memory, [n][stride] each, with padding at the end of rows. */
typedef struct tsp_padded {
    int stride;         /* stride, set by read_padded, which fills the arrays that are not NULL */
    float *pheromone;   /* 0 in the padding */
    float *choice_info; /* 0 in the padding, and, if `usual`, on the diagonal */
    /* Set by read_padded: true if choice_info is pheromone^alpha * eta^beta, computed by the default stage "choice". */
    bool usual;
} tsp_padded;

/* Pheromone that is kept on some edges only. The edges of city i are entries first[i] .. first[i + 1] - 1, in any
 * order. All other edges have the same pheromone. */
typedef struct tsp_edges {
    float background; /* pheromone of all other edges; no edge has less */
    size_t *first;    /* [n + 1] */
    int32_t *city;    /* [first[n]]: city at the other end of the edge */
    float *pheromone; /* [first[n]] */
} tsp_edges;

/* Allocates room for n cities and `count` edges, all zeroed. Free it, also after AB_FAILED. */
ab_status tsp_edges_allocate(int n, size_t count, tsp_edges *edges);
void tsp_edges_free(tsp_edges *edges); /* accepts zeroed edges */

/* Writes the edges to a matrix [n][n], or row i of it; and reads from a matrix the edges that have more than the least
 * pheromone. */
void tsp_edges_spread(const tsp_edges *edges, int n, float *pheromone);
void tsp_edges_spread_row(const tsp_edges *edges, int n, size_t i, float *row);
ab_status tsp_edges_gather(const float *pheromone, int n, tsp_edges *edges);

typedef struct tsp_colony tsp_colony;

/* What a colony does as a part of several (team.h). */
typedef struct tsp_part_methods {
    ab_status (*wait)(tsp_colony *colony); /* waits for the GPU; NULL: not needed */
    ab_status (*sum)(tsp_colony *colony);  /* sums the pheromone of all ranks, for all ranks (ranks_sum) */
    /* Finds the shortest tour of the last iteration and the lowest ant that has it; tour: [n + 1] or NULL. */
    ab_status (*shortest)(tsp_colony *colony, int *ant, int64_t *length, int32_t *tour);
    /* Evaporates by rho, then deposits one tour, which may come from another colony. Keeps the tour if it is the best.
     */
    ab_status (*deposit)(tsp_colony *colony, double rho, const int32_t *tour, int64_t length);
} tsp_part_methods;

typedef struct tsp_methods {
    ab_status (*read)(tsp_colony *colony, tsp_result *result); /* waits for the GPU and reads the result */
    /* Reads pheromone, [n][n], row-major. For tests: what an iteration left, or a matrix to start the next one from. */
    ab_status (*read_pheromone)(tsp_colony *colony, float *pheromone);
    ab_status (*write_pheromone)(tsp_colony *colony, const float *pheromone);
    /* Fills the colony's tours and lengths with values that every check refuses (city -1, length -1). So an iteration
     * that does not write them is detected. */
    ab_status (*poison)(tsp_colony *colony);
    /* Reads the padded matrices for verification; NULL if rows have no padding that steps read. */
    ab_status (*read_padded)(tsp_colony *colony, tsp_padded *padded);
    /* Reads the pheromone of a colony without matrices, like read_pheromone, but not as a matrix; else NULL. The caller
     * always frees *edges. */
    ab_status (*read_edges)(tsp_colony *colony, tsp_edges *edges);
    ab_status (*write_edges)(tsp_colony *colony, const tsp_edges *edges);
    const tsp_part_methods *part; /* methods as a part of several colonies; NULL: it cannot be one */
} tsp_methods;

enum { TSP_CHOICE, TSP_CONSTRUCT, TSP_UPDATE, TSP_STAGES }; /* stages of a colony's work */

struct tsp_colony {
    ab_work work; /* first member: a colony is a work that the harness can time */
    const tsp_methods *methods;
};

#ifdef __cplusplus
}
#endif
#endif
