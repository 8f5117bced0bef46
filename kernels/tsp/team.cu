/* The rungs of several GPUs (team/team.h): which rung each rank has as its part. */
#include "kernels/tsp/colony.h"
#include "kernels/tsp/race.h"
#include "kernels/tsp/team/team.h"

AB_OWN_PARAMETERS(tsp_split) = {
    AS_RANKS_PARAMETERS, AS_TRANSFER_PARAMETER, RACE_ANTS_PARAMETER, RACE_SHARED_PARAMETER, {}};

AB_RUNG(tsp_rung, tsp_split) = {.construct = NULL, .way = &as_split, .part = "tsp/race-candidates"};

AB_OWN_PARAMETERS(tsp_islands) = {
    AS_RANKS_PARAMETERS, AS_ISLANDS_PARAMETERS, RACE_ANTS_PARAMETER, RACE_SHARED_PARAMETER, {}};

AB_RUNG(tsp_rung, tsp_islands) = {.construct = NULL, .way = &as_islands, .part = "tsp/race-candidates"};
