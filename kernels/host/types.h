/* CUDA's vector types, as far as the kernels use them, with CUDA's alignment. */
#ifndef ANTBENCH_HOST_TYPES_H
#define ANTBENCH_HOST_TYPES_H

namespace host_cuda
{

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

struct uint3 {
    unsigned x, y, z;
};

struct alignas(8) int2 {
    int x, y;
};

struct alignas(8) uint2 {
    unsigned x, y;
};

struct alignas(8) float2 {
    float x, y;
};

struct alignas(16) int4 {
    int x, y, z, w;
};

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

struct alignas(4) uchar4 {
    unsigned char x, y, z, w;
};

struct alignas(16) float4 {
    float x, y, z, w;
};

constexpr int2 make_int2(int x, int y)
{
    return {x, y};
}

constexpr float2 make_float2(float x, float y)
{
    return {x, y};
}

constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

constexpr uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w)
{
    return {x, y, z, w};
}

constexpr float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

} // namespace host_cuda
#endif
