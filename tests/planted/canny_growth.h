/* The planted bugs of canny_growth.cu. */
#ifndef ANTBENCH_PLANTED_CANNY_GROWTH_H
#define ANTBENCH_PLANTED_CANNY_GROWTH_H

#include "kernels/edges/detector.h"

enum planted_canny_bug {
    CANNY_BUG_NONE,
    CANNY_BUG_LAST_COLUMN,  /* takes the last column for outside of the image, and draws no edge there */
    CANNY_BUG_LAST_ROW,     /* likewise the last row */
    CANNY_BUG_ONE_LESS,     /* a pass too few */
    CANNY_BUG_NO_EDGES,     /* an empty map */
    CANNY_BUG_JUMPS_BLOCKS, /* grows to convergence, whatever the number of passes */
    CANNY_BUG_OTHER_AGAIN,  /* the second map lacks the edges of the upper half */
    CANNY_BUG_ALL_EDGES,    /* every pixel is an edge */
    CANNY_BUG_OTHER_RULES, /* no hysteresis, as NPP's: keeps all weak pixels, misses a fifth of all, has a few others */
    CANNY_BUG_UNWRITTEN,   /* leaves the last row as it was */
    CANNY_BUG_ELSEWHERE,   /* the right map upside down */
    CANNY_BUG_STREWN,      /* a quarter of the pixels, wherever the edges are */
    CANNY_BUGS
};

#ifdef __cplusplus
extern "C"
#endif
    ab_status
    planted_canny_open(const ed_image *image, const ed_params *params, int bug, ed_detector **detector);

#endif
