/* TSPLIB instances: reading, distance rules, optimal tours, the catalogue and its stand-ins.
 *
 * Distances follow TSPLIB 95 (Reinelt), "The distance functions", computed in double and rounded to integers as it
 * says: in float hundreds of pairs of pr2392 round differently.
 */
#ifndef ANTBENCH_TSPLIB_H
#define ANTBENCH_TSPLIB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TSP_MAX_CITIES = 32767 };

typedef struct tsp_instance {
    char name[64];             /* the file's without .tsp: "d198"; a stand-in for it is "u198" */
    char edge_weight_type[16]; /* "EUC_2D", ... */
    int n;                     /* cities */
    int32_t *dist;             /* [n][n], symmetric, zero diagonal */
    int64_t optimum;           /* the catalogue's proven optimum; 0 where unknown */
    bool stand_in;             /* generated, not read from a file */
    char path[1024];           /* the file it was read from; empty for a stand-in */
    char sha256[65];           /* of that file, or of dist, generated; hexadecimal */
} tsp_instance;

/* Loads what a user calls `name`:
 *   "d198"            <name>.tsp in $TSPLIB_DIR, else in instances/tsplib/; a name of the catalogue that is in neither
 * is generated (its uniform stand-in, "u198") "u198", "c1002"   a stand-in by its own name, uniform or clustered,
 * unless such a file is there "x.tsp", "a/b"    the file at this path A stand-in is never called like an instance of
 * TSPLIB: u159 and its like must be there as files. Anything else is AB_BAD_INPUT and suggests the nearest catalogue
 * name. Free with tsp_free. */
ab_status tsp_load(const char *name, tsp_instance *instance);

/* Whether a name that is not in the catalogue may still be an instance by these rules: a file or a stand-in. */
bool tsp_may_load(const char *name);

/* Reads a TSPLIB file: TYPE TSP with EUC_2D, CEIL_2D, GEO, ATT or EXPLICIT in any matrix form, 1 <= n <=
 * TSP_MAX_CITIES. Errors, which leave *instance zeroed: AB_BAD_INPUT "file:line: what is wrong" for its text, "file:
 * ..." where no line is to blame, AB_FAILED for what cannot be opened or read. */
ab_status tsp_read(const char *path, tsp_instance *instance);

/* Reads a tour file (TOUR_SECTION) of n >= 1 cities into tour[n], cities from 0, and checks that it is a permutation.
 * Errors as for tsp_read. */
ab_status tsp_read_tour(const char *path, int n, int32_t *tour);

typedef enum tsp_kind { TSP_UNIFORM, TSP_CLUSTERED } tsp_kind;

/* A random EUC_2D instance in the style of the DIMACS TSP challenge: uniform over a square of side 1e6, or n/100
 * cluster centres with normally distributed cities around them. One (kind, n, seed) gives one instance on every
 * machine. Named u<n> or c<n>, optimum unknown. 1 <= n <= TSP_MAX_CITIES, or AB_BAD_INPUT. */
ab_status tsp_generate(tsp_kind kind, int n, uint64_t seed, tsp_instance *instance);

void tsp_free(tsp_instance *instance); /* accepts a zeroed one */

/* Length of the closed tour through tour[0..n-1]. */
int64_t tsp_tour_length(const tsp_instance *instance, const int32_t *tour);

typedef struct tsp_catalogue_entry {
    const char *name;             /* "d198" */
    const char *edge_weight_type; /* "EUC_2D" */
    const char *url;              /* where instances/fetch asks first; .gz or plain */
    const char *sha256;           /* of the unpacked file, hexadecimal */
    int n;                        /* cities */
    int64_t optimum;              /* proven length of the shortest tour */
} tsp_catalogue_entry;

/* The catalogue (instances/catalogue.csv), in order of n; *count is set. */
const tsp_catalogue_entry *tsp_catalogue(int *count);

/* The entry called `name`, or NULL. */
const tsp_catalogue_entry *tsp_find_in_catalogue(const char *name);

/* The optimum of the catalogue's entry with this instance's name, n and edge weight type; 0 if there is none. */
int64_t tsp_known_optimum(const tsp_instance *instance);

#ifdef __cplusplus
}
#endif
#endif
