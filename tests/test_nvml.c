/* NVML: that measuring goes on without it, and what is made of its answers, which a fake library gives here; and what is
 * said where there is no GPU. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/harness/gpu.h"
#include "bench/harness/nvml.h"
#include "tests/support/fake_nvml.h"

static void nothing_is_known_without_nvml(void **state)
{
    (void)state;
    char text[96] = "?", version[32] = "?";
    const ab_gpu_state gpu = ab_nvml_read(NULL);
    assert_true(isnan(gpu.sm_clock_mhz) && isnan(gpu.memory_clock_mhz) && isnan(gpu.temperature_c));
    assert_true(isnan(gpu.power_w) && isnan(gpu.power_limit_w));
    assert_true(gpu.throttle == 0 && !gpu.throttled);
    ab_nvml_throttle_text(NULL, 0xff, text);
    assert_string_equal(text, "");
    ab_nvml_driver_version(NULL, version);
    assert_string_equal(version, "");
    ab_nvml_close(NULL);
}

/* In a child, so that a driver's own library, where there is one, is not loaded here. */
static void unknown_device_is_null(void **state)
{
    (void)state;
    int how;
    const pid_t child = fork();
    if (child == 0) _exit(ab_nvml_open("ffff:ff:1f.0") == NULL ? 0 : 1);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static ab_nvml *open_fake(void)
{
    ab_nvml *nvml = ab_nvml_open("0000:65:00.0");
    assert_non_null(nvml);
    return nvml;
}

static void answers_are_converted(void **state)
{
    (void)state;
    assert_null(ab_nvml_open("0000:66:00.0"));
    ab_nvml *nvml = open_fake();
    setenv("FAKE_SM_MHZ", "1980", 1);
    setenv("FAKE_MEMORY_MHZ", "2619", 1);
    setenv("FAKE_CELSIUS", "41", 1);
    setenv("FAKE_MILLIWATT", "123456", 1);
    const ab_gpu_state gpu = ab_nvml_read(nvml);
    assert_true(gpu.sm_clock_mhz == 1980 && gpu.memory_clock_mhz == 2619 && gpu.temperature_c == 41);
    assert_true(gpu.power_w == 123.456);
    assert_true(isnan(gpu.power_limit_w)); /* the fake was not told, and says "not supported" */
    assert_true(gpu.throttle == 0 && !gpu.throttled);
    char version[32];
    ab_nvml_driver_version(nvml, version);
    assert_string_equal(version, "580.65.06");
    ab_nvml_close(nvml);
}

static void only_some_reasons_discard_a_sample(void **state)
{
    (void)state;
    static const struct {
        const char *mask, *text;
        bool throttled;
    } cases[] = {
        {"0", "none", false},
        {"0x1", "idle", false},
        {"0x4", "power-cap", false},
        {"0x8", "hw-slowdown", true},
        {"0x20", "sw-thermal", true},
        {"0x44", "power-cap|hw-thermal", true},
        {"0x80", "power-brake", true},
        {"0x100", "display", false},
        {"0x1001", "idle|0x1000", false},
        {"0x1ff", "idle|app-clocks|power-cap|hw-slowdown|sync-boost|sw-thermal|hw-thermal|power-brake|display", true}};
    ab_nvml *nvml = open_fake();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[96];
        setenv("FAKE_THROTTLE", cases[i].mask, 1);
        const ab_gpu_state gpu = ab_nvml_read(nvml);
        assert_int_equal(gpu.throttled, cases[i].throttled);
        ab_nvml_throttle_text(nvml, gpu.throttle, text);
        assert_string_equal(text, cases[i].text);
    }
    ab_nvml_close(nvml);
}

static void expect_refusal(ab_status status, const char *reason)
{
    assert_int_equal(status.code, AB_UNSUPPORTED);
    assert_string_equal(status.reason, reason);
}

static void a_clock_is_locked_where_permitted(void **state)
{
    (void)state;
    char path[] = "/tmp/antbench-clock-XXXXXX", text[128] = "";
    ab_nvml *nvml = open_fake();
    unsetenv("FAKE_CLOCK");
    expect_refusal(ab_nvml_lock_clock(nvml, 1410), "NVML says: Insufficient Permissions");
    expect_refusal(ab_nvml_free_clock(nvml), "NVML says: Insufficient Permissions");
    expect_refusal(ab_nvml_lock_clock(NULL, 1410), "no NVML here that can");
    expect_refusal(ab_nvml_free_clock(NULL), "no NVML here that can");
    const int fd = mkstemp(path);
    setenv("FAKE_CLOCK", path, 1);
    assert_int_equal(ab_nvml_lock_clock(nvml, 1410).code, AB_OK);
    assert_int_equal(ab_nvml_lock_clock(nvml, AB_BASE_CLOCK).code, AB_OK);
    assert_int_equal(ab_nvml_free_clock(nvml).code, AB_OK);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    assert_string_equal(text, "locked 1410 1410\nlocked 4294901761 4294901761\nfree\n"); /* NVML_CLOCK_LIMIT_ID_TDP */
    close(fd);
    unlink(path);
    ab_nvml_close(nvml);
}

static void why_there_is_no_gpu_is_told_apart(void **state)
{
    (void)state;
    const char *const insufficient = "CUDA driver version is insufficient for CUDA runtime version";
    expect_refusal(gpu_missing(0, 13000, insufficient), "no NVIDIA driver here");
    assert_null(strstr(gpu_missing(0, 13000, insufficient).reason, "insufficient"));
    expect_refusal(
        gpu_missing(12020, 13000, insufficient),
        "the NVIDIA driver is for CUDA 12.2, this program for CUDA 13: install a newer driver, or build with an older "
        "toolkit");
    expect_refusal(gpu_missing(13000, 13010, "no CUDA-capable device is detected"),
                   "no GPU that CUDA can use here (no CUDA-capable device is detected)");
    expect_refusal(gpu_missing(13010, 13000, ""), "no GPU that CUDA can use here (none found)");
    assert_int_equal(gpu_missing(0, 13000, "").code, AB_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_without_nvml),
        cmocka_unit_test(unknown_device_is_null),
        cmocka_unit_test_setup(answers_are_converted, load_fake_nvml),
        cmocka_unit_test(only_some_reasons_discard_a_sample),
        cmocka_unit_test(a_clock_is_locked_where_permitted),
        cmocka_unit_test(why_there_is_no_gpu_is_told_apart),
    };
    return cmocka_run_group_tests_name("nvml", tests, NULL, NULL);
}
