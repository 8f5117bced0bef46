/* Table 3 of JSC: P systems for SAT by number of membranes, 2^13 to 2^21, of 256 literals, on CPU and GPU.
 *
 * JSC's GPUs are a Tesla C1060 and a C2050: the C2050's times stand beside ours here, both in the report. The generic
 * simulator has no room for more than 2^17 membranes there.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {{"membranes", "2^13 2^14 2^15 2^16 2^17 2^18 2^19 2^20 2^21"},
                              {"membranes-generic", "2^13 2^14 2^15 2^16 2^17"},
                              {NULL, NULL}};

static const ab_line lines[] = {
    {"cpu-seq", "psystem/cpu-seq", "threads=1", "CPU, 1 core", "sat-cpu"},
    {"cpu-best-1", "psystem/cpu-best", "threads=1", "fastest CPU, bits, 1 core"},
    {"cpu-best-all", "psystem/cpu-best", "threads=all", "fastest CPU, bits, all cores"},
    {"baseline", "psystem/baseline", NULL, "baseline", "sat-baseline-c2050"},
    {"baseline-grouped", "psystem/baseline-grouped", NULL, "baseline, a kernel a division", "sat-baseline-c2050"},
    {"enhanced", "psystem/enhanced", NULL, "enhanced", "sat-enhanced-c2050"},
    {"enhanced-begun", "psystem/enhanced-begun", NULL, "enhanced, begun on the CPU"},
    {"bits", "psystem/bits", NULL, "bits, ours"},
    {"{name}", "psystem/+"},
    {NULL},
};
static const ab_line generic[] = {{"generic", "psystem/generic", NULL, "generic", "sat-generic-c2050"}, {NULL}};

static const ab_heading headings[] = {
    {"jsc-3", "P systems for SAT, time of a run", "jsc-3", "run", NULL},
    {NULL},
};

static const ab_block blocks[] = {
    {"jsc-3", "time", .lines = lines, .without = AB_SINGLE_STEPS, .part = 1},
    {"jsc-3", "time", NULL, {"2^6", "{membranes-generic}", "{membranes-generic}"}, .lines = generic, .part = 1},
    {NULL},
};

const ab_driver table_jsc_3 = {
    .name = "jsc-3",
    .program = "table_jsc_3",
    .machine = "JSC, NVIDIA Tesla C2050 and one core of an Intel Xeon E5530",
    .summary = "Table 3 of JSC: P systems for SAT on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 0.1, .precise = 0.01, .limit_s = 2},
                {.runs = 1, .iterations = 20, .budget_s = 0.3, .precise = 0.01, .limit_s = 3},
                {.runs = 1, .iterations = 20, .budget_s = 5, .limit_s = 120}},
    .inputs = {"2^6", "{membranes}", "{membranes}"},
    .optional = "2^6", /* which the host backend can verify in time */
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
