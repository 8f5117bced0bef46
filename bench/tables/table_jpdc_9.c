/* Figure 9 of JPDC: how long the tours of its kernels are after 1000 iterations, over the optimum.
 *
 * Five runs each, every ant deposits. The CPU stands for the sequential code: cpu-best chooses by the same rule, and is
 * fast enough for runs of 1000 iterations. DS-Roulette, which JPDC does not have, is beside them.
 */
#include <math.h>

#include "bench/plan/driver.h"

static const ab_set sets[] = {{NULL, NULL}};

static const ab_line lines[] = {
    {"cpu-best", "tsp/cpu-best", "threads=all", "CPU", .seconds = 1.5e-7, .power = 2},
    {"data-rw", "tsp/data-rw", "workers=128", "roulette wheel", .gpu_only = true},
    {"data-rw-warp", "tsp/data-rw-warp", "workers=128", "roulette wheel by sums of warps, ours", .gpu_only = true},
    {"i-roulette", "tsp/i-roulette", "workers=128", "I-Roulette", .gpu_only = true},
    {"ds-roulette", "tsp/ds-roulette", NULL, "DS-Roulette", .gpu_only = true},
    {NULL},
};

static const ab_heading headings[] = {{"jpdc-F9", "best tours of 1000 iterations of Ant System", NULL, NULL, NULL},
                                      {NULL}};

static const ab_block blocks[] = {{"jpdc-F9", "tours", "protocol=as", .lines = lines}, {NULL}};

const ab_driver table_jpdc_9 = {
    .name = "jpdc-9",
    .program = "table_jpdc_9",
    .machine = "JPDC, NVIDIA Tesla C2050 and one core of an Intel Xeon E5620",
    .summary = "Figure 9 of JPDC: tours after 1000 iterations on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 1000, .budget_s = 1},
                {.runs = 5, .iterations = 1000, .budget_s = 12},
                {.runs = 5, .iterations = 1000, .budget_s = INFINITY}},
    .inputs = {"u30", "d198", "{tsp-jpdc}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
