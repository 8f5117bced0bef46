/* cuRAND's device API for the Philox4x32-10 generator, bit for bit what NVIDIA's curand_kernel.h computes.
 *
 * Philox (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) is a keyed bijection of 128-bit
 * counters: the key is the seed, the counter is (offset / 4, subsequence), and each counter value gives four 32-bit
 * outputs. The host backend has its own so that it works where no CUDA is installed; tests/test_philox.c compares the
 * two.
 */
#ifndef ANTBENCH_HOST_PHILOX_H
#define ANTBENCH_HOST_PHILOX_H

#include <cstdint>

#include "kernels/host/types.h"

namespace host_cuda
{

/* One generator: a position in one of 2^64 streams (subsequences) of one seed. */
struct curandStatePhilox4_32_10_t {
    std::uint64_t block;       /* low half of the counter: how many groups of four outputs lie before this one */
    std::uint64_t subsequence; /* high half of the counter */
    std::uint64_t seed;        /* the key */
    std::uint32_t output[4];   /* the four outputs of this counter */
    unsigned used;             /* how many of them have been handed out, 0 .. 3 */
};

/* output = philox4x32-10(counter, key), word 0 of each being the least significant. */
inline void philox4x32_10(const std::uint32_t counter[4], const std::uint32_t key[2], std::uint32_t output[4])
{
    constexpr std::uint64_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
    constexpr std::uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85; /* golden ratio and sqrt(3) - 1, in 32 bits */
    std::uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        const std::uint64_t product0 = multiplier0 * c0, product1 = multiplier1 * c2;
        c0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ k0;
        c2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ k1;
        c1 = static_cast<std::uint32_t>(product1);
        c3 = static_cast<std::uint32_t>(product0);
        k0 += weyl0;
        k1 += weyl1;
    }
    output[0] = c0;
    output[1] = c1;
    output[2] = c2;
    output[3] = c3;
}

/* Computes the outputs of the state's counter. */
inline void philox_fill(curandStatePhilox4_32_10_t *state)
{
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const std::uint32_t counter[4] = {low(state->block), high(state->block), low(state->subsequence),
                                      high(state->subsequence)};
    const std::uint32_t key[2] = {low(state->seed), high(state->seed)};
    philox4x32_10(counter, key, state->output);
}

inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStatePhilox4_32_10_t *state)
{
    state->block = offset / 4;
    state->subsequence = subsequence;
    state->seed = seed;
    state->used = static_cast<unsigned>(offset % 4);
    philox_fill(state);
}

inline unsigned curand(curandStatePhilox4_32_10_t *state)
{
    const unsigned result = state->output[state->used++];
    if (state->used == 4) {
        state->block++;
        state->used = 0;
        philox_fill(state);
    }
    return result;
}

inline uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    const unsigned x = curand(state), y = curand(state), z = curand(state), w = curand(state);
    return {x, y, z, w};
}

/* (0, 1]: the centres of 2^32 equal intervals, rounded to float. */
inline float philox_uniform(unsigned bits)
{
    return static_cast<float>(bits) * 0x1p-32f + 0x1p-33f;
}

inline float curand_uniform(curandStatePhilox4_32_10_t *state)
{
    return philox_uniform(curand(state));
}

inline float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 bits = curand4(state);
    return {philox_uniform(bits.x), philox_uniform(bits.y), philox_uniform(bits.z), philox_uniform(bits.w)};
}

} // namespace host_cuda
#endif
