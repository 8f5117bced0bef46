/* Chapter 6 of the thesis: statements that Table 6.1 and its figures do not show. The rows measure single steps of
 * colour edge detection, and maps without noise beside Canny's.
 *
 *   §6.5.2  the gradient from shared and from global memory; the hue by a polynomial and by the arc cosine
 *   §6.6.2  thickness of the maps, and their agreement with Canny's
 */
#include "bench/plan/driver.h"

static const ab_line steps[] = {
    {.row = "gradient", .implementation = "colour-edge/gpu", .params = "step=gradient", .label = "gradient from shared memory"},
    {.row = "gradient-global", .implementation = "colour-edge/gradient-global", .params = "step=gradient", .label = "gradient from global memory"},
    {.row = "blur", .implementation = "colour-edge/gpu", .params = "step=blur", .label = "blur and colour, hue by a polynomial"},
    {.row = "blur-acos", .implementation = "colour-edge/acos", .params = "step=blur", .label = "blur and colour, hue by the arc cosine"},
    {NULL},
};
static const ab_line maps[] = {
    {.row = "colour-edge", .implementation = "colour-edge/omp", .params = "threads=all", .label = "colour edge"},
    {.row = "canny-opencv", .implementation = "canny/opencv", .params = "threads=all", .label = "Canny (OpenCV)"},
    {.row = "sobel", .implementation = "sobel/seq", .label = "Sobel"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "6.5.2", .title = "steps of colour edge detection, time of each alone"},
    {.table = "6.6.2", .title = "maps without noise, beside Canny's"},
    {NULL},
};

#define TIMED "lena shapes-512 shapes-2048"
#define DRAWN "shapes-512 ramp-512 shapes-512-2"
static const ab_block blocks[] = {
    {.table = "6.5.2", .measure = "step", .on = {"shapes-128", TIMED, TIMED}, .lines = steps},
    {.table = "6.6.2", .measure = "quality", .on = {"shapes-128", DRAWN, DRAWN}, .lines = maps, .part = 1},
    {.table = "6.6.2", .measure = "quality", .on = AB_ALWAYS("lena mandrill peppers house cameraman"), .asked = AB_ASKED_LISTED, .lines = maps, .part = 1, .found_only = true},
    {NULL},
};

const ab_driver table_6_5 = {
    .name = "6.5",
    .program = "table_6_5",
    .machine = "none: the thesis has sentences, no numbers",
    .summary = "Sentences of chapter 6: steps of colour edge detection alone, maps beside Canny's.",
    .efforts = {{.runs = 1, .iterations = 20, .budget_s = 1, .precise = 0.01, .host_steps = 3e5},
                {.runs = 1, .iterations = 1000, .budget_s = 0.5, .precise = 0.01, .host_steps = 3e5},
                {.runs = 1, .iterations = 1000, .budget_s = 0.5, .host_steps = 3e6}},
    .inputs = {"shapes-128", "lena mandrill peppers house cameraman shapes-512 ramp-512 shapes-512-2 shapes-2048",
               "lena mandrill peppers house cameraman shapes-512 ramp-512 shapes-512-2 shapes-2048"},
    .headings = headings,
    .blocks = blocks,
};
