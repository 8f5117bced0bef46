/* Tells how much CPU time other processes take from this one while it measures.
 *
 * Linux counts how long each thread waited in the queue for a core (/proc/self/task/TID/schedstat). For each core of a
 * virtual machine it counts how long the host ran something else on it (steal, /proc/stat, in steps of 10 ms). A
 * container, or a kernel without these counters, may report neither. The number of preemptions is always known, but not
 * how long the thread then waited.
 */
#ifndef ANTBENCH_SCHEDULER_H
#define ANTBENCH_SCHEDULER_H

#include <stdbool.h>

enum { AB_MOST_TRACKED = 1024 /* most threads, and most cores, that are watched; the others are ignored */ };

/* The time that a thread has waited, or that a core has stood still, so far. */
typedef struct ab_delay {
    int id; /* id of the thread, or number of the core */
    double seconds;
} ab_delay;

/* The counters at the start of a measurement. */
typedef struct ab_watch {
    ab_delay threads[AB_MOST_TRACKED]; /* threads of this process */
    ab_delay cores[AB_MOST_TRACKED];   /* cores that this process may run on */
    int n_threads, n_cores;            /* numbers of entries; 0 if the system does not report them */
    long preemptions;                  /* number of times that a thread of this process was preempted */
} ab_watch;

/* What happened since the watch began. */
typedef struct ab_delays {
    /* Wait of the thread that waited longest, plus standstill of the core that stood still longest; NAN if not known. */
    double lost_s;
    double stolen_s;  /* standstill of that core alone; NAN if not known */
    long preemptions; /* number of times that a thread of this process was preempted */
} ab_delays;

void ab_watch_begin(ab_watch *watch);
ab_delays ab_watch_end(const ab_watch *watch);

/* Which counters this system reports. */
typedef struct ab_scheduler {
    bool run_queue; /* true if it reports the waits of threads */
    bool steal;     /* true if it reports the standstills of cores */
} ab_scheduler;

ab_scheduler ab_scheduler_query(void);

#endif
