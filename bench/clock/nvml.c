/* Calls NVML through dlopen (bench/clock/nvml.h). Prototypes and constants follow the library's public interface, "NVML
 * API Reference Guide". Its header is not needed to build. */
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock/nvml.h"
#include "bench/plan/options.h"

typedef struct nvml_device *nvml_handle;

enum { NVML_SUCCESS = 0, NVML_TEMPERATURE_GPU = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum { NVML_ERROR_NOT_SUPPORTED = 3, NVML_ERROR_INSUFFICIENT_SIZE = 7, NVML_FI_DEV_POWER_INSTANT = 186 };
enum { NVML_UNCORRECTED = 1, NVML_SINCE_LOADED = 0, NVML_SLOWDOWN = 1 };
/* Value that stands for the base clock instead of a frequency. */
static const unsigned NVML_CLOCK_LIMIT_ID_TDP = 0xffff0001u;

/* nvmlFieldValue_t: the id of a field, and the driver's answer. */
typedef struct field_value {
    unsigned field, scope;
    long long timestamp, latency_us;
    int type, result;
    union {
        double real;
        unsigned long long whole; /* also holds 32-bit values, because the structure is zeroed before */
    } value;
} field_value;

/* nvmlProcessInfo_t in version 3 of the list. */
typedef struct gpu_process {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
} gpu_process;

enum { MOST_PROCESSES = 64 };

struct ab_nvml {
    void *library;
    nvml_handle device;
    /* Functions of the library. They return NVML_SUCCESS or an error code. All but shutdown may be NULL. */
    int (*shutdown)(void);
    int (*clock_info)(nvml_handle device, int clock, unsigned *mhz);
    int (*temperature)(nvml_handle device, int sensor, unsigned *celsius);
    int (*power_usage)(nvml_handle device, unsigned *milliwatt);
    int (*field_values)(nvml_handle device, int count, field_value *values);
    int (*processes)(nvml_handle device, unsigned *count, gpu_process *processes);
    int (*power_limit)(nvml_handle device, unsigned *milliwatt);
    int (*throttle_reasons)(nvml_handle device, unsigned long long *mask);
    int (*driver_version)(char *version, unsigned size);
    int (*count)(unsigned *count);
    int (*by_index)(unsigned index, nvml_handle *device);
    int (*uuid)(nvml_handle device, char *uuid, unsigned size);
    int (*total_energy)(nvml_handle device, unsigned long long *millijoule);
    int (*lock_clocks)(nvml_handle device, unsigned least_mhz, unsigned most_mhz);
    int (*free_clocks)(nvml_handle device);
    const char *(*error_text)(int error);
};

typedef struct throttle_reason {
    unsigned long long bit;
    const char *name;
    bool discards; /* true if a sample taken under this reason is invalid */
} throttle_reason;

static const throttle_reason reasons[] = {
    {0x001, "idle", false},       {0x002, "app-clocks", false}, {0x004, "power-cap", false},
    {0x008, "hw-slowdown", true}, {0x010, "sync-boost", false}, {0x020, "sw-thermal", true},
    {0x040, "hw-thermal", true},  {0x080, "power-brake", true}, {0x100, "display", false},
};

static const unsigned long long APP_CLOCKS = 0x002;

enum { N_REASONS = sizeof reasons / sizeof *reasons };

/* Fills in the functions from the loaded library. POSIX allows storing a function pointer through a void pointer. */
static void find_functions(ab_nvml *nvml)
{
    const struct {
        void *function;
        const char *symbol;
    } wanted[] = {{&nvml->shutdown, "nvmlShutdown"},
                  {&nvml->clock_info, "nvmlDeviceGetClockInfo"},
                  {&nvml->temperature, "nvmlDeviceGetTemperature"},
                  {&nvml->power_usage, "nvmlDeviceGetPowerUsage"},
                  {&nvml->field_values, "nvmlDeviceGetFieldValues"},
                  {&nvml->processes, "nvmlDeviceGetComputeRunningProcesses_v3"},
                  {&nvml->power_limit, "nvmlDeviceGetEnforcedPowerLimit"},
                  {&nvml->throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons"},
                  {&nvml->driver_version, "nvmlSystemGetDriverVersion"},
                  {&nvml->count, "nvmlDeviceGetCount_v2"},
                  {&nvml->by_index, "nvmlDeviceGetHandleByIndex_v2"},
                  {&nvml->uuid, "nvmlDeviceGetUUID"},
                  {&nvml->total_energy, "nvmlDeviceGetTotalEnergyConsumption"},
                  {&nvml->lock_clocks, "nvmlDeviceSetGpuLockedClocks"},
                  {&nvml->free_clocks, "nvmlDeviceResetGpuLockedClocks"},
                  {&nvml->error_text, "nvmlErrorString"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(nvml->library, wanted[i].symbol);
        memcpy(wanted[i].function, &symbol, sizeof symbol);
    }
}

static bool start(ab_nvml *nvml, const char *pci_bus_id)
{
    int (*init)(void);
    int (*find_device)(const char *bus_id, nvml_handle *device);
    void *symbols[] = {dlsym(nvml->library, "nvmlInit_v2"), dlsym(nvml->library, "nvmlDeviceGetHandleByPciBusId_v2")};
    memcpy(&init, &symbols[0], sizeof init);
    memcpy(&find_device, &symbols[1], sizeof find_device);
    find_functions(nvml);
    if (!init || !nvml->shutdown || init() != NVML_SUCCESS) return false;
    if (!pci_bus_id || (find_device && find_device(pci_bus_id, &nvml->device) == NVML_SUCCESS)) return true;
    nvml->shutdown();
    return false;
}

ab_nvml *ab_nvml_open(const char *pci_bus_id)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    ab_nvml *nvml = library ? calloc(1, sizeof *nvml) : NULL;
    if (nvml) nvml->library = library;
    if (nvml && start(nvml, pci_bus_id)) return nvml;
    if (library) dlclose(library);
    free(nvml);
    return NULL;
}

void ab_nvml_close(ab_nvml *nvml)
{
    if (!nvml) return;
    nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}

static double clock_mhz(const ab_nvml *nvml, int clock)
{
    unsigned mhz;
    const bool known = nvml->clock_info && nvml->clock_info(nvml->device, clock, &mhz) == NVML_SUCCESS;
    return known ? (double)mhz : (double)NAN;
}

static double watt(int (*read)(nvml_handle, unsigned *), nvml_handle device)
{
    unsigned milliwatt;
    return read && read(device, &milliwatt) == NVML_SUCCESS ? milliwatt / 1000.0 : NAN;
}

/* Returns the power at this moment, or the mean over the last second if the driver does not report the former. */
static double power_w(const ab_nvml *nvml)
{
    field_value power = {.field = NVML_FI_DEV_POWER_INSTANT};
    const bool told = nvml->field_values && nvml->field_values(nvml->device, 1, &power) == NVML_SUCCESS &&
                      power.result == NVML_SUCCESS && power.value.whole > 0;
    return told ? (double)power.value.whole / 1000.0 : watt(nvml->power_usage, nvml->device);
}

static bool discards(unsigned long long throttle)
{
    for (int i = 0; i < N_REASONS; i++)
        if (reasons[i].discards && (throttle & reasons[i].bit)) return true;
    return false;
}

ab_gpu_state ab_nvml_read(ab_nvml *nvml)
{
    ab_gpu_state state = {NAN, NAN, NAN, NAN, NAN, 0, false};
    if (!nvml) return state;
    unsigned celsius;
    state.sm_clock_mhz = clock_mhz(nvml, NVML_CLOCK_SM);
    state.memory_clock_mhz = clock_mhz(nvml, NVML_CLOCK_MEMORY);
    if (nvml->temperature && nvml->temperature(nvml->device, NVML_TEMPERATURE_GPU, &celsius) == NVML_SUCCESS)
        state.temperature_c = celsius;
    state.power_w = power_w(nvml);
    state.power_limit_w = watt(nvml->power_limit, nvml->device);
    if (!nvml->throttle_reasons || nvml->throttle_reasons(nvml->device, &state.throttle) != NVML_SUCCESS)
        state.throttle = 0;
    state.throttled = discards(state.throttle);
    return state;
}

/* ---- Settings ---- */

/* Points *function to a function of the library; false if the library lacks it. */
static bool find(const ab_nvml *nvml, const char *symbol, void *function)
{
    void *found = dlsym(nvml->library, symbol);
    memcpy(function, &found, sizeof found);
    return found;
}

static int setting(int error, unsigned long long value)
{
    if (error == NVML_ERROR_NOT_SUPPORTED) return AB_SETTING_NONE;
    return error == NVML_SUCCESS && value <= INT_MAX ? (int)value : AB_SETTING_UNKNOWN;
}

static int read_setting(const ab_nvml *nvml, const char *symbol)
{
    int (*read)(nvml_handle, unsigned *);
    unsigned value = 0;
    if (!find(nvml, symbol, &read)) return AB_SETTING_UNKNOWN;
    const int error = read(nvml->device, &value);
    return setting(error, value);
}

/* Reads a setting that has several kinds. */
static int read_kind(const ab_nvml *nvml, const char *symbol, int kind)
{
    int (*read)(nvml_handle, int, unsigned *);
    unsigned value = 0;
    if (!find(nvml, symbol, &read)) return AB_SETTING_UNKNOWN;
    const int error = read(nvml->device, kind, &value);
    return setting(error, value);
}

/* Reads a switch as it is, and as it will be after the next start of the machine. */
static void read_switch(const ab_nvml *nvml, const char *symbol, int *now, int *next)
{
    int (*read)(nvml_handle, unsigned *, unsigned *);
    unsigned is = 0, will_be = 0;
    const int error = find(nvml, symbol, &read) ? read(nvml->device, &is, &will_be) : -1;
    *now = setting(error, is);
    *next = setting(error, will_be);
}

static int read_memory_errors(const ab_nvml *nvml)
{
    int (*read)(nvml_handle, int, int, unsigned long long *);
    unsigned long long count = 0;
    if (!find(nvml, "nvmlDeviceGetTotalEccErrors", &read)) return AB_SETTING_UNKNOWN;
    const int error = read(nvml->device, NVML_UNCORRECTED, NVML_SINCE_LOADED, &count);
    return setting(error, count);
}

/* Newer drivers tell the margin. Older ones tell the temperature at which the GPU slows down. */
static int read_margin(const ab_nvml *nvml)
{
    struct {
        unsigned version; /* size of this structure, and 1 in the highest byte */
        int degrees;
    } margin = {(1u << 24) | (unsigned)sizeof margin, 0};
    int (*read)(nvml_handle, void *);
    unsigned celsius;
    if (find(nvml, "nvmlDeviceGetMarginTemperature", &read) && read(nvml->device, &margin) == NVML_SUCCESS)
        return margin.degrees > 0 ? margin.degrees : 0;
    const int slowdown = read_kind(nvml, "nvmlDeviceGetTemperatureThreshold", NVML_SLOWDOWN);
    const bool known = slowdown > 0 && nvml->temperature &&
                       nvml->temperature(nvml->device, NVML_TEMPERATURE_GPU, &celsius) == NVML_SUCCESS;
    if (!known) return AB_SETTING_UNKNOWN;
    return slowdown > (int)celsius ? slowdown - (int)celsius : 0;
}

ab_gpu_settings ab_nvml_settings(const ab_nvml *nvml)
{
    ab_gpu_settings s;
    int mig_next;
    memset(&s, 0xff, sizeof s); /* every member is AB_SETTING_UNKNOWN */
    if (!nvml) return s;
    s.persistence = read_setting(nvml, "nvmlDeviceGetPersistenceMode");
    read_switch(nvml, "nvmlDeviceGetMigMode", &s.mig, &mig_next);
    read_switch(nvml, "nvmlDeviceGetEccMode", &s.ecc, &s.ecc_next);
    s.memory_errors = read_memory_errors(nvml);
    s.default_power_w = read_setting(nvml, "nvmlDeviceGetPowerManagementDefaultLimit");
    if (s.default_power_w > 0) s.default_power_w /= 1000;
    s.margin_c = read_margin(nvml);
    s.most_sm_mhz = read_kind(nvml, "nvmlDeviceGetMaxClockInfo", NVML_CLOCK_SM);
    s.pcie_generation = read_setting(nvml, "nvmlDeviceGetCurrPcieLinkGeneration");
    s.most_pcie_generation = read_setting(nvml, "nvmlDeviceGetMaxPcieLinkGeneration");
    s.pcie_width = read_setting(nvml, "nvmlDeviceGetCurrPcieLinkWidth");
    s.most_pcie_width = read_setting(nvml, "nvmlDeviceGetMaxPcieLinkWidth");
    return s;
}

double ab_nvml_energy_j(const ab_nvml *nvml)
{
    unsigned long long millijoule;
    const bool known = nvml && nvml->total_energy && nvml->total_energy(nvml->device, &millijoule) == NVML_SUCCESS;
    return known ? 1e-3 * (double)millijoule : (double)NAN;
}

int ab_nvml_other_processes(const ab_nvml *nvml)
{
    gpu_process found[MOST_PROCESSES];
    unsigned count = MOST_PROCESSES;
    const int error = nvml && nvml->processes ? nvml->processes(nvml->device, &count, found) : -1;
    const bool known = error == NVML_SUCCESS || error == NVML_ERROR_INSUFFICIENT_SIZE;
    return known ? (int)count - 1 : -1;
}

static ab_status refused(const ab_nvml *nvml, int error)
{
    if (error == NVML_SUCCESS) return ab_ok();
    if (!nvml->error_text) return ab_unsupported("NVML's error %d", error);
    return ab_unsupported("NVML says: %.128s", nvml->error_text(error));
}

ab_status ab_nvml_lock_clock(const ab_nvml *nvml, int mhz)
{
    const unsigned clock = mhz == AB_BASE_CLOCK ? NVML_CLOCK_LIMIT_ID_TDP : (unsigned)mhz;
    if (!nvml || !nvml->lock_clocks || !nvml->free_clocks) return ab_unsupported("NVML on this machine cannot do it");
    return refused(nvml, nvml->lock_clocks(nvml->device, clock, clock));
}

ab_status ab_nvml_free_clock(const ab_nvml *nvml)
{
    if (!nvml || !nvml->free_clocks) return ab_unsupported("NVML on this machine cannot do it");
    return refused(nvml, nvml->free_clocks(nvml->device));
}

void ab_nvml_throttle_text(const ab_nvml *nvml, unsigned long long throttle, char text[96])
{
    size_t length = 0;
    text[0] = '\0';
    if (!nvml) return;
    if (throttle == 0) strcpy(text, "none");
    for (int i = 0; i < N_REASONS; i++)
        if ((throttle & reasons[i].bit) && length < 95) {
            length += (size_t)snprintf(text + length, 96 - length, "%s%s", length ? "|" : "", reasons[i].name);
            throttle &= ~reasons[i].bit;
        }
    if (throttle && length < 95) snprintf(text + length, 96 - length, "%s0x%llx", length ? "|" : "", throttle);
}

bool ab_nvml_holds_clock(unsigned long long throttle)
{
    return throttle & APP_CLOCKS;
}

void ab_nvml_driver_version(const ab_nvml *nvml, char text[32])
{
    text[0] = '\0';
    if (nvml && nvml->driver_version && nvml->driver_version(text, 32) != NVML_SUCCESS) text[0] = '\0';
}

void ab_nvml_first_uuid(const ab_nvml *nvml, const char *uuid, char first[AB_UUID])
{
    unsigned count = 0;
    snprintf(first, AB_UUID, "%s", uuid);
    if (!nvml || !nvml->count || !nvml->by_index || !nvml->uuid || nvml->count(&count) != NVML_SUCCESS) return;
    for (unsigned i = 0; i < count; ++i) {
        nvml_handle device;
        char other[AB_UUID];
        if (nvml->by_index(i, &device) == NVML_SUCCESS && nvml->uuid(device, other, AB_UUID) == NVML_SUCCESS &&
            (!first[0] || strcmp(other, first) < 0))
            snprintf(first, AB_UUID, "%s", other);
    }
}
