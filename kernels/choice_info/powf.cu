/* choice-info/powf: a thread per edge, and powf() for both powers with any exponents. Source: JPDC §3.2.1, §5.1.1. */
#include "kernels/choice_info/weights.h"

static __global__ void weigh_powf(ci_device device, float alpha, float beta)
{
    const int edge = ci_edge();
    if (edge < device.n_edges)
        device.choice_info[edge] = powf(device.pheromone[edge], alpha) * powf(device.eta[edge], beta);
}

static ab_status weigh(const ci_device *device, const ci_params *params)
{
    LAUNCH(weigh_powf, ceil_div(device->n_edges, params->block), params->block, 0)
    (*device, (float)params->alpha, (float)params->beta);
    return AB_LAUNCHED("weigh_powf");
}

AB_RUNG(choice_info_rung, choice_info_powf) = {.weigh = weigh};
