/* A table of cities: the rows of a CSV file, of which two columns are coordinates.
 *
 * The header tells which: columns x and y, or a latitude (lat, latitude) and a longitude (lon, long, lng, longitude),
 * in any order and any case. Without such names, the first two columns are used. All other columns, such as a name, are
 * kept for the result. lengths are distances between points on a plane, in the unit of the coordinates. For latitudes
 * and longitudes in degrees they are km along great circles of a sphere as large as the Earth. */
#ifndef ANTBENCH_TABLE_H
#define ANTBENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "instances/distances.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The Earth's mean radius, by the International Union of Geodesy and Geophysics. */
#define TSP_EARTH_KM 6371.0088

typedef enum tsp_metric {
    TSP_BY_HEADER, /* on the Earth where the header has latitudes and longitudes, else on a plane */
    TSP_PLANE,     /* on a plane */
    TSP_GEO        /* on the Earth; x is a longitude, the first of two columns without a name a latitude */
} tsp_metric;

typedef struct tsp_table {
    bool geo;          /* distances are on the Earth */
    tsp_point *points; /* [n] as in the file; geo: latitude and longitude in degrees */
    double scale;      /* factor of tsp_locate_real: one unit of length, 1 or 1 km, in whole numbers */
    char *bytes;       /* the file's */
    const char *begin; /* beginning of the header among them, or of the first row */
    const char **row;  /* [n + 1] where each row begins, and where the last one ends, newlines included */
} tsp_table;

/* A piece of text, not NUL-terminated. */
typedef struct tsp_row {
    const char *start; /* first byte */
    size_t length;     /* bytes; 0 for a header that is not there */
} tsp_row;

/* A row as it is in the file, or the header for -1, without the end of the line. */
tsp_row tsp_table_row(const tsp_table *table, int city);

/* The distance of two cities, in its unit. */
double tsp_table_distance(const tsp_table *table, int a, int b);

void tsp_table_free(tsp_table *table); /* accepts NULL */

#ifdef __cplusplus
}
#endif
#endif
