/* Table 9.8 of a source that was read today, which has no numbers: the time of an operation that is new. */
#include "bench/plan/driver.h"

static const ab_line lines[] = {{"seq", "mine/seq", "threads=1", "CPU, 1 core"}, {NULL}};

static const ab_heading headings[] = {{"9.8", "mine, time for an image", NULL, NULL}, {NULL}};

static const ab_block blocks[] = {{"9.8", "time", NULL, .lines = lines}, {NULL}};

const ab_driver table_9_8 = {
    .name = "9.8",
    .program = "table_9_8",
    .machine = "a machine",
    .summary = "Table 9.8: mine.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 1},
                {.runs = 1, .iterations = 5, .budget_s = 1},
                {.runs = 1, .iterations = 5, .budget_s = 1}},
    .inputs = {"shapes-64x48", "shapes-64x48", "shapes-64x48"},
    .headings = headings,
    .blocks = blocks,
};
