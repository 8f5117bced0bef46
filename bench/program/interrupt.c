/* Handles interrupted runs (bench/program/interrupt.h). */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/program/interrupt.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

static char text[PATH_MAX + 256]; /* message, made in advance because a handler must not print */
static int length;

static void tell(int number)
{
    const ssize_t written = write(STDERR_FILENO, text, (size_t)length);
    (void)written;
    raise(number); /* blocked until this handler returns; then the default action follows */
}

/* Changes the handler of each signal from `from` to `to`. */
static void handle(void (*from)(int), void (*to)(int))
{
    const struct sigaction action = {.sa_handler = to, .sa_flags = (int)SA_RESETHAND};
    for (int i = 0; i < N_SIGNALS; ++i) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == from) sigaction(signals[i], &action, NULL);
    }
}

void ab_interrupt_begin(const ab_options *options, const char *directory)
{
    const char *const clear = isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
    length = snprintf(text, sizeof text, "%s%s: interrupted; to continue, add --out %s --resume to the command\n",
                      clear, options->shown, directory);
    if (length < (int)sizeof text) handle(SIG_DFL, tell);
}

void ab_interrupt_end(void)
{
    handle(tell, SIG_DFL);
}
