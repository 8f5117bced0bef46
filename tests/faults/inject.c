/* Makes one call of a program fail, or ends the program there: a library for LD_PRELOAD, which tests/faults/inject.py
 * drives.
 *
 *   INJECT_INTO=memory|files   which calls are counted, from the beginning of main() on, in this process alone
 *   INJECT_AT=N                the N-th of them, from 1; 0: none, only counted
 *   INJECT_HOW=NUMBER|before|half|after
 *                              it fails with this errno; or the process ends as by kill -9 before it, after half of
 *                              what it writes, or after it
 *   INJECT_COUNT=FILE          gets the number of calls at the end
 *
 * Pauses end at once: how busy the machine is does not matter here. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef enum kind { NONE, MEMORY, FILES } kind;

static kind into;       /* NONE until main() begins */
static long at;         /* the call's number */
static const char *how; /* as above */
static atomic_long calls;

/* The C library's own function of a name. */
#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* ---- Which call ---- */

/* Counts a call; true for the one that is meant. */
static bool is_meant(kind which)
{
    return into == which && atomic_fetch_add(&calls, 1) + 1 == at;
}

static bool is_how(const char *name)
{
    return strcmp(how, name) == 0;
}

static void end(void)
{
    kill(getpid(), SIGKILL);
}

/* For a call that is meant: ends the process where it is to end before, else sets errno; true where the call is to
 * fail. */
static bool must_fail(void)
{
    if (is_how("before")) end();
    if (is_how("half") || is_how("after")) return false;
    errno = atoi(how);
    return true;
}

static void write_count(void)
{
    char text[32];
    const char *path = getenv("INJECT_COUNT");
    const int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
    into = NONE;
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd >= 0 && write(fd, text, (size_t)length) == length) close(fd);
}

/* ---- From main() on ---- */

static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment)
{
    const char *name = getenv("INJECT_INTO"), *number = getenv("INJECT_AT");
    how = getenv("INJECT_HOW") ? getenv("INJECT_HOW") : "0";
    at = number ? atol(number) : 0;
    atexit(write_count);
    into = !name ? NONE : strcmp(name, "memory") == 0 ? MEMORY : FILES;
    return real_main(argc, argv, environment);
}

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    real_main = program;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- Memory ---- */

/* The C library's own, which dlsym() itself may ask for memory. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return is_meant(MEMORY) && must_fail() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return is_meant(MEMORY) && must_fail() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return is_meant(MEMORY) && must_fail() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return is_meant(MEMORY) && must_fail() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (is_meant(MEMORY) && must_fail()) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

/* ---- Files ---- */

/* Makes the call, or the fault in its place. */
#define INJECTED(failure, call)                                                                                        \
    do {                                                                                                               \
        const bool meant = is_meant(FILES);                                                                            \
        if (meant && must_fail()) return failure;                                                                      \
        const __typeof__(call) result = call;                                                                          \
        if (meant) end();                                                                                              \
        return result;                                                                                                 \
    } while (0)

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    INJECTED(-1, REAL(open)(path, flags, mode));
}

FILE *fopen(const char *path, const char *mode)
{
    INJECTED(NULL, REAL(fopen)(path, mode));
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    const bool meant = is_meant(FILES);
    if (meant && must_fail()) return -1;
    const ssize_t result = REAL(write)(fd, bytes, meant && is_how("half") ? size / 2 : size);
    if (meant) end();
    return result;
}

int fsync(int fd)
{
    INJECTED(-1, REAL(fsync)(fd));
}

int ftruncate(int fd, off_t size)
{
    INJECTED(-1, REAL(ftruncate)(fd, size));
}

int rename(const char *from, const char *to)
{
    INJECTED(-1, REAL(rename)(from, to));
}

int mkdir(const char *path, mode_t mode)
{
    INJECTED(-1, REAL(mkdir)(path, mode));
}

int unlink(const char *path)
{
    INJECTED(-1, REAL(unlink)(path));
}

int close(int fd)
{
    const bool meant = is_meant(FILES);
    const int result = REAL(close)(fd); /* it closes even where it fails */
    if (meant && must_fail()) return -1;
    if (meant) end();
    return result;
}

/* ---- Pauses ---- */

int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time, (void)left;
    return 0;
}

int usleep(useconds_t time)
{
    (void)time;
    return 0;
}
