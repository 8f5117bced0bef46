/* The names in the contract (implementation.h). */
#include <stdio.h>
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

void ab_trait_names(unsigned traits, char text[AB_TRAITS_TEXT])
{
    static const struct {
        unsigned trait;
        const char *name;
    } names[] = {
        {AB_EXACT, "exact"},
        {AB_CANDIDATES, "candidates"},
        {AB_PARTIAL, "partial"},
        {AB_OTHER_RULES, "other-rules"},
        {AB_REFERENCE, "reference"},
        {AB_SEVERAL, "several"},
        {AB_THREAD_EACH, "thread-each"},
        {AB_BLOCK_EACH, "block-each"},
        {AB_WORKERS, "workers"},
        {AB_GATHER, "gather"},
        {AB_SINGLE_STEPS, "single-steps"},
        {AB_BITS, "bits"},
        {AB_RACE, "race"},
        {AB_ONE_THREAD, "one-thread"},
    };
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names && at < AB_TRAITS_TEXT; i++)
        if (traits & names[i].trait)
            at += (size_t)snprintf(text + at, AB_TRAITS_TEXT - at, "%s%s", at > 0 ? " " : "", names[i].name);
}
