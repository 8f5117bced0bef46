/* What local search and MAX-MIN Ant System give: time and best tour of an iteration without the stage "improve", with
 * it for the iteration's best tour, and for every ant's; every ant depositing (as), or one between limits (mmas).
 *
 * As many ants as cities, so that rows differ in one thing. MAX-MIN Ant System is mostly used with 25 ants, all of
 * whose tours are improved (Stützle & Hoos 2000): the table improve-25.
 */
#include <math.h>

#include "bench/plan/driver.h"

static const ab_set sets[] = {{"tsp-improve", "d198 pcb442 pr1002 pr2392"}, {NULL, NULL}};

static const ab_line on_cpu[] = {
    {"cpu-best-nn-{improve}", "tsp/cpu-best-nn", "nn=32;threads=all", "CPU: {improve}", .seconds = 6e-9, .power = 2.4},
    {NULL}};
static const ab_line on_cpu_all[] = {
    {"cpu-best-nn-all", "tsp/cpu-best-nn", "nn=32;threads=all", "CPU: all", .seconds = 3e-7, .power = 2.4}, {NULL}};
static const ab_line on_gpu[] = {
    {"ds-roulette-{improve}", "tsp/ds-roulette", .label = "DS-Roulette: {improve}"},
    {"race-{improve}", "tsp/race", .label = "race of clocks, ours: {improve}"},
    {"race-candidates-{improve}", "tsp/race-candidates", "nn=32", "race, sets of 32, ours: {improve}"},
    {NULL},
};

static const ab_heading headings[] = {
    {"improve", "Ant System and MAX-MIN Ant System with local search, time of an iteration", NULL, NULL, NULL},
    {"improve-25", "MAX-MIN Ant System of 25 ants with local search, time of an iteration", NULL, NULL, NULL},
    {"improve-stages", "The same, time of the stages of an iteration", NULL, NULL, NULL},
    {NULL},
};

#define PROTOCOLS "protocol=as|mmas;"
static const ab_block blocks[] = {
    {"improve", "time", PROTOCOLS "improve=none|best", .lines = on_cpu, .stages = "improve-stages"},
    {"improve", "time", PROTOCOLS "improve=all", {NULL, "d198", NULL}, .lines = on_cpu_all, .stages = "improve-stages"},
    {"improve", "time", PROTOCOLS "improve=none|best|all", .lines = on_gpu, .stages = "improve-stages"},
    {"improve-25", "time", "ants=25;protocol=mmas;improve=all", .lines = on_cpu_all, .stages = "improve-stages"},
    {"improve-25", "time", "ants=25;protocol=mmas;improve=all", .lines = on_gpu, .stages = "improve-stages"},
    {NULL},
};

const ab_driver table_improve = {
    .name = "improve",
    .program = "table_improve",
    .machine = "none: no source has these",
    .summary = "Local search as a stage, and MAX-MIN Ant System.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 1, .host_steps = 1e5},
                {.runs = 3, .iterations = 50, .budget_s = 1.5, .host_steps = 1e5},
                {.runs = 10, .iterations = 50, .budget_s = INFINITY, .host_steps = 1e8}},
    .inputs = {"u60", "d198 pcb442 pr1002", "{tsp-improve}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
