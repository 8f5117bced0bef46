/* Random numbers that are the same on every machine. */
#ifndef ANTBENCH_RANDOM_H
#define ANTBENCH_RANDOM_H

#include <stdint.h>

/* What SplitMix64 adds to its state for each number. */
#define SPLITMIX64_STEP UINT64_C(0x9e3779b97f4a7c15)

/* SplitMix64 (Steele, Lea & Flood, 2014): the next of the sequence of well-mixed numbers that starts at *state. */
static inline uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += SPLITMIX64_STEP;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Leaves out the next `count` numbers. */
static inline void splitmix64_skip(uint64_t *state, uint64_t count)
{
    *state += count * SPLITMIX64_STEP;
}

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double random_unit(uint64_t *state)
{
    return (double)(splitmix64(state) >> 11) * 0x1p-53;
}

/* Uniform in [lo, hi). */
static inline double random_between(uint64_t *state, double lo, double hi)
{
    return lo + (hi - lo) * random_unit(state);
}

/* Uniform in 0 .. limit-1. */
static inline int random_below(uint64_t *state, int limit)
{
    return (int)((splitmix64(state) >> 32) * (uint64_t)limit >> 32);
}

#endif
