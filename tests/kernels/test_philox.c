/* Our cuRAND Philox against Random123's published vectors, against the laws of its interface, and against NVIDIA's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/planted/planted.h"
#include "tests/support/philox_stream.h"

static void our_stream(uint64_t seed, uint64_t subsequence, uint64_t offset, const char *calls, uint32_t *bits)
{
    const ab_status status = planted_philox_stream_host(seed, subsequence, offset, calls, bits);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
}

/* From Random123's kat_vectors (Salmon et al. 2011), philox 4x32 10. */
static void known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], output[4];
    } vectors[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint32_t output[4] = {0};
        const ab_status status = planted_philox_block_host(vectors[i].counter, vectors[i].key, output);
        assert_int_equal(status.code, AB_OK);
        assert_memory_equal(output, vectors[i].output, sizeof output);
    }
}

/* The counter is (offset / 4, subsequence) and the key the seed: the third vector again, where an offset can reach it.
 */
static void state_maps_to_counter_and_key(void **state)
{
    (void)state;
    const uint64_t subsequence = 0x0370734413198a2e, seed = 0x299f31d0a4093822, block = 0x05a308d3243f6a88;
    const uint32_t counter[4] = {0x243f6a88, 0x05a308d3, 0x13198a2e, 0x03707344}, key[2] = {0xa4093822, 0x299f31d0};
    uint32_t expected[4], bits[4];
    assert_int_equal(planted_philox_block_host(counter, key, expected).code, AB_OK);
    our_stream(seed, subsequence, block * 4, "iiii", bits);
    assert_memory_equal(bits, expected, sizeof bits);
}

/* An offset skips as many outputs, and every call continues where the last one ended. */
static void offsets_and_mixed_calls(void **state)
{
    (void)state;
    uint32_t whole[40], bits[8];
    our_stream(7, 3, 0, "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii", whole);
    for (uint64_t offset = 0; offset < 32; offset++) {
        our_stream(7, 3, offset, "iiiiiiii", bits);
        assert_memory_equal(bits, whole + offset, sizeof bits);
    }
    uint32_t mixed[11], uniforms[11];
    our_stream(7, 3, 5, "uuuuuuuuuuu", uniforms);
    our_stream(7, 3, 5, "u4uu4", mixed);
    assert_memory_equal(mixed, uniforms, sizeof mixed);
}

/* Uniform numbers lie in (0, 1]. */
static void uniforms_in_range(void **state)
{
    (void)state;
    enum { N = 4096 };
    static char calls[N + 1];
    static uint32_t bits[N];
    memset(calls, 'u', N);
    our_stream(1, 0, 0, calls, bits);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        float u;
        memcpy(&u, &bits[i], sizeof u);
        if (!(u > 0 && u <= 1)) fail_msg("uniform number %d is %g", i, (double)u);
        sum += (double)u;
    }
    const double error = sum / N - 0.5; /* standard deviation 0.0045 */
    if (!(error < 0.018 && error > -0.018)) fail_msg("the mean of %d uniform numbers is off by %g", N, error);
}

static void equals_nvidia(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {0, 1, 42, 0xFFFFFFFF, 0x100000000, 0xDEADBEEFCAFEF00D, UINT64_MAX};
    static const uint64_t subsequences[] = {0, 1, 127, 0xFFFFFFFF, 0x100000000, 0x123456789ABCDEF0, UINT64_MAX};
    static const uint64_t offsets[] = {
        0, 1, 2, 3, 4, 5, 1023, 0x3FFFFFFFC, 0x3FFFFFFFF, 0x123456789ABCDEF1, UINT64_MAX - 63};
    static const char calls[] = "iu4i44uuiuu4iiii4u4iiu4";
    uint32_t ours[64] = {0}, theirs[64] = {0};
    if (!nvidia_philox_stream(0, 0, 0, calls, theirs)) {
        print_message("no CUDA headers: not compared with NVIDIA's cuRAND\n");
        skip();
    }
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++)
        for (size_t q = 0; q < sizeof subsequences / sizeof *subsequences; q++)
            for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
                our_stream(seeds[s], subsequences[q], offsets[o], calls, ours);
                nvidia_philox_stream(seeds[s], subsequences[q], offsets[o], calls, theirs);
                assert_memory_equal(ours, theirs, sizeof ours);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),           cmocka_unit_test(state_maps_to_counter_and_key),
        cmocka_unit_test(offsets_and_mixed_calls), cmocka_unit_test(uniforms_in_range),
        cmocka_unit_test(equals_nvidia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
