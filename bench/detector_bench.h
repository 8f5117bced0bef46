/* Measuring edge detectors, colour-edge, Canny and Sobel: their time (Table 6.1), the quality of their maps, and how that
 * stands noise (Figure 6.5).
 */
#ifndef ANTBENCH_DETECTOR_BENCH_H
#define ANTBENCH_DETECTOR_BENCH_H

#include "bench/image_table.h"

/* Scope kernel: the stage DETECT (detector.h) on an image that is there, again and again; and for a GPU a row with scope
 * end-to-end as well: all stages. Before, the map is compared with the reference's: colour-edge/seq for colour-edge,
 * canny/opencv for Canny. It must be equal in all but DETECTOR_TOLERANCE of the pixels; a Canny with a given number of
 * hysteresis passes may miss edges but have no others; NPP's, which keeps weak edges that hang on no strong one, may have
 * others but miss none (NPP_TOLERANCE). Of these two the note says how many, and quality_mean the share of pixels that
 * differ. Images larger than effort.host_steps pixels are skipped on the host backend. */
extern const image_cell_kind detector_time;

/* A pixel whose magnitude is within rounding of a threshold may fall on either side, and thinning takes more with it. */
#define DETECTOR_TOLERANCE 1e-4

/* The share of the image's pixels that NPP may miss, and one more, as tiny images have few: its non-maximum suppression
 * decides ties and directions by rules of its own. A map without edges misses far more. */
#define NPP_TOLERANCE 1e-2

/* Scope quality: the metrics of quality.h for the map. With --save, the map. */
extern const image_cell_kind detector_quality;

/* Scope quality, for images with known edges: F at each level of the cell's kind of noise, with the parameters that are
 * best at that level (tuning=best) and with those whose mean F over all levels is best (tuning=fixed); "best" of a grid of
 * parameters (detector_grid.h), and only of that. A row for each; that of the key is the last. With --save, the maps. */
extern const image_cell_kind detector_noise;

/* The levels of detector_noise in percent; the first of them is 0. */
enum { DETECTOR_NOISE_LEVELS = 5 };
extern const int detector_noise_percent[DETECTOR_NOISE_LEVELS];

/* "salt-and-pepper" */
const char *detector_noise_name(image_noise noise);

/* Parameters as in the CSV, by operation: "sigma=1;volume=2;intensity=2;thinning=1". */
void detector_format_params(const char *implementation, const ed_params *params, char text[96]);

/* ---- What the kinds share ---- */

ed_image detector_image(const image_input *input);
ed_params detector_params(const image_table *table, const image_cell *cell); /* the cell's, threads 0 resolved */
double detector_pixels(const image_table *table, const image_cell *cell);    /* of the cell's image */

/* Seconds for one image, roughly: for ETAs. */
double detector_seconds(const image_table *table, const image_cell *cell, ab_backend backend);

/* Opens a detector on an image, finds the edges once and copies the map out. */
ab_status detector_map(const ab_implementation *implementation, const ed_image *image, const ed_params *params,
                       uint8_t *map);

/* Writes the row of a cell that could not be measured. */
ab_status detector_append_failure(image_table *table, ab_row *row, const ab_status *failure);

#endif
