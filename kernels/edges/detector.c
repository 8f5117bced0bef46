/* Parameters that the edge detectors share (detector.h). */
#include "kernels/edges/detector.h"

ed_params ed_default_params(void)
{
    return (ed_params){.sigma = 1.0,
                       .volume_coefficient = 2.0,
                       .intensity_coefficient = 2.0,
                       .thinning_passes = 1,
                       .low = 50.0,
                       .high = 150.0,
                       .threads = 1};
}

/* Written so that NaN fails. */
static ab_status check_range(const char *name, double value, double lo, double hi)
{
    if (value >= lo && value <= hi) return ab_ok();
    return ab_bad_input("%s must be %g .. %g, it is %g", name, lo, hi, value);
}

ab_status ed_check(const ed_image *image, const ed_params *params)
{
    if (image->width < 1 || image->height < 1)
        return ab_bad_input("an image needs at least one pixel, this one has %d x %d", image->width, image->height);
    if ((double)image->width * image->height > 0x1p30)
        return ab_unsupported("needs at most 2^30 pixels, the image has %d x %d", image->width, image->height);
    AB_TRY(check_range("sigma", params->sigma, 0.0, 5.0));
    AB_TRY(check_range("the volume coefficient", params->volume_coefficient, 0.0, 1e6));
    AB_TRY(check_range("the intensity coefficient", params->intensity_coefficient, 0.0, 1e6));
    AB_TRY(check_range("thinning passes", params->thinning_passes, 0, 10000));
    AB_TRY(check_range("the low threshold", params->low, 0.0, 2040.0));
    AB_TRY(check_range("the high threshold", params->high, params->low, 2040.0));
    AB_TRY(check_range("hysteresis passes", params->hysteresis_passes, 0, 10000));
    AB_TRY(check_range("the threshold", params->threshold, 0.0, 1e6));
    return check_range("threads", params->threads, 0, 4096);
}
