/* Table 4 and Figures 4, 5 and 8 of JPDC, Figure 2 of JSC: the pheromone update when every ant deposits.
 *
 *   Table 4            time of an update, evaporation included, by five strategies on the GPU
 *   thesis §3.5.3      the stage of evaporation by entries of the matrix and by its rows
 *   Figure 8, JSC's 2  the fastest of them beside the CPU: ACOTSP's way, ours on one core and on all
 *
 * JPDC's rows are of a Tesla C2050; JSC's bars, of a C1060 too, have no numbers.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {{"tsp-jpdc", "d198 a280 lin318 pcb442 rat783 pr1002 pcb1173 d1291 pr2392"}, {NULL, NULL}};

static const ab_line lines[] = {
    {"acotsp-seq", "deposit/acotsp-seq", "threads=1", "ACOTSP-style, 1 core"},
    {"cpu-best-1", "deposit/cpu-best", "threads=1", "fastest CPU, 1 core"},
    {"cpu-best-all", "deposit/cpu-best", "threads=all", "fastest CPU, all cores"},
    {"atomic-tiling", "deposit/atomic-tiling", NULL, "1. atomics, tiled"},
    {"atomic", "deposit/atomic", NULL, "2. atomics"},
    {"atomic-cas", "deposit/atomic-cas", NULL, "2. atomics, by compare-and-swap"},
    {"gather-tiled-reduction", "deposit/gather-tiled-reduction", NULL, "3. gather, tiled, half the threads"},
    {"gather-tiled", "deposit/gather-tiled", NULL, "4. gather, tiled"},
    {"gather", "deposit/gather", NULL, "5. scatter to gather"},
    {"{name}", "deposit/+"},
    {NULL},
};

/* clang-format off */
static const ab_line evaporations[] = {{"by-entries", "deposit/atomic", .label = "a thread an entry"},
                                       {"by-rows", "deposit/evaporate-rows", .label = "a block a row"}, {NULL}};
/* clang-format on */
static const ab_heading headings[] = {
    {"3.5.3-update", "pheromone updates that have the evaporations of 3.5.3", NULL, NULL, NULL},
    {"3.5.3", "evaporation by entries of the matrix and by rows", NULL, NULL, NULL},
    {"jpdc-4", "pheromone update, every ant deposits", "jpdc-4", "update", NULL},
    {NULL},
};

static const ab_block blocks[] = {
    {"jpdc-4", "time", .lines = lines},
    {"3.5.3-update",
     "time",
     NULL,
     {"d198", "{tsp-jpdc}", "{tsp-jpdc}"},
     .lines = evaporations,
     .stages = "3.5.3",
     .part = 1},
    {NULL},
};

const ab_driver table_jpdc_4 = {
    .name = "jpdc-4",
    .program = "table_jpdc_4",
    .machine = "JPDC, NVIDIA Tesla C2050 and one core of an Intel Xeon E5620",
    .summary = "Table 4 and Figures 4, 5 and 8 of JPDC, Figure 2 of JSC: the pheromone update on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 10, .budget_s = 1, .precise = 0.01, .limit_s = 2, .host_steps = 5e7},
                {.runs = 1, .iterations = 100, .budget_s = 0.3, .precise = 0.01, .limit_s = 4, .host_steps = 5e7},
                {.runs = 1, .iterations = 100, .budget_s = 5, .limit_s = 120, .host_steps = 1e9}},
    .inputs = {"d198 lin318", "{tsp-jpdc}", "{tsp-jpdc}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
