/* Cities in leaves (kernels/tsp/steps/leaves.h). */
#include <math.h>
#include <string.h>

#include "kernels/tsp/steps/leaves.h"
#include "tours/neighbours.h"

/* ---- Making them ---- */

static tsp_box box_around(const tsp_problem *problem, const tsp_leaves *leaves, int begin, int end)
{
    tsp_box box = {0};
    if (!problem->points) return box;
    box.low = box.high = problem->points[leaves->city[begin]];
    for (int i = begin + 1; i < end; i++) {
        const tsp_point point = problem->points[leaves->city[i]];
        box.low = (tsp_point){fmin(box.low.x, point.x), fmin(box.low.y, point.y)};
        box.high = (tsp_point){fmax(box.high.x, point.x), fmax(box.high.y, point.y)};
    }
    return box;
}

static void draw_boxes(const tsp_problem *problem, const tsp_leaves *leaves, int size, int count, tsp_box *boxes)
{
    for (int i = 0; i < count; i++) {
        const int end = (i + 1) * size < problem->n ? (i + 1) * size : problem->n;
        boxes[i] = box_around(problem, leaves, i * size, end);
    }
}

ab_status tsp_leaves_make(const tsp_problem *problem, tsp_leaves *leaves)
{
    const int n = problem->n;
    /* Its functions take an instance, and only read it. */
    const tsp_instance cities = {.n = n, .points = (tsp_point *)(uintptr_t)problem->points, .rule = problem->rule};
    *leaves = (tsp_leaves){.n_leaves = (n + LEAF - 1) / LEAF, .n_groups = (n + LEAF * LEAF - 1) / (LEAF * LEAF)};
    leaves->city = ab_allocate(&leaves->memory, (size_t)n, sizeof *leaves->city);
    leaves->place = ab_allocate(&leaves->memory, (size_t)n, sizeof *leaves->place);
    leaves->boxes = ab_allocate(&leaves->memory, (size_t)leaves->n_leaves, sizeof *leaves->boxes);
    leaves->groups = ab_allocate(&leaves->memory, (size_t)leaves->n_groups, sizeof *leaves->groups);
    AB_TRY(ab_memory_status(&leaves->memory));
    AB_TRY(order_along_curve(&cities, leaves->city));
    for (int i = 0; i < n; i++) leaves->place[leaves->city[i]] = i;
    draw_boxes(problem, leaves, LEAF, leaves->n_leaves, leaves->boxes);
    draw_boxes(problem, leaves, LEAF * LEAF, leaves->n_groups, leaves->groups);
    return ab_ok();
}

void tsp_leaves_free(tsp_leaves *leaves)
{
    ab_memory_free(&leaves->memory);
    *leaves = (tsp_leaves){0};
}

void tsp_leaves_fill(const tsp_leaves *leaves, int n, uint32_t *left)
{
    memset(left, 0xff, (size_t)leaves->n_leaves * sizeof *left);
    if (n % LEAF) left[leaves->n_leaves - 1] = (UINT32_C(1) << n % LEAF) - 1;
}

/* ---- Searching ---- */

int32_t tsp_box_distance(const tsp_problem *problem, int from, const tsp_box *box)
{
    if (!problem->points) return 0;
    const tsp_point point = problem->points[from];
    const tsp_point nearest = {fmin(fmax(point.x, box->low.x), box->high.x),
                               fmin(fmax(point.y, box->low.y), box->high.y)};
    return (int32_t)problem->rule->distance(point, nearest);
}

/* A city found, by distance, then by index. */
static uint64_t key_of(int32_t distance, int city)
{
    return (uint64_t)(uint32_t)distance << 32 | (uint32_t)city;
}

static bool may_have_nearer(const tsp_problem *problem, int from, const tsp_box *box, uint64_t nearest)
{
    return key_of(tsp_box_distance(problem, from, box), 0) < nearest;
}

static uint64_t search_leaf(const tsp_problem *problem, const tsp_leaves *leaves, int from, int leaf, uint32_t left,
                            uint64_t nearest)
{
    for (; left; left &= left - 1) {
        const int city = leaves->city[leaf * LEAF + __builtin_ctz(left)];
        const uint64_t key = key_of(tsp_distance(problem, from, city), city);
        if (key < nearest) nearest = key;
    }
    return nearest;
}

int tsp_leaves_nearest(const tsp_problem *problem, const tsp_leaves *leaves, int from, const uint32_t *left)
{
    const int own = leaves->place[from] / (LEAF * LEAF);
    uint64_t nearest = UINT64_MAX;
    for (int i = 0; i < leaves->n_groups; i++) { /* from the city's own on: what is near along the curve is near */
        const int group = (own + i) % leaves->n_groups, first = group * LEAF;
        if (!may_have_nearer(problem, from, &leaves->groups[group], nearest)) continue;
        for (int leaf = first; leaf < first + LEAF && leaf < leaves->n_leaves; leaf++)
            if (left[leaf] && may_have_nearer(problem, from, &leaves->boxes[leaf], nearest))
                nearest = search_leaf(problem, leaves, from, leaf, left[leaf], nearest);
    }
    return nearest == UINT64_MAX ? -1 : (int)(uint32_t)nearest;
}
