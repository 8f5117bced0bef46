/* Figures 8 and 9 of the KTH report: convolution of random images with the 5 x 5 Gaussian and the 3 x 3 Laplacian.
 *
 *   Figure 8  the 5 x 5 Gaussian, of rank 1: speed-up over one core and time, by the size of the image
 *   Figure 9  the 3 x 3 Laplacian, of rank 2
 *
 * The report's curves, of a GTX 960M and one core of an i7-6700HQ, have no numbers. Beside its rungs stand ours, NPP's,
 * cuDNN's and a copy of as many pixels; and once more, of large images, with a cold L2 cache.
 */
#include "bench/plan/driver.h"

#define SIDES "random-512 random-2048 random-4096"
static const ab_set sets[] = {{"random", "random-256 random-512 random-1024 random-2048 random-4096"}, {NULL, NULL}};

#define CPU_ROWS                                                                                                       \
    {"serial", "convolution/serial", "threads=1", "CPU, 1 core, as reported"},                                         \
        {"cpu-best-1", "convolution/cpu-best", "threads=1", "fastest CPU, 1 core"},                                    \
        {"cpu-best-all", "convolution/cpu-best", "threads=all", "fastest CPU, all cores"},                             \
    {                                                                                                                  \
        "opencv-all", "convolution/opencv", "threads=all", "OpenCV, all cores"                                         \
    }
#define GPU_ROWS                                                                                                       \
    {"naive", "convolution/naive"}, {"shared", "convolution/shared"},                                                  \
        {"shared-apron", "convolution/shared-apron", NULL, "shared, a thread a pixel of the apron"},                   \
        {"shared-constant", "convolution/shared-constant", NULL, "shared + constant"},                                 \
        {"tiling", "convolution/tiling", NULL, "tiling, T = 21"},                                                      \
        {"adaptive-tiling", "convolution/adaptive-tiling", NULL, "adaptive tiling"},                                   \
        {"registers", "convolution/registers", NULL, "in registers, ours"}, {"npp", "convolution/npp", NULL, "NPP"},   \
        {"cudnn", "convolution/cudnn", NULL, "cuDNN"},                                                                 \
    {                                                                                                                  \
        "{name}", "convolution/+"                                                                                      \
    }
#define SEPARABLE_ROWS                                                                                                 \
    {"separable", "convolution/separable", NULL, "separable"},                                                         \
        {"tiling-separable", "convolution/tiling-separable", NULL, "tiling, separable"},                               \
        {"tiling-straight", "convolution/tiling-straight", NULL, "tiling, separable, not transposed"},                 \
    {                                                                                                                  \
        "registers-separable", "convolution/registers-separable", NULL, "in registers, separable, ours"                \
    }

static const ab_line five[] = {
    CPU_ROWS,
    {"opencv-separable", "convolution/opencv-separable", "threads=all", "OpenCV separable, all cores"},
    GPU_ROWS,
    SEPARABLE_ROWS,
    {NULL}};
static const ab_line three[] = {CPU_ROWS, GPU_ROWS, {NULL}};
static const ab_line five_cold[] = {GPU_ROWS, SEPARABLE_ROWS, {NULL}}, three_cold[] = {GPU_ROWS, {NULL}};
static const ab_line copy[] = {{"memcpy", "convolution/memcpy", NULL, "copy"}, {NULL}};

static const ab_heading headings[] = {{"kth-8", "5 x 5 convolution", NULL, NULL, NULL},
                                      {"kth-9", "3 x 3 convolution", NULL, NULL, NULL},
                                      {"kth-copy", "a copy of as many pixels", NULL, NULL, NULL},
                                      {"kth-8-cold", "5 x 5 convolution, cold L2 cache", NULL, NULL, NULL},
                                      {"kth-9-cold", "3 x 3 convolution, cold L2 cache", NULL, NULL, NULL},
                                      {"kth-copy-cold", "a copy, cold L2 cache", NULL, NULL, NULL},
                                      {NULL}};

#define GAUSSIAN "filter=gaussian;width=5"
#define LAPLACIAN "filter=laplacian;width=3"
static const ab_block blocks[] = {
    {"kth-8", "time", GAUSSIAN, .lines = five},
    {"kth-9", "time", LAPLACIAN, .lines = three},
    {"kth-copy", "time", "filter=identity", .lines = copy},
    {"kth-8-cold", "time", GAUSSIAN ";l2=cold", AB_ALWAYS(SIDES), .lines = five_cold, .gpu_only = true},
    {"kth-9-cold", "time", LAPLACIAN ";l2=cold", AB_ALWAYS(SIDES), .lines = three_cold, .gpu_only = true},
    {"kth-copy-cold", "time", "filter=identity;l2=cold", AB_ALWAYS(SIDES), .lines = copy, .gpu_only = true},
    {NULL},
};

const ab_driver table_kth_8 = {
    .name = "kth-8",
    .program = "table_kth_8",
    .machine = "KTH, NVIDIA GTX 960M and one core of an Intel i7-6700HQ",
    .summary = "Figures 8 and 9 of the KTH report: convolution on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 10, .budget_s = 0.2, .precise = 0.01, .limit_s = 2, .host_steps = 7e4},
                {.runs = 1, .iterations = 100, .budget_s = 0.2, .precise = 0.01, .limit_s = 4, .host_steps = 7e4},
                {.runs = 1, .iterations = 1000, .budget_s = 5, .limit_s = 120, .host_steps = 3e5}},
    .inputs = {"random-256", "{random}", "{random}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
