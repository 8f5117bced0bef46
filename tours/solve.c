/* A good tour in a given time (tours/solve.h). */
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "tours/cross.h"
#include "tours/solve.h"
#include "tours/tour.h"

/* Cities of a part: with fewer, threads had better have the whole tour; with more, reversing paths takes too long. */
enum { LEAST_PART = 2000, MOST_PART = 50000 };

/* Seconds per round for each city of a thread's parts. This is enough for some kicks per city, so that loading costs
 * little, but not so much that only gains across the borders of parts remain. */
static const double part_s = 2e-5;

/* Where each thread has the whole tour, a round has half a kick per city, and no fewer than these. */
enum { LEAST_ROUND_KICKS = 2000 };

/* The search is cold in its first phase. Each later phase ends PHASE times as late as the phase before. The last of
 * PHASES phases ends with the time. Without a limit of time, the first phase has COLD_KICKS kicks per city. */
enum { PHASE = 5, PHASES = 4, COLD_KICKS = 20 };

/* Annealing cools down from `heat` times the mean edge to 0, by the square of the share that is left. */
static const double heat = 3.2;

/* Each phase but the first anneals spread * sqrt(kicks per city) tours, MOST_TOURS at most, in a share `making` of its
 * time. They are crossed until STALE generations bring nothing. A generation tries a difference of two tours with a
 * probability: if it tried all, all tours would soon be the same. */
static const double spread = 2.7, making = 0.85, tried = 0.3;
enum { MOST_TOURS = 100, STALE = 5 };

/* With more cities, tours are not crossed: a population would take too much memory. */
enum { MOST_CROSSED = 200000 };

struct solver;

/* A thread's context. */
typedef struct worker {
    struct solver *all;
    search search;
    ab_memory memory;
    crossing *crossing;  /* NULL before there is a population */
    int64_t length;      /* length of its best tour, if it has the whole, */
    int64_t present;     /* ... and of the tour where it is */
    int64_t begin_kicks; /* all threads' kicks when its round began, less its own */
    double end_s;        /* end of its turn, */
    int64_t end_kicks;   /* ... whichever is first */
} worker;

/* What all threads share. */
typedef struct solver {
    const tsp_instance *cities;
    const solve_options *options;
    double begin_s;
    neighbours near;
    int32_t *tour, *rank; /* [n], [n]: the tour that is searched, and where in it a city is */
    int32_t *best;        /* [n] the shortest tour so far, */
    int64_t best_length;  /* ... and its length */
    worker *workers;      /* [threads] */
    int parts;            /* number of the tour's parts, which threads improve; 1: each thread has the whole */
    bool warm;            /* true if a tour may become longer in this round */
    double hot, cold;     /* the progress at which annealing begins and ends */
    double mean_edge;     /* mean length of an edge when annealing began */
    bool settled;         /* no move that is looked for would make the tour shorter */
    cross_tour tours[2][MOST_TOURS]; /* the population, and the next generation of it */
    int generation;                  /* which of the two is the population */
    int n_tours;                     /* tours in it, */
    int most_tours;                  /* ... and how many there is room for, */
    ab_memory room;                  /* ... here */
    uint64_t random;                 /* state of SplitMix64 */
    atomic_bool over;                /* nothing is to be done any more */
    _Atomic int64_t length;          /* length of the tour with all known gains */
    _Atomic int64_t told;            /* least length that the caller was told of */
    int32_t *on_the_way;             /* [n] tour within a round, for telling; NULL: nothing is told within a round */
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

/* ---- Phases ---- */

/* How far the search is: 1 ends the first phase, PHASE the second. */
static double progress(const solver *all, int64_t kicks)
{
    const double seconds = all->options->seconds;
    if (isinf(seconds)) return (double)kicks / ((double)COLD_KICKS * all->cities->n);
    return pow(PHASE, PHASES - 1) * (now_s() - all->begin_s) / seconds;
}

/* The progress at which the present phase ends. */
static double end_of_phase(double done)
{
    double end = 1.0;
    while (end <= done) end *= PHASE;
    return end;
}

/* ---- What threads ask and tell ---- */

/* Sets the temperature; returns the progress. */
static double cool(worker *own)
{
    const solver *all = own->all;
    const double done = progress(all, own->begin_kicks + own->search.kicks);
    const double warm = fmin(fmax((all->cold - done) / (all->cold - all->hot), 0.0), 1.0);
    own->search.temperature = all->warm ? heat * warm * warm * all->mean_edge : 0.0;
    return done;
}

static bool is_over(solver *all)
{
    const solve_options *options = all->options;
    if (now_s() - all->begin_s >= options->seconds || (options->stops && options->stops(options->context)))
        all->over = true;
    return all->over;
}

static bool stops(void *context)
{
    worker *own = context;
    const double done = cool(own);
    return is_over(own->all) || done >= own->all->cold || now_s() >= own->end_s || own->search.kicks >= own->end_kicks;
}

static void gained(void *context, int64_t gain)
{
    worker *own = context;
    const bool shared = own->all->parts > 1;
    const int64_t length = shared ? atomic_fetch_sub(&own->all->length, gain) - gain : (own->length -= gain);
    if (length <= own->all->options->target) own->all->over = true;
}

static void tell_of(solver *all, const int32_t *tour, int64_t length)
{
    const solve_options *options = all->options;
    if (length < all->told) all->told = length;
    if (options->tell) options->tell(options->context, tour, length, now_s() - all->begin_s);
}

/* Follows a thread that has the whole tour (search.watch). */
static void watch(const search *s, int64_t gain)
{
    worker *own = s->context;
    solver *all = own->all;
    own->present -= gain;
    if (s->path || own->present > all->told - all->told / 1000) return;
#pragma omp critical(telling)
    if (own->present < all->told) {
        for (int i = 0; i < s->n; i++) all->on_the_way[i] = s->id[s->at[i]];
        tell_of(all, all->on_the_way, own->present);
    }
}

/* ---- Rounds ---- */

static int64_t count_kicks(const solver *all)
{
    int64_t kicks = 0;
    for (int t = 0; t < all->options->threads; t++) kicks += all->workers[t].search.kicks;
    return kicks;
}

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
    const int64_t kicks_before = count_kicks(all);
#pragma omp parallel num_threads(threads)
    {
        worker *own = &all->workers[omp_get_thread_num()];
        search *s = &own->search;
        own->end_kicks = INT64_MAX;
        own->begin_kicks = kicks_before - s->kicks;
        for (int turn = 0, part = omp_get_thread_num(); part < parts; turn++, part += threads) {
            const int first = (int)((int64_t)n * part / parts), end = (int)((int64_t)n * (part + 1) / parts);
            own->end_s = kicks ? begin + round_s * (turn + 1) / turns : INFINITY;
            search_load(s, &all->near, all->tour, all->rank, (first + shift) % n, end - first, false);
            gained(own, search_descend(s));
            cool(own);
            if (kicks) search_iterate(s, gained);
            if (!all->over) gained(own, -search_take(s));       /* the tour goes on from where it is */
            search_store(s, all->tour, (first + shift) % n, n); /* no other thread reads there */
        }
    }
}

static int round_kicks(int n)
{
    return n / 2 > LEAST_ROUND_KICKS ? n / 2 : LEAST_ROUND_KICKS;
}

/* Each thread improves a tour of its own, from the tour on or from where it was; the shortest becomes the tour. */
static void search_whole(solver *all, bool from_tour)
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
        own->begin_kicks = 0;
        if (from_tour) {
            own->length = own->present = all->length;
            search_load(s, &all->near, all->tour, all->rank, 0, n, all->settled);
            gained(own, search_descend(s));
        }
        const bool done = s->queue_length == 0;
        cool(own);
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

static void keep_best(solver *all)
{
    if (all->length >= all->best_length) return;
    all->best_length = all->length;
    memcpy(all->best, all->tour, (size_t)all->cities->n * sizeof *all->best);
}

static void end_round(solver *all, solve_result *result)
{
    keep_best(all);
    tell_of(all, all->best, all->best_length);
    result->rounds++;
}

/* From the tour on, or where each thread has the whole, from where it was. */
static void search_round(solver *all, solve_result *result, bool from_tour)
{
    if (from_tour) rank_cities(all);
    if (all->parts > 1)
        search_parts(all, result->rounds > 0);
    else
        search_whole(all, from_tour);
    if (all->cities->n < SEARCH_LEAST_KICKED) all->over = true;
    end_round(all, result);
}

static double progress_now(const solver *all)
{
    return progress(all, all->parts > 1 ? count_kicks(all) : all->workers[0].search.kicks);
}

static int tours_at_once(const solver *all)
{
    return all->parts > 1 ? 1 : all->options->threads;
}

/* Anneals from the best tour on, from a progress to another: one tour by its parts, or one per thread. */
static void anneal(solver *all, solve_result *result, double hot, double cold)
{
    memcpy(all->tour, all->best, (size_t)all->cities->n * sizeof *all->tour);
    all->length = all->best_length;
    all->settled = false;
    all->warm = true;
    all->hot = hot;
    all->cold = cold;
    bool from_tour = true;
    do {
        all->mean_edge = (double)all->best_length / all->cities->n;
        search_round(all, result, from_tour);
        from_tour = all->parts > 1;
    } while (!all->over && progress_now(all) < cold);
}

/* ---- Populations ---- */

/* Makes room for so many tours. Where there is no memory, there is no room. */
static void make_room(solver *all, int most)
{
    const size_t n = (size_t)all->cities->n;
    if (most > MOST_TOURS) most = MOST_TOURS;
    if (most <= all->most_tours || n > MOST_CROSSED) return;
    for (int t = 0; t < all->options->threads; t++) {
        worker *own = &all->workers[t];
        if (!own->crossing) own->crossing = crossing_allocate(all->cities, &all->near, &own->memory);
        if (own->memory.failed) return;
    }
    ab_memory_free(&all->room);
    all->room = (ab_memory){0};
    int32_t *cities = ab_allocate(&all->room, 4 * (size_t)most, n * sizeof *cities);
    all->most_tours = cities ? most : 0;
    for (int i = 0; i < 2 * all->most_tours; i++, cities += 2 * n)
        all->tours[i % 2][i / 2] = (cross_tour){.at = cities, .where = cities + n};
}

/* The place of the population's next tour, or NULL if the population is full. */
static cross_tour *add_place(solver *all)
{
    return all->n_tours < all->most_tours ? &all->tours[all->generation][all->n_tours++] : NULL;
}

static void add_tour(solver *all, const int32_t *order, int64_t length)
{
    cross_tour *tour = add_place(all);
    if (!tour) return;
    memcpy(tour->at, order, (size_t)all->cities->n * sizeof *order);
    cross_tour_number(tour, all->cities->n, length);
}

/* Adds the tour as it is now, or the tour of each thread. */
static void add_annealed(solver *all)
{
    if (all->parts > 1) add_tour(all, all->tour, all->length);
    for (int t = 0; t < all->options->threads && all->parts == 1; t++) {
        worker *own = &all->workers[t];
        cross_tour *tour = add_place(all);
        if (!tour) return;
        own->length += search_take(&own->search);
        search_store(&own->search, tour->at, 0, all->cities->n);
        cross_tour_number(tour, all->cities->n, own->length);
    }
}

/* Each tour takes what is better in one other. Returns by how much they become shorter. */
static int64_t cross_generation(solver *all)
{
    const int n_tours = all->n_tours;
    const size_t bytes = (size_t)all->cities->n * sizeof(int32_t);
    const cross_tour *now = all->tours[all->generation];
    cross_tour *next = all->tours[!all->generation];
    const uint64_t seed = splitmix64(&all->random);
    int order[MOST_TOURS];
    int64_t gain = 0;
    for (int i = 0; i < n_tours; i++) {
        const int k = random_below(&all->random, i + 1);
        if (k < i) order[i] = order[k];
        order[k] = i;
    }
#pragma omp parallel for num_threads(all->options->threads) schedule(dynamic) reduction(+ : gain)
    for (int i = 0; i < n_tours; i++) {
        const cross_tour *from = &now[order[i]], *other = &now[order[i + 1 == n_tours ? 0 : i + 1]];
        cross_tour *to = &next[order[i]];
        uint64_t random = seed ^ (uint64_t)i << 32;
        memcpy(to->at, from->at, bytes);
        memcpy(to->where, from->where, bytes);
        to->length = from->length;
        if (!is_over(all)) gain += cross(all->workers[omp_get_thread_num()].crossing, to, other, tried, &random);
    }
    all->generation = !all->generation;
    return gain;
}

/* Crosses the population, and keeps its best tour. */
static void evolve(solver *all, solve_result *result)
{
    if (all->n_tours < 2) return;
    for (int stale = 0; stale < STALE && !is_over(all);) stale = cross_generation(all) > 0 ? 0 : stale + 1;
    const cross_tour *tours = all->tours[all->generation], *best = tours;
    for (int i = 1; i < all->n_tours; i++)
        if (tours[i].length < best->length) best = &tours[i];
    memcpy(all->tour, best->at, (size_t)all->cities->n * sizeof *all->tour);
    all->length = best->length;
    if (all->length <= all->options->target) all->over = true;
    end_round(all, result);
}

/* Anneals tours, `slice` for each, and crosses them and the best. */
static void search_population(solver *all, solve_result *result, int times, double slice)
{
    const double begin = progress_now(all);
    all->n_tours = 0;
    add_tour(all, all->best, all->best_length);
    for (int i = 0; i < times && !all->over; i++) {
        anneal(all, result, begin + i * slice, begin + (i + 1) * slice);
        add_annealed(all);
    }
    evolve(all, result);
}

/* How often to anneal from now to the end, if kicks go on as since `begin`. */
static int choose_times(const solver *all, double begin, int64_t begin_kicks, double end)
{
    const double now = progress_now(all), share = making * (end - now) / (now - begin);
    const double kicks = share * (double)(count_kicks(all) - begin_kicks) / all->cities->n;
    const int most = (MOST_TOURS - 1) / tours_at_once(all);
    const double times = spread * sqrt(kicks) / tours_at_once(all);
    return most < 2 || times < 1.5 ? 1 : times < most ? (int)(times + 0.5) : most;
}

static void search_rounds(solver *all, solve_result *result)
{
    if (!all->over) tell_of(all, all->best, all->best_length);
    all->cold = 1.0;
    while (!all->over && (result->rounds == 0 || progress_now(all) < 1.0)) search_round(all, result, true);
    double begin = 0.0;
    int64_t begin_kicks = 0;
    while (!all->over) {
        const double now = progress_now(all), end = end_of_phase(now);
        const int64_t kicks = count_kicks(all);
        const int times = choose_times(all, begin, begin_kicks, end), tours = times * tours_at_once(all);
        const double slice = (tours > 1 ? making : 1.0) * (end - now) / times;
        make_room(all, tours + 1);
        search_population(all, result, times, slice);
        for (double done; !all->over && (done = progress_now(all)) < end;)
            search_population(all, result, 1, fmin(slice, end - done));
        begin = now;
        begin_kicks = kicks;
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
    all->tour = ab_allocate(memory, (size_t)n, sizeof *all->tour);
    if (options->watched) all->on_the_way = ab_allocate(memory, (size_t)n, sizeof *all->on_the_way);
    all->workers = ab_allocate(memory, (size_t)options->threads, sizeof *all->workers);
    for (int t = 0; t < options->threads && !memory->failed; t++) {
        worker *own = &all->workers[t];
        *own = (worker){.all = all};
        search_allocate(&own->search, all->cities, n / all->parts + 1, &own->memory);
        own->search.moves = options->moves;
        own->search.random = splitmix64(&all->random);
        own->search.stops = stops;
        own->search.context = own;
        if (options->watched) own->search.watch = watch;
    }
    AB_TRY(ab_memory_status(memory));
    for (int t = 0; t < options->threads; t++) AB_TRY(ab_memory_status(&all->workers[t].memory));
    AB_TRY(neighbours_find_around(all->cities, options->threads, &all->near, memory));
    AB_TRY(order_along_curve(all->cities, all->tour));
    AB_TRY(order_greedily(all->cities, &all->near, all->tour));
    all->length = tour_measure(all->cities, all->tour);
    all->best_length = INT64_MAX;
    keep_best(all);
    return all->length == TOUR_NO_MEMORY ? ab_failed("no memory to measure a tour") : ab_ok();
}

ab_status solve(const tsp_instance *cities, const solve_options *options, int32_t *tour, solve_result *result)
{
    solver all = {.cities = cities, .options = options, .begin_s = now_s(), .best = tour, .told = INT64_MAX};
    const double begin_cpu_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    ab_memory memory = {0};
    *result = (solve_result){0};
    const ab_status status = prepare(&all, &memory);
    if (status.code == AB_OK) {
        all.over = cities->n <= 3 || all.length <= options->target;
        search_rounds(&all, result);
        result->length = all.best_length;
        result->seconds = now_s() - all.begin_s;
        result->cpu_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu_s;
        result->kicks = count_kicks(&all);
    }
    for (int t = 0; t < options->threads && all.workers; t++) ab_memory_free(&all.workers[t].memory);
    ab_memory_free(&all.room);
    ab_memory_free(&memory);
    return status;
}
