/* convolution/shared-constant: shared, with the filter in constant memory, where a kernel's parameters are: a product
 * needs one read of shared memory and no other. KTH's intensity: eq. 11. Source: KTH §3.3. */
#include "kernels/convolution/tiling.h"

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    return tiling_convolve(device, params, 1);
}

AB_RUNG(convolution_rung, convolution_shared_constant) = {.convolve = convolve, .check = tile_check};
