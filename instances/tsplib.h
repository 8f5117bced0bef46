/* TSPLIB instances: reading, distance rules, optimal tours, the catalogue and its stand-ins.
 *
 * Distances follow TSPLIB 95 (Reinelt), "The distance functions", computed in double and rounded to integers as it says:
 * in float hundreds of pairs of pr2392 round differently.
 */
#ifndef ANTBENCH_TSPLIB_H
#define ANTBENCH_TSPLIB_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/implementation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tsp_instance {
    char name[64];             /* "d198"; a stand-in for it is "u198" */
    char edge_weight_type[16]; /* "EUC_2D", ... */
    int n;                     /* cities */
    int32_t *dist;             /* [n][n], symmetric, zero diagonal */
    int64_t optimum;           /* the catalogue's proven optimum; 0 where unknown */
    bool stand_in;             /* generated, because no file of the asked name was found */
    char path[1024];           /* the file it was read from; empty for a stand-in */
    char sha256[65];           /* of that file, or of the generated distances; hexadecimal */
} tsp_instance;

/* Loads what a user calls `name`: a catalogue name, looked for as <name>.tsp in $TSPLIB_DIR and instances/tsplib/ and
 * otherwise generated (see tsp_generate); a stand-in's own name ("u198", "c1002"); or the path of a .tsp file.
 * A name in none of these is AB_BAD_INPUT and suggests the nearest catalogue name. Free with tsp_free. */
ab_status tsp_load(const char *name, tsp_instance *instance);

/* Reads a TSPLIB file: TYPE TSP with EUC_2D, CEIL_2D, GEO, ATT or EXPLICIT in any matrix form, 1 <= n <= 32767.
 * Errors: AB_BAD_INPUT "file:line: what is wrong" for broken text, AB_FAILED for what cannot be read. */
ab_status tsp_read(const char *path, tsp_instance *instance);

/* Reads a tour file (TOUR_SECTION) of n cities into tour[n], cities from 0. Checks that it is a permutation. */
ab_status tsp_read_tour(const char *path, int n, int32_t *tour);

typedef enum tsp_kind { TSP_UNIFORM, TSP_CLUSTERED } tsp_kind;

/* A random EUC_2D instance in the style of the DIMACS TSP challenge: uniform over a square of side 1e6, or n/100 cluster
 * centres with normally distributed cities around them. One (kind, n, seed) gives one instance on every machine.
 * Named u<n> or c<n>. 1 <= n <= 32767. */
ab_status tsp_generate(tsp_kind kind, int n, uint64_t seed, tsp_instance *instance);

void tsp_free(tsp_instance *instance); /* accepts a zeroed one */

/* Length of the closed tour through tour[0..n-1]. */
int64_t tsp_tour_length(const tsp_instance *instance, const int32_t *tour);

typedef struct tsp_catalogue_entry {
    const char *name, *edge_weight_type, *url, *sha256;
    int n;
    int64_t optimum;
} tsp_catalogue_entry;

/* The catalogue (instances/catalogue.csv), in order of n; *count is set. */
const tsp_catalogue_entry *tsp_catalogue(int *count);

/* The SHA-256 of `bytes` bytes as 64 hexadecimal digits and a NUL. */
void sha256_hex(const void *data, size_t bytes, char digest[65]);

/* The SHA-256 of a file; AB_FAILED when it cannot be read. */
ab_status sha256_file(const char *path, char digest[65]);

#ifdef __cplusplus
}
#endif
#endif
