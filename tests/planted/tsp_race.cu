/* tsp/race itself, right as it stands and wrong in one way for each planted fault: verification or the test of proportions
 * must find every one (tests/kernels/tsp/test_tsp_kernels.c). */
#define tsp_race planted_race_rung
#include "kernels/tsp/race.cu"

#include "tests/planted/tsp_race.h"
#include "tests/planted/tsp_tables.h"

/* Has every city, but forgets one city in 16 of those that it is asked for. */
struct forgetful_visited : tsp_race_visited {
    __device__ unsigned mask(int city) const
    {
        return city % 16 == 3 ? 0 : tsp_race_visited::mask(city);
    }
    __device__ bool has(int city) const
    {
        return mask(city) != 0;
    }
};

/* The numbers of the first lane for all. */
struct shared_random : tsp_race_random {
    __device__ shared_random(unsigned long long seed, unsigned long long stream)
        : tsp_race_random(seed, stream & ~31ull)
    {
    }
};

/* The first number for ever. */
struct old_random : tsp_race_random {
    unsigned first;

    __device__ old_random(unsigned long long seed, unsigned long long stream)
        : tsp_race_random(seed, stream), first(tsp_race_random::next())
    {
    }

    __device__ unsigned next()
    {
        return first;
    }
};

template <typename Random, typename Visited>
static ab_status construct_with(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    return tsp_race_launch_walk<Random, Visited, false>(colony, rows_of(colony, params), params, iteration);
}

/* The means of the clocks as they are, the alias tables as they were at first. */
static ab_status choice_with_old_tables(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    const tsp_race_rows rows = rows_of(colony, params);
    const size_t entries = (size_t)colony->n * (size_t)colony->stride;
    unsigned *const old = (unsigned *)malloc(entries * sizeof *old);
    if (!old) return ab_failed("out of memory");
    for (size_t i = 0; i < entries; ++i) old[i] = rows.alias[i]; /* device memory is the heap on the host backend */
    const ab_status status = choice(colony, params, iteration);
    for (size_t i = 0; i < entries; ++i) rows.alias[i] = old[i];
    free(old);
    return status;
}

static ab_status begin_with_tables(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(begin(colony, problem, params));
    return choice(colony, params, 0);
}

#define FAULTY(how)                                                                                                    \
    {                                                                                                                  \
        .construct = how, .choice = choice, .same_weights = true, .deposit = deposit, .check = check,                  \
        .scratch_bytes = scratch_bytes, .begin = begin                                                                 \
    }

template <int fault> static ab_status open_faulty(const void *problem, const void *params, ab_work **work)
{
    static const tsp_rung rungs[N_RACE_FAULTS] = {
        FAULTY(construct),
        FAULTY((construct_with<tsp_race_random, forgetful_visited>)),
        {.construct = construct,
         .choice = choice_with_old_tables,
         .same_weights = true,
         .deposit = deposit,
         .check = check,
         .scratch_bytes = scratch_bytes,
         .begin = begin_with_tables},
        FAULTY((construct_with<shared_random, tsp_race_visited>)),
        FAULTY((construct_with<old_random, tsp_race_visited>)),
    };
    tsp_colony *colony = NULL;
    const ab_status status =
        AB_GPU(tsp_open)(&rungs[fault], (const tsp_problem *)problem, (const tsp_params *)params, &colony);
    *work = colony ? &colony->work : NULL;
    return status;
}

extern "C" float planted_race_exponential(unsigned random)
{
    return tsp_race_exponential(random);
}

extern "C" ab_open *planted_race(int fault)
{
    static ab_open *const opens[N_RACE_FAULTS] = {open_faulty<0>, open_faulty<1>, open_faulty<2>, open_faulty<3>,
                                                  open_faulty<4>};
    return opens[fault];
}

/* ---- What the tables stand for ---- */

tsp_tables planted_tables;

/* Rates in units of the row's: those of the clocks, and of the tail's what the alias table makes of it. */
static void show_row(const tsp_device &colony, const tsp_race_rows &rows, int row)
{
    const int n = colony.n;
    double *const rate = planted_tables.rate + (size_t)row * (size_t)n;
    const unsigned *const alias = rows.alias + (size_t)row * (size_t)colony.stride;
    for (int j = 0; j < n; ++j) rate[j] = 0.0;
    for (int k = 0; k < rows.n_near; ++k)
        rate[rows.city[row * TSP_RACE_LANES + k]] = 1.0 / (double)rows.mean[row * TSP_RACE_LANES + k];
    const float tail = rows.mean[row * TSP_RACE_LANES + TSP_RACE_TAIL];
    planted_tables.unit[row] = tail == TSP_RACE_SILENT ? 0.0 : 1.0 / (double)tail / n / (double)BUCKET;
    for (int j = 0; j < n; ++j) {
        const unsigned own = alias[j] >> 16;
        rate[j] += own * planted_tables.unit[row];
        rate[alias[j] & 0xffff] += (BUCKET - own) * planted_tables.unit[row];
    }
}

static ab_status choice_shown(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    AB_TRY(choice(colony, params, iteration));
    for (int row = 0; row < colony->n; ++row) show_row(*colony, rows_of(colony, params), row);
    return ab_ok();
}

extern "C" ab_status planted_race_with_tables(const void *problem, const void *params, ab_work **work)
{
    static const tsp_rung rung = {.construct = construct,
                                  .choice = choice_shown,
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
