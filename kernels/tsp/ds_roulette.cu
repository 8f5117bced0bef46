/* Double-Spin Roulette (ds_roulette.h) with scans by shuffles, in registers, which a GTX 580 has not.
 *
 * Limit: 5.2 n bytes of shared memory.
 * Source: thesis §3.5.2, Fig. 3.4.
 */
#include "kernels/tsp/ds_roulette.h"

AB_RUNG(tsp_rung, tsp_ds_roulette) = {.construct = ds_construct<DS_SHUFFLES>, .check = ds_check<DS_SHUFFLES>};
