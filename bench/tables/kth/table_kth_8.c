/* Figures 8 and 9 of the KTH report: convolution of random images with the 5 x 5 Gaussian and the 3 x 3 Laplacian.
 *
 *   Figure 8  the 5 x 5 Gaussian, of rank 1: speed-up over one core and time, by the size of the image
 *   Figure 9  the 3 x 3 Laplacian, of rank 2
 *
 * The report's curves, from a GTX 960M and one core of an i7-6700HQ, have no numbers. Its rungs are compared with ours,
 * NPP's, cuDNN's and a copy of as many pixels. Large images are also measured with a cold L2 cache.
 */
#include "bench/plan/driver.h"

#define SIDES "random-512 random-2048 random-4096"
static const ab_set sets[] = {
    {.name = "random", .members = "random-256 random-512 random-1024 random-2048 random-4096"},
    {NULL},
};

static const ab_line on_cpu[] = {
    {.row = "serial", .implementation = "convolution/serial", .params = "threads=1", .label = "CPU, 1 core, as reported"},
    {.row = "cpu-registers-1", .implementation = "convolution/cpu-registers", .params = "threads=1", .label = "fastest CPU, 1 core"},
    {.row = "cpu-registers-all", .implementation = "convolution/cpu-registers", .params = "threads=all", .label = "fastest CPU, all cores"},
    {.row = "opencv-all", .implementation = "convolution/opencv", .params = "threads=all", .label = "OpenCV, all cores"},
    {NULL},
};
static const ab_line on_cpu_separable[] = {
    {.row = "opencv-separable", .implementation = "convolution/opencv-separable", .params = "threads=all", .label = "OpenCV separable, all cores"},
    {NULL},
};
static const ab_line on_gpu[] = {
    {.row = "naive", .implementation = "convolution/naive"},
    {.row = "shared", .implementation = "convolution/shared"},
    {.row = "shared-apron", .implementation = "convolution/shared-apron", .label = "shared, a thread per pixel of the apron"},
    {.row = "shared-constant", .implementation = "convolution/shared-constant", .label = "shared + constant"},
    {.row = "tiling", .implementation = "convolution/tiling", .label = "tiling, T = 21"},
    {.row = "adaptive-tiling", .implementation = "convolution/adaptive-tiling", .label = "adaptive tiling"},
    {.row = "registers", .implementation = "convolution/registers", .label = "in registers, ours"},
    {.row = "npp", .implementation = "convolution/npp", .label = "NPP"},
    {.row = "cudnn", .implementation = "convolution/cudnn", .label = "cuDNN"},
    {.row = "{name}", .implementation = "convolution/+"},
    {NULL},
};
static const ab_line on_gpu_separable[] = {
    {.row = "separable", .implementation = "convolution/separable", .label = "separable"},
    {.row = "tiling-separable", .implementation = "convolution/tiling-separable", .label = "tiling, separable"},
    {.row = "tiling-straight", .implementation = "convolution/tiling-straight", .label = "tiling, separable, not transposed"},
    {.row = "registers-separable", .implementation = "convolution/registers-separable", .label = "in registers, separable, ours"},
    {NULL},
};
static const ab_line copy[] = {
    {.row = "memcpy", .implementation = "convolution/memcpy", .label = "copy"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "kth-8", .title = "5 x 5 convolution"},
    {.table = "kth-9", .title = "3 x 3 convolution"},
    {.table = "kth-copy", .title = "a copy of as many pixels"},
    {.table = "kth-8-cold", .title = "5 x 5 convolution, cold L2 cache"},
    {.table = "kth-9-cold", .title = "3 x 3 convolution, cold L2 cache"},
    {.table = "kth-copy-cold", .title = "a copy, cold L2 cache"},
    {NULL},
};

#define GAUSSIAN "filter=gaussian;width=5"
#define LAPLACIAN "filter=laplacian;width=3"
static const ab_block blocks[] = {
    {.table = "kth-8", .measure = "time", .params = GAUSSIAN, .lines = on_cpu},
    {.table = "kth-8", .measure = "time", .params = GAUSSIAN, .lines = on_cpu_separable},
    {.table = "kth-8", .measure = "time", .params = GAUSSIAN, .lines = on_gpu},
    {.table = "kth-8", .measure = "time", .params = GAUSSIAN, .lines = on_gpu_separable},
    {.table = "kth-9", .measure = "time", .params = LAPLACIAN, .lines = on_cpu},
    {.table = "kth-9", .measure = "time", .params = LAPLACIAN, .lines = on_gpu},
    {.table = "kth-copy", .measure = "time", .params = "filter=identity", .lines = copy},
    {.table = "kth-8-cold", .measure = "time", .params = GAUSSIAN ";l2=cold", .on = AB_ALWAYS(SIDES), .lines = on_gpu, .gpu_only = true},
    {.table = "kth-8-cold", .measure = "time", .params = GAUSSIAN ";l2=cold", .on = AB_ALWAYS(SIDES), .lines = on_gpu_separable, .gpu_only = true},
    {.table = "kth-9-cold", .measure = "time", .params = LAPLACIAN ";l2=cold", .on = AB_ALWAYS(SIDES), .lines = on_gpu, .gpu_only = true},
    {.table = "kth-copy-cold", .measure = "time", .params = "filter=identity;l2=cold", .on = AB_ALWAYS(SIDES), .lines = copy, .gpu_only = true},
    {NULL},
};

const ab_driver table_kth_8 = {
    .name = "kth-8",
    .program = "table_kth_8",
    .machine = "KTH, NVIDIA GTX 960M and one core of an Intel i7-6700HQ",
    .summary = "Figures 8 and 9 of the KTH report: convolution on CPU and GPU.",
    .efforts = {{.runs = 1, .iterations = 10, .budget_s = 0.2, .precise = 0.01, .limit_s = 2, .host_steps = 7e4},
                {.runs = 1, .iterations = 100, .budget_s = 0.2, .precise = 0.01, .limit_s = 4, .host_steps = 7e4},
                {.runs = 1, .iterations = 1000, .budget_s = 0.05, .limit_s = 20, .host_steps = 3e5}},
    .inputs = {"random-256", "{random}", "{random}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
