/* The table that registry.def describes. For each implementation it also has a function that opens it without types,
 * around the function with types. */
#include <stdio.h>
#include <string.h>

#include "bench/registry.h"
#include "config.h"
#include "kernels/deposit/deposit.h"
#include "kernels/edge_ants/edge_ants.h"
#include "kernels/operation.h"
#include "kernels/psystem/psystem.h"
#include "kernels/registered.h"
#include "kernels/tsp/tsp.h"

#ifdef AB_WITH_CUDA
#define CUDA_ONLY(...) __VA_ARGS__
#else
#define CUDA_ONLY(...)
#endif

/* ---- Functions with types ---- */

#define OPERATION(operation, name, problem_type, params_type, state_type)                                              \
    OPENED_BY(operation, name, problem_type, params_type, state_type)                                                  \
    struct operation##_rung;                                                                                           \
    typedef ab_status operation##_open_rung(const struct operation##_rung *rung, const operation##_problem *problem,   \
                                            const operation##_params *params, operation##_state **state);              \
    operation##_open_rung operation##_open_host, operation##_open_cuda;                                                \
    extern const ab_operation operation##_operation;
#define CPU(operation, name, function, file, traits, source, description)                                              \
    operation##_open function;                                                                                         \
    extern const ab_parameter function##_parameters[] __attribute__((weak)); /* NULL where it has none of its own */
#define GPU(operation, name, rung, file, traits, source, description)                                                  \
    extern const struct operation##_rung operation##_rung_##rung##_host, operation##_rung_##rung##_cuda;               \
    extern const ab_parameter rung##_parameters[] __attribute__((weak)); /* NULL if the rung has none */
#include "bench/registry.def"
#undef OPERATION
#undef CPU
#undef GPU

/* ---- Functions without types ---- */

/* A state begins with its work, so a pointer to one is a pointer to the other. */
#define OPEN(thunk, operation, call)                                                                                   \
    static ab_status thunk(const void *untyped_problem, const void *untyped_params, ab_work **work)                    \
    {                                                                                                                  \
        const operation##_problem *problem = untyped_problem;                                                          \
        const operation##_params *params = untyped_params;                                                             \
        operation##_state *state = NULL;                                                                               \
        const ab_status status = call;                                                                                 \
        *work = status.code == AB_OK ? (ab_work *)state : NULL;                                                        \
        return status;                                                                                                 \
    }
#define OPEN_RUNG(operation, rung, backend)                                                                            \
    OPEN(open_##rung##_##backend, operation,                                                                           \
         operation##_open_##backend(&operation##_rung_##rung##_##backend, problem, params, &state))
#define OPERATION(operation, name, problem_type, params_type, state_type)
#define CPU(operation, name, function, file, traits, source, description)                                              \
    OPEN(open_##function, operation, function(problem, params, &state))
#define GPU(operation, name, rung, file, traits, source, description)                                                  \
    OPEN_RUNG(operation, rung, host)                                                                                   \
    CUDA_ONLY(OPEN_RUNG(operation, rung, cuda))
#include "bench/registry.def"
#undef OPERATION
#undef CPU
#undef GPU

/* ---- Operations ---- */

#define OPERATION(operation, name, problem_type, params_type, state_type) &operation##_operation,
#define CPU(operation, name, function, file, traits, source, description)
#define GPU(operation, name, rung, file, traits, source, description)
static const ab_operation *const operations[] = {
#include "bench/registry.def"
};
#undef OPERATION
#undef CPU
#undef GPU

/* ---- Implementations ---- */

#define ENTRY(op, its_name, its_backend, its_traits, its_file, its_source, its_description, thunk, own)                \
    {.id = NAME_##op "/" its_name,                                                                                     \
     .operation = NAME_##op,                                                                                           \
     .name = its_name,                                                                                                 \
     .backend = its_backend,                                                                                           \
     .traits = its_traits,                                                                                             \
     .file = its_file,                                                                                                 \
     .source = its_source,                                                                                             \
     .description = its_description,                                                                                   \
     .open = thunk,                                                                                                    \
     .parameters = own},
#define OPERATION(operation, name, problem_type, params_type, state_type)
#define CPU(operation, name, function, file, traits, source, description)                                              \
    ENTRY(operation, name, AB_CPU, traits, file, source, description, open_##function, function##_parameters)
#define GPU(operation, name, rung, file, traits, source, description)                                                  \
    CUDA_ONLY(                                                                                                         \
        ENTRY(operation, name, AB_CUDA, traits, file, source, description, open_##rung##_cuda, rung##_parameters))     \
    ENTRY(operation, name, AB_HOST, traits, file, source, description, open_##rung##_host, rung##_parameters)
static const ab_implementation implementations[] = {
#include "bench/registry.def"
};

const ab_implementation *ab_registry(size_t *count)
{
    *count = sizeof implementations / sizeof implementations[0];
    return implementations;
}

/* True if one of them would never be found. */
static bool are_confused(const ab_implementation *a, const ab_implementation *b)
{
    const bool of_gpu = a->backend != AB_CPU && b->backend != AB_CPU;
    return strcmp(a->id, b->id) == 0 && (a->backend == b->backend || !of_gpu);
}

ab_status ab_registry_check(const ab_implementation *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (are_confused(&all[i], &all[k]))
                return ab_bad_input("bench/registry.def: %.64s is there twice (%.128s, %.128s): rename one", all[i].id,
                                    all[i].file, all[k].file);
    return ab_ok();
}

const ab_operation *const *ab_operations(size_t *count)
{
    *count = sizeof operations / sizeof operations[0];
    return operations;
}

const ab_implementation *ab_find_implementation(const char *id, ab_backend backend)
{
    size_t count;
    const ab_implementation *all = ab_registry(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i].backend == backend && strcmp(all[i].id, id) == 0) return &all[i];
    return NULL;
}

const ab_operation *ab_find_operation(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operations[i]->name, name) == 0) return operations[i];
    return NULL;
}

const ab_implementation *ab_find_reference(const ab_implementation *implementation)
{
    size_t count;
    const ab_implementation *all = ab_registry(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i].backend == AB_CPU && (all[i].traits & AB_REFERENCE) &&
            strcmp(all[i].operation, implementation->operation) == 0)
            return &all[i];
    return NULL;
}

static const ab_trait *find_trait(const ab_trait *table, unsigned trait)
{
    for (; table && table->name; table++)
        if (table->trait == trait) return table;
    return NULL;
}

void ab_trait_names(const ab_implementation *implementation, char text[AB_TRAITS_TEXT])
{
    static const ab_trait of_all[] = {
        {AB_EXACT, "exact"},
        {AB_PARTIAL, "partial"},
        {AB_OTHER_RULES, "other-rules"},
        {AB_REFERENCE, "reference"},
        {AB_SEVERAL, "several"},
        {AB_ONE_THREAD, "one-thread"},
        {0, NULL},
    };
    const ab_operation *operation = ab_find_operation(implementation->operation);
    size_t at = 0;
    text[0] = '\0';
    for (unsigned trait = 1; trait != 0 && at < AB_TRAITS_TEXT; trait <<= 1) {
        if (!(implementation->traits & trait)) continue;
        const ab_trait *found = find_trait(of_all, trait);
        if (!found && operation) found = find_trait(operation->traits, trait);
        if (found) at += (size_t)snprintf(text + at, AB_TRAITS_TEXT - at, "%s%s", at > 0 ? " " : "", found->name);
    }
}
