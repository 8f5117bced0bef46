/* The rungs of several GPUs (team/team.h): which rung each rank has as its part. */
#include "kernels/tsp/colony.h"
#include "kernels/tsp/race.h"
#include "kernels/tsp/team/team.h"

AB_OWN_PARAMETERS(tsp_split) = {
    TSP_RANKS_PARAMETERS, TSP_TRANSFER_PARAMETER, TSP_RACE_ANTS_PARAMETER, TSP_RACE_SHARED_PARAMETER, {}};

AB_RUNG(tsp_rung, tsp_split) = {.construct = NULL, .way = &tsp_split_way, .part = "tsp/race-candidates"};

AB_OWN_PARAMETERS(tsp_islands) = {
    TSP_RANKS_PARAMETERS, TSP_ISLANDS_PARAMETERS, TSP_RACE_ANTS_PARAMETER, TSP_RACE_SHARED_PARAMETER, {}};

AB_RUNG(tsp_rung, tsp_islands) = {.construct = NULL, .way = &tsp_islands_way, .part = "tsp/race-candidates"};
