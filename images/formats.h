/* The file formats that images/image.h reads, one file each. Inside images/ only. */
#ifndef ANTBENCH_IMAGE_FORMATS_H
#define ANTBENCH_IMAGE_FORMATS_H

#include <stdio.h>

#include "images/image.h"

/* Reads from the beginning of a file into the image's width, height, channels and pixels. Errors do not name the file,
 * and leave no pixels. */
ab_status image_read_png(FILE *file, ab_image *image);
ab_status image_read_pnm(FILE *file, ab_image *image);

/* Allocates the pixels of an image of this size, not initialised. AB_BAD_INPUT when it is empty or larger than
 * IMAGE_MAX_SIDE. */
ab_status image_allocate(double width, double height, int channels, ab_image *image);

#endif
