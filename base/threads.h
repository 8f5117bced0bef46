/* OpenMP's threads, each on a processor of its own.
 *
 * Threads that wake may share a processor while another one is idle. In every parallel region one of them then waits
 * until the other one, which has nothing more to do, is preempted. It takes the system some 10 ms on 2 processors to
 * move it, and up to 0.1 s on 16 (docs/log/cpu.md). This time belongs to no row.
 */
#ifndef ANTBENCH_THREADS_H
#define ANTBENCH_THREADS_H

/* Call it before `threads` threads are timed. It runs parallel regions with nothing to do. It returns when 16 in a row
 * took less than 0.5 ms each, and after 0.1 s at the latest. A single thread needs none. */
void ab_threads_settle(int threads);

/* Gives the first thread the processors of all OpenMP's places. Call it first. If OMP_PROC_BIND, OMP_PLACES or
 * GOMP_CPU_AFFINITY is set, OpenMP binds this thread to one place when the program starts. Then a CPU program would count
 * one processor, and threads of other libraries would share it. OpenMP's other threads stay bound. */
void ab_threads_unbind(void);

#endif
