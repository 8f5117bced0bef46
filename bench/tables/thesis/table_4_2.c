/* Tables 4.1 and 4.2 of the thesis: Ant System with candidate sets on the CPU and the GPU.
 *
 *   Table 4.1  what candidate sets do to the CPU's time, beside GPU kernels that have none (Table 3.3's, again)
 *   Table 4.2  candidate sets on both: the two data-parallel mappings against the CPU
 *
 * Rows that the thesis only describes are measured too: the ant per thread (§4.4.4) and sets of 20 against 32 (§4.4.5).
 * The CPU's published times fit ACOTSP's default of 20 candidates, the GPU has 32, a warp; cpu-vectors-nn has 32.
 */
#include "bench/plan/driver.h"
#include "kernels/tsp/tsp.h"

static const ab_set sets[] = {
    {.name = "tsp-candidates", .members = "d198 a280 lin318 pcb442 rat783 pr1002 pr2392"},
    {NULL},
};

static const ab_line on_cpu[] = {
    {.row = "acotsp-seq", .implementation = "tsp/acotsp-seq", .params = "threads=1", .label = "CPU, 1 core", .seconds = 6e-10, .power = 3},
    {NULL},
};
static const ab_line without[] = {
    {.row = "i-roulette", .implementation = "tsp/i-roulette", .params = "workers=128", .label = "I-Roulette"},
    {.row = "i-roulette-warp", .implementation = "tsp/i-roulette-warp", .label = "I-Roulette in registers, ours"},
    {.row = "ds-roulette", .implementation = "tsp/ds-roulette", .label = "DS-Roulette"},
    {NULL},
};
static const ab_line with[] = {
    {.row = "acotsp-seq-nn", .implementation = "tsp/acotsp-seq-nn", .params = "nn=20;threads=1", .label = "CPU, 1 core", .seconds = 1e-8, .power = 2.4},
    {.row = "acotsp-seq-nn-32", .implementation = "tsp/acotsp-seq-nn", .params = "nn=32;threads=1", .label = "CPU, 1 core, sets of 32", .seconds = 1e-8, .power = 2.4},
    {.row = "acotsp-omp-nn", .implementation = "tsp/acotsp-omp-nn", .params = "nn=20;threads=all", .label = "ACOTSP-style, all cores", .seconds = 1e-8, .power = 2.4},
    {.row = "cpu-vectors-nn-1", .implementation = "tsp/cpu-vectors-nn", .params = "nn=32;threads=1", .label = "fastest CPU, 1 core", .seconds = 6e-9, .power = 2.4},
    {.row = "cpu-vectors-nn-all", .implementation = "tsp/cpu-vectors-nn", .params = "nn=32;threads=all", .label = "fastest CPU, all cores", .seconds = 6e-9, .power = 2.4},
    {.row = "cand-thread", .implementation = "tsp/cand-thread", .params = "nn=32", .label = "ant per thread", .seconds = 1e-8, .power = 2},
    {.row = "cand-block-20", .implementation = "tsp/cand-block", .params = "nn=20", .label = "ant per block, sets of 20"},
    {.row = "cand-block", .implementation = "tsp/cand-block", .params = "nn=32", .label = "ant per block"},
    {.row = "cand-block-compress", .implementation = "tsp/cand-block-compress", .params = "nn=32", .label = "with compression"},
    {.row = "{name}", .implementation = "tsp/+", .params = "nn=32"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "4.1", .title = "Ant System without candidate sets, time of an iteration", .published = "thesis-4.1", .metric = "iteration"},
    {.table = "4.2", .title = "Ant System with candidate sets, time of an iteration", .published = "thesis-4.2", .metric = "iteration"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "4.1", .measure = "time", .params = "protocol=as-best", .on = {"d198 pcb442", "{tsp-few}", "{tsp-candidates}"}, .lines = on_cpu, .runs = 1},
    {.table = "4.1", .measure = "time", .params = "protocol=as-best", .lines = without, .runs = 1},
    {.table = "4.2", .measure = "time", .params = "protocol=as-best", .lines = with, .with = TSP_CANDIDATES},
    {.table = "4.1", .measure = "time", .params = "protocol=as", .on = {"d198", "{tsp-few}", "{tsp-few}"}, .lines = on_cpu, .runs = 1, .part = 1, .unpublished = true},
    {.table = "4.1", .measure = "time", .params = "protocol=as", .on = {"d198", "{tsp-few}", "{tsp-few}"}, .lines = without, .runs = 1, .part = 1, .unpublished = true},
    {.table = "4.2", .measure = "time", .params = "protocol=as", .on = {"d198", "{tsp-few}", "{tsp-few}"}, .lines = with, .with = TSP_CANDIDATES, .part = 1, .unpublished = true},
    {NULL},
};

const ab_driver table_4_2 = {
    .name = "4.2",
    .program = "table_4_2",
    .machine = "thesis, NVIDIA GTX 580 and one core of an Intel i7 950",
    .summary = "Tables 4.1 and 4.2: Ant System with candidate sets on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 2, .precise = 0.01, .host_steps = 1e6},
                {.runs = 5, .iterations = 100, .budget_s = 0.5, .precise = 0.01, .host_steps = 5e5},
                {.runs = 10, .iterations = 100, .budget_s = 0.7, .host_steps = 1e8}},
    .inputs = {"d198 pcb442", "{tsp-candidates}", "{tsp-candidates}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
