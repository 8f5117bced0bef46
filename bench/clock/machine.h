/* The computer that a run was made on. */
#ifndef ANTBENCH_MACHINE_H
#define ANTBENCH_MACHINE_H

#include <stdint.h>

typedef struct ab_machine {
    char host_name[256];
    char os[128];      /* "Debian GNU/Linux 12 (bookworm)" */
    char kernel[256];  /* "Linux 6.1.0-18-amd64 x86_64" */
    char cpu[96];      /* model name; if the kernel reports none, a name such as "aarch64 CPU" */
    int logical_cores; /* number of online processors of the machine */
    int usable_cores;  /* number of processors that this process may use */
    /* Frequency governor of core 0; empty if there is no governor, as in virtual machines. */
    char governor[32];
    int64_t memory_bytes; /* size of main memory */
    int is_virtual;       /* 1 if a hypervisor runs this system, 0 if not, -1 if not known */
    /* Name that the hypervisor reports, "KVMKVMKVM"; empty if it has no known name or does not exist. */
    char hypervisor[64];
    int threads_per_core; /* number that the kernel reports for core 0; 0 if it reports none */
    int64_t l1i_bytes, l1d_bytes, l2_bytes, l3_bytes; /* sizes of a core's caches; 0 if not known */
} ab_machine;

ab_machine ab_machine_query(void);

/* Makes a fingerprint of a name that must not be published. It is the SHA-256 of the kind and the text, salted with a
 * constant of the project. So the same name has the same fingerprint everywhere. */
void ab_fingerprint(const char *kind, const char *text, char digest[65]);

/* Writes the fingerprint of this host to digest[65]. If systemd runs here, it is made from the machine-id. In a
 * container the machine-id belongs to the image, so the fingerprint is made from `uuid`, the GPU that stands for the
 * host (ab_nvml_first_uuid). It is "" if `uuid` is "". */
void ab_machine_fingerprint(const char *uuid, char digest[65]);

/* Returns how many other threads of this machine wanted to run when this was first asked. The first call takes a mean
 * over half a second, so a process that has only just started, such as a neighbour in a pipe, counts little. If two
 * looks find no other thread, the result is 0 without waiting. NAN if not known. */
double ab_machine_others(void);

/* Number of other threads from which on they slow down what is measured here. */
#define AB_BUSY 0.5

/* Turns a name into the name of a directory: "NVIDIA H100 80GB HBM3" becomes "nvidia-h100-80gb-hbm3", and "Intel(R)
 * Xeon(R) E5" becomes "intel-xeon-e5". */
void ab_machine_slug(const char *name, char slug[96]);

#endif
