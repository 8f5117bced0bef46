/* Table 1 of JSC, its columns of choice_info, and Figure 6 of JPDC: the weights of all edges.
 *
 *   Table 1        time for a matrix by powf(), by __powf() and without a power, in blocks of 256 threads
 *   JPDC Figure 6  operations and bytes a second, from the same rows, and here by threads a block
 *
 * JSC's times are of a Tesla C1060 and a C2050: the C2050's stand beside ours here, both in the report.
 */
#include <math.h>

#include "bench/plan/driver.h"

static const ab_set sets[] = {{"choice-blocks", "16 32 64 128 256 512 1024"}, {NULL, NULL}};

static const ab_line lines[] = {
    {"acotsp-seq", "choice-info/acotsp-seq", "threads=1", "ACOTSP-style, 1 core", .seconds = 3e-8, .power = 2},
    {"cpu-best-1", "choice-info/cpu-best", "threads=1", "fastest CPU, 1 core"},
    {"cpu-best-all", "choice-info/cpu-best", "threads=all", "fastest CPU, all cores"},
    {"powf", "choice-info/powf", NULL, "powf()", "powf-c2050"},
    {"fast-powf", "choice-info/fast-powf", NULL, "__powf()", "fast-powf-c2050"},
    {"multiply", "choice-info/multiply", NULL, "no power"},
    {"{name}", "choice-info/+"},
    {NULL},
};
static const ab_line swept[] = {
    {"powf-{block}", "choice-info/powf", "block={choice-blocks}", "powf()"},
    {"fast-powf-{block}", "choice-info/fast-powf", "block={choice-blocks}", "__powf()"},
    {"multiply-{block}", "choice-info/multiply", "block={choice-blocks}", "no power"},
    {NULL},
};

static const ab_heading headings[] = {
    {"jsc-1", "choice_info, time for all edges", "jsc-1", "choice", NULL},
    {"jpdc-F6", "choice_info by threads a block", NULL, NULL, NULL},
    {NULL},
};

static const ab_block blocks[] = {
    {"jsc-1", "time", .lines = lines},
    {"jpdc-F6",
     "time",
     NULL,
     {"d198", "d198 pr1002 pr2392", "{tsp-jpdc}"},
     .lines = swept,
     .part = 1,
     .gpu_only = true},
    {NULL},
};

const ab_driver table_jsc_1 = {
    .name = "jsc-1",
    .program = "table_jsc_1",
    .machine = "JSC, NVIDIA Tesla C2050",
    .summary = "Table 1 of JSC and Figure 6 of JPDC: choice_info on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 10, .budget_s = 1, .precise = 0.01, .limit_s = 5, .host_steps = 1e7},
                {.runs = 1, .iterations = 100, .budget_s = 0.3, .precise = 0.01, .limit_s = 20, .host_steps = 1e7},
                {.runs = 1, .iterations = 100, .budget_s = INFINITY, .host_steps = 1e7}},
    .inputs = {"d198 lin318", "{tsp-jpdc}", "{tsp-jpdc}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
