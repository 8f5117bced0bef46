/* The fastest Ant System here: our fastest rungs beside the thesis's. Instances go up to sizes that the thesis's
 * kernels cannot hold. No matrix fits for the largest one. It has 1024 ants, because the tours of n ants would take 40
 * GB. docs/log/ant-system.md has the story. */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "tsp-frontier", .members = "d198 pcb442 pr1002 c2152 pr2392 u3038 u5915 u13509 u100000"},
    {.name = "tsp-dense", .members = "d198 pcb442 pr1002 c2152 pr2392 u3038 u5915 u13509"},
    {NULL},
};

static const ab_line all_cities[] = {
    {.row = "cpu-rejection-all", .implementation = "tsp/cpu-rejection", .params = "threads=all", .label = "CPU by rejection, all cores", .seconds = 1.5e-7, .power = 2},
    {.row = "cpu-blocks-all", .implementation = "tsp/cpu-blocks", .params = "threads=all", .label = "CPU by blocks, all cores", .seconds = 6e-8, .power = 2},
    {.row = "ds-roulette", .implementation = "tsp/ds-roulette", .label = "DS-Roulette"},
    {.row = "race", .implementation = "tsp/race", .label = "race of clocks, ours"},
    {NULL},
};
/* A clock per city, where the rows of all cities fit in shared memory. */
static const ab_line few_cities[] = {
    {.row = "race-each", .implementation = "tsp/race-each", .label = "race, a clock per city, ours"},
    {NULL},
};
static const ab_line candidates[] = {
    {.row = "cpu-vectors-nn-all", .implementation = "tsp/cpu-vectors-nn", .params = "nn=32;threads=all", .label = "fastest CPU, all cores", .seconds = 6e-9, .power = 2.4},
    {.row = "cand-block", .implementation = "tsp/cand-block", .params = "nn=32", .label = "ant per block"},
    {.row = "race-candidates", .implementation = "tsp/race-candidates", .params = "nn=32", .label = "race of clocks, ours"},
    {.row = "race-sparse", .implementation = "tsp/race-sparse", .params = "nn=32", .label = "race without matrices, ours"},
    {NULL},
};
static const ab_line sparse[] = {
    {.row = "cpu-sparse-all", .implementation = "tsp/cpu-sparse", .params = "nn=32;threads=all", .label = "fastest CPU, all cores", .seconds = 1.5e-4, .power = 1},
    {.row = "race-sparse", .implementation = "tsp/race-sparse", .params = "nn=32", .label = "race without matrices, ours"},
    {NULL},
};

/* In profile smoke, what else only large instances do: rows of few clocks, searches beyond the candidate sets. */
static const ab_line coded_rows[] = {
    {.row = "race-coded", .implementation = "tsp/race-candidates", .params = "nn=20;shared=20000", .label = "race of clocks, rows in codes"},
    {NULL},
};
static const ab_line searching[] = {
    {.row = "race-sparse", .implementation = "tsp/race-sparse", .params = "nn=8", .label = "race without matrices, ours"},
    {.row = "cpu-sparse-all", .implementation = "tsp/cpu-sparse", .params = "nn=8;threads=all", .label = "fastest CPU, all cores", .seconds = 1.5e-4, .power = 1},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "frontier", .title = "Ant System over all cities, time of an iteration"},
    {.table = "frontier-nn", .title = "Ant System with candidate sets of 32, time of an iteration"},
    {.table = "frontier-sparse", .title = "Ant System with candidate sets of 32 and 1024 ants, time of an iteration"},
    {.table = "frontier-stages", .title = "Ant System, time of the stages of an iteration"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "frontier", .measure = "time", .params = "protocol=as|as-best", .on = {"u30", NULL, "{tsp-dense}"}, .lines = all_cities, .stages = "frontier-stages"},
    {.table = "frontier", .measure = "time", .params = "protocol=as|as-best", .on = {"u30", "d198 pcb442", "d198 pcb442"}, .lines = few_cities, .stages = "frontier-stages"},
    {.table = "frontier-nn", .measure = "time", .params = "protocol=as|as-best", .on = {"u30", NULL, "{tsp-dense}"}, .lines = candidates, .stages = "frontier-stages", .part = 1},
    {.table = "frontier-nn", .measure = "time", .params = "protocol=as|as-best", .on = AB_ALWAYS("u100"), .lines = coded_rows, .stages = "frontier-stages", .part = 1, .smoke_only = true},
    {.table = "frontier-sparse", .measure = "time", .params = "ants=1024;protocol=as|as-best", .on = {"u30", NULL, "u13509 u100000"}, .lines = sparse, .stages = "frontier-stages", .part = 2},
    {.table = "frontier-sparse", .measure = "time", .params = "ants=64;protocol=as|as-best", .on = AB_ALWAYS("u100"), .lines = searching, .stages = "frontier-stages", .part = 2, .smoke_only = true},
    {NULL},
};

const ab_driver table_frontier = {
    .name = "frontier",
    .program = "table_frontier",
    .machine = "none: no source has these",
    .summary = "The frontier: the fastest Ant System here, up to 100000 cities.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 1, .precise = 0.01, .host_steps = 1e5},
                {.runs = 1, .iterations = 20, .budget_s = 0.3, .precise = 0.01, .host_steps = 1e5},
                {.runs = 5, .iterations = 20, .budget_s = 0.7, .limit_s = 20, .host_steps = 1e8}},
    .inputs = {"u30 u100", "d198 pcb442 pr1002", "{tsp-frontier}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
