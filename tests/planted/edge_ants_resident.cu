/* edge-ants/resident itself, right as it stands and wrong in one way for each planted fault: verification, or the comparison
 * of walks, must find every one (tests/kernels/edges/test_edge_ants.c). */
#include "kernels/cuda/grid_barrier.h"

static bool blocks_meet = true;

static __device__ void gather_if_right()
{
    if (blocks_meet) gather_block();
}

static __device__ void meet_if_right(unsigned *arrived)
{
    if (blocks_meet) meet_grid(arrived);
}

#define gather_block gather_if_right
#define meet_grid meet_if_right
#define edge_ants_resident planted_resident_rung
#include "kernels/edge_ants/resident.cu"

#include "tests/planted/edge_ants_resident.h"

static ab_status run_and_lose_a_move(ea_device *colony, const ea_stretch *stretch)
{
    int *const last = colony->position + colony->n_ants - 1; /* device memory is the heap on the host backend */
    const int before = *last;
    AB_TRY(run(colony, stretch));
    *last = before;
    return ab_ok();
}

static ab_status run_and_evaporate(ea_device *colony, const ea_stretch *stretch)
{
    AB_TRY(run(colony, stretch));
    AB_TRY(AB_GPU(ea_evaporate)(colony, colony->keep));
    ea_swap(colony);
    return ab_ok();
}

static ab_status run_without_barriers(ea_device *colony, const ea_stretch *stretch)
{
    blocks_meet = false;
    const ab_status status = run(colony, stretch);
    blocks_meet = true;
    return status;
}

template <int fault> static ab_status open_faulty(const void *problem, const void *params, ab_work **work)
{
    static const edge_ants_rung rungs[N_RESIDENT_FAULTS] = {
        {.run = run, .scratch_bytes = scratch_bytes},
        {.run = run_and_lose_a_move, .scratch_bytes = scratch_bytes},
        {.run = run_and_evaporate, .scratch_bytes = scratch_bytes},
        {.run = run_without_barriers, .scratch_bytes = scratch_bytes},
    };
    ea_colony *colony = NULL;
    const ab_status status =
        AB_GPU(edge_ants_open)(&rungs[fault], (const ea_problem *)problem, (const ea_params *)params, &colony);
    *work = colony ? &colony->work : NULL;
    return status;
}

extern "C" ab_open *planted_resident(int fault)
{
    static ab_open *const opens[N_RESIDENT_FAULTS] = {open_faulty<0>, open_faulty<1>, open_faulty<2>, open_faulty<3>};
    return opens[fault];
}
