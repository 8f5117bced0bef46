/* Checks a driver's data (driver.h). The rest of the harness relies on each name in it to exist. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/root.h"
#include "bench/plan/driver.h"
#include "bench/plan/published.h"
#include "kernels/operation.h"

/* ---- Messages ---- */

/* The place of a mistake. */
typedef struct place {
    const ab_driver *driver;
    char text[160]; /* "table 3.3, row race" */
} place;

#define PLACE(at, driver, ...)                                                                                         \
    place at = {driver, ""};                                                                                           \
    snprintf(at.text, sizeof at.text, __VA_ARGS__)
#define SLIP(at, format, ...)                                                                                          \
    ab_bad_input("bench/tables/%s.c: %.159s: " format, ab_driver_file((at)->driver), (at)->text, __VA_ARGS__)

/* Returns another status with the place in front of its reason. */
static ab_status slip_of(const place *at, ab_status status, const char *hint)
{
    if (status.code == AB_OK) return status;
    ab_status placed = SLIP(at, "%.200s%s", status.reason, hint);
    placed.code = status.code;
    return placed;
}

static ab_status must_find(const place *at, const char *what, const ab_search *search)
{
    char hint[128];
    if (search->found) return ab_ok();
    return SLIP(at, "there is no %s %.64s%s", what, search->name, ab_search_hint(search, hint));
}

static ab_status must_have(const place *at, const char *member, const void *value)
{
    return value ? ab_ok() : SLIP(at, "%s is missing", member);
}

/* Copies a view of a name to a text of its own. */
#define COPY(text, view, length)                                                                                       \
    char text[64];                                                                                                     \
    snprintf(text, sizeof text, "%.*s", (int)(length), view)

/* ---- Lists of names ---- */

/* The set in "{set}". */
static ab_status check_set(const place *at, const char *text)
{
    COPY(name, text + 1, strcspn(text, "}") - 1);
    ab_search search = {.name = name};
    for (const ab_set *set = at->driver->sets; set && set->name; ++set) ab_search_add(&search, set->name);
    for (const ab_driver *const *other = ab_drivers; *other; ++other)
        for (const ab_set *set = (*other)->sets; set && set->name; ++set) ab_search_add(&search, set->name);
    return must_find(at, "set", &search);
}

static void search_names(const ab_driver *driver, const char *list, ab_search *search)
{
    const char *name, *names = list ? ab_driver_names(driver, list) : NULL;
    for (size_t length; names && ab_next_name(&names, &name, &length);) {
        COPY(text, name, length);
        ab_search_add(search, text);
    }
}

/* Checks a list, which is a set or names. The names in a block must be inputs of the driver in some profile. */
static ab_status check_list(const place *at, const char *list, bool of_block)
{
    const ab_driver *driver = at->driver;
    const char *name, *names = ab_driver_names(driver, list);
    if (!names) return check_set(at, list);
    if (!names[strspn(names, " ")]) return SLIP(at, "the list \"%s\" is empty: name a set or inputs", list);
    if (strchr(names, '{')) return SLIP(at, "a list is one set or names, not both as in \"%s\"", list);
    for (size_t length; of_block && ab_next_name(&names, &name, &length);) {
        COPY(text, name, length);
        ab_search search = {.name = text};
        for (int profile = 0; profile < AB_PROFILES; ++profile) search_names(driver, driver->inputs[profile], &search);
        search_names(driver, driver->optional, &search);
        AB_TRY(must_find(at, "input here called", &search));
    }
    return ab_ok();
}

/* ---- Lines ---- */

/* Checks an id. The registry has all kernels and programs of the tree in every build: it has kernels for the host
 * backend. */
static ab_status check_implementation(const place *at, const char *id)
{
    const char *slash = strchr(id, '/');
    size_t n_operations, count;
    const ab_operation *const *operations = ab_operations(&n_operations);
    const ab_implementation *all = ab_registry(&count);
    COPY(name, id, strcspn(id, "/"));
    ab_search operation = {.name = name}, implementation = {.name = id};
    for (size_t i = 0; i < n_operations; ++i) ab_search_add(&operation, operations[i]->name);
    if (slash) AB_TRY(must_find(at, "operation", &operation));
    if (slash && strcmp(slash, "/+") == 0) return ab_ok();
    for (size_t i = 0; i < count; ++i) ab_search_add(&implementation, all[i].id);
    return must_find(at, "implementation", &implementation);
}

static ab_status check_values(const place *at, const ab_parameter *parameter, size_t size, const ab_setting *of)
{
    ab_status status = ab_ok();
    void *params = calloc(1, size);
    if (!params) return ab_failed("out of memory for parameters");
    for (size_t begin = 0, length; begin <= of->values_length && status.code == AB_OK; begin += length + 1) {
        length = strcspn(of->values + begin, AB_SEPARATORS ";");
        if (begin + length > of->values_length) length = of->values_length - begin;
        COPY(value, of->values + begin, length);
        status = slip_of(at, ab_parameter_set(parameter, value, params), "");
    }
    free(params);
    return status;
}

static ab_status check_params(const place *at, const ab_operation *operation, const char *params)
{
    const char *text = params;
    ab_parameter own[AB_MOST_PARAMETERS + 1];
    ab_own_parameters(operation, own);
    for (ab_setting of; ab_next_setting(at->driver, &params, &of); text = params) {
        COPY(name, of.name, of.name_length);
        ab_search search = {.name = name};
        bool of_gpu;
        const ab_parameter *parameter = ab_row_parameter(operation->parameters, name, of.name_length, &of_gpu);
        if (!parameter) parameter = ab_parameter_find(own, name, of.name_length);
        ab_search_parameters(&search, operation);
        AB_TRY(must_find(at, "parameter", &search));
        if (!of.values) return check_set(at, strchr(text, '{'));
        AB_TRY(check_values(at, parameter, of_gpu ? sizeof(ab_gpu_params) : operation->params_size, &of));
    }
    return ab_ok();
}

static void search_settings(const ab_driver *driver, const char *params, ab_search *search)
{
    for (ab_setting of; ab_next_setting(driver, &params, &of);) {
        COPY(name, of.name, of.name_length);
        ab_search_add(search, name);
    }
}

/* Checks braces, as in "warp-{block}". They must hold a parameter that the line or its block sets, or `other`. */
static ab_status check_braces(const place *at, const ab_block *block, const ab_line *line, const char *text,
                              const char *other)
{
    for (; text && (text = strchr(text, '{')); ++text) {
        if (!strchr(text, '}')) return SLIP(at, "a closing brace is missing in \"%s\"", text);
        COPY(name, text + 1, strcspn(text, "}") - 1);
        ab_search search = {.name = name};
        ab_search_add(&search, other);
        search_settings(at->driver, block->params, &search);
        search_settings(at->driver, line->params, &search);
        AB_TRY(must_find(at, "parameter of this row", &search));
    }
    return ab_ok();
}

static ab_status check_line(const ab_driver *driver, const ab_block *block, const ab_line *line)
{
    PLACE(at, driver, "table %s, row %s", block->table, line->row);
    AB_TRY(must_have(&at, ".implementation", line->implementation));
    AB_TRY(check_implementation(&at, line->implementation));
    const ab_operation *operation = ab_operation_of(line->implementation);
    if (operation->inputs != ab_operation_of(driver->blocks->lines->implementation)->inputs)
        return SLIP(&at, "%s has another kind of input than the driver's first row; all rows must have the same",
                    line->implementation);
    ab_search measure = {.name = block->measure};
    for (const ab_measure *m = operation->measures; m->name; ++m) ab_search_add(&measure, m->name);
    AB_TRY(must_find(&at, "measure", &measure));
    AB_TRY(check_params(&at, operation, block->params));
    AB_TRY(check_params(&at, operation, line->params));
    AB_TRY(check_braces(&at, block, line, line->row, "name"));
    AB_TRY(check_braces(&at, block, line, line->published, "name"));
    return check_braces(&at, block, line, line->label, NULL);
}

/* ---- Blocks, headings, profiles ---- */

static ab_status check_block(const ab_driver *driver, const ab_block *block)
{
    PLACE(at, driver, "table %s", block->table);
    ab_search table = {.name = block->table}, stages = {.name = block->stages};
    for (const ab_heading *heading = driver->headings; heading->table; ++heading) {
        ab_search_add(&table, heading->table);
        if (block->stages) ab_search_add(&stages, heading->table);
    }
    AB_TRY(must_find(&at, "heading of table", &table));
    if (block->stages) AB_TRY(must_find(&at, "heading of table", &stages));
    AB_TRY(must_have(&at, ".measure", block->measure));
    AB_TRY(must_have(&at, "a row in .lines", block->lines ? block->lines->row : NULL));
    if (block->with & block->without) return SLIP(&at, "%s exclude each other", ".with and .without");
    if (block->part < 0 || block->runs < 0) return SLIP(&at, "%s must be 0 or more", ".part and .runs");
    for (int profile = 0; profile < AB_PROFILES; ++profile)
        if (block->on[profile]) AB_TRY(check_list(&at, block->on[profile], true));
    for (const ab_line *line = block->lines; line->row; ++line) AB_TRY(check_line(driver, block, line));
    return ab_ok();
}

static ab_status check_heading(const ab_driver *driver, const ab_heading *heading)
{
    PLACE(at, driver, "table %s", heading->table);
    ab_search search = {.name = heading->table};
    AB_TRY(must_have(&at, ".title", heading->title));
    for (const ab_block *block = driver->blocks; block->table; ++block) {
        ab_search_add(&search, block->table);
        ab_search_add(&search, block->stages);
    }
    return must_find(&at, "block of table", &search);
}

static ab_status check_profile(const ab_driver *driver, ab_profile profile)
{
    const ab_effort *effort = &driver->efforts[profile];
    PLACE(at, driver, "profile %s", ab_profile_name(profile));
    if (effort->runs < 1 || effort->iterations < 1)
        return SLIP(&at, ".runs and .iterations must be 1 or more, not %d and %d", effort->runs, effort->iterations);
    if (!(effort->budget_s >= 0 && effort->precise >= 0 && effort->limit_s >= 0 && effort->host_steps >= 0))
        return SLIP(&at, "%s must be 0, for no limit, or more", ".budget_s, .precise, .limit_s and .host_steps");
    AB_TRY(must_have(&at, ".inputs", driver->inputs[profile]));
    return check_list(&at, driver->inputs[profile], false);
}

static ab_status check_members(const ab_driver *driver)
{
    PLACE(at, driver, "the driver");
    const char *file = ab_driver_file(driver), *folder_ends = strrchr(file, '/');
    AB_TRY(must_have(&at, ".name", driver->name));
    AB_TRY(must_have(&at, ".program", driver->program));
    AB_TRY(must_have(&at, ".summary", driver->summary));
    AB_TRY(must_have(&at, ".machine", driver->machine));
    AB_TRY(must_have(&at, ".headings", driver->headings));
    AB_TRY(must_have(&at, "a block in .blocks", driver->blocks ? driver->blocks->table : NULL));
    if (strcmp(driver->program, folder_ends ? folder_ends + 1 : file) != 0)
        return SLIP(&at, ".program must be the file's name, not %s", driver->program);
    for (const ab_driver *const *other = ab_drivers; *other; ++other)
        if (*other != driver && (*other)->name && strcmp((*other)->name, driver->name) == 0)
            return SLIP(&at, "bench/tables/%s.c has the same name, %s", ab_driver_file(*other), driver->name);
    for (const ab_set *set = driver->sets; set && set->name; ++set)
        if (!set->members) return SLIP(&at, "the members of set %s are missing", set->name);
    return driver->optional ? check_list(&at, driver->optional, false) : ab_ok();
}

ab_status ab_driver_check(const ab_driver *driver)
{
    AB_TRY(check_members(driver));
    for (ab_profile profile = 0; profile < AB_PROFILES; ++profile) AB_TRY(check_profile(driver, profile));
    for (const ab_block *block = driver->blocks; block->table; ++block) AB_TRY(check_block(driver, block));
    for (const ab_heading *heading = driver->headings; heading->table; ++heading)
        AB_TRY(check_heading(driver, heading));
    return ab_ok();
}

static ab_status check_unlike(const ab_driver *driver, const ab_driver *other)
{
    PLACE(at, driver, "the driver %s", driver->name);
    for (const ab_heading *mine = driver->headings; mine->table; ++mine)
        for (const ab_heading *its = other->headings; its && its->table; ++its)
            if (strcmp(mine->table, its->table) == 0)
                return SLIP(&at, "bench/tables/%s.c also has a table %s", ab_driver_file(other), mine->table);
    for (const ab_set *mine = driver->sets; mine && mine->name; ++mine)
        for (const ab_set *its = other->sets; its && its->name; ++its)
            if (strcmp(mine->name, its->name) == 0)
                return SLIP(&at, "bench/tables/%s.c also has a set %s", ab_driver_file(other), mine->name);
    return ab_ok();
}

ab_status ab_driver_check_unlike(const ab_driver *driver)
{
    for (const ab_driver *const *other = ab_drivers; *other && *other != driver; ++other)
        AB_TRY(check_unlike(driver, *other));
    return ab_ok();
}

/* ---- Files ---- */

/* Finds the nearest name of a file of published numbers. */
static const char *published_hint(const char *name, char hint[128])
{
    char folder[1024];
    ab_search search = {.name = name};
    DIR *listed = ab_root_path(folder, sizeof folder, "results/published").code == AB_OK ? opendir(folder) : NULL;
    for (struct dirent *file; listed && (file = readdir(listed));) {
        const size_t length = strlen(file->d_name);
        COPY(stem, file->d_name, length > 4 ? length - 4 : 0); /* name without ".csv" */
        ab_search_add(&search, stem);
    }
    if (listed) closedir(listed);
    return ab_search_hint(&search, hint);
}

/* Checks what a heading and its lines say about the published numbers. These are shown beside times, so their unit must
 * be ms. */
static ab_status check_published(const ab_driver *driver, const ab_heading *heading,
                                 const ab_published_table *published)
{
    PLACE(at, driver, "table %s", heading->table);
    ab_search metric = {.name = heading->metric}, instance = {.name = heading->instance};
    for (int i = 0; i < published->count; ++i) {
        const ab_published *row = &published->rows[i];
        if (heading->metric && strcmp(row->unit, "ms") == 0) ab_search_add(&metric, row->metric);
        if (heading->instance) ab_search_add(&instance, row->instance);
    }
    if (heading->metric) AB_TRY(must_find(&at, "published metric in ms called", &metric));
    if (heading->instance) AB_TRY(must_find(&at, "published instance", &instance));
    for (const ab_block *block = driver->blocks; block->table; ++block)
        for (const ab_line *line = block->lines; strcmp(block->table, heading->table) == 0 && line->row; ++line) {
            PLACE(here, driver, "table %s, row %s", heading->table, line->row);
            ab_search row = {.name = line->published};
            if (!heading->metric) return SLIP(&here, "the .metric of %s is missing", heading->published);
            if (!line->published || !*line->published) continue;
            for (int i = 0; i < published->count; ++i) ab_search_add(&row, published->rows[i].row);
            row.found |= ab_published_has_row(published, line->published);
            AB_TRY(must_find(&here, "published row", &row));
        }
    return ab_ok();
}

static ab_status check_source(const ab_driver *driver, const ab_heading *heading)
{
    char hint[128];
    ab_published_table published;
    PLACE(at, driver, "table %s", heading->table);
    ab_status status = ab_published_read(heading->published, &published);
    if (status.code != AB_OK) return slip_of(&at, status, published_hint(heading->published, hint));
    status = check_published(driver, heading, &published);
    ab_published_free(&published);
    return status;
}

ab_status ab_driver_check_files(const ab_driver *driver)
{
    const ab_inputs *inputs = ab_operation_of(driver->blocks->lines->implementation)->inputs;
    for (const ab_heading *heading = driver->headings; heading->table; ++heading)
        if (heading->published) AB_TRY(check_source(driver, heading));
    for (ab_profile profile = 0; profile < AB_PROFILES; ++profile) {
        const char *name, *names = ab_driver_names(driver, driver->inputs[profile]);
        PLACE(at, driver, "profile %s", ab_profile_name(profile));
        for (size_t length; ab_next_name(&names, &name, &length);) {
            COPY(text, name, length);
            AB_TRY(slip_of(&at, inputs->check_name(text), ""));
        }
    }
    return ab_ok();
}
