/* Tour construction by task parallelism: one ant per thread, 16 ants per block or as the parameter `block` says.
 *
 * Each thread does what the CPU does (JPDC Algorithm 2). It copies a row of choice_info to its list of probabilities,
 * with 0 for visited cities, and adds them up. It walks along the list until the sum reaches its random number. The
 * lists of visited cities and of probabilities are in shared memory (JPDC §3.1.2, JSC §2.2). 16 ants per block need
 * little of it, and small blocks spread over the multiprocessors (§5.1.4). The threads are in different cities, so that
 * their loads of weights are 16 cache lines. With `readonly` they go through the read-only cache, once the texture
 * cache.
 *
 * Decided here: a visited city is a bit, and the ants' lists lie side by side, so that their accesses meet in no bank.
 * JPDC does not say what it did if the lists do not fit; here it is unsupported. Limit: 66 n bytes of shared memory for
 * 16 ants. Bound by latency: half a warp per block, and a chain of n additions, or 2 n, for each city chosen. Source:
 * JPDC §3.1.2, Fig. 1, §5.1.4; JSC §2.2, §5.1.
 */
#include "kernels/cuda/cuda_random.h"
#include "kernels/tsp/colony.h"

enum { BITS = 32 /* cities per word of the visited list */ };

/* Layout of the dynamic shared memory, in bytes. */
static size_t shared_bytes(int stride, int n_threads)
{
    return (size_t)n_threads * ((size_t)stride * sizeof(float) + (size_t)(stride / BITS) * sizeof(unsigned));
}

/* The list of probabilities of this thread's ant, in `from`, by Algorithm 2, lines 1 to 11; returns their sum. */
template <int N_THREADS, bool READ_ONLY>
static __device__ __forceinline__ float weigh_all(const float *row, int stride, shared_array<unsigned> unvisited,
                                                  shared_array<float> probability)
{
    float sum = 0.0f;
    for (int first = 0; first < stride; first += BITS) {
        const unsigned left = unvisited[first / BITS * N_THREADS];
#pragma unroll 8
        for (int i = 0; i < BITS; ++i) {
            float weight = 0.0f;
            if (left >> i & 1u) weight = READ_ONLY ? __ldg(&row[first + i]) : row[first + i];
            probability[(first + i) * N_THREADS] = weight;
            sum += weight;
        }
    }
    return sum;
}

/* Lines 12 to 18: the city at which the probabilities add up to r; -1 if all weigh 0. */
template <int N_THREADS> static __device__ __forceinline__ int spin(float r, int n, shared_array<float> probability)
{
    int chosen = -1;
    float walked = 0.0f;
    for (int city = 0; city < n && !(chosen >= 0 && walked >= r); ++city) {
        const float weight = probability[city * N_THREADS];
        if (weight > 0.0f) chosen = city;
        walked += weight;
    }
    return chosen;
}

/* The all-zero rule (tsp.h). */
template <int N_THREADS>
static __device__ int nearest_unvisited(const int *dist, int n, shared_array<unsigned> unvisited)
{
    unsigned long long nearest = ~0ull;
    for (int city = 0; city < n; ++city)
        if ((unvisited[city / BITS * N_THREADS] >> (city % BITS) & 1u) && city_key(dist[city], city) < nearest)
            nearest = city_key(dist[city], city);
    return (int)(unsigned)nearest;
}

template <int N_THREADS, bool READ_ONLY>
static __global__ void __launch_bounds__(N_THREADS, 1)
    task_thread(tsp_device colony, unsigned long long seed, unsigned iteration)
{
    const int n = colony.n, stride = colony.stride, words = stride / BITS, thread = (int)threadIdx.x;
    SHARED_DYNAMIC(float, probabilities, 0, stride *N_THREADS);                                       /* [stride][16] */
    SHARED_DYNAMIC(unsigned, lists, sizeof(float) * (size_t)(stride * N_THREADS), words * N_THREADS); /* [words][16] */
    const shared_array<float> probability = probabilities + thread; /* [stride], N_THREADS apart */
    const shared_array<unsigned> unvisited = lists + thread;        /* [words], likewise: a bit per city */
    const int ant = (int)blockIdx.x * N_THREADS + thread;
    if (ant >= colony.n_ants) return;

    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    long long length = 0;
    int last_edge = 0; /* added a step late, so that no step waits for its load */
    unsigned zero_weight_steps = 0;
    curandStatePhilox4_32_10_t random;
    curand_init(seed, ant_stream(colony, iteration, ant), 0, &random);
    for (int word = 0; word < words; ++word) unvisited[word * N_THREADS] = ~0u;

    int current = min((int)(curand_uniform(&random) * (float)n), n - 1);
    tour[0] = current;
    for (int step = 1; step < n; ++step) {
        const size_t row = (size_t)current * (size_t)stride;
        unvisited[current / BITS * N_THREADS] &= ~(1u << (current % BITS));
        const float sum = weigh_all<N_THREADS, READ_ONLY>(colony.choice_info + row, stride, unvisited, probability);
        int next = spin<N_THREADS>(curand_uniform(&random) * sum, n, probability);
        if (next < 0) {
            next = nearest_unvisited<N_THREADS>(colony.dist + row, n, unvisited);
            ++zero_weight_steps;
        }
        length += last_edge;
        last_edge = colony.dist[row + (size_t)next];
        tour[step] = current = next;
    }
    finish_tour(colony, ant, tour, current, length + last_edge, zero_weight_steps);
}

typedef void (*task_kernel)(tsp_device, unsigned long long, unsigned);

template <int N_THREADS> static task_kernel kernel_of(bool readonly)
{
    return readonly ? task_thread<N_THREADS, true> : task_thread<N_THREADS, false>;
}

/* What the rung has for itself. */
typedef struct own_params {
    int block;     /* ants of a block; 0: the usual */
    bool readonly; /* choice_info goes through the read-only cache, once the texture cache */
} own_params;

enum { USUAL_BLOCK = 16 }; /* JPDC's number (§5.1.4) */

AB_OWN_PARAMETERS(tsp_task_thread) = {
    {.name = "block",
     .help = "ants of a block of task-thread: 4, 8, 16, 32 or 64",
     .offset = TSP_OWN(own_params, block),
     .least = 4,
     .most = 64,
     .fallback = USUAL_BLOCK,
     .shown = AB_SHOWN_SET,
     .power_of_two = true},
    {.name = "readonly",
     .help = "task-thread reads choice_info through the read-only cache (texture)",
     .kind = AB_FLAG,
     .offset = TSP_OWN(own_params, readonly),
     .shown = AB_SHOWN_NONZERO},
    {},
};

static int block_of(const tsp_params *params)
{
    const int block = tsp_own<own_params>(params).block;
    return block ? block : USUAL_BLOCK;
}

static task_kernel kernel_for(const tsp_params *params)
{
    const bool readonly = tsp_own<own_params>(params).readonly;
    switch (block_of(params)) {
    case 4:
        return kernel_of<4>(readonly);
    case 8:
        return kernel_of<8>(readonly);
    case 32:
        return kernel_of<32>(readonly);
    case 64:
        return kernel_of<64>(readonly);
    default:
        return kernel_of<16>(readonly);
    }
}

static ab_status construct(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    const int threads = block_of(params);
    LAUNCH(kernel_for(params), ceil_div(colony->n_ants, threads), threads, shared_bytes(colony->stride, threads))
    (*colony, params->seed, iteration);
    return AB_LAUNCHED("task_thread");
}

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    const size_t bytes = shared_bytes(ceil_div(problem->n, BITS) * BITS, block_of(params));
    return device_allow_shared((const void *)kernel_for(params), bytes, params->carveout);
}

AB_RUNG(tsp_rung, tsp_task_thread) = {.construct = construct, .check = check};
