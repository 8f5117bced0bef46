/* The device memory of the rungs that keep membranes in memory, and the pieces that a run takes where they do not fit
 * (kernels/psystem/membranes.h). */
#include <stdlib.h>
#include <string.h>

#include "kernels/psystem/membranes.h"

enum { MOST_LEVELS = 30 /* 2^30 blocks in a grid */ };

typedef struct gpu_system {
    ps_system base;
    ps_membranes membranes;
    device_memory memory;
    const ps_memory_rung *rung;
    ab_work_methods methods; /* the rung's stages, or one for all pieces */
} gpu_system;

/* ---- Pieces ---- */

/* The result of p divisions, with the charges of the piece's number, for a literal. For an r it includes the index
 * as it is at the next division: 2 when the r is made, then 2 more per division. */
static __host__ __device__ uint32_t after_divisions(uint32_t word, unsigned long long piece, int p)
{
    const uint32_t kind = word >> PS_KIND_SHIFT, j = word & PS_INDEX_MASK;
    if (j > (uint32_t)p) return word - (uint32_t)p;
    const uint32_t charge = piece >> ((uint32_t)p - j) & 1 ? PS_MINUS : PS_PLUS;
    if (kind != charge) return 0;
    return (uint32_t)PS_KIND_R << PS_KIND_SHIFT | (word & PS_CLAUSE_MASK << PS_CLAUSE_SHIFT) |
           (2 + 2 * ((uint32_t)p - j));
}

static __global__ void begin_piece(ps_device device, unsigned long long piece)
{
    for (int l = (int)threadIdx.x; l < device.n_literals; l += (int)blockDim.x)
        device.objects[l] = after_divisions(device.code[l], piece, device.n - device.levels);
    if (threadIdx.x != 0) return;
    if (piece == 0) *device.satisfying = 0;
    if (device.control == NULL) return;
    device.charges[0] = PS_NEUTRAL;
    device.control[0] = device.n - device.levels + 1;
    *device.skin = 0;
}

/* Each membrane that the CPU has made, a block, to its place among the 2^levels. */
static __global__ void place_membranes(ps_device device, const uint32_t *words, int stride)
{
    const uint32_t *from = words + (size_t)blockIdx.x * (size_t)device.n_literals;
    uint32_t *row = ps_row(device, (size_t)blockIdx.x * (size_t)stride);
    for (int l = (int)threadIdx.x; l < device.n_literals; l += (int)blockDim.x) row[l] = from[l];
}

/* The first divisions of a piece on the CPU, as ps_device has them on the GPU: the second half of a membrane comes
 * `stride` / 2 behind the first. */
static void divide_on_cpu(const ps_membranes *membranes, uint64_t piece)
{
    const ps_device *device = &membranes->device;
    const size_t n_literals = (size_t)device->n_literals, made = (size_t)1 << membranes->begun;
    uint32_t *const words = membranes->host_words;
    const uint32_t *const code = words + made * n_literals;
    for (size_t l = 0; l < n_literals; ++l) words[l] = after_divisions(code[l], piece, device->n - device->levels);
    for (size_t stride = made; stride > 1; stride /= 2)
        for (size_t q = 0; q < made; q += stride) {
            uint32_t *const half = words + q * n_literals, *const other_half = half + stride / 2 * n_literals;
            for (size_t l = 0; l < n_literals; ++l) {
                const uint32_t word = half[l];
                half[l] = ps_evolve(word, PS_PLUS);
                other_half[l] = ps_evolve(word, PS_MINUS);
            }
        }
}

/* Waits for the GPU first: its clock has to see the CPU's time, and the words are read until then. */
static ab_status begin_on_cpu(const ps_membranes *membranes, uint64_t piece)
{
    const size_t made = (size_t)1 << membranes->begun;
    const size_t bytes = made * (size_t)membranes->device.n_literals * sizeof *membranes->host_words;
    CUDA_TRY(cudaDeviceSynchronize());
    divide_on_cpu(membranes, piece);
    CUDA_TRY(cudaMemcpy(membranes->begun_words, membranes->host_words, bytes, cudaMemcpyHostToDevice));
    LAUNCH(place_membranes, (int)made, membranes->block, 0)
    (membranes->device, membranes->begun_words, 1 << (membranes->device.levels - membranes->begun));
    return AB_LAUNCHED("place_membranes");
}

static ab_status start(gpu_system *system, uint64_t piece)
{
    ps_membranes *membranes = &system->membranes;
    if (piece == 0) membranes->counted = 0;
    LAUNCH(begin_piece, 1, membranes->block, 0)(membranes->device, piece);
    AB_TRY(AB_LAUNCHED("begin_piece"));
    return membranes->begun > 0 ? begin_on_cpu(membranes, piece) : ab_ok();
}

static ab_status run_whole(ab_work *work, int stage)
{
    gpu_system *system = (gpu_system *)work;
    if (stage == 0) AB_TRY(start(system, 0));
    return system->rung->run[stage](&system->membranes);
}

static ab_status run_pieces(ab_work *work, int)
{
    gpu_system *system = (gpu_system *)work;
    const ps_device *device = &system->membranes.device;
    for (uint64_t piece = 0; piece < UINT64_C(1) << (device->n - device->levels); ++piece) {
        AB_TRY(start(system, piece));
        for (int stage = 0; stage < system->rung->n_stages; ++stage)
            AB_TRY(system->rung->run[stage](&system->membranes));
    }
    return ab_ok();
}

/* ---- Reading ---- */

static ab_status result(ps_system *base, ps_result *found)
{
    const ps_membranes *membranes = &((const gpu_system *)base)->membranes;
    unsigned long long satisfying = 0;
    CUDA_TRY(cudaMemcpy(&satisfying, membranes->device.satisfying, sizeof satisfying, cudaMemcpyDeviceToHost));
    satisfying += membranes->counted;
    *found = ps_result{satisfying > 0, satisfying, ps_steps(membranes->device.n, membranes->device.m)};
    return ab_ok();
}

static ab_status poison(ps_system *base)
{
    ps_membranes *membranes = &((gpu_system *)base)->membranes;
    const ps_device *device = &membranes->device;
    membranes->counted = UINT64_MAX;
    CUDA_TRY(cudaMemset(device->flags, 0xff, (size_t)1 << device->levels));
    CUDA_TRY(cudaMemset(device->satisfying, 0xff, sizeof *device->satisfying));
    if (device->skin) CUDA_TRY(cudaMemset(device->skin, 0xff, sizeof *device->skin));
    return ab_ok();
}

static ab_status read_flags(ps_system *base, uint8_t *flags)
{
    const ps_device *device = &((const gpu_system *)base)->membranes.device;
    if (device->levels < device->n) return ab_unsupported("the membranes were in memory a piece at a time");
    CUDA_TRY(cudaMemcpy(flags, device->flags, (size_t)1 << device->levels, cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status read_words(ps_system *base, uint32_t *words)
{
    const ps_device *device = &((const gpu_system *)base)->membranes.device;
    if (device->levels < device->n) return ab_unsupported("the membranes were in memory a piece at a time");
    const size_t bytes = ((size_t)device->n_literals << device->levels) * sizeof *words;
    CUDA_TRY(cudaMemcpy(words, device->objects, bytes, cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status read_skin(ps_system *base, uint64_t *objects)
{
    const ps_device *device = &((const gpu_system *)base)->membranes.device;
    if (device->levels < device->n) return ab_unsupported("the membranes were in memory a piece at a time");
    unsigned long long found = 0;
    CUDA_TRY(cudaMemcpy(&found, device->skin, sizeof found, cudaMemcpyDeviceToHost));
    *objects = found;
    return ab_ok();
}

/* ---- Opening ---- */

static void close_system(ab_work *work)
{
    gpu_system *system = (gpu_system *)work;
    if (!system) return;
    device_free(&system->memory);
    free(system);
}

/* All memory that depends on how many membranes a piece has. AB_UNSUPPORTED where there is too little; what was
 * allocated by then is freed. */
static ab_status allocate_piece(gpu_system *system)
{
    ps_membranes *membranes = &system->membranes;
    ps_device *device = &membranes->device;
    const size_t rows = (size_t)system->rung->rows(&membranes->params, device->levels);
    const size_t all = (size_t)1 << device->levels;
    ab_status status = device_allocate(&system->memory, &device->objects, rows * (size_t)device->n_literals + 1);
    if (status.code == AB_OK) status = device_allocate(&system->memory, &device->flags, all);
    if (system->rung->has_control) {
        if (status.code == AB_OK) status = device_allocate(&system->memory, &device->charges, all);
        if (status.code == AB_OK) status = device_allocate(&system->memory, &device->control, all);
        if (status.code == AB_OK) status = device_allocate(&system->memory, &device->skin, 1);
        if (status.code == AB_OK) status = device_allocate_pinned(&system->memory, &membranes->host_flags, all);
    }
    if (system->rung->begun > 0) {
        membranes->begun = min(system->rung->begun, device->levels);
        const size_t words = ((size_t)1 << membranes->begun) * (size_t)device->n_literals;
        const size_t with_code = words + (size_t)device->n_literals;
        if (status.code == AB_OK) status = device_allocate(&system->memory, &membranes->begun_words, words + 1);
        if (status.code == AB_OK)
            status = device_allocate_pinned(&system->memory, &membranes->host_words, with_code + 1);
    }
    if (status.code != AB_OK) device_free(&system->memory);
    return status;
}

/* Chooses as many divisions as fit. */
static ab_status choose_piece(gpu_system *system, int levels)
{
    ab_status status = ab_failed("no piece");
    for (system->membranes.device.levels = levels; system->membranes.device.levels >= 0;
         --system->membranes.device.levels) {
        status = allocate_piece(system);
        if (status.code != AB_UNSUPPORTED) return status;
    }
    return status;
}

static ab_status upload(gpu_system *system, const cnf_formula *formula)
{
    ps_device *device = &system->membranes.device;
    const size_t n_literals = (size_t)formula->n_literals, n_first = (size_t)formula->m + 1;
    uint32_t *code = NULL;
    int *first = NULL;
    AB_TRY(device_allocate(&system->memory, &code, n_literals + 1));
    AB_TRY(device_allocate(&system->memory, &first, n_first));
    AB_TRY(device_allocate(&system->memory, &device->satisfying, 1));
    uint32_t *words = (uint32_t *)malloc((n_literals + 1) * sizeof *words);
    if (!words) return ab_failed("out of memory for %zu literals", n_literals);
    ps_encode(formula, words);
    if (system->rung->begun > 0) {
        uint32_t *kept = system->membranes.host_words + (n_literals << system->membranes.begun);
        memcpy(kept, words, n_literals * sizeof *words);
    }
    const cudaError_t error = cudaMemcpy(code, words, n_literals * sizeof *words, cudaMemcpyHostToDevice);
    free(words);
    CUDA_TRY(error);
    CUDA_TRY(cudaMemcpy(first, formula->first, n_first * sizeof *first, cudaMemcpyHostToDevice));
    device->code = code;
    device->first = first;
    return ab_ok();
}

/* Threads of a block: whole warps, one thread per literal if a block can have so many. */
static int block_for(int n_literals)
{
    const int threads = ceil_div(n_literals, 32) * 32;
    return threads < 32 ? 32 : threads > 1024 ? 1024 : threads;
}

/* The stages of the rung where all membranes are in one piece; else one, of all pieces. */
static void set_methods(gpu_system *system)
{
    const ps_memory_rung *rung = system->rung;
    system->methods = ab_work_methods{1, {"pieces"}, run_pieces, close_system};
    if (system->membranes.device.levels == system->membranes.device.n) {
        system->methods.n_stages = rung->n_stages;
        for (int i = 0; i < rung->n_stages; ++i) system->methods.stage_names[i] = rung->stage_names[i];
        system->methods.run_stage = run_whole;
    }
    system->base.work.methods = &system->methods;
}

extern "C" ab_status AB_GPU(ps_membranes_open)(const ps_memory_rung *rung, const cnf_formula *formula,
                                               const ps_params *params, ps_system **opened)
{
    static const ps_methods all_kept = {result, poison, read_flags, read_words, NULL, NULL};
    static const ps_methods all_counted = {result, poison, read_flags, read_words, NULL, read_skin};
    static const ps_methods some_kept = {result, poison, read_flags, NULL, NULL, NULL};
    gpu_system *system = (gpu_system *)calloc(1, sizeof *system);
    if (!system) return ab_failed("out of memory");
    ps_membranes *membranes = &system->membranes;
    system->rung = rung;
    membranes->params = *params;
    membranes->device.n = formula->n;
    membranes->device.m = formula->m;
    membranes->device.n_literals = formula->n_literals;
    membranes->block = params->block ? params->block : block_for(formula->n_literals);
    ab_status status = choose_piece(system, min(min(formula->n, params->piece), (int)MOST_LEVELS));
    if (status.code == AB_OK) status = upload(system, formula);
    if (status.code == AB_OK && rung->prepare) status = rung->prepare(membranes);
    set_methods(system);
    const bool keeps_all = rung->rows(params, formula->n) == INT64_C(1) << formula->n;
    system->base.methods = rung->has_control ? &all_counted : keeps_all ? &all_kept : &some_kept;
    if (status.code == AB_OK)
        *opened = &system->base;
    else
        close_system(&system->base.work);
    return status;
}

extern "C" ab_status AB_GPU(psystem_open)(const psystem_rung *rung, const cnf_formula *formula, const ps_params *params,
                                          ps_system **opened)
{
    AB_TRY(ps_check(params));
    AB_TRY(ps_check_formula(formula));
    return rung->open(formula, params, opened);
}
