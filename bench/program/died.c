/* Rows that end the program (bench/program/died.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/program/died.h"

extern char **environ;

#define VARIABLE "ANTBENCH_DIED" /* "<signal> <cell>" of the process before */

static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};
static char died[64] = VARIABLE "=";
static char failed[512]; /* said if the program cannot start again */
/* Made before: a handler must not ask for memory. In pages of their own that are only read: a kernel may overwrite the
 * heap. */
static char **arguments, **environment;
static struct {
    char *begin;
    size_t size;
} pages;
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

static void tell_failed(int number)
{
    append_number(failed, number, '\0');
    strcat(failed, ", and the program cannot be started again: measure the others with --implementations\n");
    (void)!write(STDERR_FILENO, failed, strlen(failed));
}

/* A signal that another process sent says nothing of the row. */
static void start_again(int number, siginfo_t *info, void *context)
{
    (void)context;
    const bool sent = info->si_code <= 0 && info->si_pid != getpid();
    if (measured >= 0 && !sent) {
        append_number(died, number, ' ');
        append_number(died, (int)measured, '\0');
        execve("/proc/self/exe", arguments, environment);
        tell_failed(number);
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

/* Returns the bytes of a list of texts that NULL ends, such that another list may follow. */
static size_t size_of(const char *const *list)
{
    size_t size = sizeof *list;
    for (; *list; ++list) size += sizeof *list + strlen(*list) + 1;
    return (size + sizeof *list - 1) / sizeof *list * sizeof *list;
}

/* Copies a list of texts to size_of(list) bytes. */
static char **copy(const char *const *list, char *to)
{
    char **const copied = (char **)to, **next = copied;
    size_t n = 0;
    while (list[n]) ++n;
    to += (n + 1) * sizeof *copied;
    for (; *list; ++list) {
        *next++ = to;
        to = stpcpy(to, *list) + 1;
    }
    *next = NULL;
    return copied;
}

/* Copies both lists to pages that nothing can write. */
static ab_status keep(const char *const *resumes, const char *const *variables)
{
    if (pages.begin) munmap(pages.begin, pages.size);
    pages.size = size_of(resumes) + size_of(variables);
    pages.begin = mmap(NULL, pages.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages.begin == MAP_FAILED) {
        pages.begin = NULL;
        return ab_failed("out of memory");
    }
    arguments = copy(resumes, pages.begin);
    environment = copy(variables, pages.begin + size_of(resumes));
    for (char **variable = environment; *variable; ++variable)
        if (!variable[1]) *variable = died; /* the last one, which the handler writes */
    return mprotect(pages.begin, pages.size, PROT_READ) == 0 ? ab_ok() : ab_failed("cannot protect memory");
}

/* The command line that resumes the run, and the environment with the row that died. */
static ab_status prepare(const ab_options *options, const char *directory)
{
    const char *const more[] = {"--out", directory, "--resume", NULL};
    const size_t n = (size_t)options->argc;
    size_t n_variables = 0;
    while (environ[n_variables]) ++n_variables;
    const char **resumes = calloc(n + sizeof more / sizeof *more, sizeof *resumes);
    const char **variables = calloc(n_variables + 2, sizeof *variables);
    ab_status status = resumes && variables ? ab_ok() : ab_failed("out of memory");
    if (status.code == AB_OK) {
        memcpy(resumes, options->argv, n * sizeof *resumes);
        memcpy(resumes + n, more, sizeof more);
        memcpy(variables, environ, n_variables * sizeof *variables);
        variables[n_variables] = died;
        status = keep(resumes, variables);
    }
    free(resumes);
    free(variables);
    return status;
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

void ab_died_measuring(const ab_bench *bench, const ab_plan *plan, const ab_cell *cell)
{
    snprintf(failed, sizeof failed - 128, "%s: %s %s %s %s ended the program by signal ", bench->options->shown,
             cell->key.table, cell->key.row, cell->key.instance, cell->key.implementation);
    measured = (int)(cell - plan->cells);
}

void ab_died_measured(void)
{
    measured = -1;
}
