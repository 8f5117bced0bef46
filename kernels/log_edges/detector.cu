/* A detector of log-edges: its memory, and the stages around a rung's kernels. */
#include "kernels/edges/gpu_detector.h"
#include "kernels/log_edges/detector.h"

typedef struct log_detector {
    gpu_detector gpu;
    log_device device;
    const log_edges_rung *rung;
} log_detector;

static ab_status run_stage(ab_work *work, int stage)
{
    log_detector *detector = (log_detector *)work;
    return stage == ED_DETECT ? detector->rung->detect(&detector->device) : ed_transfer(&detector->gpu, stage);
}

static ab_status read_step(ed_detector *, int, float *)
{
    return ab_unsupported("no step is kept");
}

static const ab_work_methods work_methods = {ED_STAGES, {"upload", "detect", "download"}, run_stage, ed_close};
static const ed_methods detector_methods = {ed_read_map, read_step, ed_poison_map, ed_wait};

static ab_status initialise(log_detector *detector, const ed_image *image, double threshold)
{
    device_memory *memory = &detector->gpu.memory;
    log_device *device = &detector->device;
    const conv_params gaussian = log_gaussian(), laplacian = log_laplacian();
    conv_plane one = conv_make_plane(image->width, image->height), other = one;
    AB_TRY(ed_allocate(&detector->gpu, image, image->grey, 1));
    AB_TRY(device_allocate(memory, &one.pixels, conv_plane_size(&one)));
    AB_TRY(device_allocate(memory, &other.pixels, conv_plane_size(&other)));
    CUDA_TRY(cudaMemset(one.pixels, 0, conv_plane_size(&one) * sizeof(float))); /* where rows end, too */
    device->grey = (const unsigned char *)detector->gpu.image;
    device->edges = detector->gpu.map;
    device->smooth.from = device->laplace.to = one;
    device->smooth.to = device->laplace.from = other;
    device->smooth.filter = conv_make_filter(&gaussian);
    device->laplace.filter = conv_make_filter(&laplacian);
    device->limit = (float)log_limit(threshold);
    AB_TRY(ed_transfer(&detector->gpu, ED_UPLOAD));
    return ed_poison_map(&detector->gpu.base);
}

extern "C" ab_status AB_GPU(log_edges_open)(const log_edges_rung *rung, const ed_image *image, const ed_params *params,
                                            ed_detector **opened)
{
    AB_TRY(ed_check(image, params));
    log_detector *detector = (log_detector *)calloc(1, sizeof *detector);
    if (!detector) return ab_failed("out of memory: a detector");
    detector->gpu.base.work.methods = &work_methods;
    detector->gpu.base.methods = &detector_methods;
    detector->rung = rung;
    const ab_status status = initialise(detector, image, params->threshold);
    if (status.code == AB_OK)
        *opened = &detector->gpu.base;
    else
        ed_close(&detector->gpu.base.work);
    return status;
}
