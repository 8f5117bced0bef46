/* Table 5.1 and Figures 5.5, 5.6 and 5.7 of the thesis: edge detection by ants on the CPU and the GPU.
 *
 *   Table 5.1    the time of a run of 50 iterations by mapping and threads per block, beside the CPU's; and, where the
 *                thesis has words alone: the same on other pictures (§5.5.5) and on larger ones with more ants
 *   Figure 5.7   ant-to-warp with and without the ants' memory in shared memory
 *   Figure 5.5   the quality of the maps, beside Sobel's: against known edges where the picture was drawn, and how far
 *                the GPU's maps agree with the CPU's
 *   Figure 5.6   the thickness of the edges by the number of ants
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/detector_bench.h"
#include "bench/edge_ants_bench.h"

/* ---- What is measured ---- */

static const struct {
    const char *name, *implementation;
} mappings[] = {{"thread", "edge-ants/thread"}, {"block", "edge-ants/block"}, {"warp", "edge-ants/warp"}};

static const int blocks[] = {64, 128, 256, 512, 768};
static const int ant_counts[] = {1500, 3000, 4500, 6000}; /* of 512 x 512, in proportion elsewhere */
enum { MAP_RUNS = 10 }; /* Figure 5.5's maps are the mean of so many; Figure 5.6's are of one run, as in the thesis */
enum { N_MAPPINGS = 3, WARP = 2, N_BLOCKS = 5, N_ANT_COUNTS = 4, THESIS_BLOCK = 128, THESIS_ANTS = 3000 };

static const char *const large_images[] = {"shapes-1024", "shapes-2048", "shapes-4096", NULL};
static const char *const crowd_images[] = {"shapes-512", NULL}; /* of Figure 5.6, beside the first */
static const char *const smoke_list[] = {"lena", "peppers", "shapes-512", NULL};
static const char *const full_list[] = {"lena",        "mandrill",    "peppers",     "house",   "cameraman",
                                        "shapes-512",  "ramp-512",    "texture-512", "hue-512", "shapes-1024",
                                        "shapes-2048", "shapes-4096", NULL};
static const char *const *const images[] = {[AB_SMOKE] = smoke_list, [AB_QUICK] = full_list, [AB_THESIS] = full_list};

static const ab_effort efforts[] = {
    [AB_SMOKE] = {.runs = 10, .iterations = 50, .budget_s = 1, .converge = true, .host_steps = 2e5},
    [AB_QUICK] = {.runs = 50, .iterations = 50, .budget_s = 2, .converge = true, .host_steps = 3e5},
    [AB_THESIS] = {.runs = 100, .iterations = 50, .budget_s = INFINITY, .converge = false, .host_steps = 1e7},
};

static image_cell *add_ants(image_table *t, const image_cell_kind *kind, const char *table, const char *row,
                            const char *implementation, int input)
{
    image_cell *cell = image_add_cell(t, kind, table, row, implementation, input);
    cell->ants.iterations = t->base.bench.effort.iterations;
    cell->ants.block_threads = THESIS_BLOCK;
    cell->map_runs = MAP_RUNS;
    return cell;
}

static void add_mapping(image_table *t, int mapping, int block, bool cached, int input)
{
    char row[48];
    snprintf(row, sizeof row, "%s-%d%s", mappings[mapping].name, block, cached ? "" : "-uncached");
    image_cell *cell = add_ants(t, &ants_time, cached ? "5.1" : "F5.7", row, mappings[mapping].implementation, input);
    cell->ants.block_threads = block;
    cell->ants.cache_memory = cached;
}

/* What is measured on every image: the CPU, the thesis's best mapping and ours. */
static void add_best(image_table *t, int input)
{
    add_ants(t, &ants_time, "5.1", "seq", "edge-ants/seq", input)->ants.threads = 1;
    add_ants(t, &ants_time, "5.1", "omp", "edge-ants/omp", input)->ants.threads = 0;
    add_mapping(t, WARP, THESIS_BLOCK, true, input);
    add_ants(t, &ants_time, "5.1", "octet-128", "edge-ants/octet", input);
}

static void add_grid(image_table *t, int input)
{
    for (int m = 0; m < N_MAPPINGS; ++m)
        for (int b = 0; b < N_BLOCKS; ++b)
            if (m != WARP || blocks[b] != THESIS_BLOCK) add_mapping(t, m, blocks[b], true, input);
    for (int b = 0; b < N_BLOCKS; ++b) add_mapping(t, WARP, blocks[b], false, input);
}

static void add_quality(image_table *t, int input)
{
    add_ants(t, &ants_quality, "F5.5", "seq", "edge-ants/seq", input)->ants.threads = 1;
    add_ants(t, &ants_quality, "F5.5", "warp-128", "edge-ants/warp", input);
    image_add_cell(t, &detector_quality, "F5.5", "sobel", "sobel/seq", input);
}

/* `ants` is for 512 x 512. */
static void add_crowd(image_table *t, const char *row, const char *implementation, int input, int ants)
{
    image_cell *cell = add_ants(t, &ants_quality, "F5.6", row, implementation, input);
    const double ratio = (double)ants / THESIS_ANTS;
    cell->ants.n_ants = (int)fmax(1.0, round(cell->ants.n_ants * ratio));
    cell->ants.threads = 1;
    cell->map_runs = 1;
}

static void add_thickness(image_table *t, int input)
{
    for (int i = 0; i < N_ANT_COUNTS; ++i) {
        char row[48];
        snprintf(row, sizeof row, "ants-%d", ant_counts[i]);
        add_crowd(t, row, "edge-ants/warp", input, ant_counts[i]);
        snprintf(row, sizeof row, "seq-ants-%d", ant_counts[i]);
        add_crowd(t, row, "edge-ants/seq", input, ant_counts[i]);
    }
}

/* The grid is measured on the first image, everything on all images that the user names. */
static void list_cells(image_table *t)
{
    const bool all = image_inputs_asked(t);
    for (int i = 0; i < t->n_inputs; ++i) {
        if (!image_is_traced(&t->inputs[i]) || all) add_best(t, i);
        if (i == 0 || all) add_grid(t, i);
    }
    for (int i = 0; i < t->n_inputs; ++i) {
        if (image_is_listed(&t->inputs[i], large_images) && !all) continue;
        add_quality(t, i);
        if (i == 0 || all || image_is_listed(&t->inputs[i], crowd_images)) add_thickness(t, i);
    }
}

/* ---- The printed tables ---- */

static void print_grid_row(const image_table *t, int input, int block)
{
    const ab_published_table *theirs = ab_table_published(&t->base, "5.1");
    char row[N_MAPPINGS + 1][48];
    for (int m = 0; m < N_MAPPINGS; ++m) snprintf(row[m], sizeof row[m], "%s-%d", mappings[m].name, block);
    snprintf(row[N_MAPPINGS], sizeof row[N_MAPPINGS], "warp-%d-uncached", block);
    printf("%7d %-6s", block, "ours");
    for (int m = 0; m < N_MAPPINGS; ++m) ab_print_cell(12, image_find_row(t, "5.1", row[m], input, NULL));
    ab_print_cell(14, image_find_row(t, "F5.7", row[N_MAPPINGS], input, NULL));
    printf("\n%7s %-6s", "", "thesis");
    for (int m = 0; m < N_MAPPINGS; ++m) ab_print_ms(12, ab_published_value(theirs, row[m], "512x512", "run"));
    printf("\n");
}

static void print_grid(const image_table *t, int input)
{
    printf("\nTable 5.1, Figure 5.7: mean time of a run of %d iterations in ms on %s, by threads per block\n",
           t->base.bench.effort.iterations, t->inputs[input].image.name);
    printf("%7s %-6s %12s %12s %12s %14s\n", "threads", "whose", "ant-to-thread", "ant-to-block", "ant-to-warp",
           "warp, uncached");
    for (int b = 0; b < N_BLOCKS; ++b) print_grid_row(t, input, blocks[b]);
}

static void print_best(const image_table *t)
{
    static const char *const rows[] = {"seq", "omp", "warp-128", "octet-128"};
    printf("\nTable 5.1: mean time of a run in ms by image; ants in proportion to its pixels (thesis: just under 1000 "
           "ms on "
           "the CPU)\n");
    printf("%-14s %11s %12s %12s %12s %12s %10s\n", "image", "pixels", "seq", "omp", "warp-128", "octet-128",
           "seq/warp");
    for (int i = 0; i < t->n_inputs; ++i) {
        const ab_image *image = &t->inputs[i].image;
        if (!image_find_row(t, "5.1", "seq", i, NULL) && !image_find_row(t, "5.1", "warp-128", i, NULL)) continue;
        printf("%-14s %5d x %-5d", image->name, image->width, image->height);
        for (int r = 0; r < 4; ++r) ab_print_cell(12, image_find_row(t, "5.1", rows[r], i, NULL));
        ab_print_number(10, 1,
                        ab_mean_ms(image_find_row(t, "5.1", "seq", i, NULL)) /
                            ab_mean_ms(image_find_row(t, "5.1", "warp-128", i, NULL)),
                        "x");
        printf("\n");
    }
}

static double quality(const image_table *t, const char *name, const char *row, int input, const char *metric)
{
    char params[32];
    snprintf(params, sizeof params, ";metric=%s", metric);
    const ab_row *found = image_find_row(t, name, row, input, params);
    return found ? found->quality_mean : NAN;
}

static void print_quality(const image_table *t)
{
    static const char *const rows[] = {"seq", "warp-128", "sobel"};
    enum { N_METRICS = 8 };
    static const char *const metrics[N_METRICS] = {"f",     "best-f",    "precision", "recall",
                                                   "pratt", "thickness", "agreement", "agreement-same-seeds"};
    printf("\nFigure 5.5: quality of the edge maps against known edges; agreement: F with radius 1 against the map of\n"
           "seq with other seeds, and with the same\n");
    printf("%-14s %-10s", "image", "row");
    for (int m = 0; m < N_METRICS; ++m)
        printf(" %10s", strncmp(metrics[m], "agreement-", 10) ? metrics[m] : "same seeds");
    printf("\n");
    for (int i = 0; i < t->n_inputs; ++i)
        for (int r = 0; r < 3; ++r) {
            if (!isfinite(quality(t, "F5.5", rows[r], i, "thickness"))) continue;
            printf("%-14s %-10s", t->inputs[i].image.name, rows[r]);
            for (int m = 0; m < N_METRICS; ++m) ab_print_number(10, 3, quality(t, "F5.5", rows[r], i, metrics[m]), "");
            printf("\n");
        }
}

/* One metric of Figure 5.6 for each image, by the GPU's mapping and by the CPU. */
static void print_crowds(const image_table *t, const char *metric, int digits)
{
    for (int i = 0; i < t->n_inputs; ++i)
        for (int cpu = 0; cpu < 2; ++cpu) {
            char row[48];
            snprintf(row, sizeof row, "%sants-%d", cpu ? "seq-" : "", ant_counts[0]);
            if (!image_find_row(t, "F5.6", row, i, NULL)) continue;
            printf("%-14s %-5s %-10s", t->inputs[i].image.name, cpu ? "seq" : "warp", metric);
            for (int k = 0; k < N_ANT_COUNTS; ++k) {
                snprintf(row, sizeof row, "%sants-%d", cpu ? "seq-" : "", ant_counts[k]);
                ab_print_number(8, digits, quality(t, "F5.6", row, i, metric), "");
            }
            printf("\n");
        }
}

static void print_thickness(const image_table *t)
{
    printf("\nFigure 5.6: mean thickness of the edges in pixels, and their share of the image, after one run, by the "
           "number "
           "of ants (of 512 x 512)\n%-14s %-5s %-10s",
           "image", "of", "metric");
    for (int i = 0; i < N_ANT_COUNTS; ++i) printf(" %8d", ant_counts[i]);
    printf("\n");
    print_crowds(t, "thickness", 2);
    print_crowds(t, "edge-share", 3);
}

static void print_tables(const image_table *t)
{
    for (int i = 0; i < t->n_inputs; ++i)
        if (image_find_row(t, "5.1", "warp-64", i, NULL)) print_grid(t, i);
    print_best(t);
    print_quality(t);
    print_thickness(t);
}

/* ---- The program ---- */

int main(int argc, char **argv)
{
    static const char *const operations[] = {"edge-ants", "sobel", NULL};
    static const image_driver driver = {
        .program = {.name = "table_5_1",
                    .summary = "Table 5.1 and Figures 5.5 to 5.7: edge detection by ants on CPU and GPU.",
                    .operations = operations,
                    .known_instances = full_list},
        .table_file = "table-5.1.csv",
        .published = {"5.1"},
        .efforts = efforts,
        .images = images,
        .traced = true,
        .list_cells = list_cells,
        .print_tables = print_tables,
    };
    return image_table_main(&driver, argc, argv);
}
