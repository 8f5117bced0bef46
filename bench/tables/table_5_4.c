/* Sentences of chapter 5 of the thesis that Table 5.1 and its figures do not show: edge detection by ants in parts, by
 * other numbers of ants and iterations, and with maps cut otherwise.
 *
 *   §5.4.3  an ant per warp whose other 24 lanes idle or work while 8 weigh a neighbour each
 *   §5.4.4  the update of the pheromone alone beside a run;  §5.5.5  8 lanes that search the memory, cached or not
 *   §5.5.2  as many ants and iterations as Nezamabadi-pour et al. have, beside Figure 5.5's
 *   §5.5.4  thickness by the number of ants where maps are cut at the image's mean intensity, of five runs each
 */
#include <math.h>

#include "bench/plan/driver.h"

/* clang-format off */
static const ab_set sets[] = {{"blocks-5.5.5", "64 128 256 512 768"}, {"crowds", "1500 3000 4500 6000"},
                              {"5.4-images", "lena peppers shapes-512 ramp-512 shapes-2048"}, {NULL, NULL}};

static const ab_line parts[] = {{"apart-{part}", "edge-ants/warp-apart", "block=128;part=all|update"}, {NULL}};
static const ab_line lanes[] = {{"8-lanes", "edge-ants/warp", "block=128", "the other 24 lanes idle"},
                                {"32-lanes", "edge-ants/warp-all-lanes", "block=128", "the other 24 lanes work"}, {NULL}};
static const ab_line searching[] = {
    {"search-{block}", "edge-ants/search", "block={blocks-5.5.5}", "8 lanes search the memory"},
    {"search-{block}-uncached", "edge-ants/search", "block={blocks-5.5.5};cached=0", "the same, left to the L1 cache"},
    {NULL}};
static const ab_line original[] = {
    {"original", "edge-ants/seq", "ants-512=512;iterations=512;runs=5;threads=1", "512 ants, 512 iterations, CPU"},
    {"original-gpu", "edge-ants/warp", "ants-512=512;iterations=512;runs=5", "512 ants, 512 iterations", .gpu_only = true},
    {"thesis", "edge-ants/seq", "ants-512=3000;iterations=50;runs=5;threads=1", "3000 ants, 50 iterations, CPU"},
    {"thesis-gpu", "edge-ants/warp", "ants-512=3000;iterations=50;runs=5", "3000 ants, 50 iterations", .gpu_only = true},
    {NULL}};
static const ab_line crowds[] = {
    {"ants-{ants-512}", "edge-ants/warp", "ants-512={crowds};runs=5;threshold=intensity", "{ants-512} ants",
     .gpu_only = true},
    {"seq-ants-{ants-512}", "edge-ants/seq", "ants-512={crowds};runs=5;threads=1;threshold=intensity",
     "{ants-512} ants, CPU"}, {NULL}};

static const ab_heading headings[] = {
    {"5.4.3", "an ant per warp, time of a run by what 24 of its lanes do", NULL, NULL, NULL},
    {"5.4.4", "ants on an image, time of a run and of its updates of the pheromone alone", NULL, NULL, NULL},
    {"5.5.5", "8 lanes that search an ant's memory, time of a run", NULL, NULL, NULL},
    {"5.5.2", "maps of as many ants and iterations as the original algorithm's", NULL, NULL, NULL},
    {"5.5.4", "maps by the number of ants, cut at the image's mean intensity", NULL, NULL, NULL},
    {NULL},
};
static const ab_block blocks[] = {
    {"5.4.3", "time", NULL, {"shapes-512", "lena shapes-512 shapes-2048", "lena shapes-512 shapes-2048"},
     .lines = lanes},
    {"5.4.4", "part", NULL, {"shapes-512", "lena shapes-512 shapes-2048", "lena shapes-512 shapes-2048"},
     .lines = parts},
    {"5.5.5", "time", NULL, {"shapes-512", "lena", "lena"}, .lines = searching},
    {"5.5.2", "quality", NULL, {"shapes-512", "lena shapes-512 ramp-512", "lena shapes-512 ramp-512"},
     .lines = original},
    {"5.5.4", "quality", NULL, {"shapes-512", "lena peppers shapes-512", "lena peppers shapes-512"}, .lines = crowds},
    {NULL},
};

const ab_driver table_5_4 = {
    .name = "5.4", .program = "table_5_4", .machine = "none: the thesis has sentences, no numbers",
    .summary = "Sentences of chapter 5: edge detection by ants in parts and by other numbers.",
    .efforts = {{.runs = 10, .iterations = 50, .budget_s = 1, .precise = 0.01, .host_steps = 1.2e5},
                {.runs = 50, .iterations = 50, .budget_s = 1, .precise = 0.01, .host_steps = 1.2e5},
                {.runs = 100, .iterations = 50, .budget_s = INFINITY, .host_steps = 1e7}},
    .inputs = {"shapes-512", "{5.4-images}", "{5.4-images}"},
    .sets = sets, .headings = headings, .blocks = blocks,
};
