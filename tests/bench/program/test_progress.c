/* What progress prints where stderr is a file, and on a terminal (a pseudo-terminal here). */
#include <math.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/program/progress.h"

/* Runs `show` with stderr sent to `to`. */
static void with_stderr(int to, void (*show)(void))
{
    const int saved = dup(STDERR_FILENO);
    dup2(to, STDERR_FILENO);
    show();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
}

/* Two rows estimated at 100 s each; the first takes twice as long. */
static void show_two_rows(bool quiet)
{
    ab_progress progress = ab_progress_start(2, 200, quiet);
    ab_progress_row(&progress, "d198 ds-roulette");
    ab_progress_done(&progress, "d198 ds-roulette", "12.3 ms", 100, 200);
    ab_progress_row(&progress, "a280 ds-roulette");
    ab_progress_done(&progress, "a280 ds-roulette", "unsupported: no device", 100, 1);
}

static void show_loud(void)
{
    show_two_rows(false);
}

static void show_quiet(void)
{
    show_two_rows(true);
}

static void assert_printed_to_file(void (*show)(void), const char *expected)
{
    char text[1024];
    FILE *file = tmpfile();
    assert_non_null(file);
    with_stderr(fileno(file), show);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static void one_line_for_each_row_in_a_file(void **state)
{
    (void)state;
    /* The 100 s left are corrected to 200 s, as the first row took twice its estimate. */
    assert_printed_to_file(show_loud, "[1/2] d198 ds-roulette: 12.3 ms, ETA 4 min\n"
                                      "[2/2] a280 ds-roulette: unsupported: no device\n");
}

/* The name is cut before what the row came to, and what may be cut is cut: with 100 columns at most. */
static void show_long(void)
{
    char label[440], outcome[128];
    ab_progress progress = ab_progress_start(12345, 1e9, false);
    snprintf(progress.part, sizeof progress.part, "process 1000 of 1000: ");
    memset(label, 'l', sizeof label - 1);
    memset(outcome, 'o', sizeof outcome - 1);
    label[sizeof label - 1] = outcome[sizeof outcome - 1] = '\0';
    ab_progress_done(&progress, label, outcome, 0, 0);
    ab_progress_done(&progress, label, "ok 12.3 ms", 0, 0);
    for (int i = 0; i < 200; i += 2) memcpy(label + i, "\u00e4", 2);
    ab_progress_done(&progress, label, "ok 12.3 ms", 0, 0);
    ab_progress_done(&progress, label + 1, "ok 12.3 ms", 0, 0);
}

static void lines_have_at_most_100_columns(void **state)
{
    (void)state;
    char text[2048], *rest = text;
    FILE *file = tmpfile();
    assert_non_null(file);
    with_stderr(fileno(file), show_long);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (int i = 0; i < 4; ++i) {
        const char *line = strsep(&rest, "\n");
        const char *const expected = i == 0 ? "lll...: ooo" : "...: ok 12.3 ms, ETA ", *cut = strstr(line, "...");
        assert_true(strlen(line) <= 100 && strlen(line) >= 99);
        assert_non_null(strstr(line, expected));
        assert_true(i < 2 || (unsigned char)cut[-1] == 0xa4); /* no character is torn */
    }
}

static void nothing_when_quiet(void **state)
{
    (void)state;
    assert_printed_to_file(show_quiet, "");
}

static void one_line_rewritten_on_a_terminal(void **state)
{
    (void)state;
    char text[1024];
    int master, slave;
    const struct winsize narrow = {.ws_row = 24, .ws_col = 32};
    if (openpty(&master, &slave, NULL, NULL, &narrow) != 0) skip(); /* no /dev/pts, as in some chroots */
    with_stderr(slave, show_loud);
    close(slave); /* what was written can still be read, and then reading fails */
    size_t size = 0;
    for (ssize_t part; (part = read(master, text + size, sizeof text - 1 - size)) > 0;) size += (size_t)part;
    text[size] = '\0';
    /* Cut to 31 columns, and gone at the end. */
    assert_string_equal(text, "\r\033[K[1/2] d198 ds-roulette ... ETA "
                              "\r\033[K[1/2] d198 ds-roulette: 12.3 ms"
                              "\r\033[K[2/2] a280 ds-roulette ... ETA "
                              "\r\033[K");
    close(master);
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "0 s"},
                 {-3, "0 s"},
                 {0.2, "1 s"},
                 {45, "45 s"},
                 {59, "59 s"},
                 {59.5, "1 min"},
                 {61, "2 min"},
                 {3540, "59 min"},
                 {3541, "1 h 0 min"},
                 {7800, "2 h 10 min"},
                 {(double)NAN, "unknown"},
                 {(double)INFINITY, "unknown"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[24];
        ab_format_duration(cases[i].seconds, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_line_for_each_row_in_a_file),
        cmocka_unit_test(lines_have_at_most_100_columns),
        cmocka_unit_test(nothing_when_quiet),
        cmocka_unit_test(one_line_rewritten_on_a_terminal),
        cmocka_unit_test(durations),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
