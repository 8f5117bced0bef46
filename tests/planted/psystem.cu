/* A P system whose membranes one thread makes and checks, right as it stands and wrong in one way for each planted bug:
 * verification must reject every one (tests/kernels/test_psystem.c). */
#include "kernels/psystem/membranes.h"
#include "tests/planted/psystem.h"

static __global__ void make_membranes(ps_device device, int bug)
{
    for (int stride = 1 << device.levels; stride > 1; stride /= 2)
        for (int q = 0; q < 1 << device.levels; q += stride)
            for (int l = 0; l < device.n_literals; ++l) {
                const uint32_t word = ps_row(device, (size_t)q)[l];
                const bool keeps = bug == PS_BUG_KEEPS_A_CHARGE && stride == 2;
                ps_row(device, (size_t)q)[l] = ps_evolve(word, PS_PLUS);
                ps_row(device, (size_t)q + (size_t)stride / 2)[l] = ps_evolve(word, keeps ? PS_PLUS : PS_MINUS);
            }
    if (bug != PS_BUG_LOSES_AN_OBJECT) return;
    int l = 1;
    while (!ps_is_r(device.objects[l - 1]) || !ps_is_r(device.objects[l]) ||
           ps_clause(device.objects[l - 1]) != ps_clause(device.objects[l]))
        ++l;
    device.objects[l] = 0;
}

static __device__ bool has_clause(const ps_device &device, const uint32_t *row, int i)
{
    bool any = false;
    for (int l = device.first[i]; l < device.first[i + 1]; ++l) any |= ps_is_r(row[l]);
    return any;
}

static __global__ void check_membranes(ps_device device, int bug)
{
    const int n_membranes = (1 << device.levels) - (bug == PS_BUG_SKIPS_A_MEMBRANE ? 1 : 0);
    for (int q = 0; q < n_membranes; ++q) {
        bool all = true;
        for (int i = 0; i < device.m; ++i)
            all &= has_clause(device, ps_row(device, (size_t)q), i) || (bug == PS_BUG_LOSES_A_CLAUSE_BIT && i == 0);
        device.flags[q] = all;
        *device.satisfying += all;
    }
    if (bug != PS_BUG_OTHER_MEMBRANE) return;
    int q = 1;
    while (device.flags[q] == device.flags[0]) ++q;
    device.flags[q] = !device.flags[q];
    device.flags[0] = !device.flags[0];
}

template <int bug> static ab_status generate(ps_membranes *membranes)
{
    LAUNCH(make_membranes, 1, 1, 0)(membranes->device, bug);
    return AB_LAUNCHED("make_membranes");
}

template <int bug> static ab_status check_out(ps_membranes *membranes)
{
    LAUNCH(check_membranes, 1, 1, 0)(membranes->device, bug);
    return AB_LAUNCHED("check_membranes");
}

static int64_t rows(const ps_params *, int levels)
{
    return INT64_C(1) << levels;
}

template <int bug> static const ps_memory_rung *rung()
{
    static const ps_memory_rung planted = {2,    {"generate", "check-out"}, {generate<bug>, check_out<bug>}, NULL, rows,
                                           false};
    return &planted;
}

extern "C" ab_status planted_psystem_open(const cnf_formula *formula, const ps_params *params, int bug,
                                          ps_system **system)
{
    const ps_memory_rung *const rungs[N_PS_BUGS] = {rung<0>(), rung<1>(), rung<2>(), rung<3>(), rung<4>(), rung<5>()};
    return AB_GPU(ps_membranes_open)(rungs[bug], formula, params, system);
}
