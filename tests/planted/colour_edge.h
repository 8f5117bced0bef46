/* The planted bugs of colour_edge.cu. */
#ifndef ANTBENCH_PLANTED_COLOUR_EDGE_H
#define ANTBENCH_PLANTED_COLOUR_EDGE_H

#include "kernels/edges/detector.h"

enum planted_colour_edge_bug {
    CE_BUG_NONE,
    CE_BUG_MISSING_BARRIER,    /* thresholds are read from shared memory before they are there */
    CE_BUG_APRON_OFF_BY_ONE,   /* the gradients of a tile's last column see the column before the right one */
    CE_BUG_THINS_IN_PLACE,     /* a sub-iteration sees pixels that it has changed itself */
    CE_BUG_SUB_ITERATIONS,     /* the second sub-iteration comes first */
    CE_BUG_FORGETS_LAST_ROW,   /* the means are of all rows but the last */
    CE_BUG_WRITES_NO_LAST_ROW, /* the map's last row is not written */
    CE_BUG_FORGETS_LAST_PIXEL, /* the means are of all pixels but the last */
    CE_BUG_KEEPS_SUMS,         /* from the third run on the means have something of the runs before */
    CE_BUGS
};

#ifdef __cplusplus
extern "C"
#endif
    ab_status
    planted_colour_edge_open(const ed_image *image, const ed_params *params, int bug, ed_detector **detector);

#endif
