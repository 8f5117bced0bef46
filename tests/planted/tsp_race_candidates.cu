/* tsp/race-candidates with rows in codes (race_coded.h) however small the instance: right as it stands, and wrong in one way for
 * each planted fault, which the test of proportions must find (tests/kernels/tsp/test_tsp_kernels.c). */
#define tsp_race_candidates planted_race_candidates_rung
#include "kernels/tsp/race_candidates.cu"

#include "tests/planted/tsp_race.h"
#include "tests/planted/tsp_tables.h"

static const tsp_race_plan coded_rows = {.block_ants = 4, .in_shared = TSP_RACE_CODED, .cached = true};

static unsigned code_of(const tsp_race_rows &rows, int row, int lane)
{
    const unsigned *const words = rows.coded + row * TSP_RACE_CODED_WORDS;
    unsigned code = 0;
    for (int i = 0; i < TSP_RACE_CODE_BITS; ++i) {
        const int bit = lane * TSP_RACE_CODE_BITS + i;
        code |= (words[bit / 32] >> bit % 32 & 1) << i;
    }
    return code;
}

template <int fault> static ab_status coded_choice(const tsp_device *colony, const tsp_params *params, unsigned)
{
    const tsp_race_rows rows = rows_of(colony, params);
    AB_TRY(weigh_for<ROW_NOBODY>(colony, params, coded_rows));
    for (int k = 0; k < colony->n; ++k) { /* device memory is the heap on the host backend */
        unsigned code[TSP_RACE_LANES];
        for (int lane = 0; lane < TSP_RACE_LANES; ++lane) {
            code[lane] = code_of(rows, k, lane);
            if (fault == CODED_FAULT_TOO_SLOW && lane < 4 && (code[lane] & 0xfff) < (unsigned)colony->n)
                code[lane] += 60u << 12;
            if (fault == CODED_FAULT_FORGOTTEN && lane < 4) code[lane] = (unsigned)colony->n;
        }
        for (int bit = 0; bit < TSP_RACE_LANES * TSP_RACE_CODE_BITS; ++bit) {
            unsigned *const word = rows.coded + k * TSP_RACE_CODED_WORDS + bit / 32;
            const unsigned is = code[bit / TSP_RACE_CODE_BITS] >> bit % TSP_RACE_CODE_BITS & 1;
            *word = (*word & ~(1u << bit % 32)) | is << bit % 32;
        }
    }
    return ab_ok();
}

/* The clocks, by exact mean times, if the codes are good bounds of them. */
static ab_status shown_choice(const tsp_device *colony, const tsp_params *params, unsigned)
{
    const tsp_race_rows rows = rows_of(colony, params);
    const size_t n = (size_t)colony->n;
    AB_TRY(weigh_for<ROW_NOBODY>(colony, params, coded_rows));
    for (size_t row = 0; row < n; ++row) {
        double *const rate = planted_tables.rate + row * n;
        for (size_t j = 0; j < n; ++j) rate[j] = 0.0;
        for (size_t k = 0; k < (size_t)rows.n_near; ++k) {
            const unsigned code = code_of(rows, (int)row, (int)k), city = rows.city[row * TSP_RACE_LANES + k];
            const float scale = tsp_race_code_scale(), mean = rows.mean[row * TSP_RACE_LANES + k] * scale;
            rate[city] = scale / (double)mean;
            for (unsigned below = 0; below < 2; ++below) { /* with the least and the largest neighbour */
                const unsigned bits = code << TSP_RACE_CODE_BELOW | (below ? (1u << TSP_RACE_CODE_BELOW) - 1 : 0);
                const float bound = __int_as_float((int)(bits >> TSP_RACE_CODE_SHIFT) + TSP_RACE_CODE_BASE);
                const float most = bound * (1.0f + 1.001f * 0x1p-23f * (1 << TSP_RACE_CODE_LOW));
                if ((code & 0xfff) != city ? (code & 0xfff) != n || mean < __int_as_float(TSP_RACE_CODE_LIMIT)
                                           : bound > mean || mean > most)
                    return ab_failed("row %zu: the bound of clock %zu is %.9g, of %.9g", row, k, (double)bound,
                                     (double)mean);
            }
        }
        planted_tables.unit[row] = 0.0;
    }
    return ab_ok();
}

static ab_status coded_construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    const tsp_race_rows rows = rows_of(colony, params);
    return tsp_race_launch_plan<tsp_race_random, tsp_race_visited, true>(colony, rows, coded_rows, params, iteration);
}

template <int fault> static ab_status open_coded(const void *problem, const void *params, ab_work **work)
{
    static const tsp_rung rung = {.construct = coded_construct,
                                  .choice = coded_choice<fault>,
                                  .resets_best = true,
                                  .same_weights = true,
                                  .factors = factors,
                                  .deposit = deposit,
                                  .check = check,
                                  .scratch_bytes = scratch_bytes,
                                  .begin = begin};
    tsp_colony *colony = NULL;
    const ab_status status = AB_GPU(tsp_open)(&rung, (const tsp_problem *)problem, (const tsp_params *)params, &colony);
    *work = colony ? &colony->work : NULL;
    return status;
}

extern "C" ab_status planted_coded_rows_with_tables(const void *problem, const void *params, ab_work **work)
{
    static const tsp_rung rung = {.construct = coded_construct,
                                  .choice = shown_choice,
                                  .resets_best = true,
                                  .same_weights = true,
                                  .factors = factors,
                                  .deposit = deposit,
                                  .check = check,
                                  .scratch_bytes = scratch_bytes,
                                  .begin = begin};
    tsp_colony *colony = NULL;
    const ab_status status = AB_GPU(tsp_open)(&rung, (const tsp_problem *)problem, (const tsp_params *)params, &colony);
    *work = colony ? &colony->work : NULL;
    return status;
}

extern "C" ab_open *planted_race_coded(int fault)
{
    static ab_open *const opens[N_CODED_FAULTS] = {open_coded<0>, open_coded<1>, open_coded<2>};
    return opens[fault];
}
