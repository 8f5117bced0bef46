/* Table 9.9 of a source that was read today: the fastest exact Ant System on one core, beside a new kernel. */
#include "bench/plan/driver.h"

static const ab_line lines[] = {
    {.row = "cpu-rejection", .implementation = "tsp/cpu-rejection", .params = "threads=1", .label = "fastest CPU"},
    {.row = "added-by-test", .implementation = "tsp/added-by-test"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "9.9", .title = "Ant System on one core, time of an iteration", .published = "thesis-9.9", .metric = "iteration"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "9.9", .measure = "time", .params = "protocol=as-best", .lines = lines},
    {NULL},
};

const ab_driver table_9_9 = {
    .name = "9.9",
    .program = "table_9_9",
    .machine = "a machine",
    .summary = "Table 9.9: Ant System on one core.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 1},
                {.runs = 1, .iterations = 5, .budget_s = 1},
                {.runs = 1, .iterations = 5, .budget_s = 1}},
    .inputs = {"u30", "u30", "u30"},
    .headings = headings,
    .blocks = blocks,
};
