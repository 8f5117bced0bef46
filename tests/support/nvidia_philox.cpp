/* NVIDIA's own implementation of Philox, compiled for the CPU, to compare ours with; nothing where CUDA is not
 * installed. */
#if __has_include(<curand_kernel.h>)
#include <cuda_runtime.h>
#define QUALIFIERS static inline
#include <curand_kernel.h>
#define HAVE_CURAND 1
#else
#define HAVE_CURAND 0
#endif

#include "tests/support/philox_stream.h"

#if HAVE_CURAND
bool nvidia_philox_stream(uint64_t seed, uint64_t subsequence, uint64_t offset, const char *calls, uint32_t *bits)
{
    philox_stream<curandStatePhilox4_32_10_t>(seed, subsequence, offset, calls, bits);
    return true;
}
#else
bool nvidia_philox_stream(uint64_t, uint64_t, uint64_t, const char *, uint32_t *)
{
    return false;
}
#endif
