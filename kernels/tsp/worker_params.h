/* The parameter of the rungs with worker ants. */
#ifndef ANTBENCH_WORKER_PARAMS_H
#define ANTBENCH_WORKER_PARAMS_H

#include "kernels/tsp/colony.h"

enum { MAX_WORKERS = 1024, USUAL_WORKERS = 128 };

/* The parameter that only these rungs have. */
typedef struct worker_params {
    int workers; /* threads per ant (JPDC's worker ants), a power of two; 0: the default */
} worker_params;

#define WORKER_PARAMETERS                                                                                              \
    {                                                                                                                  \
        {.name = "workers",                                                                                            \
         .help = "threads per ant (worker ants) of i-roulette, data-rw, data-rw-warp: 16, 32, ..., 1024",              \
         .offset = TSP_OWN(worker_params, workers),                                                                    \
         .least = 16,                                                                                                  \
         .most = MAX_WORKERS,                                                                                          \
         .fallback = USUAL_WORKERS,                                                                                    \
         .shown = AB_SHOWN_NONZERO,                                                                                    \
         .power_of_two = true},                                                                                        \
        {                                                                                                              \
        }                                                                                                              \
    }

static inline int worker_count(const tsp_params *params)
{
    const int workers = tsp_own<worker_params>(params).workers;
    return workers ? workers : USUAL_WORKERS;
}

#endif
