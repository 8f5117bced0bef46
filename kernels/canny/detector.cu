/* A Canny detector: its memory, and the stages around a rung's kernels. */
#include "kernels/canny/canny.h"
#include "kernels/edges/gpu_detector.h"

typedef struct canny_detector {
    gpu_detector gpu;
    canny_device device;
    const canny_rung *rung;
} canny_detector;

static ab_status run_stage(ab_work *work, int stage)
{
    canny_detector *detector = (canny_detector *)work;
    return stage == ED_DETECT ? detector->rung->detect(&detector->device) : ed_transfer(&detector->gpu, stage);
}

/* NPP has 255 for an edge. */
static ab_status read_edges(ed_detector *base, uint8_t *edges)
{
    AB_TRY(ed_read_map(base, edges));
    for (size_t i = 0; i < ((const gpu_detector *)base)->n_pixels; ++i)
        if (edges[i] == 255) edges[i] = 1;
    return ab_ok();
}

static ab_status read_step(ed_detector *base, int step, float *values)
{
    const canny_detector *detector = (const canny_detector *)base;
    const canny_rung *rung = detector->rung;
    const bool blurred = step == CANNY_BLURRED && rung->keeps_blurred;
    if (!blurred && !(step == CANNY_CLASSES && rung->keeps_classes)) return ab_unsupported("this step is not kept");
    const size_t pixels = detector->gpu.n_pixels;
    const unsigned char *from = blurred ? detector->device.blurred : detector->device.classes;
    unsigned char *bytes = (unsigned char *)malloc(pixels);
    if (!bytes) return ab_failed("out of memory: %zu bytes for a step", pixels);
    const cudaError_t error = cudaMemcpy(bytes, from, pixels, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < pixels && error == cudaSuccess; ++i) values[i] = (float)bytes[i];
    free(bytes);
    CUDA_TRY(error);
    return ab_ok();
}

static const ab_work_methods work_methods = {ED_STAGES, {"upload", "detect", "download"}, run_stage, ed_close};
static const ed_methods detector_methods = {read_edges, read_step, ed_poison_map, ed_wait};

static ab_status allocate(canny_detector *detector, const ed_image *image, const ed_params *params)
{
    device_memory *memory = &detector->gpu.memory;
    canny_device *device = &detector->device;
    const canny_rung *rung = detector->rung;
    AB_TRY(ed_allocate(&detector->gpu, image, image->grey, 1));
    device->grey = device->blurred = (unsigned char *)detector->gpu.image;
    device->edges = detector->gpu.map;
    if (device->gaussian.radius > 0) AB_TRY(device_allocate(memory, &device->blurred, detector->gpu.n_pixels));
    AB_TRY(device_allocate(memory, &device->classes, detector->gpu.n_pixels));
    AB_TRY(device_allocate(memory, &device->spare, detector->gpu.n_pixels));
    return rung->scratch_bytes ? device_allocate_bytes(memory, &device->scratch, rung->scratch_bytes(image, params))
                               : ab_ok();
}

static ab_status initialise(canny_detector *detector, const ed_image *image, const ed_params *params)
{
    AB_TRY(allocate(detector, image, params));
    AB_TRY(ed_transfer(&detector->gpu, ED_UPLOAD));
    return ed_poison_map(&detector->gpu.base);
}

extern "C" ab_status AB_GPU(canny_open)(const canny_rung *rung, const ed_image *image, const ed_params *params,
                                        ed_detector **opened)
{
    AB_TRY(ed_check(image, params));
    if (image->width > CANNY_MAX_SIDE || image->height > CANNY_MAX_SIDE)
        return ab_unsupported("needs sides of at most %d pixels, the image has %d x %d", CANNY_MAX_SIDE, image->width,
                              image->height);
    if (rung->check) AB_TRY(rung->check(image, params));
    canny_detector *detector = (canny_detector *)calloc(1, sizeof *detector);
    if (!detector) return ab_failed("out of memory: a detector");
    detector->gpu.base.work.methods = &work_methods;
    detector->gpu.base.methods = &detector_methods;
    detector->rung = rung;
    detector->device.width = image->width;
    detector->device.height = image->height;
    detector->device.gaussian = canny_make_gaussian(params->sigma);
    detector->device.low = (int)params->low; /* cut off, as OpenCV does; neither is negative */
    detector->device.high = (int)params->high;
    detector->device.hysteresis_passes = params->hysteresis_passes;
    const ab_status status = initialise(detector, image, params);
    if (status.code == AB_OK)
        *opened = &detector->gpu.base;
    else
        ed_close(&detector->gpu.base.work);
    return status;
}
