/* Opens the machine that a program measures on (state.h). */
#include <omp.h>
#include <stdio.h>

#include "bench/clock/machine.h"
#include "bench/clock/state.h"
#include "mpi/ranks.h"

static void lock_clock(const ab_options *options, ab_machine_state *state)
{
    const ab_status status = ab_clocks_lock(&state->clocks, state->gpu.pci_bus_id, options->lock_clocks);
    snprintf(state->no_lock, sizeof state->no_lock, "%s", status.reason);
    state->clock_note = state->no_lock;
}

ab_status ab_state_open(const ab_options *options, ab_machine_state *state)
{
    *state = (ab_machine_state){0};
    const ab_machine machine = ab_machine_query();
    snprintf(state->cpu_name, sizeof state->cpu_name, "%s", machine.cpu);
    state->cores = machine.usable_cores < omp_get_thread_limit() ? machine.usable_cores : omp_get_thread_limit();
    const bool locks = options->lock_clocks && options->action == AB_ACTION_RUN;
    if (locks) state->clock_note = "the backend chosen uses no GPU";
    if (options->backend == AB_BACKEND_CPU || options->backend == AB_BACKEND_HOST) return ab_ok();
    if (locks) AB_TRY(ab_clocks_open(&state->clocks));
    const ab_status status = gpu_open(options->device, &state->gpu);
    state->have_gpu = status.code == AB_OK;
    AB_TRY(ranks_devices(state->have_gpu ? state->gpu.uuid : ""));
    if (state->have_gpu) {
        state->nvml = ab_nvml_open(state->gpu.pci_bus_id);
        if (locks) lock_clock(options, state);
        return ab_ok();
    }
    if (status.code != AB_UNSUPPORTED) return status;
    if (options->backend == AB_BACKEND_CUDA) return ab_unsupported("--backend cuda: %s", status.reason);
    snprintf(state->no_gpu, sizeof state->no_gpu, "%s", status.reason);
    return ab_ok();
}

int ab_state_warnings(const ab_machine_state *state, char warnings[AB_WARNINGS][AB_WARNING_TEXT])
{
    int count = 0;
    const int others = state->have_gpu ? ab_nvml_other_processes(state->nvml) : 0;
    if (state->have_gpu && !state->clock_note)
        snprintf(warnings[count++], AB_WARNING_TEXT,
                 "the GPU's clock is not locked, so times vary (use --lock-clocks base if permitted)");
    if (others > 0)
        snprintf(warnings[count++], AB_WARNING_TEXT,
                 "%d other process%s on this GPU: times will be longer and less certain", others,
                 others == 1 ? " computes" : "es compute");
    return count;
}

void ab_state_release(ab_machine_state *state)
{
    if (state->have_gpu) gpu_close();
}

void ab_state_close(ab_machine_state *state)
{
    ab_nvml_close(state->nvml);
    ab_clocks_close(&state->clocks);
}
