/* The keeper of the GPU's clock (bench/clock/clocks.h): however the program ends, the clock is free afterwards. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/clock/clocks.h"
#include "bench/clock/nvml.h"
#include "bench/plan/options.h"
#include "tests/support/fake_nvml.h"

static const char gpu[] = "0000:65:00.0";
static char path[] = "/tmp/antbench-clock-XXXXXX"; /* what becomes of the clock */

static int begin(void **state)
{
    const int fd = mkstemp(path);
    if (fd < 0 || close(fd) != 0) return -1;
    setenv("FAKE_CLOCK", path, 1);
    return load_fake_nvml(state);
}

static int end(void **state)
{
    (void)state;
    return unlink(path);
}

static void read_clock(char text[256])
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, 255, file)] = '\0';
    fclose(file);
}

static void forget_clock(void)
{
    assert_int_equal(truncate(path, 0), 0);
}

static void locked_until_closed(void **state)
{
    (void)state;
    char text[256];
    ab_clocks clocks;
    assert_int_equal(ab_clocks_open(&clocks).code, AB_OK);
    assert_int_equal(ab_clocks_lock(&clocks, gpu, 1410).code, AB_OK);
    read_clock(text);
    assert_string_equal(text, "locked 1410 1410\n");
    ab_clocks_close(&clocks);
    read_clock(text); /* it is free when closing returns */
    assert_string_equal(text, "locked 1410 1410\nfree\n");
    ab_clocks_close(&clocks); /* a second time is none */
    forget_clock();
}

/* The keeper must not wait for what the program started. */
static void free_when_the_program_is_killed(void **state)
{
    (void)state;
    static const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
        char text[256] = "";
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            ab_clocks clocks;
            const bool locked =
                ab_clocks_open(&clocks).code == AB_OK && ab_clocks_lock(&clocks, gpu, AB_BASE_CLOCK).code == AB_OK;
            signal(signals[i], SIG_DFL);
            if (locked) raise(signals[i]);
            _exit(1);
        }
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how) && WTERMSIG(how) == signals[i]);
        for (int waited = 0; waited < 10000 && !strstr(text, "free"); waited += 10) {
            usleep(10000);
            read_clock(text);
        }
        assert_string_equal(text, "locked 4294901761 4294901761\nfree\n");
        forget_clock();
    }
}

static void what_is_not_permitted_is_said(void **state)
{
    (void)state;
    ab_clocks clocks;
    char text[256];
    unsetenv("FAKE_CLOCK");
    assert_int_equal(ab_clocks_open(&clocks).code, AB_OK);
    setenv("FAKE_CLOCK", path, 1);
    const ab_status refused = ab_clocks_lock(&clocks, gpu, 1410);
    assert_int_equal(refused.code, AB_UNSUPPORTED);
    assert_string_equal(refused.reason, "NVML says: Insufficient Permissions");
    ab_clocks_close(&clocks);

    assert_int_equal(ab_clocks_open(&clocks).code, AB_OK);
    assert_string_equal(ab_clocks_lock(&clocks, "0000:66:00.0", 1410).reason, "NVML on this machine cannot do it");
    ab_clocks_close(&clocks);

    assert_int_equal(ab_clocks_open(&clocks).code, AB_OK); /* and never asked, as where there is no GPU */
    ab_clocks_close(&clocks);
    read_clock(text);
    assert_string_equal(text, ""); /* nothing was locked, and nothing that someone else locked is freed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locked_until_closed),
        cmocka_unit_test(free_when_the_program_is_killed),
        cmocka_unit_test(what_is_not_permitted_is_said),
    };
    return cmocka_run_group_tests_name("clocks", tests, begin, end);
}
