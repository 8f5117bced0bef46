/* The table that registry.def describes. */
#include <string.h>

#include "config.h"
#include "kernels/implementation.h"

/* Prototypes. */
#ifdef AB_WITH_CUDA
#define AB_CUDA_ONLY(...) __VA_ARGS__
#else
#define AB_CUDA_ONLY(...)
#endif
#define AB_OPEN_TYPE_tsp as_open
#define AB_OPEN_TYPE_edge_ants ea_open
#define AB_OPEN_TYPE_colour_edge ed_open
#define AB_OPEN_TYPE_canny ed_open
#define AB_OPEN_TYPE_sobel ed_open

#define CPU(operation, name, function, file, source, description) AB_OPEN_TYPE_##operation function;
#define GPU(operation, name, function, file, source, description)                                                      \
    AB_OPEN_TYPE_##operation function##_host;                                                                          \
    AB_CUDA_ONLY(AB_OPEN_TYPE_##operation function##_cuda;)
#include "kernels/registry.def"
#undef CPU
#undef GPU

/* Entries. */
#define NAME_tsp "tsp"
#define NAME_edge_ants "edge-ants"
#define NAME_colour_edge "colour-edge"
#define NAME_canny "canny"
#define NAME_sobel "sobel"
#define ENTRY(op, name, function, backend, file, source, description)                                                  \
    {NAME_##op "/" name, NAME_##op, backend, file, source, description, {.op = function}},
#define CPU(operation, name, function, file, source, description)                                                      \
    ENTRY(operation, name, function, AB_CPU, file, source, description)
#define GPU(operation, name, function, file, source, description)                                                      \
    AB_CUDA_ONLY(ENTRY(operation, name, function##_cuda, AB_CUDA, file, source, description))                          \
    ENTRY(operation, name, function##_host, AB_HOST, file, source, description)

static const ab_implementation implementations[] = {
#include "kernels/registry.def"
};

const char *ab_backend_name(ab_backend backend)
{
    static const char *const names[] = {[AB_CPU] = "cpu", [AB_CUDA] = "cuda", [AB_HOST] = "host"};
    return names[backend];
}

const ab_implementation *ab_registry(size_t *count)
{
    *count = sizeof implementations / sizeof implementations[0];
    return implementations;
}

const ab_implementation *ab_find_implementation(const char *id, ab_backend backend)
{
    size_t count;
    const ab_implementation *all = ab_registry(&count);
    for (size_t i = 0; i < count; i++)
        if (all[i].backend == backend && strcmp(all[i].id, id) == 0) return &all[i];
    return NULL;
}
