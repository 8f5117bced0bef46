/* From the name that a user gives to an instance: a file, or a generated stand-in for it (instances/tsplib.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/catalogue.h"
#include "base/lookup.h"
#include "instances/describe.h"

/* Fixed, so that everyone's u198 is the same instance. */
static const uint64_t stand_in_seed = 1;

/* ---- The catalogue ---- */

static const ab_field fields[] = {
    AB_TEXT(tsp_catalogue_entry, name),
    AB_NUMBER(tsp_catalogue_entry, n, 1, TSP_MAX_CITIES),
    AB_TEXT(tsp_catalogue_entry, edge_weight_type),
    AB_NUMBER(tsp_catalogue_entry, optimum, 1, INT64_C(1) << 53),
    AB_SHA256(tsp_catalogue_entry, sha256),
};

static const ab_catalogue catalogue = {.below = "instances/catalogue.csv",
                                       .fields = fields,
                                       .n_fields = sizeof fields / sizeof fields[0],
                                       .entry_size = sizeof(tsp_catalogue_entry)};

ab_status tsp_catalogue(tsp_catalogue_entry **entries, int *count)
{
    void *read;
    const ab_status status = ab_catalogue_read(&catalogue, &read, count);
    *entries = read;
    return status;
}

ab_status tsp_find_in_catalogue(const char *name, tsp_catalogue_entry *entry)
{
    return ab_catalogue_find(&catalogue, name, entry);
}

/* ---- Names ---- */

static const char *const subfolders[] = {"", NULL};
static const char *const extensions[] = {".tsp", ".csv", NULL};
static const char *const examples[] = {NULL}; /* the catalogue will do */
static const ab_shelf shelf = {.what = "instance",
                               .variable = "TSPLIB_DIR",
                               .subfolders = subfolders,
                               .folder = "instances/tsplib",
                               .extensions = extensions,
                               .catalogue = &catalogue,
                               .examples = examples};

/* What a name stands for. */
typedef struct source {
    bool known;              /* false: nothing is called so */
    char path[AB_PATH_SIZE]; /* path of the file; empty if the instance is generated, */
    tsp_kind kind;           /* ... in this way, */
    int n;                   /* ... with so many cities */
} source;

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

/* The stand-in of a name of the catalogue, or the file that is called so in the current folder. */
static ab_status find_elsewhere(const char *name, source *found)
{
    tsp_catalogue_entry entry;
    AB_TRY(tsp_find_in_catalogue(name, &entry));
    found->known = entry.n > 0;
    found->n = entry.n;
    found->kind = is_tsplib_u(entry.n) ? TSP_CLUSTERED : TSP_UNIFORM;
    if (!found->known) found->known = ab_find_here(name, found->path);
    return ab_ok();
}

static ab_status find_source(const char *name, source *found)
{
    *found = (source){.known = false};
    AB_TRY(ab_find_file(&shelf, name, found->path));
    found->known = found->path[0] != '\0' || parse_stand_in(name, &found->kind, &found->n);
    return found->known ? ab_ok() : find_elsewhere(name, found);
}

/* find_source, with an error for an unknown name. */
static ab_status must_find(const char *name, source *found)
{
    AB_TRY(find_source(name, found));
    return found->known ? ab_ok() : ab_unknown_name(&shelf, name);
}

bool tsp_may_load(const char *name)
{
    source found;
    return find_source(name, &found).code != AB_OK || found.known;
}

ab_status tsp_check_name(const char *name)
{
    source found;
    return must_find(name, &found);
}

/* ---- Instances ---- */

static ab_status load(const char *name, tsp_wanted wanted, tsp_metric metric, tsp_instance *instance)
{
    source found;
    *instance = (tsp_instance){0};
    if (wanted == TSP_REAL && strcmp(name, "-") == 0) return tsp_read_file(name, wanted, metric, instance);
    AB_TRY(must_find(name, &found));
    if (found.path[0] != '\0') return tsp_read_file(found.path, wanted, metric, instance);
    if (metric != TSP_BY_HEADER)
        return ab_bad_input("%s: --metric is for a table of coordinates, and this is generated", name);
    return tsp_generate_wanted(found.kind, found.n, stand_in_seed, wanted, instance);
}

ab_status tsp_load(const char *name, tsp_instance *instance)
{
    return load(name, TSP_DISTANCES, TSP_BY_HEADER, instance);
}

ab_status tsp_describe(const char *name, tsp_instance *instance)
{
    return load(name, TSP_DESCRIBED, TSP_BY_HEADER, instance);
}

ab_status tsp_locate(const char *name, tsp_instance *instance)
{
    return load(name, TSP_LOCATED, TSP_BY_HEADER, instance);
}

ab_status tsp_locate_real(const char *name, tsp_metric metric, tsp_instance *instance)
{
    return load(name, TSP_REAL, metric, instance);
}

void tsp_free(tsp_instance *instance)
{
    free(instance->dist);
    free(instance->points);
    free(instance->sphere);
    tsp_table_free(instance->table);
    *instance = (tsp_instance){0};
}
