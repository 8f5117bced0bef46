/* The weights of all edges, right as they stand and wrong in one way for each planted bug: verification must reject
 * every one (tests/kernels/test_choice_info.c). */
#include "kernels/choice_info/weights.h"
#include "tests/planted/choice_info.h"

static __global__ void weigh_edges(ci_device device, int bug)
{
    const int edge = ci_edge(), n_edges = bug == CI_BUG_FORGETS_THE_LAST ? device.n_edges - 1 : device.n_edges;
    if (edge >= n_edges) return;
    const float eta = device.eta[edge];
    float weight = device.pheromone[edge] * (bug == CI_BUG_NO_SQUARE ? eta : eta * eta);
    if (bug == CI_BUG_OTHER_EDGE && edge > 0) weight = device.pheromone[edge - 1] * (eta * eta);
    if (bug == CI_BUG_A_LITTLE && edge == 7) weight *= 1.0001f;
    if (bug == CI_BUG_NAN && edge == 7) weight = nanf("");
    device.choice_info[edge] = weight;
}

template <int bug> static ab_status weigh(const ci_device *device, const ci_params *params)
{
    LAUNCH(weigh_edges, ceil_div(device->n_edges, params->block), params->block, 0)(*device, bug);
    return AB_LAUNCHED("weigh_edges");
}

extern "C" ab_status planted_choice_info_open(const tsp_snapshot *snapshot, const ci_params *params, int bug,
                                              ci_weights **weights)
{
    static const choice_info_rung rungs[N_CI_BUGS] = {{.weigh = weigh<0>}, {.weigh = weigh<1>}, {.weigh = weigh<2>},
                                                      {.weigh = weigh<3>}, {.weigh = weigh<4>}, {.weigh = weigh<5>}};
    return AB_GPU(choice_info_open)(&rungs[bug], snapshot, params, weights);
}
