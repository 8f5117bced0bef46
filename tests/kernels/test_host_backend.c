/* The host backend: planted faults are reported, correct kernels compute what they should in every order, and races
 * show. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/host/host_backend.h"
#include "tests/planted/planted.h"
#include "tests/failing_new/failing_new.h"

enum { ORDERS = 7 };

static void assert_ok(ab_status status)
{
    if (status.code != AB_OK) fail_msg("%s", status.reason);
}

/* ---- Faults ---- */

typedef struct fault {
    const char *name;          /* the kernel's */
    ab_status (*launch)(void); /* its launcher */
    const char *report;        /* in ascending order, up to the line */
} fault;

static const fault faults[] = {
    {"divergent_barrier", planted_divergent_barrier_host,
     "block 1, thread 0: waits in __syncthreads for thread 32, which waits in __syncthreads in line "},
    {"different_barriers", planted_different_barriers_host,
     "block 0, thread 0: waits in __syncthreads for thread 7, which waits in __syncthreads_or in line "},
    {"exit_before_barrier", planted_exit_before_barrier_host,
     "block 2, thread 0: waits in __syncthreads for thread 5, which has exited (line "},
    {"exit_before_cluster", planted_exit_before_cluster_host,
     "block 0, thread 0: waits in meet_cluster for thread 5 of block 1, which has exited (line "},
    {"block_of_no_cluster", planted_block_of_no_cluster_host,
     "block 1, thread 0: block 2 of 2 that run together (line "},
    {"nothing", planted_too_many_together_host, "launch of 4 blocks together: the device has room for 3"},
    {"lane_exited", planted_lane_exited_host,
     "block 0, thread 32: waits in __shfl_down_sync with mask 0xffffffff for thread 63, which has exited (line "},
    {"lane_elsewhere", planted_lane_elsewhere_host,
     "block (0,0,0), thread (0,0,0): waits in __syncwarp with mask 0xffffffff for thread (0,2,0), which waits in "
     "__syncthreads in line "},
    {"mask_without_self", planted_mask_without_self_host,
     "block 0, thread 3: __ballot_sync: mask 0x00000007 does not name lane 3, which calls it (line "},
    {"different_masks", planted_different_masks_host,
     "block 0, thread 0: waits in __any_sync with mask 0xffffffff for thread 1, which has exited (line "},
    {"different_intrinsics", planted_different_intrinsics_host,
     "block 0, thread 0: waits in __any_sync with mask 0xffffffff for thread 16, which waits in __all_sync with mask "
     "0xffffffff in line "},
    {"absent_lane", planted_absent_lane_host,
     "block 0, thread 32: __syncwarp: mask 0xffffffff names lane 8, and the warp has lanes 0..7 (line "},
    {"index_too_large", planted_index_too_large_host,
     "block 3, thread 16: shared array tabu[80] out of range 0..79 (line "},
    {"index_negative", planted_index_negative_host,
     "block 0, thread 0: shared array row[-1] out of range 0..63 (line "},
    {"dynamic_too_small", planted_dynamic_too_small_host,
     "block 0, thread 0: shared array row: bytes 128..383 are outside the 256 of dynamic shared memory (line "},
    {"dynamic_misaligned", planted_dynamic_misaligned_host,
     "block 0, thread 0: shared array row: offset 6 is not a multiple of 4 (line "},
    {"static_too_large", planted_static_too_large_host,
     "block 0, thread 0: shared array large: 49168 bytes of static and 0 of dynamic shared memory are more than a "
     "block "
     "may have (line "},
    {"shared_too_large", planted_shared_too_large_host,
     "block 0, thread 0: shared array tile: 4096 bytes of static and 47104 of dynamic shared memory are more than a "
     "block may have (line "},
    {"dynamic_not_allowed", planted_dynamic_not_allowed_host,
     "launch with 49153 bytes of dynamic shared memory: at most 49152 are allowed (cudaFuncSetAttribute)"},
    {"nothing", planted_no_blocks_host, "launch of 0 blocks: needs 1 to 2147483647 in x, 65535 in y and z"},
    {"nothing", planted_too_many_threads_host,
     "launch of blocks of (32,33,1) threads: needs 1 to 1024, at most 64 in z"},
};

static ab_status launch_faulty(const fault *f)
{
    const ab_status status = f->launch();
    if (status.code != AB_FAILED) fail_msg("%s was not reported", f->name);
    return status;
}

static void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) fail_msg("\"%s\" should contain \"%s\"", text, part);
}

static void expect_block_sums(void);

/* Every report names kernel, block and thread, and says what is wrong there; the next launch works again. */
static void faults_are_reported(void **state)
{
    (void)state;
    host_backend_set_order(0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char expected[400];
        const char *separator = strncmp(faults[i].report, "block", 5) == 0 && faults[i].report[5] == ' ' ? "," : ":";
        snprintf(expected, sizeof expected, "host backend: %s%s %s", faults[i].name, separator, faults[i].report);
        assert_contains(launch_faulty(&faults[i]).reason, expected);
        expect_block_sums();
    }
}

/* In another order another thread may be the first to find out, but somebody always does. */
static void faults_are_reported_in_every_order(void **state)
{
    (void)state;
    for (uint64_t order = 1; order < ORDERS; order++) {
        host_backend_set_order(order);
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
            assert_contains(launch_faulty(&faults[i]).reason, faults[i].name);
    }
}

/* The report's line is the line of the faulty expression. */
static void reports_name_the_line(void **state)
{
    (void)state;
    host_backend_set_order(0);
    char line[32];
    snprintf(line, sizeof line, "(line %d)", planted_index_negative_line_host());
    assert_contains(planted_index_negative_host().reason, line);
}

/* No thread runs on after a report. */
static void reports_stop_the_launch(void **state)
{
    (void)state;
    int reached = 0;
    assert_int_equal(planted_stopped_by_report_host(&reached).code, AB_FAILED);
    assert_int_equal(reached, 0);
}

/* ---- Races ---- */

typedef struct race {
    const char *name;
    ab_status (*launch)(int *out);
    int n; /* values in out */
} race;

static const race races[] = {
    {"missing __syncthreads", planted_missing_syncthreads_host, RACE_BLOCKS *RACE_THREADS},
    {"missing __syncthreads that fair rounds hide", planted_missing_barrier_after_warps_host,
     RACE_BLOCKS *RACE_THREADS},
    {"missing __syncwarp", planted_missing_syncwarp_host, RACE_BLOCKS *RACE_THREADS},
    {"blocks that depend on one another", planted_race_between_blocks_host, RACE_BLOCKS},
};

static void run_race(const race *r, uint64_t order, int out[RACE_BLOCKS * RACE_THREADS])
{
    memset(out, 0xFF, RACE_BLOCKS * RACE_THREADS * sizeof *out);
    host_backend_set_order(order);
    assert_ok(r->launch(out));
}

/* What a race computes depends on the order, and on nothing else. */
static void races_show_in_some_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof races / sizeof *races; i++) {
        int ascending[RACE_BLOCKS * RACE_THREADS], out[RACE_BLOCKS * RACE_THREADS], again[RACE_BLOCKS * RACE_THREADS];
        int different = 0;
        run_race(&races[i], 0, ascending);
        for (uint64_t order = 1; order < ORDERS; order++) {
            run_race(&races[i], order, out);
            run_race(&races[i], order, again);
            assert_memory_equal(out, again, sizeof out);
            different += memcmp(out, ascending, sizeof out) != 0;
        }
        if (different < ORDERS / 2) fail_msg("%s shows in %d of %d orders", races[i].name, different, ORDERS - 1);
    }
}

/* Where memory runs out, whichever allocation it is, the launch says so, and the next one works again. */
static void lack_of_memory_is_a_status(void **state)
{
    (void)state;
    int x[600], sums[3], failed = 0;
    for (int i = 0; i < 600; i++) x[i] = i;
    for (uint64_t order = 0; order < 3; order++) {
        host_backend_set_order(order);
        for (int kept = 0, reached = 1; reached; kept++) {
            fail_new_after(kept);
            const ab_status status = planted_block_sum_host(x, 600, sums);
            reached = fail_new_after(-1);
            if (reached && status.code == AB_OK) continue; /* what failed was not needed */
            assert_int_equal(status.code, reached ? AB_FAILED : AB_OK);
            if (reached) assert_contains(status.reason, "block_sum: out of memory");
            failed += reached;
            expect_block_sums();
        }
    }
    assert_true(failed > 5);
}

static void unset_memory_is_nan(void **state)
{
    (void)state;
    float shared[RACE_BLOCKS] = {0}, device = 0;
    assert_ok(planted_unset_shared_host(shared));
    for (int block = 0; block < RACE_BLOCKS; block++) assert_true(isnan(shared[block]));
    assert_ok(planted_unset_device_memory_host(&device));
    assert_true(isnan(device));
}

/* ---- Correct kernels ---- */

/* Runs the check in all orders. */
static void in_every_order(void (*check)(void))
{
    for (uint64_t order = 0; order < ORDERS; order++) {
        host_backend_set_order(order);
        check();
    }
}

static void expect_block_sums(void)
{
    enum { N = 1000 };
    int x[N], sums[4], expected[4] = {0};
    for (int i = 0; i < N; i++) {
        x[i] = i * i % 91;
        expected[i / 256] += x[i];
    }
    assert_ok(planted_block_sum_host(x, N, sums));
    assert_memory_equal(sums, expected, sizeof sums);
}

static void expect_hands_around(void)
{
    enum { TURNS = 5 };
    int out[3 * 48];
    for (int blocks = 1; blocks <= 3; blocks++) {
        assert_ok(planted_hand_around_host(blocks, TURNS, out));
        for (int block = 0; block < blocks; block++)
            for (int i = 0; i < 48; i++)
                assert_int_equal(out[block * 48 + i],
                                 (block + blocks * TURNS - TURNS) % blocks * 100 + i + 1000 * TURNS);
    }
}

/* All threads add the numbers of blocks, and then what that makes. */
static void expect_meetings(void)
{
    int out[3 * 40];
    for (int blocks = 1; blocks <= 3; blocks++) {
        const int sum = 40 * (blocks * (blocks + 1) / 2);
        assert_ok(planted_meet_twice_host(blocks, out));
        for (int i = 0; i < blocks * 40; i++) assert_int_equal(out[i], 40 * blocks * sum);
    }
}

static void expect_warp_scans(void)
{
    int x[96], scans[96], expected[96];
    for (int i = 0; i < 96; i++) {
        x[i] = i * 7 % 13;
        expected[i] = x[i] + (i % 32 == 0 ? 0 : expected[i - 1]);
    }
    assert_ok(planted_warp_scan_host(x, 96, scans));
    assert_memory_equal(scans, expected, sizeof scans);
}

static void expect_rotation(void)
{
    int out[32];
    assert_ok(planted_rotate_host(101, out));
    for (int lane = 0; lane < 32; lane++) assert_int_equal(out[lane], (lane + 101) % 32);
}

/* The lower half adds 0 .. 15 once. The upper half adds 16 .. 31, and then 16 times that. */
static void expect_warp_halves(void)
{
    int out[32];
    const int lower = 15 * 16 / 2, upper = 16 * (lower + 16 * 16);
    assert_ok(planted_warp_halves_host(out));
    for (int lane = 0; lane < 32; lane++) assert_int_equal(out[lane], lane < 16 ? upper + 8 : lower);
}

static void expect_shuffles(void)
{
    double out[7][32];
    assert_ok(planted_shuffles_host(out));
    for (int lane = 0; lane < 32; lane++) {
        const int segment = lane / 8 * 8;
        const double expected[6] = {
            7.5,
            segment + (lane + 3) % 8 + 0.5,
            (lane < 5 ? lane : lane - 5) + 0.5,
            (lane % 16 > 10 ? lane : lane + 5) + 0.5,
            (lane ^ 9) + 0.5,
            -1.0 - ((lane ^ 9) > lane / 8 * 8 + 7 ? lane : lane ^ 9),
        };
        for (int row = 0; row < 6; row++)
            if (!(out[row][lane] == expected[row]))
                fail_msg("shuffle %d, lane %d: %g instead of %g", row, lane, out[row][lane], expected[row]);
        if (lane < 4) assert_true(out[6][lane] == lane + 4.5);
        if (lane >= 4 && lane < 8) assert_true(isnan(out[6][lane]));
    }
}

static void expect_votes(void)
{
    unsigned out[8];
    const unsigned expected[8] = {0x49249249, 0x22222222, 1, 0, 1, 0, 0x0000FFFF, 1};
    assert_ok(planted_votes_host(out));
    assert_memory_equal(out, expected, sizeof out);
}

static void expect_block_votes(void)
{
    int out[3];
    const int expected[3] = {32, 1, 0};
    assert_ok(planted_block_votes_host(out));
    assert_memory_equal(out, expected, sizeof out);
}

/* Of -10 .. 21, first as int, then as unsigned. */
static void expect_reductions(void)
{
    int out[6];
    const int expected[6] = {176, -10, 21, 176, 0, -1};
    assert_ok(planted_reductions_host(out));
    assert_memory_equal(out, expected, sizeof out);
}

/* 320 threads i = 0 .. 319; ints[4] is 17 until thread 17 comes, which makes it 18 and then -1. */
static void expect_atomics(void)
{
    int ints[5] = {0, 100, 0, -1, 17};
    unsigned long long least = UINT64_MAX;
    float sum = 0;
    const int expected[5] = {319 * 320 / 2, 319, 0xFFFF, ~0xFF, -1};
    assert_ok(planted_atomics_host(ints, &least, &sum));
    assert_memory_equal(ints, expected, sizeof ints);
    assert_int_equal(least, (1ull << 40) + 1000 - 319);
    assert_true(sum == 160.0f);
}

static void expect_transpose(void)
{
    enum { WIDTH = 37, HEIGHT = 21 };
    int in[HEIGHT * WIDTH], out[WIDTH * HEIGHT];
    for (int i = 0; i < HEIGHT * WIDTH; i++) in[i] = i;
    assert_ok(planted_transpose_host(in, WIDTH, HEIGHT, out));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) assert_int_equal(out[x * HEIGHT + y], 2 * in[y * WIDTH + x]);
}

/* All the shared memory that an H100 gives, and not a byte more. */
static void expect_large_shared(void)
{
    const int count = 227 * 1024 / 4;
    int sum = 0;
    assert_ok(planted_large_shared_host(20000, &sum));
    assert_int_equal(sum, 19999 * 10000);
    assert_ok(planted_large_shared_host(count, &sum));
    assert_contains(planted_large_shared_host(count + 1, &sum).reason, "invalid argument");
}

static void expect_arithmetic(void)
{
    const float in = 0.75f;
    float floats[8];
    int ints[10];
    const float expected_floats[8] = {2.7182817f, 1.4142135f, 0.25f, 0.25f, 1.0f, 0.0f, 0.0f, 0.75f};
    const int expected_ints[10] = {8, 8, 4, 41, 3231, 0x0A000000, 0x3F800000, -295, 1, 1};
    assert_ok(planted_arithmetic_host(&in, floats, ints));
    for (int i = 0; i < 8; i++) assert_true(fabsf(floats[i] - expected_floats[i]) < 1e-6f);
    assert_memory_equal(ints, expected_ints, sizeof ints);
}

/* Pairs (1, 2049), (-3, 0.1) and (0.5, 1e-7): 2049 is a tie and goes to the even 2048; 2048 * 0.09997558594 is 204.75, which is
 * a half, as the sum with what is left of 1e-7 is not; 1e-7 is 2 units of the smallest. */
static void expect_halves(void)
{
    const float in[6] = {1.0f, 2049.0f, -3.0f, 0.1f, 0.5f, 1e-7f};
    const unsigned expected[10] = {0x68003C00, 0x2E66C200, 0x00023800, 0x6800C000, 0x68004400,
                                   0x5A66C100, 0x68003C00, 0xAE66C200, 0xFFFFFFFF, 0x83058302};
    unsigned out[10];
    int changed = 0;
    assert_ok(planted_halves_host(in, out));
    assert_memory_equal(out, expected, sizeof out);
    assert_ok(planted_all_halves_host(&changed));
    assert_int_equal(changed, 0);
}

static void correct_kernels_in_every_order(void **state)
{
    (void)state;
    void (*const checks[])(void) = {expect_block_sums, expect_warp_scans,   expect_rotation,     expect_warp_halves,
                                    expect_shuffles,   expect_votes,        expect_block_votes,  expect_reductions,
                                    expect_atomics,    expect_transpose,    expect_large_shared, expect_arithmetic,
                                    expect_halves,     expect_hands_around, expect_meetings};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) in_every_order(checks[i]);
}

/* For launches of blocks that run together. */
static int take_device(void **state)
{
    (void)state;
    return host_backend_set_device("together=3").code != AB_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_reported),        cmocka_unit_test(faults_are_reported_in_every_order),
        cmocka_unit_test(reports_name_the_line),      cmocka_unit_test(reports_stop_the_launch),
        cmocka_unit_test(races_show_in_some_order),   cmocka_unit_test(unset_memory_is_nan),
        cmocka_unit_test(lack_of_memory_is_a_status), cmocka_unit_test(correct_kernels_in_every_order),
    };
    return cmocka_run_group_tests(tests, take_device, NULL);
}
