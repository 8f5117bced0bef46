/* Figures 10 to 12 of the KTH report: edges by a Gaussian, a Laplacian and a threshold of 5, in images of 512, 1024
 * and 2048 pixels a side. Beside the maps, which the report shows, their quality, that of Sobel's and Canny's, and the
 * time.
 */
#include "bench/plan/driver.h"

#define DRAWN "shapes-512 shapes-1024 shapes-2048"
static const ab_set sets[] = {{"log-images", "lena mandrill peppers house cameraman " DRAWN},
                              {"photographs", "photo_canyon_1024 photo_walrus_2048x1536"},
                              {NULL, NULL}};

static const ab_line times[] = {{"log-seq", "log-edges/seq", "threads=1", "LoG, 1 core"},
                                {"log", "log-edges/gpu", NULL, "LoG, GPU"},
                                {"log-{name}", "log-edges/+"},
                                {NULL}};
static const ab_line maps[] = {{"log-seq", "log-edges/seq", NULL, "LoG, CPU"},
                               {"log", "log-edges/gpu", NULL, "LoG", .gpu_only = true},
                               {"sobel", "sobel/seq", NULL, "Sobel"},
                               {"canny", "canny/opencv", "threads=all", "Canny (OpenCV)"},
                               {NULL}};

static const ab_heading headings[] = {{"kth-10", "edges by the Laplacian of a Gaussian, time", NULL, NULL, NULL},
                                      {"kth-F10", "quality of the maps", NULL, NULL, NULL},
                                      {NULL}};

static const ab_block blocks[] = {
    {"kth-10", "time", .lines = times},
    {"kth-F10", "quality", .lines = maps, .part = 1},
    {NULL},
};

const ab_driver table_kth_10 = {
    .name = "kth-10",
    .program = "table_kth_10",
    .machine = "KTH, which has no numbers of them",
    .summary = "Figures 10 to 12 of the KTH report: edges by the Laplacian of a Gaussian.",
    .efforts = {{.runs = 1, .iterations = 10, .budget_s = 0.2, .precise = 0.01, .host_steps = 7e4},
                {.runs = 1, .iterations = 100, .budget_s = 0.3, .precise = 0.01, .host_steps = 3e5},
                {.runs = 1, .iterations = 1000, .budget_s = 10, .host_steps = 3e6}},
    .inputs = {"shapes-128", "{log-images}", "{log-images}"},
    .optional = "{photographs}",
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
