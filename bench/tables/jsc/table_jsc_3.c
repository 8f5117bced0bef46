/* Table 3 of JSC: P systems for SAT by number of membranes, 2^13 to 2^21, of 256 literals, on CPU and GPU.
 *
 * JSC's GPUs are a Tesla C1060 and a C2050: the C2050's times stand beside ours here, both in the report. The generic
 * simulator has no room for more than 2^17 membranes there.
 */
#include "bench/plan/driver.h"
#include "kernels/psystem/psystem.h"

static const ab_set sets[] = {
    {.name = "membranes", .members = "2^13 2^14 2^15 2^16 2^17 2^18 2^19 2^20 2^21"},
    {.name = "membranes-generic", .members = "2^13 2^14 2^15 2^16 2^17"},
    {NULL},
};

static const ab_line lines[] = {
    {.row = "cpu-seq", .implementation = "psystem/cpu-seq", .params = "threads=1", .label = "CPU, 1 core", .published = "sat-cpu"},
    {.row = "cpu-bits-1", .implementation = "psystem/cpu-bits", .params = "threads=1", .label = "fastest CPU, bits, 1 core"},
    {.row = "cpu-bits-all", .implementation = "psystem/cpu-bits", .params = "threads=all", .label = "fastest CPU, bits, all cores"},
    {.row = "baseline", .implementation = "psystem/baseline", .label = "baseline", .published = "sat-baseline-c2050"},
    {.row = "baseline-grouped", .implementation = "psystem/baseline-grouped", .label = "baseline, a kernel a division", .published = "sat-baseline-c2050"},
    {.row = "enhanced", .implementation = "psystem/enhanced", .label = "enhanced", .published = "sat-enhanced-c2050"},
    {.row = "enhanced-begun", .implementation = "psystem/enhanced-begun", .label = "enhanced, begun on the CPU"},
    {.row = "bits", .implementation = "psystem/bits", .label = "bits, ours"},
    {.row = "{name}", .implementation = "psystem/+"},
    {NULL},
};
static const ab_line generic[] = {
    {.row = "generic", .implementation = "psystem/generic", .label = "generic", .published = "sat-generic-c2050"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "jsc-3", .title = "P systems for SAT, time of a run", .published = "jsc-3", .metric = "run"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "jsc-3", .measure = "time", .lines = lines, .without = PS_SINGLE_STEPS, .part = 1},
    {.table = "jsc-3", .measure = "time", .on = {"2^6", "{membranes-generic}", "{membranes-generic}"}, .lines = generic, .part = 1},
    {NULL},
};

const ab_driver table_jsc_3 = {
    .name = "jsc-3",
    .program = "table_jsc_3",
    .machine = "JSC, NVIDIA Tesla C2050 and one core of an Intel Xeon E5530",
    .summary = "Table 3 of JSC: P systems for SAT on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 0.1, .precise = 0.01, .limit_s = 2},
                {.runs = 1, .iterations = 20, .budget_s = 0.3, .precise = 0.01, .limit_s = 3},
                {.runs = 1, .iterations = 20, .budget_s = 0.2, .limit_s = 20}},
    .inputs = {"2^6", "{membranes}", "{membranes}"},
    .optional = "2^6", /* the host backend can verify it in time */
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
