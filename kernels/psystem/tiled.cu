/* psystem/tiled: enhanced with its last log2(tile) divisions and the check-out in shared memory, in one kernel. A block
 * makes `tile` membranes from one that the first divisions, the block preprocessing, have made. So the membranes in
 * global memory are fewer by that factor. They lie side by side here; Fig. 1 leaves room between them for the others,
 * which never leave the block. Each thread makes one object of all membranes. In the check-out a warp takes a
 * membrane, a lane a clause. Kept: every membrane and its content after each division, as in enhanced. Limit: a tile
 * must fit into the shared memory of a block. Source: JSC §3.5, Fig. 1, Table 5.
 */
#include "kernels/cuda/warp.h"
#include "kernels/psystem/membranes.h"

enum { AUTO_TILE = 32 };

/* Divisions that are left to a block: all, where the piece has no more. */
static int block_levels(const ps_params *params, int levels)
{
    const int tile = params->tile ? params->tile : AUTO_TILE;
    int divisions = 0;
    while (divisions < levels && 2 << divisions <= tile) ++divisions;
    return divisions;
}

static int64_t rows(const ps_params *params, int levels)
{
    return INT64_C(1) << (levels - block_levels(params, levels));
}

/* Makes the first membranes of the blocks, as in enhanced: every `stride`-th of them is there already. */
static __global__ void preprocess_halves(ps_device device, int stride)
{
    const size_t q = (size_t)blockIdx.x * (size_t)stride;
    uint32_t *half = ps_row(device, q), *other_half = ps_row(device, q + (size_t)stride / 2);
    for (int l = (int)threadIdx.x; l < device.n_literals; l += (int)blockDim.x) {
        const uint32_t word = half[l];
        half[l] = ps_evolve(word, PS_PLUS);
        other_half[l] = ps_evolve(word, PS_MINUS);
    }
}

static ab_status preprocess(ps_membranes *membranes)
{
    const ps_device *device = &membranes->device;
    const int levels = device->levels - block_levels(&membranes->params, device->levels);
    for (int level = 1; level <= levels; ++level) {
        LAUNCH(preprocess_halves, 1 << (level - 1), membranes->block, 0)(*device, 1 << (levels - level + 1));
        AB_TRY(AB_LAUNCHED("preprocess_halves"));
    }
    return ab_ok();
}

/* Object l of all the block's membranes, from the first one's. */
static __device__ void generate_object(shared_array<uint32_t> tile, int n_literals, int l, int n_membranes)
{
    for (int stride = n_membranes; stride > 1; stride /= 2)
        for (int q = 0; q < n_membranes; q += stride) {
            const uint32_t word = tile[q * n_literals + l];
            tile[q * n_literals + l] = ps_evolve(word, PS_PLUS);
            tile[(q + stride / 2) * n_literals + l] = ps_evolve(word, PS_MINUS);
        }
}

/* Run by a warp: whether every clause has an r in the membrane. */
static __device__ bool check_out(const ps_device &device, shared_array<uint32_t> membrane, int lane)
{
    bool all = true;
    for (int i = lane; i < device.m; i += WARP_SIZE) {
        bool any = false;
        for (int l = device.first[i]; l < device.first[i + 1]; ++l) any |= ps_is_r(membrane[l]);
        all &= any;
    }
    return __all_sync(FULL_WARP, all);
}

static __global__ void generate_and_check_out(ps_device device, int n_membranes)
{
    SHARED_DYNAMIC(uint32_t, tile, 0, n_membranes * device.n_literals);
    const int thread = (int)threadIdx.x, lane = thread % WARP_SIZE, n_warps = (int)blockDim.x / WARP_SIZE;
    const uint32_t *first = ps_row(device, blockIdx.x);
    for (int l = thread; l < device.n_literals; l += (int)blockDim.x) {
        tile[l] = first[l];
        generate_object(tile, device.n_literals, l, n_membranes);
    }
    __syncthreads();
    unsigned long long satisfying = 0;
    for (int q = thread / WARP_SIZE; q < n_membranes; q += n_warps) {
        const bool all = check_out(device, tile + q * device.n_literals, lane);
        if (lane == 0) device.flags[(size_t)blockIdx.x * (size_t)n_membranes + (size_t)q] = all;
        satisfying += all;
    }
    if (lane == 0 && satisfying > 0) atomicAdd(device.satisfying, satisfying);
}

static size_t shared_bytes(const ps_membranes *membranes)
{
    const int divisions = block_levels(&membranes->params, membranes->device.levels);
    return ((size_t)membranes->device.n_literals << divisions) * sizeof(uint32_t);
}

static ab_status prepare(const ps_membranes *membranes)
{
    return device_allow_shared((const void *)generate_and_check_out, shared_bytes(membranes), -1);
}

static ab_status generate(ps_membranes *membranes)
{
    const ps_device *device = &membranes->device;
    const int divisions = block_levels(&membranes->params, device->levels);
    LAUNCH(generate_and_check_out, 1 << (device->levels - divisions), membranes->block, shared_bytes(membranes))
    (*device, 1 << divisions);
    return AB_LAUNCHED("generate_and_check_out");
}

static ab_status open(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ps_memory_rung rung = {2, {"preprocess", "generate"}, {preprocess, generate}, prepare, rows, false};
    return AB_GPU(ps_membranes_open)(&rung, formula, params, opened);
}

AB_RUNG(psystem_rung, psystem_tiled) = {.open = open};
