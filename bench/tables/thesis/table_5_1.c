/* Table 5.1 and Figures 5.5 to 5.7 of the thesis: edge detection by ants on the CPU and the GPU.
 *
 *   Table 5.1   time of a run of 50 iterations by mapping and threads per block; other and larger pictures (§5.5.5)
 *   Figure 5.7  ant-to-warp with and without the ants' memory in shared memory
 *   Figure 5.5  quality of the maps, means of 10 runs, beside Sobel's;  Figure 5.6  edges by the number of ants
 */
#include "bench/plan/driver.h"

#define OTHERS "mandrill peppers house cameraman shapes-512 ramp-512 texture-512 hue-512"
#define PICTURES "lena " OTHERS
/* Photographs with edges that people traced (BSDS500, Arbelaez et al. 2011). */
#define BSDS "14085 41029 87015 107014 109055 157087 168084 176051 189096 226033 326025 335088"
static const ab_set sets[] = {
    {.name = "pictures", .members = PICTURES},
    {.name = "pictures-and-large", .members = PICTURES " shapes-1024 shapes-2048 shapes-4096"},
    {.name = "blocks", .members = "64 128 256 512 768"},
    {.name = "ants", .members = "1500 3000 4500 6000"},
    {.name = "bsds", .members = BSDS},
    {NULL},
};

static const ab_line best[] = {
    {.row = "seq", .implementation = "edge-ants/seq", .params = "threads=1", .label = "CPU, 1 core"},
    {.row = "omp", .implementation = "edge-ants/omp", .params = "threads=all", .label = "CPU, all cores"},
    {.row = "warp-{block}", .implementation = "edge-ants/warp", .params = "block=128", .label = "ant per warp"},
    {.row = "octet-{block}", .implementation = "edge-ants/octet", .params = "block=128", .label = "ant per 8 threads"},
    {.row = "resident-{block}", .implementation = "edge-ants/resident", .params = "block=256", .label = "all iterations in one launch"},
    {.row = "{name}-{block}", .implementation = "edge-ants/+", .params = "block=128"},
    {NULL},
};
static const ab_line grid[] = {
    {.row = "thread-{block}", .implementation = "edge-ants/thread", .params = "block={blocks}", .label = "ant per thread"},
    {.row = "block-{block}", .implementation = "edge-ants/block", .params = "block={blocks}", .label = "ant per block"},
    {.row = "warp-{block}", .implementation = "edge-ants/warp", .params = "block={blocks}", .label = "ant per warp"},
    {NULL},
};
static const ab_line uncached[] = {
    {.row = "warp-{block}-uncached", .implementation = "edge-ants/warp", .params = "block={blocks};cached=0", .label = "ant per warp, memory left to L1"},
    {NULL},
};
static const ab_line maps[] = {
    {.row = "seq", .implementation = "edge-ants/seq", .params = "threads=1", .label = "ants, CPU"},
    {.row = "sobel", .implementation = "sobel/seq", .label = "Sobel"},
    {NULL},
};
static const ab_line gpu_maps[] = {
    {.row = "warp-128", .implementation = "edge-ants/warp", .label = "ants"},
    {NULL},
};
static const ab_line crowds[] = {
    {.row = "ants-{ants-512}", .implementation = "edge-ants/warp", .params = "ants-512={ants};runs=1", .label = "{ants-512} ants", .gpu_only = true},
    {.row = "seq-ants-{ants-512}", .implementation = "edge-ants/seq", .params = "ants-512={ants};runs=1;threads=1", .label = "{ants-512} ants, CPU"},
    {NULL},
};
static const ab_heading headings[] = {
    {.table = "5.1", .title = "edge detection by ants, time of a run", .published = "thesis-5.1", .metric = "run", .instance = "512x512"},
    {.table = "F5.7", .title = "ant-to-warp, memory left to the L1 cache"},
    {.table = "F5.5", .title = "quality of edge maps"},
    {.table = "F5.6", .title = "edges by the number of ants, after one run"},
    {NULL},
};
static const ab_block blocks[] = {
    {.table = "5.1", .measure = "time", .on = AB_ALWAYS("{pictures-and-large}"), .lines = best},
    {.table = "5.1", .measure = "time", .on = AB_ALWAYS("lena"), .lines = grid},
    {.table = "F5.7", .measure = "time", .on = AB_ALWAYS("lena"), .lines = uncached},
    {.table = "F5.5", .measure = "quality", .on = AB_ALWAYS(PICTURES " " BSDS), .lines = maps, .part = 1},
    {.table = "F5.5", .measure = "quality", .on = AB_ALWAYS("lena"), .lines = gpu_maps, .part = 1},
    {.table = "F5.5", .measure = "quality", .on = AB_ALWAYS(OTHERS " " BSDS), .lines = gpu_maps, .part = 1, .gpu_only = true},
    {.table = "F5.6", .measure = "quality", .on = AB_ALWAYS("lena shapes-512"), .lines = crowds, .part = 1},
    {NULL},
};

const ab_driver table_5_1 = {
    .name = "5.1",
    .program = "table_5_1",
    .machine = "thesis, NVIDIA GTX 580 and one core of an Intel i7 950",
    .summary = "Table 5.1 and Figures 5.5 to 5.7: edge detection by ants on CPU and GPU.",
    .efforts = {{.runs = 10, .iterations = 50, .budget_s = 1, .precise = 0.01, .host_steps = 1.2e5},
                {.runs = 50, .iterations = 50, .budget_s = 1, .precise = 0.01, .host_steps = 1.2e5},
                {.runs = 100, .iterations = 50, .budget_s = 0.35, .host_steps = 1e7}},
    .inputs = {"lena peppers shapes-512", "{pictures-and-large}", "{pictures-and-large}"},
    .optional = "{bsds}",
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
