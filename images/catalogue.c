/* The catalogue of images, compiled in from images/catalogue.csv. */
#include <string.h>

#include "images/image.h"

static const image_catalogue_entry catalogue[] = {
#include "image_catalogue.inc"
};

const image_catalogue_entry *image_catalogue(int *count)
{
    *count = sizeof catalogue / sizeof catalogue[0];
    return catalogue;
}

const image_catalogue_entry *image_find_in_catalogue(const char *name)
{
    for (size_t i = 0; i < sizeof catalogue / sizeof catalogue[0]; i++)
        if (strcmp(catalogue[i].name, name) == 0) return &catalogue[i];
    return NULL;
}
