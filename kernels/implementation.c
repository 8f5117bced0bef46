/* The names in the contract (implementation.h). */
#include <string.h>

#include "kernels/implementation.h"

ab_status ab_iterate(ab_work *work)
{
    for (int stage = 0; stage < work->methods->n_stages; ++stage) AB_TRY(work->methods->run_stage(work, stage));
    return ab_ok();
}

int ab_stage_named(const ab_work *work, const char *name)
{
    for (int stage = 0; stage < work->methods->n_stages; stage++)
        if (strcmp(work->methods->stage_names[stage], name) == 0) return stage;
    return -1;
}

const char *ab_backend_name(ab_backend backend)
{
    static const char *const names[] = {[AB_CPU] = "cpu", [AB_CUDA] = "cuda", [AB_HOST] = "host"};
    return names[backend];
}
