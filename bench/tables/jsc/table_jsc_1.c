/* Table 1 of JSC, its columns of choice_info, and Figure 6 of JPDC: the weights of all edges.
 *
 *   Table 1        time for a matrix by powf(), by __powf() and without a power, in blocks of 256 threads
 *   JPDC Figure 6  operations and bytes per second, from the same rows, and here by threads per block
 *
 * JSC's times are of a Tesla C1060 and a C2050: the C2050's stand beside ours here, both in the report.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "choice-blocks", .members = "16 32 64 128 256 512 1024"},
    {NULL},
};

static const ab_line lines[] = {
    {.row = "acotsp-seq", .implementation = "choice-info/acotsp-seq", .params = "threads=1", .label = "ACOTSP-style, 1 core", .seconds = 3e-8, .power = 2},
    {.row = "cpu-simd-1", .implementation = "choice-info/cpu-simd", .params = "threads=1", .label = "fastest CPU, 1 core"},
    {.row = "cpu-simd-all", .implementation = "choice-info/cpu-simd", .params = "threads=all", .label = "fastest CPU, all cores"},
    {.row = "powf", .implementation = "choice-info/powf", .label = "powf()", .published = "powf-c2050"},
    {.row = "fast-powf", .implementation = "choice-info/fast-powf", .label = "__powf()", .published = "fast-powf-c2050"},
    {.row = "multiply", .implementation = "choice-info/multiply", .label = "no power"},
    {.row = "{name}", .implementation = "choice-info/+"},
    {NULL},
};
static const ab_line swept[] = {
    {.row = "powf-{block}", .implementation = "choice-info/powf", .params = "block={choice-blocks}", .label = "powf()"},
    {.row = "fast-powf-{block}", .implementation = "choice-info/fast-powf", .params = "block={choice-blocks}", .label = "__powf()"},
    {.row = "multiply-{block}", .implementation = "choice-info/multiply", .params = "block={choice-blocks}", .label = "no power"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "jsc-1", .title = "choice_info, time for all edges", .published = "jsc-1", .metric = "choice"},
    {.table = "jpdc-F6", .title = "choice_info by threads per block"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "jsc-1", .measure = "time", .lines = lines},
    {.table = "jpdc-F6", .measure = "time", .on = {"d198", "d198 pr1002 pr2392", "{tsp-jpdc}"}, .lines = swept, .part = 1, .gpu_only = true},
    {NULL},
};

const ab_driver table_jsc_1 = {
    .name = "jsc-1",
    .program = "table_jsc_1",
    .machine = "JSC, NVIDIA Tesla C2050",
    .summary = "Table 1 of JSC and Figure 6 of JPDC: choice_info on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 10, .budget_s = 1, .precise = 0.01, .limit_s = 5, .host_steps = 1e7},
                {.runs = 1, .iterations = 100, .budget_s = 0.3, .precise = 0.01, .limit_s = 20, .host_steps = 1e7},
                {.runs = 1, .iterations = 100, .budget_s = 0.15, .host_steps = 1e7}},
    .inputs = {"d198 lin318", "{tsp-jpdc}", "{tsp-jpdc}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
