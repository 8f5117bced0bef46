/* A stand-in for libnvidia-ml.so.1 with one GPU, for tests/bench/clock/test_nvml.c, test_clocks.c and test_clocks.py.
 * Environment variables say what it reports, and FAKE_CLOCK names a file to which it appends what becomes of the
 * clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

static int answer(const char *variable, unsigned *value)
{
    const char *text = getenv(variable);
    if (!text) return NOT_SUPPORTED;
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
