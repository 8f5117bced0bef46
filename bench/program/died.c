/* Rows that end the program (bench/program/died.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/program/died.h"

extern char **environ;

#define VARIABLE "ANTBENCH_DIED" /* "<signal> <cell>" of the process before */

static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
static char died[64] = VARIABLE "=";
static const char **arguments, **environment; /* made before: a handler must not ask for memory */
static volatile sig_atomic_t measured = -1;

/* Appends a number and a character: a handler must not print. */
static void append_number(char *text, int number, char end)
{
    char digits[16];
    int n = 0;
    do digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    char *at = text + strlen(text);
    while (n > 0) *at++ = digits[--n];
    at[0] = end;
    at[1] = '\0';
}

/* A signal that another process sent says nothing of the row. */
static void start_again(int number, siginfo_t *info, void *context)
{
    (void)context;
    const bool sent = info->si_code <= 0 && info->si_pid != getpid();
    if (measured >= 0 && !sent) {
        append_number(died, number, ' ');
        append_number(died, (int)measured, '\0');
        execve("/proc/self/exe", (char *const *)arguments, (char *const *)environment);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static ab_status handle(void)
{
    static char stack[1 << 16]; /* the kernel may have used up its own */
    const struct sigaction action = {.sa_sigaction = start_again,
                                     .sa_flags = (int)(SA_ONSTACK | SA_NODEFER | SA_SIGINFO)};
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    if (sigaltstack(&other, NULL) != 0) return ab_failed("cannot set a stack for signals");
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) sigaction(signals[i], &action, NULL);
    return ab_ok();
}

/* The command line that resumes the run, and the environment with the row that died. */
static ab_status prepare(const ab_options *options, const char *directory)
{
    const char *const more[] = {"--out", directory, "--resume", NULL};
    const size_t n = (size_t)options->argc;
    size_t variables = 0;
    while (environ[variables]) ++variables;
    free(arguments);
    free(environment);
    arguments = calloc(n + sizeof more / sizeof *more, sizeof *arguments);
    environment = calloc(variables + 2, sizeof *environment);
    if (!arguments || !environment) return ab_failed("out of memory");
    memcpy(arguments, options->argv, n * sizeof *arguments);
    memcpy(arguments + n, more, sizeof more);
    memcpy(environment, environ, variables * sizeof *environment);
    environment[variables] = died;
    return ab_ok();
}

static ab_status note_row(ab_bench *bench, const ab_plan *plan, const char *before)
{
    int number, cell;
    if (sscanf(before, "%d %d", &number, &cell) != 2 || cell < 0 || cell >= plan->n_cells) return ab_ok();
    ab_row row = plan->cells[cell].key;
    if (ab_run_find(bench->run, &row)) return ab_ok();
    /* A run that only verifies may have programs beside it, such as those that use up the memory. */
    row.status = bench->options->verify ? AB_ROW_ERROR : AB_ROW_WRONG;
    ab_row_add_note(&row, "ended the program by signal %d (%s) while it was verified or measured", number,
                    strsignal(number));
    return ab_run_append(bench->run, &row, NULL, 0);
}

ab_status ab_died_begin(ab_bench *bench, const ab_plan *plan, const char *directory)
{
    const char *before = getenv(VARIABLE);
    if (before) AB_TRY(note_row(bench, plan, before));
    unsetenv(VARIABLE);
    AB_TRY(prepare(bench->options, directory));
    return handle();
}

void ab_died_measuring(int cell)
{
    measured = cell;
}
