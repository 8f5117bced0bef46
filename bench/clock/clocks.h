/* The GPU's clock held at one frequency while a program lasts (--lock-clocks), where that is permitted.
 *
 * Another process, the keeper, locks the clock, and frees it when this one has ended, however that was: no signal,
 * not even SIGKILL, leaves a GPU behind that is slower than it was. What had been locked before is free then too: NVML
 * does not tell what it was. */
#ifndef ANTBENCH_CLOCKS_H
#define ANTBENCH_CLOCKS_H

#include <sys/types.h>

#include "base/status.h"

typedef struct ab_clocks {
    pid_t keeper; /* 0: none */
    int socket;   /* to it; it frees the clock when nothing is at this end any more */
} ab_clocks;

/* Starts the keeper: before this process loads CUDA or NVML, which do not survive a fork. */
ab_status ab_clocks_open(ab_clocks *clocks);

/* Locks the clock of the GPU with this PCI bus id at so many MHz, or at AB_BASE_CLOCK (options.h). AB_UNSUPPORTED, with
 * the reason, where that is not permitted. */
ab_status ab_clocks_lock(ab_clocks *clocks, const char *pci_bus_id, int mhz);

/* Frees the clock and waits until that is done. Accepts a zeroed one. */
void ab_clocks_close(ab_clocks *clocks);

#endif
