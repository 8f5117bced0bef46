/* What every CPU colony has in common (baselines/cpu_colony.h). */
#include <omp.h>
#include <string.h>

#include "base/random.h"
#include "baselines/cpu_colony.h"

/* ---- Reading ---- */

static void copy(void *to, const void *from, size_t bytes)
{
    if (to != NULL) memcpy(to, from, bytes);
}

ab_status cpu_colony_read(tsp_colony *base, tsp_result *result)
{
    const cpu_colony *colony = (const cpu_colony *)base;
    const size_t tour_size = ((size_t)colony->problem.n + 1) * sizeof *colony->tours;
    const size_t n_ants = (size_t)colony->params.n_ants;
    copy(result->tours, colony->tours, n_ants * tour_size);
    copy(result->lengths, colony->lengths, n_ants * sizeof *colony->lengths);
    copy(result->best_tour, colony->best_tour, tour_size);
    result->best_length = colony->best_length;
    result->zero_weight_steps = colony->zero_weight_steps;
    result->iterations = colony->iteration;
    return ab_ok();
}

ab_status cpu_colony_poison(tsp_colony *base)
{
    cpu_colony *colony = (cpu_colony *)base;
    const size_t n_ants = (size_t)colony->params.n_ants;
    memset(colony->tours, 0xff, n_ants * ((size_t)colony->problem.n + 1) * sizeof *colony->tours);
    memset(colony->lengths, 0xff, n_ants * sizeof *colony->lengths);
    return ab_ok();
}

/* ---- Construct ---- */

uint64_t cpu_colony_stream(const cpu_colony *colony, int ant)
{
    uint64_t state = colony->params.seed;
    state = splitmix64(&state) ^ (uint64_t)colony->iteration;
    state = splitmix64(&state) ^ (uint64_t)(colony->params.first_ant + ant);
    return splitmix64(&state);
}

int cpu_colony_shortest(const cpu_colony *colony)
{
    int best = 0;
    for (int ant = 1; ant < colony->params.n_ants; ant++)
        if (colony->lengths[ant] < colony->lengths[best]) best = ant;
    return best;
}

void cpu_colony_keep(cpu_colony *colony, const int32_t *tour, int64_t length)
{
    if (length >= colony->best_length) return;
    colony->best_length = length;
    memcpy(colony->best_tour, tour, ((size_t)colony->problem.n + 1) * sizeof *tour);
}

void cpu_colony_keep_best(cpu_colony *colony)
{
    const int best = cpu_colony_shortest(colony);
    cpu_colony_keep(colony, cpu_colony_tour(colony, best), colony->lengths[best]);
}

/* Afterwards, so that the cache misses overlap. */
static void close_tour(cpu_colony *colony, int ant)
{
    int32_t *tour = cpu_colony_tour(colony, ant);
    const int n = colony->problem.n;
    int64_t length = 0;
    tour[n] = tour[0];
    if (colony->measured) return;
    for (int k = 0; k < n; k++) length += tsp_distance(&colony->problem, tour[k], tour[k + 1]);
    colony->lengths[ant] = length;
}

/* Ants dealt at a time, at most `most`, of which all threads get as many. */
static int ants_dealt(int n_ants, int threads, int most)
{
    const int rounds = (n_ants + threads * most - 1) / (threads * most);
    return (n_ants + threads * rounds - 1) / (threads * rounds);
}

void cpu_colony_construct(cpu_colony *colony, int most, cpu_build_tours *build)
{
    const int n_ants = colony->params.n_ants, side_by_side = ants_dealt(n_ants, colony->params.threads, most);
    int64_t zero_weight_steps = 0;
    colony->iteration++;
#pragma omp parallel for num_threads(colony->params.threads) schedule(dynamic) reduction(+ : zero_weight_steps)
    for (int first = 0; first < n_ants; first += side_by_side) {
        const int count = n_ants - first < side_by_side ? n_ants - first : side_by_side;
        zero_weight_steps += build(colony, omp_get_thread_num(), first, count);
        for (int ant = first; ant < first + count; ant++) close_tour(colony, ant);
    }
    colony->zero_weight_steps += zero_weight_steps;
    cpu_colony_keep_best(colony);
}

/* ---- Update ---- */

static int32_t place_of(const cpu_colony *colony, int32_t city)
{
    return colony->place ? colony->place[city] : city;
}

static void link_tour(const cpu_colony *colony, const int32_t *tour, int ant)
{
    const int n = colony->problem.n;
    cpu_links *links = colony->links + (size_t)ant * (size_t)n;
    int32_t here = place_of(colony, tour[0]);
    for (int k = 0; k < n; k += 64 / (int)sizeof *links)
        __builtin_prefetch(links + k, 1); /* in order, as memory likes */
    for (int i = 0; i < n; i++) {
        const int32_t next = place_of(colony, tour[i + 1]);
        links[here].next = next;
        links[next].previous = here;
        here = next;
    }
}

/* The depositors of MAX-MIN Ant System. */
static cpu_depositors link_between_limits(cpu_colony *colony)
{
    const bool better = colony->best_length < colony->best_before;
    const tsp_max_min_step step =
        tsp_max_min_go_on(&colony->course, colony->iteration, better, colony->params.patience);
    colony->best_before = colony->best_length;
    colony->best_deposits = step == TSP_MAX_MIN_BEST_SO_FAR;
    cpu_depositors ants = {.first = colony->best_deposits ? 0 : cpu_colony_shortest(colony),
                           .limits = tsp_max_min_limits_of(colony->problem.n, colony->params.rho, colony->best_length)};
    ants.end = ants.first + 1;
    if (step == TSP_MAX_MIN_RESTART) ants.limits.least = ants.limits.most;
    link_tour(colony, colony->best_deposits ? colony->best_tour : cpu_colony_tour(colony, ants.first), ants.first);
    return ants;
}

cpu_depositors cpu_colony_link_depositors(cpu_colony *colony)
{
    cpu_depositors ants = {0, colony->params.n_ants, {0.0, INFINITY}};
    if (colony->params.protocol == TSP_MAX_MIN) return link_between_limits(colony);
    if (colony->params.protocol == TSP_BEST_ANT) {
        ants.first = cpu_colony_shortest(colony);
        ants.end = ants.first + 1;
    }
#pragma omp parallel for num_threads(colony->params.threads) schedule(static)
    for (int ant = ants.first; ant < ants.end; ant++) link_tour(colony, cpu_colony_tour(colony, ant), ant);
    return ants;
}

double cpu_colony_deposit(const cpu_colony *colony, int ant)
{
    return cpu_colony_amount(colony->best_deposits ? colony->best_length : colony->lengths[ant]);
}
