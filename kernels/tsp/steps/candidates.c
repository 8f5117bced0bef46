/* Building, checking and keeping candidate sets (kernels/tsp/steps/candidates.h). */
#include <omp.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/threads.h"
#include "kernels/tsp/check/verify.h"
#include "kernels/tsp/steps/candidates.h"

enum { SAMPLES = 10, MAX_SETS = sizeof((tsp_candidates *)0)->sets / sizeof *((tsp_candidates *)0)->sets };
static const double BUDGET_S = 1.0; /* for timing one set */

static ab_status time_building(const tsp_problem *problem, int nn, ab_setup *setup)
{
    ab_threads_settle(omp_get_max_threads());
    for (double spent_s = 0.0; setup->n_samples < SAMPLES && spent_s < BUDGET_S;) {
        int32_t *nn_list = NULL;
        const double begin = ab_now_s();
        const ab_status status = tsp_nearest_neighbours(problem, nn, &nn_list);
        const double seconds = ab_now_s() - begin;
        free(nn_list);
        if (status.code != AB_OK) return status;
        spent_s += seconds;
        setup->ms[setup->n_samples++] = 1e3 * seconds;
    }
    return ab_ok();
}

static ab_status build(const tsp_problem *problem, int nn, tsp_problem *set, ab_setup *setup)
{
    int32_t *nn_list = NULL;
    int valid = 0;
    AB_TRY(tsp_nearest_neighbours(problem, nn, &nn_list));
    *set = *problem;
    set->nn = nn;
    set->nn_list = nn_list;
    AB_TRY(tsp_verify_candidates(set, &valid, &setup->wrong));
    setup->verify_value = valid;
    return time_building(problem, nn, setup);
}

ab_status tsp_candidates_give(tsp_candidates *candidates, int nn, tsp_problem *problem, ab_setup *setup, bool *built)
{
    *built = false;
    for (int i = 0; i < candidates->count; ++i)
        if (candidates->sets[i].nn == nn) {
            *problem = candidates->sets[i];
            return ab_ok();
        }
    if (candidates->count == MAX_SETS) return ab_unsupported("keeps at most %d sizes of candidate sets", MAX_SETS);
    tsp_problem set = {0};
    setup->status = build(problem, nn, &set, setup);
    *built = true;
    if (setup->status.code != AB_OK) {
        free((int32_t *)set.nn_list);
        return setup->status;
    }
    candidates->sets[candidates->count++] = *problem = set;
    return ab_ok();
}

void tsp_candidates_free(tsp_candidates *candidates)
{
    for (int i = 0; i < candidates->count; ++i) free((int32_t *)candidates->sets[i].nn_list);
    *candidates = (tsp_candidates){0};
}
