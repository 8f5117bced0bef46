/* A Canny detector: its memory, and the stages around a rung's kernels.
 *
 * The image and the map are in pinned memory on the host's side, so that transfers run at the bus's speed. Everything
 * is asynchronous on the default stream; read and read_step wait.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/canny/canny.h"

enum { POISON = 0x5a };

typedef struct gpu_detector {
    ed_detector base;
    canny_device device;
    canny_rung rung;
    unsigned char *memory;  /* on the device: grey, blurred, classes, spare and edges lie in it one after another */
    unsigned char *h_grey;  /* [height][width] pinned */
    unsigned char *h_edges; /* [height][width] pinned */
} gpu_detector;

static size_t n_pixels(const canny_device *device)
{
    return (size_t)device->width * (size_t)device->height;
}

static ab_status run_stage(ab_work *work, int stage)
{
    gpu_detector *detector = (gpu_detector *)work;
    const canny_device *device = &detector->device;
    const size_t bytes = n_pixels(device);
    switch (stage) {
    case ED_UPLOAD:
        CUDA_TRY(cudaMemcpyAsync(device->grey, detector->h_grey, bytes, cudaMemcpyHostToDevice));
        return ab_ok();
    case ED_DETECT:
        return detector->rung.detect(device);
    default:
        CUDA_TRY(cudaMemcpyAsync(detector->h_edges, device->edges, bytes, cudaMemcpyDeviceToHost));
        return ab_ok();
    }
}

static void close_detector(ab_work *work)
{
    gpu_detector *detector = (gpu_detector *)work;
    if (!detector) return;
    cudaFree(detector->memory);
    cudaFree(detector->device.scratch);
    cudaFreeHost(detector->h_grey);
    cudaFreeHost(detector->h_edges);
    free(detector);
}

/* By the way that DOWNLOAD takes, so that a check of the map checks that too. */
static ab_status read_edges(ed_detector *base, uint8_t *edges)
{
    const gpu_detector *detector = (const gpu_detector *)base;
    AB_TRY(run_stage(&base->work, ED_DOWNLOAD));
    CUDA_TRY(cudaDeviceSynchronize());
    for (size_t i = 0; i < n_pixels(&detector->device); ++i)
        edges[i] = detector->h_edges[i] == 255 ? 1 : detector->h_edges[i];
    return ab_ok();
}

static ab_status read_step(ed_detector *base, int step, float *values)
{
    const gpu_detector *detector = (const gpu_detector *)base;
    const canny_rung *rung = &detector->rung;
    const bool blurred = step == CANNY_BLURRED && rung->keeps_blurred;
    if (!blurred && !(step == CANNY_CLASSES && rung->keeps_classes)) return ab_unsupported("this step is not kept");
    const size_t pixels = n_pixels(&detector->device);
    const unsigned char *from = blurred ? detector->device.blurred : detector->device.classes;
    unsigned char *bytes = (unsigned char *)malloc(pixels);
    if (!bytes) return ab_failed("out of memory: %zu bytes for a step", pixels);
    const cudaError_t error = cudaMemcpy(bytes, from, pixels, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < pixels && error == cudaSuccess; ++i) values[i] = (float)bytes[i];
    free(bytes);
    CUDA_TRY(error);
    return ab_ok();
}

static ab_status poison(ed_detector *base)
{
    const gpu_detector *detector = (const gpu_detector *)base;
    const size_t bytes = n_pixels(&detector->device);
    CUDA_TRY(cudaMemset(detector->device.edges, POISON, bytes));
    memset(detector->h_edges, POISON, bytes);
    return ab_ok();
}

static const ab_work_methods work_methods = {ED_STAGES, {"upload", "detect", "download"}, run_stage, close_detector};
static const ed_methods detector_methods = {read_edges, read_step, poison};

/* All arrays begin at multiples of 256 bytes, as cudaMalloc's do. */
static ab_status allocate(gpu_detector *detector)
{
    canny_device *device = &detector->device;
    const size_t bytes = n_pixels(device), stride = (bytes + 255) / 256 * 256;
    CUDA_TRY(cudaMalloc((void **)&detector->memory, 5 * stride));
    CUDA_TRY(cudaMalloc(&device->scratch, detector->rung.scratch_bytes));
    CUDA_TRY(cudaMallocHost((void **)&detector->h_grey, bytes));
    CUDA_TRY(cudaMallocHost((void **)&detector->h_edges, bytes));
    device->grey = detector->memory;
    device->blurred = device->gaussian.radius > 0 ? detector->memory + stride : device->grey;
    device->classes = detector->memory + 2 * stride;
    device->spare = detector->memory + 3 * stride;
    device->edges = detector->memory + 4 * stride;
    return ab_ok();
}

static ab_status fill(gpu_detector *detector, const ed_image *image)
{
    AB_TRY(allocate(detector));
    memcpy(detector->h_grey, image->grey, n_pixels(&detector->device));
    AB_TRY(run_stage(&detector->base.work, ED_UPLOAD));
    return poison(&detector->base);
}

extern "C" ab_status AB_GPU(canny_open_detector)(const ed_image *image, const ed_params *params, const canny_rung *rung,
                                                 ed_detector **detector)
{
    AB_TRY(ed_check(image, params));
    if (image->width > CANNY_MAX_SIDE || image->height > CANNY_MAX_SIDE)
        return ab_unsupported("needs sides of at most %d pixels, the image has %d x %d", CANNY_MAX_SIDE, image->width,
                              image->height);
    gpu_detector *opened = (gpu_detector *)calloc(1, sizeof *opened);
    if (!opened) return ab_failed("out of memory: a detector");
    opened->base.work.methods = &work_methods;
    opened->base.methods = &detector_methods;
    opened->rung = *rung;
    opened->device.width = image->width;
    opened->device.height = image->height;
    opened->device.gaussian = canny_make_gaussian(params->sigma);
    opened->device.low = (int)params->low; /* cut off, as OpenCV does; neither is negative */
    opened->device.high = (int)params->high;
    opened->device.hysteresis_passes = params->hysteresis_passes;
    const ab_status status = fill(opened, image);
    if (status.code != AB_OK) {
        close_detector(&opened->base.work);
        return status;
    }
    *detector = &opened->base;
    return ab_ok();
}
