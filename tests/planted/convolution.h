/* The planted bugs of convolution.cu. */
#ifndef ANTBENCH_PLANTED_CONVOLUTION_H
#define ANTBENCH_PLANTED_CONVOLUTION_H

#include "kernels/convolution/convolution.h"

enum planted_conv_bug {
    CONV_BUG_NONE,
    CONV_BUG_CORRELATES,  /* the filter is not turned round */
    CONV_BUG_TRANSPOSED,  /* rows of the filter for columns */
    CONV_BUG_ZERO_BORDER, /* pixels outside of the image are 0 */
    CONV_BUG_LAST_COLUMN, /* is not written */
    CONV_BUG_SKIPS_ZEROS, /* pixels that are 0, and NaNs with weight 0, are left out */
    CONV_BUG_A_LITTLE,    /* one pixel is off by 2^-18 of itself */
    CONV_BUG_NO_BARRIER,  /* the pixel to the left is read before it is there */
    N_CONV_BUGS
};

#ifdef __cplusplus
extern "C"
#endif
    ab_status
    planted_convolution_open(const conv_image *image, const conv_params *params, int bug, conv_state **state);

#endif
