/* JPDC §3.3: the loads of global memory by the update that gathers, which no table of JPDC shows.
 *
 * The thread counts what it reads, so these rows are counts and not times. Table 4 times the same kernels without a
 * counter.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "tsp-loads", .members = "d198 a280 lin318 pcb442 rat783 pr1002 pcb1173 d1291 pr2392"},
    {NULL},
};

static const ab_line lines[] = {
    {.row = "gather-tiled-reduction", .implementation = "deposit/gather-tiled-reduction", .label = "3. gather, tiled, half the threads"},
    {.row = "gather-tiled", .implementation = "deposit/gather-tiled", .label = "4. gather, tiled"},
    {.row = "gather", .implementation = "deposit/gather", .label = "5. scatter to gather"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "jpdc-3.3", .title = "loads of global memory by a pheromone update that gathers"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "jpdc-3.3", .measure = "loads", .lines = lines},
    {NULL},
};

const ab_driver table_jpdc_3_3 = {
    .name = "jpdc-3.3",
    .program = "table_jpdc_3_3",
    .machine = "none: JPDC has sentences, no numbers",
    .summary = "A sentence of JPDC §3.3: loads of global memory by the pheromone update.",
    .efforts = {{.runs = 1, .iterations = 1, .budget_s = 1, .host_steps = 5e7},
                {.runs = 1, .iterations = 1, .budget_s = 1, .host_steps = 5e7},
                {.runs = 1, .iterations = 1, .budget_s = 1, .host_steps = 1e9}},
    .inputs = {"d198 lin318", "{tsp-loads}", "{tsp-loads}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
