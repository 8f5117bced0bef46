/* Drawings of tours: a picture as SVG, a search as a moving picture, and a line on a map as GeoJSON (RFC 7946). Each file is written as a whole: it is
 * either the old one or the new one. Errors are AB_FAILED with "path: the system's reason". */
#ifndef ANTBENCH_DRAW_H
#define ANTBENCH_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "instances/tsplib.h"
#include "tours/film.h"

enum {
    DRAW_MOST_DOTS = 2000,  /* most cities that are drawn as dots, */
    DRAW_MOST_MOVING = 5000 /* ... and in a moving picture, whose file then has 4 MB at most */
};

/* False if an instance has distances alone, so that there is nothing to draw. */
bool draw_has_places(const tsp_instance *cities);

/* True if its coordinates are latitudes and longitudes. */
bool draw_has_degrees(const tsp_instance *cities);

/* Draws the closed tour[n], numbered from 0, with a caption below it, which may be any text. North or larger y is up.
 * Latitudes and longitudes are drawn as on a map whose scale is right in the middle. */
ab_status draw_svg(const char *path, const tsp_instance *cities, const int32_t *tour, const char *caption);

/* Draws the tours of a film one after another, each with its label, and all over again. What does not move, such as a
 * print, shows the last one. */
ab_status draw_film(const char *path, const tsp_instance *cities, const film *shown, const char *caption);

/* Writes the closed tour as a feature with the properties name and length_km. Where it crosses the 180th meridian, the
 * line is cut, as RFC 7946 says, into a MultiLineString. */
ab_status draw_geojson(const char *path, const tsp_instance *cities, const int32_t *tour, const char *name,
                       double length_km);

#endif
