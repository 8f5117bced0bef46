/* What a series of cuRAND calls gives, by our Philox and by NVIDIA's. */
#ifndef ANTBENCH_PHILOX_STREAM_H
#define ANTBENCH_PHILOX_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* NVIDIA's, for the CPU. bits as philox_stream below. False where there are no CUDA headers; bits are then not written.
 */
#ifdef __cplusplus
extern "C"
#endif
    bool
    nvidia_philox_stream(uint64_t seed, uint64_t subsequence, uint64_t offset, const char *calls, uint32_t *bits);

#ifdef __cplusplus
/* After curand_init, makes one call for each character of `calls` and stores its bits: 'i' curand, 'u' curand_uniform,
 * '4' curand_uniform4 (four words). State says whose. */
template <typename State>
void philox_stream(uint64_t seed, uint64_t subsequence, uint64_t offset, const char *calls, uint32_t *bits)
{
    State state;
    curand_init(seed, subsequence, offset, &state);
    for (; *calls != '\0'; calls++) {
        if (*calls == 'i') {
            *bits++ = curand(&state);
        } else if (*calls == 'u') {
            const float u = curand_uniform(&state);
            memcpy(bits++, &u, sizeof u);
        } else {
            const auto u = curand_uniform4(&state);
            memcpy(bits, &u, sizeof u);
            bits += 4;
        }
    }
}
#endif

#endif
