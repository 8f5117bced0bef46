/* tsp/cpu-split and tsp/cpu-islands: several processes of tsp/cpu-vectors-nn (kernels/tsp/team/team.h). */
#include "kernels/tsp/team/team.h"
#include "operations/tsp.h"

tsp_open cpu_split, cpu_islands;

extern const ab_parameter cpu_split_parameters[], cpu_islands_parameters[]; /* registry.c looks for these names */
const ab_parameter cpu_split_parameters[] = {TSP_RANKS_PARAMETERS, {.name = NULL}};
const ab_parameter cpu_islands_parameters[] = {TSP_RANKS_PARAMETERS, TSP_ISLANDS_PARAMETERS, {.name = NULL}};

static const char part[] = "tsp/cpu-vectors-nn";

ab_status cpu_split(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    return tsp_team_open(&tsp_split_way, part, AB_CPU, problem, params, colony);
}

ab_status cpu_islands(const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    return tsp_team_open(&tsp_islands_way, part, AB_CPU, problem, params, colony);
}
