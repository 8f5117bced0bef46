/* cuRAND's device API for the Philox4x32-10 generator, bit for bit what NVIDIA's curand_kernel.h computes.
 *
 * The key of Philox (kernels/philox.h) is the seed, the counter is (offset / 4, subsequence), and each counter value
 * gives four 32-bit outputs. The host backend has its own so that it works where no CUDA is installed;
 * tests/kernels/test_philox.c compares the two.
 */
#ifndef ANTBENCH_HOST_PHILOX_H
#define ANTBENCH_HOST_PHILOX_H

#include <cstdint>

#include "kernels/host/host_backend.h"
#include "kernels/host/types.h"
#include "kernels/philox.h"

namespace host_backend
{

inline host_backend_draw *draws_heard_by; /* hears every draw; NULL: no listener */

inline void tell_draw(std::uint64_t seed, std::uint64_t subsequence, std::uint64_t offset)
{
    if (draws_heard_by) draws_heard_by(seed, subsequence, offset);
}

} // namespace host_backend

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
    host_backend::tell_draw(state->seed, state->subsequence, 4 * state->block + state->used);
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

inline float curand_uniform(curandStatePhilox4_32_10_t *state)
{
    return philox_uniform(curand(state));
}

inline float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    const uint4 bits = curand4(state);
    return {philox_uniform(bits.x), philox_uniform(bits.y), philox_uniform(bits.z), philox_uniform(bits.w)};
}

/* Philox of a counter, for kernels that keep no generator's state. */
inline void philox_numbers(const std::uint32_t counter[4], const std::uint32_t key[2], std::uint32_t output[4])
{
    const auto wide = [](std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; };
    for (unsigned i = 0; i < 4; i++)
        host_backend::tell_draw(wide(key[0], key[1]), wide(counter[2], counter[3]),
                                4 * wide(counter[0], counter[1]) + i);
    philox4x32_10(counter, key, output);
}

} // namespace host_cuda
#endif
