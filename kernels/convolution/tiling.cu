/* convolution/tiling: 1 x T tiling, T a parameter. An apron is read once for T tiles; in return a block has T times the
 * shared memory and fewer of them are on a multiprocessor. KTH's intensity: eq. 13. Source: KTH §3.5. */
#include "kernels/convolution/tiling.h"

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    return tiling_convolve(device, params, params->tiles);
}

AB_RUNG(convolution_rung, convolution_tiling) = {.convolve = convolve, .check = tile_check};
