/* Double-Spin Roulette (ds_scan.h) with "a simpler branching implementation" of the scan in shared memory.
 *
 * A lane that has no weight so far below it adds nothing. Limit: 5.2 n bytes of shared memory.
 * Source: thesis §3.6.4.
 */
#include "kernels/tsp/ds_scan.h"

AB_RUNG(tsp_rung, tsp_ds_roulette_branch) = {.construct = ds_construct<DS_BRANCHES>, .check = ds_check<DS_BRANCHES>};
