/* CUDA's device intrinsics on the CPU, as far as the kernels use them: barriers, warp intrinsics, atomics, arithmetic.
 *
 * The intrinsics in which threads wait take the line of the call as a last, defaulted argument, for the reports.
 */
#ifndef ANTBENCH_HOST_DEVICE_H
#define ANTBENCH_HOST_DEVICE_H

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "kernels/host/execution.h"

namespace host_backend
{

/* Meets the lanes of the mask and returns what `read` makes of what they brought. */
template <typename Read>
auto meet(const char *intrinsic, unsigned mask, std::uint64_t value, int line, const Read &read)
{
    meeting &met = arrive(intrinsic, mask, value, line);
    const auto result = read(met);
    leave(met);
    return result;
}

template <typename T> std::uint64_t to_bits(T value)
{
    static_assert(std::is_arithmetic_v<T> && sizeof(T) >= 4, "CUDA has this for 4 and 8 byte numbers only");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T> T from_bits(std::uint64_t bits)
{
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/* The value of lane `source`. From a lane outside the mask, undefined in CUDA, comes all ones, NaN in float. */
template <typename T> T shuffle(const char *intrinsic, unsigned mask, T value, unsigned source, int line)
{
    return meet(intrinsic, mask, to_bits(value), line, [source](const meeting &met) {
        return from_bits<T>(met.mask >> source & 1 ? met.values[source] : ~std::uint64_t{0});
    });
}

template <typename T, typename Combine>
T reduce(const char *intrinsic, unsigned mask, T value, int line, const Combine &combine)
{
    static_assert(std::is_integral_v<T> && sizeof(T) == 4, "CUDA reduces int and unsigned only");
    return meet(intrinsic, mask, to_bits(value), line, [&combine](const meeting &met) {
        unsigned lane = static_cast<unsigned>(__builtin_ctz(met.mask));
        T result = from_bits<T>(met.values[lane]);
        while (++lane < warp_threads)
            if (met.mask >> lane & 1) result = combine(result, from_bits<T>(met.values[lane]));
        return result;
    });
}

template <typename T> using same = std::common_type_t<T>; /* keeps an argument out of template deduction */

template <typename T> constexpr void require_atomic_integer()
{
    static_assert(std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long>,
                  "the atomics are for int, unsigned and unsigned long long");
}

} // namespace host_backend

namespace host_cuda
{

/* ---- Barriers ---- */

inline void __syncthreads(int line = __builtin_LINE())
{
    host_backend::block_barrier("__syncthreads", false, line);
}

inline int __syncthreads_count(int predicate, int line = __builtin_LINE())
{
    return host_backend::block_barrier("__syncthreads_count", predicate != 0, line);
}

inline int __syncthreads_or(int predicate, int line = __builtin_LINE())
{
    return host_backend::block_barrier("__syncthreads_or", predicate != 0, line) > 0;
}

/* True unless a thread brings false. */
inline int __syncthreads_and(int predicate, int line = __builtin_LINE())
{
    return host_backend::block_barrier("__syncthreads_and", predicate == 0, line) == 0;
}

/* The order of memory accesses is the program's: one thread runs at a time. */
inline void __threadfence()
{
}

/* Lets other threads run, for which a thread that spins waits. */
inline void __nanosleep(unsigned)
{
    host_backend::pass_turn();
}

/* ---- Warp intrinsics ---- */

inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, int line = __builtin_LINE())
{
    host_backend::leave(host_backend::arrive("__syncwarp", mask, 0, line));
}

inline unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE())
{
    return host_backend::meet("__ballot_sync", mask, predicate != 0, line,
                              [](const host_backend::meeting &met) { return met.votes; });
}

inline int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE())
{
    return host_backend::meet("__any_sync", mask, predicate != 0, line,
                              [](const host_backend::meeting &met) { return met.votes != 0; });
}

inline int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE())
{
    return host_backend::meet("__all_sync", mask, predicate != 0, line,
                              [](const host_backend::meeting &met) { return met.votes == met.mask; });
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = host_backend::warp_threads, int line = __builtin_LINE())
{
    const unsigned inside = static_cast<unsigned>(width) - 1;
    return host_backend::shuffle("__shfl_sync", mask, value,
                                 (host_backend::lane_id() & ~inside) | (static_cast<unsigned>(source) & inside), line);
}

template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = host_backend::warp_threads,
                 int line = __builtin_LINE())
{
    const unsigned lane = host_backend::lane_id(), place = lane & (static_cast<unsigned>(width) - 1);
    return host_backend::shuffle("__shfl_up_sync", mask, value, delta <= place ? lane - delta : lane, line);
}

template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = host_backend::warp_threads,
                   int line = __builtin_LINE())
{
    const unsigned lane = host_backend::lane_id(), last = lane | (static_cast<unsigned>(width) - 1);
    return host_backend::shuffle("__shfl_down_sync", mask, value, delta <= last - lane ? lane + delta : lane, line);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = host_backend::warp_threads,
                  int line = __builtin_LINE())
{
    const unsigned lane = host_backend::lane_id(), last = lane | (static_cast<unsigned>(width) - 1);
    const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
    return host_backend::shuffle("__shfl_xor_sync", mask, value, source <= last ? source : lane, line);
}

/* Lanes of the mask whose value is the caller's. */
template <typename T> unsigned __match_any_sync(unsigned mask, T value, int line = __builtin_LINE())
{
    const std::uint64_t mine = host_backend::to_bits(value);
    return host_backend::meet("__match_any_sync", mask, mine, line, [mine](const host_backend::meeting &met) {
        unsigned equal = 0;
        for (unsigned lane = 0; lane < host_backend::warp_threads; lane++)
            if (met.mask >> lane & 1 && met.values[lane] == mine) equal |= 1u << lane;
        return equal;
    });
}

template <typename T> T __reduce_add_sync(unsigned mask, T value, int line = __builtin_LINE())
{
    return host_backend::reduce("__reduce_add_sync", mask, value, line, [](T a, T b) {
        return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
    });
}

template <typename T> T __reduce_min_sync(unsigned mask, T value, int line = __builtin_LINE())
{
    return host_backend::reduce("__reduce_min_sync", mask, value, line, [](T a, T b) { return b < a ? b : a; });
}

template <typename T> T __reduce_max_sync(unsigned mask, T value, int line = __builtin_LINE())
{
    return host_backend::reduce("__reduce_max_sync", mask, value, line, [](T a, T b) { return a < b ? b : a; });
}

/* ---- Atomics: they return the old value. Plain, because one thread runs at a time. ---- */

template <typename T> T atomicExch(T *address, host_backend::same<T> value)
{
    host_backend::require_atomic_integer<T>();
    const T old = *address;
    *address = value;
    return old;
}

inline float atomicAdd(float *address, float value)
{
    const float old = *address;
    *address = old + value;
    return old;
}

/* Wraps around, which an addition of ints must not do in C++. */
template <typename T> T atomicAdd(T *address, host_backend::same<T> value)
{
    using wrapping = std::make_unsigned_t<T>;
    return atomicExch(address, static_cast<T>(static_cast<wrapping>(*address) + static_cast<wrapping>(value)));
}

template <typename T> T atomicMin(T *address, host_backend::same<T> value)
{
    return atomicExch(address, value < *address ? value : *address);
}

template <typename T> T atomicMax(T *address, host_backend::same<T> value)
{
    return atomicExch(address, *address < value ? value : *address);
}

template <typename T> T atomicOr(T *address, host_backend::same<T> value)
{
    return atomicExch(address, *address | value);
}

template <typename T> T atomicAnd(T *address, host_backend::same<T> value)
{
    return atomicExch(address, *address & value);
}

template <typename T> T atomicCAS(T *address, host_backend::same<T> compare, host_backend::same<T> value)
{
    return atomicExch(address, *address == compare ? value : *address);
}

/* ---- Integer arithmetic ---- */

/* Returns the lower word of both, shifted right by the lowest five bits of `shift`. */
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> shift % 32);
}

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}

inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}

/* 1 + the position of the lowest bit that is set; 0 if none is. */
inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}

inline unsigned __brev(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
    return __builtin_bswap32(x);
}

/* Four of the eight bytes of x and y, numbered from the lowest of x on. Byte i of the result is the byte that the
 * i-th hex digit of `selector` names; CUDA uses three bits of the digit. */
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
    unsigned result = 0;
    for (unsigned i = 0; i < 4; i++)
        result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xFF) << 8 * i;
    return result;
}

template <typename A, typename B> constexpr std::common_type_t<A, B> min(A a, B b)
{
    using T = std::common_type_t<A, B>;
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}

template <typename A, typename B> constexpr std::common_type_t<A, B> max(A a, B b)
{
    using T = std::common_type_t<A, B>;
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

/* ---- Floating-point arithmetic; the approximate intrinsics are exact here ---- */

/* Macros, because glibc's math.h declares functions of these names, which it does not define. */
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __powf(x, y) powf(x, y)

inline float __fdividef(float x, float y)
{
    return x / y;
}

inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}

/* Clamped to 0 .. 1; NaN gives 0. */
inline float __saturatef(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

/* Towards 0; NaN gives 0. Numbers that no int holds are not needed. */
inline int __float2int_rz(float x)
{
    return std::isnan(x) ? 0 : static_cast<int>(x);
}

inline int __float_as_int(float x)
{
    return host_backend::from_bits<int>(host_backend::to_bits(x));
}

inline float __int_as_float(int x)
{
    return host_backend::from_bits<float>(host_backend::to_bits(x));
}

template <typename T> T __ldg(const T *address)
{
    return *address;
}

template <typename T> T __ldcg(const T *address)
{
    return *address;
}

} // namespace host_cuda
#endif
