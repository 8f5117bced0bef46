/* Measuring edge detectors: colour-edge, Canny and Sobel. */
#ifndef ANTBENCH_DETECTOR_BENCH_H
#define ANTBENCH_DETECTOR_BENCH_H

#include "bench/image_table.h"

/* Scope quality: the metrics of quality.h for the map, with the cell's noise. With --save, the map. */
extern const image_cell_kind detector_quality;

/* Opens a detector on an image, finds the edges once and copies the map out. */
ab_status detector_map(const ab_implementation *implementation, const ed_image *image, const ed_params *params,
                       uint8_t *map);

#endif
