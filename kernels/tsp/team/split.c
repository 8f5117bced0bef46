/* tsp/split and tsp/cpu-split: one colony with its ants divided over ranks (team.h). With the same seed its tours are
 * those that its part's implementation alone finds, apart from the order in which deposits are added.
 *
 * If every ant deposits, each rank deposits for its own ants. Rank 0 does so on the pheromone that it has evaporated.
 * The others begin with zeros: they evaporate all of it. The sum of these matrices is the colony's new pheromone, so
 * that the all-reduce needs no further memory or kernel. If the best ant deposits, one number tells who has it, and
 * only its tour is sent.
 *
 * Floor, n ants, R ranks: t(n) / R to construct. The sum takes 8 n^2 (R - 1) / R bytes at the speed of the link, as a
 * ring. By the host's memory it takes 8 n^2 bytes more at the speed of the bus. Stages choice and update, which read
 * and write all n^2, are not divided. Measured: docs/log/scaling.md. Source: this project. Dividing the ants of one
 * colony: Stützle, Parallelization Strategies for Ant Colony Optimization, PPSN V (1998), and Randall & Lewis, J.
 * Parallel and Distributed Computing 62 (2002).
 */
#include <string.h>

#include "kernels/tsp/team/team.h"

static const ab_work_methods all_ants = {.n_stages = 4,
                                         .stage_names = {"choice", "construct", "update", "reduce"},
                                         .run_stage = tsp_team_run_stage,
                                         .close = tsp_team_close};
static const ab_work_methods best_ant = {.n_stages = 4,
                                         .stage_names = {"choice", "construct", "reduce", "update"},
                                         .run_stage = tsp_team_run_stage,
                                         .close = tsp_team_close};

static const ab_work_methods *work(const tsp_params *params)
{
    return params->protocol == TSP_ALL_ANTS ? &all_ants : &best_ant;
}

static void divide(const tsp_member *member, tsp_params *part)
{
    if (member->rank > 0 && part->protocol == TSP_ALL_ANTS) part->rho = 1.0;
}

/* The iteration's shortest tour, the lowest ant's among equals, to all. */
static ab_status share_best(tsp_member *member)
{
    const tsp_part_methods *methods = member->part->methods->part;
    int ant, owner;
    AB_TRY(ranks_join(methods->shortest(member->part, &ant, &member->length, member->tour)));
    ranks_least(member->length, &member->length, &owner);
    ranks_broadcast(member->tour, ((size_t)member->n + 1) * sizeof *member->tour, owner);
    return ab_ok();
}

static ab_status run(tsp_member *member, const char *stage)
{
    const tsp_part_methods *methods = member->part->methods->part;
    const bool all = member->params.protocol == TSP_ALL_ANTS;
    if (strcmp(stage, "reduce") == 0 && all) return member->params.ranks > 1 ? methods->sum(member->part) : ab_ok();
    if (strcmp(stage, "reduce") == 0) return share_best(member);
    if (strcmp(stage, "update") != 0 || all) return tsp_member_run(member, stage);
    return methods->deposit(member->part, member->params.rho, member->tour, member->length);
}

const tsp_way tsp_split_way = {.name = "split", .work = work, .divide = divide, .run = run};
