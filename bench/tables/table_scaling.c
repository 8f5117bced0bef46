/* How Ant System with candidate sets scales over GPUs and machines: a rank of MPI on each (kernels/tsp/team.h).
 *
 *   scaling       strong: n ants in all
 *   scaling-weak  n ants a rank, so that an iteration of R ranks has R n of them
 *
 * Start it with scripts/ranks 4 scaling, or make bench-scaling RANKS=4: rows of more ranks than there are say so. On a
 * CPU a rank has one thread, on a GPU all of it. The stages "reduce" and "exchange" are what working together costs.
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {{"ranks", "1 2 4"}, {"tsp-scaling", "pr1002 pr2392 u5915"}, {NULL, NULL}};

#define R "nn=32;ranks={ranks}"
static const ab_line on_cpu[] = {
    {"cpu-split-{ranks}", "tsp/cpu-split", R ";threads=1", "CPU, one colony", .seconds = 6e-9, .power = 2.4},
    {"cpu-islands-{ranks}", "tsp/cpu-islands", R ";threads=1", "CPU, islands", .seconds = 6e-9, .power = 2.4},
    {NULL},
};
static const ab_line on_gpu[] = {
    {"split-{ranks}", "tsp/split", R, "one colony"},
    {"islands-{ranks}", "tsp/islands", R, "islands"},
    {NULL},
};
static const ab_line directly[] = {
    {"split-{ranks}-nccl", "tsp/split", R ";transfer=nccl", "one colony, NCCL", .gpu_only = true},
    {"split-{ranks}-mpi", "tsp/split", R ";transfer=mpi", "one colony, MPI between GPUs", .gpu_only = true},
    {NULL},
};
static const ab_heading headings[] = {
    {"scaling", "Ant System over ranks, ants divided, time of an iteration", NULL, NULL, NULL},
    {"scaling-weak", "Ant System over ranks, as many ants each, time of an iteration", NULL, NULL, NULL},
    {"scaling-stages", "Ant System over ranks, time of the stages of an iteration", NULL, NULL, NULL},
    {NULL},
};

#define STAGES .stages = "scaling-stages"
#define CPU_ON                                                                                                         \
    {                                                                                                                  \
        "u30", "pr1002", "{tsp-scaling}"                                                                               \
    }
static const ab_block blocks[] = {
    {"scaling", "time", "protocol=as|as-best", CPU_ON, .lines = on_cpu, STAGES},
    {"scaling", "time", "protocol=as|as-best", .lines = on_gpu, STAGES},
    {"scaling", "time", "protocol=as", .lines = directly, STAGES},
    {"scaling-weak", "time", "protocol=as;each=1", CPU_ON, .lines = on_cpu, STAGES, .part = 1},
    {"scaling-weak", "time", "protocol=as;each=1", .lines = on_gpu, STAGES, .part = 1},
    {"scaling-weak", "time", "protocol=as;each=1", .lines = directly, STAGES, .part = 1},
    {NULL},
};

const ab_driver table_scaling = {
    .name = "scaling",
    .program = "table_scaling",
    .machine = "none: no source has these",
    .summary = "One colony and islands over several GPUs or machines.",
    .efforts = {{.runs = 1, .iterations = 3, .budget_s = 1, .precise = 0.01, .host_steps = 3e4},
                {.runs = 3, .iterations = 20, .budget_s = 0.3, .precise = 0.01, .host_steps = 3e4},
                {.runs = 10, .iterations = 100, .budget_s = 10, .limit_s = 60, .host_steps = 1e8}},
    .inputs = {"u30", "pr1002 pr2392", "{tsp-scaling}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
