/* Ant System on several GPUs or machines: colonies of the ranks of MPI (mpi/ranks.h) that look like one.
 *
 * Rank r of R has a *part*: an ordinary colony of its backend, with ants n_ants r / R .. n_ants (r + 1) / R - 1 of all.
 * An ant's random stream is named by its number among all, so that what it does depends on that alone and on the
 * pheromone. How the parts make one is a *way*:
 *   split.c    one colony: the same pheromone everywhere, which all ants' deposits reach
 *   islands.c  a colony each, which sends its best tour to others from time to time
 *
 * Rank 0 has the as_colony that the harness runs, verifies and reads like any other. Each of its methods is an order to
 * the other ranks, which are called to as_team_serve() (mpi/workers.h) and do the same with their parts; it returns
 * when all have, with the status of the first that failed. So a stage's time is that of the slowest rank, by rank 0's
 * clock.
 */
#ifndef ANTBENCH_TSP_TEAM_H
#define ANTBENCH_TSP_TEAM_H

#include "kernels/tsp/tsp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct as_way as_way;

/* What a rank has. */
typedef struct as_member {
    const as_way *way;
    as_params params; /* of all parts together */
    as_colony *part;
    int n, rank;
    int iteration;  /* constructions since the colony was opened, or its pheromone written */
    int32_t *tour;  /* [n + 1]: one on its way */
    int64_t length; /* its */
} as_member;

/* How parts make one colony. Methods are called by all ranks at the same time. */
struct as_way {
    const char *name;
    const ab_work_methods *(*work)(const as_params *params); /* names the stages */
    /* What the part has other than the whole. */
    void (*divide)(const as_member *member, as_params *part);
    /* Runs the stage of the member's work by this name; it may return before the GPU is done. */
    ab_status (*run)(as_member *member, const char *stage);
    bool separate; /* the pheromone is each rank's own */
};

extern const as_way as_split, as_islands;

/* Opens a colony of the way's whose parts are `part` ("tsp/cpu-best-nn") on that backend. AB_UNSUPPORTED where there
 * are not params->ranks ranks, or fewer ants than ranks, or the instance comes without a matrix of distances. One such
 * colony can be open at a time. */
ab_status as_team_open(const as_way *way, const char *part, ab_backend backend, const as_problem *problem,
                       const as_params *params, as_colony **colony);

/* ab_operation.serve: what the ranks after the first do for a colony that the first opens. */
void as_team_serve(ab_status gpu);

/* The rungs' own parameters, for their tables: of all, of split on GPUs, and of islands. */
extern const char *const as_transfer_names[], *const as_topology_names[];
#define AS_RANKS_PARAMETERS                                                                                            \
    {.name = "ranks",                                                                                                  \
     .help = "of split and islands: processes of MPI that work together, a GPU each",                                  \
     .offset = offsetof(as_params, ranks),                                                                             \
     .least = 1,                                                                                                       \
     .most = 4096,                                                                                                     \
     .fallback = 1,                                                                                                    \
     .shown = AB_SHOWN_SET},                                                                                           \
    {                                                                                                                  \
        .name = "each", .help = "of split and islands: ants are of each rank, not of all together", .kind = AB_FLAG,   \
        .offset = offsetof(as_params, each), .shown = AB_SHOWN_NONZERO                                                 \
    }
#define AS_TRANSFER_PARAMETER                                                                                          \
    {                                                                                                                  \
        .name = "transfer", .help = "of split: pheromone between GPUs by the host's memory or by NCCL",                \
        .kind = AB_CHOICE, .offset = offsetof(as_params, transfer), .choices = as_transfer_names,                      \
        .shown = AB_SHOWN_SET                                                                                          \
    }
#define AS_ISLANDS_PARAMETERS                                                                                          \
    {.name = "exchange",                                                                                               \
     .help = "of islands: iterations from one sending of the best tours to the next",                                  \
     .offset = offsetof(as_params, exchange),                                                                          \
     .least = 1,                                                                                                       \
     .most = 1000000,                                                                                                  \
     .fallback = AS_USUAL_EXCHANGE,                                                                                    \
     .shown = AB_SHOWN_SET},                                                                                           \
    {                                                                                                                  \
        .name = "topology", .help = "of islands: each sends to the next (ring), or the best goes to all",              \
        .kind = AB_CHOICE, .offset = offsetof(as_params, topology), .choices = as_topology_names,                      \
        .shown = AB_SHOWN_SET                                                                                          \
    }

/* The stages of ab_work_methods for a way's own, which has these two from here. */
ab_status as_team_run_stage(ab_work *work, int stage);
void as_team_close(ab_work *work);

/* Runs the stage of the part by its name. */
ab_status as_member_run(as_member *member, const char *stage);

#ifdef __cplusplus
}
#endif
#endif
