/* Bytes of device memory (device_bytes.h). */
#include "kernels/cuda/device_bytes.h"

static size_t allocated, most;

void ab_device_took(size_t bytes)
{
    allocated += bytes;
    if (allocated > most) most = allocated;
}

void ab_device_gave(size_t bytes)
{
    allocated -= bytes;
}

size_t ab_device_bytes(void)
{
    return allocated;
}

void ab_device_peak_begin(void)
{
    most = allocated;
}

size_t ab_device_peak(void)
{
    return most;
}
