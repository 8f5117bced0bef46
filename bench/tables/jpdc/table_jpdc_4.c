/* Table 4 and Figures 4, 5 and 8 of JPDC, Figure 2 of JSC: the pheromone update when every ant deposits.
 *
 *   Table 4            time of an update, evaporation included, by five strategies on the GPU
 *   thesis §3.5.3      the stage of evaporation by entries of the matrix and by its rows
 *   Figure 8, JSC's 2  the fastest of them beside the CPU: ACOTSP's way, ours on one core and on all
 *
 * JPDC's rows are of a Tesla C2050; JSC's bars, of a C1060 too, have no numbers.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "tsp-jpdc", .members = "d198 a280 lin318 pcb442 rat783 pr1002 pcb1173 d1291 pr2392"},
    {NULL},
};

static const ab_line lines[] = {
    {.row = "acotsp-seq", .implementation = "deposit/acotsp-seq", .params = "threads=1", .label = "ACOTSP-style, 1 core"},
    {.row = "cpu-rows-1", .implementation = "deposit/cpu-rows", .params = "threads=1", .label = "fastest CPU, 1 core"},
    {.row = "cpu-rows-all", .implementation = "deposit/cpu-rows", .params = "threads=all", .label = "fastest CPU, all cores"},
    {.row = "atomic-tiling", .implementation = "deposit/atomic-tiling", .label = "1. atomics, tiled"},
    {.row = "atomic", .implementation = "deposit/atomic", .label = "2. atomics"},
    {.row = "atomic-cas", .implementation = "deposit/atomic-cas", .label = "2. atomics, by compare-and-swap"},
    {.row = "gather-tiled-reduction", .implementation = "deposit/gather-tiled-reduction", .label = "3. gather, tiled, half the threads"},
    {.row = "gather-tiled", .implementation = "deposit/gather-tiled", .label = "4. gather, tiled"},
    {.row = "gather", .implementation = "deposit/gather", .label = "5. scatter to gather"},
    {.row = "{name}", .implementation = "deposit/+"},
    {NULL},
};

static const ab_line evaporations[] = {
    {.row = "by-entries", .implementation = "deposit/atomic", .label = "a thread an entry"},
    {.row = "by-rows", .implementation = "deposit/evaporate-rows", .label = "a block per row"},
    {NULL},
};
static const ab_heading headings[] = {
    {.table = "3.5.3-update", .title = "pheromone updates that have the evaporations of 3.5.3"},
    {.table = "3.5.3", .title = "evaporation by entries of the matrix and by rows"},
    {.table = "jpdc-4", .title = "pheromone update, every ant deposits", .published = "jpdc-4", .metric = "update"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "jpdc-4", .measure = "time", .lines = lines},
    {.table = "3.5.3-update", .measure = "time", .on = {"d198", "{tsp-jpdc}", "{tsp-jpdc}"}, .lines = evaporations, .stages = "3.5.3", .part = 1},
    {NULL},
};

const ab_driver table_jpdc_4 = {
    .name = "jpdc-4",
    .program = "table_jpdc_4",
    .machine = "JPDC, NVIDIA Tesla C2050 and one core of an Intel Xeon E5620",
    .summary = "Table 4 and Figures 4, 5 and 8 of JPDC, Figure 2 of JSC: the pheromone update on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 10, .budget_s = 1, .precise = 0.01, .limit_s = 2, .host_steps = 5e7},
                {.runs = 1, .iterations = 100, .budget_s = 0.3, .precise = 0.01, .limit_s = 4, .host_steps = 5e7},
                {.runs = 1, .iterations = 100, .budget_s = 0.5, .limit_s = 180, .host_steps = 1e9}},
    .inputs = {"d198 lin318", "{tsp-jpdc}", "{tsp-jpdc}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
