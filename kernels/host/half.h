/* CUDA's half2, a pair of IEEE 754 binary16, for the host backend: each operation is computed in double precision and
 * rounded once, to the nearest, even on ties. */
#ifndef ANTBENCH_HOST_HALF_H
#define ANTBENCH_HOST_HALF_H

#include <bit>
#include <cmath>
#include <cstdint>

namespace host_backend
{

/* As a float's bits, an exponent and fraction of binary16 are the value times 2^-112. */
inline double half_value(std::uint16_t bits)
{
    const bool is_finite = (bits & 0x7C00) != 0x7C00;
    const double finite = 0x1p112 * static_cast<double>(std::bit_cast<float>((bits & 0x7FFFu) << 13));
    const double value = is_finite ? finite : bits & 0x3FF ? NAN : HUGE_VAL;
    return bits & 0x8000 ? -value : value;
}

/* What is too large becomes infinite by the carry into the exponent. */
inline std::uint16_t half_bits(double value)
{
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    if (!(size < 65536.0)) return static_cast<std::uint16_t>(sign | (std::isnan(value) ? 0x7E00 : 0x7C00));
    if (size < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::nearbyint(size * 0x1p24)));
    /* Of 52 bits of the fraction 10 stay, and the bias of the exponent falls from 1023 to 15. */
    const auto bits = std::bit_cast<std::uint64_t>(size);
    const std::uint64_t half = (std::uint64_t{1} << 41) - 1, is_odd = bits >> 42 & 1;
    return static_cast<std::uint16_t>(sign | (((bits + half + is_odd) >> 42) - (1008 << 10)));
}

} // namespace host_backend

namespace host_cuda
{

struct alignas(4) half2 {
    std::uint16_t x, y; /* their bits */
};

inline half2 __floats2half2_rn(float x, float y)
{
    return {host_backend::half_bits(x), host_backend::half_bits(y)};
}

inline half2 __float2half2_rn(float x)
{
    return __floats2half2_rn(x, x);
}

inline float __low2float(half2 pair)
{
    return static_cast<float>(host_backend::half_value(pair.x));
}

inline float __high2float(half2 pair)
{
    return static_cast<float>(host_backend::half_value(pair.y));
}

inline half2 __hfma2(half2 a, half2 b, half2 c)
{
    using host_backend::half_value;
    return {host_backend::half_bits(half_value(a.x) * half_value(b.x) + half_value(c.x)),
            host_backend::half_bits(half_value(a.y) * half_value(b.y) + half_value(c.y))};
}

inline half2 __hmul2(half2 a, half2 b)
{
    return __hfma2(a, b, __float2half2_rn(-0.0f));
}

inline half2 __hadd2(half2 a, half2 b)
{
    return __hfma2(a, __float2half2_rn(1.0f), b);
}

inline half2 __hsub2(half2 a, half2 b)
{
    return __hfma2(b, __float2half2_rn(-1.0f), a);
}

inline half2 __hneg2(half2 a)
{
    return {static_cast<std::uint16_t>(a.x ^ 0x8000), static_cast<std::uint16_t>(a.y ^ 0x8000)};
}

inline half2 __habs2(half2 a)
{
    return {static_cast<std::uint16_t>(a.x & 0x7FFF), static_cast<std::uint16_t>(a.y & 0x7FFF)};
}

/* 0xFFFF for each that is greater, else 0. */
inline unsigned __hgt2_mask(half2 a, half2 b)
{
    using host_backend::half_value;
    return (half_value(a.x) > half_value(b.x) ? 0xFFFFu : 0u) | (half_value(a.y) > half_value(b.y) ? 0xFFFF0000u : 0u);
}

inline half2 __hmax2(half2 a, half2 b)
{
    const unsigned greater = __hgt2_mask(a, b);
    return {greater & 1 ? a.x : b.x, greater >> 31 ? a.y : b.y};
}

inline half2 __hmin2(half2 a, half2 b)
{
    const unsigned greater = __hgt2_mask(a, b);
    return {greater & 1 ? b.x : a.x, greater >> 31 ? b.y : a.y};
}

} // namespace host_cuda
#endif
