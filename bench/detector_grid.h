/* The parameters that a detector is tuned over where its best are asked for (Figure 6.5): "each algorithm requires fine
 * tuning" (thesis §6.6). The grids are coarse, and the same for every image and every level of noise.
 */
#ifndef ANTBENCH_DETECTOR_GRID_H
#define ANTBENCH_DETECTOR_GRID_H

#include "kernels/detector.h"

typedef struct detector_parameter_grid {
    int count;
    void (*set)(int point,
                ed_params *params); /* the parameters of a point, 0 .. count - 1; leaves threads as they are */
} detector_parameter_grid;

/* The grid for an implementation, by its operation. */
detector_parameter_grid detector_grid(const char *implementation);

#endif
