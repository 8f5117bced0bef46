/* The computer a run was made on. */
#ifndef ANTBENCH_MACHINE_H
#define ANTBENCH_MACHINE_H

#include <stdint.h>

typedef struct ab_machine {
    char host_name[256];
    char os[128];         /* "Debian GNU/Linux 12 (bookworm)" */
    char kernel[256];     /* "Linux 6.1.0-18-amd64 x86_64" */
    char cpu[96];         /* model name; where the kernel gives none, "aarch64 CPU" and the like */
    int logical_cores;    /* online in the machine */
    int usable_cores;     /* this process may run on */
    char governor[32];    /* frequency governor of core 0; empty where there is none, as in virtual machines */
    int64_t memory_bytes; /* main memory */
    int is_virtual;       /* whether a hypervisor runs this system: 1 or 0; -1 where not known */
    char hypervisor[64];  /* as it calls itself, "KVMKVMKVM"; empty where there is none, or its name is not known */
    int threads_per_core; /* as the kernel tells of core 0; 0 where it does not */
    int64_t l1i_bytes, l1d_bytes, l2_bytes, l3_bytes; /* the caches of a core, as far as known; else 0 */
} ab_machine;

ab_machine ab_machine_query(void);

/* A name for what may not be named: a SHA-256 of the kind and the text, salted with a constant of the project, so that
 * it is the same everywhere and always. scripts/antbench/data/machines.py makes the same. */
void ab_fingerprint(const char *kind, const char *text, char digest[65]);

/* The fingerprint of this host into digest[65]: by its machine-id where systemd runs here, for that of a container's
 * image is many hosts'; else by `uuid`, that of a GPU of the host; "" where that is "" or NULL. */
void ab_machine_fingerprint(const char *uuid, char digest[65]);

/* How many other threads of this machine wanted to run when this was first asked, which takes a process half a second:
 * a mean over that, in which a neighbour in a pipe, that only starts, counts little; 0 at once where two looks see
 * none; NAN where not known. */
double ab_machine_others(void);

/* From AB_BUSY on they take CPU time from what is measured here. */
#define AB_BUSY 0.5

/* A name as a directory: "NVIDIA H100 80GB HBM3" becomes "nvidia-h100-80gb-hbm3", "Intel(R) Xeon(R) E5"
 * "intel-xeon-e5". */
void ab_machine_slug(const char *name, char slug[96]);

#endif
