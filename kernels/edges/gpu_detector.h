/* What edge detectors on a GPU share: the image and the map on both sides of the bus, the stages UPLOAD and DOWNLOAD.
 *
 * On the host's side both are page-locked, so that transfers run at the bus's speed and are the transfers alone.
 * Everything is asynchronous on the default stream; only reading waits.
 */
#ifndef ANTBENCH_GPU_DETECTOR_H
#define ANTBENCH_GPU_DETECTOR_H

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/device_memory.h"
#include "kernels/edges/detector.h"

/* The first member of an operation's own detector, which calloc has made. */
typedef struct gpu_detector {
    ed_detector base;
    device_memory memory; /* all of the detector's */
    size_t n_pixels;
    size_t image_bytes;
    void *image;            /* on the device: [height][width] pixels */
    unsigned char *map;     /* on the device: [height][width] */
    unsigned char *h_image; /* on the host's side, likewise */
    unsigned char *h_map;
} gpu_detector;

enum { ED_POISON = 0x5a }; /* neither 0 nor 1, nor NPP's 255 */

/* The stages UPLOAD and DOWNLOAD. */
static inline ab_status ed_transfer(gpu_detector *detector, int stage)
{
    if (stage == ED_UPLOAD)
        CUDA_TRY(cudaMemcpyAsync(detector->image, detector->h_image, detector->image_bytes, cudaMemcpyHostToDevice));
    else
        CUDA_TRY(cudaMemcpyAsync(detector->h_map, detector->map, detector->n_pixels, cudaMemcpyDeviceToHost));
    return ab_ok();
}

/* ed_methods.read: by the way that DOWNLOAD takes, so that a check of the map checks that too. */
static inline ab_status ed_read_map(ed_detector *base, uint8_t *edges)
{
    gpu_detector *detector = (gpu_detector *)base;
    AB_TRY(ed_transfer(detector, ED_DOWNLOAD));
    CUDA_TRY(cudaDeviceSynchronize());
    memcpy(edges, detector->h_map, detector->n_pixels);
    return ab_ok();
}

/* ed_methods.poison */
static inline ab_status ed_poison_map(ed_detector *base)
{
    const gpu_detector *detector = (const gpu_detector *)base;
    memset(detector->h_map, ED_POISON, detector->n_pixels);
    CUDA_TRY(cudaMemset(detector->map, ED_POISON, detector->n_pixels));
    return ab_ok();
}

/* ed_methods.wait */
static inline ab_status ed_wait(ed_detector *)
{
    CUDA_TRY(cudaDeviceSynchronize());
    return ab_ok();
}

/* ab_work_methods.close */
static inline void ed_close(ab_work *work)
{
    gpu_detector *detector = (gpu_detector *)work;
    if (!detector) return;
    device_free(&detector->memory);
    free(detector);
}

/* Allocates image and map, the image of `pixel_bytes` a pixel, and keeps `pixels` for UPLOAD. */
static inline ab_status ed_allocate(gpu_detector *detector, const ed_image *image, const void *pixels,
                                    size_t pixel_bytes)
{
    device_memory *memory = &detector->memory;
    detector->n_pixels = (size_t)image->width * (size_t)image->height;
    detector->image_bytes = detector->n_pixels * pixel_bytes;
    AB_TRY(device_allocate_bytes(memory, &detector->image, detector->image_bytes));
    AB_TRY(device_allocate(memory, &detector->map, detector->n_pixels));
    AB_TRY(device_allocate_pinned(memory, &detector->h_image, detector->image_bytes));
    AB_TRY(device_allocate_pinned(memory, &detector->h_map, detector->n_pixels));
    memcpy(detector->h_image, pixels, detector->image_bytes);
    return ab_ok();
}

#endif
