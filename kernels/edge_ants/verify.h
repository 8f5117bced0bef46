/* Checks of what a colony of edge ants computed, against the image alone. */
#ifndef ANTBENCH_VERIFY_EDGE_ANTS_H
#define ANTBENCH_VERIFY_EDGE_ANTS_H

#include <stdbool.h>

#include "kernels/edge_ants/edge_ants.h"

/* Places the ants of a colony that was opened for runs of one iteration (params->iterations 1), makes `iterations` of
 * them, then `unchecked` others, and where there are such two more, and checks everything that each leaves:
 *   placement  every ant is on a pixel, its only memory; every pixel has the initial pheromone
 *   moves      every ant has gone to a neighbour inside the image that is not in its memory and has a weight above 0,
 *              or anywhere if there is no such neighbour
 *   memory     slot t % EA_MEMORY holds the new position, the others are as they were
 *   pheromone  of each pixel (1 - rho) times what it was plus the ants' deposits, recomputed in double, within
 *              VERIFY_PIXEL_TOLERANCE (relative); of all pixels together within VERIFY_MASS_TOLERANCE; NaN fails
 * *moves is set to the number of valid moves. A wrong output is AB_FAILED with *wrong true; any other status with
 * *wrong false means that the colony could not be run or checked. */
ab_status verify_edge_ants(ea_colony *colony, const ea_problem *problem, const ea_params *params, int iterations,
                           int unchecked, int64_t *moves, bool *wrong);

/* Places the ants of two colonies, opened alike but for their seeds, which must not place them alike. *wrong as above. */
ab_status verify_seeds(ea_colony *colony, ea_colony *other, int n_ants, bool *wrong);

/* Float deposits of up to n_ants on one pixel, in any order. */
#define VERIFY_PIXEL_TOLERANCE 1e-4
#define VERIFY_MASS_TOLERANCE 1e-5

#endif
