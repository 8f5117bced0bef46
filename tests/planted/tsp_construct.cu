/* A construction kernel that visits the cities in order from city `ant`, right as it stands and wrong in one way for
 * each planted bug: verification must reject every one (tests/test_tsp_kernels.c). */
#include "kernels/tsp/colony.h"
#include "tests/planted/tsp_construct.h"

static __global__ void visit_in_order(tsp_device colony, int bug)
{
    const int ant = (int)blockIdx.x, n = colony.n;
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    if (threadIdx.x != 0 || (bug == BUG_IDLE_ANT && ant == colony.n_ants - 1)) return;
    for (int i = 0; i <= n; ++i) tour[i] = (ant + i) % n;
    if (bug == BUG_VISITS_TWICE) tour[2] = tour[1];
    if (bug == BUG_NOT_CLOSED) tour[n] = tour[1];
    if (bug == BUG_NO_SUCH_CITY) tour[1] = n;
    long long length = 0;
    for (int i = 0; i < n; ++i)
        if (!(bug == BUG_FORGETS_AN_EDGE && i == n - 1) && tour[i] < n && tour[i + 1] < n)
            length += colony.dist[(size_t)tour[i] * (size_t)colony.stride + (size_t)tour[i + 1]];
    colony.lengths[ant] = length;
    if (!(bug == BUG_IGNORES_ANT_0 && ant == 0)) atomicMin(colony.iteration_best, tour_key(length, ant));
    if (bug == BUG_SPILLS_NAN) colony.pheromone[1] = nanf("");
    if (bug == BUG_SPILLS_A_LITTLE) colony.pheromone[1] *= 1.01f;
}

template <int bug> static ab_status construct(const tsp_device *colony, uint64_t, unsigned)
{
    LAUNCH(visit_in_order, colony->n_ants, 32, 0)(*colony, bug);
    return AB_LAUNCHED("visit_in_order");
}

extern "C" ab_status planted_tsp_open(const as_problem *problem, const as_params *params, int bug, as_colony **colony)
{
    static tsp_construct *const constructs[N_BUGS] = {
        construct<0>, construct<1>, construct<2>, construct<3>, construct<4>,
        construct<5>, construct<6>, construct<7>, construct<8>,
    };
    return AB_GPU(tsp_open_colony)(problem, params, constructs[bug], colony);
}
