/* Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a keyed bijection of 128-bit
 * counters that yields four 32-bit random numbers per counter. Its users are the host backend's cuRAND, CPU
 * implementations that draw the same numbers as their GPU counterparts, and kernels that need one counter and no
 * generator state. */
#ifndef ANTBENCH_PHILOX_H
#define ANTBENCH_PHILOX_H

#include <stdint.h>

#ifdef __CUDACC__
#define PHILOX_BOTH static inline __host__ __device__
#else
#define PHILOX_BOTH static inline
#endif

/* Computes output = philox4x32-10(counter, key). Word 0 of each is the least significant. */
PHILOX_BOTH void philox4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t output[4])
{
    const uint64_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
    const uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85; /* golden ratio and sqrt(3) - 1, in 32 bits */
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t product0 = multiplier0 * c0, product1 = multiplier1 * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)product1;
        c3 = (uint32_t)product0;
        k0 += weyl0;
        k1 += weyl1;
    }
    output[0] = c0;
    output[1] = c1;
    output[2] = c2;
    output[3] = c3;
}

/* Returns the number that curand_uniform returns: in (0, 1], the centre of one of 2^32 equal intervals, rounded to
 * float. */
PHILOX_BOTH float philox_uniform(uint32_t bits)
{
    return (float)bits * 0x1p-32f + 0x1p-33f;
}

#endif
