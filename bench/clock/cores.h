/* How many cores the threads of this process amount to. */
#ifndef ANTBENCH_CORES_H
#define ANTBENCH_CORES_H

/* n t(1) / t(n), where t(k) is how long k threads take that multiply integers, each as many, each on a processor of its
 * own, and n are the processors that this process may use. Two threads of a core count as one, for a core has one such
 * multiplier; what a hypervisor gives to others does not count. Of several tries the fastest, in less than 0.3 s on a
 * machine that is idle. At most n; NAN where threads cannot be started or bound. */
double ab_cores_measure(void);

#endif
