/* The state of the machine that a program measures on: the GPU, NVML, the clock lock, the CPU. */
#ifndef ANTBENCH_STATE_H
#define ANTBENCH_STATE_H

#include "bench/clock/clocks.h"
#include "bench/clock/gpu.h"
#include "bench/clock/nvml.h"
#include "bench/plan/options.h"

typedef struct ab_machine_state {
    bool have_gpu;
    /* Reason why no GPU was found; empty if one was found or none was looked for. */
    char no_gpu[sizeof((ab_status *)0)->reason];
    gpu_info gpu;
    double gpu_ran_s; /* time at which samples were last taken on the GPU (ab_now_s); 0: never */
    ab_nvml *nvml;
    ab_clocks clocks;
    /* NULL if no clock lock was asked for, "" if the clock is locked, else the reason why it is not. */
    const char *clock_note;
    char no_lock[sizeof((ab_status *)0)->reason];
    char cpu_name[96];
    int cores;            /* number of cores that a row of all cores uses: all that OpenMP may use */
    bool limits_measured; /* true once the limits of the GPU are measured (limits.h) */
} ab_machine_state;

/* Opens the GPU and NVML unless the options exclude them, and reads the CPU's name. Close the state also after an
 * error. */
ab_status ab_state_open(const ab_options *options, ab_machine_state *state);

/* Lists what makes GPU times unreliable, one line of text each. meta.json has the same lines. Returns their number. */
enum { AB_WARNINGS = 2, AB_WARNING_TEXT = 128 };
int ab_state_warnings(const ab_machine_state *state, char warnings[AB_WARNINGS][AB_WARNING_TEXT]);

/* Releases the GPU for other processes. */
void ab_state_release(ab_machine_state *state);
void ab_state_close(ab_machine_state *state); /* accepts a zeroed state */

#endif
