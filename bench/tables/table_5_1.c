/* Table 5.1 and Figures 5.5 to 5.7 of the thesis: edge detection by ants on the CPU and the GPU.
 *
 *   Table 5.1   time of a run of 50 iterations by mapping and threads per block; other and larger pictures (§5.5.5)
 *   Figure 5.7  ant-to-warp with and without the ants' memory in shared memory
 *   Figure 5.5  quality of the maps, means of 10 runs, beside Sobel's;  Figure 5.6  edges by the number of ants
 */
#include <math.h>

#include "bench/plan/driver.h"

#define OTHERS "mandrill peppers house cameraman shapes-512 ramp-512 texture-512 hue-512"
#define PICTURES "lena " OTHERS
/* Photographs with edges that people traced (BSDS500, Arbelaez et al. 2011). */
#define BSDS "14085 41029 87015 107014 109055 157087 168084 176051 189096 226033 326025 335088"
static const ab_set sets[] = {
    {"pictures", PICTURES},
    {"pictures-and-large", PICTURES " shapes-1024 shapes-2048 shapes-4096"},
    {"blocks", "64 128 256 512 768"},
    {"ants", "1500 3000 4500 6000"},
    {"bsds", BSDS},
    {NULL, NULL},
};

static const ab_line best[] = {
    {"seq", "edge-ants/seq", "threads=1", "CPU, 1 core"},
    {"omp", "edge-ants/omp", "threads=all", "CPU, all cores"},
    {"warp-{block}", "edge-ants/warp", "block=128", "ant per warp"},
    {"octet-{block}", "edge-ants/octet", "block=128", "ant per 8 threads"},
    {"resident-{block}", "edge-ants/resident", "block=256", "all iterations in one launch"},
    {"{name}-{block}", "edge-ants/+", "block=128"},
    {NULL},
};
static const ab_line grid[] = {{"thread-{block}", "edge-ants/thread", "block={blocks}", "ant per thread"},
                               {"block-{block}", "edge-ants/block", "block={blocks}", "ant per block"},
                               {"warp-{block}", "edge-ants/warp", "block={blocks}", "ant per warp"},
                               {NULL}};
static const ab_line uncached[] = {
    {"warp-{block}-uncached", "edge-ants/warp", "block={blocks};cached=0", "ant per warp, memory left to L1"}, {NULL}};
static const ab_line maps[] = {
    {"seq", "edge-ants/seq", "threads=1", "ants, CPU"}, {"sobel", "sobel/seq", .label = "Sobel"}, {NULL}};
static const ab_line gpu_maps[] = {{"warp-128", "edge-ants/warp", .label = "ants"}, {NULL}};
static const ab_line crowds[] = {
    {"ants-{ants-512}", "edge-ants/warp", "ants-512={ants};runs=1", "{ants-512} ants", .gpu_only = true},
    {"seq-ants-{ants-512}", "edge-ants/seq", "ants-512={ants};runs=1;threads=1", "{ants-512} ants, CPU"},
    {NULL}};
static const ab_heading headings[] = {{"5.1", "edge detection by ants, time of a run", "thesis-5.1", "run", "512x512"},
                                      {"F5.7", "ant-to-warp, memory left to the L1 cache", NULL, NULL, NULL},
                                      {"F5.5", "quality of edge maps", NULL, NULL, NULL},
                                      {"F5.6", "edges by the number of ants, after one run", NULL, NULL, NULL},
                                      {NULL}};
static const ab_block blocks[] = {
    {"5.1", "time", NULL, AB_ALWAYS("{pictures-and-large}"), .lines = best},
    {"5.1", "time", NULL, AB_ALWAYS("lena"), .lines = grid},
    {"F5.7", "time", NULL, AB_ALWAYS("lena"), .lines = uncached},
    {"F5.5", "quality", NULL, AB_ALWAYS(PICTURES " " BSDS), .lines = maps, .part = 1},
    {"F5.5", "quality", NULL, AB_ALWAYS("lena"), .lines = gpu_maps, .part = 1},
    {"F5.5", "quality", NULL, AB_ALWAYS(OTHERS " " BSDS), .lines = gpu_maps, .part = 1, .gpu_only = true},
    {"F5.6", "quality", NULL, AB_ALWAYS("lena shapes-512"), .lines = crowds, .part = 1},
    {NULL},
};

const ab_driver table_5_1 = {
    .name = "5.1",
    .program = "table_5_1",
    .machine = "thesis, NVIDIA GTX 580 and one core of an Intel i7 950",
    .summary = "Table 5.1 and Figures 5.5 to 5.7: edge detection by ants on CPU and GPU.",
    .efforts = {{.runs = 10, .iterations = 50, .budget_s = 1, .precise = 0.01, .host_steps = 1.2e5},
                {.runs = 50, .iterations = 50, .budget_s = 1, .precise = 0.01, .host_steps = 1.2e5},
                {.runs = 100, .iterations = 50, .budget_s = INFINITY, .host_steps = 1e7}},
    .inputs = {"lena peppers shapes-512", "{pictures-and-large}", "{pictures-and-large}"},
    .optional = "{bsds}",
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
