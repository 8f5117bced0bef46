/* What a test may know of the GPU of the tests. */
#ifndef ANTBENCH_TESTS_FAKE_GPU_H
#define ANTBENCH_TESTS_FAKE_GPU_H

extern double fake_gpu_done_s; /* when the queue will be empty (ab_now_s) */

#endif
