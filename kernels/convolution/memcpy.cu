/* convolution/memcpy: the identity, by a copy in the device's memory: what a convolution of as many pixels is held
 * against. Source: this project. */
#include "kernels/convolution/convolver.h"

static ab_status convolve(const conv_device *device, const conv_params *)
{
    const conv_plane &to = device->to;
    CUDA_TRY(cudaMemcpyAsync(to.pixels, device->from.pixels, (size_t)to.pitch * (size_t)to.height * sizeof(float),
                             cudaMemcpyDeviceToDevice));
    return ab_ok();
}

static ab_status check(const conv_image *, const conv_params *params)
{
    return params->filter == CONV_IDENTITY ? ab_ok() : ab_unsupported("copies: needs the filter identity");
}

AB_RUNG(convolution_rung, convolution_memcpy) = {.convolve = convolve, .check = check};
