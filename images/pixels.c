/* The memory of an image (images/image.h, images/formats.h). */
#include <stdlib.h>

#include "images/formats.h"

ab_status image_set_size(double width, double height, ab_image *image)
{
    if (!(width >= 1 && height >= 1 && width <= IMAGE_MAX_SIDE && height <= IMAGE_MAX_SIDE))
        return ab_bad_input("%.0f x %.0f pixels, an image has 1 to %d a side", width, height, IMAGE_MAX_SIDE);
    if (width * height > IMAGE_MAX_PIXELS)
        return ab_bad_input("%.0f x %.0f pixels, an image has %d at most", width, height, IMAGE_MAX_PIXELS);
    image->width = (int)width;
    image->height = (int)height;
    return ab_ok();
}

ab_status image_allocate(ab_image *image)
{
    const size_t size = (size_t)image->width * (size_t)image->height * (size_t)image->channels;
    image->pixels = malloc(size);
    return image->pixels != NULL ? ab_ok() : ab_failed("no memory for an image of %zu bytes", size);
}

void image_free(ab_image *image)
{
    free(image->pixels);
    free(image->edges);
    *image = (ab_image){0};
}
