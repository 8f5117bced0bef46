/* The parts of images/image.h that work on its behalf: a file each for the formats, drawing and memory. Inside images/
 * only. */
#ifndef ANTBENCH_IMAGE_FORMATS_H
#define ANTBENCH_IMAGE_FORMATS_H

#include <stdio.h>

#include "images/image.h"

/* How much of a file to read. */
typedef enum image_extent {
    IMAGE_HEADER, /* width, height and channels */
    IMAGE_WHOLE   /* pixels too */
} image_extent;

/* Reads from the beginning of a file into the image's width, height, channels and pixels. Errors do not name the file,
 * and leave no pixels. */
ab_status image_read_png(FILE *file, image_extent extent, ab_image *image);
ab_status image_read_jpeg(FILE *file, image_extent extent, ab_image *image);
ab_status image_read_pnm(FILE *file, image_extent extent, ab_image *image);

/* image_read, but for pixels and sha256. */
ab_status image_read_header(const char *path, ab_image *image);

/* image_draw, but for pixels, edges and sha256. */
ab_status image_describe_drawn(image_kind kind, int width, int height, uint64_t seed, ab_image *image);

/* Sets the size. AB_BAD_INPUT when it is empty, or larger than IMAGE_MAX_SIDE or IMAGE_MAX_PIXELS. */
ab_status image_set_size(double width, double height, ab_image *image);

/* Allocates the pixels of an image whose size and channels are set, not initialised. */
ab_status image_allocate(ab_image *image);

#endif
