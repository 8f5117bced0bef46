/* Operation "tsp": Ant System on the symmetric travelling salesman problem.
 *
 * n cities, n_ants ants. One iteration has three stages, or four:
 *   choice     choice_info[i][j] = pheromone[i][j]^alpha * eta[i][j]^beta, with eta = 1/(d + 0.1) as d can be 0
 *   construct  every ant builds a closed tour by the implementation's selection rule
 *   improve    with improve=best or all: local search, 2-opt and Or-opt, on the shortest of these tours or on each
 *   update     pheromone evaporates by the factor 1 - rho on every edge, then ants deposit 1/length on the edges of
 *              their tour, in both directions: all of them (AS_ALL_ANTS), the iteration's best alone (AS_BEST_ANT),
 *              or that or the best so far, between limits (AS_MAX_MIN)
 * Sources: thesis §3.2, §3.5; JPDC §2.1; Dorigo & Stützle, Ant Colony Optimization (2004), ch. 3.
 *
 * The ladder, what each rung adds, and how to run it (ids without "tsp/"; `antbench` is build/bin/antbench):
 *   acotsp-seq           what the papers compare with: double precision, one core, a roulette over all cities
 *                            antbench 3.3 --implementations tsp/acotsp-seq
 *   acotsp-omp           the same tours on all cores, an ant a thread
 *                            antbench 3.3 --implementations tsp/acotsp-omp
 *   cpu-best             the same rule as fast as a CPU does it: near cities by SIMD, far ones by rejection from a tree
 *                            antbench 3.3 --implementations tsp/cpu-best
 *   cpu-blocks           sixteen cities under a mask, bounds in the tree's place, sixteen ants without a branch
 *                            antbench 3.3 --implementations tsp/cpu-blocks
 *   task-thread          the GPU: an ant a thread, 16 ants a block, as a CPU would
 *                            antbench 3.3 --implementations tsp/task-thread
 *   data-rw              a block an ant, the queen, and a thread a city, her workers; one thread spins the wheel
 *                            antbench 3.3 --implementations tsp/data-rw --set workers=32,64,128
 *   data-rw-warp         that with sums of warps by shuffles, so that the one thread's walk is short
 *                            antbench 3.3 --implementations tsp/data-rw-warp --set workers=32,64,128
 *   i-roulette           no wheel: each city with a random number of its own, the largest product wins, which is not the
 *                        random proportional rule
 *                            antbench 3.3 --implementations tsp/i-roulette --set workers=32,64,128
 *   i-roulette-warp      the same rule with one reduction a step for many, in registers
 *                            antbench 3.3 --implementations tsp/i-roulette-warp
 *   ds-roulette          the rule again, with two random numbers a step: a spin over sub-blocks, one inside the winner
 *                            antbench 3.3 --implementations tsp/ds-roulette
 *   ds-roulette-reduce   that with the scans of its warps in shared memory, as the thesis has them
 *                            antbench 3.3 --implementations tsp/ds-roulette-reduce
 *   ds-roulette-branch   likewise, in half of that memory, by branches
 *                            antbench 3.3 --implementations tsp/ds-roulette-branch
 *   race                 the rule without a wheel: a warp per ant, clocks of near cities race one for all others
 *                            antbench 3.3 --implementations tsp/race
 * and with candidate sets, so that a step reads 20 or 32 cities and seldom all:
 *   acotsp-seq-nn        acotsp-seq with them
 *                            antbench 4.2 --implementations tsp/acotsp-seq-nn
 *   acotsp-omp-nn        on all cores
 *                            antbench 4.2 --implementations tsp/acotsp-omp-nn
 *   cpu-best-nn          a set in a few vectors, several ants of a thread in turns to hide latency
 *                            antbench 4.2 --implementations tsp/cpu-best-nn
 *   cpu-sparse           that without matrices, for very many cities
 *                            antbench frontier --implementations tsp/cpu-sparse --instances u100000 --set ants=1024
 *   cand-thread          the GPU as a CPU would: an ant a thread
 *                            antbench 4.2 --implementations tsp/cand-thread
 *   cand-block           a block an ant: one warp spins over the set, four search where it is exhausted
 *                            antbench 4.2 --implementations tsp/cand-block
 *   cand-block-compress  the remaining cities in a list, so that the search passes over no visited one
 *                            antbench 4.2 --implementations tsp/cand-block-compress
 *   race-candidates      a warp per ant, a clock a candidate
 *                            antbench 4.2 --implementations tsp/race-candidates
 *   race-sparse          that without matrices, for very many cities: pheromone on some edges alone, exactly
 *                            antbench frontier --implementations tsp/race-sparse --instances u100000 --set ants=1024
 * and on several GPUs or machines (team.h; `ranks` is scripts/ranks, which starts as many processes):
 *   cpu-split, split     one colony of cpu-best-nn, or race-candidates, its ants divided over the ranks
 *                            ranks 2 scaling --implementations tsp/split
 *   cpu-islands, islands a colony a rank, which sends its best tour to others every few iterations
 *                            ranks 2 scaling --implementations tsp/islands
 *
 * The all-zero rule, the same in every implementation: single precision lets the weight of an edge that is never used
 * underflow to 0 after about a hundred iterations at rho = 0.5, so a step can find that all its unvisited cities weigh
 * 0. Such a step goes to the nearest unvisited city (smallest d; the lowest index among equals), which is what equal
 * pheromone and the heuristic would favour, and is counted in as_result.zero_weight_steps. It is for that alone: where no
 * weight of the matrix is next to 0 a step that uses it is wrong output, and so is a run with more than
 * AS_MOST_ZERO_STEPS of its steps by it (verify.h): that would be a nearest neighbour's tours under Ant System's name. In
 * the stored runs it is less than one step in a hundred thousand.
 *
 * With candidate sets (thesis §4.4; AS_CANDIDATES): a step chooses among the unvisited
 * cities of the current city's candidate set by the random proportional rule. If none is left, or those left all weigh
 * 0, it goes to the best remaining city: the unvisited city with the largest choice_info, the lowest index among equals
 * (the thesis says "the largest pheromone value", ACOTSP, its reference, takes choice_info); the all-zero rule where
 * all of them weigh 0.
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
    AS_MAX_CITIES = 65535,   /* with matrices of all edges, */
    AS_MAX_SPARSE = 1000000, /* ... and without */
    AS_MAX_TILES = 32,       /* cities of a worker: bits of a register */
    AS_OWN_WORDS = 4,        /* 8 bytes each, for a rung's own parameters */
    AS_USUAL_EXCHANGE = 10   /* iterations of islands from one sending of the best tours to the next */
};

/* Traits of implementations. */
enum {
    AS_CANDIDATES = 1 << 1,  /* "candidates": needs candidate sets */
    AS_THREAD_EACH = 1 << 6, /* "thread-each": a thread works on each ant by itself; the usual is a warp */
    AS_WORKERS = 1 << 8,     /* "workers": a block of as many threads as its parameters say works on each ant */
    AS_RACE = 1 << 12        /* "race": ants choose by a race of clocks (race.h) */
};

typedef struct as_problem {
    int n;               /* cities, >= 2 */
    const int32_t *dist; /* [n][n], symmetric, zero diagonal, >= 0: TSPLIB's integer distances; NULL where there are too
                             * many of them, and points in their place */
    const tsp_point
        *points; /* [n] where the cities lie on a plane, else NULL; `rule` makes the same distances of them */
    const tsp_rule *rule;
    int nn;                 /* candidate cities per city, <= n - 1; 0 for rules that consider all cities */
    const int32_t *nn_list; /* [n][nn]: the candidate set of each city (as_nearest_neighbours); NULL for nn 0 */
} as_problem;

typedef enum as_protocol {
    AS_ALL_ANTS, /* "as": every ant deposits; JPDC and JSC, rho 0.5 */
    AS_BEST_ANT, /* "as-best": the iteration's best ant deposits; thesis §3.5.3 and §3.6, rho 0.1 */
    AS_MAX_MIN   /* "mmas": MAX-MIN Ant System, whose pheromone has limits (max_min.h); rho 0.02 */
} as_protocol;

typedef enum as_topology {
    AS_RING, /* the one before sends to the next */
    AS_ALL   /* the best of all to all */
} as_topology;

/* The tours that stage "improve" makes shorter; without it there is none (Dorigo & Stützle 2004, section 3.7). */
typedef enum as_improve { AS_IMPROVE_NONE, AS_IMPROVE_BEST, AS_IMPROVE_ALL } as_improve;

typedef struct as_params {
    as_protocol protocol;
    as_improve improve;
    double alpha;  /* exponent of the pheromone */
    double beta;   /* exponent of the heuristic */
    double rho;    /* evaporation rate, 0 < rho <= 1 */
    int n_ants;    /* >= 1; the sources use n */
    int patience;  /* AS_MAX_MIN: iterations without a better tour after which all edges are equal again; 0: never */
    uint64_t seed; /* one seed gives the same tours again, whatever the number of threads; not on a GPU with
                    * AS_ALL_ANTS, where the order of atomic additions, and so their rounding, varies */
    int threads;   /* CPU implementations with threads: how many, 0 for all cores; others ignore it */
    int carveout;  /* GPU: preferred shared memory, percent of the maximum (Fig. 3.9); -1 leaves it to the driver */
    int nn;        /* size of the candidate sets that the problem is given; 0 for none */
    uint64_t own[AS_OWN_WORDS]; /* GPU: a rung's own parameters, a struct beside its kernel; 0: its defaults */
    int ranks;                  /* AB_SEVERAL: how many work together; others: 1 */
    bool each;            /* AB_SEVERAL: n_ants was of each rank, until it was multiplied; as "weak scaling" has it */
    ranks_way transfer;   /* AB_SEVERAL, GPU: how pheromone is summed */
    int exchange;         /* islands: iterations from one sending of the best tours to the next */
    as_topology topology; /* islands: to whom */
    int first_ant;        /* of a part of a colony: the number of its first ant, which names the ant's random stream, */
    int all_ants;         /* ... and the ants of all parts; 0: this is the whole */
} as_params;

/* The offset of a rung's own parameter, for its table. */
#define AS_OWN(type, member) (offsetof(as_params, own) + offsetof(type, member))

/* Their table, without rungs' own: names, ranges, defaults. Where it has 0 for them, n_ants is n and rho follows from
 * the protocol. Parameters of AB_SEVERAL and islands are the rungs' own (team/team.h). */
extern const ab_parameter as_parameters[];

/* The candidate sets of thesis §4.4.2: the nn nearest other cities of each city, nearest first, the lower index first
 * among equals, into *nn_list [n][nn], which the caller frees. 1 <= nn <= n - 1. */
ab_status as_nearest_neighbours(const as_problem *problem, int nn, int32_t **nn_list);

/* The distance between two cities. */
static inline int32_t as_distance(const as_problem *problem, int a, int b)
{
    if (problem->dist) return problem->dist[(size_t)a * (size_t)problem->n + (size_t)b];
    return (int32_t)problem->rule->distance(problem->points[a], problem->points[b]);
}

/* AB_OK, or AB_UNSUPPORTED for an instance without a matrix of distances, or one too large for matrices. */
ab_status as_check_matrix(const as_problem *problem);

/* AB_OK, or AB_UNSUPPORTED for protocol=mmas, of which every edge has pheromone of its own. */
ab_status as_check_no_limits(const as_params *params);

/* AB_OK, or AB_UNSUPPORTED "needs a candidate set" for nn 0, or AB_BAD_INPUT for a size out of range. */
ab_status as_check_candidates(const as_problem *problem);

/* AB_OK, or AB_UNSUPPORTED for more cities than AS_MAX_TILES for each worker, or AB_BAD_INPUT where the workers are not a
 * power of two. */
ab_status as_check_workers(const as_problem *problem, int workers);

/* What the sources use: alpha 1, beta 2, one ant per city, rho by protocol; seed 1, threads 1, carveout -1.
 */
as_params as_default_params(int n, as_protocol protocol);

const char *as_protocol_name(as_protocol protocol); /* "as", "as-best", "mmas" */

/* tau_0 = 1/(rho * C), C the length of the nearest-neighbour tour from city 0 (1 if that length is 0). */
ab_status as_initial_pheromone(const as_problem *problem, double rho, double *initial);

/* x to the power `exponent`, without pow() for 1 and 2, the exponents of the sources. */
double as_power(double x, double exponent);

/* AB_OK, or AB_BAD_INPUT naming the parameter that is out of range, or AB_UNSUPPORTED for n. */
ab_status as_check(const as_problem *problem, const as_params *params);

/* The all-zero rule: the nearest city to `city` that is not marked in visited[n], the lowest index among equals; -1
 * when all are marked. */
int as_nearest_unvisited(const as_problem *problem, int city, const bool *visited);

/* Copied out of a colony by methods->read. The caller owns the arrays; any of them may be NULL. */
typedef struct as_result {
    int32_t *tours;            /* [n_ants][n + 1] of the last iteration, closed: the last city is the first */
    int64_t *lengths;          /* [n_ants] of the last iteration, as the implementation computed them */
    int32_t *best_tour;        /* [n + 1], closed: the best since opening */
    int64_t best_length;       /* its length; INT64_MAX before the first iteration */
    int64_t zero_weight_steps; /* steps since opening that used the all-zero rule */
    int64_t iterations;        /* constructions since opening */
    int depositors;            /* whose tours the pheromone is of: the first so many ants; 0: all */
} as_result;

/* The share of a run's steps that may use the all-zero rule. */
#define AS_MOST_ZERO_STEPS 0.01

/* A colony's matrices as they lie in its memory, with the ends of rows that are no city's: [n][stride] each. */
typedef struct as_padded {
    int stride;         /* set by read_padded; its arrays are filled where they are not NULL */
    float *pheromone;   /* 0 in the padding */
    float *choice_info; /* 0 in the padding and on the diagonal, where it is `usual` */
    bool usual;         /* set by read_padded: choice_info is pheromone^alpha * eta^beta, by the usual stage "choice" */
} as_padded;

/* The pheromone of a colony that keeps it on some edges: those of city i are entries first[i] .. first[i + 1] - 1, in any
 * order, and all others have the same. */
typedef struct as_edges {
    float background; /* of all edges that are not there; none has less */
    size_t *first;    /* [n + 1] */
    int32_t *city;    /* [first[n]]: where the edge leads to */
    float *pheromone; /* [first[n]] */
} as_edges;

/* Room for n cities and `count` edges, all zeroed; free it, also after AB_FAILED. */
ab_status as_edges_allocate(int n, size_t count, as_edges *edges);
void as_edges_free(as_edges *edges); /* accepts a zeroed one */

/* As a matrix [n][n], and row i of it; and of a matrix the edges that have more than the least. */
void as_edges_spread(const as_edges *edges, int n, float *pheromone);
void as_edges_spread_row(const as_edges *edges, int n, size_t i, float *row);
ab_status as_edges_gather(const float *pheromone, int n, as_edges *edges);

typedef struct as_colony as_colony;

/* What a colony does as one of several (team.h). */
typedef struct as_part_methods {
    ab_status (*wait)(as_colony *colony); /* until the GPU is done; NULL: there is none */
    ab_status (*sum)(as_colony *colony);  /* of the pheromone of all ranks, for all (ranks_sum) */
    /* The shortest tour of the last iteration and the lowest ant that has it; tour: [n + 1] or NULL. */
    ab_status (*shortest)(as_colony *colony, int *ant, int64_t *length, int32_t *tour);
    /* Evaporation by rho, then one deposit, for a tour that may be another colony's; it is kept if it is the best. */
    ab_status (*deposit)(as_colony *colony, double rho, const int32_t *tour, int64_t length);
} as_part_methods;

typedef struct as_methods {
    ab_status (*read)(as_colony *colony, as_result *result); /* waits for the GPU */
    /* pheromone: [n][n], row-major. For tests: what an iteration left, or a matrix to start the next one from. */
    ab_status (*read_pheromone)(as_colony *colony, float *pheromone);
    ab_status (*write_pheromone)(as_colony *colony, const float *pheromone);
    /* Fills the tours and lengths of the colony with values that no check accepts (city -1, length -1), so that an
     * iteration which does not write them is found out. */
    ab_status (*poison)(as_colony *colony);
    /* For verification; NULL where rows have no padding that steps read. */
    ab_status (*read_padded)(as_colony *colony, as_padded *padded);
    /* Of a colony without matrices, else NULL: what read_pheromone and write_pheromone do, without a matrix. The caller frees *edges, in
     * every case. */
    ab_status (*read_edges)(as_colony *colony, as_edges *edges);
    ab_status (*write_edges)(as_colony *colony, const as_edges *edges);
    const as_part_methods *part; /* NULL: it cannot be one of several */
} as_methods;

enum { AS_CHOICE, AS_CONSTRUCT, AS_UPDATE, AS_STAGES }; /* the stages of a colony's work */

struct as_colony {
    ab_work work; /* first: a colony is work that the harness can time */
    const as_methods *methods;
};

#ifdef __cplusplus
}
#endif
#endif
