/* Correct kernels over all that the host backend offers; their results are the same in every order. */
#include "kernels/cuda/cluster.h"
#include "kernels/cuda/cuda_half.h"
#include "kernels/cuda/grid_barrier.h"
#include "tests/planted/planted.h"

static const unsigned FULL_WARP = 0xFFFFFFFFu;

static __global__ void block_sum(const int *x, int n, int *sums)
{
    SHARED(int, part, 256);
    const int thread = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    part[thread] = i < n ? x[i] : 0;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) part[thread] += part[thread + half];
    }
    if (thread == 0) sums[blockIdx.x] = part[0];
}

extern "C" ab_status AB_GPU(planted_block_sum)(const int *x, int n, int *sums)
{
    LAUNCH(block_sum, ceil_div(n, 256), 256, 0)(x, n, sums);
    return AB_LAUNCHED("block_sum");
}

/* Each block hands its numbers to the next one's shared memory, and takes them on from there in the next turn. */
static __global__ void hand_around(int turns, int *out)
{
    SHARED(int, numbers, 2 * 48);
    SHARED_DYNAMIC(int, heard, 0, 48);
    const int thread = threadIdx.x;
    numbers[thread] = (int)blockIdx.x * 100 + thread;
    heard[thread] = 0;
    meet_cluster();
    for (int turn = 0; turn < turns; turn++) {
        const unsigned next = (blockIdx.x + 1) % gridDim.x;
        shared_of(numbers, next)[(turn + 1) % 2 * 48 + thread] = numbers[turn % 2 * 48 + thread];
        shared_of(heard, next)[(thread + 1) % 48] += 1;
        meet_cluster();
    }
    out[blockIdx.x * 48 + threadIdx.x] = numbers[turns % 2 * 48 + thread] + 1000 * heard[thread];
}

extern "C" ab_status AB_GPU(planted_hand_around)(int blocks, int turns, int *out)
{
    LAUNCH_CLUSTER(hand_around, (unsigned)blocks, 48, 48 * sizeof(int))(turns, out);
    return AB_LAUNCHED("hand_around");
}

/* Blocks add up their numbers in memory, and wait until all have. */
static __global__ void meet_twice(unsigned *arrived, int *sums, int *out)
{
    atomicAdd(&sums[0], (int)blockIdx.x + 1);
    meet_grid(arrived);
    atomicAdd(&sums[1], sums[0]);
    meet_grid(arrived);
    out[blockIdx.x * 40 + threadIdx.x] = sums[1];
}

extern "C" ab_status AB_GPU(planted_meet_twice)(int blocks, int *out)
{
    unsigned arrived = 0;
    int sums[2] = {0, 0};
    LAUNCH_TOGETHER(meet_twice, (unsigned)blocks, 40, 0)(&arrived, sums, out);
    return AB_LAUNCHED("meet_twice");
}

static __global__ void warp_scan(const int *x, int *scans)
{
    const int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = x[i];
    for (int distance = 1; distance < 32; distance *= 2) {
        const int before = __shfl_up_sync(FULL_WARP, sum, distance);
        if (lane >= distance) sum += before;
    }
    scans[i] = sum;
}

extern "C" ab_status AB_GPU(planted_warp_scan)(const int *x, int n, int *scans)
{
    LAUNCH(warp_scan, n / 32, 32, 0)(x, scans);
    return AB_LAUNCHED("warp_scan");
}

/* More meetings than a warp can have at a time: each hands its lane's number around. */
static __global__ void rotate(int turns, int *out)
{
    int x = threadIdx.x;
    for (int i = 0; i < turns; i++) x = __shfl_sync(FULL_WARP, x, threadIdx.x + 1);
    out[threadIdx.x] = x;
}

extern "C" ab_status AB_GPU(planted_rotate)(int turns, int out[32])
{
    LAUNCH(rotate, 1, 32, 0)(turns, out);
    return AB_LAUNCHED("rotate");
}

/* The halves meet apart, at different times and for different reasons, and then together; one half ends early. */
static __global__ void warp_halves(int *out)
{
    SHARED(int, half_sum, 2);
    const int lane = threadIdx.x, half = lane / 16;
    const unsigned mask = half == 0 ? 0x0000FFFFu : 0xFFFF0000u;
    int sum = lane;
    for (int i = 0; i <= half; i++)
        for (int offset = 8; offset > 0; offset /= 2) sum += __shfl_xor_sync(mask, sum, offset, 16);
    if (lane % 16 == 0) half_sum[half] = sum;
    __syncwarp();
    out[lane] = half_sum[1 - half];
    if (half == 1) return;
    out[lane] += __popc(__ballot_sync(mask, lane % 2));
}

extern "C" ab_status AB_GPU(planted_warp_halves)(int out[32])
{
    LAUNCH(warp_halves, 1, 32, 0)(out);
    return AB_LAUNCHED("warp_halves");
}

static __global__ void shuffles(double *out)
{
    const int lane = threadIdx.x;
    const double x = lane + 0.5;
    out[lane] = __shfl_sync(FULL_WARP, x, 7);
    out[32 + lane] = __shfl_sync(FULL_WARP, (float)x, lane + 3, 8);
    out[64 + lane] = __shfl_up_sync(FULL_WARP, x, 5);
    out[96 + lane] = __shfl_down_sync(FULL_WARP, x, 5, 16);
    out[128 + lane] = __shfl_xor_sync(FULL_WARP, x, 9);
    out[160 + lane] = (double)__shfl_xor_sync(FULL_WARP, -1ll - lane, 9, 8);
    out[192 + lane] = lane < 8 ? __shfl_down_sync(0xFFu, x, 4) : 0.0; /* lanes 4 .. 7 read lanes that are not there */
}

extern "C" ab_status AB_GPU(planted_shuffles)(double out[7][32])
{
    LAUNCH(shuffles, 1, 32, 0)(&out[0][0]);
    return AB_LAUNCHED("shuffles");
}

static __global__ void votes(unsigned *out)
{
    const int lane = threadIdx.x;
    const unsigned thirds = __ballot_sync(FULL_WARP, lane % 3 == 0 ? 256 : 0);
    const unsigned same = __match_any_sync(FULL_WARP, lane % 4);
    const int any = __any_sync(FULL_WARP, lane == 31), none = __any_sync(FULL_WARP, lane == 32);
    const int all = __all_sync(FULL_WARP, lane < 32), most = __all_sync(FULL_WARP, lane < 31);
    if (lane >= 16) return;
    const unsigned low = __ballot_sync(0x0000FFFFu, 1);
    const int all_low = __all_sync(0x0000FFFFu, lane < 16);
    if (lane != 9) return;
    const unsigned results[8] = {thirds,        same,           (unsigned)any, (unsigned)none,
                                 (unsigned)all, (unsigned)most, low,           (unsigned)all_low};
    for (int i = 0; i < 8; i++) out[i] = results[i];
}

extern "C" ab_status AB_GPU(planted_votes)(unsigned out[8])
{
    LAUNCH(votes, 1, 32, 0)(out);
    return AB_LAUNCHED("votes");
}

static __global__ void block_votes(int *out)
{
    const int third = threadIdx.x % 3 == 0;
    const int count = __syncthreads_count(third), any = __syncthreads_or(third), all = __syncthreads_and(third);
    if (threadIdx.x != 50) return;
    out[0] = count;
    out[1] = any;
    out[2] = all;
}

extern "C" ab_status AB_GPU(planted_block_votes)(int out[3])
{
    LAUNCH(block_votes, 1, 96, 0)(out);
    return AB_LAUNCHED("block_votes");
}

static __global__ void reductions(int *out)
{
    const int lane = threadIdx.x, x = lane - 10;
    const int results[6] = {__reduce_add_sync(FULL_WARP, x),
                            __reduce_min_sync(FULL_WARP, x),
                            __reduce_max_sync(FULL_WARP, x),
                            (int)__reduce_add_sync(FULL_WARP, (unsigned)x),
                            (int)__reduce_min_sync(FULL_WARP, (unsigned)x),
                            (int)__reduce_max_sync(FULL_WARP, (unsigned)x)};
    if (lane == 3)
        for (int i = 0; i < 6; i++) out[i] = results[i];
}

extern "C" ab_status AB_GPU(planted_reductions)(int out[6])
{
    LAUNCH(reductions, 1, 32, 0)(out);
    return AB_LAUNCHED("reductions");
}

static __global__ void atomics(int *ints, unsigned long long *least, float *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&ints[0], i);
    atomicMax(&ints[1], i);
    atomicOr(&ints[2], 1 << i % 16);
    atomicAnd(&ints[3], ~(1 << i % 8));
    if (atomicCAS(&ints[4], i, i + 1) == i) atomicExch(&ints[4], -1);
    atomicMin(least, (1ull << 40) + 1000 - i);
    atomicAdd(sum, 0.5f);
}

extern "C" ab_status AB_GPU(planted_atomics)(int ints[5], unsigned long long *least, float *sum)
{
    LAUNCH(atomics, 5, 64, 0)(ints, least, sum);
    return AB_LAUNCHED("atomics");
}

/* A tile in dynamic shared memory, its row sums in static; out is transposed and each row's first is its tile row's
 * sum. */
static __global__ void transpose(const int *in, int width, int height, int *out)
{
    SHARED_DYNAMIC(int, tile, 16, 8 * 9);
    SHARED(uchar4, factors, 1);
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y * 9 + threadIdx.x] = in[y * width + x];
    if (threadIdx.x == 0 && threadIdx.y == 0) factors[0] = make_uchar4(1, 2, 3, 4);
    __syncthreads();
    const int to_x = blockIdx.y * 8 + threadIdx.x, to_y = blockIdx.x * 8 + threadIdx.y;
    if (to_x < height && to_y < width) out[to_y * height + to_x] = tile[threadIdx.x * 9 + threadIdx.y] * factors[0].y;
}

extern "C" ab_status AB_GPU(planted_transpose)(const int *in, int width, int height, int *out)
{
    LAUNCH(transpose, dim3(ceil_div(width, 8), ceil_div(height, 8)), dim3(8, 8), 16 + 8 * 9 * sizeof(int))
    (in, width, height, out);
    return AB_LAUNCHED("transpose");
}

static __global__ void large_shared(int count, int *sum)
{
    SHARED_DYNAMIC(int, x, 0, count);
    for (int i = threadIdx.x; i < count; i += blockDim.x) x[i] = i;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < count; i++) *sum += x[i];
}

extern "C" ab_status AB_GPU(planted_large_shared)(int count, int *sum)
{
    const int bytes = count * (int)sizeof(int);
    CUDA_TRY(cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    LAUNCH(large_shared, 1, 1024, bytes)(count, sum);
    return AB_LAUNCHED("large_shared");
}

static __global__ void arithmetic(const float *in, float *floats, int *ints)
{
    floats[0] = __expf(1.0f);
    floats[1] = __powf(2.0f, 0.5f);
    floats[2] = __fdividef(1.0f, 4.0f);
    floats[3] = rsqrtf(16.0f);
    floats[4] = __saturatef(1.5f);
    floats[5] = __saturatef(-0.5f);
    floats[6] = __saturatef(__int_as_float(-1)); /* NaN */
    floats[7] = __ldg(in);
    ints[0] = __popc(0xF0F0u);
    ints[1] = __popcll(0xF0F0ull << 40);
    ints[2] = __ffs(0) * 100 + __ffs(8);
    ints[3] = __ffsll(1ll << 40);
    ints[4] = __clz(0) * 100 + __clz(1);
    ints[5] = (int)__brev(0x00000050u);
    ints[6] = __float_as_int(1.0f);
    ints[7] = min(-3, 5) * 100 + max(-3, 5);
    ints[8] = max(7u, 6u) + min(8ll, 9ll) > 14;
    ints[9] = min(1.5f, 2.5) < 2 && max(1.5, 2.5f) > 2;
}

extern "C" ab_status AB_GPU(planted_arithmetic)(const float *in, float floats[8], int ints[10])
{
    LAUNCH(arithmetic, 1, 1, 0)(in, floats, ints);
    return AB_LAUNCHED("arithmetic");
}

static __global__ void halves(const float *in, unsigned *out)
{
    const half2 a = __floats2half2_rn(in[0], in[1]), b = __floats2half2_rn(in[2], in[3]),
                c = __floats2half2_rn(in[4], in[5]);
    const unsigned results[10] = {half2_bits(a),
                                  half2_bits(b),
                                  half2_bits(c),
                                  half2_bits(__hadd2(a, b)),
                                  half2_bits(__hsub2(a, b)),
                                  half2_bits(__hfma2(a, b, c)),
                                  half2_bits(__hmax2(a, b)),
                                  half2_bits(__hneg2(__habs2(b))),
                                  __hgt2_mask(a, b),
                                  __byte_perm(0x83020100u, 0x07060504u, 0x35b2)};
    for (int i = 0; i < 10; i++) out[i] = results[i];
}

extern "C" ab_status AB_GPU(planted_halves)(const float in[6], unsigned out[10])
{
    LAUNCH(halves, 1, 1, 0)(in, out);
    return AB_LAUNCHED("halves");
}

/* Every half but NaN, through a float and back. */
static __global__ void all_halves(int *changed)
{
    const unsigned bits = blockIdx.x * blockDim.x + threadIdx.x;
    const half2 pair = half2_of(bits << 16 | bits);
    if ((bits & 0x7C00) == 0x7C00 && bits & 0x3FF) return;
    if (half2_bits(__floats2half2_rn(__low2float(pair), __high2float(pair))) != half2_bits(pair)) atomicAdd(changed, 1);
}

extern "C" ab_status AB_GPU(planted_all_halves)(int *changed)
{
    LAUNCH(all_halves, 64, 1024, 0)(changed);
    return AB_LAUNCHED("all_halves");
}
