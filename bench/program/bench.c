/* The machine that a program measures with (bench.h). */
#include <stdio.h>

#include "bench/program/bench.h"
#include "bench/clock/machine.h"
#include "kernels/ranks.h"

/* One where MPI has started it, which starts others itself. As many as the profile has, but no more than there are runs
 * where the user says how many, and no fewer than make an interval where that is to become precise. */
static int count_processes(const ab_options *options)
{
    static const int of_profile[AB_PROFILES] = {[AB_SMOKE] = 1, [AB_QUICK] = 3, [AB_THESIS] = 10};
    if (options->processes) return options->processes;
    const int processes = of_profile[options->profile];
    if (ranks_started()) return 1;
    if (options->until_precise > 0.0) return processes > 1 ? processes : of_profile[AB_QUICK];
    return options->runs && options->runs < processes ? options->runs : processes;
}

static void lock_clock(ab_bench *bench)
{
    const ab_status status = ab_clocks_lock(&bench->clocks, bench->gpu.pci_bus_id, bench->options->lock_clocks);
    snprintf(bench->no_lock, sizeof bench->no_lock, "%s", status.reason);
    bench->clock_note = bench->no_lock;
}

ab_status ab_bench_open(const ab_options *options, ab_effort effort, ab_bench *bench)
{
    *bench = (ab_bench){.options = options, .effort = effort, .processes = count_processes(options)};
    if (ranks_started() && bench->processes > 1)
        return ab_bad_input("--processes: with MPI there is one at a time; run it again for more");
    bench->process = options->process ? options->process : 1;
    bench->most_processes = bench->processes * (options->until_precise > 0.0 ? AB_MORE_PROCESSES : 1);
    bench->effort.budget_s /= bench->processes;
    const ab_machine machine = ab_machine_query();
    snprintf(bench->cpu_name, sizeof bench->cpu_name, "%s", machine.cpu);
    bench->cores = machine.usable_cores;
    const bool locks = options->lock_clocks && options->action == AB_ACTION_RUN;
    if (locks) bench->clock_note = "no GPU takes part";
    if (options->backend == AB_BACKEND_CPU || options->backend == AB_BACKEND_HOST) return ab_ok();
    if (locks) AB_TRY(ab_clocks_open(&bench->clocks));
    const ab_status status = gpu_open(options->device, &bench->gpu);
    bench->have_gpu = status.code == AB_OK;
    AB_TRY(ranks_devices(bench->have_gpu ? bench->gpu.uuid : ""));
    if (bench->have_gpu) {
        bench->nvml = ab_nvml_open(bench->gpu.pci_bus_id);
        if (locks) lock_clock(bench);
        return ab_ok();
    }
    if (status.code != AB_UNSUPPORTED) return status;
    if (options->backend == AB_BACKEND_CUDA) return ab_unsupported("--backend cuda: %s", status.reason);
    snprintf(bench->no_gpu, sizeof bench->no_gpu, "%s", status.reason);
    return ab_ok();
}

int ab_bench_warnings(const ab_bench *bench, char warnings[AB_WARNINGS][AB_WARNING_TEXT])
{
    int count = 0;
    const int others = bench->have_gpu ? ab_nvml_other_processes(bench->nvml) : 0;
    if (bench->have_gpu && !bench->clock_note)
        snprintf(warnings[count++], AB_WARNING_TEXT,
                 "the GPU's clock is not locked, and times vary with it (--lock-clocks base, where permitted)");
    if (others > 0)
        snprintf(warnings[count++], AB_WARNING_TEXT, "%d other process%s on this GPU: its times will suffer", others,
                 others == 1 ? " computes" : "es compute");
    return count;
}

void ab_bench_release(ab_bench *bench)
{
    if (bench->have_gpu) gpu_close();
}

void ab_bench_close(ab_bench *bench)
{
    ab_nvml_close(bench->nvml);
    ab_clocks_close(&bench->clocks);
}

const ab_implementation *ab_bench_implementation(const ab_bench *bench, const char *id)
{
    static const ab_backend by_preference[] = {AB_CPU, AB_CUDA, AB_HOST};
    for (size_t i = 0; i < sizeof by_preference / sizeof *by_preference; ++i) {
        const ab_implementation *found = ab_find_implementation(id, by_preference[i]);
        if (found && ab_selected(bench->options, found, bench->have_gpu)) return found;
    }
    return NULL;
}

void ab_bench_count(ab_bench *bench, ab_row_status status)
{
    bench->any_wrong |= status == AB_ROW_WRONG;
    bench->any_error |= status == AB_ROW_ERROR;
    bench->any_done |= status == AB_ROW_OK || status == AB_ROW_NOISY || status == AB_ROW_FEW;
}

int ab_bench_exit_code(const ab_bench *bench)
{
    if (bench->any_wrong) return AB_EXIT_WRONG;
    if (bench->any_error) return AB_EXIT_ERROR;
    return bench->any_done ? AB_EXIT_OK : AB_EXIT_SKIPPED;
}
