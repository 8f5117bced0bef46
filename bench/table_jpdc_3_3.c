/* A sentence of JPDC §3.3 that its tables do not show: loads of global memory by the update that gathers.
 *
 * The thread counts what it reads, so that these rows are counts and no times; those of Table 4 are of the same kernels
 * without a counter.
 */
#include "bench/harness/driver.h"

static const ab_set sets[] = {{"tsp-loads", "d198 a280 lin318 pcb442 rat783 pr1002 pcb1173 d1291 pr2392"},
                              {NULL, NULL}};

static const ab_line lines[] = {
    {"gather-tiled-reduction", "deposit/gather-tiled-reduction", NULL, "3. gather, tiled, half the threads"},
    {"gather-tiled", "deposit/gather-tiled", NULL, "4. gather, tiled"},
    {"gather", "deposit/gather", NULL, "5. scatter to gather"},
    {NULL},
};

static const ab_heading headings[] = {
    {"jpdc-3.3", "loads of global memory by a pheromone update that gathers", NULL, NULL, NULL},
    {NULL},
};

static const ab_block blocks[] = {{"jpdc-3.3", "loads", .lines = lines}, {NULL}};

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
