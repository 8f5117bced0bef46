/* Facts about this machine that change times, for the doctor (doctor.h). Numbers are NAN, and whole numbers and switches
 * AB_SETTING_UNKNOWN, if the system does not tell them. */
#ifndef ANTBENCH_VITALS_H
#define ANTBENCH_VITALS_H

#include "bench/clock/machine.h"
#include "bench/clock/state.h"

/* What the GPU's clock does while a kernel runs. */
typedef struct ab_clock_look {
    double low_mhz, high_mhz; /* least and greatest clock that was seen */
    bool by_setting;          /* true if the driver says that a setting holds the clock */
} ab_clock_look;

typedef struct ab_vitals {
    /* ---- The GPU. Without one, only its first two members hold something. ---- */
    bool wants_gpu;                /* false if the backend uses no GPU */
    const char *no_gpu;            /* reason why no GPU was found; NULL if one was found */
    int driver_cuda, toolkit_cuda; /* versions of CUDA as CUDA counts: 13000 is 13.0; 0 if not known */
    char driver[32];               /* version of the driver; empty if not known */
    char bus_id[32];               /* name of the GPU for nvidia-smi */
    const char *clock_note;        /* as in ab_machine_state */
    bool worked;                   /* true if the facts below were read while a kernel ran */
    ab_clock_look clock;
    ab_gpu_state gpu;
    char throttle[96]; /* reasons for a lower clock; empty if not known */
    ab_gpu_settings settings;
    int others;            /* number of other processes that compute on the GPU */
    int gpu_node;          /* NUMA node of the GPU */
    int nodes;             /* number of NUMA nodes */
    int cores, near_cores; /* numbers of cores that this process may use, and of those on the GPU's node */
    /* ---- The machine ---- */
    char governor[32];             /* governor of the usable core that has another one than "performance", if any */
    int is_virtual;                /* switch */
    char hypervisor[64];           /* name; empty if not known */
    bool tells_steal;              /* true if the system counts how long the host stops a core */
    double stolen;                 /* share of a moment of full work for which the host stopped a core */
    double other_threads, load;    /* number of other threads now, and the load average of the last minute */
    double free_memory, free_disk; /* bytes */
} ab_vitals;

/* Reads all facts. `out` is the folder for results, which need not exist. With `works`, half a second of work on GPU and
 * cores shows how they behave under it. */
ab_vitals ab_vitals_read(const ab_machine_state *machine, const char *out, bool works);

#endif
