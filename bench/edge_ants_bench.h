/* Measuring the ants on images: the time of a run (Table 5.1), and the quality of the maps that the runs leave.
 *
 * A time is of one run: all its iterations, without placing the ants (the stage RUN of edge_ants.h). It is verified
 * before, iteration by iteration. On the host backend a cell is verified with a few ants and not timed.
 *
 * A map is the pheromone's mean over the runs of several seeds, thresholded at its mean (thesis §5.5.2).
 */
#ifndef ANTBENCH_EDGE_ANTS_BENCH_H
#define ANTBENCH_EDGE_ANTS_BENCH_H

#include "bench/image_table.h"

/* Scope run. A step of effort.host_steps is a thread of an ant's move. */
extern const image_cell_kind ants_time;

/* Scope quality: the metrics of quality.h, and how far the map agrees with that of edge-ants/seq (F with radius 1): metric
 * agreement with other seeds, agreement-same-seeds with the same. With --save, the maps. */
extern const image_cell_kind ants_quality;

#endif
