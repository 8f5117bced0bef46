/* Table 9.8 of a source that was read today, which has no numbers: the time of an operation that is new. */
#include "bench/plan/driver.h"

static const ab_line lines[] = {
    {.row = "seq", .implementation = "added-by-test/seq", .params = "threads=1", .label = "CPU, 1 core"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "9.8", .title = "added-by-test, time for an image"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "9.8", .measure = "time", .lines = lines},
    {NULL},
};

const ab_driver table_9_8 = {
    .name = "9.8",
    .program = "table_9_8",
    .machine = "a machine",
    .summary = "Table 9.8: added-by-test.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 1},
                {.runs = 1, .iterations = 5, .budget_s = 1},
                {.runs = 1, .iterations = 5, .budget_s = 1}},
    .inputs = {"shapes-64x48", "shapes-64x48", "shapes-64x48"},
    .headings = headings,
    .blocks = blocks,
};
