/* What all CPU colonies share: memory, random streams, tours with their lengths and the best of them, and the order in
 * which deposits reach the pheromone.
 *
 * The result of a colony depends on the seed only, not on the number of threads or the machine. An ant's random stream
 * is named by (seed, iteration, ant). One thread updates a row of the pheromone, in the order of the ants. Sums are
 * added in an order that the source fixes for vectors of any width.
 */
#ifndef ANTBENCH_CPU_COLONY_H
#define ANTBENCH_CPU_COLONY_H

#include <stddef.h>

#include "base/memory.h"
#include "kernels/tsp/max_min.h"
#include "kernels/tsp/tsp.h"

/* Compiles a hot function for several generations of x86-64. The loader picks one, so the binary runs on all of
 * them. The option -std=c11 forbids fused multiply-add, so all of them give the same bits. This leaves out clang,
 * which gives such a function a name that other files do not know. What clang compiles is for the oldest generation
 * only, and is no competitor to measure. */
#if defined(__x86_64__) && !defined(__clang__)
#define CPU_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CPU_MULTIVERSION
#endif

/* The places of the cities before and after a city in a tour. */
typedef struct cpu_links {
    int32_t previous, next;
} cpu_links;

typedef struct cpu_colony {
    tsp_colony colony;             /* first: what the caller sees */
    tsp_problem problem;           /* the caller's: dist must outlive the colony */
    tsp_params params;             /* parameters as opened, with threads between 1 and n_ants */
    int64_t iteration;             /* number of the construct stage that runs, or ran last; 0 before the first */
    int32_t *tours;                /* [n_ants][n + 1] of the last iteration, closed */
    int64_t *lengths;              /* [n_ants] of the last iteration */
    bool measured;                 /* lengths are found while tours are built (cpu_build_tours) */
    int32_t *best_tour;            /* [n + 1]: the best since opening, closed */
    int64_t best_length;           /* INT64_MAX before the first iteration */
    int64_t zero_weight_steps;     /* since opening */
    tsp_max_min_course course;     /* state of TSP_MAX_MIN */
    int64_t best_before;           /* best_length before this iteration, of TSP_MAX_MIN */
    bool best_deposits;            /* the best tour so far, in the first ant's place */
    cpu_links *links;              /* [n_ants][n]: the tours by place, valid during the update stage */
    const uint16_t *place;         /* [n]: of each city in them; NULL: its number */
    struct cpu_improver *improver; /* stage "improve" (cpu_improve.h), or NULL */
    ab_memory memory;              /* everything else the colony owns, the arrays of an implementation included */
} cpu_colony;

/* The least multiple of `granule` that is `count` or more. */
static inline size_t cpu_round_up(size_t count, size_t granule)
{
    return (count + granule - 1) / granule * granule;
}

/* The methods read and poison of an tsp_colony that is a cpu_colony. */
ab_status cpu_colony_read(tsp_colony *colony, tsp_result *result);
ab_status cpu_colony_poison(tsp_colony *colony);

/* Tour `ant` of the last iteration. */
static inline int32_t *cpu_colony_tour(const cpu_colony *colony, int ant)
{
    return colony->tours + (size_t)ant * ((size_t)colony->problem.n + 1);
}

/* The number that names the random stream of an ant in this iteration. */
uint64_t cpu_colony_stream(const cpu_colony *colony, int ant);

/* An implementation's part of a construct stage. It puts the n cities of the tours first .. first + count - 1 in
 * order, in this thread's memory, and their lengths if it measures them. It returns how many of the steps found no
 * city with a weight (tsp.h). */
typedef int64_t cpu_build_tours(cpu_colony *colony, int thread, int first, int count);

/* The rest of a construct stage: ants are dealt to threads at most `most` at a time, tours are closed and measured,
 * and the best one is kept. */
void cpu_colony_construct(cpu_colony *colony, int most, cpu_build_tours *build);

/* Remembers a tour if it is the best so far. */
void cpu_colony_keep(cpu_colony *colony, const int32_t *tour, int64_t length);

/* The ant with the shortest tour of this iteration, the first among equals. */
int cpu_colony_shortest(const cpu_colony *colony);

/* Remembers the best tour of this iteration if it is the best so far: the end of a construct stage. */
void cpu_colony_keep_best(cpu_colony *colony);

/* The ants that deposit in this iteration, by protocol: first .. end-1; and between what the pheromone must then be. */
typedef struct cpu_depositors {
    int first, end;
    tsp_max_min_limits
        limits; /* limits of TSP_MAX_MIN, both the same if all edges are to be equal; other protocols have 0 and
                 * infinity */
} cpu_depositors;

/* Chooses them and fills their links: the beginning of an update stage. */
cpu_depositors cpu_colony_link_depositors(cpu_colony *colony);

/* What a tour adds to each of its edges: 1/length, and 1 where duplicate cities make the length 0. */
static inline double cpu_colony_amount(int64_t length)
{
    return length > 0 ? 1.0 / (double)length : 1.0;
}

/* What such an ant adds. */
double cpu_colony_deposit(const cpu_colony *colony, int ant);

#endif
