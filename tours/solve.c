/* A good tour in a given time (tours/solve.h). */
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "tours/solve.h"
#include "tours/tour.h"

/* Cities of a part: with fewer, threads had better have the whole tour; with more, reversing paths takes too long. */
enum { LEAST_PART = 5000, MOST_PART = 50000 };

/* Seconds that a round takes for each city of a thread's parts: some kicks a city, beside which loading them costs
 * little, but not so many that only what goes beyond a part's borders is left to gain. */
static const double part_s = 2e-5;

/* What all threads share. */
typedef struct solver {
    const tsp_instance *cities;
    const solve_options *options;
    double begin_s;
    neighbours near;
    int32_t *tour, *rank;  /* [n], [n]: the tour, and where in it a city is */
    search *searches;      /* [threads] */
    ab_memory *memory;     /* [threads] of each */
    int parts;             /* of the tour, which threads improve; 1: each thread has the whole */
    bool settled;          /* no move that is looked for would make the tour shorter */
    uint64_t random;       /* state of SplitMix64 */
    atomic_bool over;      /* nothing is to be done any more */
    _Atomic int64_t length; /* of the tour with all that is known to be gained */
} solver;

/* A thread's context. */
typedef struct worker {
    solver *all;
    int64_t own;  /* length of its own tour, where it has the whole */
    double end_s; /* of its turn */
} worker;

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double now_s(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* ---- What threads ask and tell ---- */

static bool stops(void *context)
{
    solver *all = ((worker *)context)->all;
    const solve_options *options = all->options;
    if (all->over) return true;
    const double now = now_s();
    if (now - all->begin_s >= options->seconds || (options->stops && options->stops(options->context)))
        all->over = true;
    return all->over || now >= ((worker *)context)->end_s;
}

static void gained(void *context, int64_t gain)
{
    worker *own = context;
    const bool shared = own->all->parts > 1;
    const int64_t length = shared ? atomic_fetch_sub(&own->all->length, gain) - gain : (own->own -= gain);
    if (length <= own->all->options->target) own->all->over = true;
}

/* ---- Rounds ---- */

static void rank_cities(solver *all)
{
    for (int i = 0; i < all->cities->n; i++) all->rank[all->tour[i]] = i;
}

/* Threads improve the parts, one after another; they begin elsewhere in each round. Without kicks
 * they get no more than a descent: in the first round, so that all are as good before any is better. */
static void search_parts(solver *all, bool kicks)
{
    const int n = all->cities->n, threads = all->options->threads, parts = all->parts;
    const int shift = random_below(&all->random, n), turns = (parts + threads - 1) / threads;
    const double round_s = part_s * n / threads;
    const double begin = now_s();
#pragma omp parallel num_threads(threads)
    {
        search *s = &all->searches[omp_get_thread_num()];
        worker own = {.all = all};
        s->context = &own;
        for (int turn = 0, part = omp_get_thread_num(); part < parts; turn++, part += threads) {
            const int first = (int)((int64_t)n * part / parts), end = (int)((int64_t)n * (part + 1) / parts);
            own.end_s = kicks ? begin + round_s * (turn + 1) / turns : INFINITY;
            search_load(s, &all->near, all->tour, all->rank, (first + shift) % n, end - first, false);
            gained(&own, search_descend(s));
            if (kicks) search_iterate(s, gained);
            search_store(s, all->tour, (first + shift) % n, n); /* where no other thread reads */
        }
    }
}

/* Each thread improves a tour of its own; the shortest becomes the tour. */
static void search_whole(solver *all, double round_s)
{
    const int64_t begin = all->length;
    const double end_s = now_s() + round_s;
    int winner = -1;
    bool settled = all->settled;
#pragma omp parallel num_threads(all->options->threads)
    {
        const int t = omp_get_thread_num();
        search *s = &all->searches[t];
        worker own = {.all = all, .own = begin, .end_s = end_s};
        s->context = &own;
        search_load(s, &all->near, all->tour, all->rank, 0, all->cities->n, all->settled);
        gained(&own, search_descend(s));
        const bool done = s->queue_length == 0;
        search_iterate(s, gained);
#pragma omp critical
        if (winner < 0 || own.own < all->length) {
            all->length = own.own;
            winner = t;
            settled = done;
        }
    }
    search_store(&all->searches[winner], all->tour, 0, all->cities->n);
    all->settled = settled;
}

static void search_rounds(solver *all, solve_result *result)
{
    const solve_options *options = all->options;
    const double longest = options->seconds / 10 < 1.0 ? options->seconds / 10 : 1.0, least = 1e-5 * all->cities->n;
    while (!all->over) {
        rank_cities(all);
        if (all->parts > 1)
            search_parts(all, result->rounds > 0);
        else
            search_whole(all, longest > least ? longest : least);
        result->rounds++;
        if (all->cities->n < SEARCH_LEAST_KICKED) all->over = true;
        if (options->tell) options->tell(options->context, all->tour, all->length, now_s() - all->begin_s);
    }
}

/* ---- The whole ---- */

static int choose_parts(int n, int threads)
{
    const int parts = (n + MOST_PART - 1) / MOST_PART;
    if (parts > threads) return (parts + threads - 1) / threads * threads;
    return n / threads >= LEAST_PART ? threads : 1;
}

static ab_status prepare(solver *all, ab_memory *memory)
{
    const solve_options *options = all->options;
    const int n = all->cities->n;
    all->random = options->seed;
    all->parts = choose_parts(n, options->threads);
    all->rank = ab_allocate(memory, (size_t)n, sizeof *all->rank);
    all->searches = ab_allocate(memory, (size_t)options->threads, sizeof *all->searches);
    all->memory = ab_allocate(memory, (size_t)options->threads, sizeof *all->memory);
    for (int t = 0; t < options->threads && !memory->failed; t++) {
        search_allocate(&all->searches[t], all->cities, n / all->parts + 1, &all->memory[t]);
        all->searches[t].moves = options->moves;
        all->searches[t].random = splitmix64(&all->random);
        all->searches[t].stops = stops;
    }
    AB_TRY(ab_memory_status(memory));
    for (int t = 0; t < options->threads; t++) AB_TRY(ab_memory_status(&all->memory[t]));
    AB_TRY(neighbours_find(all->cities, options->threads, &all->near, memory));
    AB_TRY(order_along_curve(all->cities, all->tour));
    AB_TRY(order_greedily(all->cities, &all->near, all->tour));
    all->length = tour_measure(all->cities, all->tour);
    return all->length == TOUR_NO_MEMORY ? ab_failed("no memory to measure a tour") : ab_ok();
}

ab_status solve(const tsp_instance *cities, const solve_options *options, int32_t *tour, solve_result *result)
{
    solver all = {.cities = cities, .options = options, .begin_s = now_s(), .tour = tour};
    const double begin_cpu_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    ab_memory memory = {0};
    *result = (solve_result){0};
    const ab_status status = prepare(&all, &memory);
    if (status.code == AB_OK) {
        all.over = cities->n <= 3 || all.length <= options->target;
        search_rounds(&all, result);
        result->length = all.length;
        result->seconds = now_s() - all.begin_s;
        result->cpu_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu_s;
        for (int t = 0; t < options->threads; t++) result->kicks += all.searches[t].kicks;
    }
    for (int t = 0; t < options->threads && all.memory; t++) ab_memory_free(&all.memory[t]);
    ab_memory_free(&memory);
    return status;
}
