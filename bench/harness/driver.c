/* Finding drivers and their sets (driver.h). */
#include <string.h>

#include "bench/harness/driver.h"

#define DRIVER(name) extern const ab_driver name;
#include "drivers.inc"
#undef DRIVER

#define DRIVER(name) &name,
const ab_driver *const ab_drivers[] = {
#include "drivers.inc"
    NULL,
};

/* A driver's name alone is the thesis's: "3.3" is "thesis-3.3". */
static const char thesis[] = "thesis-";

const ab_driver *ab_driver_find(const char *name)
{
    if (strncmp(name, thesis, sizeof thesis - 1) == 0) name += sizeof thesis - 1;
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver)
        if (strcmp((*driver)->name, name) == 0) return *driver;
    return NULL;
}

static const char *find(const ab_set *sets, const char *name)
{
    for (; sets->name; ++sets)
        if (strcmp(sets->name, name) == 0) return sets->members;
    return NULL;
}

const char *ab_driver_set(const ab_driver *driver, const char *name)
{
    const char *found = find(driver->sets, name);
    for (const ab_driver *const *other = ab_drivers; *other && !found; ++other) found = find((*other)->sets, name);
    return found;
}
