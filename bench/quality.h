/* The quality of an edge map as rows of a table, one row for each metric, because "comparable edge maps" (thesis §5.5.3)
 * must be checkable.
 */
#ifndef ANTBENCH_QUALITY_H
#define ANTBENCH_QUALITY_H

#include "bench/image_table.h"

/* Pixels by which a found edge may miss a known one: 1.5, the 8 neighbours, where the edges are drawn, because an edge
 * lies between two pixels and either is right; 0.0075 of the diagonal where people traced them (4 for an image of BSDS,
 * as its benchmark has it). */
double quality_radius(const ab_image *image);

/* Appends the rows that judge `map`: metrics thickness (pixels) and edge-share (of the image's pixels), then against the
 * image's known edges precision, recall and pratt, and last, as *row, f, which is NAN where no edges are known. Params of
 * *row end with metric=f (image_cell_kind.metric), which is replaced in the others. */
ab_status quality_append(image_table *table, const image_input *input, const uint8_t *map, ab_row *row);

/* Appends one row like *row (params end with metric=f) for another metric. */
ab_status quality_append_metric(image_table *table, const ab_row *row, const char *metric, double value);

/* Sets the quality columns of a row. */
void quality_set(ab_row *row, const char *metric, double value);

#endif
