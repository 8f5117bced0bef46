/* From the name that a user gives to an instance: a file, or a generated stand-in for it (instances/tsplib.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "instances/tsplib.h"

/* Fixed, so that everyone's u198 is the same instance. */
static const uint64_t stand_in_seed = 1;

enum { PATH_SIZE = sizeof((tsp_instance *)0)->path };

/* True with the path when <directory>/<name>.tsp is there. An unset or empty directory has no files. */
static bool find_in(const char *directory, const char *name, char path[PATH_SIZE])
{
    if (directory == NULL || directory[0] == '\0') return false;
    int length = snprintf(path, PATH_SIZE, "%s/%s.tsp", directory, name);
    return length < PATH_SIZE && access(path, F_OK) == 0;
}

/* TSPLIB itself has eight instances called u<n>. */
static bool is_tsplib_u(int n)
{
    static const int taken[] = {159, 574, 724, 1060, 1432, 1817, 2152, 2319};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (taken[i] == n) return true;
    return false;
}

/* True when `name` is a stand-in's: u<n> or c<n>, without leading zeros. An n of ten digits or more is INT32_MAX. */
static bool parse_stand_in(const char *name, tsp_kind *kind, int *n)
{
    size_t digits = strspn(name + (name[0] != '\0'), "0123456789");
    if ((name[0] != 'u' && name[0] != 'c') || digits == 0 || name[1] == '0' || name[digits + 1] != '\0') return false;
    *kind = name[0] == 'c' ? TSP_CLUSTERED : TSP_UNIFORM;
    *n = digits < 10 ? atoi(name + 1) : INT32_MAX;
    return *kind == TSP_CLUSTERED || !is_tsplib_u(*n);
}

static ab_status unknown_name(const char *name)
{
    int count;
    const tsp_catalogue_entry *catalogue = tsp_catalogue(&count);
    const char **names = calloc((size_t)count + 1, sizeof *names);
    if (names == NULL) return ab_failed("no memory for %d names", count);
    for (int i = 0; i < count; i++) names[i] = catalogue[i].name;
    const char *nearest = ab_nearest_name(name, names);
    free(names);
    char suggestion[96] = "";
    if (nearest != NULL) snprintf(suggestion, sizeof suggestion, "; did you mean \"%s\"?", nearest);
    return ab_bad_input(
        "instance \"%.64s\": not in the catalogue, and no such file in $TSPLIB_DIR or instances/tsplib%s", name,
        suggestion);
}

static ab_status load_path(const char *path, tsp_instance *instance)
{
    if (access(path, F_OK) != 0) return ab_bad_input("%.200s: no such file", path);
    return tsp_read(path, instance);
}

static bool is_path(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".tsp") == 0);
}

bool tsp_may_load(const char *name)
{
    tsp_kind kind;
    int n;
    return is_path(name) || parse_stand_in(name, &kind, &n);
}

ab_status tsp_load(const char *name, tsp_instance *instance)
{
    *instance = (tsp_instance){0};
    if (is_path(name)) return load_path(name, instance);

    char path[PATH_SIZE];
    if (find_in(getenv("TSPLIB_DIR"), name, path) || find_in("instances/tsplib", name, path))
        return tsp_read(path, instance);

    tsp_kind kind;
    int n;
    if (parse_stand_in(name, &kind, &n)) return tsp_generate(kind, n, stand_in_seed, instance);
    const tsp_catalogue_entry *entry = tsp_find_in_catalogue(name);
    if (entry != NULL) return tsp_generate(TSP_UNIFORM, entry->n, stand_in_seed, instance);
    return unknown_name(name);
}

void tsp_free(tsp_instance *instance)
{
    free(instance->dist);
    *instance = (tsp_instance){0};
}

int64_t tsp_tour_length(const tsp_instance *instance, const int32_t *tour)
{
    const size_t n = (size_t)instance->n;
    int64_t length = 0;
    for (size_t i = 0; i < n; i++) length += instance->dist[(size_t)tour[i] * n + (size_t)tour[i + 1 < n ? i + 1 : 0]];
    return length;
}
