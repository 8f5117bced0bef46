/* What an H100 can do with Ant System: the fastest rungs here beside the thesis's, up to instances that its own could not
 * hold, and one of which no matrix fits, with 1024 ants, as the tours of n would be 40 GB. docs/frontier.md has the story. */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {"tsp-frontier", "d198 pcb442 pr1002 c2152 pr2392 u3038 u5915 u13509 u100000"},
    {"tsp-dense", "d198 pcb442 pr1002 c2152 pr2392 u3038 u5915 u13509"},
    {NULL, NULL},
};

static const ab_line all_cities[] = {
    {"cpu-best-all", "tsp/cpu-best", "threads=all", "CPU by rejection, all cores", .seconds = 1.5e-7, .power = 2},
    {"cpu-alias-all", "tsp/cpu-alias", "threads=all", "CPU by alias tables, all cores", .seconds = 7e-8, .power = 2},
    {"cpu-blocks-all", "tsp/cpu-blocks", "threads=all", "CPU by blocks, all cores", .seconds = 6e-8, .power = 2},
    {"ds-roulette", "tsp/ds-roulette", .label = "DS-Roulette"},
    {"race", "tsp/race", .label = "race of clocks, ours"},
    {NULL},
};
static const ab_line candidates[] = {
    {"cpu-best-nn-all", "tsp/cpu-best-nn", "nn=32;threads=all", "fastest CPU, all cores", .seconds = 6e-9,
     .power = 2.4},
    {"cand-block", "tsp/cand-block", "nn=32", "ant per block"},
    {"race-candidates", "tsp/race-candidates", "nn=32", "race of clocks, ours"},
    {"race-sparse", "tsp/race-sparse", "nn=32", "race without matrices, ours"},
    {NULL},
};
static const ab_line sparse[] = {
    {"cpu-sparse-all", "tsp/cpu-sparse", "nn=32;threads=all", "fastest CPU, all cores", .seconds = 1.5e-4, .power = 1},
    {"race-sparse", "tsp/race-sparse", "nn=32", "race without matrices, ours"},
    {NULL},
};

static const ab_heading headings[] = {
    {"frontier", "Ant System over all cities, time of an iteration", NULL, NULL, NULL},
    {"frontier-nn", "Ant System with candidate sets of 32, time of an iteration", NULL, NULL, NULL},
    {"frontier-sparse", "Ant System with candidate sets of 32 and 1024 ants, time of an iteration", NULL, NULL, NULL},
    {"frontier-stages", "Ant System, time of the stages of an iteration", NULL, NULL, NULL},
    {NULL},
};

#define DENSE                                                                                                          \
    {                                                                                                                  \
        NULL, NULL, "{tsp-dense}"                                                                                      \
    }
#define LARGE                                                                                                          \
    {                                                                                                                  \
        NULL, NULL, "u13509 u100000"                                                                                   \
    }
static const ab_block blocks[] = {
    {"frontier", "time", "protocol=as|as-best", DENSE, .lines = all_cities, .stages = "frontier-stages"},
    {"frontier-nn", "time", "protocol=as|as-best", DENSE, .lines = candidates, .stages = "frontier-stages", .part = 1},
    {"frontier-sparse", "time", "ants=1024;protocol=as|as-best", LARGE, .lines = sparse, .stages = "frontier-stages",
     .part = 2},
    {NULL},
};

const ab_driver table_frontier = {
    .name = "frontier",
    .program = "table_frontier",
    .machine = "none: no source has these",
    .summary = "The frontier: the fastest Ant System here, up to 100000 cities.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 1, .precise = 0.01, .host_steps = 1e5},
                {.runs = 1, .iterations = 20, .budget_s = 0.3, .precise = 0.01, .host_steps = 1e5},
                {.runs = 5, .iterations = 60, .budget_s = 10, .limit_s = 60, .host_steps = 1e8}},
    .inputs = {"u30", "d198 pcb442 pr1002", "{tsp-frontier}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
