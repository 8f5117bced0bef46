/* Vectors of 16 floats, the same bits on every generation of x86-64. */
#ifndef ANTBENCH_LANES_H
#define ANTBENCH_LANES_H

#include <stdint.h>

enum { LANES = 16 }; /* floats per vector: one cache line */

typedef float lanes __attribute__((vector_size(64)));
typedef int32_t lanes_int __attribute__((vector_size(64)));
typedef float lanes8 __attribute__((vector_size(32)));
typedef int32_t lanes_int8 __attribute__((vector_size(32)));
typedef int32_t lanes_int4 __attribute__((vector_size(16)));

/* Inlined, so that it is compiled for the processor that its CPU_MULTIVERSION caller is compiled for. */
#define INLINE static inline __attribute__((always_inline))

/* Inclusive partial sums, always associated in the same way. */
INLINE void prefix_sums(lanes *v)
{
    const lanes zero = {0};
    *v += __builtin_shufflevector(zero, *v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
    *v += __builtin_shufflevector(zero, *v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
    *v += __builtin_shufflevector(zero, *v, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
    *v += __builtin_shufflevector(zero, *v, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
}

/* How many of sixteen are at most x: where partial sums pass it. */
INLINE int count_at_most(const float *v, float x)
{
    const lanes_int8 eight = -(*(const lanes8 *)v <= x) - (*(const lanes8 *)(v + LANES / 2) <= x);
    const lanes_int4 four =
        __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
    const lanes_int4 two = four + __builtin_shufflevector(four, four, 2, 3, 0, 1);
    return two[0] + two[1];
}

#endif
