/* Do colonies choose as they say, over whole tours and several iterations? On the CPU and on the host backend; with the
 * argument "cuda", and linked with the kernels, on the GPU (scripts/check_gpu). No test framework, so that it runs where none
 * is installed: it speaks TAP. ANTBENCH_ONLY=tsp/mine in the environment judges that implementation alone. Exit code 0, 1
 * where a test fails, 77 without a GPU.
 *
 * Of every choice, the chosen city's place among those it could be, in an order, weighted as the random proportional rule
 * has it and drawn at random inside the city's own share, is uniform and independent of all others if and only if choices
 * follow the rule. So a chi-square test over bins tells, whatever the weights are; two orders, by weight and by index, show
 * different faults, and so do the beginning, the middle and the end of a tour. Choices that are made twice (ants or
 * iterations that share random numbers) show too, as they fall into the same bins. Where the start cities are drawn is
 * tested the same way. Candidates are counted one by one too, by their nearness, beside the sum of their shares. Every
 * AB_EXACT must pass; the others must not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "instances/tsplib.h"
#include "kernels/tsp/tsp.h"

enum {
    BINS = 40,
    PARTS = 3,
    ORDERS = 2,
    ITERATIONS = 4,
    CANDIDATES = 20,
    LESS_SHARED = 100, /* cities at which rows in codes need it */
    SMALL = 200        /* cities that every implementation takes */
};

static const double least_p = 1e-4, sure_p = 1e-12;

/* What is judged in one setting, and what it was opened with. */
typedef struct judgement {
    tsp_problem problem;
    int n_ants;
    double *weight;                    /* [n][n]: 0 on the diagonal and outside of candidate sets */
    double *left;                      /* [n]: 1 for the cities that are unvisited, 0 for the others */
    int32_t *tours;                    /* [n_ants][n + 1] */
    double count[PARTS][ORDERS][BINS]; /* of choices */
    double nearness[CANDIDATES][3];    /* of candidate sets, of the k-th nearest: times chosen, expected, variance */
    double *starts;                    /* [n]: of tours */
    uint64_t random;
} judgement;

/* Wilson and Hilferty's approximation of the chi-square distribution's tail. */
static double tail(double chi_square, double df)
{
    const double z = (cbrt(chi_square / df) - (1.0 - 2.0 / (9.0 * df))) / sqrt(2.0 / (9.0 * df));
    return 0.5 * erfc(z / sqrt(2.0));
}

static double uniformity(const double *count, int n)
{
    double total = 0.0, chi_square = 0.0;
    for (int i = 0; i < n; i++) total += count[i];
    if (total == 0.0) return 1.0;
    for (int i = 0; i < n; i++) chi_square += (count[i] - total / n) * (count[i] - total / n) / (total / n);
    return tail(chi_square, n - 1);
}

static void weigh(judgement *j, const tsp_params *params, const float *pheromone)
{
    const size_t n = (size_t)j->problem.n, nn = (size_t)j->problem.nn;
    memset(j->weight, 0, n * n * sizeof *j->weight);
    for (size_t from = 0; from < n; from++)
        for (size_t k = 0; k < (nn ? nn : n); k++) {
            const size_t edge = from * n + (nn ? (size_t)j->problem.nn_list[from * nn + k] : k);
            if (edge == from * n + from) continue;
            j->weight[edge] = tsp_power((double)pheromone[edge], params->alpha) *
                              tsp_power(1.0 / (j->problem.dist[edge] + 0.1), params->beta);
        }
}

static int bin_of(double place)
{
    return place >= 1.0 ? BINS - 1 : (int)(place * BINS);
}

static void judge_choice(judgement *j, int from, int chosen, int part)
{
    const double *row = j->weight + (size_t)from * (size_t)j->problem.n;
    double total = 0.0, heavier = 0.0, before = 0.0;
    for (int city = 0; city < j->problem.n; city++) {
        const double weight = row[city] * j->left[city];
        total += weight;
        if (row[city] > row[chosen] || (row[city] == row[chosen] && city < chosen)) heavier += weight;
        if (city < chosen) before += weight;
    }
    if (!(total > 0.0)) return; /* no candidate is left: not a choice */
    const double inside = random_unit(&j->random) * row[chosen];
    for (int k = 0; k < j->problem.nn; k++) {
        const int city = j->problem.nn_list[from * j->problem.nn + k];
        const double share = row[city] * j->left[city] / total;
        j->nearness[k][0] += city == chosen;
        j->nearness[k][1] += share;
        j->nearness[k][2] += share * (1.0 - share);
    }
    j->count[part][0][bin_of((heavier + inside) / total)]++;
    j->count[part][1][bin_of((before + inside) / total)]++;
}

static ab_status judge_tour(judgement *j, const int32_t *tour)
{
    const int n = j->problem.n;
    for (int city = 0; city < n; city++) j->left[city] = 1.0;
    for (int i = 0; i < n; i++) {
        if (tour[i] < 0 || tour[i] >= n || j->left[tour[i]] == 0.0) return ab_failed("not a tour");
        if (i > 0 && i < n - 1) judge_choice(j, tour[i - 1], tour[i], i < n / 2 ? 0 : i < n - n / 10 ? 1 : 2);
        j->left[tour[i]] = 0.0;
    }
    j->starts[tour[0]]++;
    return ab_ok();
}

static ab_status judge_iteration(judgement *j, tsp_colony *colony, const tsp_params *params, float *pheromone)
{
    tsp_result result = {.tours = j->tours};
    AB_TRY(colony->methods->read_pheromone(colony, pheromone));
    AB_TRY(ab_iterate(&colony->work));
    AB_TRY(colony->methods->read(colony, &result));
    weigh(j, params, pheromone);
    for (int ant = 0; ant < j->n_ants; ant++)
        AB_TRY(judge_tour(j, j->tours + (size_t)ant * ((size_t)j->problem.n + 1)));
    return ab_ok();
}

/* The paths of a race; all others have the first. */
typedef enum way {
    PLAIN,    /* the best ant deposits, so that tours are the same again on a GPU too */
    STREAMED, /* likewise; rows that are not in shared memory, few near cities, coordinates */
    ALL_ANTS, /* every ant deposits, which a race does in whole numbers: rows in codes, if a rung has them */
    WAYS
} way;

/* A parameter that the implementation has for itself; NULL where it has none of this name. */
static const ab_parameter *own(const ab_implementation *it, const char *name)
{
    return it->parameters ? ab_parameter_find(it->parameters, name, strlen(name)) : NULL;
}

static ab_status set_own(const ab_implementation *it, tsp_params *params, const char *name, const char *value)
{
    return own(it, name) ? ab_parameter_set(own(it, name), value, params) : ab_ok();
}

static ab_status judge(judgement *j, const ab_implementation *implementation, way by)
{
    const bool other = by == STREAMED;
    tsp_params params = tsp_default_params(j->problem.n, by == ALL_ANTS ? TSP_ALL_ANTS : TSP_BEST_ANT);
    ab_work *work = NULL;
    params.n_ants = j->n_ants;
    params.seed = 20150701;
    params.rho = 0.5;
    if (other) AB_TRY(set_own(implementation, &params, "block-ants", "3"));
    if (other) AB_TRY(set_own(implementation, &params, "near", "8"));
    if (by == ALL_ANTS && j->problem.n <= LESS_SHARED)
        AB_TRY(set_own(implementation, &params, "shared", implementation->backend == AB_HOST ? "25000" : "12000"));
    if (!other) j->problem.points = NULL;
    AB_TRY(implementation->open(&j->problem, &params, &work));
    float *pheromone = malloc((size_t)j->problem.n * (size_t)j->problem.n * sizeof *pheromone);
    ab_status status = pheromone ? ab_ok() : ab_failed("out of memory");
    for (int i = 0; i < ITERATIONS && status.code == AB_OK; i++)
        status = judge_iteration(j, (tsp_colony *)work, &params, pheromone);
    free(pheromone);
    work->methods->close(work);
    return status;
}

/* The least p of the candidates' counts, times how many they are. */
static double evenness(const judgement *j)
{
    double farthest = 0.0;
    for (int k = 0; k < j->problem.nn; k++) {
        const double *of = j->nearness[k];
        if (of[2] > 5.0) farthest = fmax(farthest, fabs(of[0] - of[1]) / sqrt(of[2]));
    }
    return fmin(j->problem.nn * erfc(farthest / sqrt(2.0)), 1.0);
}

/* Prints what was found; the least p of the choices, 0 where the start cities are not uniform. */
static double report(const judgement *j)
{
    const double starts = uniformity(j->starts, j->problem.n);
    double least = 1.0;
    printf("#   p: start cities %.2g;", starts);
    for (int part = 0; part < PARTS; part++)
        for (int order = 0; order < ORDERS; order++) {
            const double p = uniformity(j->count[part][order], BINS);
            static const char *const parts[PARTS] = {"first half", "middle", "last tenth"};
            printf(" %s by %s %.2g", parts[part], order ? "index" : "weight", p);
            least = fmin(least, p);
        }
    if (j->problem.nn) printf(" by candidate %.2g", evenness(j));
    printf("\n");
    if (j->problem.nn) least = fmin(least, evenness(j));
    return starts > least_p ? least : -1.0;
}

static bool passes(const ab_implementation *implementation, const tsp_instance *instance, int n_ants, way by)
{
    const size_t n = (size_t)instance->n;
    int32_t *nn_list = NULL;
    judgement j = {
        .problem = {.n = instance->n, .dist = instance->dist, .points = instance->points, .rule = instance->rule},
        .n_ants = by == ALL_ANTS ? 4 * n_ants : n_ants,
        .weight = malloc(n * n * sizeof(double)),
        .left = malloc(n * sizeof(double)),
        .tours = malloc((size_t)(4 * n_ants) * (n + 1) * sizeof(int32_t)),
        .starts = calloc(n, sizeof(double)),
        .random = 1};
    ab_status status = j.weight && j.left && j.tours && j.starts ? ab_ok() : ab_failed("out of memory");
    if (status.code == AB_OK && implementation->traits & TSP_CANDIDATES) {
        status = tsp_nearest_neighbours(&j.problem, CANDIDATES, &nn_list);
        j.problem.nn = CANDIDATES;
        j.problem.nn_list = nn_list;
    }
    if (status.code == AB_OK) status = judge(&j, implementation, by);
    bool good = false;
    if (status.code == AB_OK) {
        const double p = report(&j);
        good = implementation->traits & AB_EXACT ? p > least_p : p >= 0.0 && p < sure_p;
    } else {
        printf("#   %s\n", status.reason);
        good = status.code == AB_UNSUPPORTED && instance->n > SMALL;
    }
    free(j.weight);
    free(j.left);
    free(j.tours);
    free(j.starts);
    free(nn_list);
    return good;
}

/* Clustered, with its coordinates and its distances. */
static ab_status make_instance(int n, tsp_instance *instance)
{
    char name[16];
    snprintf(name, sizeof name, "c%d", n);
    AB_TRY(tsp_locate(name, instance));
    return tsp_compute_distances(name, instance->rule, instance->points, n, &instance->dist);
}

int main(int argc, char **argv)
{
    static const struct {
        int n, n_ants;
        bool gpu_alone, race_alone; /* the last: what of rows is in shared memory depends on who deposits (race.h) */
    } sizes[] = {{45, 600, false, false}, {100, 100, false, false}, {442, 442, true, false}, {1301, 40, true, true}};
    const bool gpu = argc > 1 && strcmp(argv[1], "cuda") == 0;
    const char *only = getenv("ANTBENCH_ONLY");
    size_t count;
    const ab_implementation *all = ab_registry(&count);
    int number = 0, failed = 0;
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        tsp_instance instance;
        if (sizes[size].gpu_alone && !gpu) continue;
        if (make_instance(sizes[size].n, &instance).code != AB_OK) return 1;
        for (size_t i = 0; i < count; i++) {
            if (strcmp(all[i].operation, "tsp") != 0 || (all[i].backend == AB_CUDA) != gpu) continue;
            if (only && *only && strcmp(all[i].id, only) != 0) continue;
            if (all[i].traits & AB_SEVERAL) continue; /* of one rank they are their part */
            if (sizes[size].race_alone && !(all[i].traits & TSP_RACE)) continue;
            const bool all_ways = sizes[size].race_alone || sizes[size].n == LESS_SHARED;
            const bool race = all[i].traits & TSP_RACE;
            const int ways = !race && !own(&all[i], "shared") ? 1 : all_ways ? WAYS : ALL_ANTS;
            for (int by = 0; by < ways; by++) {
                if (by == STREAMED && !race) continue;
                static const char *const names[WAYS] = {"", " streamed", " with every ant"};
                const bool good = passes(&all[i], &instance, sizes[size].n_ants, (way)by);
                failed += !good;
                printf("%s %d - %s%s on %s, %d cities, %s in proportion\n", good ? "ok" : "not ok", ++number, all[i].id,
                       names[by], ab_backend_name(all[i].backend), instance.n,
                       all[i].traits & AB_EXACT ? "chooses" : "does not choose");
                fflush(stdout);
            }
        }
        tsp_free(&instance);
    }
    printf("1..%d\n", number);
    if (gpu && number == 0) return 77;
    return failed ? 1 : 0;
}
