/* The system's clock and scheduler as a test wants them. Linked into a test, which sets `the_system`; or a library for
 * LD_PRELOAD, for which the environment says what is so:
 *
 *   FAKE_SYSTEM="STEP_MS SLICE_MS EVERY TELLS"   TELLS is 1 or 0
 *   FAKE_ALONE=1                                 the system's own clock, but no other thread runs
 *   FAKE_ROOT=DIR                                the files of /proc and /sys that DIR has are read there
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake_system/fake_system.h"

fake_system the_system;

static __attribute__((constructor)) void read_environment(void)
{
    const char *text = getenv("FAKE_SYSTEM");
    double step_ms, slice_ms;
    long every;
    int tells;
    if (!text || sscanf(text, "%lf %lf %ld %d", &step_ms, &slice_ms, &every, &tells) != 4) return;
    the_system =
        (fake_system){.on = true, .tells = tells, .step_s = 1e-3 * step_ms, .slice_s = 1e-3 * slice_ms, .every = every};
}

static void look(void)
{
    const long look = ++the_system.looks;
    const bool sliced =
        the_system.every && look % the_system.every == 0 && (!the_system.last || look <= the_system.last);
    the_system.now_s += the_system.step_s + (sliced ? the_system.slice_s : 0.0);
    the_system.waited_s += sliced ? the_system.slice_s : 0.0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!the_system.on || clock != CLOCK_MONOTONIC) return (int)syscall(SYS_clock_gettime, clock, time);
    look();
    time->tv_sec = (time_t)the_system.now_s;
    time->tv_nsec = (long)(1e9 * (the_system.now_s - (double)time->tv_sec));
    return 0;
}

/* No thread gives up its core. */
int getrusage(__rusage_who_t who, struct rusage *usage)
{
    const int result = (int)syscall(SYS_getrusage, who, usage);
    if (the_system.on) usage->ru_nivcsw = 0;
    return result;
}

static FILE *file_of(const char *text)
{
    FILE *file = tmpfile();
    if (!file) return NULL;
    fputs(text, file);
    rewind(file);
    return file;
}

static FILE *open_schedstat(void)
{
    char text[64];
    snprintf(text, sizeof text, "1000 %.0f 7\n", 1e9 * the_system.waited_s);
    return file_of(text);
}

/* Of cores 0 to 99, which are more than those that tests run on, or the first of them. */
static FILE *open_stat(void)
{
    char text[8192] = "cpu  1 1 1 1 0 0 0 0 0 0\n";
    the_system.stolen_s += the_system.steal_s;
    const double ticks = the_system.stolen_s * (double)sysconf(_SC_CLK_TCK);
    for (int core = 0; core < 100; ++core)
        snprintf(text + strlen(text), sizeof text - strlen(text), "cpu%d 1 1 1 1 0 0 0 %.0f 0 0\n", core, ticks);
    return file_of(text);
}

/* The file that FAKE_ROOT has in the place of this one, or NULL. */
static const char *find_fake(const char *path, char fake[4096])
{
    const char *root = getenv("FAKE_ROOT");
    if (!root || (strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/sys/", 5) != 0)) return NULL;
    snprintf(fake, 4096, "%s%s", root, path);
    return access(fake, R_OK) == 0 ? fake : NULL;
}

FILE *fopen(const char *path, const char *mode)
{
    char found[4096];
    const char *fake = find_fake(path, found);
    FILE *(*open_file)(const char *, const char *);
    *(void **)&open_file = dlsym(RTLD_NEXT, "fopen");
    if (fake) return open_file(fake, mode);
    const bool of_threads = strncmp(path, "/proc/self/task/", 16) == 0, of_cores = strcmp(path, "/proc/stat") == 0;
    if ((the_system.on || getenv("FAKE_ALONE")) && strcmp(path, "/proc/loadavg") == 0)
        return file_of("0.0 0.0 0.0 1/1 1\n");
    if (!the_system.on || (!of_threads && !of_cores)) return open_file(path, mode);
    if (the_system.tells) return of_threads ? open_schedstat() : open_stat();
    errno = ENOENT;
    return NULL;
}
