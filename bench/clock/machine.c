/* Describes the computer that a run is made on (bench/clock/machine.h). */
#include <ctype.h>
#include <sched.h>
#include <math.h>
#include <stdbool.h>
#include <time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif

#include "base/digest.h"
#include "bench/clock/machine.h"

/* Reads a value from the first line of the file that begins with `key`. Skips any `separators` after the key and
 * removes quotes. Leaves text[size] unchanged if there is no such line. */
static void read_value(const char *path, const char *key, const char *separators, char *text, size_t size)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        const char *value = line + strlen(key);
        value += strspn(value, separators);
        snprintf(text, size, "%.*s", (int)strcspn(value, "\"\n"), value);
        break;
    }
    if (file) fclose(file);
}

/* ---- Virtual machines ---- */

#if defined __x86_64__ || defined __i386__
static void find_hypervisor(ab_machine *machine)
{
    enum { FEATURES = 1, HYPERVISOR_BIT = 31 };
    const unsigned of_hypervisors = 0x40000000u;
    unsigned a, b, c, d;
    if (!__get_cpuid(FEATURES, &a, &b, &c, &d)) return;
    machine->is_virtual = (int)(c >> HYPERVISOR_BIT & 1u);
    if (!machine->is_virtual) return;
    __cpuid(of_hypervisors, a, b, c, d);
    const unsigned name[] = {b, c, d};
    snprintf(machine->hypervisor, sizeof machine->hypervisor, "%.*s", (int)sizeof name, (const char *)name);
}
#else
/* Finds the name that the firmware gives the machine. On a physical machine this is the vendor. */
static void find_hypervisor(ab_machine *machine)
{
    static const char *const known[] = {"QEMU", "KVM", "Xen", "VMware", "Amazon EC2", "Google Compute Engine"};
    char product[64] = "", vendor[64] = "";
    read_value("/sys/class/dmi/id/product_name", "", "", product, sizeof product);
    read_value("/sys/class/dmi/id/sys_vendor", "", "", vendor, sizeof vendor);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(product, known[i]) || strstr(vendor, known[i])) {
            machine->is_virtual = 1;
            snprintf(machine->hypervisor, sizeof machine->hypervisor, "%s", known[i]);
        }
}
#endif

/* ---- Cores ---- */

/* Counts the processors in a list such as "0,8" or "0-3". */
static int count_listed(const char *list)
{
    int count = 0;
    while (isdigit((unsigned char)*list)) {
        char *end;
        const long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        count += (int)(last - first + 1);
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

static int count_usable_cores(int logical_cores)
{
    cpu_set_t set;
    /* The call fails on machines with more cores than the set can hold. Then all cores count. */
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : logical_cores;
}

static int64_t cache_bytes(int name)
{
    const long bytes = sysconf(name);
    return bytes > 0 ? bytes : 0;
}

ab_machine ab_machine_query(void)
{
    ab_machine machine = {.os = "unknown", .is_virtual = -1};
    char siblings[256] = "";
    struct utsname system;
    uname(&system);
    snprintf(machine.host_name, sizeof machine.host_name, "%s", system.nodename);
    snprintf(machine.kernel, sizeof machine.kernel, "%s %s %s", system.sysname, system.release, system.machine);
    snprintf(machine.cpu, sizeof machine.cpu, "%s CPU", system.machine);
    read_value("/etc/os-release", "PRETTY_NAME", "=\"", machine.os, sizeof machine.os);
    read_value("/proc/cpuinfo", "model name", " \t:", machine.cpu, sizeof machine.cpu);
    read_value("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", "", machine.governor,
               sizeof machine.governor);
    machine.logical_cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    machine.usable_cores = count_usable_cores(machine.logical_cores);
    machine.memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGE_SIZE);
    find_hypervisor(&machine);
    read_value("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "", "", siblings, sizeof siblings);
    machine.threads_per_core = count_listed(siblings);
    machine.l1i_bytes = cache_bytes(_SC_LEVEL1_ICACHE_SIZE);
    machine.l1d_bytes = cache_bytes(_SC_LEVEL1_DCACHE_SIZE);
    machine.l2_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE);
    machine.l3_bytes = cache_bytes(_SC_LEVEL3_CACHE_SIZE);
    return machine;
}

/* ---- Names ---- */

void ab_fingerprint(const char *kind, const char *text, char digest[65])
{
    char salted[512];
    const int length = snprintf(salted, sizeof salted, "antbench %s %s", kind, text);
    sha256_hex(salted, strnlen(salted, (size_t)length), digest);
}

void ab_machine_fingerprint(const char *uuid, char digest[65])
{
    char first[32] = "", id[64] = "";
    read_value("/proc/1/comm", "", "", first, sizeof first);
    if (strcmp(first, "systemd") == 0) read_value("/etc/machine-id", "", "", id, sizeof id);
    digest[0] = '\0';
    if (id[0] || uuid[0]) ab_fingerprint("host", id[0] ? id : uuid, digest);
}

void ab_machine_slug(const char *name, char slug[96])
{
    size_t length = 0;
    for (; *name && length < 95; name++) {
        if (*name == '(') name += strcspn(name, ")"); /* skips "(R)" and "(TM)" */
        if (isalnum((unsigned char)*name))
            slug[length++] = (char)tolower((unsigned char)*name);
        else if (length > 0 && slug[length - 1] != '-')
            slug[length++] = '-';
        if (!*name) break; /* the parenthesis is never closed */
    }
    while (length > 0 && slug[length - 1] == '-') length--;
    slug[length] = '\0';
    if (length == 0) strcpy(slug, "unknown");
}

/* ---- Others ---- */

/* Counts the threads that are running now, without this one; -1 if the system does not report them. */
static int count_others(void)
{
    int running = 0;
    FILE *file = fopen("/proc/loadavg", "r");
    const bool read = file && fscanf(file, "%*f %*f %*f %d/", &running) == 1;
    if (file) fclose(file);
    return read ? running - 1 : -1;
}

static double look_for_others(void)
{
    enum { LOOKS = 10 };
    const struct timespec pause = {.tv_nsec = 50000000};
    double sum = 0.0;
    for (int i = 0; i < LOOKS; i++) {
        const int others = count_others();
        if (others < 0) return NAN;
        sum += others;
        if (i == 1 && sum == 0.0) return 0.0;
        nanosleep(&pause, NULL);
    }
    return sum / LOOKS;
}

double ab_machine_others(void)
{
    static double others = -1.0;
    if (others == -1.0) others = look_for_others();
    return others;
}
