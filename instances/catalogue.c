/* The catalogue of instances, compiled in from instances/catalogue.csv. */
#include <string.h>

#include "instances/tsplib.h"

static const tsp_catalogue_entry catalogue[] = {
#include "catalogue.inc"
};

const tsp_catalogue_entry *tsp_catalogue(int *count)
{
    *count = sizeof catalogue / sizeof catalogue[0];
    return catalogue;
}

const tsp_catalogue_entry *tsp_find_in_catalogue(const char *name)
{
    for (size_t i = 0; i < sizeof catalogue / sizeof catalogue[0]; i++)
        if (strcmp(catalogue[i].name, name) == 0) return &catalogue[i];
    return NULL;
}

int64_t tsp_known_optimum(const tsp_instance *instance)
{
    const tsp_catalogue_entry *entry = tsp_find_in_catalogue(instance->name);
    if (entry == NULL || entry->n != instance->n) return 0;
    return strcmp(entry->edge_weight_type, instance->edge_weight_type) == 0 ? entry->optimum : 0;
}
