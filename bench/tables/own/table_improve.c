/* The gain of local search and of MAX-MIN Ant System: time and best tour of an iteration. The stage "improve" is off,
 * or improves the iteration's best tour, or every ant's. Either every ant deposits (as), or one ant between limits
 * (mmas).
 *
 * There are as many ants as cities, so that rows differ in one thing. MAX-MIN Ant System is mostly used with 25 ants,
 * and improves all of their tours (Stützle & Hoos 2000): the table improve-25.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "tsp-improve", .members = "d198 pcb442 pr1002 pr2392"},
    {NULL},
};

static const ab_line on_cpu[] = {
    {.row = "cpu-vectors-nn-{improve}", .implementation = "tsp/cpu-vectors-nn", .params = "nn=32;threads=all", .label = "CPU: {improve}", .seconds = 6e-9, .power = 2.4},
    {NULL},
};
static const ab_line on_cpu_all[] = {
    {.row = "cpu-vectors-nn-all", .implementation = "tsp/cpu-vectors-nn", .params = "nn=32;threads=all", .label = "CPU: all", .seconds = 3e-7, .power = 2.4},
    {NULL},
};
static const ab_line on_gpu[] = {
    {.row = "ds-roulette-{improve}", .implementation = "tsp/ds-roulette", .label = "DS-Roulette: {improve}"},
    {.row = "race-{improve}", .implementation = "tsp/race", .label = "race of clocks, ours: {improve}"},
    {.row = "race-candidates-{improve}", .implementation = "tsp/race-candidates", .params = "nn=32", .label = "race, sets of 32, ours: {improve}"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "improve", .title = "Ant System and MAX-MIN Ant System with local search, time of an iteration"},
    {.table = "improve-25", .title = "MAX-MIN Ant System of 25 ants with local search, time of an iteration"},
    {.table = "improve-stages", .title = "The same, time of the stages of an iteration"},
    {NULL},
};

#define PROTOCOLS "protocol=as|mmas;"
static const ab_block blocks[] = {
    {.table = "improve", .measure = "time", .params = PROTOCOLS "improve=none|best", .lines = on_cpu, .stages = "improve-stages"},
    {.table = "improve", .measure = "time", .params = PROTOCOLS "improve=all", .on = {NULL, "d198", NULL}, .lines = on_cpu_all, .stages = "improve-stages"},
    {.table = "improve", .measure = "time", .params = PROTOCOLS "improve=none|best|all", .lines = on_gpu, .stages = "improve-stages"},
    {.table = "improve-25", .measure = "time", .params = "ants=25;protocol=mmas;improve=all", .lines = on_cpu_all, .stages = "improve-stages"},
    {.table = "improve-25", .measure = "time", .params = "ants=25;protocol=mmas;improve=all", .lines = on_gpu, .stages = "improve-stages"},
    {NULL},
};

const ab_driver table_improve = {
    .name = "improve",
    .program = "table_improve",
    .machine = "none: no source has these",
    .summary = "Local search as a stage, and MAX-MIN Ant System.",
    .efforts = {{.runs = 1, .iterations = 5, .budget_s = 1, .host_steps = 1e5},
                {.runs = 3, .iterations = 50, .budget_s = 1.5, .host_steps = 1e5},
                {.runs = 10, .iterations = 50, .budget_s = 1.5, .host_steps = 1e8}},
    .inputs = {"u60", "d198 pcb442 pr1002", "{tsp-improve}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
