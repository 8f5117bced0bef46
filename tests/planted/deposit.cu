/* A deposit by one thread, right as it stands and wrong in one way for each planted bug: verification must reject every
 * one (tests/kernels/test_deposit.c). */
#include "kernels/deposit/trails.h"
#include "tests/planted/deposit.h"

static __global__ void deposit_in_order(dp_device device, int bug)
{
    const int n_ants = device.n_ants - (bug == DP_BUG_FORGETS_AN_ANT ? 1 : 0);
    const int n_steps = device.n - (bug == DP_BUG_FORGETS_THE_CLOSING_EDGE ? 1 : 0);
    for (int ant = 0; ant < n_ants; ++ant) {
        const int *tour = dp_tour(device, ant);
        const float amount = dp_amount(device, bug == DP_BUG_AMOUNT_OF_ANOTHER ? 0 : ant);
        for (int step = 0; step < n_steps; ++step) {
            device.pheromone[tour[step] * device.n + tour[step + 1]] += amount;
            if (bug != DP_BUG_ONE_DIRECTION) device.pheromone[tour[step + 1] * device.n + tour[step]] += amount;
        }
        if (bug == DP_BUG_DEPOSITS_TWICE && ant == 0) dp_add(device, tour[0], tour[1], amount);
    }
    if (bug == DP_BUG_EVAPORATES_AGAIN) device.pheromone[1] *= 0.5f;
    if (bug == DP_BUG_A_LITTLE) device.pheromone[1] *= 1.0001f;
    if (bug == DP_BUG_NAN) device.pheromone[0] = nanf("");
}

template <int bug> static ab_status deposit(const dp_device *device, int)
{
    LAUNCH(deposit_in_order, 1, 1, 0)(*device, bug);
    return AB_LAUNCHED("deposit_in_order");
}

extern "C" ab_status planted_deposit_open(const tsp_snapshot *snapshot, const dp_params *params, int bug,
                                          dp_trails **trails)
{
    static const deposit_rung rungs[N_DP_BUGS] = {
        {.deposit = deposit<0>}, {.deposit = deposit<1>}, {.deposit = deposit<2>},
        {.deposit = deposit<3>}, {.deposit = deposit<4>}, {.deposit = deposit<5>},
        {.deposit = deposit<6>}, {.deposit = deposit<7>}, {.deposit = deposit<8>},
    };
    return AB_GPU(deposit_open)(&rungs[bug], snapshot, params, trails);
}
