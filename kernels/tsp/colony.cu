/* A GPU colony: its device memory, and the pipeline choice_info -> construction -> evaporation -> deposit.
 *
 * Between construction and evaporation stands local search, where the parameters ask for it.
 * Every rung uses this and differs in its construction kernel, and where it says so in other steps. Launches are
 * asynchronous on the default stream; only read and read_pheromone wait for them.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/tsp/colony.h"
#include "kernels/tsp/team/team.h"

enum { MAX_ANTS = 1 << ANT_BITS, MAX_SEARCHED = 1 << 29 /* distance of cities: three of them add up in an int */ };

#ifdef __CUDACC__
static const ab_backend THIS_BACKEND = AB_CUDA;
#else
static const ab_backend THIS_BACKEND = AB_HOST;
#endif

typedef struct gpu_colony {
    tsp_colony base;
    tsp_device device;
    tsp_device visitor; /* one ant in the same colony: a tour that another part has found; from the first on */
    float *staged;      /* [n][stride] on the host's side: pheromone on its way to other parts; from the first on */
    device_memory memory;
    tsp_params params;
    const tsp_rung *rung;
    int *dist;          /* tsp_device.dist, or what stage "improve" has of a rung that goes by points */
    tsp_near *near;     /* [n][TSP_NEAR], for that stage; NULL without it, or if the rung has its own */
    tsp_max_min *plan;  /* plan of protocol=mmas, else NULL */
    int2 *links;        /* [n]: with it */
    bool weighed;       /* stage "choice" of the next iteration is done: the update did it (weighs_next) */
    unsigned iteration; /* constructions so far */
} gpu_colony;

static ab_status weigh_edges(const gpu_colony *colony)
{
    const tsp_rung *rung = colony->rung;
    if (colony->weighed) return ab_ok();
    AB_TRY(rung->choice ? rung->choice(&colony->device, &colony->params, colony->iteration)
                        : AB_GPU(tsp_choice_info)(&colony->device, (float)colony->params.alpha));
    return rung->prepare ? rung->prepare(&colony->device, &colony->params, colony->iteration) : ab_ok();
}

static ab_status construct(gpu_colony *colony)
{
    tsp_device *device = &colony->device;
    device->iteration_best = next_best(*device);
    colony->weighed = false;
    if (!colony->rung->resets_best)
        CUDA_TRY(cudaMemsetAsync(device->iteration_best, 0xff, sizeof *device->iteration_best));
    return colony->rung->construct(device, &colony->params, colony->iteration++);
}

static ab_status improve(const gpu_colony *colony)
{
    const tsp_rung *rung = colony->rung;
    const unsigned iteration = colony->iteration - 1;
    tsp_device with_distances = colony->device;
    with_distances.dist = colony->dist;
    if (rung->improve) return rung->improve(&colony->device, &colony->params, iteration);
    AB_TRY(AB_GPU(tsp_improve)(&with_distances, colony->near, colony->params.improve, INT_MAX));
    return rung->relink ? rung->relink(&colony->device, &colony->params, iteration) : ab_ok();
}

static ab_status update(gpu_colony *colony)
{
    const tsp_device *device = &colony->device;
    const tsp_params *params = &colony->params;
    if (colony->plan)
        return AB_GPU(tsp_limit_trails)(device, colony->plan, colony->links, params, colony->iteration - 1);
    colony->weighed = colony->rung->weighs_next;
    if (colony->rung->deposit) return colony->rung->deposit(device, params, colony->iteration - 1);
    AB_TRY(AB_GPU(tsp_evaporate)(device, (float)params->rho));
    return params->protocol == TSP_ALL_ANTS ? AB_GPU(tsp_deposit_all)(device) : AB_GPU(tsp_deposit_best)(device);
}

/* Stage "improve" stands, where there is one, between construct and update. */
static ab_status run_stage(ab_work *work, int stage)
{
    gpu_colony *colony = (gpu_colony *)work;
    if (stage == TSP_CHOICE) return weigh_edges(colony);
    if (stage == TSP_CONSTRUCT) return construct(colony);
    if (stage == work->methods->n_stages - 1) return update(colony);
    return improve(colony);
}

static void close_colony(ab_work *work)
{
    gpu_colony *colony = (gpu_colony *)work;
    if (!colony) return;
    device_free(&colony->memory);
    free(colony);
}

static ab_status read_colony(tsp_colony *base, tsp_result *result)
{
    const gpu_colony *colony = (const gpu_colony *)base;
    const tsp_device *device = &colony->device;
    const size_t n_ants = (size_t)device->n_ants, tour = (size_t)(device->n + 1);
    if (result->tours)
        CUDA_TRY(cudaMemcpy(result->tours, device->tours, n_ants * tour * sizeof(int), cudaMemcpyDeviceToHost));
    if (result->lengths)
        CUDA_TRY(cudaMemcpy(result->lengths, device->lengths, n_ants * sizeof(int64_t), cudaMemcpyDeviceToHost));
    if (result->best_tour)
        CUDA_TRY(cudaMemcpy(result->best_tour, device->best_tour, tour * sizeof(int), cudaMemcpyDeviceToHost));
    unsigned long long best = 0, zero_weight_steps = 0;
    CUDA_TRY(cudaMemcpy(&best, device->best, sizeof best, cudaMemcpyDeviceToHost));
    CUDA_TRY(
        cudaMemcpy(&zero_weight_steps, device->zero_weight_steps, sizeof zero_weight_steps, cudaMemcpyDeviceToHost));
    result->best_length = best == ~0ull ? INT64_MAX : (int64_t)(best >> ANT_BITS);
    result->zero_weight_steps = (int64_t)zero_weight_steps;
    result->iterations = colony->iteration;
    return ab_ok();
}

/* Multiplies the rows of a matrix by the rung's factors to this power. */
static ab_status multiply_by_factors(const gpu_colony *colony, float *matrix, int stride, double power)
{
    const tsp_device *device = &colony->device;
    if (!colony->rung->factors || !matrix) return ab_ok();
    const size_t n = (size_t)device->n;
    float *const factors = (float *)malloc(n * sizeof *factors);
    if (!factors) return ab_failed("out of memory: %zu factors", n);
    const cudaError_t error = cudaMemcpy(factors, colony->rung->factors(device, &colony->params), n * sizeof *factors,
                                         cudaMemcpyDeviceToHost);
    for (size_t i = 0; error == cudaSuccess && i < n; ++i) {
        const float factor = (float)tsp_power((double)factors[i], power);
        for (size_t j = 0; j < (size_t)stride; ++j) matrix[i * (size_t)stride + j] *= factor;
    }
    free(factors);
    CUDA_TRY(error);
    return ab_ok();
}

/* Makes all factors 1, before somebody else reads or writes the pheromone in device memory. */
static ab_status settle(const gpu_colony *colony)
{
    if (!colony->rung->factors) return ab_ok();
    return colony->rung->choice(&colony->device, &colony->params, colony->iteration);
}

static ab_status read_pheromone(tsp_colony *base, float *pheromone)
{
    const tsp_device *device = &((const gpu_colony *)base)->device;
    const size_t row = (size_t)device->n * sizeof(float), pitch = (size_t)device->stride * sizeof(float);
    CUDA_TRY(cudaMemcpy2D(pheromone, row, device->pheromone, pitch, row, (size_t)device->n, cudaMemcpyDeviceToHost));
    return multiply_by_factors((const gpu_colony *)base, pheromone, device->n, 1.0);
}

static ab_status write_pheromone(tsp_colony *base, const float *pheromone)
{
    gpu_colony *colony = (gpu_colony *)base;
    const tsp_device *device = &colony->device;
    colony->weighed = false;
    AB_TRY(settle(colony));
    const size_t row = (size_t)device->n * sizeof(float), pitch = (size_t)device->stride * sizeof(float);
    CUDA_TRY(cudaMemcpy2D(device->pheromone, pitch, pheromone, row, row, (size_t)device->n, cudaMemcpyHostToDevice));
    return ab_ok();
}

/* The same of a rung without matrices. */
static ab_status read_edges(tsp_colony *base, tsp_edges *edges)
{
    const gpu_colony *colony = (const gpu_colony *)base;
    return colony->rung->read_edges(&colony->device, &colony->params, edges);
}

static ab_status write_edges(tsp_colony *base, const tsp_edges *edges)
{
    const gpu_colony *colony = (const gpu_colony *)base;
    return colony->rung->write_edges(&colony->device, &colony->params, edges);
}

static ab_status read_spread(tsp_colony *base, float *pheromone)
{
    tsp_edges edges = {};
    const ab_status status = read_edges(base, &edges);
    if (status.code == AB_OK) tsp_edges_spread(&edges, ((const gpu_colony *)base)->device.n, pheromone);
    tsp_edges_free(&edges);
    return status;
}

static ab_status write_gathered(tsp_colony *base, const float *pheromone)
{
    tsp_edges edges = {};
    ab_status status = tsp_edges_gather(pheromone, ((const gpu_colony *)base)->device.n, &edges);
    if (status.code == AB_OK) status = write_edges(base, &edges);
    tsp_edges_free(&edges);
    return status;
}

static ab_status read_padded(tsp_colony *base, tsp_padded *padded)
{
    const gpu_colony *colony = (const gpu_colony *)base;
    const tsp_device *device = &colony->device;
    const size_t bytes = (size_t)device->n * (size_t)device->stride * sizeof(float);
    padded->stride = device->stride;
    padded->usual = !colony->rung->choice || colony->rung->same_weights;
    if (padded->pheromone) CUDA_TRY(cudaMemcpy(padded->pheromone, device->pheromone, bytes, cudaMemcpyDeviceToHost));
    if (padded->choice_info)
        CUDA_TRY(cudaMemcpy(padded->choice_info, device->choice_info, bytes, cudaMemcpyDeviceToHost));
    AB_TRY(multiply_by_factors(colony, padded->pheromone, device->stride, 1.0));
    return multiply_by_factors(colony, padded->choice_info, device->stride, colony->params.alpha);
}

static ab_status poison(tsp_colony *base)
{
    const tsp_device *device = &((const gpu_colony *)base)->device;
    const size_t n_ants = (size_t)device->n_ants;
    CUDA_TRY(cudaMemset(device->tours, 0xff, n_ants * (size_t)(device->n + 1) * sizeof(int)));
    CUDA_TRY(cudaMemset(device->lengths, 0xff, n_ants * sizeof(long long)));
    return ab_ok();
}

/* ---- As one of several (tsp_part_methods) ---- */

static ab_status wait_for_gpu(tsp_colony *)
{
    CUDA_TRY(cudaDeviceSynchronize());
    return ab_ok();
}

static ab_status stage_pheromone(gpu_colony *colony, size_t count)
{
    if (!colony->staged) AB_TRY(device_allocate_pinned(&colony->memory, &colony->staged, count));
    CUDA_TRY(cudaMemcpy(colony->staged, colony->device.pheromone, count * sizeof(float), cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status sum_pheromone(tsp_colony *base)
{
    gpu_colony *colony = (gpu_colony *)base;
    const tsp_device *device = &colony->device;
    const size_t count = (size_t)device->n * (size_t)device->stride;
    colony->weighed = false;
    AB_TRY(settle(colony));
    if (colony->params.transfer == RANKS_NCCL) return ranks_sum(device->pheromone, count, RANKS_NCCL);
    AB_TRY(ranks_join(stage_pheromone(colony, count)));
    AB_TRY(ranks_sum(colony->staged, count, RANKS_STAGED));
    CUDA_TRY(cudaMemcpyAsync(device->pheromone, colony->staged, count * sizeof(float), cudaMemcpyHostToDevice));
    return ab_ok();
}

static ab_status read_shortest(tsp_colony *base, int *ant, int64_t *length, int32_t *tour)
{
    const tsp_device *device = &((const gpu_colony *)base)->device;
    const size_t cities = (size_t)device->n + 1;
    unsigned long long key = 0;
    CUDA_TRY(cudaMemcpy(&key, device->iteration_best, sizeof key, cudaMemcpyDeviceToHost));
    *ant = (int)(key & (MAX_ANTS - 1));
    *length = (int64_t)(key >> ANT_BITS);
    if (*ant >= device->n_ants) return ab_failed("the iteration has no best ant");
    if (!tour) return ab_ok();
    CUDA_TRY(cudaMemcpy(tour, device->tours + (size_t)*ant * cities, cities * sizeof *tour, cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status allocate_visitor(gpu_colony *colony)
{
    tsp_device *visitor = &colony->visitor;
    AB_TRY(device_allocate(&colony->memory, &visitor->tours, (size_t)colony->device.n + 1));
    AB_TRY(device_allocate(&colony->memory, &visitor->lengths, 1));
    return device_allocate(&colony->memory, &visitor->iteration_best, 1);
}

static ab_status deposit_tour(tsp_colony *base, double rho, const int32_t *tour, int64_t length)
{
    gpu_colony *colony = (gpu_colony *)base;
    colony->weighed = false;
    if (!colony->visitor.iteration_best) AB_TRY(allocate_visitor(colony));
    AB_TRY(settle(colony));
    tsp_device one = colony->device;
    const long long its_length = length;
    const unsigned long long key = (unsigned long long)length << ANT_BITS;
    one.n_ants = 1;
    one.tours = colony->visitor.tours;
    one.lengths = colony->visitor.lengths;
    one.iteration_best = colony->visitor.iteration_best;
    CUDA_TRY(cudaMemcpy(one.tours, tour, ((size_t)one.n + 1) * sizeof *tour, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(one.lengths, &its_length, sizeof its_length, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(one.iteration_best, &key, sizeof key, cudaMemcpyHostToDevice));
    if (rho > 0.0) AB_TRY(AB_GPU(tsp_evaporate)(&one, (float)rho));
    return AB_GPU(tsp_deposit_best)(&one);
}

static const tsp_part_methods part_methods = {wait_for_gpu, sum_pheromone, read_shortest, deposit_tour};

static const ab_work_methods usual_methods = {TSP_STAGES, {"choice", "construct", "update"}, run_stage, close_colony};
static const ab_work_methods improving_methods = {
    TSP_STAGES + 1, {"choice", "construct", "improve", "update"}, run_stage, close_colony};
static const tsp_methods colony_methods = {read_colony, read_pheromone, write_pheromone, poison, read_padded,
                                           NULL,        NULL,           &part_methods};
static const tsp_methods sparse_methods = {read_colony, read_spread, write_gathered, poison,
                                           NULL,        read_edges,  write_edges,    NULL};

/* ---- Opening ---- */

static ab_status allocate_tours(gpu_colony *colony)
{
    tsp_device *device = &colony->device;
    device_memory *memory = &colony->memory;
    const size_t n_ants = (size_t)device->n_ants;
    AB_TRY(device_allocate(memory, &device->tours, n_ants * (size_t)(device->n + 1)));
    AB_TRY(device_allocate(memory, &device->lengths, n_ants));
    AB_TRY(device_allocate(memory, &device->best_tour, (size_t)device->n + 1));
    AB_TRY(device_allocate(memory, &device->iteration_best, 3));
    AB_TRY(device_allocate(memory, &device->zero_weight_steps, 1));
    device->best = device->iteration_best + 2;
    CUDA_TRY(cudaMemset(device->best_tour, 0xff, ((size_t)device->n + 1) * sizeof *device->best_tour));
    CUDA_TRY(cudaMemset(device->iteration_best, 0xff, 3 * sizeof *device->iteration_best));
    CUDA_TRY(cudaMemset(device->zero_weight_steps, 0, sizeof *device->zero_weight_steps));
    return poison(&colony->base);
}

/* Copies an [n][n] matrix of 4-byte values to the device, with the rows `stride` long and the padding as it is there.
 */
static ab_status upload(void *to, const void *from, int n, int stride)
{
    CUDA_TRY(
        cudaMemcpy2D(to, (size_t)stride * 4, from, (size_t)n * 4, (size_t)n * 4, (size_t)n, cudaMemcpyHostToDevice));
    return ab_ok();
}

/* Uploads the heuristic and the initial pheromone, one after the other, from one array. */
static ab_status upload_weights(const tsp_problem *problem, const tsp_params *params, float *heuristic,
                                float *pheromone, int stride)
{
    const size_t n = (size_t)problem->n;
    double initial;
    AB_TRY(tsp_initial_pheromone(problem, params->rho, &initial));
    float *values = (float *)malloc(n * n * sizeof(float));
    if (!values) return ab_failed("out of memory: %zu MiB for the weights", n * n * sizeof(float) >> 20);
    tsp_heuristic(problem, params->beta, values);
    ab_status status = upload(heuristic, values, problem->n, stride);
    for (size_t i = 0; i < n * n; ++i) values[i] = (float)initial;
    if (status.code == AB_OK) status = upload(pheromone, values, problem->n, stride);
    free(values);
    return status;
}

/* The candidate sets with their rows filled up to nn_stride; nothing for a problem without. */
static ab_status upload_candidates(gpu_colony *colony, const tsp_problem *problem)
{
    tsp_device *device = &colony->device;
    if (problem->nn == 0) return ab_ok();
    const size_t n = (size_t)device->n, nn = (size_t)problem->nn, stride = (size_t)device->nn_stride;
    int *on_device = NULL;
    AB_TRY(device_allocate(&colony->memory, &on_device, n * stride));
    device->nn_list = on_device;
    int *padded = (int *)malloc(n * stride * sizeof *padded);
    if (!padded) return ab_failed("out of memory: %zu MiB for the candidate sets", n * stride * sizeof *padded >> 20);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < stride; ++k) padded[i * stride + k] = k < nn ? problem->nn_list[i * nn + k] : (int)i;
    const cudaError_t error = cudaMemcpy(on_device, padded, n * stride * sizeof *padded, cudaMemcpyHostToDevice);
    free(padded);
    CUDA_TRY(error);
    return ab_ok();
}

static ab_status initialise_distances(gpu_colony *colony, const tsp_problem *problem)
{
    const tsp_device *device = &colony->device;
    const size_t matrix = (size_t)device->n * (size_t)device->stride;
    AB_TRY(device_allocate(&colony->memory, &colony->dist, matrix));
    CUDA_TRY(cudaMemset(colony->dist, 0, matrix * sizeof *colony->dist));
    return upload(colony->dist, problem->dist, device->n, device->stride);
}

static ab_status initialise_weights(gpu_colony *colony, const tsp_problem *problem)
{
    tsp_device *device = &colony->device;
    const size_t matrix = (size_t)device->n * (size_t)device->stride, bytes = matrix * sizeof(float);
    float *heuristic = NULL;
    AB_TRY(device_allocate(&colony->memory, &heuristic, matrix));
    AB_TRY(device_allocate(&colony->memory, &device->pheromone, matrix));
    AB_TRY(device_allocate(&colony->memory, &device->choice_info, matrix));
    CUDA_TRY(cudaMemset(heuristic, 0, bytes));
    CUDA_TRY(cudaMemset(device->pheromone, 0, bytes));
    CUDA_TRY(cudaMemset(device->choice_info, 0xff, bytes)); /* NaN: stage "choice" writes all of it, or is found out */
    device->heuristic = heuristic;
    AB_TRY(upload_weights(problem, &colony->params, heuristic, device->pheromone, device->stride));
    return upload_candidates(colony, problem);
}

/* The usual stage "improve" is asked for. */
static bool improves(const tsp_rung *rung, const tsp_params *params)
{
    return params->improve != TSP_IMPROVE_NONE && !rung->improve;
}

static ab_status check_searched(const tsp_problem *problem)
{
    const size_t n = (size_t)problem->n;
    AB_TRY(tsp_check_matrix(problem));
    for (size_t k = 0; k < n * n; ++k)
        if (problem->dist[k] >= MAX_SEARCHED)
            return ab_unsupported("improve needs distances below %d, one is %d", MAX_SEARCHED, problem->dist[k]);
    return ab_ok();
}

static ab_status initialise_near(gpu_colony *colony, const tsp_problem *problem)
{
    const size_t n = (size_t)problem->n, count = (size_t)(problem->n > TSP_NEAR ? TSP_NEAR : problem->n - 1);
    int32_t *list = NULL;
    AB_TRY(device_allocate(&colony->memory, &colony->near, n * TSP_NEAR));
    tsp_near *near = (tsp_near *)malloc(n * TSP_NEAR * sizeof *near);
    ab_status status = near ? ab_ok() : ab_failed("out of memory: %zu cities", n);
    if (status.code == AB_OK) status = tsp_nearest_neighbours(problem, (int)count, &list);
    for (size_t i = 0; status.code == AB_OK && i < n * TSP_NEAR; ++i) {
        const size_t city = i / TSP_NEAR, k = i % TSP_NEAR;
        const int to = k < count ? list[city * count + k] : (int)city;
        near[i] = {to, k < count ? tsp_distance(problem, (int)city, to) : (int)TSP_NO_CITY};
    }
    cudaError_t error = cudaSuccess;
    if (status.code == AB_OK)
        error = cudaMemcpy(colony->near, near, n * TSP_NEAR * sizeof *near, cudaMemcpyHostToDevice);
    free(list);
    free(near);
    CUDA_TRY(error);
    return status;
}

static ab_status initialise_plan(gpu_colony *colony)
{
    AB_TRY(device_allocate(&colony->memory, &colony->plan, 1));
    AB_TRY(device_allocate(&colony->memory, &colony->links, (size_t)colony->device.n));
    CUDA_TRY(cudaMemset(colony->plan, 0, sizeof *colony->plan));
    return ab_ok();
}

static ab_status initialise(gpu_colony *colony, const tsp_problem *problem)
{
    const bool sparse = colony->rung->read_edges != NULL, by_points = sparse && problem->points;
    const bool searched = improves(colony->rung, &colony->params);
    AB_TRY(allocate_tours(colony));
    if (!by_points || searched) AB_TRY(initialise_distances(colony, problem));
    if (!by_points) colony->device.dist = colony->dist;
    if (searched) AB_TRY(initialise_near(colony, problem));
    if (colony->params.protocol == TSP_MAX_MIN) AB_TRY(initialise_plan(colony));
    return sparse ? ab_ok() : initialise_weights(colony, problem);
}

static ab_status begin_rung(gpu_colony *colony, const tsp_problem *problem)
{
    const tsp_rung *rung = colony->rung;
    if (rung->scratch_bytes) {
        const size_t bytes = rung->scratch_bytes(problem, &colony->params);
        AB_TRY(device_allocate_bytes(&colony->memory, &colony->device.scratch, bytes));
    }
    return rung->begin ? rung->begin(&colony->device, problem, &colony->params) : ab_ok();
}

extern "C" ab_status AB_GPU(tsp_open)(const tsp_rung *rung, const tsp_problem *problem, const tsp_params *params,
                                      tsp_colony **opened)
{
    AB_TRY(tsp_check(problem, params));
    if (rung->way) return tsp_team_open(rung->way, rung->part, THIS_BACKEND, problem, params, opened);
    if (params->n_ants > MAX_ANTS) return ab_unsupported("needs n_ants <= %d, not %d", MAX_ANTS, params->n_ants);
    if (!rung->read_edges || !problem->points) AB_TRY(tsp_check_matrix(problem));
    if (improves(rung, params)) AB_TRY(check_searched(problem));
    if (rung->read_edges) AB_TRY(tsp_check_no_limits(params));
    if (rung->check) AB_TRY(rung->check(problem, params));
    gpu_colony *colony = (gpu_colony *)calloc(1, sizeof *colony);
    if (!colony) return ab_failed("out of memory");
    colony->base.work.methods = rung->improve || improves(rung, params) ? &improving_methods : &usual_methods;
    colony->base.methods = rung->read_edges ? &sparse_methods : &colony_methods;
    colony->device.n = problem->n;
    colony->device.n_ants = params->n_ants;
    colony->device.first_ant = params->first_ant;
    colony->device.all_ants = params->all_ants ? params->all_ants : params->n_ants;
    colony->device.stride = ceil_div(problem->n, 32) * 32;
    colony->device.nn = problem->nn;
    colony->device.nn_stride = ceil_div(problem->nn, 32) * 32;
    colony->params = *params;
    colony->rung = rung;
    ab_status status = initialise(colony, problem);
    if (status.code == AB_OK) status = begin_rung(colony, problem);
    if (status.code == AB_OK)
        *opened = &colony->base;
    else
        close_colony(&colony->base.work);
    return status;
}
