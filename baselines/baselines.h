/* What the GPU is compared with: Ant System on the CPU (kernels/tsp/tsp.h says what opening means). */
#ifndef ANTBENCH_BASELINES_H
#define ANTBENCH_BASELINES_H

#include "kernels/tsp/tsp.h"

as_open acotsp_seq; /* as ACOTSP does it, one thread whatever params->threads says */
as_open acotsp_omp; /* the same, params->threads threads */
as_open cpu_best;   /* the fastest exact Ant System here, params->threads threads */

/* The same with candidate sets: AB_UNSUPPORTED for a problem without. */
as_open acotsp_seq_nn;
as_open acotsp_omp_nn;
as_open cpu_best_nn; /* the fastest here; candidate sets of up to 64 cities */

/* Edge detection by ants (kernels/edge_ants/edge_ants.h). */
ea_open edge_ants_seq; /* one thread whatever params->threads says */
ea_open edge_ants_omp; /* the same, params->threads threads */

/* Edge detection (kernels/detector.h). */
ed_open sobel_seq; /* one thread whatever params->threads says */

#endif
