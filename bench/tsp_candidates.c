/* Building, checking and keeping candidate sets (tsp_candidates.h). */
#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/measure.h"
#include "bench/tsp_candidates.h"
#include "bench/verify_tsp.h"

static const double BUDGET_S = 1.0; /* for timing one set */

bool tsp_candidates_find(const tsp_candidates *candidates, int nn, as_problem *problem)
{
    for (int i = 0; i < candidates->count; ++i)
        if (candidates->sets[i].dist == problem->dist && candidates->sets[i].nn == nn) {
            *problem = candidates->sets[i];
            return true;
        }
    return false;
}

static ab_status time_building(const as_problem *problem, int nn, ab_row *row, ab_sample *samples)
{
    double ms[TSP_CANDIDATE_SAMPLES], spent_s = 0.0;
    int n_samples = 0;
    while (n_samples < TSP_CANDIDATE_SAMPLES && spent_s < BUDGET_S) {
        int32_t *nn_list = NULL;
        const double begin = ab_now_s();
        const ab_status status = as_nearest_neighbours(problem, nn, &nn_list);
        const double seconds = ab_now_s() - begin;
        free(nn_list);
        if (status.code != AB_OK) return status;
        spent_s += seconds;
        samples[n_samples].ms = ms[n_samples] = 1e3 * seconds;
        ++n_samples;
    }
    row->ms = ab_summarise(ms, n_samples);
    snprintf(row->stop_reason, sizeof row->stop_reason, "%s", n_samples == TSP_CANDIDATE_SAMPLES ? "count" : "budget");
    return ab_ok();
}

static ab_status keep(tsp_candidates *candidates, const as_problem *set)
{
    const size_t count = (size_t)candidates->count + 1;
    as_problem *sets = realloc(candidates->sets, count * sizeof *sets);
    if (!sets) return ab_failed("out of memory for candidate sets");
    candidates->sets = sets;
    sets[candidates->count++] = *set;
    return ab_ok();
}

ab_status tsp_candidates_build(tsp_candidates *candidates, int nn, as_problem *problem, ab_row *row,
                               ab_sample samples[TSP_CANDIDATE_SAMPLES], bool *wrong)
{
    as_problem set = {.n = problem->n, .dist = problem->dist, .nn = nn};
    int32_t *nn_list = NULL;
    int valid = 0;
    *wrong = false;
    AB_TRY(as_nearest_neighbours(problem, nn, &nn_list));
    set.nn_list = nn_list;
    ab_status status = verify_candidates(&set, &valid, wrong);
    snprintf(row->verify_metric, sizeof row->verify_metric, "valid-sets");
    row->verify_value = valid;
    if (status.code == AB_OK) status = time_building(problem, nn, row, samples);
    if (status.code == AB_OK) status = keep(candidates, &set);
    if (status.code == AB_OK)
        *problem = set;
    else
        free(nn_list);
    return status;
}

void tsp_candidates_free(tsp_candidates *candidates)
{
    for (int i = 0; i < candidates->count; ++i) free((int32_t *)candidates->sets[i].nn_list);
    free(candidates->sets);
    *candidates = (tsp_candidates){0};
}
