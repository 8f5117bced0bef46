/* The device memory of convolution: the image, which is uploaded once, and what a rung makes of it. */
#include <stdlib.h>

#include "kernels/convolution/convolver.h"

typedef struct convolver {
    conv_state base;
    conv_device device;
    device_memory memory;
    conv_params params;
    const convolution_rung *rung;
} convolver;

static ab_status run_stage(ab_work *work, int)
{
    const convolver *state = (const convolver *)work;
    return state->rung->convolve(&state->device, &state->params);
}

static void close_convolver(ab_work *work)
{
    convolver *state = (convolver *)work;
    if (!state) return;
    if (state->rung->release) state->rung->release(&state->device);
    device_free(&state->memory);
    free(state);
}

static ab_status read_result(conv_state *base, float *pixels)
{
    const conv_plane *to = &((const convolver *)base)->device.to;
    const size_t row = (size_t)to->width * sizeof(float);
    CUDA_TRY(cudaMemcpy2D(pixels, row, to->pixels, (size_t)to->pitch * sizeof(float), row, (size_t)to->height,
                          cudaMemcpyDeviceToHost));
    return ab_ok();
}

static ab_status poison(conv_state *base)
{
    const conv_device *device = &((const convolver *)base)->device;
    CUDA_TRY(cudaMemset(device->to.pixels, 0xff, conv_plane_size(&device->to) * sizeof(float)));
    if (device->between.pixels)
        CUDA_TRY(cudaMemset(device->between.pixels, 0xff, conv_plane_size(&device->between) * sizeof(float)));
    return ab_ok();
}

static const ab_work_methods work_methods = {1, {"convolve"}, run_stage, close_convolver};
static const conv_methods methods = {read_result, poison};

/* The floats between a row's end and the next row are 0; no kernel uses them. */
static ab_status upload(const conv_plane *plane, const float *pixels)
{
    const size_t row = (size_t)plane->width * sizeof(float);
    CUDA_TRY(cudaMemset(plane->pixels, 0, conv_plane_size(plane) * sizeof(float)));
    CUDA_TRY(cudaMemcpy2D(plane->pixels, (size_t)plane->pitch * sizeof(float), pixels, row, row, (size_t)plane->height,
                          cudaMemcpyHostToDevice));
    return ab_ok();
}

static ab_status upload_weights(convolver *state)
{
    const conv_weights<CONV_MAX_WIDTH *CONV_MAX_WIDTH> weights =
        conv_constant<CONV_MAX_WIDTH * CONV_MAX_WIDTH>(state->device.filter.weights);
    float *on_device = NULL;
    AB_TRY(device_allocate(&state->memory, &on_device, sizeof weights.at / sizeof *weights.at));
    CUDA_TRY(cudaMemcpy(on_device, weights.at, sizeof weights.at, cudaMemcpyHostToDevice));
    state->device.weights = on_device;
    return ab_ok();
}

static ab_status initialise(convolver *state, const conv_image *image)
{
    conv_device *device = &state->device;
    device_memory *memory = &state->memory;
    const conv_plane plane = conv_make_plane(image->width, image->height);
    device->from = device->to = device->between = plane;
    device->filter = conv_make_filter(&state->params);
    AB_TRY(device_allocate(memory, &device->from.pixels, conv_plane_size(&plane)));
    AB_TRY(device_allocate(memory, &device->to.pixels, conv_plane_size(&plane)));
    if (state->rung->two_passes) AB_TRY(device_allocate(memory, &device->between.pixels, conv_plane_size(&plane)));
    AB_TRY(upload(&device->from, image->pixels));
    AB_TRY(poison(&state->base));
    AB_TRY(upload_weights(state));
    return state->rung->prepare ? state->rung->prepare(device, &state->params, memory) : ab_ok();
}

extern "C" ab_status AB_GPU(convolution_open)(const convolution_rung *rung, const conv_image *image,
                                              const conv_params *params, conv_state **opened)
{
    AB_TRY(conv_check(image, params));
    if (rung->two_passes) AB_TRY(conv_check_rank(params));
    if (rung->check) AB_TRY(rung->check(image, params));
    convolver *state = (convolver *)calloc(1, sizeof *state);
    if (!state) return ab_failed("out of memory");
    state->base.work.methods = &work_methods;
    state->base.methods = &methods;
    state->params = *params;
    state->rung = rung;
    const ab_status status = initialise(state, image);
    if (status.code == AB_OK)
        *opened = &state->base;
    else
        close_convolver(&state->base.work);
    return status;
}
