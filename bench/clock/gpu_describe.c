/* Describes a GPU for meta.json, or explains why there is no GPU (gpu.h). */
#include <jansson.h>
#include <math.h>

#include "bench/clock/gpu.h"
#include "bench/clock/machine.h"
#include "bench/clock/nvml.h"

ab_status gpu_missing(int driver_version, int runtime_version, const char *error)
{
    if (driver_version == 0) return ab_unsupported("no NVIDIA driver is installed");
    if (driver_version / 1000 < runtime_version / 1000)
        return ab_unsupported(
            "the NVIDIA driver supports CUDA %d.%d, but this program needs CUDA %d: install a newer driver, or "
            "build with an older toolkit",
            driver_version / 1000, driver_version % 1000 / 10, runtime_version / 1000);
    return ab_unsupported("CUDA finds no usable GPU (%s)", error[0] ? error : "none found");
}

static void set_known(json_t *object, const char *key, double value)
{
    if (isfinite(value)) json_object_set_new(object, key, json_real(value));
}

char *gpu_describe(const gpu_info *info, struct ab_nvml *nvml)
{
    char driver[32], fingerprint[65];
    const int others = ab_nvml_other_processes(nvml);
    ab_nvml_driver_version(nvml, driver);
    const ab_gpu_state state = ab_nvml_read(nvml);
    json_t *gpu =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:b, s:s, s:i, s:i}", "name",
                  info->name, "uuid", info->uuid, "pci_bus_id", info->pci_bus_id, "device", info->device, "sm_count",
                  info->sm_count, "compute_capability", info->compute_capability, "clock_mhz", info->clock_mhz,
                  "memory_clock_mhz", info->memory_clock_mhz, "memory_bus_bits", info->memory_bus_bits, "memory_bytes",
                  (json_int_t)info->memory_bytes, "l2_bytes", (json_int_t)info->l2_bytes, "shared_per_sm_bytes",
                  (json_int_t)info->shared_per_sm_bytes, "shared_per_block_bytes",
                  (json_int_t)info->shared_per_block_bytes, "ecc", info->ecc, "driver", driver, "cuda_driver_api",
                  info->driver_version, "cuda_runtime", info->runtime_version);
    if (!gpu) return NULL;
    if (info->uuid[0]) {
        ab_fingerprint("device", info->uuid, fingerprint);
        json_object_set_new(gpu, "fingerprint", json_string(fingerprint));
    }
    if (others >= 0) json_object_set_new(gpu, "other_processes", json_integer(others));
    set_known(gpu, "power_limit_w", state.power_limit_w);
    set_known(gpu, "temperature_c", state.temperature_c);
    set_known(gpu, "sm_clock_mhz", state.sm_clock_mhz);
    char *text = json_dumps(gpu, JSON_COMPACT);
    json_decref(gpu);
    return text;
}
