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
} ab_machine;

ab_machine ab_machine_query(void);

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
