/* What others take from this process while it measures, as the system tells it.
 *
 * Linux counts for each thread how long it stood in the queue for a core (/proc/self/task/TID/schedstat), and for each
 * core of a virtual machine how long the host ran something else on it (steal, /proc/stat, in steps of 10 ms). A
 * container, or a kernel without these counters, may tell neither. How often a thread had to give up its core is always
 * known; how long it then waited is not.
 */
#ifndef ANTBENCH_SCHEDULER_H
#define ANTBENCH_SCHEDULER_H

#include <stdbool.h>

enum { AB_MOST_TRACKED = 1024 /* threads, and cores, that are looked at; the others are left out */ };

/* A thread's wait, or a core's standstill, so far. */
typedef struct ab_delay {
    int id; /* of the thread, or the core's number */
    double seconds;
} ab_delay;

/* A moment from which on delays are counted. */
typedef struct ab_watch {
    ab_delay threads[AB_MOST_TRACKED]; /* of this process */
    ab_delay cores[AB_MOST_TRACKED];   /* that this process may run on */
    int n_threads, n_cores;            /* 0: the system does not tell */
    long preemptions;                  /* times that a thread of this process gave up its core to another */
} ab_watch;

/* Since the watch began. */
typedef struct ab_delays {
    double lost_s;    /* by the thread that waited longest, and by the core that stood still longest; NAN: not told */
    long preemptions; /* as above */
} ab_delays;

void ab_watch_begin(ab_watch *watch);
ab_delays ab_watch_end(const ab_watch *watch);

/* What this system tells. */
typedef struct ab_scheduler {
    bool run_queue; /* waits of threads */
    bool steal;     /* standstills of cores */
} ab_scheduler;

ab_scheduler ab_scheduler_query(void);

#endif
