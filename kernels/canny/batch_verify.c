/* Verification of a batch of pictures (batch.h): every map, beside what the reference makes of that picture alone. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kernels/canny/batch.h"
#include "kernels/edges/measures.h"

/* [height][width] each. */
typedef struct maps {
    uint8_t *found; /* [pictures] of them */
    uint8_t *grey, *expected;
} maps;

static ab_status find(const ab_task *task, uint8_t *found)
{
    return edges_map(task->c->implementation, task->problem, task->params, found);
}

/* What the reference finds in picture k, on one thread. */
static ab_status expect(const ab_task *task, int k, const maps *m)
{
    ed_params params = *(const ed_params *)task->params;
    ed_image picture = *(const ed_image *)task->problem;
    canny_batch_picture(&picture, params.pictures, k, m->grey);
    picture.grey = m->grey;
    params.pictures = params.ranks = params.threads = 1;
    return edges_map(ab_find_reference(task->c->implementation), &picture, &params, m->expected);
}

static ab_status compare(const ab_task *task, const maps *m, ab_verdict *verdict)
{
    const int pictures = ((const ed_params *)task->params)->pictures;
    const size_t pixels = edges_pixels(task->loaded);
    for (int k = 0; k < pictures; k++) {
        const uint8_t *found = m->found + (size_t)k * pixels;
        size_t other = 0;
        AB_TRY(expect(task, k, m));
        for (size_t i = 0; i < pixels; i++) other += found[i] != m->expected[i];
        verdict->value += (double)other;
        verdict->wrong = other > 0;
        if (other > 0)
            return ab_failed("picture %d of %d: %zu pixels of %zu are not the reference's", k, pictures, other, pixels);
    }
    return ab_ok();
}

ab_status canny_batch_verify(const ab_task *task, ab_verdict *verdict)
{
    const ed_params *params = task->params;
    const size_t pixels = edges_pixels(task->loaded);
    ab_memory memory = {0};
    const maps m = {ab_allocate(&memory, (size_t)params->pictures, pixels), ab_allocate(&memory, 1, pixels),
                    ab_allocate(&memory, 1, pixels)};
    ab_status status = ab_memory_status(&memory);
    char name[80], note[96];
    snprintf(verdict->metric, sizeof verdict->metric, "mismatched-pixels");
    if (status.code == AB_OK) status = find(task, m.found);
    if (status.code == AB_OK) status = compare(task, &m, verdict);
    snprintf(name, sizeof name, "%s-edges", task->row);
    if (status.code == AB_OK) status = edges_save_map(task, name, m.found);
    snprintf(note, sizeof note, "verified on the host backend with %d pictures, not timed", params->pictures);
    if (status.code == AB_OK && task->c->implementation->backend == AB_HOST) task->sink->note(task->sink, note);
    ab_memory_free(&memory);
    return status;
}
