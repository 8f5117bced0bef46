/* Table 6.1 and Figures 6.5 and 6.6 of the thesis: colour edge detection against Canny on the CPU and the GPU.
 *
 *   Table 6.1   time for an image: the thesis's rows, what they should be compared with today, larger images
 *   Figure 6.5  F against known edges by noise, of photographs agreement with the map without;  Figure 6.6  hue alone
 */
#include "bench/plan/driver.h"

#define ALL                                                                                                  \
    "lena mandrill peppers house cameraman shapes-512 ramp-512 shapes-512-2 hue-512 shapes-256 shapes-1024 " \
    "shapes-2048 shapes-4096"
static const ab_set sets[] = {
    {.name = "images", .members = "lena mandrill peppers house cameraman"},
    {.name = "with-edges", .members = "shapes-512 ramp-512 shapes-512-2 shapes-128"},
    {.name = "large", .members = "shapes-256 shapes-1024 shapes-2048 shapes-4096 shapes-8192"},
    {.name = "all", .members = ALL},
    {.name = "all-sizes", .members = ALL " shapes-8192"},
    {NULL},
};

/* OpenCV's Canny, NPP's and those beside them do not blur, Luo & Duraiswami's does. */
static const ab_line detectors[] = {
    {.row = "opencv-1", .implementation = "canny/opencv", .params = "sigma=0;threads=1", .label = "OpenCV, 1 core", .published = "opencv"},
    {.row = "opencv-all", .implementation = "canny/opencv", .params = "sigma=0;threads=all", .label = "OpenCV, all cores", .published = ""},
    {.row = "canny-gpu", .implementation = "canny/gpu", .params = "sigma=0", .label = "GPU Canny, complete"},
    {.row = "canny-runs", .implementation = "canny/runs", .params = "sigma=0", .label = "GPU Canny, complete, ours"},
    {.row = "canny-flood", .implementation = "canny/flood", .params = "sigma=0", .label = "GPU Canny, flood"},
    {.row = "npp", .implementation = "canny/npp", .params = "sigma=0", .label = "NPP Canny"},
    {.row = "colour-edge-seq", .implementation = "colour-edge/seq", .params = "threads=1", .label = "colour edge, 1 core"},
    {.row = "colour-edge-omp", .implementation = "colour-edge/omp", .params = "threads=all", .label = "colour edge, all cores"},
    {.row = "colour-edge", .implementation = "colour-edge/gpu", .label = "colour edge, GPU"},
    {.row = "canny-{name}", .implementation = "canny/+", .params = "sigma=0"},
    {.row = "colour-edge-fused", .implementation = "colour-edge/fused", .label = "colour edge, GPU, fused"},
    {.row = "colour-edge-{name}", .implementation = "colour-edge/+"},
    {NULL},
};
static const ab_line others[] = {
    {.row = "opencv-blur-1", .implementation = "canny/opencv", .params = "threads=1", .label = "OpenCV with blur, 1 core"},
    {.row = "canny-h4", .implementation = "canny/gpu", .params = "hysteresis=4", .label = "GPU Canny, 4 passes"},
    {.row = "canny-h10", .implementation = "canny/gpu", .params = "hysteresis=10", .label = "GPU Canny, 10 passes"},
    {.row = "canny-gpu-blur", .implementation = "canny/gpu", .label = "GPU Canny with blur, complete"},
    {NULL},
};
static const ab_line curves[] = {
    {.row = "colour-edge", .implementation = "colour-edge/omp", .params = "threads=all", .label = "colour edge"},
    {.row = "canny-opencv", .implementation = "canny/opencv", .params = "threads=all", .label = "Canny (OpenCV)"},
    {.row = "sobel", .implementation = "sobel/seq", .label = "Sobel"},
    {NULL},
};
static const ab_line on_gpu[] = {
    {.row = "canny-gpu", .implementation = "canny/gpu", .label = "Canny", .gpu_only = true},
    {NULL},
};
static const ab_heading headings[] = {
    {.table = "6.1", .title = "edge detectors, time for an image", .published = "thesis-6.1", .metric = "kernel"},
    {.table = "F6.5", .title = "F against known edges by noise"},
    {.table = "F6.6", .title = "F where edges are of hue alone"},
    {NULL},
};

/* What Canny finds on a GPU is OpenCV's map, so one picture is studied there. */
#define NOISE "level=40;noise=salt-and-pepper|gaussian"
static const ab_block blocks[] = {
    {.table = "6.1", .measure = "time", .on = AB_ALWAYS("{images}"), .lines = detectors},
    {.table = "6.1", .measure = "time", .on = AB_ALWAYS("{images}"), .lines = others},
    {.table = "6.1", .measure = "time", .on = AB_ALWAYS("{large}"), .lines = detectors},
    {.table = "F6.6", .measure = "noise", .on = AB_ALWAYS("hue-512 hue-128"), .asked = AB_ASKED_LISTED, .lines = curves, .part = 1},
    {.table = "F6.5", .measure = "noise", .params = NOISE, .on = {"{with-edges}", "shapes-512", "{with-edges}"}, .asked = AB_ASKED_WITH_EDGES, .lines = curves, .part = 1},
    {.table = "F6.5", .measure = "noise", .params = NOISE, .on = AB_ALWAYS("{images}"), .asked = AB_ASKED_LISTED, .lines = curves, .part = 1, .found_only = true},
    {.table = "F6.6", .measure = "noise", .on = AB_ALWAYS("hue-512 hue-128"), .asked = AB_ASKED_LISTED, .lines = on_gpu, .part = 1},
    {.table = "F6.5", .measure = "noise", .params = NOISE, .on = AB_ALWAYS("{with-edges}"), .asked = AB_ASKED_WITH_EDGES, .lines = on_gpu, .part = 1, .smoke_only = true},
    {NULL},
};
const ab_driver table_6_1 = {
    .name = "6.1",
    .program = "table_6_1",
    .machine = "thesis, NVIDIA GTX 580 and one core of an Intel i7 950",
    .summary = "Table 6.1 and Figures 6.5 and 6.6: colour edge detection and Canny on CPU and GPU.",
    .sets = sets,
    .efforts = {{.runs = 1, .iterations = 20, .budget_s = 1, .precise = 0.01, .host_steps = 3e5},
                {.runs = 1, .iterations = 1000, .budget_s = 0.5, .precise = 0.01, .host_steps = 3e5},
                {.runs = 1, .iterations = 1000, .budget_s = 0.1, .host_steps = 3e6}},
    .inputs = {"lena cameraman shapes-128 hue-128", "{all}", "{all-sizes}"},
    .headings = headings,
    .blocks = blocks,
};
