/* Tables 4.1 and 4.2 of the thesis: Ant System with candidate sets on the CPU and the GPU.
 *
 *   Table 4.1  what candidate sets do to the CPU's time, beside GPU kernels that have none (Table 3.3's, again)
 *   Table 4.2  candidate sets on both: the two data-parallel mappings against the CPU
 *
 * Rows that the thesis only describes are measured too: the ant per thread (§4.4.4) and sets of 20 against 32 (§4.4.5).
 * The CPU's published times fit ACOTSP's default of 20 candidates, the GPU has 32, a warp; cpu-best-nn has 32.
 */
#include <math.h>

#include "bench/plan/driver.h"

static const ab_set sets[] = {{"tsp-candidates", "d198 a280 lin318 pcb442 rat783 pr1002 pr2392"}, {NULL, NULL}};

static const ab_line on_cpu[] = {
    {"acotsp-seq", "tsp/acotsp-seq", "threads=1", "CPU, 1 core", .seconds = 1.9e-9, .power = 3}, {NULL}};
static const ab_line without[] = {
    {"i-roulette", "tsp/i-roulette", "workers=128", "I-Roulette"},
    {"i-roulette-warp", "tsp/i-roulette-warp", .label = "I-Roulette in registers, ours"},
    {"ds-roulette", "tsp/ds-roulette", .label = "DS-Roulette"},
    {NULL},
};
static const ab_line with[] = {
    {"acotsp-seq-nn", "tsp/acotsp-seq-nn", "nn=20;threads=1", "CPU, 1 core", .seconds = 1.9e-8, .power = 2.4},
    {"acotsp-seq-nn-32", "tsp/acotsp-seq-nn", "nn=32;threads=1", "CPU, 1 core, sets of 32", .seconds = 1.9e-8,
     .power = 2.4},
    {"acotsp-omp-nn", "tsp/acotsp-omp-nn", "nn=20;threads=all", "ACOTSP-style, all cores", .seconds = 1.9e-8,
     .power = 2.4},
    {"cpu-best-nn-1", "tsp/cpu-best-nn", "nn=32;threads=1", "fastest CPU, 1 core", .seconds = 6e-9, .power = 2.4},
    {"cpu-best-nn-all", "tsp/cpu-best-nn", "nn=32;threads=all", "fastest CPU, all cores", .seconds = 6e-9,
     .power = 2.4},
    {"cand-thread", "tsp/cand-thread", "nn=32", "ant per thread", .seconds = 1e-8, .power = 2},
    {"cand-block-20", "tsp/cand-block", "nn=20", "ant per block, sets of 20"},
    {"cand-block", "tsp/cand-block", "nn=32", "ant per block"},
    {"cand-block-compress", "tsp/cand-block-compress", "nn=32", "with compression"},
    {"{name}", "tsp/+", "nn=32"},
    {NULL},
};

static const ab_heading headings[] = {
    {"4.1", "Ant System without candidate sets, time of an iteration", "thesis-4.1", "iteration", NULL},
    {"4.2", "Ant System with candidate sets, time of an iteration", "thesis-4.2", "iteration", NULL},
    {NULL},
};

#define FEW                                                                                                            \
    {                                                                                                                  \
        "d198", "{tsp-few}", "{tsp-candidates}"                                                                        \
    }
static const ab_block blocks[] = {
    {"4.1", "time", "protocol=as-best", {"d198 pcb442", "{tsp-few}", "{tsp-candidates}"}, .lines = on_cpu, .runs = 1},
    {"4.1", "time", "protocol=as-best", .lines = without, .runs = 1},
    {"4.2", "time", "protocol=as-best", .lines = with, .with = AB_CANDIDATES},
    {"4.1", "time", "protocol=as", FEW, .lines = on_cpu, .runs = 1, .part = 1, .unpublished = true},
    {"4.1", "time", "protocol=as", FEW, .lines = without, .runs = 1, .part = 1, .unpublished = true},
    {"4.2", "time", "protocol=as", FEW, .lines = with, .with = AB_CANDIDATES, .part = 1, .unpublished = true},
    {NULL},
};

const ab_driver table_4_2 = {
    .name = "4.2",
    .program = "table_4_2",
    .machine = "thesis, NVIDIA GTX 580 and one core of an Intel i7 950",
    .summary = "Tables 4.1 and 4.2: Ant System with candidate sets on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 2, .precise = 0.01, .host_steps = 1e6},
                {.runs = 5, .iterations = 100, .budget_s = 0.5, .precise = 0.01, .host_steps = 5e5},
                {.runs = 10, .iterations = 100, .budget_s = INFINITY, .host_steps = 1e8}},
    .inputs = {"d198 pcb442", "{tsp-candidates}", "{tsp-candidates}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
