/* Table 3.2 of the thesis by beta: the thesis leaves 2 <= beta <= 5 (§3.2.1) and does not say which it took.
 *
 * The best tours of 10 runs of 100 iterations, both update protocols, on the CPU and the GPU; nothing is timed. Table
 * 3.2 with beta 2 comes from the runs of Table 3.3 too, whose times have beta 2.
 */
#include <math.h>

#include "bench/plan/driver.h"

static const ab_set sets[] = {{"betas", "2 3 4 5"}, {NULL, NULL}};

static const ab_line lines[] = {
    {"acotsp-omp-{beta}", "tsp/acotsp-omp", "beta={betas};threads=all", "CPU", .seconds = 1.9e-9, .power = 3},
    {"ds-roulette-{beta}", "tsp/ds-roulette", "beta={betas}", "DS-Roulette", .gpu_only = true},
    {NULL},
};

static const ab_heading headings[] = {{"3.2-beta", "best tours of Ant System by beta", NULL, NULL, NULL}, {NULL}};

static const ab_block blocks[] = {{"3.2-beta", "tours", "protocol=as-best|as", .lines = lines}, {NULL}};

const ab_driver table_3_2 = {
    .name = "3.2",
    .program = "table_3_2",
    .machine = "thesis, NVIDIA GTX 580 and one core of an Intel i7 950",
    .summary = "Table 3.2: tours of Ant System with beta 2 to 5 on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 1},
                {.runs = 5, .iterations = 100, .budget_s = 1.5},
                {.runs = 10, .iterations = 100, .budget_s = INFINITY}},
    .inputs = {"u30", "d198", "{tsp}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
