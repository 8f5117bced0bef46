/* How Ant System with candidate sets scales over GPUs and machines: a rank of MPI on each (kernels/tsp/team/team.h).
 *
 *   scaling       strong: n ants in all
 *   scaling-weak  n ants per rank, so that an iteration of R ranks has R n of them
 *
 * Start it with scripts/ranks 4 scaling, or make bench-scaling RANKS=4: rows of more ranks than there are say so. On a
 * CPU a rank has one thread, on a GPU all of it. The stages "reduce" and "exchange" are what working together costs.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "ranks", .members = "1 2 4"},
    {.name = "tsp-scaling", .members = "pr1002 pr2392 u5915"},
    {NULL},
};

#define R "nn=32;ranks={ranks}"
static const ab_line on_cpu[] = {
    {.row = "cpu-split-{ranks}", .implementation = "tsp/cpu-split", .params = R ";threads=1", .label = "CPU, one colony", .seconds = 6e-9, .power = 2.4},
    {.row = "cpu-islands-{ranks}", .implementation = "tsp/cpu-islands", .params = R ";threads=1", .label = "CPU, islands", .seconds = 6e-9, .power = 2.4},
    {NULL},
};
static const ab_line on_gpu[] = {
    {.row = "split-{ranks}", .implementation = "tsp/split", .params = R, .label = "one colony"},
    {.row = "islands-{ranks}", .implementation = "tsp/islands", .params = R, .label = "islands"},
    {NULL},
};
static const ab_line directly[] = {
    {.row = "split-{ranks}-nccl", .implementation = "tsp/split", .params = R ";transfer=nccl", .label = "one colony, NCCL", .gpu_only = true},
    {NULL},
};
static const ab_heading headings[] = {
    {.table = "scaling", .title = "Ant System over ranks, ants divided, time of an iteration"},
    {.table = "scaling-weak", .title = "Ant System over ranks, as many ants each, time of an iteration"},
    {.table = "scaling-stages", .title = "Ant System over ranks, time of the stages of an iteration"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "scaling", .measure = "time", .params = "protocol=as|as-best", .on = {"u30", "pr1002", "{tsp-scaling}"}, .lines = on_cpu, .stages = "scaling-stages"},
    {.table = "scaling", .measure = "time", .params = "protocol=as|as-best", .lines = on_gpu, .stages = "scaling-stages"},
    {.table = "scaling", .measure = "time", .params = "protocol=as", .lines = directly, .stages = "scaling-stages"},
    {.table = "scaling-weak", .measure = "time", .params = "protocol=as;each=1", .on = {"u30", "pr1002", "{tsp-scaling}"}, .lines = on_cpu, .stages = "scaling-stages", .part = 1},
    {.table = "scaling-weak", .measure = "time", .params = "protocol=as;each=1", .lines = on_gpu, .stages = "scaling-stages", .part = 1},
    {.table = "scaling-weak", .measure = "time", .params = "protocol=as;each=1", .lines = directly, .stages = "scaling-stages", .part = 1},
    {NULL},
};

const ab_driver table_scaling = {
    .name = "scaling",
    .program = "table_scaling",
    .machine = "none: no source has these",
    .summary = "One colony and islands over several GPUs or machines.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 1, .precise = 0.01, .host_steps = 3e4},
                {.runs = 3, .iterations = 20, .budget_s = 0.3, .precise = 0.01, .host_steps = 3e4},
                {.runs = 10, .iterations = 100, .budget_s = 0.7, .limit_s = 20, .host_steps = 1e8}},
    .inputs = {"u30", "pr1002 pr2392", "{tsp-scaling}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
