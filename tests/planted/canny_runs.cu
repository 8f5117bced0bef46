/* canny/runs's comparison of directions in half precision, against canny.h's in integers, for every gradient that there is
 * (tests/kernels/edges/test_canny.c). */
#define canny_runs planted_canny_runs_rung
#include "kernels/canny/runs.cu"

#include "tests/planted/canny_runs.h"

enum { MOST_SLOPE = 1020 }; /* of |gx| and of |gy| */

static __global__ void compare_directions(int *wrong)
{
    const int dx = (int)blockIdx.x, stride = (int)blockDim.x;
    for (int dy = (int)threadIdx.x; dy <= MOST_SLOPE; dy += stride) {
        const half2 x = __float2half2_rn((float)dx), y = __float2half2_rn((float)dy);
        const direction is = direction_of(x, y);
        const unsigned flat = dy << 15 < dx * 13573 ? ~0u : 0u, steep = dy << 15 > dx * (13573 + (2 << 15)) ? ~0u : 0u;
        if (is.flat != flat || is.steep != steep) atomicAdd(wrong, 1);
    }
}

extern "C" ab_status planted_canny_directions(int *wrong)
{
    LAUNCH(compare_directions, MOST_SLOPE + 1, WARP_SIZE, 0)(wrong);
    return AB_LAUNCHED("compare_directions");
}
