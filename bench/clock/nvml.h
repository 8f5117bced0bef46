/* Clock, temperature, energy and throttle reasons through NVML, and locking the clock; loaded with dlopen so that
 * nothing is linked. Without the library or the device every function answers "not known" and measuring goes on. */
#ifndef ANTBENCH_NVML_H
#define ANTBENCH_NVML_H

#include <stdbool.h>

#include "base/status.h"

typedef struct ab_nvml ab_nvml;

/* The NVML device with this PCI bus id ("0000:65:00.0"), or NULL when not known. */
ab_nvml *ab_nvml_open(const char *pci_bus_id);
void ab_nvml_close(ab_nvml *nvml); /* accepts NULL */

typedef struct ab_gpu_state {
    double sm_clock_mhz, memory_clock_mhz; /* at this moment; NAN where not known, as all of these */
    double temperature_c;                  /* of the GPU */
    double power_w;                        /* drawn by the board: at this moment, or else over the last second */
    double power_limit_w;                  /* that the driver enforces */
    unsigned long long throttle;           /* NVML's bit mask of reasons; 0 where not known */
    bool throttled; /* by heat, by the power brake or by the hardware's slowdown: what makes a sample worth nothing. Not
                       by the software power cap, which is the board's normal state under a heavy kernel: without it
                       there would be no sample left. It is listed with the other reasons. */
} ab_gpu_state;

ab_gpu_state ab_nvml_read(ab_nvml *nvml); /* accepts NULL */

/* Joules that the GPU has used since the driver was loaded; NAN where not known. Accepts NULL. */
double ab_nvml_energy_j(const ab_nvml *nvml);

/* How many other processes compute on the GPU, for a process that has a context there; -1 where not known, as where
 * this process is not seen either. Accepts NULL. */
int ab_nvml_other_processes(const ab_nvml *nvml);

/* The reasons of a mask, separated by |, "none" for 0, "" when nvml is NULL; into text[96], which holds all that have a
 * name. Those without are given as a number. */
void ab_nvml_throttle_text(const ab_nvml *nvml, unsigned long long throttle, char text[96]);

/* Holds the multiprocessors' clock at so many MHz, or at AB_BASE_CLOCK (options.h), until it is freed or the driver is loaded
 * anew; the driver takes the nearest that the GPU has. AB_UNSUPPORTED, with the reason, where that is not permitted:
 * root may. */
ab_status ab_nvml_lock_clock(const ab_nvml *nvml, int mhz); /* accepts NULL */
ab_status ab_nvml_free_clock(const ab_nvml *nvml);          /* likewise */

/* Driver version into text[32], "" when not known. */
void ab_nvml_driver_version(const ab_nvml *nvml, char text[32]);

#endif
