/* The machine that a program measures on, opened: the GPU, its driver's state, its clock, the CPU. */
#ifndef ANTBENCH_STATE_H
#define ANTBENCH_STATE_H

#include "bench/clock/clocks.h"
#include "bench/clock/gpu.h"
#include "bench/clock/nvml.h"
#include "bench/plan/options.h"

typedef struct ab_machine_state {
    bool have_gpu;
    char no_gpu[sizeof((ab_status *)0)->reason]; /* reason why none was found that was looked for; or empty */
    gpu_info gpu;
    double gpu_ran_s; /* time when samples were last taken on the GPU (ab_now_s); 0: never */
    ab_nvml *nvml;
    ab_clocks clocks;
    const char *clock_note; /* NULL: the GPU's clock was not to be locked; "": it is; else the reason why not */
    char no_lock[sizeof((ab_status *)0)->reason];
    char cpu_name[96];
    int cores;            /* number of cores that this process may run on */
    bool limits_measured; /* true once the limits of the GPU are (limits.h) */
} ab_machine_state;

/* Opens the GPU and NVML unless the options exclude them, reads the CPU's name. Close it after an error too. */
ab_status ab_state_open(const ab_options *options, ab_machine_state *state);

/* What speaks against times on the GPU: each a line for people; meta.json has the same. Returns how many there are. */
enum { AB_WARNINGS = 2, AB_WARNING_TEXT = 128 };
int ab_state_warnings(const ab_machine_state *state, char warnings[AB_WARNINGS][AB_WARNING_TEXT]);

/* Leaves the GPU to other processes. */
void ab_state_release(ab_machine_state *state);
void ab_state_close(ab_machine_state *state); /* accepts a zeroed one */

#endif
