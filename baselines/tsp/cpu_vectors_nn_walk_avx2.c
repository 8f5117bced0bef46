/* cpu_vectors_nn_walk.c once more, for processors with BMI2. If the compiler cannot do that, it is the same code
 * under another name, which is never called: clang has no such pragma, other architectures no such vectors. */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v3")
#endif
#define cpu_vectors_nn_walk cpu_vectors_nn_walk_avx2
#include "baselines/tsp/cpu_vectors_nn_walk.c"
