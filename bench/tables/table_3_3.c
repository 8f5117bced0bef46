/* Tables 3.2, 3.3 and 3.4 and Figure 3.9 of the thesis: Ant System on the CPU and the GPU.
 *   Table 3.3  time per iteration, a row per implementation;  Table 3.2  tour quality: the best tours of the same runs
 *   Table 3.4  time of the stages of the same iterations;     Figure 3.9  DS-Roulette by its share of shared memory
 * Both update protocols are measured: as-best, which the thesis uses (§3.5.3), and as, which JPDC uses. */
#include <math.h>

#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {"tsp", "d198 a280 lin318 pcb442 rat783 pr1002 nrw1379 pr2392"},
    {"tsp-few", "d198 pcb442 pr1002"},
    {"tsp-cached", "d198 a280 lin318 pcb442 rat783 pr1002"},
    {"carveouts", "0 25 50 75 100"} /* percent */,
    {NULL, NULL},
};
static const ab_line lines[] = {
    {"acotsp-seq", "tsp/acotsp-seq", "threads=1", "ACOTSP-style, 1 core", .seconds = 1.9e-9, .power = 3, .least = 6},
    {"cpu-blocks-1", "tsp/cpu-blocks", "threads=1", "CPU by blocks of cities, 1 core", .seconds = 6e-8, .power = 2},
    {"cpu-blocks-all", "tsp/cpu-blocks", "threads=all", "CPU by blocks, all cores", .seconds = 6e-8, .power = 2},
    {"i-roulette", "tsp/i-roulette", "workers=128", "I-Roulette"},
    {"i-roulette-warp", "tsp/i-roulette-warp", .label = "I-Roulette in registers, ours"},
    {"ds-roulette", "tsp/ds-roulette", .label = "DS-Roulette"},
    {"{name}", "tsp/+"},
    {NULL},
};
/* On more cities cpu-blocks is faster. */
static const ab_line cached[] = {
    {"cpu-best-1", "tsp/cpu-best", "threads=1", "CPU by rejection, 1 core", .seconds = 1.5e-7, .power = 2},
    {"cpu-best-all", "tsp/cpu-best", "threads=all", "CPU by rejection, all cores", .seconds = 1.5e-7, .power = 2},
    {"cpu-alias-1", "tsp/cpu-alias", "threads=1", "CPU by alias tables, 1 core", .seconds = 7e-8, .power = 2},
    {"cpu-alias-all", "tsp/cpu-alias", "threads=all", "CPU by alias tables, all cores", .seconds = 7e-8, .power = 2},
    {NULL},
};
static const ab_line all_cores[] = {
    {"acotsp-omp", "tsp/acotsp-omp", "threads=all", "ACOTSP-style, all cores", .seconds = 1.9e-9, .power = 3}, {NULL}};
static const ab_line swept[] = {{"ds-roulette", "tsp/ds-roulette", .label = "DS-Roulette"}, {NULL}};

static const ab_heading headings[] = {
    {"3.3", "Ant System, time of an iteration and best tours (Table 3.2)", "thesis-3.3", "iteration", NULL},
    {"3.4", "Ant System, time of the stages of an iteration", "thesis-3.4", NULL, NULL},
    {"F3.9", "DS-Roulette by its share of shared memory", NULL, NULL, NULL},
    {NULL},
};
static const ab_block blocks[] = {
    {"3.3", "time", "protocol=as-best", .lines = lines, .without = AB_CANDIDATES, .stages = "3.4"},
    {"3.3", "time", "protocol=as-best", {NULL, "{tsp-cached}", NULL}, .lines = cached, .stages = "3.4"},
    {"3.3",
     "time",
     "protocol=as",
     {"d198", "{tsp-few}", "{tsp}"},
     .lines = lines,
     .without = AB_CANDIDATES,
     .stages = "3.4",
     .part = 1,
     .unpublished = true},
    {"3.3",
     "time",
     "protocol=as",
     {"d198", "{tsp-few}", "{tsp}"},
     .lines = cached,
     .stages = "3.4",
     .part = 1,
     .unpublished = true},
    {"3.3", "time", "protocol=as-best|as", {NULL, "{tsp-few}", NULL}, .lines = all_cores, .stages = "3.4", .part = 1},
    {"F3.9",
     "time",
     "protocol=as-best;carveout={carveouts}",
     {"{tsp}", "pr2392", "{tsp}"},
     .lines = swept,
     .runs = 1,
     .gpu_only = true,
     .part = 2},
    {NULL},
};
const ab_driver table_3_3 = {
    .name = "3.3",
    .program = "table_3_3",
    .machine = "thesis, NVIDIA GTX 580 and one core of an Intel i7 950",
    .summary = "Tables 3.2, 3.3 and 3.4 and Figure 3.9: Ant System on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 2, .precise = 0.01, .host_steps = 1e6},
                {.runs = 5, .iterations = 100, .budget_s = 0.5, .precise = 0.01, .host_steps = 5e5},
                {.runs = 10, .iterations = 100, .budget_s = INFINITY, .host_steps = 1e8}},
    .inputs = {"d198 pcb442", "{tsp}", "{tsp}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
