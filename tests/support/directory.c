/* A directory of its own for a test (directory.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/directory.h"

int enter_directory(void **state)
{
    char directory[] = "/tmp/antbench-test-XXXXXX";
    if (mkdtemp(directory) == NULL || chdir(directory) != 0) return -1;
    *state = strdup(directory);
    return 0;
}

int remove_directory(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", (const char *)*state);
    free(*state);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}
