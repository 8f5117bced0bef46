/* Keeps the tours of a film (tours/film.h). */
#include <string.h>

#include "tours/film.h"

ab_status film_open(film *f, int cities)
{
    *f = (film){.cities = cities};
    int32_t *tours = ab_allocate(&f->memory, (size_t)FILM_MOST * (size_t)cities, sizeof *tours);
    for (int i = 0; tours && i < FILM_MOST; i++) f->frames[i].tour = tours + (size_t)i * (size_t)cities;
    return ab_memory_status(&f->memory);
}

/* Returns the frame between the first and the last whose neighbours are nearest in length. */
static int find_dispensable(const film *f)
{
    const film_frame *frames = f->frames;
    int found = 1;
    for (int i = 2; i < f->n - 1; i++)
        if (frames[i - 1].length - frames[i + 1].length < frames[found - 1].length - frames[found + 1].length)
            found = i;
    return found;
}

/* Its memory for a tour goes to the end. */
static void remove_frame(film *f, int at)
{
    const film_frame removed = f->frames[at];
    f->n--;
    memmove(&f->frames[at], &f->frames[at + 1], (size_t)(f->n - at) * sizeof removed);
    f->frames[f->n] = removed;
}

void film_add(film *f, const int32_t *tour, int64_t length, double seconds)
{
    film_frame *last = f->n > 0 ? &f->frames[f->n - 1] : NULL;
    if (last && length > last->length) return;
    if (!last || length < last->length) {
        if (f->n == FILM_MOST) remove_frame(f, find_dispensable(f));
        last = &f->frames[f->n++];
        last->length = length;
        last->seconds = seconds;
    }
    memcpy(last->tour, tour, (size_t)f->cities * sizeof *tour);
}

void film_close(film *f)
{
    ab_memory_free(&f->memory);
}
