/* The ants live on the chip: a run is one launch, between whose iterations the blocks meet at a barrier of the grid.
 *
 * A block keeps the positions and memories of its ants in shared memory for the whole run. It has eight lanes per ant,
 * and evaporation is folded into the deposits, as in octet.cu. It saves octet.cu's launch per iteration. While its
 * block waits at the barrier, an octet does the work of its first ant that does not depend on the pheromone. With two
 * matrices, in step as in octet.cu, an iteration has one barrier, which the last warp of a block keeps. With one
 * matrix, which all ants read before any deposits, it has two barriers but touches half of the sectors. That is better
 * for matrices larger than the L2 cache. If the device cannot hold all blocks at once, and on the host backend, an
 * iteration is a launch.
 *
 * Floor on an H100: 0.75 us per iteration at 512 x 512, a chain of latencies; 272 bytes per ant at 4096 x 4096.
 * Measured, and what else was tried: docs/log/images.md.
 * Source: this project.
 */
#include <math.h>

#include "kernels/cuda/grid_barrier.h"
#include "kernels/cuda/warp.h"
#include "kernels/edge_ants/colony.h"
#include "kernels/philox.h"

static const double MAX_SCALE = 4096.0;
enum {
    MAX_THREADS = 1024,
    SM_THREADS = 2048,
    TWO_MATRICES_PIXELS = 1 << 21
}; /* two matrices of so many pixels: 16 MiB */
enum { ENTRIES = EA_MEMORY / EA_NEIGHBOURS };

/* What a lane knows of its neighbour before it sees the pheromone. */
typedef struct outlook {
    int pixel;        /* row * width + column; any where the heuristic is 0 */
    float heuristic;  /* 0: outside of the image, or remembered */
    float visibility; /* visibility of the pixel, with two matrices */
    float spin;       /* the ant's random number for the roulette */
    int anywhere;     /* pixel of a relocation */
    float there;      /* the visibility of that, with two matrices */
} outlook;

/* The ants of a block. */
typedef struct crowd {
    int first, n;                /* the first ant; how many */
    shared_array<int4> entries;  /* [n][EA_NEIGHBOURS]: the memories */
    shared_array<int> positions; /* [n] */
    shared_array<float> entered; /* [n]: the visibilities of the positions, with two matrices */
} crowd;

/* What draw() of colony.h returns, of the one counter that an ant needs, without a generator's state. */
static __device__ __forceinline__ float4 draw_numbers(unsigned long long seed, int ant, int iteration)
{
    const uint32_t counter[4] = {(uint32_t)iteration, 0, (uint32_t)ant, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t bits[4];
    philox_numbers(counter, key, bits);
    return make_float4(philox_uniform(bits[0]), philox_uniform(bits[1]), philox_uniform(bits[2]),
                       philox_uniform(bits[3]));
}

static __device__ __forceinline__ outlook look(const ea_device &colony, const crowd &ants, unsigned long long seed,
                                               int ant, int iteration, bool with_visibility)
{
    const int neighbour = (int)threadIdx.x % EA_NEIGHBOURS, position = ants.positions[ant];
    const int pixel = ea_neighbour(position, neighbour, colony.width, colony.height);
    const int4 entries = ants.entries[ant * EA_NEIGHBOURS + neighbour];
    outlook seen = {max(pixel, 0), 0.0f, 0.0f, 0.0f, 0, 0.0f};
    if (pixel >= 0) seen.heuristic = colony.heuristic[pixel];
    if (with_visibility && pixel >= 0) seen.visibility = colony.visibility[pixel];
    unsigned visited = ea_places(position, entries.x, colony.width) | ea_places(position, entries.y, colony.width) |
                       ea_places(position, entries.z, colony.width) | ea_places(position, entries.w, colony.width);
    for (int offset = 1; offset < EA_NEIGHBOURS; offset *= 2) visited |= __shfl_xor_sync(FULL_WARP, visited, offset);
    if (ea_among(visited, neighbour)) seen.heuristic = 0.0f;
    const float4 random = draw_numbers(seed, ants.first + ant, iteration);
    seen.spin = random.x;
    seen.anywhere = random_pixel(colony, random);
    if (with_visibility) seen.there = colony.visibility[seen.anywhere];
    return seen;
}

/* An ant's next pixel and the visibility there; the same in all its lanes. */
typedef struct step {
    int pixel;
    float visibility;
} step;

/* `pheromone`: of the neighbour. */
static __device__ __forceinline__ step choose(const ea_device &colony, const outlook &seen, float pheromone,
                                              bool with_visibility)
{
    const int lane = (int)threadIdx.x % WARP_SIZE, neighbour = lane % EA_NEIGHBOURS, first = lane - neighbour;
    const float weight = seen.heuristic > 0.0f ? ea_power(pheromone, colony.alpha) * seen.heuristic : 0.0f;
    float sum = weight;
    for (int offset = 1; offset < EA_NEIGHBOURS; offset *= 2) {
        const float below = __shfl_up_sync(FULL_WARP, sum, (unsigned)offset);
        if (neighbour >= offset) sum += below;
    }
    const float target = seen.spin * __shfl_sync(FULL_WARP, sum, first + EA_NEIGHBOURS - 1);
    const unsigned octet = (1u << EA_NEIGHBOURS) - 1u;
    const unsigned candidates = __ballot_sync(FULL_WARP, weight > 0.0f) >> first & octet;
    const unsigned hits = __ballot_sync(FULL_WARP, weight > 0.0f && sum >= target) >> first & octet;
    const int winner = hits ? __ffs((int)hits) - 1 : candidates ? WARP_SIZE - 1 - __clz((int)candidates) : 0;
    const int pixel = __shfl_sync(FULL_WARP, seen.pixel, first + winner);
    step taken = {candidates ? pixel : seen.anywhere, 0.0f};
    if (with_visibility) {
        const float visibility = __shfl_sync(FULL_WARP, seen.visibility, first + winner);
        taken.visibility = candidates ? visibility : seen.there;
    }
    return taken;
}

static __device__ __forceinline__ void deposit(const ea_device &colony, float *matrix, int pixel, float visibility,
                                               float scale)
{
    if (visibility >= colony.min_visibility) atomicAdd(&matrix[pixel], scale * visibility);
}

/* Copies between the ants of a block and device memory. */
static __device__ __forceinline__ void load_ants(const ea_device &colony, const crowd &ants)
{
    const int4 *const memory = (const int4 *)colony.memory + (size_t)ants.first * EA_NEIGHBOURS;
    for (int i = (int)threadIdx.x; i < ants.n * EA_NEIGHBOURS; i += (int)blockDim.x) ants.entries[i] = memory[i];
    for (int i = (int)threadIdx.x; i < ants.n; i += (int)blockDim.x)
        ants.positions[i] = colony.position[ants.first + i];
}

static __device__ __forceinline__ void store_ants(const ea_device &colony, const crowd &ants)
{
    int4 *const memory = (int4 *)colony.memory + (size_t)ants.first * EA_NEIGHBOURS;
    for (int i = (int)threadIdx.x; i < ants.n * EA_NEIGHBOURS; i += (int)blockDim.x) memory[i] = ants.entries[i];
    for (int i = (int)threadIdx.x; i < ants.n; i += (int)blockDim.x)
        colony.position[ants.first + i] = ants.positions[i];
}

/* to = factor * from, all threads of the grid together. */
static __device__ __forceinline__ void scale_matrix(const ea_device &colony, const float *from, float *to, float factor)
{
    const int quads = ceil_div(colony.width * colony.height, 4), threads = (int)(gridDim.x * blockDim.x);
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < quads; i += threads) {
        const float4 tau = __ldcg((const float4 *)from + i);
        ((float4 *)to)[i] = make_float4(factor * tau.x, factor * tau.y, factor * tau.z, factor * tau.w);
    }
}

/* Threads of a block that have ants: with two matrices all but the last warp's, which keeps the barrier. Deposits must
 * have arrived before their block has, and a warp that waits for that and then looks ahead comes last. */
static __host__ __device__ __forceinline__ int walkers_of(int threads, bool two)
{
    return two && threads > WARP_SIZE ? threads - WARP_SIZE : threads;
}

/* Shared memory of an ant. */
static constexpr int ant_bytes(bool two)
{
    return (EA_MEMORY + 1 + (two ? 1 : 0)) * (int)sizeof(int);
}

/* TWO: two matrices, which swap after every iteration. Deposits of iteration first + k are scaled by growth^(k + 1).
 * At the end the matrix with the last deposits is multiplied by `settling`. A `settling` of 0 marks a single
 * iteration. Its deposits go unscaled into a secondary matrix that evaporation has written. The number per_block is
 * the ants per block in all blocks but the last. */
template <bool TWO>
static __global__ void __launch_bounds__(MAX_THREADS)
    walk(ea_device colony, ea_stretch stretch, int per_block, double growth, float settling)
{
    SHARED_DYNAMIC(int4, entries, 0, per_block * EA_NEIGHBOURS);
    SHARED_DYNAMIC(int, memory, 0, per_block *EA_MEMORY); /* the same */
    SHARED_DYNAMIC(int, positions, per_block *EA_MEMORY *(int)sizeof(int), per_block);
    SHARED_DYNAMIC(float, entered, per_block *(EA_MEMORY + 1) * (int)sizeof(int), TWO ? per_block : 0);
    const int first_ant = (int)blockIdx.x * per_block, walkers = walkers_of((int)blockDim.x, TWO);
    const int octets = walkers / EA_NEIGHBOURS, keeper = walkers < (int)blockDim.x ? walkers : 0;
    const crowd ants = {first_ant, min(per_block, colony.n_ants - first_ant), entries, positions, entered};
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE, of_warp = lane / EA_NEIGHBOURS;
    /* The warp's first ant: it stays together. */
    const int warp_ant = thread < walkers ? (thread - lane) / EA_NEIGHBOURS : ants.n;
    const int ant = min(warp_ant + of_warp, ants.n - 1);
    unsigned *const arrived = (unsigned *)colony.scratch;
    if (TWO && settling > 0.0f) scale_matrix(colony, colony.pheromone, colony.next_pheromone, 1.0f);
    load_ants(colony, ants);
    __syncthreads();

    double scale = growth;
    float now = (float)growth, late = 0.0f; /* of this iteration's deposits, and of those before: the secondary's */
    outlook seen = {};
    if (warp_ant < ants.n) seen = look(colony, ants, stretch.seed, ant, stretch.first, TWO);
    if (TWO && settling > 0.0f) meet_grid(arrived);
    for (int iteration = stretch.first;; ++iteration) {
        for (int next = warp_ant; next < ants.n; next += octets) {
            const int here = min(next + of_warp, ants.n - 1);
            const bool deposits = next + of_warp < ants.n && lane % EA_NEIGHBOURS == 0;
            if (next != warp_ant) seen = look(colony, ants, stretch.seed, here, iteration, TWO);
            const float pheromone = seen.heuristic > 0.0f ? __ldcg(colony.pheromone + seen.pixel) : 0.0f;
            if (TWO && deposits && late > 0.0f)
                deposit(colony, colony.next_pheromone, positions[here], entered[here], late);
            const step taken = choose(colony, seen, pheromone, TWO);
            __syncwarp(FULL_WARP);
            if (deposits) {
                if (TWO) deposit(colony, colony.next_pheromone, taken.pixel, taken.visibility, now);
                memory[here * EA_MEMORY + iteration % EA_MEMORY] = taken.pixel;
                positions[here] = taken.pixel;
                if (TWO) entered[here] = taken.visibility;
            }
            __syncwarp(FULL_WARP);
        }
        if (!TWO) {
            meet_grid(arrived);
            for (int i = thread; i < ants.n; i += (int)blockDim.x)
                deposit(colony, colony.pheromone, positions[i], colony.visibility[positions[i]], now);
        }
        if (settling == 0.0f) break;
        const bool ends = iteration == stretch.last;
        gather_block();
        late = now;
        scale *= growth;
        now = (float)scale;
        if (!ends && warp_ant < ants.n) seen = look(colony, ants, stretch.seed, ant, iteration + 1, TWO);
        if (thread == keeper) meet_blocks(arrived);
        gather_block();
        if (TWO) {
            float *const read = colony.pheromone;
            colony.pheromone = colony.next_pheromone;
            colony.next_pheromone = read;
        }
        if (ends) break;
    }
    if (settling > 0.0f) scale_matrix(colony, colony.pheromone, colony.pheromone, settling);
    __syncthreads();
    store_ants(colony, ants);
}

/* ---- Host ---- */

/* How a grid is cut. */
typedef struct cut {
    int blocks, per_block; /* ants of a block */
    bool together;         /* the device holds all blocks at once */
} cut;

typedef void walk_kernel(ea_device, ea_stretch, int, double, float);

/* As few ants per block as fill the device; one ant per octet if there are few. */
static ab_status cut_grid(const ea_device *colony, bool two, cut *chosen)
{
    walk_kernel *const kernel = two ? walk<true> : walk<false>;
    const int threads = colony->block_threads, octets = walkers_of(threads, two) / EA_NEIGHBOURS;
    const int wanted = ceil_div(colony->n_ants, octets);
    int device = 0, processors = 0, most_bytes = 0, cooperative = 0, fit = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CUDA_TRY(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    if (!cooperative) processors = 1; /* a grid of one block */
    for (int each = cooperative ? SM_THREADS / threads : 1; each > 0; --each) {
        const int per_block = ceil_div(colony->n_ants, min(wanted, each * processors));
        if (per_block > most_bytes / ant_bytes(two)) continue;
        *chosen = {ceil_div(colony->n_ants, per_block), per_block, true};
        AB_TRY(device_allow_shared((const void *)kernel, (size_t)(per_block * ant_bytes(two)), -1));
        CUDA_TRY(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, (size_t)(per_block * ant_bytes(two))));
        if (fit * processors >= chosen->blocks) return ab_ok();
    }
    *chosen = {wanted, octets, false};
    return device_allow_shared((const void *)kernel, (size_t)(octets * ant_bytes(two)), -1);
}

static ab_status launch(const ea_device *colony, const cut &grid, const ea_stretch *stretch, double growth,
                        float settling, bool two)
{
    walk_kernel *const kernel = two ? walk<true> : walk<false>;
    const size_t bytes = (size_t)(grid.per_block * ant_bytes(two));
    const int threads = colony->block_threads;
    if (grid.together)
        LAUNCH_TOGETHER(kernel, grid.blocks, threads, bytes)(*colony, *stretch, grid.per_block, growth, settling);
    else
        LAUNCH(kernel, grid.blocks, threads, bytes)(*colony, *stretch, grid.per_block, growth, settling);
    return AB_LAUNCHED("walk");
}

/* Iterations after which deposits would be scaled by more than MAX_SCALE. */
static int iterations_at_once(double keep)
{
    if (keep <= 0.0) return 0;
    return (int)fmin(log(MAX_SCALE) / fabs(log(keep)), 1e9); /* a keep of 1: infinity, hence 1e9 */
}

/* Iterations in one launch, and evaporation with them. */
static ab_status walk_on(ea_device *colony, const cut &grid, const ea_stretch *stretch, bool two)
{
    const double keep = (double)colony->keep;
    const int n = stretch->last - stretch->first + 1;
    AB_TRY(launch(colony, grid, stretch, 1.0 / keep, (float)pow(keep, n), two));
    if (two && n % 2 == 1) ea_swap(colony);
    return ab_ok();
}

/* One iteration in one launch, as the thesis has it. */
static ab_status walk_once(ea_device *colony, const cut &grid, unsigned long long seed, int iteration)
{
    const ea_stretch once = {seed, iteration, iteration};
    AB_TRY(AB_GPU(ea_evaporate)(colony, colony->keep));
    AB_TRY(launch(colony, grid, &once, 1.0, 0.0f, true));
    ea_swap(colony);
    return ab_ok();
}

static ab_status run(ea_device *colony, const ea_stretch *stretch)
{
    const int matrices = colony->matrices                                       ? colony->matrices
                         : colony->width * colony->height > TWO_MATRICES_PIXELS ? 1
                                                                                : 2;
    const int at_once = iterations_at_once((double)colony->keep);
    cut grid;
    AB_TRY(cut_grid(colony, matrices == 2, &grid));
    const bool together = grid.together && at_once > 0;
    if (together && matrices == 2) AB_PLAN("resident: a run in one launch, two matrices");
    if (together && matrices == 1) AB_PLAN("resident: a run in one launch, one matrix");
    if (!grid.together) AB_PLAN("resident: an iteration a launch, as the device does not hold all blocks");
    if (grid.together && !together) AB_PLAN("resident: an iteration a launch, as nothing stays");
    if (!together && matrices == 1) AB_TRY(cut_grid(colony, true, &grid));
    for (int next = stretch->first; next <= stretch->last;) {
        const int n = together ? min(at_once, stretch->last - next + 1) : 1;
        const ea_stretch part = {stretch->seed, next, next + n - 1};
        AB_TRY(together ? walk_on(colony, grid, &part, matrices == 2) : walk_once(colony, grid, part.seed, next));
        next += n;
    }
    return ab_ok();
}

static size_t scratch_bytes(const ea_problem *, const ea_params *)
{
    return sizeof(unsigned); /* size of the barrier */
}

AB_RUNG(edge_ants_rung, edge_ants_resident) = {.run = run, .scratch_bytes = scratch_bytes};
