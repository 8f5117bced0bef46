/* Table 3 and Figure 7 of JPDC, Table 2 of JSC: tour construction by the ladder of Cecilia et al.
 *
 *   Table 3                  time of a construction by I-Roulette with 16 to 1024 worker ants; here by the wheel as well
 *   Figure 7, JSC's Table 2  that of the best of them beside an ant per thread and the CPU
 *
 * Every ant deposits, as in JPDC. A construction is a stage of an iteration; whole iterations stand in a table of their
 * own. JPDC's times are of a Tesla C2050; JSC's, of a C1060 too, stand in the report.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "workers", .members = "16 32 64 128 256 512 1024"},
    {.name = "ants-of-block", .members = "4 8 32 64"},
    {NULL},
};

static const ab_line on_cpu[] = {
    {.row = "acotsp-seq", .implementation = "tsp/acotsp-seq", .params = "threads=1", .label = "ACOTSP-style, 1 core", .seconds = 6e-10, .power = 3},
    {.row = "cpu-rejection-all", .implementation = "tsp/cpu-rejection", .params = "threads=all", .label = "CPU by rejection, all cores", .seconds = 1.5e-7, .power = 2},
    {NULL},
};
static const ab_line on_gpu[] = {
    {.row = "task-thread", .implementation = "tsp/task-thread", .label = "ant per thread"},
    {.row = "task-thread-block-{block}", .implementation = "tsp/task-thread", .params = "block={ants-of-block}", .label = "ant per thread, {block} ants per block"},
    {.row = "task-thread-readonly", .implementation = "tsp/task-thread", .params = "readonly=1", .label = "ant per thread, read-only cache"},
    {.row = "data-rw-{workers}", .implementation = "tsp/data-rw", .params = "workers={workers}", .label = "roulette wheel"},
    {.row = "data-rw-warp-{workers}", .implementation = "tsp/data-rw-warp", .params = "workers={workers}", .label = "roulette wheel by sums of warps, ours"},
    {.row = "i-roulette-{workers}", .implementation = "tsp/i-roulette", .params = "workers={workers}", .label = "I-Roulette"},
    {.row = "i-roulette-warp", .implementation = "tsp/i-roulette-warp", .label = "I-Roulette in registers, ours"},
    {.row = "ds-roulette", .implementation = "tsp/ds-roulette", .label = "DS-Roulette"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "jpdc-3", .title = "tour construction by worker ants", .published = "jpdc-3"},
    {.table = "jpdc-7", .title = "iterations of Ant System, of which Table 3 has the construction"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "jpdc-7", .measure = "time", .params = "protocol=as", .on = {"u30", "{tsp-few}", "{tsp-candidates}"}, .lines = on_cpu, .stages = "jpdc-3"},
    {.table = "jpdc-7", .measure = "time", .params = "protocol=as", .lines = on_gpu, .stages = "jpdc-3"},
    {NULL},
};

const ab_driver table_jpdc_3 = {
    .name = "jpdc-3",
    .program = "table_jpdc_3",
    .machine = "JPDC, NVIDIA Tesla C2050 and one core of an Intel Xeon E5620",
    .summary = "Table 3 and Figure 7 of JPDC, Table 2 of JSC: tour construction on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 1, .precise = 0.01, .host_steps = 1e5},
                {.runs = 3, .iterations = 20, .budget_s = 0.45, .precise = 0.01, .host_steps = 1e5},
                {.runs = 10, .iterations = 100, .budget_s = 0.25, .host_steps = 1e8}},
    .inputs = {"u30", "{tsp-candidates}", "{tsp-candidates}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
