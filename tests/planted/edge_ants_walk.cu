/* Ants that go where their random numbers say, a thread per ant, right as they stand and wrong in one way for each
 * planted bug: verification must reject every one (tests/kernels/edges/test_edge_ants.c). */
#include "kernels/edge_ants/colony.h"
#include "tests/planted/edge_ants_walk.h"

/* The neighbour that the wheel says, or a random pixel. */
static __device__ int next_pixel(const ea_device &colony, int bug, int ant, float4 random)
{
    const int position = colony.position[ant], width = colony.width;
    if (bug == EA_BUG_STANDS_STILL && ant == colony.n_ants - 1) return position;
    if (bug == EA_BUG_WRAPS_AROUND && position % width == width - 1) return position + 1;
    if (bug == EA_BUG_LEAVES_THE_IMAGE && position / width == colony.height - 1) return position + width;
    unsigned visited = 0;
    for (int i = 0; i < EA_MEMORY; ++i) visited |= ea_places(position, colony.memory[ant * EA_MEMORY + i], width);
    if (bug == EA_BUG_FORGETS_THE_MEMORY) visited = 0;
    float weight[EA_NEIGHBOURS];
    for (int which = 0; which < EA_NEIGHBOURS; ++which)
        weight[which] = ea_among(visited, which) ? 0.0f : weigh(colony, position, which);
    const int winner = bug == EA_BUG_JUMPS ? -1 : ea_spin(weight, random.x);
    return winner < 0 ? random_pixel(colony, random) : ea_neighbour(position, winner, width, colony.height);
}

static __global__ void walk(ea_device colony, int bug, unsigned long long seed, int iteration)
{
    const int ant = (int)blockIdx.x;
    const int of_ant = bug == EA_BUG_ANTS_ALIKE ? 0 : ant,
              of_iteration = bug == EA_BUG_ITERATIONS_ALIKE ? 1 : iteration;
    const int pixel = next_pixel(colony, bug, ant, draw(seed, of_ant, of_iteration));
    if (bug == EA_BUG_LEAVES_THE_IMAGE && pixel >= colony.width * colony.height) {
        colony.position[ant] = pixel;
        return;
    }
    if (bug == EA_BUG_DEPOSITS_IN_PRIMARY) colony.next_pheromone = colony.pheromone;
    const float times = ant == 0 && bug == EA_BUG_FORGETS_A_DEPOSIT                                  ? 0.0f
                        : ant == 0 && bug == EA_BUG_DEPOSITS_TWICE                                   ? 2.0f
                        : bug == EA_BUG_NOTHING_ON_FRAME && pixel % colony.width == colony.width - 1 ? 0.0f
                        : bug == EA_BUG_LATER && iteration > 20                                      ? 2.0f
                                                                                                     : 1.0f;
    enter(colony, ant, bug == EA_BUG_WRONG_SLOT ? iteration - 1 : iteration, pixel, times);
    if (bug == EA_BUG_SPILLS_NAN) colony.next_pheromone[1] = nanf("");
}

template <int bug> static ab_status run(ea_device *colony, const ea_stretch *stretch)
{
    const float keep = bug == EA_BUG_FORGETS_EVAPORATION   ? 1.0f
                       : bug == EA_BUG_EVAPORATES_A_LITTLE ? colony->keep - 0.0001f
                                                           : colony->keep;
    for (int iteration = stretch->first; iteration <= stretch->last; ++iteration) {
        AB_TRY(AB_GPU(ea_evaporate)(colony, keep));
        LAUNCH(walk, colony->n_ants, 1, 0)(*colony, bug, stretch->seed, iteration);
        AB_TRY(AB_LAUNCHED("walk"));
        if (bug != EA_BUG_FORGETS_TO_SWAP) ea_swap(colony);
    }
    return ab_ok();
}

extern "C" ab_status planted_edge_ants_open(const ea_problem *problem, const ea_params *params, int bug,
                                            ea_colony **colony)
{
    static const edge_ants_rung rungs[N_EA_BUGS] = {
        {.run = run<0>},  {.run = run<1>},  {.run = run<2>},  {.run = run<3>},  {.run = run<4>},  {.run = run<5>},
        {.run = run<6>},  {.run = run<7>},  {.run = run<8>},  {.run = run<9>},  {.run = run<10>}, {.run = run<11>},
        {.run = run<12>}, {.run = run<13>}, {.run = run<14>}, {.run = run<15>}, {.run = run<16>}, {.run = run<17>},
    };
    return AB_GPU(edge_ants_open)(&rungs[bug], problem, params, colony);
}
