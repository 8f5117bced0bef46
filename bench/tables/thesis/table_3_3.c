/* Tables 3.2, 3.3 and 3.4 and Figure 3.9 of the thesis: Ant System on the CPU and the GPU.
 *   Table 3.3  time per iteration, a row per implementation;  Table 3.2  tour quality: the best tours of the same runs
 *   Table 3.4  time of the stages of the same iterations;     Figure 3.9  DS-Roulette by its share of shared memory
 * Both update protocols are measured: as-best, which the thesis uses (§3.5.3), and as, which JPDC uses. */
#include "bench/plan/driver.h"
#include "kernels/tsp/tsp.h"

static const ab_set sets[] = {
    {.name = "tsp", .members = "d198 a280 lin318 pcb442 rat783 pr1002 nrw1379 pr2392"},
    {.name = "tsp-few", .members = "d198 pcb442 pr1002"},
    {.name = "tsp-cached", .members = "d198 a280 lin318 pcb442 rat783 pr1002"},
    /* percent */
    {.name = "carveouts", .members = "0 25 50 75 100"},
    {NULL},
};
static const ab_line on_cpu[] = {
    {.row = "acotsp-seq", .implementation = "tsp/acotsp-seq", .params = "threads=1", .label = "ACOTSP-style, 1 core", .seconds = 6e-10, .power = 3, .least = 6},
    {.row = "cpu-blocks-1", .implementation = "tsp/cpu-blocks", .params = "threads=1", .label = "CPU by blocks of cities, 1 core", .seconds = 6e-8, .power = 2},
    {.row = "cpu-blocks-all", .implementation = "tsp/cpu-blocks", .params = "threads=all", .label = "CPU by blocks, all cores", .seconds = 6e-8, .power = 2},
    {NULL},
};
/* What the thesis compares. */
static const ab_line compared[] = {
    {.row = "i-roulette", .implementation = "tsp/i-roulette", .params = "workers=128", .label = "I-Roulette"},
    {.row = "ds-roulette", .implementation = "tsp/ds-roulette", .label = "DS-Roulette"},
    {NULL},
};
static const ab_line on_gpu[] = {
    {.row = "i-roulette-warp", .implementation = "tsp/i-roulette-warp", .label = "I-Roulette in registers, ours"},
    {.row = "{name}", .implementation = "tsp/+"},
    {NULL},
};
/* On more cities cpu-blocks is faster. */
static const ab_line cached[] = {
    {.row = "cpu-rejection-1", .implementation = "tsp/cpu-rejection", .params = "threads=1", .label = "CPU by rejection, 1 core", .seconds = 1.5e-7, .power = 2},
    {.row = "cpu-rejection-all", .implementation = "tsp/cpu-rejection", .params = "threads=all", .label = "CPU by rejection, all cores", .seconds = 1.5e-7, .power = 2},
    {NULL},
};
static const ab_line all_cores[] = {
    {.row = "acotsp-omp", .implementation = "tsp/acotsp-omp", .params = "threads=all", .label = "ACOTSP-style, all cores", .seconds = 6e-10, .power = 3},
    {NULL},
};
static const ab_line swept[] = {
    {.row = "ds-roulette", .implementation = "tsp/ds-roulette", .label = "DS-Roulette"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "3.3", .title = "Ant System, time of an iteration and best tours (Table 3.2)", .published = "thesis-3.3", .metric = "iteration"},
    {.table = "3.4", .title = "Ant System, time of the stages of an iteration", .published = "thesis-3.4"},
    {.table = "F3.9", .title = "DS-Roulette by its share of shared memory"},
    {NULL},
};
static const ab_block blocks[] = {
    {.table = "3.3", .measure = "time", .params = "protocol=as-best", .lines = on_cpu, .stages = "3.4"},
    {.table = "3.3", .measure = "time", .params = "protocol=as-best", .lines = compared, .stages = "3.4"},
    {.table = "3.3", .measure = "time", .params = "protocol=as-best", .lines = on_gpu, .without = TSP_CANDIDATES, .stages = "3.4"},
    {.table = "3.3", .measure = "time", .params = "protocol=as-best", .on = {NULL, "{tsp-cached}", "{tsp-cached}"}, .lines = cached, .stages = "3.4"},
    {.table = "3.3", .measure = "time", .params = "protocol=as", .on = {"d198", "{tsp-few}", "{tsp-few}"}, .lines = on_cpu, .stages = "3.4", .part = 1, .unpublished = true},
    {.table = "3.3", .measure = "time", .params = "protocol=as", .on = {"d198", "{tsp-few}", "{tsp}"}, .lines = compared, .stages = "3.4", .part = 1, .unpublished = true},
    {.table = "3.3", .measure = "time", .params = "protocol=as", .on = {"d198", "{tsp-few}", "{tsp-few}"}, .lines = on_gpu, .without = TSP_CANDIDATES, .stages = "3.4", .part = 1, .unpublished = true},
    {.table = "3.3", .measure = "time", .params = "protocol=as", .on = {"d198", "{tsp-few}", "{tsp-few}"}, .lines = cached, .stages = "3.4", .part = 1, .unpublished = true},
    {.table = "3.3", .measure = "time", .params = "protocol=as-best|as", .on = {NULL, "{tsp-few}", NULL}, .lines = all_cores, .stages = "3.4", .part = 1},
    {.table = "F3.9", .measure = "time", .params = "protocol=as-best;carveout={carveouts}", .on = {"{tsp}", "pr2392", "{tsp}"}, .lines = swept, .runs = 1, .gpu_only = true, .part = 2},
    {NULL},
};
const ab_driver table_3_3 = {
    .name = "3.3",
    .program = "table_3_3",
    .machine = "thesis, NVIDIA GTX 580 and one core of an Intel i7 950",
    .summary = "Tables 3.2, 3.3 and 3.4 and Figure 3.9: Ant System on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 2, .precise = 0.01, .host_steps = 1e6},
                {.runs = 5, .iterations = 100, .budget_s = 0.5, .precise = 0.01, .host_steps = 5e5},
                {.runs = 10, .iterations = 100, .budget_s = 0.7, .host_steps = 1e8}},
    .inputs = {"d198 pcb442", "{tsp}", "{tsp}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
