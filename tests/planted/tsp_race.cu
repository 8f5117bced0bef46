/* tsp/race itself, right as it stands and wrong in one way for each planted fault: verification or the test of proportions
 * must find every one (tests/kernels/tsp/test_tsp_kernels.c). */
#define tsp_race planted_race_rung
#include "kernels/tsp/race.cu"

#include "tests/planted/tsp_race.h"

/* Has every city, but forgets one city in 16 of those that it is asked for. */
struct forgetful_visited : race_visited {
    __device__ unsigned mask(int city) const
    {
        return city % 16 == 3 ? 0 : race_visited::mask(city);
    }
    __device__ bool has(int city) const
    {
        return mask(city) != 0;
    }
};

/* The numbers of the first lane for all. */
struct shared_random : race_random {
    __device__ shared_random(unsigned long long seed, unsigned long long stream) : race_random(seed, stream & ~31ull)
    {
    }
};

/* The first number for ever. */
struct old_random : race_random {
    unsigned first;

    __device__ old_random(unsigned long long seed, unsigned long long stream)
        : race_random(seed, stream), first(race_random::next())
    {
    }

    __device__ unsigned next()
    {
        return first;
    }
};

template <typename Random, typename Visited>
static ab_status construct_with(const tsp_device *colony, const as_params *params, unsigned iteration)
{
    return race_launch_walk<Random, Visited, false>(colony, rows_of(colony, params), params, iteration);
}

/* The means of the clocks as they are, the alias tables as they were at first. */
static ab_status choice_with_old_tables(const tsp_device *colony, const as_params *params, unsigned iteration)
{
    const race_rows rows = rows_of(colony, params);
    const size_t entries = (size_t)colony->n * (size_t)colony->stride;
    unsigned *const old = (unsigned *)malloc(entries * sizeof *old);
    if (!old) return ab_failed("out of memory");
    for (size_t i = 0; i < entries; ++i) old[i] = rows.alias[i]; /* device memory is the heap on the host backend */
    const ab_status status = choice(colony, params, iteration);
    for (size_t i = 0; i < entries; ++i) rows.alias[i] = old[i];
    free(old);
    return status;
}

static ab_status begin_with_tables(const tsp_device *colony, const as_problem *problem, const as_params *params)
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
        FAULTY((construct_with<race_random, forgetful_visited>)),
        {.construct = construct,
         .choice = choice_with_old_tables,
         .same_weights = true,
         .deposit = deposit,
         .check = check,
         .scratch_bytes = scratch_bytes,
         .begin = begin_with_tables},
        FAULTY((construct_with<shared_random, race_visited>)),
        FAULTY((construct_with<old_random, race_visited>)),
    };
    as_colony *colony = NULL;
    const ab_status status =
        AB_GPU(tsp_open)(&rungs[fault], (const as_problem *)problem, (const as_params *)params, &colony);
    *work = colony ? &colony->work : NULL;
    return status;
}

extern "C" float planted_race_exponential(unsigned random)
{
    return race_exponential(random);
}

extern "C" ab_open *planted_race(int fault)
{
    static ab_open *const opens[N_RACE_FAULTS] = {open_faulty<0>, open_faulty<1>, open_faulty<2>, open_faulty<3>,
                                                  open_faulty<4>};
    return opens[fault];
}
