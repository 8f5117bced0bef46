/* Table 5 of JSC: the tiled simulator with 2^21 membranes, by membranes per block. JSC has 2 to 32; here the rows go as
 * far as the shared memory does. They show the total and its two stages: block preprocessing, and generation with
 * check-out.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "tiles", .members = "2 4 8 16 32 64 128"},
    {.name = "membranes-tiled", .members = "2^21"},
    {NULL},
};

static const ab_line lines[] = {
    {.row = "tiled-{tile}", .implementation = "psystem/tiled", .params = "tile={tiles}", .published = "sat-tiled-{tile}-c2050"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "jsc-5", .title = "P systems for SAT by membranes per block", .published = "jsc-5", .metric = "run"},
    {.table = "jsc-5-stages", .title = "P systems for SAT by membranes per block, stages", .published = "jsc-5"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "jsc-5", .measure = "time", .lines = lines, .stages = "jsc-5-stages"},
    {NULL},
};

const ab_driver table_jsc_5 = {
    .name = "jsc-5",
    .program = "table_jsc_5",
    .machine = "JSC, NVIDIA Tesla C2050",
    .summary = "Table 5 of JSC: P systems for SAT on a GPU by membranes per block.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 0.1, .precise = 0.01, .limit_s = 2},
                {.runs = 1, .iterations = 50, .budget_s = 0.5, .precise = 0.01, .limit_s = 3},
                {.runs = 1, .iterations = 100, .budget_s = 0.2, .limit_s = 20}},
    .inputs = {"2^6", "{membranes-tiled}", "{membranes-tiled}"},
    .optional = "2^6", /* the host backend can verify it in time */
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
