/* Measures how well threads scale (cores.h). */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "bench/clock/cores.h"

enum { CHAINS = 8, STEPS = 1 << 21, TRIES = 3 };

/* CLOCK_MONOTONIC is not used, because NTP changes its speed. */
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Independent chains keep the multiplier busy, whatever the latency of one multiplication. */
static uint64_t multiply(uint64_t seed)
{
    uint64_t chains[CHAINS], sum = 0;
    for (int i = 0; i < CHAINS; i++) chains[i] = seed + (uint64_t)i;
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < CHAINS; i++) chains[i] = chains[i] * UINT64_C(0xd1342543de82ef95) + 1;
    for (int i = 0; i < CHAINS; i++) sum ^= chains[i];
    return sum;
}

/* One of the threads that compute at the same time. */
typedef struct worker {
    pthread_t thread;
    const atomic_int *signal; /* WAIT until all threads are ready */
    double begin_s, end_s;
    volatile uint64_t result; /* volatile, so that the compiler keeps the computation */
} worker;

enum { WAIT, GO, GIVE_UP };

static void *run(void *context)
{
    worker *w = context;
    while (*w->signal == WAIT) sched_yield();
    if (*w->signal == GIVE_UP) return NULL;
    w->begin_s = now_s();
    w->result = multiply((uint64_t)(uintptr_t)w);
    w->end_s = now_s();
    return NULL;
}

static bool start_on(int processor, worker *w)
{
    cpu_set_t set;
    pthread_attr_t attributes;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    if (pthread_attr_init(&attributes) != 0) return false;
    const bool started = pthread_attr_setaffinity_np(&attributes, sizeof set, &set) == 0 &&
                         pthread_create(&w->thread, &attributes, run, w) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

/* Returns the seconds from the first thread's start to the last one's end, with one thread on each of n processors; NAN
 * if threads cannot be started. */
static double time_threads(const int *processors, int n, worker *workers)
{
    atomic_int signal = WAIT;
    int started = 0;
    double begin_s = INFINITY, end_s = 0.0;
    for (; started < n; started++) {
        workers[started] = (worker){.signal = &signal};
        if (!start_on(processors[started], &workers[started])) break;
    }
    signal = started == n ? GO : GIVE_UP;
    for (int i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        begin_s = fmin(begin_s, workers[i].begin_s);
        end_s = fmax(end_s, workers[i].end_s);
    }
    return started == n ? end_s - begin_s : (double)NAN;
}

static double fastest(const int *processors, int n, worker *workers)
{
    double least_s = time_threads(processors, n, workers);
    for (int i = 1; i < TRIES; i++) least_s = fmin(least_s, time_threads(processors, n, workers));
    return least_s;
}

static int list_processors(int processors[CPU_SETSIZE])
{
    int n = 0;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &set)) processors[n++] = i;
    return n;
}

double ab_cores_measure(void)
{
    int processors[CPU_SETSIZE];
    const int n = list_processors(processors);
    if (n <= 1) return n ? 1.0 : (double)NAN;
    worker *workers = calloc((size_t)n, sizeof *workers);
    if (!workers) return NAN;
    const double one_s = fastest(processors, 1, workers), all_s = fastest(processors, n, workers);
    free(workers);
    return isnan(one_s) || isnan(all_s) ? (double)NAN : fmin(n * one_s / all_s, n);
}
