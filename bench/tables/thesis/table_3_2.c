/* Table 3.2 of the thesis by beta: the thesis leaves 2 <= beta <= 5 (§3.2.1) and does not say which it took.
 *
 * The best tours of 10 runs of 100 iterations, or of as many runs as the time limit allows. Both update protocols, on the
 * CPU and the GPU; nothing is timed. The CPU stands for the sequential code: cpu-blocks chooses by the same rule, and is
 * fast enough for runs at pr2392. With beta 2 the report takes Table 3.2 from frontier-tours, which has more rungs.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "betas", .members = "2 3 4 5"},
    {NULL},
};

static const ab_line lines[] = {
    {.row = "cpu-blocks-{beta}", .implementation = "tsp/cpu-blocks", .params = "beta={betas};threads=all", .label = "CPU", .seconds = 6e-8, .power = 2},
    {.row = "ds-roulette-{beta}", .implementation = "tsp/ds-roulette", .params = "beta={betas}", .label = "DS-Roulette", .gpu_only = true},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "3.2-beta", .title = "best tours of Ant System by beta"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "3.2-beta", .measure = "tours", .params = "protocol=as-best|as", .lines = lines},
    {NULL},
};

const ab_driver table_3_2 = {
    .name = "3.2",
    .program = "table_3_2",
    .machine = "thesis, NVIDIA GTX 580 and one core of an Intel i7 950",
    .summary = "Table 3.2: tours of Ant System with beta 2 to 5 on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 1},
                {.runs = 5, .iterations = 100, .budget_s = 1.5},
                {.runs = 10, .iterations = 100, .budget_s = 1}},
    .inputs = {"u30", "d198", "{tsp}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
