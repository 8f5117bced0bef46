/* Prototypes of all that registry.def names, made from it: registry.c calls by them, and who defines one includes this,
 * so that the compiler holds both to the same. */
#ifndef ANTBENCH_REGISTERED_H
#define ANTBENCH_REGISTERED_H

#include "kernels/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OPERATION(operation, name, problem_type, params_type, state_type)                                              \
    struct problem_type;                                                                                               \
    struct params_type;                                                                                                \
    struct state_type;                                                                                                 \
    struct operation##_rung;                                                                                           \
    typedef struct problem_type operation##_problem;                                                                   \
    typedef struct params_type operation##_params;                                                                     \
    typedef struct state_type operation##_state;                                                                       \
    extern const ab_operation operation##_operation;                                                                   \
    typedef ab_status operation##_open(const operation##_problem *problem, const operation##_params *params,           \
                                       operation##_state **state);                                                     \
    typedef ab_status operation##_open_rung(const struct operation##_rung *rung, const operation##_problem *problem,   \
                                            const operation##_params *params, operation##_state **state);              \
    operation##_open_rung operation##_open_host, operation##_open_cuda;
#define CPU(operation, name, function, file, traits, source, description) operation##_open function;
#define GPU(operation, name, rung, file, traits, source, description)                                                  \
    extern const struct operation##_rung rung##_host, rung##_cuda;
#include "kernels/registry.def"
#undef OPERATION
#undef CPU
#undef GPU

#ifdef __cplusplus
}
#endif
#endif
