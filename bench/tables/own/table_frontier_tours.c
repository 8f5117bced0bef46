/* Tests whether the rungs of the frontier choose as the thesis's do: the best tours of 10 runs of 100 iterations, with
 * one seed each. A time limit may end a row after fewer runs. Table 3.2 of the thesis comes from these tours, too.
 *
 * DS-Roulette and race follow the same rule, and so do the ant per block and race-candidates. `make compare RUN=RUN
 * A=frontier-tours/ds-roulette B=frontier-tours/race ARGS=--alike` fails if their tours differ by more than chance.
 * I-Roulette follows another rule. The same command distinguishes it from DS-Roulette, so ten runs are enough to see a
 * difference.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {NULL},
};

static const ab_line lines[] = {
    {.row = "ds-roulette", .implementation = "tsp/ds-roulette", .label = "DS-Roulette", .gpu_only = true},
    {.row = "race", .implementation = "tsp/race", .label = "race of clocks, ours", .gpu_only = true},
    {.row = "i-roulette-warp", .implementation = "tsp/i-roulette-warp", .label = "I-Roulette in registers: another rule", .gpu_only = true},
    {.row = "cand-block", .implementation = "tsp/cand-block", .params = "nn=32", .label = "sets of 32: ant per block", .gpu_only = true},
    {.row = "race-candidates", .implementation = "tsp/race-candidates", .params = "nn=32", .label = "sets of 32: race of clocks, ours", .gpu_only = true},
    {.row = "cpu-blocks", .implementation = "tsp/cpu-blocks", .params = "threads=all", .label = "CPU by blocks of cities", .seconds = 6e-8, .power = 2},
    {.row = "cpu-vectors-nn-20", .implementation = "tsp/cpu-vectors-nn", .params = "nn=20;threads=all", .label = "sets of 20: CPU by vectors", .seconds = 6e-9, .power = 2.4},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "frontier-tours", .title = "best tours of Ant System by the rungs of the frontier"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "frontier-tours", .measure = "tours", .params = "protocol=as|as-best", .lines = lines},
    {NULL},
};

const ab_driver table_frontier_tours = {
    .name = "frontier-tours",
    .program = "table_frontier_tours",
    .machine = "none: no source has these",
    .summary = "The frontier: compares the lengths of its tours with the tours of the rungs of the thesis.",
    .efforts = {{.runs = 2, .iterations = 10, .budget_s = 1},
                {.runs = 10, .iterations = 100, .budget_s = 3},
                {.runs = 10, .iterations = 100, .budget_s = 12}},
    .inputs = {"u30", "{tsp-few}", "{tsp-candidates}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
