/* The best tours of a search in the order of finding, few enough to be drawn one after another (tours/draw.h). */
#ifndef ANTBENCH_FILM_H
#define ANTBENCH_FILM_H

#include <stdint.h>

#include "base/memory.h"

enum { FILM_MOST = 40 }; /* most frames */

typedef struct film_frame {
    int32_t *tour; /* [cities] */
    int64_t length;
    double seconds;  /* when it was found */
    char label[128]; /* text to be shown below it; empty until the caller writes it */
} film_frame;

typedef struct film {
    int cities, n; /* numbers of cities and of frames */
    film_frame frames[FILM_MOST];
    ab_memory memory;
} film;

/* Allocates. Close the film in every case. */
ab_status film_open(film *f, int cities);

/* Adds a tour if it is shorter than the last one; one of the same length takes that one's place and keeps its time. A
 * full film first loses a frame: the one without which the
 * lengths fall most evenly. The first and the last stay. */
void film_add(film *f, const int32_t *tour, int64_t length, double seconds);

void film_close(film *f);

#endif
