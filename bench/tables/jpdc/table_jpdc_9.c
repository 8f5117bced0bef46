/* Figure 9 of JPDC: how long the tours of its kernels are after 1000 iterations, over the optimum.
 *
 * Five runs each, or as many as the time limit allows; every ant deposits. A run of data-rw at pr2392 takes minutes, so
 * profile thesis ends at pr1002. The CPU stands for the sequential code: cpu-rejection chooses by the same rule, and is
 * fast enough for runs of 1000 iterations. DS-Roulette, which JPDC does not have, is beside them.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {NULL},
};

static const ab_line lines[] = {
    {.row = "cpu-rejection", .implementation = "tsp/cpu-rejection", .params = "threads=all", .label = "CPU", .seconds = 1.5e-7, .power = 2},
    {.row = "data-rw", .implementation = "tsp/data-rw", .params = "workers=128", .label = "roulette wheel", .gpu_only = true},
    {.row = "data-rw-warp", .implementation = "tsp/data-rw-warp", .params = "workers=128", .label = "roulette wheel by sums of warps, ours", .gpu_only = true},
    {.row = "i-roulette", .implementation = "tsp/i-roulette", .params = "workers=128", .label = "I-Roulette", .gpu_only = true},
    {.row = "ds-roulette", .implementation = "tsp/ds-roulette", .label = "DS-Roulette", .gpu_only = true},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "jpdc-F9", .title = "best tours of 1000 iterations of Ant System"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "jpdc-F9", .measure = "tours", .params = "protocol=as", .lines = lines},
    {NULL},
};

const ab_driver table_jpdc_9 = {
    .name = "jpdc-9",
    .program = "table_jpdc_9",
    .machine = "JPDC, NVIDIA Tesla C2050 and one core of an Intel Xeon E5620",
    .summary = "Figure 9 of JPDC: tours after 1000 iterations on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 1000, .budget_s = 1},
                {.runs = 5, .iterations = 1000, .budget_s = 12},
                {.runs = 5, .iterations = 1000, .budget_s = 10}},
    .inputs = {"u30", "d198", "{tsp-cached}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
