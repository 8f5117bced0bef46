/* tsp/race-candidates with short rows (race.h) however small the instance: right as it stands, and wrong in one way for
 * each planted fault, which the test of proportions must find (tests/kernels/tsp/test_tsp_kernels.c). */
#define tsp_race_candidates planted_race_candidates_rung
#include "kernels/tsp/race_candidates.cu"

#include "tests/planted/tsp_race.h"
#include "tests/planted/tsp_tables.h"

static const tsp_race_plan short_rows = {.block_ants = 4, .in_shared = TSP_RACE_SHORT, .cached = true};

template <int fault> static ab_status short_choice(const tsp_device *colony, const tsp_params *params, unsigned)
{
    const tsp_race_rows rows = rows_of(colony, params);
    AB_TRY(weigh_for<ROW_NOBODY>(colony, params, short_rows));
    for (int i = 0; i < colony->n; ++i) { /* device memory is the heap on the host backend */
        if (fault == SHORT_FAULT_FAR_TOO_FAST) rows.close_mean[i * TSP_RACE_CLOSE + TSP_RACE_FAR] *= 0.5f;
        if (fault == SHORT_FAULT_FAR_FORGOTTEN) rows.close_mean[i * TSP_RACE_CLOSE + TSP_RACE_FAR] = TSP_RACE_SILENT;
    }
    return ab_ok();
}

/* Long rows, and the clocks of short ones: that of all far candidates is the row's own city's. */
static ab_status shown_choice(const tsp_device *colony, const tsp_params *params, unsigned)
{
    const tsp_race_rows rows = rows_of(colony, params);
    const size_t n = (size_t)colony->n;
    AB_TRY(weigh_for<ROW_NOBODY>(colony, params, short_rows));
    for (size_t row = 0; row < n; ++row) {
        double *const rate = planted_tables.rate + row * n;
        for (size_t j = 0; j < n; ++j) rate[j] = 0.0;
        for (size_t k = 0; k < (size_t)rows.n_near; ++k)
            rate[rows.city[row * TSP_RACE_LANES + k]] = 1.0 / (double)rows.mean[row * TSP_RACE_LANES + k];
        for (size_t k = 0; k < TSP_RACE_FAR && k < (size_t)rows.n_near; ++k)
            if (rows.close_mean[row * TSP_RACE_CLOSE + k] != rows.mean[row * TSP_RACE_LANES + k] ||
                rows.close_city[row * TSP_RACE_CLOSE + k] != rows.city[row * TSP_RACE_LANES + k])
                return ab_failed("row %zu: clock %zu of the short row is another", row, k);
        const float far = rows.close_mean[row * TSP_RACE_CLOSE + TSP_RACE_FAR];
        rate[row] = far == TSP_RACE_SILENT ? 0.0 : 1.0 / (double)far;
        planted_tables.unit[row] = 0.0;
    }
    return ab_ok();
}

static ab_status short_construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    const tsp_race_rows rows = rows_of(colony, params);
    return tsp_race_launch_plan<tsp_race_random, tsp_race_visited, true>(colony, rows, short_rows, params, iteration);
}

template <int fault> static ab_status open_short(const void *problem, const void *params, ab_work **work)
{
    static const tsp_rung rung = {.construct = short_construct,
                                  .choice = short_choice<fault>,
                                  .resets_best = true,
                                  .same_weights = true,
                                  .deposit = deposit,
                                  .check = check,
                                  .scratch_bytes = scratch_bytes,
                                  .begin = begin};
    tsp_colony *colony = NULL;
    const ab_status status = AB_GPU(tsp_open)(&rung, (const tsp_problem *)problem, (const tsp_params *)params, &colony);
    *work = colony ? &colony->work : NULL;
    return status;
}

extern "C" ab_status planted_short_rows_with_tables(const void *problem, const void *params, ab_work **work)
{
    static const tsp_rung rung = {.construct = short_construct,
                                  .choice = shown_choice,
                                  .resets_best = true,
                                  .same_weights = true,
                                  .deposit = deposit,
                                  .check = check,
                                  .scratch_bytes = scratch_bytes,
                                  .begin = begin};
    tsp_colony *colony = NULL;
    const ab_status status = AB_GPU(tsp_open)(&rung, (const tsp_problem *)problem, (const tsp_params *)params, &colony);
    *work = colony ? &colony->work : NULL;
    return status;
}

extern "C" ab_open *planted_race_short(int fault)
{
    static ab_open *const opens[N_SHORT_FAULTS] = {open_short<0>, open_short<1>, open_short<2>};
    return opens[fault];
}
