/* Reads clock, temperature, energy and throttle reasons through NVML, and locks the clock. The library is loaded with
 * dlopen, so the program does not link it. Without the library or the device, every function answers "not known" and
 * measuring goes on. */
#ifndef ANTBENCH_NVML_H
#define ANTBENCH_NVML_H

#include <stdbool.h>

#include "base/status.h"

typedef struct ab_nvml ab_nvml;

/* Returns the NVML device with this PCI bus id ("0000:65:00.0"), or NULL if not known. With NULL as id it returns NVML
 * without a device, for ab_nvml_first_uuid alone. */
ab_nvml *ab_nvml_open(const char *pci_bus_id);
void ab_nvml_close(ab_nvml *nvml); /* accepts NULL */

typedef struct ab_gpu_state {
    /* Clocks at this moment; NAN if not known, as for all members below. */
    double sm_clock_mhz, memory_clock_mhz;
    double temperature_c;        /* temperature of the GPU */
    double power_w;              /* power that the board draws: at this moment if known, else over the last second */
    double power_limit_w;        /* power limit that the driver enforces */
    unsigned long long throttle; /* NVML's bit mask of throttle reasons; 0 if not known */
    /* True if heat, the power brake or the hardware's slowdown throttles the GPU, so that samples are worthless. The
     * software power cap does not count: under a heavy kernel it is the board's normal state. */
    bool throttled;
} ab_gpu_state;

ab_gpu_state ab_nvml_read(ab_nvml *nvml); /* accepts NULL */

/* Value of a setting that the driver does not tell, and of one that the GPU does not have. */
enum { AB_SETTING_UNKNOWN = -1, AB_SETTING_NONE = -2 };

/* Settings of a GPU, and limits of its hardware. A switch is 1 if it is on. */
typedef struct ab_gpu_settings {
    int persistence, mig; /* switches */
    int ecc, ecc_next;    /* switches: now, and after the next start of the machine */
    int memory_errors;    /* number of uncorrected errors since the driver was loaded */
    int default_power_w;  /* power limit that the board has by default */
    int margin_c;         /* degrees from the temperature at which the GPU slows down */
    int most_sm_mhz;      /* highest clock of the multiprocessors */
    int pcie_generation, most_pcie_generation;
    int pcie_width, most_pcie_width; /* numbers of lanes */
} ab_gpu_settings;

ab_gpu_settings ab_nvml_settings(const ab_nvml *nvml); /* accepts NULL */

/* Returns the joules that the GPU has used since the driver was loaded; NAN if not known. Accepts NULL. */
double ab_nvml_energy_j(const ab_nvml *nvml);

/* Returns the number of other processes that compute on the GPU; -1 if not known. This process must have a context on
 * the GPU. If NVML does not see this process either, the number is not known. Accepts NULL. */
int ab_nvml_other_processes(const ab_nvml *nvml);

/* Writes the reasons of a mask to text[96], separated by |. The text is "none" for 0, and "" if nvml is NULL. Reasons
 * without a name are written as a number. */
void ab_nvml_throttle_text(const ab_nvml *nvml, unsigned long long throttle, char text[96]);

/* True if a mask says that a setting holds the clock, such as a lock. */
bool ab_nvml_holds_clock(unsigned long long throttle);

/* Locks the multiprocessors' clock at `mhz` MHz, or at AB_BASE_CLOCK (options.h). The driver takes the nearest clock
 * that the GPU supports. The lock lasts until it is freed or the driver is loaded anew. Returns AB_UNSUPPORTED with the
 * reason if that is not permitted; root may do it. */
ab_status ab_nvml_lock_clock(const ab_nvml *nvml, int mhz); /* accepts NULL */
ab_status ab_nvml_free_clock(const ab_nvml *nvml);          /* accepts NULL */

/* Writes the driver's version to text[32], "" if not known. */
void ab_nvml_driver_version(const ab_nvml *nvml, char text[32]);

/* Writes the UUID ("GPU-...") of the GPU that stands for this host: the first in the order of text. `uuid` is of a GPU of
 * the host, and stands for it if NVML does not tell; it is "" if no GPU is known. */
enum { AB_UUID = 96 };
void ab_nvml_first_uuid(const ab_nvml *nvml, const char *uuid, char first[AB_UUID]); /* accepts NULL for nvml */

#endif
