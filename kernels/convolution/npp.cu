/* NVIDIA's own: nppiFilterBorder of the CUDA Toolkit, where the toolkit has NPP (AB_WITH_NPP, see the Makefile). Its
 * weights are "stored in reverse order", which is a convolution with them as they stand. It runs on a GPU only, not on
 * the host backend. Source: CUDA Toolkit, NPP, image filtering functions.
 */
#include "config.h"
#include "kernels/convolution/convolver.h"

#if defined __CUDACC__ && defined AB_WITH_NPP

#include "kernels/cuda/npp.h"

static ab_status convolve(const conv_device *device, const conv_params *params)
{
    const conv_plane &from = device->from, &to = device->to;
    const int step = from.pitch * (int)sizeof(float), k = device->filter.radius;
    const NppiSize size = {from.width, from.height};
    NppStreamContext context;
    AB_TRY(npp_context(&context));
    const NppStatus status = nppiFilterBorder_32f_C1R_Ctx(from.pixels, step, size, NppiPoint{0, 0}, to.pixels, step,
                                                          size, device->weights, NppiSize{params->width, params->width},
                                                          NppiPoint{k, k}, NPP_BORDER_REPLICATE, context);
    return status == NPP_SUCCESS ? ab_ok() : ab_failed("nppiFilterBorder_32f_C1R_Ctx: NPP status %d", (int)status);
}

static ab_status check(const conv_image *image, const conv_params *params)
{
    if (image->width >= params->width && image->height >= params->width) return ab_ok();
    return ab_unsupported("NPP's filter does not take an image smaller than it");
}

AB_RUNG(convolution_rung, convolution_npp) = {.convolve = convolve, .check = check};

#else

static ab_status check(const conv_image *, const conv_params *)
{
    return ab_unsupported("needs a GPU and NPP (libnpp of the CUDA Toolkit) when it is built");
}

AB_RUNG(convolution_rung, convolution_npp) = {.convolve = NULL, .check = check};

#endif
