/* Reads how much CPU time other processes take from this one (scheduler.h). */
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/clock/scheduler.h"

/* Reads how long a thread has waited; false if the system does not report it. */
static bool read_wait(const char *thread, ab_delay *wait)
{
    char path[320];
    unsigned long long ran_ns, waited_ns, times;
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", thread);
    FILE *file = fopen(path, "r");
    const bool told = file && fscanf(file, "%llu %llu %llu", &ran_ns, &waited_ns, &times) == 3 && times > 0;
    if (file) fclose(file);
    if (told) *wait = (ab_delay){atoi(thread), 1e-9 * (double)waited_ns};
    return told;
}

static int read_waits(ab_delay waits[AB_MOST_TRACKED])
{
    int n = 0;
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *entry; threads && n < AB_MOST_TRACKED && (entry = readdir(threads));)
        if (entry->d_name[0] != '.') n += read_wait(entry->d_name, &waits[n]);
    if (threads) closedir(threads);
    return n;
}

/* Reads "cpu7 user nice system idle iowait irq softirq steal ...", in ticks. All are zero if the system does not count
 * them. */
static bool read_steal(const char *line, const cpu_set_t *usable, ab_delay *steal)
{
    unsigned core;
    unsigned long long idle, stolen;
    if (!isdigit((unsigned char)line[3])) return false; /* the line for all cores together */
    if (sscanf(line, "cpu%u %*u %*u %*u %llu %*u %*u %*u %llu", &core, &idle, &stolen) != 3) return false;
    if (core >= CPU_SETSIZE || !CPU_ISSET(core, usable) || idle == 0) return false;
    *steal = (ab_delay){(int)core, (double)stolen / (double)sysconf(_SC_CLK_TCK)};
    return true;
}

static int read_steals(ab_delay steals[AB_MOST_TRACKED])
{
    int n = 0;
    char line[512];
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) return 0;
    FILE *file = fopen("/proc/stat", "r");
    while (file && n < AB_MOST_TRACKED && fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0)
        n += read_steal(line, &usable, &steals[n]);
    if (file) fclose(file);
    return n;
}

static long count_preemptions(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

void ab_watch_begin(ab_watch *watch)
{
    watch->n_cores = read_steals(watch->cores);
    watch->n_threads = read_waits(watch->threads);
    watch->preemptions = count_preemptions();
}

/* Returns the longest delay from `before` to `after`. A thread or core that was not there before has begun since. NAN
 * if not known. */
static double longest(const ab_delay *before, int n_before, const ab_delay *after, int n_after)
{
    double most = 0.0;
    if (!n_before || !n_after) return NAN;
    for (int i = 0; i < n_after; ++i) {
        double seconds = after[i].seconds;
        for (int k = 0; k < n_before; ++k)
            if (before[k].id == after[i].id) seconds -= before[k].seconds;
        most = fmax(most, seconds);
    }
    return most;
}

ab_delays ab_watch_end(const ab_watch *watch)
{
    const long preemptions = count_preemptions() - watch->preemptions;
    ab_watch now;
    now.n_threads = read_waits(now.threads);
    now.n_cores = read_steals(now.cores);
    const double waited_s = longest(watch->threads, watch->n_threads, now.threads, now.n_threads);
    double stolen_s = longest(watch->cores, watch->n_cores, now.cores, now.n_cores);
    /* Most of a single tick may lie before the start. */
    if (stolen_s < 1.5 / (double)sysconf(_SC_CLK_TCK)) stolen_s = 0.0;
    const bool told = !isnan(waited_s) || stolen_s > 0.0;
    const double lost_s = told ? fmax(waited_s, 0.0) + fmax(stolen_s, 0.0) : (double)NAN;
    return (ab_delays){.lost_s = lost_s, .stolen_s = stolen_s, .preemptions = preemptions};
}

ab_scheduler ab_scheduler_query(void)
{
    ab_watch watch;
    ab_watch_begin(&watch);
    return (ab_scheduler){.run_queue = watch.n_threads > 0, .steal = watch.n_cores > 0};
}
