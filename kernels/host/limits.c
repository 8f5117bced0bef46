/* Cutting the host backend's device (host_backend.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/host/host_backend.h"
#include "kernels/host/limits.h"

#define USUAL                                                                                                          \
    {                                                                                                                  \
        .shared = HOST_DYNAMIC_SHARED, .processors = 1, .together = 1, .l2 = 32 * 1024                                 \
    }

host_limits host_device_limits = USUAL;
static char described[64];

/* A limit by its name, and the numbers that it may be. */
typedef struct named_limit {
    const char *name;
    int least, most;
    int *value;
} named_limit;

/* Reads one "name=number"; *end is behind it. */
static bool read_limit(const char *text, const named_limit *limits, int count, const char **end)
{
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(limits[i].name);
        char *behind = NULL;
        if (strncmp(text, limits[i].name, length) != 0 || text[length] != '=') continue;
        if (text[length + 1] < '0' || text[length + 1] > '9') return false;
        const long value = strtol(text + length + 1, &behind, 10);
        if (value < limits[i].least || value > limits[i].most) return false;
        *limits[i].value = (int)value;
        *end = behind;
        return true;
    }
    return false;
}

ab_status host_backend_set_device(const char *cuts)
{
    host_limits cut = USUAL;
    const named_limit limits[] = {
        {"shared", 1, HOST_DYNAMIC_SHARED, &cut.shared},
        {"processors", 1, 1024, &cut.processors},
        {"together", 1, HOST_MOST_TOGETHER, &cut.together},
        {"l2", 0, 1 << 30, &cut.l2},
    };
    const char *text = cuts ? cuts : "";
    bool good = strlen(text) < sizeof described;
    for (const char *at = text; good && *at;) {
        good = read_limit(at, limits, sizeof limits / sizeof *limits, &at) && (!*at || (*at == ',' && at[1]));
        if (*at == ',') at++;
    }
    if (!good)
        return ab_bad_input(HOST_BACKEND_DEVICE
                            " must be like shared=20000,processors=8,l2=0, with at most %d bytes of "
                            "shared memory, 1 to 1024 processors and 1 to %d blocks together, not %.80s",
                            HOST_DYNAMIC_SHARED, HOST_MOST_TOGETHER, text);
    host_device_limits = cut;
    snprintf(described, sizeof described, "%s", text);
    return ab_ok();
}

const char *host_backend_device(void)
{
    return described;
}
