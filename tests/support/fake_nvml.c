/* Loading the fake NVML (fake_nvml.h). */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/fake_nvml.h"

/* Once a library of this name is loaded, from wherever, dlopen by that name returns it. */
int load_fake_nvml(void **state)
{
    (void)state;
    char directory[] = "/tmp/antbench-nvml-XXXXXX", library[64], command[256];
    if (!mkdtemp(directory)) return -1;
    snprintf(library, sizeof library, "%s/fake.so", directory);
    snprintf(command, sizeof command,
             "gcc -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o %s tests/fake_nvml/fake_nvml.c", library);
    const bool loaded = system(command) == 0 && dlopen(library, RTLD_NOW);
    return unlink(library) == 0 && rmdir(directory) == 0 && loaded ? 0 : -1;
}
