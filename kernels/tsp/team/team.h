/* Ant System on several GPUs or machines: colonies of the ranks of MPI (mpi/ranks.h) that look like one.
 *
 * Rank r of R has a *part*: an ordinary colony of its backend, with ants n_ants r / R .. n_ants (r + 1) / R - 1 of all.
 * An ant's random stream is named by its number among all ants. So what it does depends on this number and the
 * pheromone. How the parts make one colony is a *way*:
 *   split.c    one colony: the same pheromone everywhere, which all ants' deposits reach
 *   islands.c  a colony each, which sends its best tour to others from time to time
 *
 * Rank 0 has the tsp_colony that the harness runs, verifies and reads like any other. Each of its methods is an order
 * to the other ranks, which are called to tsp_team_serve() (mpi/workers.h) and do the same with their parts. It returns
 * when all have returned, with the status of the first that failed. So a stage takes as long as on the slowest rank, by
 * rank 0's clock.
 */
#ifndef ANTBENCH_TSP_TEAM_H
#define ANTBENCH_TSP_TEAM_H

#include "kernels/tsp/tsp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsp_way tsp_way;

/* What a rank has. */
typedef struct tsp_member {
    const tsp_way *way;
    tsp_params params; /* parameters of all parts together */
    tsp_colony *part;
    int n, rank;
    int iteration;  /* constructions since the colony was opened, or its pheromone written */
    int32_t *tour;  /* [n + 1]: one on its way */
    int64_t length; /* its */
} tsp_member;

/* How parts make one colony. Methods are called by all ranks at the same time. */
struct tsp_way {
    const char *name;
    const ab_work_methods *(*work)(const tsp_params *params); /* names the stages */
    /* What the part has other than the whole. */
    void (*divide)(const tsp_member *member, tsp_params *part);
    /* Runs the stage of the member's work by this name; it may return before the GPU is done. */
    ab_status (*run)(tsp_member *member, const char *stage);
    bool separate; /* the pheromone is each rank's own */
};

extern const tsp_way tsp_split_way, tsp_islands_way;

/* Opens a colony of the way's whose parts are `part` ("tsp/cpu-vectors-nn") on that backend. AB_UNSUPPORTED where there
 * are not params->ranks ranks, or fewer ants than ranks, or the instance comes without a matrix of distances. One such
 * colony can be open at a time. */
ab_status tsp_team_open(const tsp_way *way, const char *part, ab_backend backend, const tsp_problem *problem,
                        const tsp_params *params, tsp_colony **colony);

/* ab_operation.serve: what the ranks after the first do for a colony that the first opens. */
void tsp_team_serve(ab_status gpu);

/* The rungs' own parameters, for their tables: of all, of split on GPUs, and of islands. */
extern const char *const tsp_transfer_names[], *const tsp_topology_names[];
#define TSP_RANKS_PARAMETERS                                                                                           \
    {.name = "ranks",                                                                                                  \
     .help = "of split and islands: processes of MPI that work together, a GPU each",                                  \
     .offset = offsetof(tsp_params, ranks),                                                                            \
     .least = 1,                                                                                                       \
     .most = 4096,                                                                                                     \
     .fallback = 1,                                                                                                    \
     .shown = AB_SHOWN_SET},                                                                                           \
    {                                                                                                                  \
        .name = "each", .help = "of split and islands: ants are of each rank, not of all together", .kind = AB_FLAG,   \
        .offset = offsetof(tsp_params, each), .shown = AB_SHOWN_NONZERO                                                \
    }
#define TSP_TRANSFER_PARAMETER                                                                                         \
    {                                                                                                                  \
        .name = "transfer", .help = "of split: pheromone between GPUs by the host's memory or by NCCL",                \
        .kind = AB_CHOICE, .offset = offsetof(tsp_params, transfer), .choices = tsp_transfer_names,                    \
        .shown = AB_SHOWN_SET                                                                                          \
    }
#define TSP_ISLANDS_PARAMETERS                                                                                         \
    {.name = "exchange",                                                                                               \
     .help = "of islands: iterations from one sending of the best tours to the next",                                  \
     .offset = offsetof(tsp_params, exchange),                                                                         \
     .least = 1,                                                                                                       \
     .most = 1000000,                                                                                                  \
     .fallback = TSP_USUAL_EXCHANGE,                                                                                   \
     .shown = AB_SHOWN_SET},                                                                                           \
    {                                                                                                                  \
        .name = "topology", .help = "of islands: each sends to the next (ring), or the best goes to all",              \
        .kind = AB_CHOICE, .offset = offsetof(tsp_params, topology), .choices = tsp_topology_names,                    \
        .shown = AB_SHOWN_SET                                                                                          \
    }

/* The stages of ab_work_methods for a way's own, which has these two from here. */
ab_status tsp_team_run_stage(ab_work *work, int stage);
void tsp_team_close(ab_work *work);

/* Runs the stage of the part by its name. */
ab_status tsp_member_run(tsp_member *member, const char *stage);

#ifdef __cplusplus
}
#endif
#endif
