/* Reads what changes times on this machine (vitals.h). */
#include <ctype.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/text.h"
#include "bench/clock/cores.h"
#include "bench/clock/scheduler.h"
#include "bench/clock/vitals.h"

/* Reads the first line of a file; false if it cannot be read. */
static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");
    const bool read = file && fgets(line, size, file);
    if (file) fclose(file);
    if (!read) return false;
    line[strcspn(line, "\n")] = '\0';
    ab_clean(line);
    return true;
}

static void sleep_ms(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    nanosleep(&pause, NULL);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- The GPU ---- */

static void look_at_clock(ab_nvml *nvml, ab_vitals *v)
{
    enum { LOOKS = 6, PAUSE_MS = 25 };
    v->clock = (ab_clock_look){NAN, NAN, false};
    for (int i = 0; i < LOOKS; i++) {
        sleep_ms(PAUSE_MS);
        v->gpu = ab_nvml_read(nvml);
        v->clock.low_mhz = fmin(v->clock.low_mhz, v->gpu.sm_clock_mhz);
        v->clock.high_mhz = fmax(v->clock.high_mhz, v->gpu.sm_clock_mhz);
        v->clock.by_setting |= ab_nvml_holds_clock(v->gpu.throttle);
    }
}

/* Enqueues a kernel that runs for a quarter of a second. Returns whether it was enqueued. */
static bool start_kernel(gpu_clock **clock)
{
    const double busy_s = 0.25;
    *clock = NULL;
    return gpu_clock_open(1, clock).code == AB_OK && gpu_clock_delay(*clock, busy_s).code == AB_OK &&
           gpu_clock_mark(*clock, 0).code == AB_OK;
}

/* Reads clock and settings, while a kernel runs if the GPU is to work. */
static void read_gpu(const ab_machine_state *machine, bool works, ab_vitals *v)
{
    gpu_clock *clock = NULL;
    v->gpu = ab_nvml_read(machine->nvml);
    v->clock = (ab_clock_look){NAN, NAN, false};
    if (works) v->worked = start_kernel(&clock);
    if (v->worked) look_at_clock(machine->nvml, v);
    v->settings = ab_nvml_settings(machine->nvml);
    ab_nvml_throttle_text(machine->nvml, v->gpu.throttle, v->throttle);
    if (v->worked) (void)gpu_clock_wait(clock, 0);
    gpu_clock_close(clock);
    ab_nvml_driver_version(machine->nvml, v->driver);
    v->others = ab_nvml_other_processes(machine->nvml);
    v->clock_note = machine->clock_note;
}

/* ---- NUMA nodes ---- */

/* True if a list such as "0-3,8" has the number. */
static bool is_listed(const char *list, int number)
{
    while (isdigit((unsigned char)*list)) {
        char *end;
        const long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (number >= first && number <= last) return true;
        list = *end == ',' ? end + 1 : end;
    }
    return false;
}

static int count_nodes(void)
{
    enum { MOST_NODES = 1024 };
    char list[1024];
    int count = 0;
    if (!read_line("/sys/devices/system/node/online", list, sizeof list)) return AB_SETTING_UNKNOWN;
    for (int i = 0; i < MOST_NODES; i++) count += is_listed(list, i);
    return count > 0 ? count : AB_SETTING_UNKNOWN;
}

/* Linux writes PCI ids in lower case, and -1 if the firmware does not tell the node. */
static int find_node(const char *bus_id)
{
    char path[96], text[16], id[32];
    size_t length = 0;
    for (; bus_id[length] && length < sizeof id - 1; length++)
        id[length] = (char)tolower((unsigned char)bus_id[length]);
    id[length] = '\0';
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", id);
    const int node = read_line(path, text, sizeof text) ? atoi(text) : -1;
    return node >= 0 ? node : AB_SETTING_UNKNOWN;
}

static void read_nodes(const cpu_set_t *usable, ab_vitals *v)
{
    char path[64], list[4096];
    v->nodes = count_nodes();
    v->gpu_node = v->bus_id[0] ? find_node(v->bus_id) : AB_SETTING_UNKNOWN;
    v->near_cores = AB_SETTING_UNKNOWN;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", v->gpu_node);
    if (v->gpu_node < 0 || !read_line(path, list, sizeof list)) return;
    v->near_cores = 0;
    for (int i = 0; i < CPU_SETSIZE; i++) v->near_cores += CPU_ISSET((size_t)i, usable) && is_listed(list, i);
}

/* ---- The machine ---- */

static void read_governor(const cpu_set_t *usable, ab_vitals *v)
{
    char path[96], governor[sizeof v->governor];
    for (int i = 0; i < CPU_SETSIZE; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", i);
        if (!CPU_ISSET((size_t)i, usable) || !read_line(path, governor, sizeof governor)) continue;
        strcpy(v->governor, governor);
        if (strcmp(governor, "performance") != 0) return;
    }
}

static double read_free_memory(void)
{
    char line[256];
    double kib = NAN;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && isnan(kib) && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf kB", &kib) != 1) kib = NAN;
    if (file) fclose(file);
    return 1024.0 * kib;
}

/* Returns the room on the disk of a folder, or of the nearest folder above it that exists. */
static double read_free_disk(const char *out)
{
    char path[4096];
    struct statvfs disk;
    snprintf(path, sizeof path, "%s", out);
    while (statvfs(path[0] ? path : ".", &disk) != 0) {
        char *slash = strrchr(path, '/');
        if (!path[0]) return NAN;
        if (slash == path && path[1])
            path[1] = '\0';
        else
            *(slash && slash > path ? slash : path) = '\0';
    }
    return (double)disk.f_bavail * (double)disk.f_frsize;
}

/* Keeps all cores at work for a moment. Returns the share of it for which the host stopped one of them. */
static double look_for_steal(void)
{
    const double moment_s = 0.25, begin_s = now_s();
    ab_watch watch;
    ab_watch_begin(&watch);
    do (void)ab_cores_measure();
    while (now_s() - begin_s < moment_s);
    const ab_delays delays = ab_watch_end(&watch);
    return delays.stolen_s / (now_s() - begin_s);
}

static double read_load(void)
{
    char line[128];
    double load;
    return read_line("/proc/loadavg", line, sizeof line) && sscanf(line, "%lf", &load) == 1 ? load : (double)NAN;
}

static void read_machine(const char *out, bool works, ab_vitals *v)
{
    const ab_machine machine = ab_machine_query();
    v->is_virtual = machine.is_virtual;
    snprintf(v->hypervisor, sizeof v->hypervisor, "%s", machine.hypervisor);
    ab_clean(v->hypervisor);
    v->other_threads = ab_machine_others();
    v->load = read_load();
    v->tells_steal = ab_scheduler_query().steal;
    v->stolen = v->tells_steal && works ? look_for_steal() : (double)NAN;
    v->free_memory = read_free_memory();
    v->free_disk = read_free_disk(out);
}

ab_vitals ab_vitals_read(const ab_machine_state *machine, const char *out, bool works)
{
    ab_vitals v = {.wants_gpu = machine->have_gpu || machine->no_gpu[0]};
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) CPU_ZERO(&usable);
    v.no_gpu = machine->have_gpu ? NULL : machine->no_gpu;
    v.driver_cuda = machine->gpu.driver_version;
    v.toolkit_cuda = machine->gpu.runtime_version;
    v.cores = CPU_COUNT(&usable);
    snprintf(v.bus_id, sizeof v.bus_id, "%s", machine->gpu.pci_bus_id);
    read_machine(out, works, &v);
    read_governor(&usable, &v);
    if (machine->have_gpu) read_gpu(machine, works, &v);
    read_nodes(&usable, &v);
    return v;
}
