/* A clock that counts the CPU time of the process, for every program that looks at the time: a library for LD_PRELOAD,
 * which solve_peers.py builds. So programs that search for some seconds search as long on a machine with other work. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int counts = clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME ? CLOCK_PROCESS_CPUTIME_ID : clock;
    return (int)syscall(SYS_clock_gettime, counts, now);
}
