/* A colour-edge detector on the GPU: its memory, its transfers, and colour-edge/gpu, the pipeline as the thesis has it.
 *
 * Each step is one kernel or two that read and write global memory: blur (2), gradient, reduction (2), thresholds, and
 * two per pass of thinning. That is eight launches in all. At 512x512 most of them take less time than their launch;
 * colour-edge/fused avoids this. Limits: height up to 131070; 47 bytes of GPU memory per pixel. Source: thesis §6.5.
 */
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"
#include "kernels/colour_edge/colour_edge.h"
#include "kernels/colour_edge/pipeline.h"
#include "kernels/edges/gpu_detector.h"

/* The grid's y dimension has 16 bits, and the smallest tile two rows. */
enum { MAX_HEIGHT = 2 * 65535 };

typedef struct ce_detector {
    gpu_detector gpu;
    ce_device device;
    const colour_edge_rung *rung;
    int thinning_passes;
    unsigned run; /* DETECT stages so far */
    int step;     /* ed_params.step */
    size_t scratch_bytes;
    bool whole; /* the next DETECT is a whole one, whatever the step: there is nothing yet to go on from */
} ce_detector;

static ab_status run_stage(ab_work *work, int stage)
{
    ce_detector *detector = (ce_detector *)work;
    if (stage != ED_DETECT) return ed_transfer(&detector->gpu, stage);
    detector->device.step = detector->whole ? (int)CE_ALL : detector->step;
    detector->whole = false;
    return detector->rung->detect(&detector->device, detector->thinning_passes, detector->run++);
}

/* Component `component` of the vectors of `components` floats in a device plane. */
static ab_status read_component(const ce_detector *detector, const void *plane, size_t components, size_t component,
                                float *values)
{
    const size_t bytes = components * sizeof(float);
    CUDA_TRY(cudaMemcpy2D(values, sizeof(float), (const char *)plane + component * sizeof(float), bytes, sizeof(float),
                          detector->gpu.n_pixels, cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status read_threshold(const ce_detector *detector, int magnitude, float *values)
{
    float threshold = 0.0f;
    CUDA_TRY(cudaMemcpy(&threshold, detector->device.thresholds + magnitude, sizeof threshold, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < detector->gpu.n_pixels; ++i) values[i] = threshold;
    return ab_ok();
}

/* The map before thinning; h_map holds it in between, which read_map fills anew. */
static ab_status read_edges(const ce_detector *detector, float *values)
{
    const unsigned char *const edges = detector->thinning_passes ? detector->device.edges : detector->device.map;
    CUDA_TRY(cudaMemcpy(detector->gpu.h_map, edges, detector->gpu.n_pixels, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < detector->gpu.n_pixels; ++i) values[i] = (float)detector->gpu.h_map[i];
    return ab_ok();
}

static ab_status read_step(ed_detector *base, int step, float *values)
{
    const ce_detector *detector = (const ce_detector *)base;
    const ce_device *device = &detector->device;
    if ((step == CE_VOLUME || step == CE_INTENSITY) && device->colour)
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
    ce_detector *detector = (ce_detector *)base;
    const size_t n = detector->gpu.n_pixels;
    detector->whole = true;
    AB_TRY(ed_poison_map(base));
    CUDA_TRY(cudaMemset(detector->device.half_thinned, 0xff, n));
    if (detector->device.scratch) CUDA_TRY(cudaMemset(detector->device.scratch, ED_POISON, detector->scratch_bytes));
    if (detector->device.colour) CUDA_TRY(cudaMemset(detector->device.colour, 0xff, n * sizeof(float2)));
    return ab_ok();
}

static const ab_work_methods work_methods = {ED_STAGES, {"upload", "detect", "download"}, run_stage, ed_close};
static const ed_methods detector_methods = {ed_read_map, read_step, poison, ed_wait};

static ab_status allocate(ce_detector *detector, const ed_image *image, const ed_params *params)
{
    device_memory *memory = &detector->gpu.memory;
    ce_device *device = &detector->device;
    const colour_edge_rung *rung = detector->rung;
    AB_TRY(ed_allocate(&detector->gpu, image, image->rgba, sizeof(uchar4)));
    const size_t n = detector->gpu.n_pixels;
    device->image = (const uchar4 *)detector->gpu.image;
    device->map = detector->gpu.map;
    if (rung->keeps_colour) AB_TRY(device_allocate(memory, &device->colour, n));
    AB_TRY(device_allocate(memory, &device->sums, CE_MAX_SUMS * CE_MAGNITUDES));
    AB_TRY(device_allocate(memory, &device->thresholds, CE_MAGNITUDES));
    AB_TRY(device_allocate(memory, &device->half_thinned, n));
    if (rung->keeps_all) {
        AB_TRY(device_allocate(memory, &device->columns, n));
        AB_TRY(device_allocate(memory, &device->gradients, n));
        AB_TRY(device_allocate(memory, &device->edges, n));
    }
    if (!rung->scratch_bytes) return ab_ok();
    detector->scratch_bytes = rung->scratch_bytes(image, params);
    return device_allocate_bytes(memory, &device->scratch, detector->scratch_bytes);
}

static ab_status initialise(ce_detector *detector, const ed_image *image, const ed_params *params)
{
    AB_TRY(allocate(detector, image, params));
    uint8_t tables[2][512];
    guo_hall_tables(tables);
    unsigned char *d_tables = NULL;
    AB_TRY(device_allocate(&detector->gpu.memory, &d_tables, sizeof tables));
    CUDA_TRY(cudaMemcpy(d_tables, tables, sizeof tables, cudaMemcpyHostToDevice));
    detector->device.tables = d_tables;
    CUDA_TRY(cudaMemset(detector->device.sums, 0, CE_MAX_SUMS * CE_MAGNITUDES * sizeof *detector->device.sums));
    return poison(&detector->gpu.base);
}

extern "C" ab_status AB_GPU(colour_edge_open)(const colour_edge_rung *rung, const ed_image *image,
                                              const ed_params *params, ed_detector **opened)
{
    AB_TRY(ed_check(image, params));
    if (image->height > MAX_HEIGHT) return ab_unsupported("needs a height <= %d, not %d", MAX_HEIGHT, image->height);
    if (params->step != CE_ALL && !rung->has_steps) return ab_unsupported("has no kernels a step");
    if (rung->check) AB_TRY(rung->check(image, params));
    ce_detector *detector = (ce_detector *)calloc(1, sizeof *detector);
    if (!detector) return ab_failed("out of memory");
    detector->gpu.base.work.methods = &work_methods;
    detector->gpu.base.methods = &detector_methods;
    detector->device.width = image->width;
    detector->device.height = image->height;
    detector->device.taps = ce_gaussian(params->sigma);
    const double n = (double)image->width * image->height;
    detector->device.factors[0] = ce_threshold_factor(n, params->volume_coefficient);
    detector->device.factors[1] = ce_threshold_factor(n, params->intensity_coefficient);
    detector->rung = rung;
    detector->step = params->step;
    detector->thinning_passes = params->thinning_passes;
    const ab_status status = initialise(detector, image, params);
    if (status.code == AB_OK)
        *opened = &detector->gpu.base;
    else
        ed_close(&detector->gpu.base.work);
    return status;
}

/* ---- colour-edge/gpu ---- */

extern "C" ab_status AB_GPU(ce_detect)(const ce_device *device, int thinning_passes,
                                       ab_status (*blur)(const ce_device *), ab_status (*gradient)(const ce_device *))
{
    if (device->step != CE_ONLY_GRADIENT) AB_TRY(blur(device));
    if (device->step != CE_ONLY_BLUR) AB_TRY(gradient(device));
    if (device->step != CE_ALL) return ab_ok();
    AB_TRY(AB_GPU(ce_reduce)(device));
    AB_TRY(AB_GPU(ce_mark)(device, thinning_passes ? device->edges : device->map));
    for (int pass = 0; pass < thinning_passes; ++pass) {
        AB_TRY(AB_GPU(ce_thin)(device, pass == 0 ? device->edges : device->map, device->half_thinned, 0));
        AB_TRY(AB_GPU(ce_thin)(device, device->half_thinned, device->map, 1));
    }
    return ab_ok();
}

static ab_status detect(const ce_device *device, int thinning_passes, unsigned)
{
    return AB_GPU(ce_detect)(device, thinning_passes, AB_GPU(ce_blur), AB_GPU(ce_gradient));
}

AB_RUNG(colour_edge_rung, colour_edge_gpu) = {.detect = detect, .keeps_all = true, .has_steps = true};
