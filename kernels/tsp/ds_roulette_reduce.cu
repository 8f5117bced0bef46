/* Double-Spin Roulette (ds_scan.h) with the thesis's warp-reduce: scans in shared memory, without a branch.
 *
 * A sub-block's 32 sums stand behind 32 zeros, which the lanes read that have no weight so far below them: twice the
 * shared memory of ds_roulette_branch.cu. Limit: 9.2 n bytes of shared memory.
 * Source: thesis §3.5.2, Fig. 3.5, §3.6.4.
 */
#include "kernels/tsp/ds_scan.h"

AB_RUNG(tsp_rung, tsp_ds_roulette_reduce) = {.construct = ds_construct<DS_WARP_REDUCE>,
                                             .check = ds_check<DS_WARP_REDUCE>};
