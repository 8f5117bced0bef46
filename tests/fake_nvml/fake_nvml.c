/* A stand-in for libnvidia-ml.so.1 with one GPU, for the tests in tests/bench/clock. Environment variables say what it
 * reports: one that is not set is not supported, and "?" is an error. FAKE_CLOCK names a file to which it appends what
 * becomes of the clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, UNKNOWN = 999 };

static int answer(const char *variable, unsigned *value)
{
    const char *text = getenv(variable);
    if (!text) return NOT_SUPPORTED;
    if (strcmp(text, "?") == 0) return UNKNOWN;
    *value = (unsigned)strtoul(text, NULL, 0);
    return SUCCESS;
}

int nvmlInit_v2(void)
{
    return SUCCESS;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device)
{
    static char gpu;
    *device = &gpu;
    return strcmp(bus_id, "0000:65:00.0") == 0 ? SUCCESS : NOT_FOUND;
}

/* FAKE_UUIDS: the GPUs' UUIDs, separated by spaces. A handle is a place in this text. */
int nvmlDeviceGetCount_v2(unsigned *count)
{
    const char *uuids = getenv("FAKE_UUIDS");
    if (!uuids) return NOT_SUPPORTED;
    for (*count = 1; (uuids = strchr(uuids, ' ')); ++uuids) ++*count;
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, const char **device)
{
    for (*device = getenv("FAKE_UUIDS"); index > 0; --index) *device = strchr(*device, ' ') + 1;
    return SUCCESS;
}

int nvmlDeviceGetUUID(const char *device, char *uuid, unsigned size)
{
    snprintf(uuid, size, "%.*s", (int)strcspn(device, " "), device);
    return SUCCESS;
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    return answer(clock == 1 ? "FAKE_SM_MHZ" : "FAKE_MEMORY_MHZ", mhz);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    (void)device, (void)sensor;
    return answer("FAKE_CELSIUS", celsius);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatt)
{
    (void)device;
    return answer("FAKE_MILLIWATT", milliwatt);
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatt)
{
    (void)device;
    return answer("FAKE_LIMIT_MILLIWATT", milliwatt);
}

typedef struct field_value {
    unsigned field, scope;
    long long timestamp, latency;
    int type, result;
    unsigned milliwatt, above;
} field_value;

/* The power of this moment, which older drivers do not tell. */
int nvmlDeviceGetFieldValues(void *device, int count, field_value *value)
{
    (void)device;
    value->result = count == 1 && value->field == 186 ? answer("FAKE_MILLIWATT_NOW", &value->milliwatt) : NOT_SUPPORTED;
    return SUCCESS;
}

/* FAKE_PROCESSES of them, of which the lists hold 64. */
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *processes)
{
    const unsigned room = *count;
    (void)device;
    const int result = answer("FAKE_PROCESSES", count);
    if (result == SUCCESS && *count <= room) memset(processes, 0, 24 * *count);
    return result == SUCCESS && *count > room ? INSUFFICIENT_SIZE : result;
}

/* FAKE_WATT watts all the time, told every tenth of a second. */
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoule)
{
    unsigned watt;
    struct timespec now;
    (void)device;
    const int result = answer("FAKE_WATT", &watt);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (result == SUCCESS)
        *millijoule =
            100ull * watt * (10ull * (unsigned long long)now.tv_sec + (unsigned long long)now.tv_nsec / 100000000);
    return result;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *mask)
{
    unsigned value;
    (void)device;
    const int result = answer("FAKE_THROTTLE", &value);
    if (result == SUCCESS) *mask = value;
    return result;
}

int nvmlSystemGetDriverVersion(char *version, unsigned size)
{
    snprintf(version, size, "580.65.06");
    return SUCCESS;
}

int nvmlDeviceGetPersistenceMode(void *device, unsigned *mode)
{
    (void)device;
    return answer("FAKE_PERSISTENCE", mode);
}

static int answer_twice(const char *now, const char *next, unsigned *is, unsigned *will_be)
{
    const int result = answer(now, is);
    return result == SUCCESS ? answer(next, will_be) : result;
}

int nvmlDeviceGetMigMode(void *device, unsigned *is, unsigned *will_be)
{
    (void)device;
    return answer_twice("FAKE_MIG", "FAKE_MIG", is, will_be);
}

int nvmlDeviceGetEccMode(void *device, unsigned *is, unsigned *will_be)
{
    (void)device;
    return answer_twice("FAKE_ECC", "FAKE_ECC_NEXT", is, will_be);
}

/* Those that were not corrected, since the driver was loaded. */
int nvmlDeviceGetTotalEccErrors(void *device, int error, int counter, unsigned long long *count)
{
    unsigned value;
    (void)device;
    const int result = error == 1 && counter == 0 ? answer("FAKE_MEMORY_ERRORS", &value) : NOT_SUPPORTED;
    if (result == SUCCESS) *count = value;
    return result;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void *device, unsigned *milliwatt)
{
    (void)device;
    return answer("FAKE_DEFAULT_MILLIWATT", milliwatt);
}

int nvmlDeviceGetTemperatureThreshold(void *device, int threshold, unsigned *celsius)
{
    (void)device;
    return threshold == 1 ? answer("FAKE_SLOWDOWN_CELSIUS", celsius) : NOT_SUPPORTED;
}

typedef struct margin_temperature {
    unsigned version;
    int degrees;
} margin_temperature;

/* The margin, which older drivers do not tell. */
int nvmlDeviceGetMarginTemperature(void *device, margin_temperature *margin)
{
    unsigned value;
    (void)device;
    if (margin->version != (8u | 1u << 24)) return UNKNOWN;
    const int result = answer("FAKE_MARGIN", &value);
    if (result == SUCCESS) margin->degrees = (int)value;
    return result;
}

int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    return clock == 1 ? answer("FAKE_MOST_SM_MHZ", mhz) : NOT_SUPPORTED;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *generation)
{
    (void)device;
    return answer("FAKE_PCIE", generation);
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *generation)
{
    (void)device;
    return answer("FAKE_MOST_PCIE", generation);
}

int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *lanes)
{
    (void)device;
    return answer("FAKE_LANES", lanes);
}

int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *lanes)
{
    (void)device;
    return answer("FAKE_MOST_LANES", lanes);
}

static int change_clock(const char *format, unsigned least, unsigned most)
{
    const char *path = getenv("FAKE_CLOCK");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return NO_PERMISSION;
    fprintf(file, format, least, most);
    return fclose(file) == 0 ? SUCCESS : NO_PERMISSION;
}

int nvmlDeviceSetGpuLockedClocks(void *device, unsigned least, unsigned most)
{
    (void)device;
    return change_clock("locked %u %u\n", least, most);
}

int nvmlDeviceResetGpuLockedClocks(void *device)
{
    (void)device;
    return change_clock("free\n", 0, 0);
}

const char *nvmlErrorString(int error)
{
    return error == NO_PERMISSION ? "Insufficient Permissions" : "Unknown Error";
}
