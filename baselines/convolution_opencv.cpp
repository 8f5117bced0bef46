/* OpenCV's convolutions, as the distribution ships them: cv::filter2D, and cv::sepFilter2D for filters of rank 1. Both
 * correlate, so the filter is turned round. The image is used where it is and the result allocated once.
 *
 * filter2D leaves out weights that are 0, so that a NaN spreads less (0 * NaN). It goes over to a Fourier transform from
 * 130 weights on, on CPUs without SSE3 from 50 on. The rounding errors of that are of another kind, so that such filters
 * are unsupported: wider than 11, or 7. Without OpenCV at build
 * time (AB_WITH_OPENCV, see the Makefile) they are there and say what they need. Source: OpenCV, imgproc, image
 * filtering.
 */
#include "kernels/convolution/convolution.h"
#include "operations/convolution.h"

extern "C" convolution_open convolution_opencv, convolution_opencv_separable;

#ifndef AB_WITH_OPENCV

static ab_status missing()
{
    return ab_unsupported("needs OpenCV: install libopencv-imgproc-dev and build again");
}

extern "C" ab_status convolution_opencv(const conv_image *, const conv_params *, conv_state **)
{
    return missing();
}

extern "C" ab_status convolution_opencv_separable(const conv_image *, const conv_params *, conv_state **)
{
    return missing();
}

#else

#include <cmath>
#include <cstring>

#include "baselines/opencv.h"

namespace
{

int widest_direct()
{
    return cv::checkHardwareSupport(CV_CPU_SSE3) ? 11 : 7;
}

struct opencv_convolution {
    conv_state base;
    int threads;
    bool separable;
    cv::Mat image;                 /* the caller's, not a copy */
    cv::Mat weights, across, down; /* turned round */
    cv::Mat result;
};

void convolve(opencv_convolution *self)
{
    const cv::Point middle(-1, -1);
    opencv::use_threads(self->threads);
    if (self->separable)
        cv::sepFilter2D(self->image, self->result, CV_32F, self->across, self->down, middle, 0.0, cv::BORDER_REPLICATE);
    else
        cv::filter2D(self->image, self->result, CV_32F, self->weights, middle, 0.0, cv::BORDER_REPLICATE);
}

ab_status run_stage(ab_work *work, int)
{
    return opencv::guarded([work] { convolve(reinterpret_cast<opencv_convolution *>(work)); });
}

void close_convolution(ab_work *work)
{
    delete reinterpret_cast<opencv_convolution *>(work);
}

ab_status read_result(conv_state *base, float *pixels)
{
    const cv::Mat &result = reinterpret_cast<opencv_convolution *>(base)->result;
    std::memcpy(pixels, result.data, result.total() * sizeof *pixels);
    return ab_ok();
}

ab_status poison(conv_state *base)
{
    reinterpret_cast<opencv_convolution *>(base)->result = cv::Scalar(NAN);
    return ab_ok();
}

const ab_work_methods work_methods = {1, {"convolve"}, run_stage, close_convolution};
const conv_methods methods = {read_result, poison};

/* Weights as floats, the last one first. */
cv::Mat turned(const double *weights, int rows, int columns)
{
    cv::Mat turned_round(rows, columns, CV_32F);
    for (int i = 0; i < rows * columns; ++i)
        turned_round.at<float>(i / columns, i % columns) = static_cast<float>(weights[rows * columns - 1 - i]);
    return turned_round;
}

ab_status open_convolution(const conv_image *image, const conv_params *params, bool separable, conv_state **opened)
{
    return opencv::guarded([=] {
        const conv_filter filter = conv_make_filter(params);
        const cv::Size size(image->width, image->height);
        auto *self = new opencv_convolution{};
        *opened = &self->base;
        self->base.work.methods = &work_methods;
        self->base.methods = &methods;
        self->threads = opencv::threads_of(params->threads);
        self->separable = separable;
        self->image = cv::Mat(size, CV_32F, const_cast<float *>(image->pixels)); /* only read */
        self->weights = turned(filter.weights, params->width, params->width);
        self->across = turned(filter.across, 1, params->width);
        self->down = turned(filter.down, params->width, 1);
        self->result = cv::Mat(size, CV_32F);
    });
}

} // namespace

extern "C" ab_status convolution_opencv(const conv_image *image, const conv_params *params, conv_state **opened)
{
    AB_TRY(conv_check(image, params));
    const int widest = widest_direct();
    if (params->width > widest)
        return ab_unsupported("filter2D goes over to a Fourier transform above %d x %d", widest, widest);
    return open_convolution(image, params, false, opened);
}

extern "C" ab_status convolution_opencv_separable(const conv_image *image, const conv_params *params,
                                                  conv_state **opened)
{
    AB_TRY(conv_check(image, params));
    AB_TRY(conv_check_rank(params));
    return open_convolution(image, params, true, opened);
}

#endif
