/* TSPLIB instances: reading, distance rules, the catalogue and its stand-ins.
 *
 * Distances follow TSPLIB 95 (Reinelt), "The distance functions", computed in double and rounded to integers as it
 * says: in float hundreds of pairs of pr2392 round differently.
 */
#ifndef ANTBENCH_TSPLIB_H
#define ANTBENCH_TSPLIB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "instances/distances.h"
#include "instances/table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TSP_MAX_CITIES = 32767,    /* most cities of an instance with all its distances, */
    TSP_MAX_LOCATED = 10000000 /* ... and of one with coordinates instead */
};

typedef struct tsp_instance {
    char name[64];             /* the file's without .tsp or .csv: "d198"; a stand-in for it is "u198" */
    char edge_weight_type[16]; /* "EUC_2D", ... */
    int n;                     /* cities */
    int32_t *dist;             /* [n][n], symmetric, zero diagonal; NULL where it is only described or located */
    tsp_point *points;         /* [n], where it was located by tsp_locate; NULL where weights are EXPLICIT */
    const tsp_rule *rule;      /* rule that computes distances from the points; NULL if there are no points */
    tsp_place *sphere;         /* [n], where tsp_locate_real has found latitudes and longitudes; else NULL */
    double radius;             /* radius of that sphere, in whole numbers of its distances */
    tsp_table *table;          /* what tsp_locate_real has read from a CSV file; else NULL */
    int64_t optimum;           /* the catalogue's proven optimum; 0 where unknown */
    bool stand_in;             /* generated, not read from a file */
    char path[1024];           /* the file it was read from; empty for a stand-in */
    char sha256[65];           /* hash of that file, or of the generated dist, hexadecimal; empty for a stand-in that
                                * is only described */
} tsp_instance;

/* Loads what a user calls `name`:
 *   "d198"            <name>.tsp in $TSPLIB_DIR, else in instances/tsplib/ of the project's folder (base/root.h); a
 *                     name of the catalogue that is in neither is generated (its uniform stand-in, "u198")
 *   "u198", "c1002"   a stand-in by its own name, uniform or clustered, unless such a file is there
 *   "x.tsp", "a/b"    the file at this path; "x.csv" too
 *   "x.txt"           any other name: the file of this name in the current folder
 * A stand-in is never called like an instance of TSPLIB: u159 and its like must be there as files. Anything else is
 * AB_BAD_INPUT and suggests the nearest name of the catalogue or of a file; so is a name with control characters, in
 * one clean line. Free with tsp_free. */
ab_status tsp_load(const char *name, tsp_instance *instance);

/* tsp_load, but for dist: a file is read and checked as there, a stand-in is not generated and has no sha256. Takes
 * memory in proportion to the file, and n*n while it reads EXPLICIT weights. */
ab_status tsp_describe(const char *name, tsp_instance *instance);

/* tsp_load, but for up to TSP_MAX_LOCATED cities: points and rule instead of dist, unless weights are EXPLICIT. A
 * stand-in has no sha256. */
ab_status tsp_locate(const char *name, tsp_instance *instance);

/* tsp_locate for a tour of one's own: the distances of a CSV file's cities are real ones, in a plane or on the Earth
 * (instances/table.h). Theirs are whole numbers of up to 2^30 here, to which table->scale leads: points and EUC_2D on a
 * plane, sphere and radius on the Earth. "-" is standard input. AB_BAD_INPUT also for a metric that is asked for where
 * there is no table. */
ab_status tsp_locate_real(const char *name, tsp_metric metric, tsp_instance *instance);

/* Whether there is something called `name` to load, by the same rules: AB_OK, or the AB_BAD_INPUT of tsp_load. Files
 * are not opened. */
ab_status tsp_check_name(const char *name);

/* False where nothing is called `name`. Also true where tsp_load has something better to say about it. */
bool tsp_may_load(const char *name);

/* Reads a TSPLIB file of TYPE TSP with 1 <= n <= TSP_MAX_CITIES. Weights are EUC_2D, CEIL_2D, MAN_2D, MAX_2D, GEO, ATT
 * or EXPLICIT in any matrix form. It also reads a table of coordinates (instances/table.h), whose distances are
 * EUC_2D's. A file is a table if its name ends with .csv. A file whose name ends with neither .csv nor .tsp is a table
 * if it begins with no keyword of TSPLIB.
 *
 * Errors leave *instance zeroed. AB_BAD_INPUT has "file:line: what is wrong", or "file: ..." if no line is at fault. It
 * is also returned for a table of latitudes and longitudes. So it is if cities are so close that rounding destroys
 * distances: the box around n cities has a diagonal of less than sqrt(n). AB_FAILED means that the file cannot be
 * opened or read. Errors of the catalogue, which has the optimum, are returned as well. */
ab_status tsp_read(const char *path, tsp_instance *instance);

typedef enum tsp_kind { TSP_UNIFORM, TSP_CLUSTERED } tsp_kind;

/* A random EUC_2D instance in the style of the DIMACS TSP challenge: uniform over a square of side 1e6, or n/100
 * cluster centres with normally distributed cities around them. One (kind, n, seed) gives one instance on every
 * machine. Named u<n> or c<n>, optimum unknown. 1 <= n <= TSP_MAX_CITIES, or AB_BAD_INPUT. */
ab_status tsp_generate(tsp_kind kind, int n, uint64_t seed, tsp_instance *instance);

void tsp_free(tsp_instance *instance); /* accepts a zeroed one */

typedef struct tsp_catalogue_entry {
    char name[64];             /* "d198" */
    char edge_weight_type[16]; /* "EUC_2D" */
    char sha256[65];           /* hash of the file, hexadecimal */
    int n;                     /* cities */
    int64_t optimum;           /* proven length of the shortest tour */
} tsp_catalogue_entry;

/* Reads the catalogue (instances/catalogue.csv), in order of n; the caller frees *entries. Errors: base/catalogue.h. */
ab_status tsp_catalogue(tsp_catalogue_entry **entries, int *count);

/* Reads the entry called `name`, or zeros (n = 0) if it does not exist. */
ab_status tsp_find_in_catalogue(const char *name, tsp_catalogue_entry *entry);

#ifdef __cplusplus
}
#endif
#endif
