/* Instances as inputs (kernels/tsp/steps/inputs.h). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "kernels/tsp/steps/inputs.h"

static void describe_instance(const char *asked, const tsp_instance *instance, ab_input *input)
{
    *input = (ab_input){.asked = asked, .size = instance->n, .stand_in = instance->stand_in};
    input->reference = instance->optimum ? (double)instance->optimum : NAN;
    snprintf(input->name, sizeof input->name, "%s", instance->name);
    snprintf(input->path, sizeof input->path, "%s", instance->path);
    snprintf(input->sha256, sizeof input->sha256, "%s", instance->sha256);
    if (instance->stand_in && strcmp(instance->name, asked) != 0)
        snprintf(input->note, sizeof input->note, "generated stand-in for %.80s", asked);
}

/* More cities than TSP_MAX_CITIES are located, without a matrix. */
static bool is_large(const tsp_instance *instance)
{
    return instance->n > TSP_MAX_CITIES;
}

static ab_status describe(const char *name, ab_input *input)
{
    tsp_instance instance;
    AB_TRY(tsp_locate(name, &instance));
    describe_instance(name, &instance, input);
    tsp_free(&instance);
    if (input->size >= 2) return ab_ok();
    return ab_bad_input("%s: a tour needs at least 2 cities, this instance has %d",
                        input->path[0] ? input->path : input->name, input->size);
}

static void unload(void *loaded)
{
    tsp_input *l = loaded;
    if (!l) return;
    tsp_candidates_free(&l->candidates);
    tsp_snapshot_free(&l->snapshot);
    tsp_free(&l->instance);
    free(l);
}

/* Loads an instance with its points, if it has any, and with its distances if they are not too many. */
static ab_status load_instance(const char *name, tsp_instance *instance)
{
    tsp_instance located;
    AB_TRY(tsp_locate(name, &located));
    if (is_large(&located)) {
        *instance = located;
        return ab_ok();
    }
    const ab_status status = tsp_load(name, instance);
    instance->points = located.points;
    located.points = NULL;
    tsp_free(&located);
    return status;
}

static ab_status load(ab_input *input, void **loaded)
{
    tsp_input *l = calloc(1, sizeof *l);
    if (!l) return ab_failed("out of memory");
    const ab_status status = load_instance(input->asked, &l->instance);
    if (status.code != AB_OK) {
        unload(l);
        return status;
    }
    describe_instance(input->asked, &l->instance, input);
    *loaded = l;
    return ab_ok();
}

/* Saves the cities' coordinates as a table, INPUT-cities.csv. An instance of distances has none. */
static ab_status save_cities(const ab_input *input, const void *loaded, const char *folder)
{
    const tsp_instance *instance = &((const tsp_input *)loaded)->instance;
    char path[1200];
    if (!instance->points) return ab_ok();
    if (snprintf(path, sizeof path, "%s/%s-cities.csv", folder, input->name) >= (int)sizeof path)
        return ab_bad_input("--save: %.200s...: the path is too long", path);
    AB_TRY(ab_make_directories(folder));
    FILE *file = fopen(path, "w");
    if (!file) return ab_failed("%.200s: %s", path, strerror(errno));
    fputs("x,y\n", file);
    for (int i = 0; i < instance->n; ++i) fprintf(file, "%.10g,%.10g\n", instance->points[i].x, instance->points[i].y);
    const bool written = !ferror(file);
    return fclose(file) == 0 && written ? ab_ok() : ab_failed("%.200s: %s", path, strerror(errno));
}

const ab_inputs tsp_inputs = {
    .help = "catalogue names, files of $TSPLIB_DIR, stand-ins (u198, c1002) or paths",
    .check_name = tsp_check_name,
    .describe = describe,
    .load = load,
    .unload = unload,
    .save = save_cities,
};

ab_status tsp_snapshot_give(const ab_task *task, const void **problem)
{
    tsp_input *l = task->loaded;
    *problem = &l->snapshot;
    if (l->snapshot.n) return ab_ok();
    return tsp_snapshot_take(l->instance.n, l->instance.dist, task->seed, &l->snapshot);
}
