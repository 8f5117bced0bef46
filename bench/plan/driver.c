/* Finds drivers and their sets, and reads their texts (driver.h). */
#include <stdio.h>
#include <string.h>

#include "bench/plan/driver.h"
#include "kernels/operation.h"

#define DRIVER(folder, name) extern const ab_driver name;
#include "drivers.inc"
#undef DRIVER

#define DRIVER(folder, name) &name,
const ab_driver *const ab_drivers[] = {
#include "drivers.inc"
    NULL,
};
#undef DRIVER

#define DRIVER(folder, name) #folder "/" #name,
static const char *const files[] = {
#include "drivers.inc"
};

/* A driver name without a source belongs to the thesis: "3.3" is "thesis-3.3". */
static const char thesis[] = "thesis-";

const ab_driver *ab_driver_find(const char *name)
{
    if (strncmp(name, thesis, sizeof thesis - 1) == 0) name += sizeof thesis - 1;
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver)
        if ((*driver)->name && strcmp((*driver)->name, name) == 0) return *driver;
    return NULL;
}

const char *ab_driver_file(const ab_driver *driver)
{
    for (int i = 0; ab_drivers[i]; ++i)
        if (ab_drivers[i] == driver) return files[i];
    return driver->program ? driver->program : "?";
}

static const char *find(const ab_set *sets, const char *name)
{
    for (; sets && sets->name; ++sets)
        if (strcmp(sets->name, name) == 0) return sets->members;
    return NULL;
}

const char *ab_driver_set(const ab_driver *driver, const char *name)
{
    const char *found = find(driver->sets, name);
    for (const ab_driver *const *other = ab_drivers; *other && !found; ++other) found = find((*other)->sets, name);
    return found;
}

static bool is_set(const char *text, size_t length)
{
    return length > 2 && text[0] == '{' && text[length - 1] == '}';
}

/* Returns the members of the set in "{set}". */
static const char *members_of(const ab_driver *driver, const char *text, size_t length)
{
    char name[32];
    const int written = snprintf(name, sizeof name, "%.*s", (int)length - 2, text + 1);
    return (size_t)written < sizeof name ? ab_driver_set(driver, name) : NULL;
}

const char *ab_driver_names(const ab_driver *driver, const char *list)
{
    const size_t length = strlen(list);
    return is_set(list, length) ? members_of(driver, list, length) : list;
}

bool ab_next_name(const char **names, const char **name, size_t *length)
{
    *name = *names + strspn(*names, " ");
    *length = strcspn(*name, " ");
    *names = *name + *length;
    return *length > 0;
}

static const char *const l2_names[] = {"hot", "cold", NULL};
const ab_parameter ab_gpu_parameters[] = {
    {.name = "l2",
     .help = "GPU's L2 cache before each sample: hot (default) or cold",
     .kind = AB_CHOICE,
     .offset = offsetof(ab_gpu_params, l2_cold),
     .choices = l2_names,
     .shown = AB_SHOWN_NONZERO},
    {.name = NULL},
};

const ab_parameter *ab_row_parameter(const ab_parameter *parameters, const char *name, size_t length, bool *of_gpu)
{
    const ab_parameter *found = ab_parameter_find(ab_gpu_parameters, name, length);
    *of_gpu = found;
    return found ? found : ab_parameter_find(parameters, name, length);
}

void ab_own_parameters(const ab_operation *operation, ab_parameter own[AB_MOST_PARAMETERS + 1])
{
    size_t count;
    const ab_implementation *all = ab_registry(&count);
    int n = 0;
    own[0].name = NULL;
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(all[i].operation, operation->name) != 0) continue;
        for (const ab_parameter *p = all[i].parameters; p && p->name; ++p) {
            if (n == AB_MOST_PARAMETERS || ab_parameter_find(own, p->name, strlen(p->name))) continue;
            own[n++] = *p;
            own[n].name = NULL;
        }
    }
}

static void search_table(ab_search *search, const ab_parameter *parameters)
{
    for (const ab_parameter *p = parameters; p && p->name; ++p) ab_search_add(search, p->name);
}

void ab_search_parameters(ab_search *search, const ab_operation *operation)
{
    ab_parameter own[AB_MOST_PARAMETERS + 1];
    ab_own_parameters(operation, own);
    search_table(search, ab_gpu_parameters);
    search_table(search, operation->parameters);
    search_table(search, own);
}

bool ab_next_setting(const ab_driver *driver, const char **params, ab_setting *setting)
{
    const char *text = *params;
    if (!text || !*text) return false;
    const size_t length = strcspn(text, ";"), name = strcspn(text, "=;"), values = name + (text[name] == '=');
    *setting = (ab_setting){text, name, text + values, length - values};
    if (is_set(setting->values, setting->values_length)) {
        setting->values = members_of(driver, setting->values, setting->values_length);
        setting->values_length = setting->values ? strlen(setting->values) : 0;
    }
    *params = text + length + (text[length] == ';');
    return true;
}

const ab_operation *ab_operation_of(const char *id)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(id, "/"), id);
    return ab_find_operation(name);
}

void ab_search_all_parameters(ab_search *search, const ab_driver *driver)
{
    for (const ab_block *block = driver->blocks; block->table; ++block)
        for (const ab_line *line = block->lines; line->row && !search->found; ++line)
            ab_search_parameters(search, ab_operation_of(line->implementation));
}
