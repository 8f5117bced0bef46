/* How edge detection scales over GPUs and machines: Canny of 64 pictures, divided over ranks of MPI
 * (kernels/canny/batch.c).
 *
 *   scaling-images  strong: 64 pictures in all, from the hosts' memory back into it; a sample is all of them
 *
 * Start it with scripts/ranks 4 scaling-images, or make bench-scaling-images RANKS=4: rows of more ranks than there are
 * say so. On a CPU a rank has one thread. It is not part of table_scaling.c, whose inputs are instances: a driver has
 * one kind of input.
 */
#include "bench/plan/driver.h"

/* The set ranks is table_scaling.c's. */
static const ab_set sets[] = {
    {.name = "images-scaling", .members = "lena shapes-1024 shapes-2048"},
    {NULL},
};

/* Without a blur, as OpenCV's and NPP's rows of Table 6.1. */
#define R "pictures=64;ranks={ranks};sigma=0"
static const ab_line lines[] = {
    {.row = "cpu-batch-{ranks}", .implementation = "canny/cpu-batch", .params = R ";threads=1", .label = "CPU", .least = 6},
    {.row = "batch-{ranks}", .implementation = "canny/batch", .params = R, .label = "GPU"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "scaling-images", .title = "Canny of 64 pictures over ranks, time for all"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "scaling-images", .measure = "batch", .lines = lines},
    {NULL},
};

const ab_driver table_scaling_images = {
    .name = "scaling-images",
    .program = "table_scaling_images",
    .machine = "none: no source has these",
    .summary = "Edges of a batch of pictures over several GPUs or machines.",
    .efforts = {{.runs = 1, .iterations = 10, .budget_s = 0.3, .precise = 0.01, .host_steps = 1e5},
                {.runs = 1, .iterations = 200, .budget_s = 0.3, .precise = 0.01, .host_steps = 1e5},
                {.runs = 1, .iterations = 1000, .budget_s = 10, .host_steps = 3e6}},
    .inputs = {"shapes-128", "lena shapes-1024", "{images-scaling}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
