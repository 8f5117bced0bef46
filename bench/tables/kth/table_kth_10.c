/* Figures 10 to 12 of the KTH report: edges by a Gaussian, a Laplacian and a threshold of 5. The images have sides of
 * 512, 1024 and 2048 pixels. The report shows only maps. The rows here also have the quality of these maps, the quality
 * of Sobel's and Canny's maps, and the time.
 */
#include "bench/plan/driver.h"

#define DRAWN "shapes-512 shapes-1024 shapes-2048"
static const ab_set sets[] = {
    {.name = "log-images", .members = "lena mandrill peppers house cameraman " DRAWN},
    {.name = "photographs", .members = "photo_canyon_1024 photo_walrus_2048x1536"},
    {NULL},
};

static const ab_line times[] = {
    {.row = "log-seq", .implementation = "log-edges/seq", .params = "threads=1", .label = "LoG, 1 core"},
    {.row = "log", .implementation = "log-edges/gpu", .label = "LoG, GPU"},
    {.row = "log-{name}", .implementation = "log-edges/+"},
    {NULL},
};
static const ab_line maps[] = {
    {.row = "log-seq", .implementation = "log-edges/seq", .label = "LoG, CPU"},
    {.row = "log", .implementation = "log-edges/gpu", .label = "LoG", .gpu_only = true},
    {.row = "sobel", .implementation = "sobel/seq", .label = "Sobel"},
    {.row = "canny", .implementation = "canny/opencv", .params = "threads=all", .label = "Canny (OpenCV)"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "kth-10", .title = "edges by the Laplacian of a Gaussian, time"},
    {.table = "kth-F10", .title = "quality of the maps"},
    {NULL},
};

static const ab_block blocks[] = {
    {.table = "kth-10", .measure = "time", .lines = times},
    {.table = "kth-F10", .measure = "quality", .lines = maps, .part = 1},
    {NULL},
};

const ab_driver table_kth_10 = {
    .name = "kth-10",
    .program = "table_kth_10",
    .machine = "KTH, which has no numbers of them",
    .summary = "Figures 10 to 12 of the KTH report: edges by the Laplacian of a Gaussian.",
    .efforts = {{.runs = 1, .iterations = 10, .budget_s = 0.2, .precise = 0.01, .host_steps = 7e4},
                {.runs = 1, .iterations = 100, .budget_s = 0.3, .precise = 0.01, .host_steps = 3e5},
                {.runs = 1, .iterations = 1000, .budget_s = 0.1, .host_steps = 3e6}},
    .inputs = {"shapes-128", "{log-images}", "{log-images}"},
    .optional = "{photographs}",
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
