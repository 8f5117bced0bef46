/* tsp/islands and tsp/cpu-islands: one colony per rank, which sends the best tour it has every `exchange` iterations
 * (team.h). With topology=ring it goes to the next rank; with topology=all the best of all goes to all.
 *
 * A tour that arrives and is shorter than the island's best takes its place, and deposits once more, as an ant of that
 * length would. Islands exchange nothing else. So they send a tour, 4 (n + 1) bytes, and not pheromone, and they scale
 * as long as a rank has ants. They find other tours than one colony does: each has fewer ants, and pheromone of its
 * own.
 *
 * Source: Middendorf, Reischle, Schmeck, Multi Colony Ant Algorithms, Journal of Heuristics 8 (2002); Manfrin,
 * Birattari, Stützle, Dorigo, Parallel Ant Colony Optimization for the Traveling Salesman Problem, ANTS 2006.
 */
#include <string.h>

#include "kernels/tsp/team/team.h"

static const ab_work_methods methods = {.n_stages = 4,
                                        .stage_names = {"exchange", "choice", "construct", "update"},
                                        .run_stage = tsp_team_run_stage,
                                        .close = tsp_team_close};

static const ab_work_methods *work(const tsp_params *params)
{
    (void)params;
    return &methods;
}

/* Each island is a colony of its own: only the ants' numbers are of all. */
static void divide(const tsp_member *member, tsp_params *part)
{
    (void)member, (void)part;
}

static ab_status exchange(tsp_member *member)
{
    const size_t tour = ((size_t)member->n + 1) * sizeof *member->tour;
    tsp_result best = {.best_tour = member->tour};
    int64_t length;
    int owner;
    AB_TRY(ranks_join(member->part->methods->read(member->part, &best)));
    length = best.best_length;
    if (member->params.topology == TSP_ALL) {
        ranks_least(length, &length, &owner);
        ranks_broadcast(member->tour, tour, owner);
    } else {
        ranks_pass(&length, sizeof length);
        ranks_pass(member->tour, tour);
    }
    if (length >= best.best_length) return ab_ok();
    return member->part->methods->part->deposit(member->part, 0.0, member->tour, length);
}

static ab_status run(tsp_member *member, const char *stage)
{
    if (strcmp(stage, "exchange") != 0) return tsp_member_run(member, stage);
    const bool due = member->iteration > 0 && member->iteration % member->params.exchange == 0;
    return due ? exchange(member) : ab_ok();
}

const tsp_way tsp_islands_way = {.name = "islands", .work = work, .divide = divide, .run = run, .separate = true};
