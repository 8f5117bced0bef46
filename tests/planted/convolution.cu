/* A convolution, right as it stands and wrong in one way for each planted bug: verification must reject every one
 * (tests/kernels/test_convolution.c). */
#include "kernels/convolution/convolver.h"
#include "tests/planted/convolution.h"

enum { COLUMNS = 64 }; /* of a block; one row */

static __device__ float term(conv_plane from, int x, int y, float weight, int bug)
{
    const bool outside = x < 0 || y < 0 || x >= from.width || y >= from.height;
    if (bug == CONV_BUG_ZERO_BORDER && outside) return 0.0f;
    if (bug == CONV_BUG_SKIPS_ZEROS && weight == 0.0f) return 0.0f;
    return weight * conv_pixel(from, x, y);
}

static __global__ void convolve_planted(conv_plane from, conv_plane to, const float *weights, int k, int bug)
{
    SHARED(float, own, COLUMNS + 1);
    const int i = (int)threadIdx.x, x = (int)blockIdx.x * COLUMNS + i, y = (int)blockIdx.y;
    own[i + 1] = conv_pixel(from, x, y);
    if (i == 0) own[0] = conv_pixel(from, x - 1, y);
    if (bug != CONV_BUG_NO_BARRIER) __syncthreads();
    const float left = own[i];
    float sum = 0.0f;
    for (int s = -k; s <= k; ++s)
        for (int r = -k; r <= k; ++r) {
            const int turn = bug == CONV_BUG_CORRELATES ? -1 : 1;
            const int at = bug == CONV_BUG_TRANSPOSED ? (r + k) * (2 * k + 1) + s + k : (s + k) * (2 * k + 1) + r + k;
            const bool is_left = r == 1 && s == 0 && turn == 1 && x > 0;
            sum += is_left ? weights[at] * left : term(from, x - turn * r, y - turn * s, weights[at], bug);
        }
    if (bug == CONV_BUG_A_LITTLE && x == 5 && y == 1) sum *= 1.0f + 0x1p-18f;
    if (x < to.width - (bug == CONV_BUG_LAST_COLUMN)) to.pixels[y * to.pitch + x] = sum;
}

template <int bug> static ab_status convolve(const conv_device *device, const conv_params *)
{
    const dim3 grid((unsigned)ceil_div(device->to.width, COLUMNS), (unsigned)device->to.height);
    LAUNCH(convolve_planted, grid, COLUMNS, 0)(device->from, device->to, device->weights, device->filter.radius, bug);
    return AB_LAUNCHED("convolve_planted");
}

extern "C" ab_status planted_convolution_open(const conv_image *image, const conv_params *params, int bug,
                                              conv_state **state)
{
    static const convolution_rung rungs[N_CONV_BUGS] = {
        {.convolve = convolve<0>}, {.convolve = convolve<1>}, {.convolve = convolve<2>}, {.convolve = convolve<3>},
        {.convolve = convolve<4>}, {.convolve = convolve<5>}, {.convolve = convolve<6>}, {.convolve = convolve<7>}};
    return AB_GPU(convolution_open)(&rungs[bug], image, params, state);
}
