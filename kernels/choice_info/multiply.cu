/* choice-info/multiply: for alpha 1 and beta 2, which JPDC uses (§4.1), no power is needed. The rest is bound by
 * memory, 12 bytes per edge. Source: this project. */
#include "kernels/choice_info/weights.h"

static __global__ void weigh_by_products(ci_device device)
{
    const int edge = ci_edge();
    if (edge >= device.n_edges) return;
    const float eta = device.eta[edge];
    device.choice_info[edge] = device.pheromone[edge] * (eta * eta);
}

static ab_status weigh(const ci_device *device, const ci_params *params)
{
    LAUNCH(weigh_by_products, ceil_div(device->n_edges, params->block), params->block, 0)(*device);
    return AB_LAUNCHED("weigh_by_products");
}

static ab_status check(const ci_params *params)
{
    if (params->alpha == 1.0 && params->beta == 2.0) return ab_ok();
    return ab_unsupported("needs alpha = 1 and beta = 2, not %g and %g", params->alpha, params->beta);
}

AB_RUNG(choice_info_rung, choice_info_multiply) = {.weigh = weigh, .check = check};
