/* OpenMP's threads, so that each finds a processor of its own.
 *
 * Threads that wake after a rest may share a processor while another one is idle. In every parallel region, the thread
 * that has done its part spins, and the other one waits until the system preempts it. After some 10 ms in all, on 2
 * processors, the system moves one of them. On 16 processors slow starts mostly last less than 0.1 s (docs/log/cpu.md).
 * This must not be in a row's time.
 */
#ifndef ANTBENCH_THREADS_H
#define ANTBENCH_THREADS_H

/* Call it before so many threads are timed. It runs parallel regions with nothing to do until 16 in a row take less than
 * 0.5 ms each: then the threads have a processor each. After 0.1 s it begins no more and returns all the same. With fewer
 * than 2 threads it returns at once. `threads` must be what the timed regions have: another number would end or start
 * threads in them. */
void ab_threads_settle(int threads);

/* Prepares OpenMP; call it once, when the program starts. Every region then has as many threads as it asks for, whatever
 * OMP_DYNAMIC says. And the first thread may use the processors of all places. With OMP_PROC_BIND, OMP_PLACES or
 * GOMP_CPU_AFFINITY, OpenMP binds it to one place at the start. The program would count this one processor, and new
 * threads of other libraries would share it. OpenMP's other threads stay bound. */
void ab_threads_begin(void);

#endif
