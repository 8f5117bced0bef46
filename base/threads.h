/* OpenMP's threads, so that each finds a processor of its own.
 *
 * Threads that wake after a rest may share a processor while another one is idle. The one that has done its part spins.
 * The other one waits until the system preempts it, in every parallel region. That lasts 10 ms on 2 processors and
 * mostly less than 0.1 s on 16 (docs/log/cpu.md), until the system moves one of them. It must not be in a row's time.
 */
#ifndef ANTBENCH_THREADS_H
#define ANTBENCH_THREADS_H

/* Waits until so many threads have a processor each. Call it before they are timed. It runs parallel regions with
 * nothing to do, until 16 in a row take less than 0.5 ms each. It begins none after 0.1 s. With fewer than 2 threads it
 * returns at once. `threads` must be what the timed regions have: another number would end or start threads in them. */
void ab_threads_settle(int threads);

/* Prepares OpenMP; call it once, when the program starts. Every region then has as many threads as it asks for, whatever
 * OMP_DYNAMIC says. And the first thread may use the processors of all places. With OMP_PROC_BIND, OMP_PLACES or
 * GOMP_CPU_AFFINITY, OpenMP binds it to one place at the start. The program would count this one processor, and new
 * threads of other libraries would share it. OpenMP's other threads stay bound. */
void ab_threads_begin(void);

#endif
