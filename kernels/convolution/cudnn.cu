/* NVIDIA's cuDNN: cudnnConvolutionForward on an image of one channel, where cuDNN is installed (AB_WITH_CUDNN, see the
 * Makefile). In plain single precision: CUDNN_FMA_MATH, no TF32.
 *
 * Differences from the operation are handled once, outside of the timed part, in cuDNN's favour. cuDNN correlates, so
 * the weights are turned round. It takes pixels outside of the image as 0, so it works on a copy with a border of
 * nearest pixels, K deep. So it has no border rule to apply, unlike the other rungs. The copy is dense, and the
 * workspace is allocated in advance.
 *
 * The algorithm is the fastest that cudnnFindConvolutionForwardAlgorithm measures for these sizes, among those that add
 * up the products themselves. Fourier transforms and Winograd's algorithm exceed the rounding of conv_bound(), and
 * spread NaN and infinity further. So they are no convolution in the sense of convolution.h.
 *
 * It runs on a GPU only, not on the host backend. Source: NVIDIA cuDNN 9, API reference, cudnn_cnn.
 */
#include "config.h"
#include "kernels/convolution/convolver.h"

#if defined __CUDACC__ && defined AB_WITH_CUDNN

#include <cudnn.h>
#include <stdlib.h>

static ab_status refused(const char *call, cudnnStatus_t status)
{
    char reason[200] = "";
    cudnnGetLastErrorString(reason, sizeof reason);
    const bool lacking = CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED;
    return (lacking ? ab_unsupported : ab_failed)("%s: %s (%s)", call, cudnnGetErrorString(status), reason);
}

/* Returns from the calling function unless the call succeeded: what cuDNN has not is AB_UNSUPPORTED. */
#define CUDNN_TRY(call)                                                                                                \
    do {                                                                                                               \
        const cudnnStatus_t cudnn_status = (call);                                                                     \
        if (cudnn_status != CUDNN_STATUS_SUCCESS) return refused(#call, cudnn_status);                                 \
    } while (0)

typedef struct peer {
    cudnnHandle_t handle;
    cudnnTensorDescriptor_t from, to;
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t convolution;
    cudnnConvolutionFwdAlgo_t algorithm;
    conv_plane padded;
    float *weights; /* turned round */
    void *workspace;
    size_t workspace_bytes;
} peer;

static ab_status convolve(const conv_device *device, const conv_params *)
{
    const peer *own = (const peer *)device->own;
    const float one = 1.0f, zero = 0.0f;
    CUDNN_TRY(cudnnConvolutionForward(own->handle, &one, own->from, own->padded.pixels, own->filter, own->weights,
                                      own->convolution, own->algorithm, own->workspace, own->workspace_bytes, &zero,
                                      own->to, device->to.pixels));
    return ab_ok();
}

/* ---- What is made once ---- */

static __global__ void pad(conv_plane from, int k, conv_plane padded)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < padded.width) padded.pixels[y * padded.pitch + x] = conv_pixel(from, x - k, y - k);
}

static ab_status make_padded(const conv_device *device, device_memory *memory, conv_plane *padded)
{
    enum { THREADS = 256 };
    const conv_plane &from = device->from;
    const int k = device->filter.radius, width = from.width + 2 * k, height = from.height + 2 * k;
    *padded = {width, height, width, NULL};
    AB_TRY(device_allocate(memory, &padded->pixels, conv_plane_size(padded)));
    LAUNCH(pad, dim3(ceil_div(width, THREADS), height), THREADS, 0)(from, k, *padded);
    return AB_LAUNCHED("pad");
}

static ab_status make_weights(const conv_filter *filter, device_memory *memory, float **weights)
{
    float turned[CONV_MAX_WIDTH * CONV_MAX_WIDTH];
    const int area = (2 * filter->radius + 1) * (2 * filter->radius + 1);
    for (int i = 0; i < area; ++i) turned[i] = (float)filter->weights[area - 1 - i];
    AB_TRY(device_allocate(memory, weights, area));
    CUDA_TRY(cudaMemcpy(*weights, turned, area * sizeof *turned, cudaMemcpyHostToDevice));
    return ab_ok();
}

/* An image of one channel. */
static ab_status describe(const conv_plane *plane, cudnnTensorDescriptor_t *tensor)
{
    const int height = plane->height, width = plane->width, pitch = plane->pitch, all = pitch * height;
    CUDNN_TRY(cudnnCreateTensorDescriptor(tensor));
    CUDNN_TRY(cudnnSetTensor4dDescriptorEx(*tensor, CUDNN_DATA_FLOAT, 1, 1, height, width, all, all, pitch, 1));
    return ab_ok();
}

static ab_status describe_all(const conv_device *device, int width, peer *own)
{
    AB_TRY(describe(&own->padded, &own->from));
    AB_TRY(describe(&device->to, &own->to));
    CUDNN_TRY(cudnnCreateFilterDescriptor(&own->filter));
    CUDNN_TRY(cudnnSetFilter4dDescriptor(own->filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, width, width));
    CUDNN_TRY(cudnnCreateConvolutionDescriptor(&own->convolution));
    CUDNN_TRY(
        cudnnSetConvolution2dDescriptor(own->convolution, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    CUDNN_TRY(cudnnSetConvolutionMathType(own->convolution, CUDNN_FMA_MATH));
    return ab_ok();
}

static bool adds_products(cudnnConvolutionFwdAlgo_t algorithm)
{
    return algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ||
           algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM ||
           algorithm == CUDNN_CONVOLUTION_FWD_ALGO_GEMM || algorithm == CUDNN_CONVOLUTION_FWD_ALGO_DIRECT;
}

/* cuDNN measures twice: the first time it also loads its kernels. Its list begins with the fastest. */
static ab_status find_algorithm(const peer *own, cudnnConvolutionFwdAlgo_t *fastest)
{
    enum { ALL = CUDNN_CONVOLUTION_FWD_ALGO_COUNT };
    cudnnConvolutionFwdAlgoPerf_t found[ALL];
    int count = 0, best = 0;
    for (int time = 0; time < 2; ++time)
        CUDNN_TRY(cudnnFindConvolutionForwardAlgorithm(own->handle, own->from, own->filter, own->convolution, own->to,
                                                       ALL, &count, found));
    while (best < count && !(found[best].status == CUDNN_STATUS_SUCCESS && adds_products(found[best].algo))) ++best;
    if (best == count) return ab_unsupported("cuDNN has no algorithm for this image and filter");
    *fastest = found[best].algo;
    return ab_ok();
}

/* An algorithm that was found: the process keeps it, because finding it takes a second on large images. */
typedef struct choice {
    int width, height, filter_width;
    cudnnConvolutionFwdAlgo_t algorithm;
} choice;

static ab_status choose(int filter_width, peer *own)
{
    enum { MOST = 32 };
    static choice known[MOST];
    static int n_known;
    choice chosen = {own->padded.width, own->padded.height, filter_width, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM};
    int i = 0;
    while (i < n_known && !(known[i].width == chosen.width && known[i].height == chosen.height &&
                            known[i].filter_width == filter_width))
        ++i;
    if (i == n_known) {
        AB_TRY(find_algorithm(own, &chosen.algorithm));
        if (n_known < MOST) known[n_known++] = chosen;
    } else {
        chosen = known[i];
    }
    own->algorithm = chosen.algorithm;
    CUDNN_TRY(cudnnGetConvolutionForwardWorkspaceSize(own->handle, own->from, own->filter, own->convolution, own->to,
                                                      own->algorithm, &own->workspace_bytes));
    return ab_ok();
}

static ab_status prepare(conv_device *device, const conv_params *params, device_memory *memory)
{
    peer *own = (peer *)calloc(1, sizeof *own);
    if (!own) return ab_failed("out of memory");
    device->own = own;
    CUDNN_TRY(cudnnCreate(&own->handle));
    AB_TRY(make_padded(device, memory, &own->padded));
    AB_TRY(make_weights(&device->filter, memory, &own->weights));
    AB_TRY(describe_all(device, params->width, own));
    AB_TRY(choose(params->width, own));
    return own->workspace_bytes ? device_allocate_bytes(memory, &own->workspace, own->workspace_bytes) : ab_ok();
}

static void release(conv_device *device)
{
    peer *own = (peer *)device->own;
    if (!own) return;
    if (own->convolution) cudnnDestroyConvolutionDescriptor(own->convolution);
    if (own->filter) cudnnDestroyFilterDescriptor(own->filter);
    if (own->to) cudnnDestroyTensorDescriptor(own->to);
    if (own->from) cudnnDestroyTensorDescriptor(own->from);
    if (own->handle) cudnnDestroy(own->handle);
    free(own);
}

AB_RUNG(convolution_rung, convolution_cudnn) = {.convolve = convolve, .prepare = prepare, .release = release};

#else

static ab_status check(const conv_image *, const conv_params *)
{
    return ab_unsupported("needs a GPU and cuDNN (libcudnn 9, CUDNN_HOME) when it is built");
}

AB_RUNG(convolution_rung, convolution_cudnn) = {.convolve = NULL, .check = check};

#endif
