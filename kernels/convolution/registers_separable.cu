/* convolution/registers-separable: registers for filters of rank 1. The sum across a row is computed once and
 * weighed by each row of the filter. That is 2 (2K + 1) products per pixel, and a few more for rows that two threads
 * read, in one pass over the image. Source: this project. */
#include "kernels/convolution/registers.h"

static ab_status check(const conv_image *image, const conv_params *params)
{
    AB_TRY(conv_check_rank(params));
    return registers_check(image, params);
}

AB_RUNG(convolution_rung, convolution_registers_separable) = {.convolve = registers_convolve<true>, .check = check};
