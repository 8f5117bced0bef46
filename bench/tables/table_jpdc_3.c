/* Table 3 and Figure 7 of JPDC, Table 2 of JSC: tour construction by the ladder of Cecilia et al.
 *
 *   Table 3                  time of a construction by I-Roulette with 16 to 1024 worker ants; here by the wheel as well
 *   Figure 7, JSC's Table 2  that of the best of them beside an ant per thread and the CPU
 *
 * Every ant deposits, as in JPDC. A construction is a stage of an iteration; whole iterations stand in a table of their
 * own. JPDC's times are of a Tesla C2050; JSC's, of a C1060 too, stand in the report.
 */
#include <math.h>

#include "bench/plan/driver.h"

static const ab_set sets[] = {{"workers", "16 32 64 128 256 512 1024"}, {"ants-of-block", "4 8 32 64"}, {NULL, NULL}};

static const ab_line on_cpu[] = {
    {"acotsp-seq", "tsp/acotsp-seq", "threads=1", "ACOTSP-style, 1 core", .seconds = 1.9e-9, .power = 3},
    {"cpu-best-all", "tsp/cpu-best", "threads=all", "CPU by rejection, all cores", .seconds = 1.5e-7, .power = 2},
    {NULL},
};
static const ab_line on_gpu[] = {
    {"task-thread", "tsp/task-thread", NULL, "ant per thread"},
    {"task-thread-block-{block}", "tsp/task-thread", "block={ants-of-block}", "ant per thread, {block} ants a block"},
    {"task-thread-readonly", "tsp/task-thread", "readonly=1", "ant per thread, read-only cache"},
    {"data-rw-{workers}", "tsp/data-rw", "workers={workers}", "roulette wheel"},
    {"data-rw-warp-{workers}", "tsp/data-rw-warp", "workers={workers}", "roulette wheel by sums of warps, ours"},
    {"i-roulette-{workers}", "tsp/i-roulette", "workers={workers}", "I-Roulette"},
    {"i-roulette-warp", "tsp/i-roulette-warp", NULL, "I-Roulette in registers, ours"},
    {"ds-roulette", "tsp/ds-roulette", NULL, "DS-Roulette"},
    {NULL},
};

static const ab_heading headings[] = {
    {"jpdc-3", "tour construction by worker ants", "jpdc-3", NULL, NULL},
    {"jpdc-7", "iterations of Ant System, of which Table 3 has the construction", NULL, NULL, NULL},
    {NULL},
};

static const ab_block blocks[] = {
    {"jpdc-7", "time", "protocol=as", {"u30", "{tsp-few}", "{tsp-candidates}"}, .lines = on_cpu, .stages = "jpdc-3"},
    {"jpdc-7", "time", "protocol=as", .lines = on_gpu, .stages = "jpdc-3"},
    {NULL},
};

const ab_driver table_jpdc_3 = {
    .name = "jpdc-3",
    .program = "table_jpdc_3",
    .machine = "JPDC, NVIDIA Tesla C2050 and one core of an Intel Xeon E5620",
    .summary = "Table 3 and Figure 7 of JPDC, Table 2 of JSC: tour construction on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 1, .precise = 0.01, .host_steps = 1e5},
                {.runs = 3, .iterations = 20, .budget_s = 0.45, .precise = 0.01, .host_steps = 1e5},
                {.runs = 10, .iterations = 100, .budget_s = 60, .host_steps = 1e8}},
    .inputs = {"u30", "{tsp-candidates}", "{tsp-candidates}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
