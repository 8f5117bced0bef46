/* NVIDIA's own: nppiFilterCannyBorder of the CUDA Toolkit, where the toolkit has NPP (AB_WITH_NPP, see the Makefile).
 *
 * Its map is not OpenCV's (AB_OTHER_RULES). It keeps most weak pixels that hang on no strong one, so it is faster by not
 * doing all of hysteresis, and it misses edges of photographs. Each row says how much its
 * map differs. The Gaussian, where one is asked for, is this project's (blur.cu): what differs from the other rungs is
 * NPP's Canny alone. It runs on a GPU only, not on the host backend.
 * Limit: thresholds are whole numbers.
 * Source: CUDA Toolkit, NPP, image filtering functions.
 */
#include "config.h"
#include "kernels/canny/canny.h"

#if defined __CUDACC__ && defined AB_WITH_NPP

#include "kernels/cuda/npp.h"

static ab_status detect(const canny_device *device)
{
    if (device->gaussian.radius > 0) AB_TRY(AB_GPU(canny_blur)(device));
    NppStreamContext context;
    AB_TRY(npp_context(&context));
    const NppiSize size = {device->width, device->height};
    const NppStatus status = nppiFilterCannyBorder_8u_C1R_Ctx(
        device->blurred, device->width, size, NppiPoint{0, 0}, device->edges, device->width, size, NPP_FILTER_SOBEL,
        NPP_MASK_SIZE_3_X_3, (Npp16s)device->low, (Npp16s)device->high, nppiNormL1, NPP_BORDER_REPLICATE,
        (Npp8u *)device->scratch, context);
    return status == NPP_SUCCESS ? ab_ok() : ab_failed("nppiFilterCannyBorder_8u_C1R_Ctx: NPP status %d", (int)status);
}

static ab_status check(const ed_image *image, const ed_params *)
{
    int bytes = 0;
    const NppStatus status = nppiFilterCannyBorderGetBufferSize(NppiSize{image->width, image->height}, &bytes);
    if (status == NPP_SUCCESS) return ab_ok();
    return ab_unsupported("NPP's Canny does not take %d x %d pixels (NPP status %d)", image->width, image->height,
                          (int)status);
}

static size_t scratch_bytes(const ed_image *image, const ed_params *)
{
    int bytes = 0;
    nppiFilterCannyBorderGetBufferSize(NppiSize{image->width, image->height}, &bytes);
    return (size_t)bytes;
}

AB_RUNG(canny_rung,
        canny_npp) = {.detect = detect, .keeps_blurred = true, .check = check, .scratch_bytes = scratch_bytes};

#else

static ab_status check(const ed_image *, const ed_params *)
{
    return ab_unsupported("needs a GPU and NPP (libnpp of the CUDA Toolkit) when it is built");
}

AB_RUNG(canny_rung, canny_npp) = {.detect = NULL, .check = check};

#endif
