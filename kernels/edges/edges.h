/* What the operations on images share: images as inputs, the quality of a map of edges as metrics, and saving maps.
 *
 * "Comparable edge maps" (thesis §5.5.3) must be checkable: each metric is a row of its own.
 */
#ifndef ANTBENCH_EDGES_H
#define ANTBENCH_EDGES_H

#include "images/image.h"
#include "kernels/edges/detector.h"
#include "kernels/operation.h"

/* ---- Images as inputs ---- */

typedef struct edges_image {
    ab_image image;
    uint8_t *grey;     /* [height][width] */
    uint8_t *rgba;     /* [height][width][4] */
    float *visibility; /* [height][width]: edge-ants' (ea_visibility); NULL until it is asked for */
    float *floats;     /* [height][width]: grey, as convolution takes it; NULL until it is asked for */
    void *problem;     /* what the operation at hand gives its implementations; freed with the image, as all of these */
} edges_image;

extern const ab_inputs edges_inputs;

size_t edges_pixels(const edges_image *image); /* width * height */

/* ab_measure.least_on_host of kernels that look at each pixel: their number. */
double edges_steps(const ab_circumstances *c, const void *fitted);

/* ---- Quality ---- */

/* Number of pixels by which a found edge may miss a known one. It is 1.5, the 8 neighbours, for drawn edges, because
 * an edge lies between two pixels and either is right. It is 0.0075 of the diagonal for edges that people traced: 4
 * for an image of BSDS, as in its benchmark. */
double edges_radius(const ab_image *image);

/* The metrics that judge `map`. First come thickness (pixels) and edge-share (of the image's pixels), then
 * precision, recall and pratt against the image's known edges. The last is F, also in *f, which is NAN without known
 * edges. */
ab_status edges_judge(const ab_task *task, const uint8_t *map, double *f);

/* ---- Saving: nothing where the task has no folder ---- */

/* A map of 0 and 1, or values scaled to their largest, to FOLDER/<image>-<name>.png. */
ab_status edges_save_map(const ab_task *task, const char *name, const uint8_t *map);
ab_status edges_save_values(const ab_task *task, const char *name, const float *values);
/* Other pixels of the image's size and channels likewise. */
ab_status edges_save_pixels(const ab_task *task, const char *name, const uint8_t *pixels);

#endif
