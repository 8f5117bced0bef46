/* Eight lanes per ant, one per neighbour, and no evaporation while the ants walk.
 *
 * Compared with a warp per ant no lane idles in the roulette, a lane compares four memory entries (one 16-byte load),
 * and a quarter of the warps suffice. Evaporation multiplies every pixel alike, so it can be postponed: the matrices
 * hold tau / (1 - rho)^k. A deposit of iteration k is scaled by (1 - rho)^-k, and the common factor cancels in the
 * roulette. Without a pass over the matrix, a deposit goes into both matrices. It goes at once into the one that is not
 * being read, and an iteration later, after they have swapped, into the other. A run of 50 iterations is 50 launches
 * and 2 passes over the matrix; the thesis's has 50 and 50. The matrix is settled before the scale passes MAX_SCALE,
 * for rho near 1 in every iteration. Weights too small for a float in the other rungs may still count here. Source:
 * this project.
 */
#include "kernels/cuda/warp.h"
#include "kernels/edge_ants/colony.h"

static const double MAX_SCALE = 4096.0;

/* The places around `position` that stand in the ant's memory: the same in its 8 lanes. */
static __device__ __forceinline__ unsigned search(const ea_device &colony, int ant, int position, int neighbour)
{
    const int4 entries = ((const int4 *)(colony.memory + (size_t)ant * EA_MEMORY))[neighbour];
    unsigned visited = ea_places(position, entries.x, colony.width) | ea_places(position, entries.y, colony.width) |
                       ea_places(position, entries.z, colony.width) | ea_places(position, entries.w, colony.width);
    for (int offset = 1; offset < EA_NEIGHBOURS; offset *= 2) visited |= __shfl_xor_sync(FULL_WARP, visited, offset);
    return visited;
}

/* The sum of `weight` over the ant's lanes up to this one. */
static __device__ __forceinline__ float scan(float weight, int neighbour)
{
    for (int offset = 1; offset < EA_NEIGHBOURS; offset *= 2) {
        const float below = __shfl_up_sync(FULL_WARP, weight, (unsigned)offset);
        if (neighbour >= offset) weight += below;
    }
    return weight;
}

/* The votes of the ant's lanes, of which `first` is the lowest. */
static __device__ __forceinline__ unsigned vote(bool mine, int first)
{
    return __ballot_sync(FULL_WARP, mine) >> first & ((1u << EA_NEIGHBOURS) - 1u);
}

/* late: what scales the deposit of the iteration before, which the secondary still lacks; 0 where it does not. */
static __global__ void ants_by_octet(ea_device colony, unsigned long long seed, int iteration, float scale, float late)
{
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x), neighbour = thread % EA_NEIGHBOURS;
    const int lane = thread % WARP_SIZE, first = lane - neighbour;
    if ((thread - lane) / EA_NEIGHBOURS >= colony.n_ants) return;
    const bool exists = thread / EA_NEIGHBOURS < colony.n_ants; /* a warp that has ants stays together: */
    const int ant = exists ? thread / EA_NEIGHBOURS : colony.n_ants - 1;
    const int position = colony.position[ant];
    const float neighbour_weight = weigh(colony, position, neighbour);
    const float weight = ea_among(search(colony, ant, position, neighbour), neighbour) ? 0.0f : neighbour_weight;
    const float4 random = draw(seed, ant, iteration);
    const float sum = scan(weight, neighbour);
    const float target = random.x * __shfl_sync(FULL_WARP, sum, first + EA_NEIGHBOURS - 1);
    const unsigned candidates = vote(weight > 0.0f, first), hits = vote(weight > 0.0f && sum >= target, first);
    if (!exists || neighbour != 0) return;
    const int winner = hits ? __ffs((int)hits) - 1 : WARP_SIZE - 1 - __clz((int)candidates);
    const float deposit = colony.visibility[position];
    if (late > 0.0f && deposit >= colony.min_visibility) atomicAdd(&colony.next_pheromone[position], late * deposit);
    enter(colony, ant, iteration,
          candidates ? ea_neighbour(position, winner, colony.width, colony.height) : random_pixel(colony, random),
          scale);
}

static ab_status move(const ea_device *colony, unsigned long long seed, int iteration, double scale, double late)
{
    const int threads = colony->block_threads, blocks = ceil_div(colony->n_ants, threads / EA_NEIGHBOURS);
    LAUNCH(ants_by_octet, blocks, threads, 0)(*colony, seed, iteration, (float)scale, (float)late);
    return AB_LAUNCHED("ants_by_octet");
}

static ab_status run(ea_device *colony, const ea_stretch *stretch)
{
    const double keep = (double)colony->keep;
    double scale = 1.0;   /* the primary holds scale times the pheromone */
    bool in_step = false; /* the secondary holds the same but for the deposits of the iteration before */
    for (int iteration = stretch->first; iteration <= stretch->last; ++iteration) {
        const double before = in_step ? scale : 0.0;
        if (scale > MAX_SCALE * keep) {
            AB_TRY(AB_GPU(ea_evaporate)(colony, (float)(keep / scale)));
            AB_TRY(move(colony, stretch->seed, iteration, 1.0, 0.0));
            scale = 1.0;
            in_step = false;
        } else {
            if (!in_step) AB_TRY(AB_GPU(ea_evaporate)(colony, 1.0f));
            scale /= keep;
            AB_TRY(move(colony, stretch->seed, iteration, scale, before));
            in_step = true;
        }
        ea_swap(colony);
    }
    if (scale == 1.0) return ab_ok();
    AB_TRY(AB_GPU(ea_evaporate)(colony, (float)(1.0 / scale)));
    ea_swap(colony);
    return ab_ok();
}

AB_RUNG(edge_ants_rung, edge_ants_octet) = {.run = run};
