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
#include <jansson.h>

#include "bench/clock/gpu.h"
#include "bench/clock/nvml.h"
#include "bench/clock/state.h"
#include "tests/support/fake_nvml.h"

/* Of the UUID below, as sha256sum has it; scripts/antbench/data/machines.py makes the same
 * (tests/scripts/data/test_machines.py). */
#define GPU_FINGERPRINT "8d4c0a16ccb48ee510f34424ecafea606429406313c953cb35f9d45bd739ca96"

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

static void a_host_is_known_by_the_first_of_its_gpus_whichever_is_asked(void **state)
{
    (void)state;
    char first[AB_UUID];
    ab_nvml *nvml = open_fake();
    ab_nvml_first_uuid(NULL, "GPU-c", first);
    assert_string_equal(first, "GPU-c");
    ab_nvml_first_uuid(nvml, "GPU-c", first); /* the fake was not told */
    assert_string_equal(first, "GPU-c");
    setenv("FAKE_UUIDS", "GPU-c GPU-a GPU-b", 1);
    for (const char *asked = "GPU-a\0GPU-b\0GPU-c\0"; *asked; asked += strlen(asked) + 1) {
        ab_nvml_first_uuid(nvml, asked, first);
        assert_string_equal(first, "GPU-a");
    }
    ab_nvml *host = ab_nvml_open(NULL); /* for a run without a GPU */
    assert_non_null(host);
    ab_nvml_first_uuid(host, "", first);
    assert_string_equal(first, "GPU-a");
    ab_nvml_close(host);
    setenv("FAKE_UUIDS", "GPU-c", 1);
    ab_nvml_first_uuid(nvml, "GPU-c", first);
    assert_string_equal(first, "GPU-c");
    unsetenv("FAKE_UUIDS");
    ab_nvml_close(nvml);
}

static void power_is_of_this_moment_where_the_driver_tells_it(void **state)
{
    (void)state;
    ab_nvml *nvml = open_fake();
    setenv("FAKE_MILLIWATT", "123456", 1); /* over the last second */
    setenv("FAKE_MILLIWATT_NOW", "654321", 1);
    assert_true(ab_nvml_read(nvml).power_w == 654.321);
    unsetenv("FAKE_MILLIWATT_NOW");
    assert_true(ab_nvml_read(nvml).power_w == 123.456);
    ab_nvml_close(nvml);
}

static void other_processes_are_all_but_this_one(void **state)
{
    (void)state;
    static const struct {
        const char *seen;
        int others;
    } cases[] = {{"1", 0}, {"3", 2}, {"64", 63}, {"70", 69}, {"0", -1}};
    ab_nvml *nvml = open_fake();
    unsetenv("FAKE_PROCESSES");
    assert_int_equal(ab_nvml_other_processes(nvml), -1);
    assert_int_equal(ab_nvml_other_processes(NULL), -1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("FAKE_PROCESSES", cases[i].seen, 1);
        assert_int_equal(ab_nvml_other_processes(nvml), cases[i].others);
    }
    ab_nvml_close(nvml);
}

/* Once for all rows, before they are measured. */
static void what_speaks_against_a_gpus_times_is_told(void **state)
{
    (void)state;
    char warnings[AB_WARNINGS][AB_WARNING_TEXT];
    ab_machine_state machine = {.have_gpu = true, .nvml = open_fake()};
    setenv("FAKE_PROCESSES", "2", 1);
    assert_int_equal(ab_state_warnings(&machine, warnings), 2);
    assert_non_null(strstr(warnings[0], "clock is not locked"));
    assert_string_equal(warnings[1], "1 other process computes on this GPU: times will be longer and less certain");
    machine.clock_note = ""; /* it is locked */
    setenv("FAKE_PROCESSES", "3", 1);
    assert_int_equal(ab_state_warnings(&machine, warnings), 1);
    assert_string_equal(warnings[0], "2 other processes compute on this GPU: times will be longer and less certain");
    setenv("FAKE_PROCESSES", "1", 1);
    assert_int_equal(ab_state_warnings(&machine, warnings), 0);
    machine.have_gpu = false;
    machine.clock_note = NULL;
    assert_int_equal(ab_state_warnings(&machine, warnings), 0);
    ab_nvml_close(machine.nvml);
}

static void a_gpu_is_described_without_being_named(void **state)
{
    (void)state;
    ab_nvml *nvml = open_fake();
    const gpu_info info = {.name = "a GPU", .uuid = "GPU-01234567-89ab-cdef-0123-456789abcdef"};
    setenv("FAKE_PROCESSES", "3", 1);
    char *text = gpu_describe(&info, nvml);
    json_t *gpu = json_loads(text, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(gpu, "other_processes")), 2);
    const char *fingerprint = json_string_value(json_object_get(gpu, "fingerprint"));
    assert_string_equal(fingerprint, GPU_FINGERPRINT);
    json_decref(gpu);
    free(text);
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
    expect_refusal(ab_nvml_lock_clock(NULL, 1410), "NVML on this machine cannot do it");
    expect_refusal(ab_nvml_free_clock(NULL), "NVML on this machine cannot do it");
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
    expect_refusal(gpu_missing(0, 13000, insufficient), "no NVIDIA driver is installed");
    assert_null(strstr(gpu_missing(0, 13000, insufficient).reason, "insufficient"));
    expect_refusal(gpu_missing(12020, 13000, insufficient),
                   "the NVIDIA driver supports CUDA 12.2, but this program needs CUDA 13: install a newer driver, or "
                   "build with an older "
                   "toolkit");
    expect_refusal(gpu_missing(13000, 13010, "no CUDA-capable device is detected"),
                   "CUDA finds no usable GPU (no CUDA-capable device is detected)");
    expect_refusal(gpu_missing(13010, 13000, ""), "CUDA finds no usable GPU (none found)");
    assert_int_equal(gpu_missing(0, 13000, "").code, AB_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_without_nvml),
        cmocka_unit_test(unknown_device_is_null),
        cmocka_unit_test_setup(answers_are_converted, load_fake_nvml),
        cmocka_unit_test(a_host_is_known_by_the_first_of_its_gpus_whichever_is_asked),
        cmocka_unit_test(power_is_of_this_moment_where_the_driver_tells_it),
        cmocka_unit_test(other_processes_are_all_but_this_one),
        cmocka_unit_test(what_speaks_against_a_gpus_times_is_told),
        cmocka_unit_test(a_gpu_is_described_without_being_named),
        cmocka_unit_test(only_some_reasons_discard_a_sample),
        cmocka_unit_test(a_clock_is_locked_where_permitted),
        cmocka_unit_test(why_there_is_no_gpu_is_told_apart),
    };
    return cmocka_run_group_tests_name("nvml", tests, NULL, NULL);
}
