/* Table 6.1 and Figures 6.5 and 6.6 of the thesis: colour edge detection against Canny on the CPU and the GPU.
 *
 *   Table 6.1   the time for an image: rows as in the thesis (OpenCV, Canny with 4 and with 10 passes of hysteresis,
 *               colour-edge), what it should be compared with today (Canny to convergence, NPP, all cores), and larger
 *               images, as a share of the rate of a copy within the GPU's memory
 *   Figure 6.5  F against known edges by the share of noise, with fixed and with the best parameters
 *   Figure 6.6  the same without noise where the edges are in hue alone
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/detector_bench.h"

/* ---- What is measured ---- */

/* A row of Table 6.1. */
typedef struct detector_row {
    const char *row, *implementation;
    const char *published; /* the thesis's row beside which it stands, NULL for one of the same name */
    int threads;           /* of a CPU implementation, 0 for all cores */
    double sigma;
    int hysteresis_passes;
    bool is_large; /* measured on the large images too */
} detector_row;

/* OpenCV's Canny, NPP's and those to be compared with them do not blur; Luo & Duraiswami's does. */
static const detector_row rows[] = {
    {"opencv-1", "canny/opencv", "opencv", .threads = 1, .sigma = 0.0, .is_large = true},
    {"opencv-all", "canny/opencv", .threads = 0, .sigma = 0.0, .is_large = true},
    {"opencv-blur-1", "canny/opencv", .threads = 1, .sigma = 1.0},
    {"canny-h4", "canny/gpu", .sigma = 1.0, .hysteresis_passes = 4},
    {"canny-h10", "canny/gpu", .sigma = 1.0, .hysteresis_passes = 10},
    {"canny-gpu", "canny/gpu", .sigma = 0.0, .is_large = true},
    {"canny-gpu-blur", "canny/gpu", .sigma = 1.0},
    {"npp", "canny/npp", .sigma = 0.0, .is_large = true},
    {"colour-edge-seq", "colour-edge/seq", .threads = 1, .sigma = 1.0, .is_large = true},
    {"colour-edge-omp", "colour-edge/omp", .threads = 0, .sigma = 1.0, .is_large = true},
    {"colour-edge", "colour-edge/gpu", .sigma = 1.0, .is_large = true},
    {"colour-edge-fused", "colour-edge/fused", .sigma = 1.0, .is_large = true},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* The curves of Figures 6.5 and 6.6. The GPU's Canny is drawn where there is a GPU: its maps are OpenCV's. */
static const struct {
    const char *row, *implementation;
} curves[] = {{"colour-edge", "colour-edge/omp"},
              {"canny-opencv", "canny/opencv"},
              {"canny-gpu", "canny/gpu"},
              {"sobel", "sobel/seq"}};
enum { N_CURVES = 4, GPU_CURVE = 2 };

static const char *const thesis_images[] = {"lena", "mandrill", "peppers", "house", "cameraman", NULL};
static const char *const large_images[] = {"shapes-256",  "shapes-1024", "shapes-2048",
                                           "shapes-4096", "shapes-8192", NULL};
static const char *const noise_images[] = {"shapes-512", "ramp-512", "shapes-128", NULL};
static const char *const hue_images[] = {"hue-512", "hue-128", NULL};

static const char *const smoke_list[] = {"lena", "cameraman", "shapes-128", "hue-128", NULL};
static const char *const quick_list[] = {"lena",        "mandrill",    "peppers",     "house",      "cameraman",
                                         "shapes-512",  "ramp-512",    "hue-512",     "shapes-256", "shapes-1024",
                                         "shapes-2048", "shapes-4096", "shapes-8192", NULL};
static const char *const *const images[] = {[AB_SMOKE] = smoke_list, [AB_QUICK] = quick_list, [AB_THESIS] = quick_list};

static const ab_effort efforts[] = {
    [AB_SMOKE] = {.runs = 1, .iterations = 20, .budget_s = 1, .converge = true, .host_steps = 3e5},
    [AB_QUICK] = {.runs = 1, .iterations = 1000, .budget_s = 2, .converge = true, .host_steps = 3e5},
    [AB_THESIS] = {.runs = 1, .iterations = 1000, .budget_s = INFINITY, .converge = false, .host_steps = 3e6},
};

static void add_time(image_table *t, const detector_row *row, int input)
{
    image_cell *cell = image_add_cell(t, &detector_time, "6.1", row->row, row->implementation, input);
    cell->published_row = row->published;
    cell->detector.sigma = row->sigma;
    cell->detector.hysteresis_passes = row->hysteresis_passes;
    cell->detector.threads = row->threads;
}

/* Up to `percent` of noise; for 0 the kind is of no meaning. */
static void add_curves(image_table *t, const char *table, int input, image_noise noise, int percent)
{
    for (int c = 0; c < N_CURVES; ++c) {
        if (c == GPU_CURVE && !t->base.bench.have_gpu) continue;
        image_cell *cell = image_add_cell(t, &detector_noise, table, curves[c].row, curves[c].implementation, input);
        cell->noise = (image_cell_noise){noise, percent};
        cell->detector.threads = 0;
    }
}

static void list_cells(image_table *t)
{
    const bool all = image_inputs_asked(t);
    for (int i = 0; i < t->n_inputs; ++i) {
        const image_input *input = &t->inputs[i];
        for (int r = 0; r < N_ROWS; ++r)
            if (all || image_is_listed(input, thesis_images) ||
                (image_is_listed(input, large_images) && rows[r].is_large))
                add_time(t, &rows[r], i);
    }
    for (int i = 0; i < t->n_inputs; ++i) {
        const image_input *input = &t->inputs[i];
        if (image_is_listed(input, hue_images)) add_curves(t, "F6.6", i, IMAGE_SALT_AND_PEPPER, 0);
        if (!image_is_listed(input, noise_images) && !(all && input->image.edges)) continue;
        add_curves(t, "F6.5", i, IMAGE_SALT_AND_PEPPER, detector_noise_percent[DETECTOR_NOISE_LEVELS - 1]);
        add_curves(t, "F6.5", i, IMAGE_GAUSSIAN, detector_noise_percent[DETECTOR_NOISE_LEVELS - 1]);
    }
}

/* ---- The printed tables ---- */

/* A line with the times that include the transfers, where there are any. */
static void print_end_to_end(const image_table *t, const char *row)
{
    bool any = false;
    for (int i = 0; i < t->n_inputs; ++i) any |= image_find_end_to_end(t, "6.1", row, i) != NULL;
    if (!any) return;
    printf("%-18s %-6s", "  with transfers", "ours");
    for (int i = 0; i < t->n_inputs; ++i) ab_print_cell(12, image_find_end_to_end(t, "6.1", row, i));
    printf("\n");
}

static void print_times(const image_table *t)
{
    const ab_published_table *theirs = ab_table_published(&t->base, "6.1");
    printf("\nTable 6.1: mean time for an image in ms, without transfers where nothing is said\n%-18s %-6s", "row",
           "whose");
    for (int i = 0; i < t->n_inputs; ++i) printf(" %12s", t->inputs[i].image.name);
    printf("\n");
    for (int r = 0; r < N_ROWS; ++r) {
        const char *published = rows[r].published ? rows[r].published : rows[r].row;
        printf("%-18s %-6s", rows[r].row, "ours");
        for (int i = 0; i < t->n_inputs; ++i) ab_print_cell(12, image_find_row(t, "6.1", rows[r].row, i, NULL));
        printf("\n");
        print_end_to_end(t, rows[r].row);
        if (!isfinite(ab_published_value(theirs, published, "lena", "kernel"))) continue;
        printf("%-18s %-6s", "", "thesis");
        for (int i = 0; i < t->n_inputs; ++i)
            ab_print_ms(12, ab_published_value(theirs, published, t->inputs[i].asked, "kernel"));
        printf("\n");
    }
}

/* How near a GPU's times of large images come to what its memory allows. */
static void print_bandwidth(const image_table *t)
{
    if (!t->base.bench.have_gpu) return;
    printf(
        "\nTable 6.1: million pixels a second, and the share of the rate of a copy within the GPU's memory (%.0f GB/s) "
        "that reading the image and writing the map take\n%-18s",
        t->copy_bytes_per_s * 1e-9, "row");
    for (int i = 0; i < t->n_inputs; ++i) printf(" %17s", t->inputs[i].image.name);
    printf("\n");
    for (int r = 0; r < N_ROWS; ++r) {
        printf("%-18s", rows[r].row);
        for (int i = 0; i < t->n_inputs; ++i) {
            const ab_row *row = image_find_row(t, "6.1", rows[r].row, i, NULL);
            ab_print_number(10, 0, row ? row->size / ab_mean_ms(row) * 1e-3 : NAN, "");
            const bool known = row && strcmp(row->quality_metric, "bandwidth-share") == 0;
            ab_print_number(6, 1, known ? 100.0 * row->quality_mean : NAN, "%");
        }
        printf("\n");
    }
}

static void print_curve(const image_table *t, const char *table, int input, int curve, image_noise noise,
                        const char *tuning)
{
    printf("%-12s %-16s %-14s %-6s", t->inputs[input].image.name, detector_noise_name(noise), curves[curve].row,
           tuning);
    for (int i = 0; i < DETECTOR_NOISE_LEVELS; ++i) {
        char params[96];
        snprintf(params, sizeof params, "noise=%s;level=%d;tuning=%s", detector_noise_name(noise),
                 detector_noise_percent[i], tuning);
        const ab_row *row = image_find_row(t, table, curves[curve].row, input, params);
        ab_print_number(7, 3, row ? row->quality_mean : NAN, "");
    }
    printf("\n");
}

static void print_curves(const image_table *t, const char *table)
{
    static const image_noise noises[] = {IMAGE_SALT_AND_PEPPER, IMAGE_GAUSSIAN};
    printf("\nFigure %s: F against known edges by percent of noise\n%-12s %-16s %-14s %-6s", table + 1, "image",
           "noise", "row", "tuning");
    for (int i = 0; i < DETECTOR_NOISE_LEVELS; ++i) printf(" %6d%%", detector_noise_percent[i]);
    printf("\n");
    for (int i = 0; i < t->n_inputs; ++i)
        for (int n = 0; n < 2; ++n)
            for (int c = 0; c < N_CURVES; ++c) {
                char params[64];
                snprintf(params, sizeof params, "noise=%s", detector_noise_name(noises[n]));
                if (!image_find_row(t, table, curves[c].row, i, params)) continue;
                print_curve(t, table, i, c, noises[n], "fixed");
                print_curve(t, table, i, c, noises[n], "best");
            }
}

static void print_tables(const image_table *t)
{
    print_times(t);
    print_bandwidth(t);
    print_curves(t, "F6.5");
    print_curves(t, "F6.6");
}

/* ---- The program ---- */

int main(int argc, char **argv)
{
    static const char *const operations[] = {"colour-edge", "canny", "sobel", NULL};
    static const image_driver driver = {
        .program = {.name = "table_6_1",
                    .summary = "Table 6.1 and Figures 6.5 and 6.6: colour edge detection and Canny on CPU and GPU.",
                    .operations = operations,
                    .known_instances = quick_list},
        .table_file = "table-6.1.csv",
        .published = {"6.1"},
        .efforts = efforts,
        .images = images,
        .list_cells = list_cells,
        .print_tables = print_tables,
    };
    return image_table_main(&driver, argc, argv);
}
