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

/* Seconds per round for each city of a thread's parts. This is enough for some kicks per city, so that loading costs
 * little, but not so much that only gains across the borders of parts remain. */
static const double part_s = 2e-5;

/* Where each thread has the whole tour, a round is half a kick for each city, and no fewer than these: loading costs
 * little then. Rounds are cold until there were so many kicks for each city, and no fewer than these rounds. Then come
 * cycles of as many rounds as there were before, which cool down from `heat` times the mean length of an edge. */
enum { LEAST_ROUND_KICKS = 2000, COLD_KICKS = 20, LEAST_COLD_ROUNDS = 10 };
static const double heat = 0.6;

struct solver;

/* A thread's context. */
typedef struct worker {
    struct solver *all;
    search search;
    ab_memory memory;
    int64_t length;    /* length of its best tour, if it has the whole */
    double end_s;      /* end of its turn, */
    int64_t end_kicks; /* ... whichever is first */
} worker;

/* What all threads share. */
typedef struct solver {
    const tsp_instance *cities;
    const solve_options *options;
    double begin_s;
    neighbours near;
    int32_t *tour, *rank;   /* [n], [n]: the tour, and where in it a city is */
    worker *workers;        /* [threads] */
    int parts;              /* number of the tour's parts, which threads improve; 1: each thread has the whole */
    bool settled;           /* no move that is looked for would make the tour shorter */
    uint64_t random;        /* state of SplitMix64 */
    atomic_bool over;       /* nothing is to be done any more */
    _Atomic int64_t length; /* length of the tour with all known gains */
} solver;

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
    const worker *own = context;
    solver *all = own->all;
    const solve_options *options = all->options;
    if (all->over) return true;
    const double now = now_s();
    if (now - all->begin_s >= options->seconds || (options->stops && options->stops(options->context)))
        all->over = true;
    return all->over || now >= own->end_s || own->search.kicks >= own->end_kicks;
}

static void gained(void *context, int64_t gain)
{
    worker *own = context;
    const bool shared = own->all->parts > 1;
    const int64_t length = shared ? atomic_fetch_sub(&own->all->length, gain) - gain : (own->length -= gain);
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
        worker *own = &all->workers[omp_get_thread_num()];
        search *s = &own->search;
        own->end_kicks = INT64_MAX;
        for (int turn = 0, part = omp_get_thread_num(); part < parts; turn++, part += threads) {
            const int first = (int)((int64_t)n * part / parts), end = (int)((int64_t)n * (part + 1) / parts);
            own->end_s = kicks ? begin + round_s * (turn + 1) / turns : INFINITY;
            search_load(s, &all->near, all->tour, all->rank, (first + shift) % n, end - first, false);
            gained(own, search_descend(s));
            if (kicks) search_iterate(s, gained);
            search_store(s, all->tour, (first + shift) % n, n); /* no other thread reads there */
        }
    }
}

static int round_kicks(int n)
{
    return n / 2 > LEAST_ROUND_KICKS ? n / 2 : LEAST_ROUND_KICKS;
}

/* Each thread improves a tour of its own, from the best of all on or from where it was; the shortest becomes the
 * tour. */
static void search_whole(solver *all, bool from_best, double temperature)
{
    const int n = all->cities->n;
    const int kicks = round_kicks(n);
    worker *winner = NULL;
    bool settled = all->settled;
#pragma omp parallel num_threads(all->options->threads)
    {
        worker *own = &all->workers[omp_get_thread_num()];
        search *s = &own->search;
        own->end_s = INFINITY;
        own->end_kicks = s->kicks + kicks;
        if (from_best) {
            own->length = all->length;
            search_load(s, &all->near, all->tour, all->rank, 0, n, all->settled);
            gained(own, search_descend(s));
        }
        const bool done = s->queue_length == 0;
        s->temperature = temperature;
        search_iterate(s, gained);
#pragma omp critical
        if (!winner || own->length < winner->length) {
            winner = own;
            settled = done;
        }
    }
    all->length = winner->length;
    all->settled = settled;
    search_store(&winner->search, all->tour, 0, n);
}

/* From 1 down in each cycle; 0 while rounds are cold. */
static double warmth(int n, int64_t round)
{
    const int64_t cold = (int64_t)COLD_KICKS * n / round_kicks(n);
    int64_t first = cold > LEAST_COLD_ROUNDS ? cold : LEAST_COLD_ROUNDS;
    if (round < first) return 0.0;
    while (2 * first <= round) first *= 2;
    return 2.0 - (double)round / (double)first;
}

static void search_rounds(solver *all, solve_result *result)
{
    const solve_options *options = all->options;
    if (options->tell && !all->over) options->tell(options->context, all->tour, all->length, now_s() - all->begin_s);
    for (; !all->over; result->rounds++) {
        const double warm = warmth(all->cities->n, result->rounds);
        rank_cities(all);
        if (all->parts > 1)
            search_parts(all, result->rounds > 0);
        else
            search_whole(all, warm == 0.0 || warm == 1.0, warm * heat * (double)all->length / all->cities->n);
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
    all->workers = ab_allocate(memory, (size_t)options->threads, sizeof *all->workers);
    for (int t = 0; t < options->threads && !memory->failed; t++) {
        worker *own = &all->workers[t];
        *own = (worker){.all = all};
        search_allocate(&own->search, all->cities, n / all->parts + 1, &own->memory);
        own->search.moves = options->moves;
        own->search.random = splitmix64(&all->random);
        own->search.stops = stops;
        own->search.context = own;
    }
    AB_TRY(ab_memory_status(memory));
    for (int t = 0; t < options->threads; t++) AB_TRY(ab_memory_status(&all->workers[t].memory));
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
        for (int t = 0; t < options->threads; t++) result->kicks += all.workers[t].search.kicks;
    }
    for (int t = 0; t < options->threads && all.workers; t++) ab_memory_free(&all.workers[t].memory);
    ab_memory_free(&memory);
    return status;
}
