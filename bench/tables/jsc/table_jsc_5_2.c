/* Sentences of JSC §5.2 that its tables do not show: what P systems for SAT cost besides their objects.
 *
 *   memory         bytes of the GPU's memory that the generic simulator takes of 17 and of 18 variables
 *   one literal    the same divisions of membranes with one object: launches, waiting and control objects
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "membranes-memory", .members = "2^17 2^18"},
    {.name = "one-literal", .members = "k1-n13-m1 k1-n14-m1 k1-n15-m1 k1-n16-m1 k1-n17-m1 k1-n18-m1 k1-n19-m1 k1-n20-m1 k1-n21-m1"},
    {.name = "jsc-5.2-systems", .members = "2^17 2^18 k1-n13-m1 k1-n14-m1 k1-n15-m1 k1-n16-m1 k1-n17-m1 k1-n18-m1 k1-n19-m1 k1-n20-m1 k1-n21-m1"},
    {NULL},
};

static const ab_line memory[] = {
    {.row = "generic", .implementation = "psystem/generic", .label = "generic"},
    {NULL},
};
static const ab_line synchronising[] = {
    {.row = "baseline", .implementation = "psystem/baseline", .label = "baseline"},
    {.row = "baseline-grouped", .implementation = "psystem/baseline-grouped", .label = "baseline, a kernel a division"},
    {.row = "enhanced", .implementation = "psystem/enhanced", .label = "enhanced"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "jsc-5.2-memory", .title = "P systems for SAT, bytes of the GPU's memory"},
    {.table = "jsc-5.2-sync", .title = "P systems of one literal, time of a run"},
    {.table = "jsc-5.2-stages", .title = "P systems of one literal, stages: generation is launches and waiting"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "jsc-5.2-memory", .measure = "memory", .on = {"2^6", "{membranes-memory}", "{membranes-memory}"}, .lines = memory},
    {.table = "jsc-5.2-sync", .measure = "time", .on = {"k1-n6-m1", "{one-literal}", "{one-literal}"}, .lines = synchronising, .stages = "jsc-5.2-stages"},
    {NULL},
};

const ab_driver table_jsc_5_2 = {
    .name = "jsc-5.2",
    .program = "table_jsc_5_2",
    .machine = "none: JSC has sentences, no numbers",
    .summary = "Sentences of JSC §5.2: the memory and the synchronization of P systems for SAT.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 0.1, .precise = 0.01, .limit_s = 2, .host_steps = 100},
                {.runs = 1, .iterations = 20, .budget_s = 0.3, .precise = 0.01, .limit_s = 3, .host_steps = 100},
                {.runs = 1, .iterations = 100, .budget_s = 0.2, .limit_s = 20, .host_steps = 1000}},
    .inputs = {"2^6 k1-n6-m1", "{jsc-5.2-systems}", "{jsc-5.2-systems}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
