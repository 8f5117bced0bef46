/* Declares the types that open an operation's implementations, from the operation's line in registry.def.
 *
 * The Makefile writes this line to a file of its own, build/gen/operations/tsp.h. A file that defines CPU
 * implementations includes it and declares them:
 *
 *   tsp_open cpu_rejection;
 *
 * So the compiler checks them against the calls in registry.c. A new implementation in registry.def recompiles only
 * registry.c. */
#ifndef ANTBENCH_REGISTERED_H
#define ANTBENCH_REGISTERED_H

#include "base/status.h"

#define OPENED_BY(operation, name, problem_type, params_type, state_type)                                              \
    struct problem_type;                                                                                               \
    struct params_type;                                                                                                \
    struct state_type;                                                                                                 \
    typedef struct problem_type operation##_problem;                                                                   \
    typedef struct params_type operation##_params;                                                                     \
    typedef struct state_type operation##_state;                                                                       \
    typedef ab_status operation##_open(const operation##_problem *problem, const operation##_params *params,           \
                                       operation##_state **state);

#endif
