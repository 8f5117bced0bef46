/* Judges what changes times on this machine (doctor.h). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/root.h"
#include "bench/clock/doctor.h"

static const double gib = 1024.0 * 1024.0 * 1024.0;

/* Limits beyond which a fact spoils times, or a run. */
static const double least_memory_gib = 2.0, least_disk_gib = 1.0, most_stolen = 0.01, least_margin_c = 5.0;

const char *ab_prognosis_name(ab_prognosis verdict)
{
    static const char *const names[AB_PROGNOSES] = {"ok", "will spoil", "cannot tell"};
    return names[verdict];
}

/* ---- Findings ---- */

static ab_finding __attribute__((format(printf, 3, 4)))
found(const char *what, ab_prognosis verdict, const char *format, ...)
{
    ab_finding finding = {.what = what, .verdict = verdict};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding.value, sizeof finding.value, format, arguments);
    va_end(arguments);
    return finding;
}

static ab_finding __attribute__((format(printf, 2, 3))) advise(ab_finding finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding.advice, sizeof finding.advice, format, arguments);
    va_end(arguments);
    return finding;
}

/* A fact about the GPU that the driver does not tell. */
static ab_finding untold(const char *what)
{
    return advise(found(what, AB_CANNOT_TELL, "the driver does not tell"), "nvidia-smi -q shows what the driver knows");
}

/* ---- The GPU ---- */

static ab_finding judge_driver(const ab_vitals *v)
{
    char text[128];
    if (!v->driver_cuda || !v->toolkit_cuda) return untold("driver");
    snprintf(text, sizeof text, "%s%sfor CUDA %d.%d, toolkit %d.%d", v->driver, v->driver[0] ? " " : "",
             v->driver_cuda / 1000, v->driver_cuda % 1000 / 10, v->toolkit_cuda / 1000, v->toolkit_cuda % 1000 / 10);
    if (v->driver_cuda >= v->toolkit_cuda) return found("driver", AB_FINE, "%s", text);
    if (v->driver_cuda / 1000 < v->toolkit_cuda / 1000)
        return advise(found("driver", AB_SPOILS, "%s", text),
                      "install a driver for CUDA %d, or build with a toolkit of CUDA %d: make NVCC=FILE",
                      v->toolkit_cuda / 1000, v->driver_cuda / 1000);
    return advise(found("driver", AB_CANNOT_TELL, "%s", text),
                  "install a newer driver if kernels do not load: this one cannot translate the toolkit's PTX");
}

static ab_finding judge_clock(const ab_vitals *v)
{
    const double low = v->clock.low_mhz, high = v->clock.high_mhz;
    const int most = v->settings.most_sm_mhz;
    if (v->clock_note && !*v->clock_note) return found("clock", AB_FINE, "locked by --lock-clocks");
    if (!v->worked || isnan(high) || most <= 0) return untold("clock");
    if (low == high && high < most && v->clock.by_setting)
        return found("clock", AB_FINE, "held at %.0f of %d MHz", high, most);
    if (low == high && high < most)
        return advise(found("clock", AB_CANNOT_TELL, "%.0f of %d MHz, and no setting says why", high, most),
                      "nvidia-smi -q -d CLOCK,PERFORMANCE while a kernel runs");
    if (v->clock_note)
        return advise(found("clock", AB_SPOILS, "not locked: %.100s", v->clock_note),
                      "as an administrator: sudo nvidia-smi -i %s -lgc MHZ", v->bus_id);
    return advise(low == high ? found("clock", AB_SPOILS, "not locked, %.0f MHz", high)
                              : found("clock", AB_SPOILS, "not locked, %.0f to %.0f MHz", low, high),
                  "add --lock-clocks base to the command, with make: ARGS=\"--lock-clocks base\"");
}

static ab_finding judge_persistence(const ab_vitals *v)
{
    const int persistence = v->settings.persistence;
    if (persistence < 0) return untold("persistence");
    if (persistence) return found("persistence", AB_FINE, "on");
    return advise(found("persistence", AB_SPOILS, "off: the driver is loaded anew for each process"),
                  "sudo nvidia-smi -i %s -pm 1", v->bus_id);
}

static ab_finding judge_ecc(const ab_vitals *v)
{
    const ab_gpu_settings *s = &v->settings;
    if (s->ecc == AB_SETTING_NONE) return found("ECC", AB_FINE, "this GPU has none");
    if (s->ecc < 0) return untold("ECC");
    if (s->memory_errors > 0)
        return advise(found("ECC", AB_SPOILS, "%d uncorrected memory errors", s->memory_errors),
                      "nvidia-smi -q -d ECC lists them; then restart the machine");
    if (s->ecc_next >= 0 && s->ecc_next != s->ecc)
        return advise(found("ECC", AB_SPOILS, "%s now, and %s after the next start", s->ecc ? "on" : "off",
                            s->ecc_next ? "on" : "off"),
                      "restart the machine, or keep it as it is: sudo nvidia-smi -i %s -e %d", v->bus_id, s->ecc);
    return found("ECC", AB_FINE, "%s", s->ecc ? "on" : "off");
}

static ab_finding judge_mig(const ab_vitals *v)
{
    const int mig = v->settings.mig;
    if (mig == AB_SETTING_NONE) return found("MIG", AB_FINE, "this GPU has none");
    if (mig < 0) return untold("MIG");
    if (!mig) return found("MIG", AB_FINE, "off");
    return advise(found("MIG", AB_SPOILS, "on: this is a part of a GPU, and other parts share its power"),
                  "sudo nvidia-smi -i %s -mig 0", v->bus_id);
}

static ab_finding judge_power(const ab_vitals *v)
{
    const double limit_w = v->gpu.power_limit_w;
    const int default_w = v->settings.default_power_w;
    if (isnan(limit_w) || default_w <= 0) return untold("power");
    if (limit_w > default_w - 1.0) return found("power", AB_FINE, "up to %.0f W", limit_w);
    return advise(found("power", AB_SPOILS, "up to %.0f W, below the default of %d W", limit_w, default_w),
                  "sudo nvidia-smi -i %s -pl %d", v->bus_id, default_w);
}

static ab_finding judge_processes(const ab_vitals *v)
{
    if (v->others < 0) return untold("processes");
    if (v->others == 0) return found("processes", AB_FINE, "no other on this GPU");
    return advise(found("processes", AB_SPOILS, "%d other%s on this GPU", v->others, v->others == 1 ? "" : "s"),
                  "nvidia-smi lists them: wait for their end, or choose another GPU by --device N");
}

/* An idle GPU slows its link down, so a lower generation counts only if a kernel ran. */
static ab_finding judge_pcie(const ab_vitals *v)
{
    const ab_gpu_settings *s = &v->settings;
    char text[96];
    if (s->pcie_generation <= 0 || s->most_pcie_generation <= 0 || s->pcie_width <= 0 || s->most_pcie_width <= 0)
        return untold("PCIe");
    snprintf(text, sizeof text, "generation %d of %d, %d of %d lanes", s->pcie_generation, s->most_pcie_generation,
             s->pcie_width, s->most_pcie_width);
    const bool narrow = s->pcie_width < s->most_pcie_width, slow = s->pcie_generation < s->most_pcie_generation;
    if (!narrow && !slow) return found("PCIe", AB_FINE, "%s", text);
    if (!narrow && !v->worked)
        return advise(found("PCIe", AB_CANNOT_TELL, "%s", text), "antbench doctor looks while a kernel runs");
    return advise(found("PCIe", AB_SPOILS, "%s: copies to and from the GPU are slow", text),
                  "look at the slot and its settings in the firmware: sudo lspci -vv -s %s", v->bus_id);
}

static ab_finding judge_temperature(const ab_vitals *v)
{
    const double celsius = v->gpu.temperature_c;
    const int margin = v->settings.margin_c;
    if (isnan(celsius)) return untold("temperature");
    if (margin < 0)
        return advise(found("temperature", AB_CANNOT_TELL, "%.0f °C, and the driver does not tell the limit", celsius),
                      "nvidia-smi -q -d TEMPERATURE shows what the driver knows");
    if (margin >= least_margin_c) return found("temperature", AB_FINE, "%.0f °C, %d below the limit", celsius, margin);
    return advise(found("temperature", AB_SPOILS, "%.0f °C, %d below the limit", celsius, margin),
                  "let the GPU cool, and look at its fans and the air around it");
}

static ab_finding judge_slowdown(const ab_vitals *v)
{
    if (!v->throttle[0]) return untold("slowdown");
    if (!v->gpu.throttled) return found("slowdown", AB_FINE, "no");
    return advise(found("slowdown", AB_SPOILS, "%s", v->throttle),
                  "look at cooling and power supply: nvidia-smi -q -d PERFORMANCE");
}

static ab_finding judge_numa(const ab_vitals *v)
{
    char command[96];
    if (v->nodes == 1) return found("NUMA", AB_FINE, "one node");
    if (v->gpu_node < 0 || v->near_cores < 0)
        return advise(found("NUMA", AB_CANNOT_TELL, "the system does not tell the GPU's node"),
                      "nvidia-smi topo -m shows what the driver knows");
    if (v->near_cores == v->cores) return found("NUMA", AB_FINE, "GPU and cores on node %d", v->gpu_node);
    snprintf(command, sizeof command, "numactl --cpunodebind=%d --membind=%d", v->gpu_node, v->gpu_node);
    return advise(found("NUMA", AB_SPOILS, "the GPU is on node %d, and %d of %d cores are elsewhere", v->gpu_node,
                        v->cores - v->near_cores, v->cores),
                  "put this before the command, for rows on the GPU: %s", command);
}

/* ---- The machine ---- */

static ab_finding judge_governor(const ab_vitals *v)
{
    if (!v->governor[0])
        return advise(found("governor", AB_CANNOT_TELL, "the system does not tell how it sets the cores' clocks"),
                      "on a virtual machine ask who runs the host; else switch on cpufreq in the firmware");
    if (strcmp(v->governor, "performance") == 0) return found("governor", AB_FINE, "performance");
    return advise(found("governor", AB_SPOILS, "%s: the cores' clocks follow the load", v->governor),
                  "sudo cpupower frequency-set -g performance");
}

static ab_finding judge_virtual(const ab_vitals *v)
{
    const char *by = v->hypervisor[0] ? v->hypervisor : "an unknown hypervisor";
    if (v->is_virtual == 0) return found("virtual", AB_FINE, "no");
    if (v->is_virtual == 1 && v->tells_steal)
        return found("virtual", AB_FINE, "yes, by %s, which counts the time that it takes", by);
    const char *const advice = "compare rows by make ab, whose processes take turns";
    if (v->is_virtual == 1)
        return advise(found("virtual", AB_CANNOT_TELL, "yes, by %s, which hides the load of others", by), "%s", advice);
    return advise(found("virtual", AB_CANNOT_TELL, "the system does not tell"), "%s", advice);
}

static ab_finding judge_steal(const ab_vitals *v)
{
    if (v->is_virtual == 0) return found("steal", AB_FINE, "none, for this is no virtual machine");
    if (isnan(v->stolen))
        return advise(
            found("steal", AB_CANNOT_TELL, "%s", v->tells_steal ? "not measured" : "the system does not tell"), "%s",
            v->tells_steal ? "antbench doctor measures it" : "ask who runs the host");
    if (v->stolen <= most_stolen) return found("steal", AB_FINE, "%.0f %% of a core", 100.0 * v->stolen);
    return advise(found("steal", AB_SPOILS, "the host takes %.0f %% of a core", 100.0 * v->stolen),
                  "take a machine with cores of its own, or try again later");
}

static ab_finding judge_load(const ab_vitals *v)
{
    char average[48] = "";
    if (!isnan(v->load)) snprintf(average, sizeof average, " (load %.1f in the last minute)", v->load);
    if (isnan(v->other_threads))
        return advise(found("load", AB_CANNOT_TELL, "the system does not tell which threads run%s", average),
                      "top shows what the system knows");
    if (v->other_threads < AB_BUSY) return found("load", AB_FINE, "no other thread runs%s", average);
    return advise(found("load", AB_SPOILS, "%.1f other threads run%s", v->other_threads, average),
                  "top lists them: wait for their end, or leave them cores: taskset -c LIST before the command");
}

static ab_finding judge_room(const char *what, double bytes, double least_gib, const char *advice)
{
    if (isnan(bytes))
        return advise(found(what, AB_CANNOT_TELL, "the system does not tell how much is free"), "%s", advice);
    if (bytes >= least_gib * gib) return found(what, AB_FINE, "%.1f GiB free", bytes / gib);
    return advise(found(what, AB_SPOILS, "%.1f GiB free, less than %.0f", bytes / gib, least_gib), "%s", advice);
}

static ab_finding judge_memory(const ab_vitals *v)
{
    return judge_room("memory", v->free_memory, least_memory_gib, "free -h and top show what takes it: end that");
}

static ab_finding judge_disk(const ab_vitals *v)
{
    return judge_room("disk", v->free_disk, least_disk_gib, "df -h shows the disks: write to another one by --out DIR");
}

/* ---- All of them ---- */

typedef ab_finding judge(const ab_vitals *vitals);

static void judge_all(const ab_vitals *vitals, judge *const *judges, int count, ab_diagnosis *diagnosis)
{
    for (int i = 0; i < count; i++) diagnosis->findings[diagnosis->count++] = judges[i](vitals);
}

static ab_finding judge_missing(const ab_vitals *v)
{
    const bool too_old = v->driver_cuda && v->driver_cuda / 1000 < v->toolkit_cuda / 1000;
    if (too_old) return judge_driver(v);
    return advise(found("GPU", AB_CANNOT_TELL, "%.150s", v->no_gpu),
                  "nvidia-smi shows what the driver finds; --backend cpu leaves GPUs out");
}

ab_diagnosis ab_diagnose(const ab_vitals *vitals)
{
    static judge *const of_gpu[] = {judge_driver,      judge_clock,    judge_persistence, judge_ecc,
                                    judge_mig,         judge_power,    judge_processes,   judge_pcie,
                                    judge_temperature, judge_slowdown, judge_numa},
                        *const missing[] = {judge_missing}, *const of_machine[] = {judge_governor, judge_virtual,
                                                                                   judge_steal,    judge_load,
                                                                                   judge_memory,   judge_disk};
    ab_diagnosis diagnosis = {.count = 0};
    if (vitals->wants_gpu && vitals->no_gpu)
        judge_all(vitals, missing, 1, &diagnosis);
    else if (vitals->wants_gpu)
        judge_all(vitals, of_gpu, sizeof of_gpu / sizeof *of_gpu, &diagnosis);
    judge_all(vitals, of_machine, sizeof of_machine / sizeof *of_machine, &diagnosis);
    return diagnosis;
}

ab_diagnosis ab_examine(const ab_options *options, const ab_machine_state *machine, bool works)
{
    char runs[1024] = "";
    if (!options->out && ab_own_path(runs, sizeof runs, "results/runs").code != AB_OK) runs[0] = '\0';
    const ab_vitals vitals = ab_vitals_read(machine, options->out ? options->out : runs, works);
    return ab_diagnose(&vitals);
}

int ab_count_findings(const ab_diagnosis *diagnosis, ab_prognosis verdict)
{
    int count = 0;
    for (int i = 0; i < diagnosis->count; i++) count += diagnosis->findings[i].verdict == verdict;
    return count;
}

void ab_summarize(const ab_diagnosis *diagnosis, char *text, size_t size)
{
    static const ab_prognosis order[] = {AB_FINE, AB_CANNOT_TELL, AB_SPOILS};
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof order / sizeof *order && length < size; i++) {
        const int count = ab_count_findings(diagnosis, order[i]);
        if (count == 0) continue;
        length += (size_t)snprintf(text + length, size - length, "%s%d %s", length ? ", " : "", count,
                                   ab_prognosis_name(order[i]));
    }
    const char *before = ": ";
    for (int i = 0; i < diagnosis->count && length < size; i++) {
        const ab_finding *finding = &diagnosis->findings[i];
        if (finding->verdict != AB_SPOILS) continue;
        length += (size_t)snprintf(text + length, size - length, "%s%s %s", before, finding->what, finding->value);
        before = "; ";
    }
}
