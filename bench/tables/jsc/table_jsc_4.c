/* Table 4 of JSC: the gain of tiling, for 2^13 to 2^21 membranes of 256 literals. The rows continue to 2^25 membranes
 * of 200 literals, the limit that JSC §4 states. Our own kernel continues to 2^32.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "membranes-tiling", .members = "2^13 2^14 2^15 2^16 2^17 2^18 2^19 2^20 2^21 2^22 2^23 2^24 2^25"},
    {.name = "membranes-bits", .members = "2^13 2^14 2^15 2^16 2^17 2^18 2^19 2^20 2^21 2^22 2^23 2^24 2^25 2^28 2^32"},
    {NULL},
};

static const ab_line in_memory[] = {
    {.row = "enhanced", .implementation = "psystem/enhanced", .label = "enhanced", .published = "sat-enhanced-c2050"},
    {.row = "tiled", .implementation = "psystem/tiled", .params = "tile=32", .label = "tiled", .published = "sat-tiled-c2050"},
    {NULL},
};
static const ab_line as_bits[] = {
    {.row = "bits", .implementation = "psystem/bits", .label = "bits, ours"},
    {.row = "cpu-bits-all", .implementation = "psystem/cpu-bits", .params = "threads=all", .label = "fastest CPU, bits, all cores"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "jsc-4", .title = "P systems for SAT, tiled", .published = "jsc-4", .metric = "run"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "jsc-4", .measure = "time", .on = {"2^6", "{membranes-tiling}", "{membranes-tiling}"}, .lines = in_memory, .part = 1},
    {.table = "jsc-4", .measure = "time", .lines = as_bits, .part = 1},
    {NULL},
};

const ab_driver table_jsc_4 = {
    .name = "jsc-4",
    .program = "table_jsc_4",
    .machine = "JSC, NVIDIA Tesla C2050",
    .summary = "Table 4 of JSC: P systems for SAT, tiled, on a GPU.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 0.1, .precise = 0.01, .limit_s = 2},
                {.runs = 1, .iterations = 20, .budget_s = 0.3, .precise = 0.01, .limit_s = 3},
                {.runs = 1, .iterations = 20, .budget_s = 0.2, .limit_s = 20}},
    .inputs = {"2^6", "{membranes-bits}", "{membranes-bits}"},
    .optional = "2^6", /* the host backend can verify it in time */
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
