/* More allocations than a state has room for (tests/bench/test_registry.c). */
#include "kernels/cuda/device_memory.h"
#include "tests/planted/device_memory.h"

static ab_status allocate(device_memory *memory, int count, bool pinned)
{
    for (int i = 0; i < count; ++i) {
        int *array = NULL;
        AB_TRY(pinned ? device_allocate_pinned(memory, &array, 3) : device_allocate(memory, &array, 3));
        array[2] = i; /* the host backend's device memory is the host's */
    }
    return ab_ok();
}

extern "C" ab_status planted_allocate_host(int count, bool pinned)
{
    device_memory memory = {};
    const ab_status status = allocate(&memory, count, pinned);
    device_free(&memory);
    return status;
}
