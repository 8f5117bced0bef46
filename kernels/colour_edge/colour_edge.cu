/* A colour-edge detector on the GPU: its memory, its transfers, and colour-edge/gpu, the pipeline as the thesis has it.
 *
 * Each step is a kernel or two of its own that reads and writes global memory: blur (2), gradient, reduction (2),
 * thresholds, and two per pass of thinning, eight launches in all. At 512x512 most of them take less time than their
 * launch, which is what colour-edge/fused is about. The image waits in page-locked memory, so that UPLOAD and DOWNLOAD
 * are the transfers and nothing else; only read and read_step wait for the GPU.
 * Limits: height up to 131070; 47 bytes of GPU memory a pixel.
 * Source: thesis §6.5.
 */
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"
#include "kernels/colour_edge/pipeline.h"

/* The grid's y dimension has 16 bits, and the smallest tile two rows. */
enum { MAX_HEIGHT = 2 * 65535, MAX_ALLOCATIONS = 10 };

typedef struct gpu_detector {
    ed_detector base;
    ce_device device;
    const ce_rung *rung;
    int thinning_passes;
    unsigned run;                       /* DETECT stages so far */
    uchar4 *image;                      /* device.image, which kernels only read */
    unsigned char *h_image;             /* page-locked: [height][width][4] */
    unsigned char *h_map;               /* page-locked: [height][width] */
    void *allocations[MAX_ALLOCATIONS]; /* everything cudaMalloc gave */
    int n_allocations;
} gpu_detector;

static size_t pixels(const gpu_detector *detector)
{
    return (size_t)detector->device.width * (size_t)detector->device.height;
}

static ab_status run_stage(ab_work *work, int stage)
{
    gpu_detector *detector = (gpu_detector *)work;
    const size_t n = pixels(detector);
    switch (stage) {
    case ED_UPLOAD:
        CUDA_TRY(cudaMemcpyAsync(detector->image, detector->h_image, n * sizeof(uchar4), cudaMemcpyHostToDevice));
        return ab_ok();
    case ED_DETECT:
        return detector->rung->detect(&detector->device, detector->thinning_passes, detector->run++);
    default:
        CUDA_TRY(cudaMemcpyAsync(detector->h_map, detector->device.map, n, cudaMemcpyDeviceToHost));
        return ab_ok();
    }
}

static void close_detector(ab_work *work)
{
    gpu_detector *detector = (gpu_detector *)work;
    if (!detector) return;
    for (int i = 0; i < detector->n_allocations; ++i) cudaFree(detector->allocations[i]);
    if (detector->h_image) cudaFreeHost(detector->h_image);
    if (detector->h_map) cudaFreeHost(detector->h_map);
    free(detector);
}

/* By way of DOWNLOAD, so that what is checked is what an end-to-end measurement brought. */
static ab_status read_map(ed_detector *base, uint8_t *edges)
{
    gpu_detector *detector = (gpu_detector *)base;
    AB_TRY(run_stage(&base->work, ED_DOWNLOAD));
    CUDA_TRY(cudaDeviceSynchronize());
    memcpy(edges, detector->h_map, pixels(detector));
    return ab_ok();
}

/* Component `component` of the vectors of `components` floats in a device plane. */
static ab_status read_component(const gpu_detector *detector, const void *plane, size_t components, size_t component,
                                float *values)
{
    const size_t bytes = components * sizeof(float);
    CUDA_TRY(cudaMemcpy2D(values, sizeof(float), (const char *)plane + component * sizeof(float), bytes, sizeof(float),
                          pixels(detector), cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status read_threshold(const gpu_detector *detector, int magnitude, float *values)
{
    float threshold = 0.0f;
    CUDA_TRY(cudaMemcpy(&threshold, detector->device.thresholds + magnitude, sizeof threshold, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < pixels(detector); ++i) values[i] = threshold;
    return ab_ok();
}

/* The map before thinning; h_map holds it in between, which read_map fills anew. */
static ab_status read_edges(const gpu_detector *detector, float *values)
{
    const unsigned char *const edges = detector->thinning_passes ? detector->device.edges : detector->device.map;
    CUDA_TRY(cudaMemcpy(detector->h_map, edges, pixels(detector), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < pixels(detector); ++i) values[i] = (float)detector->h_map[i];
    return ab_ok();
}

static ab_status read_step(ed_detector *base, int step, float *values)
{
    const gpu_detector *detector = (const gpu_detector *)base;
    const ce_device *device = &detector->device;
    if (step == CE_VOLUME || step == CE_INTENSITY)
        return read_component(detector, device->colour, 2, (size_t)(step - CE_VOLUME), values);
    if (step >= CE_VOLUME_M1 && step <= CE_INTENSITY_M2 && device->gradients)
        return read_component(detector, device->gradients, 4, (size_t)(step - CE_VOLUME_M1), values);
    if (step >= CE_VOLUME_M1_THRESHOLD && step <= CE_INTENSITY_M2_THRESHOLD)
        return read_threshold(detector, step - CE_VOLUME_M1_THRESHOLD, values);
    if (step == CE_EDGES && (device->edges || detector->thinning_passes == 0)) return read_edges(detector, values);
    return ab_unsupported("does not keep step %d in memory", step);
}

static ab_status poison(ed_detector *base)
{
    const gpu_detector *detector = (const gpu_detector *)base;
    const size_t n = pixels(detector);
    memset(detector->h_map, 0xff, n);
    CUDA_TRY(cudaMemset(detector->device.map, 0xff, n));
    CUDA_TRY(cudaMemset(detector->device.scratch, 0xff, n));
    CUDA_TRY(cudaMemset(detector->device.colour, 0xff, n * sizeof(float2)));
    return ab_ok();
}

static const ab_work_methods work_methods = {ED_STAGES, {"upload", "detect", "download"}, run_stage, close_detector};
static const ed_methods detector_methods = {read_map, read_step, poison};

/* Allocates `count` elements of device memory into *pointer; the detector frees them. */
template <typename T> static ab_status allocate(gpu_detector *detector, T **pointer, size_t count)
{
    void *memory = NULL;
    CUDA_TRY(cudaMalloc(&memory, count * sizeof(T)));
    detector->allocations[detector->n_allocations++] = memory;
    *pointer = (T *)memory;
    return ab_ok();
}

static ab_status allocate_all(gpu_detector *detector)
{
    ce_device *device = &detector->device;
    const size_t n = pixels(detector);
    AB_TRY(allocate(detector, &detector->image, n));
    device->image = detector->image;
    AB_TRY(allocate(detector, &device->colour, n));
    AB_TRY(allocate(detector, &device->sums, CE_MAX_SUMS * CE_MAGNITUDES));
    AB_TRY(allocate(detector, &device->thresholds, CE_MAGNITUDES));
    AB_TRY(allocate(detector, &device->scratch, n));
    AB_TRY(allocate(detector, &device->map, n));
    if (detector->rung->keeps_all) {
        AB_TRY(allocate(detector, &device->columns, n));
        AB_TRY(allocate(detector, &device->gradients, n));
        AB_TRY(allocate(detector, &device->edges, n));
    }
    CUDA_TRY(cudaMallocHost((void **)&detector->h_image, n * sizeof(uchar4)));
    CUDA_TRY(cudaMallocHost((void **)&detector->h_map, n));
    return ab_ok();
}

static ab_status initialise(gpu_detector *detector, const ed_image *image)
{
    AB_TRY(allocate_all(detector));
    memcpy(detector->h_image, image->rgba, pixels(detector) * sizeof(uchar4));
    uint8_t tables[2][512];
    guo_hall_tables(tables);
    unsigned char *d_tables = NULL;
    AB_TRY(allocate(detector, &d_tables, sizeof tables));
    CUDA_TRY(cudaMemcpy(d_tables, tables, sizeof tables, cudaMemcpyHostToDevice));
    detector->device.tables = d_tables;
    CUDA_TRY(cudaMemset(detector->device.sums, 0, CE_MAX_SUMS * CE_MAGNITUDES * sizeof *detector->device.sums));
    return poison(&detector->base);
}

extern "C" ab_status AB_GPU(ce_open)(const ed_image *image, const ed_params *params, const ce_rung *rung,
                                     ed_detector **opened)
{
    AB_TRY(ed_check(image, params));
    if (image->height > MAX_HEIGHT) return ab_unsupported("needs a height <= %d, not %d", MAX_HEIGHT, image->height);
    gpu_detector *detector = (gpu_detector *)calloc(1, sizeof *detector);
    if (!detector) return ab_failed("out of memory");
    detector->base.work.methods = &work_methods;
    detector->base.methods = &detector_methods;
    detector->device.width = image->width;
    detector->device.height = image->height;
    detector->device.taps = ce_gaussian(params->sigma);
    detector->device.coefficients[0] = params->volume_coefficient;
    detector->device.coefficients[1] = params->intensity_coefficient;
    detector->rung = rung;
    detector->thinning_passes = params->thinning_passes;
    const ab_status status = initialise(detector, image);
    if (status.code == AB_OK)
        *opened = &detector->base;
    else
        close_detector(&detector->base.work);
    return status;
}

/* ---- colour-edge/gpu ---- */

static ab_status detect(const ce_device *device, int thinning_passes, unsigned)
{
    AB_TRY(AB_GPU(ce_blur)(device));
    AB_TRY(AB_GPU(ce_gradient)(device));
    AB_TRY(AB_GPU(ce_reduce)(device));
    AB_TRY(AB_GPU(ce_mark)(device, thinning_passes ? device->edges : device->map));
    for (int pass = 0; pass < thinning_passes; ++pass) {
        AB_TRY(AB_GPU(ce_thin)(device, pass == 0 ? device->edges : device->map, device->scratch, 0));
        AB_TRY(AB_GPU(ce_thin)(device, device->scratch, device->map, 1));
    }
    return ab_ok();
}

extern "C" ab_status AB_GPU(colour_edge_gpu)(const ed_image *image, const ed_params *params, ed_detector **detector)
{
    static const ce_rung rung = {detect, true};
    return AB_GPU(ce_open)(image, params, &rung, detector);
}
