/* Small kernels that only the tests of the host backend run: faulty ones, racing ones and correct ones.
 *
 * A launcher returns the status of its launch. Arrays are host memory, which is also the host backend's device memory.
 */
#ifndef ANTBENCH_PLANTED_H
#define ANTBENCH_PLANTED_H

#include <stdint.h>

#include "kernels/implementation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* faults.cu: each kernel breaks one rule, and is named for it. */
ab_status planted_divergent_barrier_host(void);
ab_status planted_different_barriers_host(void);
ab_status planted_exit_before_barrier_host(void);
ab_status planted_exit_before_cluster_host(void);
ab_status planted_block_of_no_cluster_host(void);
ab_status planted_too_many_together_host(void);
ab_status planted_lane_exited_host(void);
ab_status planted_lane_elsewhere_host(void);
ab_status planted_mask_without_self_host(void);
ab_status planted_different_masks_host(void);
ab_status planted_different_intrinsics_host(void);
ab_status planted_absent_lane_host(void);
ab_status planted_index_too_large_host(void);
ab_status planted_index_negative_host(void);
ab_status planted_stopped_by_report_host(int *reached); /* adds 1 per thread that goes on past the report */
int planted_index_negative_line_host(void);             /* the line of the faulty expression */
ab_status planted_dynamic_too_small_host(void);
ab_status planted_dynamic_misaligned_host(void);
ab_status planted_static_too_large_host(void);
ab_status planted_shared_too_large_host(void);
ab_status planted_dynamic_not_allowed_host(void);
ab_status planted_no_blocks_host(void);
ab_status planted_too_many_threads_host(void);

/* races.cu: right in ascending order, because something that should wait does not have to. */
enum { RACE_BLOCKS = 4, RACE_THREADS = 128 };
ab_status planted_missing_syncthreads_host(int out[RACE_BLOCKS * RACE_THREADS]); /* should be 0 1 2 ... in each block */
ab_status planted_missing_barrier_after_warps_host(int out[RACE_BLOCKS * RACE_THREADS]); /* should be 6, then 0 */
ab_status planted_missing_syncwarp_host(int out[RACE_BLOCKS * RACE_THREADS]); /* should be the warp's number */
ab_status planted_race_between_blocks_host(int out[RACE_BLOCKS]);             /* should be 1 2 3 ... */
ab_status planted_unset_shared_host(float out[RACE_BLOCKS]);                  /* uninitialised shared memory */
ab_status planted_unset_device_memory_host(float *out);                       /* uninitialised device memory */

/* correct.cu */
ab_status planted_block_sum_host(const int *x, int n, int *sums);    /* sums[ceil(n / 256)], of 256 elements each */
ab_status planted_warp_scan_host(const int *x, int n, int *scans);   /* inclusive, per 32 elements; n of 32 */
ab_status planted_hand_around_host(int blocks, int turns, int *out); /* [blocks][48], see the test */
ab_status planted_meet_twice_host(int blocks, int *out);             /* [blocks][40], likewise */
ab_status planted_rotate_host(int turns, int out[32]);               /* out[lane] = (lane + turns) % 32 */
ab_status planted_warp_halves_host(int out[32]);                     /* half warps meet apart, then together */
ab_status planted_shuffles_host(double out[7][32]);                  /* one row a shuffle of lane + 0.5, see the test */
ab_status planted_votes_host(unsigned out[8]);                       /* see the test */
ab_status planted_block_votes_host(int out[3]);                      /* count, or, and of thread % 3 == 0 among 96 */
ab_status planted_reductions_host(int out[6]);                       /* see the test */
ab_status planted_halves_host(const float in[6], unsigned out[10]);  /* likewise */
ab_status planted_all_halves_host(int *changed);                     /* how many a float does not bring back */
ab_status planted_atomics_host(int ints[5], unsigned long long *least, float *sum); /* see the test */
ab_status planted_transpose_host(const int *in, int width, int height, int *out); /* multi-dimensional, both sharings */
ab_status planted_large_shared_host(int count, int *sum); /* sum of 0 .. count-1, which lie in shared memory */
ab_status planted_arithmetic_host(const float *in, float floats[8], int ints[10]); /* see the test */

/* philox_streams.cu: philox4x32-10 of (counter, key); and what cuRAND's calls give, see philox_stream.h. */
ab_status planted_philox_block_host(const uint32_t counter[4], const uint32_t key[2], uint32_t output[4]);
ab_status planted_philox_stream_host(uint64_t seed, uint64_t subsequence, uint64_t offset, const char *calls,
                                     uint32_t *bits);

#ifdef __cplusplus
}
#endif
#endif
