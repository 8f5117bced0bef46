/* Holds the GPU's clock at one frequency while a program runs (--lock-clocks), where that is permitted.
 *
 * A second process, the keeper, locks the clock. It unlocks the clock when this process ends, for whatever reason. So
 * no signal, not even SIGKILL, leaves the GPU slower than before. A clock lock that the user had set before is lost:
 * NVML does not report it, so it cannot be restored. */
#ifndef ANTBENCH_CLOCKS_H
#define ANTBENCH_CLOCKS_H

#include <sys/types.h>

#include "base/status.h"

typedef struct ab_clocks {
    pid_t keeper; /* id of the keeper; 0: there is no keeper */
    int socket;   /* socket to the keeper; the keeper frees the clock when this end closes */
} ab_clocks;

/* Starts the keeper. Call it before this process loads CUDA or NVML, which do not survive a fork. */
ab_status ab_clocks_open(ab_clocks *clocks);

/* Locks the clock of the GPU with this PCI bus id at `mhz` MHz, or at AB_BASE_CLOCK (options.h). Returns AB_UNSUPPORTED
 * with the reason if that is not permitted. */
ab_status ab_clocks_lock(ab_clocks *clocks, const char *pci_bus_id, int mhz);

/* Frees the clock and waits until the keeper has done so. Accepts zeroed clocks. */
void ab_clocks_close(ab_clocks *clocks);

#endif
