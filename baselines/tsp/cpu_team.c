/* tsp/cpu-split and tsp/cpu-islands: several processes of tsp/cpu-best-nn (kernels/tsp/team/team.h). */
#include "kernels/tsp/team/team.h"
#include "operations/tsp.h"

tsp_open cpu_split, cpu_islands;

extern const ab_parameter cpu_split_parameters[], cpu_islands_parameters[]; /* registry.c looks for these names */
const ab_parameter cpu_split_parameters[] = {AS_RANKS_PARAMETERS, {.name = NULL}};
const ab_parameter cpu_islands_parameters[] = {AS_RANKS_PARAMETERS, AS_ISLANDS_PARAMETERS, {.name = NULL}};

static const char part[] = "tsp/cpu-best-nn";

ab_status cpu_split(const as_problem *problem, const as_params *params, as_colony **colony)
{
    return as_team_open(&as_split, part, AB_CPU, problem, params, colony);
}

ab_status cpu_islands(const as_problem *problem, const as_params *params, as_colony **colony)
{
    return as_team_open(&as_islands, part, AB_CPU, problem, params, colony);
}
