/* Is each city chosen as often as it should be, from each other one by itself? Of every AB_EXACT colony of the registry,
 * on the CPU and on the host backend; with the argument "cuda", and linked with the kernels, on the GPU
 * (scripts/check_gpu). Others must not pass. No test framework, so that it runs where none is installed: it speaks TAP.
 * ANTBENCH_ONLY=tsp/mine in the environment judges that implementation alone. Exit code 0, 1 where a test fails, 77
 * without a GPU.
 *
 * stat_test_tsp_choices.c adds up over cities; here nothing cancels (tests/support/city_counts.h). The pheromone is
 * fixed and evens out distances, so that far cities, the tails of rows, are chosen as often as near ones. The seed is
 * fixed too: what passes once passes always. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "instances/tsplib.h"
#include "tests/support/city_counts.h"

/* Cities: a CPU's rows have trees and groups of blocks where there are many. Choices: two million on a CPU, 90,000 on the
 * host backend, whose threads take turns on one core, 45 million on a GPU, a million of which are first steps. */
enum { FEW = 45, MANY = 300, CANDIDATES = 20, BATCH = 1024, GPU_TOURS = 1024 * BATCH, HOST_TOURS = 2 * BATCH };
enum { CPU_TOURS = 60 * BATCH, LONG_TOURS = 6 * BATCH };

static const double most = 6.0;   /* standard deviations of the sum, once in 10^9 by chance, */
static const double widest = 7.0; /* ... of one pair, of 2000 once in 10^9, */
static const double sure = 20.0;  /* ... and of the sum where choices are not in proportion */

/* An implementation; race once more with rows that are not in shared memory, few near cities, coordinates. */
typedef struct trial {
    const ab_implementation *it;
    int n; /* cities */
    bool streamed;
    ab_status status;
    bool good;
    city_verdict found[CITY_STEPS];
} trial;

/* Sets a parameter that the implementation has for itself; nothing where it has none of this name. */
static ab_status set_own(const ab_implementation *it, tsp_params *params, const char *name, const char *value)
{
    const ab_parameter *own = it->parameters ? ab_parameter_find(it->parameters, name, strlen(name)) : NULL;
    return own ? ab_parameter_set(own, value, params) : ab_ok();
}

/* Edges weigh between 1 and 25 over the root of their length, most of them little. */
static void lay_pheromone(const tsp_problem *problem, float *pheromone)
{
    const size_t n = (size_t)problem->n;
    uint64_t random = 7;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double length = problem->dist[i * n + j] + 0.1, u = random_unit(&random);
            const double tau = 1e-4 * length * sqrt(length) * (1.0 + 24.0 * u * u * u * u);
            pheromone[i * n + j] = pheromone[j * n + i] = i == j ? 0.0f : (float)tau;
        }
}

static ab_status count_tours(tsp_colony *colony, int n_tours, int32_t *tours, city_counts *counts)
{
    tsp_result result = {.tours = tours};
    for (int done = 0; done < n_tours; done += BATCH) {
        AB_TRY(colony->methods->poison(colony));
        AB_TRY(colony->work.methods->run_stage(&colony->work, TSP_CHOICE));
        AB_TRY(colony->work.methods->run_stage(&colony->work, TSP_CONSTRUCT));
        AB_TRY(colony->methods->read(colony, &result));
        AB_TRY(city_counts_add(counts, tours, BATCH));
    }
    return ab_ok();
}

static int tours_of(const trial *its)
{
    if (its->it->backend == AB_CUDA) return GPU_TOURS;
    if (its->it->backend == AB_HOST) return HOST_TOURS;
    return its->n == FEW ? CPU_TOURS : LONG_TOURS;
}

static ab_status count_colony(const trial *its, tsp_problem problem, float *pheromone, int32_t *tours,
                              city_counts *counts)
{
    const ab_implementation *it = its->it;
    tsp_params params = tsp_default_params(problem.n, TSP_BEST_ANT);
    ab_work *work = NULL;
    params.n_ants = BATCH;
    params.seed = 20261124;
    if (its->streamed) AB_TRY(set_own(it, &params, "block-ants", "3"));
    if (its->streamed) AB_TRY(set_own(it, &params, "near", "8"));
    if (!its->streamed) problem.points = NULL;
    lay_pheromone(&problem, pheromone);
    AB_TRY(city_counts_open(&problem, &params, pheromone, counts));
    AB_TRY(it->open(&problem, &params, &work));
    tsp_colony *colony = (tsp_colony *)work;
    ab_status status = colony->methods->write_pheromone(colony, pheromone);
    if (status.code == AB_OK) status = count_tours(colony, tours_of(its), tours, counts);
    work->methods->close(work);
    return status;
}

static bool judge(trial *its, const city_counts *counts)
{
    double sum = 0.0, worst = 0.0;
    for (int steps = 0; steps < CITY_STEPS; steps++) {
        its->found[steps] = city_counts_judge(counts, steps);
        sum = fmax(sum, its->found[steps].sum);
        worst = fmax(worst, its->found[steps].worst);
    }
    return its->it->traits & AB_EXACT ? sum < most && worst < widest : sum > sure;
}

static ab_status count_instance(const trial *its, const tsp_instance *instance, city_counts *counts)
{
    const size_t n = (size_t)its->n;
    int32_t *nn_list = NULL, *tours = malloc(BATCH * (n + 1) * sizeof *tours);
    float *pheromone = malloc(n * n * sizeof *pheromone);
    tsp_problem problem = {.n = its->n, .dist = instance->dist, .points = instance->points, .rule = instance->rule};
    ab_status status = tours && pheromone ? ab_ok() : ab_failed("out of memory");
    if (status.code == AB_OK && its->it->traits & TSP_CANDIDATES) {
        status = tsp_nearest_neighbours(&problem, CANDIDATES, &nn_list);
        problem.nn = CANDIDATES;
        problem.nn_list = nn_list;
    }
    if (status.code == AB_OK) status = count_colony(its, problem, pheromone, tours, counts);
    free(nn_list);
    free(pheromone);
    free(tours);
    return status;
}

static void pass(trial *its)
{
    tsp_instance instance;
    city_counts counts = {0};
    its->status = tsp_generate(TSP_UNIFORM, its->n, 11, &instance);
    if (its->status.code != AB_OK) return;
    its->status = count_instance(its, &instance, &counts);
    its->good = its->status.code == AB_OK && judge(its, &counts);
    city_counts_free(&counts);
    tsp_free(&instance);
}

static void report(const trial *its, int number)
{
    static const char *const of[CITY_STEPS] = {"first steps", "all"};
    for (int steps = 0; its->status.code == AB_OK && steps < CITY_STEPS; steps++) {
        const city_verdict *v = &its->found[steps];
        printf("#   %.0f choices in %s: %.1f standard deviations, of one city %.1f (%d after %d)\n", v->choices,
               of[steps], v->sum, v->worst, v->to, v->from);
    }
    if (its->status.code != AB_OK) printf("#   %s\n", its->status.reason);
    printf("%s %d - %s%s on %s, %d cities: each is %schosen in proportion\n", its->good ? "ok" : "not ok", number,
           its->it->id, its->streamed ? " streamed" : "", ab_backend_name(its->it->backend), its->n,
           its->it->traits & AB_EXACT ? "" : "not ");
    fflush(stdout);
}

/* Of all implementations, or the one that is asked for; *count of them. Those of several ranks are of one their part. */
static trial *list_trials(bool gpu, const char *only, int *count)
{
    size_t implementations;
    const ab_implementation *all = ab_registry(&implementations);
    trial *trials = calloc(2 * implementations, sizeof *trials);
    *count = 0;
    for (const ab_implementation *it = all; trials && it < all + implementations; it++) {
        if (strcmp(it->operation, "tsp") != 0 || (it->backend == AB_CUDA) != gpu || it->traits & AB_SEVERAL) continue;
        if (only && *only && strcmp(it->id, only) != 0) continue;
        trials[(*count)++] = (trial){.it = it, .n = FEW};
        if (it->traits & TSP_RACE) trials[(*count)++] = (trial){.it = it, .n = FEW, .streamed = true};
        if (it->backend == AB_CPU) trials[(*count)++] = (trial){.it = it, .n = MANY};
    }
    return trials;
}

int main(int argc, char **argv)
{
    const bool gpu = argc > 1 && strcmp(argv[1], "cuda") == 0;
    int count, failed = 0;
    trial *trials = list_trials(gpu, getenv("ANTBENCH_ONLY"), &count);
    if (!trials) return 1;
#pragma omp parallel for ordered schedule(dynamic) if (!gpu)
    for (int i = 0; i < count; i++) {
        pass(&trials[i]);
#pragma omp ordered
        {
            report(&trials[i], i + 1);
            failed += !trials[i].good;
        }
    }
    free(trials);
    printf("1..%d\n", count);
    if (gpu && count == 0) return 77;
    return failed ? 1 : 0;
}
