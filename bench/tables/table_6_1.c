/* Table 6.1 and Figures 6.5 and 6.6 of the thesis: colour edge detection against Canny on the CPU and the GPU.
 *
 *   Table 6.1   time for an image: the thesis's rows, what they should be compared with today, larger images
 *   Figure 6.5  F against known edges by noise, of photographs agreement with the map without;  Figure 6.6  hue alone
 */
#include <math.h>

#include "bench/plan/driver.h"

#define ALL                                                                                                            \
    "lena mandrill peppers house cameraman shapes-512 ramp-512 shapes-512-2 hue-512 shapes-256 shapes-1024 "           \
    "shapes-2048 shapes-4096"
static const ab_set sets[] = {{"images", "lena mandrill peppers house cameraman"},
                              {"with-edges", "shapes-512 ramp-512 shapes-512-2 shapes-128"},
                              {"large", "shapes-256 shapes-1024 shapes-2048 shapes-4096 shapes-8192"},
                              {"all", ALL},
                              {"all-sizes", ALL " shapes-8192"},
                              {NULL, NULL}};

/* OpenCV's Canny, NPP's and those beside them do not blur, Luo & Duraiswami's does; the former for large images too. */
#define LARGE                                                                                                          \
    {"opencv-1", "canny/opencv", "sigma=0;threads=1", "OpenCV, 1 core", "opencv"},                                     \
        {"opencv-all", "canny/opencv", "sigma=0;threads=all", "OpenCV, all cores", ""},                                \
        {"canny-gpu", "canny/gpu", "sigma=0", "GPU Canny, complete"},                                                  \
        {"canny-runs", "canny/word-runs", "sigma=0", "GPU Canny, complete, ours"},                                     \
        {"canny-flood", "canny/flood", "sigma=0", "GPU Canny, flood"}, {"npp", "canny/npp", "sigma=0", "NPP Canny"},   \
        {"colour-edge-seq", "colour-edge/seq", "threads=1", "colour edge, 1 core"},                                    \
        {"colour-edge-omp", "colour-edge/omp", "threads=all", "colour edge, all cores"},                               \
        {"colour-edge", "colour-edge/gpu", NULL, "colour edge, GPU"}, {"canny-{name}", "canny/+", "sigma=0"},          \
        {"colour-edge-fused", "colour-edge/fused", NULL, "colour edge, GPU, fused"},                                   \
    {                                                                                                                  \
        "colour-edge-{name}", "colour-edge/+"                                                                          \
    }
static const ab_line large[] = {LARGE, {NULL}};
static const ab_line small[] = {LARGE,
                                {"opencv-blur-1", "canny/opencv", "threads=1", "OpenCV with blur, 1 core"},
                                {"canny-h4", "canny/gpu", "hysteresis=4", "GPU Canny, 4 passes"},
                                {"canny-h10", "canny/gpu", "hysteresis=10", "GPU Canny, 10 passes"},
                                {"canny-gpu-blur", "canny/gpu", NULL, "GPU Canny with blur, complete"},
                                {NULL}};
static const ab_line curves[] = {{"colour-edge", "colour-edge/omp", "threads=all", "colour edge"},
                                 {"canny-opencv", "canny/opencv", "threads=all", "Canny (OpenCV)"},
                                 {"sobel", "sobel/seq", NULL, "Sobel"},
                                 {NULL}};
static const ab_line on_gpu[] = {{"canny-gpu", "canny/gpu", NULL, "Canny", .gpu_only = true}, {NULL}};
static const ab_heading headings[] = {{"6.1", "edge detectors, time for an image", "thesis-6.1", "kernel", NULL},
                                      {"F6.5", "F against known edges by noise", NULL, NULL, NULL},
                                      {"F6.6", "F where edges are of hue alone", NULL, NULL, NULL},
                                      {NULL}};

/* What Canny finds on a GPU is OpenCV's map, so that profile quick studies it on one picture. */
#define NOISE "level=40;noise=salt-and-pepper|gaussian"
#define DRAWN(quick)                                                                                                   \
    {                                                                                                                  \
        "{with-edges}", quick, "{with-edges}"                                                                          \
    }
#define STUDY(detectors, drawn)                                                                                        \
    {"F6.6", "noise", NULL, AB_ALWAYS("hue-512 hue-128"), AB_ASKED_LISTED, .lines = detectors, .part = 1},             \
        {"F6.5", "noise", NOISE, DRAWN(drawn), AB_ASKED_WITH_EDGES, .lines = detectors, .part = 1},                    \
    {                                                                                                                  \
        "F6.5", "noise", NOISE, AB_ALWAYS("{images}"), AB_ASKED_LISTED, .lines = detectors, .part = 1,                 \
                                                                        .found_only = true                             \
    }
static const ab_block blocks[] = {
    {"6.1", "time", NULL, AB_ALWAYS("{images}"), .lines = small},
    {"6.1", "time", NULL, AB_ALWAYS("{large}"), .lines = large},
    STUDY(curves, "shapes-512"),
    STUDY(on_gpu, "shapes-512"),
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
                {.runs = 1, .iterations = 1000, .budget_s = INFINITY, .host_steps = 3e6}},
    .inputs = {"lena cameraman shapes-128 hue-128", "{all}", "{all-sizes}"},
    .headings = headings,
    .blocks = blocks,
};
