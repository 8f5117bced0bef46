/* Checks of what a colony of edge ants computed, against the image alone. */
#ifndef ANTBENCH_VERIFY_EDGE_ANTS_H
#define ANTBENCH_VERIFY_EDGE_ANTS_H

#include <stdbool.h>

#include "kernels/edge_ants/edge_ants.h"

/* Places the ants of a freshly opened colony whose runs have one iteration (params->iterations 1). It then makes
 * `iterations` runs. Then, if `unchecked` is above 0, it makes so many others, one more, and one with the ants all
 * round the frame of the image. It checks the result of all but the others:
 *   placement  every ant is on the pixel that its random numbers say, which is its only memory; every pixel has the
 *              initial pheromone
 *   moves      every ant has gone to a neighbour inside the image that is not in its memory, as its random number
 *              chooses (within VERIFY_SPIN_TOLERANCE of the wheel); if no neighbour has a weight above 0, to the pixel
 *              that its random numbers say
 *   memory     slot t % EA_MEMORY holds the new position, the others are as they were
 *   pheromone  of each pixel (1 - rho) times what it was plus the ants' deposits, recomputed in double, within
 *              VERIFY_PIXEL_TOLERANCE (relative); of all pixels together within VERIFY_MASS_TOLERANCE; NaN fails
 * *moves is set to the number of valid moves. A wrong output is AB_FAILED with *wrong true. Any other status with *wrong
 * false means that the colony could not be run or checked. */
ab_status edge_ants_verify(ea_colony *colony, const ea_problem *problem, const ea_params *params, int iterations,
                           int unchecked, int64_t *moves, bool *wrong);

/* Places the ants of two colonies, opened alike but for their seeds, which must not place them alike. *wrong as
 * above. */
ab_status verify_seeds(ea_colony *colony, ea_colony *other, int n_ants, bool *wrong);

/* Compares whole runs of two freshly opened colonies, opened alike. At most VERIFY_OTHER_WALKS of the ants, and one
 * more, may have gone another way. Sums rounded in another order, and the trails of such ants, allow that. *wrong as
 * above. */
ab_status verify_run(ea_colony *colony, ea_colony *reference, int n_ants, bool *wrong);
#define VERIFY_OTHER_WALKS 0.1

/* A sum of eight powers of floats; and what it must be for them to be far from where a float ends. */
#define VERIFY_SPIN_TOLERANCE 1e-4
#define VERIFY_LEAST_WEIGHTS 1e-30

/* Float deposits of up to n_ants on one pixel, in any order. */
#define VERIFY_PIXEL_TOLERANCE 1e-4
#define VERIFY_MASS_TOLERANCE 1e-5

#endif
