/* OpenCV's Canny, the yardstick of thesis Table 6.1: the library of the distribution, with its SIMD and its threads as
 * shipped.
 *
 * cv::Canny does not blur; with a sigma its users call cv::GaussianBlur first, and so does DETECT. The image is used
 * where it is and the outputs are allocated once, so that a call costs what it costs a user who does the same. Buffers
 * of cv::Canny itself are allocated in each call. The process keeps such memory (bench/clock/memory.h). A user
 * whose process does not waits two to three times as long for large images.
 * Without OpenCV at build time (AB_WITH_OPENCV, see the Makefile) the detector is there and says what it needs.
 * Source: thesis §6.6.5, Table 6.1.
 */
#include "baselines/opencv_ipp.h"
#include "kernels/edges/detector.h"
#include "operations/canny.h"

extern "C" canny_open canny_opencv;

#ifndef AB_WITH_OPENCV

extern "C" int opencv_uses_ipp()
{
    return -1;
}

extern "C" ab_status canny_opencv(const ed_image *, const ed_params *, ed_detector **)
{
    return ab_unsupported("needs OpenCV: install libopencv-imgproc-dev and build again");
}

#else

#include <cstdlib>
#include <cstring>

#include "baselines/opencv.h"

extern "C" int opencv_uses_ipp()
{
    return cv::ipp::useIPP();
}

namespace
{

enum { POISON = 0x5a };

struct opencv_detector {
    ed_detector base;
    ed_params params;
    int threads;
    cv::Mat grey;    /* the caller's image, not a copy */
    cv::Mat blurred; /* empty without a sigma */
    cv::Mat edges;   /* 0 and 255 */
};

void detect(opencv_detector *detector)
{
    opencv::use_threads(detector->threads);
    const bool blur = detector->params.sigma > 0.0;
    if (blur) cv::GaussianBlur(detector->grey, detector->blurred, cv::Size(), detector->params.sigma);
    cv::Canny(blur ? detector->blurred : detector->grey, detector->edges, detector->params.low, detector->params.high);
}

ab_status run_stage(ab_work *work, int stage)
{
    if (stage != ED_DETECT) return ab_ok();
    return opencv::guarded([work] { detect(reinterpret_cast<opencv_detector *>(work)); });
}

void close_detector(ab_work *work)
{
    delete reinterpret_cast<opencv_detector *>(work);
}

ab_status read_edges(ed_detector *base, std::uint8_t *edges)
{
    const cv::Mat &map = reinterpret_cast<opencv_detector *>(base)->edges;
    for (std::size_t i = 0; i < map.total(); ++i) {
        const std::uint8_t pixel = map.data[i];
        edges[i] = pixel == 255 ? 1 : pixel;
    }
    return ab_ok();
}

ab_status read_step(ed_detector *, int, float *)
{
    return ab_unsupported("OpenCV keeps no steps");
}

ab_status poison(ed_detector *base)
{
    cv::Mat &map = reinterpret_cast<opencv_detector *>(base)->edges;
    std::memset(map.data, POISON, map.total());
    return ab_ok();
}

const ab_work_methods work_methods = {ED_STAGES, {"upload", "detect", "download"}, run_stage, close_detector};
const ed_methods detector_methods = {read_edges, read_step, poison, nullptr};

ed_detector *open_detector(const ed_image *image, const ed_params *params)
{
    const cv::Size size(image->width, image->height);
    auto *detector = new opencv_detector{};
    detector->base.work.methods = &work_methods;
    detector->base.methods = &detector_methods;
    detector->params = *params;
    detector->threads = opencv::threads_of(params->threads);
    detector->grey = cv::Mat(size, CV_8UC1, const_cast<std::uint8_t *>(image->grey)); /* only read */
    detector->edges = cv::Mat(size, CV_8UC1, cv::Scalar(POISON));
    return &detector->base;
}

} // namespace

extern "C" ab_status canny_opencv(const ed_image *image, const ed_params *params, ed_detector **detector)
{
    AB_TRY(ed_check(image, params));
    return opencv::guarded([=] { *detector = open_detector(image, params); });
}

/* OpenCV's static core refers to LAPACK, CBLAS and GLX for functions that Canny does not call. Rather than carry those
 * libraries into every program, whoever calls one ends the program. */
#define NOT_CARRIED(function)                                                                                          \
    extern "C" [[noreturn]] void function();                                                                           \
    void function()                                                                                                    \
    {                                                                                                                  \
        std::abort();                                                                                                  \
    }
NOT_CARRIED(sgels_)
NOT_CARRIED(dgels_)
NOT_CARRIED(sgesdd_)
NOT_CARRIED(dgesdd_)
NOT_CARRIED(sposv_)
NOT_CARRIED(dposv_)
NOT_CARRIED(sgesv_)
NOT_CARRIED(dgesv_)
NOT_CARRIED(sgeqrf_)
NOT_CARRIED(dgeqrf_)
NOT_CARRIED(spotrf_)
NOT_CARRIED(dpotrf_)
NOT_CARRIED(sgetrf_)
NOT_CARRIED(dgetrf_)
NOT_CARRIED(cblas_sgemm)
NOT_CARRIED(cblas_dgemm)
NOT_CARRIED(cblas_cgemm)
NOT_CARRIED(cblas_zgemm)
NOT_CARRIED(glXGetCurrentContext)
NOT_CARRIED(glXGetCurrentDisplay)
NOT_CARRIED(glXGetProcAddressARB)

#endif
