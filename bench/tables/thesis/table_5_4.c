/* Chapter 5 of the thesis: statements that Table 5.1 and its figures do not show. The rows measure parts of edge
 * detection by ants, other numbers of ants and iterations, and other thresholds for maps.
 *
 *   §5.4.4  the update of the pheromone alone beside a run;  §5.5.5  8 lanes that search the memory, cached or not
 *   §5.5.2  as many ants and iterations as Nezamabadi-pour et al. have, beside Figure 5.5's
 *   §5.5.4  thickness by the number of ants where maps are cut at the image's mean intensity, of five runs each
 */
#include "bench/plan/driver.h"

static const ab_set sets[] = {
    {.name = "blocks-5.5.5", .members = "64 128 256 512 768"},
    {.name = "crowds", .members = "1500 3000 4500 6000"},
    {.name = "5.4-images", .members = "lena peppers shapes-512 ramp-512 shapes-2048"},
    {NULL},
};

static const ab_line parts[] = {
    {.row = "apart-{part}", .implementation = "edge-ants/warp-apart", .params = "block=128;part=all|update"},
    {NULL},
};
static const ab_line lanes[] = {
    {.row = "8-lanes", .implementation = "edge-ants/warp", .params = "block=128", .label = "the other 24 lanes idle"},
    {.row = "32-lanes", .implementation = "edge-ants/warp-all-lanes", .params = "block=128", .label = "the other 24 lanes work"},
    {NULL},
};
static const ab_line searching[] = {
    {.row = "search-{block}", .implementation = "edge-ants/search", .params = "block={blocks-5.5.5}", .label = "8 lanes search the memory"},
    {.row = "search-{block}-uncached", .implementation = "edge-ants/search", .params = "block={blocks-5.5.5};cached=0", .label = "the same, left to the L1 cache"},
    {NULL},
};
static const ab_line original[] = {
    {.row = "original", .implementation = "edge-ants/seq", .params = "ants-512=512;iterations=512;runs=5;threads=1", .label = "512 ants, 512 iterations, CPU"},
    {.row = "original-gpu", .implementation = "edge-ants/warp", .params = "ants-512=512;iterations=512;runs=5", .label = "512 ants, 512 iterations", .gpu_only = true},
    {.row = "thesis", .implementation = "edge-ants/seq", .params = "ants-512=3000;iterations=50;runs=5;threads=1", .label = "3000 ants, 50 iterations, CPU"},
    {.row = "thesis-gpu", .implementation = "edge-ants/warp", .params = "ants-512=3000;iterations=50;runs=5", .label = "3000 ants, 50 iterations", .gpu_only = true},
    {NULL},
};
static const ab_line crowds[] = {
    {.row = "ants-{ants-512}", .implementation = "edge-ants/warp", .params = "ants-512={crowds};runs=5;threshold=intensity", .label = "{ants-512} ants", .gpu_only = true},
    {.row = "seq-ants-{ants-512}", .implementation = "edge-ants/seq", .params = "ants-512={crowds};runs=5;threads=1;threshold=intensity", .label = "{ants-512} ants, CPU"},
    {NULL},
};

static const ab_heading headings[] = {
    {.table = "5.4.3", .title = "an ant per warp, time of a run by what 24 of its lanes do"},
    {.table = "5.4.4", .title = "ants on an image, time of a run and of its updates of the pheromone alone"},
    {.table = "5.5.5", .title = "8 lanes that search an ant's memory, time of a run"},
    {.table = "5.5.2", .title = "maps of as many ants and iterations as the original algorithm's"},
    {.table = "5.5.4", .title = "maps by the number of ants, cut at the image's mean intensity"},
    {NULL},
};
static const ab_block blocks[] = {
    {.table = "5.4.3", .measure = "time", .on = {"shapes-512", "lena shapes-512 shapes-2048", "lena shapes-512 shapes-2048"}, .lines = lanes},
    {.table = "5.4.4", .measure = "part", .on = {"shapes-512", "lena shapes-512 shapes-2048", "lena shapes-512 shapes-2048"}, .lines = parts},
    {.table = "5.5.5", .measure = "time", .on = {"shapes-512", "lena", "lena"}, .lines = searching},
    {.table = "5.5.2", .measure = "quality", .on = {"shapes-512", "lena shapes-512 ramp-512", "lena shapes-512 ramp-512"}, .lines = original},
    {.table = "5.5.4", .measure = "quality", .on = {"shapes-512", "lena peppers shapes-512", "lena peppers shapes-512"}, .lines = crowds},
    {NULL},
};

const ab_driver table_5_4 = {
    .name = "5.4",
    .program = "table_5_4",
    .machine = "none: the thesis has sentences, no numbers",
    .summary = "Sentences of chapter 5: edge detection by ants in parts and by other numbers.",
    .efforts = {{.runs = 10, .iterations = 50, .budget_s = 1, .precise = 0.01, .host_steps = 1.2e5},
                {.runs = 50, .iterations = 50, .budget_s = 1, .precise = 0.01, .host_steps = 1.2e5},
                {.runs = 100, .iterations = 50, .budget_s = 1, .host_steps = 1e7}},
    .inputs = {"shapes-512", "{5.4-images}", "{5.4-images}"},
    .sets = sets,
    .headings = headings,
    .blocks = blocks,
};
