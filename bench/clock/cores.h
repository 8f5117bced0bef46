/* Measures how many cores the threads of this process effectively have. */
#ifndef ANTBENCH_CORES_H
#define ANTBENCH_CORES_H

/* Returns n t(1) / t(n). Here n is the number of processors that this process may use, and t(k) is the time of k
 * threads. Each thread does the same number of integer multiplications on a processor of its own. Two hardware threads
 * of one core share its multiplier, so they count as one core. Processor time that a hypervisor gives to others does
 * not count. The function takes the fastest of several tries, in less than 0.3 s on an idle machine. The result is at
 * most n, or NAN if threads cannot be started or bound. */
double ab_cores_measure(void);

#endif
