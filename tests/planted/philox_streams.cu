/* Our Philox, called as kernels call it. */
#include "kernels/cuda/cuda_port.h"
#include "tests/planted/planted.h"
#include "tests/support/philox_stream.h"

static __global__ void philox_block(const uint32_t *counter, const uint32_t *key, uint32_t *output)
{
    philox4x32_10(counter, key, output);
}

extern "C" ab_status AB_GPU(planted_philox_block)(const uint32_t counter[4], const uint32_t key[2], uint32_t output[4])
{
    LAUNCH(philox_block, 1, 1, 0)(counter, key, output);
    return AB_LAUNCHED("philox_block");
}

static __global__ void stream(uint64_t seed, uint64_t subsequence, uint64_t offset, const char *calls, uint32_t *bits)
{
    philox_stream<curandStatePhilox4_32_10_t>(seed, subsequence, offset, calls, bits);
}

extern "C" ab_status AB_GPU(planted_philox_stream)(uint64_t seed, uint64_t subsequence, uint64_t offset,
                                                   const char *calls, uint32_t *bits)
{
    LAUNCH(stream, 1, 1, 0)(seed, subsequence, offset, calls, bits);
    return AB_LAUNCHED("stream");
}
