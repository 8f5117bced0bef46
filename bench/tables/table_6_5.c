/* Sentences of chapter 6 of the thesis that Table 6.1 and its figures do not show: steps of colour edge detection
 * alone, and maps without noise beside Canny's.
 *
 *   §6.5.2  the gradient from shared and from global memory; the hue by a polynomial and by the arc cosine
 *   §6.6.2  thickness of the maps, and their agreement with Canny's
 */
#include <math.h>

#include "bench/plan/driver.h"

static const ab_line steps[] = {
    {"gradient", "colour-edge/gpu", "step=gradient", "gradient from shared memory"},
    {"gradient-global", "colour-edge/gradient-global", "step=gradient", "gradient from global memory"},
    {"blur", "colour-edge/gpu", "step=blur", "blur and colour, hue by a polynomial"},
    {"blur-acos", "colour-edge/acos", "step=blur", "blur and colour, hue by the arc cosine"},
    {NULL}};
static const ab_line maps[] = {{"colour-edge", "colour-edge/omp", "threads=all", "colour edge"},
                               {"canny-opencv", "canny/opencv", "threads=all", "Canny (OpenCV)"},
                               {"sobel", "sobel/seq", NULL, "Sobel"},
                               {NULL}};

static const ab_heading headings[] = {{"6.5.2", "steps of colour edge detection, time of each alone", NULL, NULL, NULL},
                                      {"6.6.2", "maps without noise, beside Canny's", NULL, NULL, NULL},
                                      {NULL}};

#define TIMED "lena shapes-512 shapes-2048"
#define DRAWN "shapes-512 ramp-512 shapes-512-2"
static const ab_block blocks[] = {
    {"6.5.2", "step", NULL, {"shapes-128", TIMED, TIMED}, .lines = steps},
    {"6.6.2", "quality", NULL, {"shapes-128", DRAWN, DRAWN}, .lines = maps, .part = 1},
    {"6.6.2", "quality", NULL, AB_ALWAYS("lena mandrill peppers house cameraman"), AB_ASKED_LISTED, .lines = maps,
     .part = 1, .found_only = true},
    {NULL},
};

const ab_driver table_6_5 = {
    .name = "6.5",
    .program = "table_6_5",
    .machine = "none: the thesis has sentences, no numbers",
    .summary = "Sentences of chapter 6: steps of colour edge detection alone, maps beside Canny's.",
    .efforts = {{.runs = 1, .iterations = 20, .budget_s = 1, .precise = 0.01, .host_steps = 3e5},
                {.runs = 1, .iterations = 1000, .budget_s = 0.5, .precise = 0.01, .host_steps = 3e5},
                {.runs = 1, .iterations = 1000, .budget_s = INFINITY, .host_steps = 3e6}},
    .inputs = {"shapes-128", "lena mandrill peppers house cameraman shapes-512 ramp-512 shapes-512-2 shapes-2048",
               "lena mandrill peppers house cameraman shapes-512 ramp-512 shapes-512-2 shapes-2048"},
    .headings = headings,
    .blocks = blocks,
};
