/* Images: reading, writing, the catalogue and the synthetic images that are drawn here, with their exact edges.
 *
 * Everything is 8 bit a channel, grey or RGB, row by row from the top left. Deeper files are reduced to 8 bit by
 * rounding, transparency is composited onto black, palettes are looked up.
 */
#ifndef ANTBENCH_IMAGE_H
#define ANTBENCH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The largest image, in pixels: 9 bytes of each, 576 MiB, are what it takes in colour, grey and RGBA; while it is read
 * from a PNG with alpha 4. */
enum { IMAGE_MAX_SIDE = 16384, IMAGE_MAX_PIXELS = 1 << 26 };

typedef struct ab_image {
    char name[64];     /* "lena", "shapes-512"; of a file its name without directory and extension */
    int width;         /* pixels, 1 .. IMAGE_MAX_SIDE */
    int height;        /* pixels, 1 .. IMAGE_MAX_SIDE */
    int channels;      /* 1 grey, 3 RGB */
    uint8_t *pixels;   /* [height][width][channels]; NULL where it is only described */
    uint8_t *edges;    /* [height][width], 1 on an edge: exact for a drawn image, people's for a file that image_load
                      * finds with its ground truth; else NULL */
    bool known_edges;  /* there are such edges, also where it is only described */
    bool stand_in;     /* drawn, not read from a file */
    bool in_catalogue; /* what was asked for is a name of the catalogue */
    bool catalogued;   /* the pixels are those that the catalogue has by this name: there are several "house"s; false
                        * where it is only described */
    char path[1024];   /* the file it was read from; empty for a drawn image */
    char sha256[65];   /* hash of that file, or of the drawn pixels, hexadecimal; empty if the image is only
                        * described */
} ab_image;

/* Loads what a user calls `name`:
 *   "lena"                  <name>.png, .jpg, .jpeg, .pgm or .ppm in $IMAGES_DIR, $IMAGES_DIR/bsds or images/standard of
 *                           the project's folder (base/root.h); a name of the catalogue that is in none of them is drawn
 *                           (its stand-in, see images/catalogue.csv)
 *   "shapes-512", "hue-300x200", "ramp-512-7"  a synthetic image by kind, size and seed (image_draw); seed 1 if unsaid
 *   "x.png", "a/b"          the file at this path
 *
 * A file x.png or x.jpg takes its edges from x.gt.png in the same folder, if there is one: all values that are not
 * black. Each value is the share of the annotators who saw an edge (Berkeley segmentation data set). For anything else,
 * and for a name with control characters, the function returns AB_BAD_INPUT. Its message suggests the nearest name of
 * the catalogue, of a kind or of a file. Free with image_free. */
ab_status image_load(const char *name, ab_image *image);

/* image_load without pixels and edges: of files the headers are read, of drawn images nothing is drawn. Takes no memory
 * that grows with the image. What a file lacks behind its header is found by image_load alone. */
ab_status image_describe(const char *name, ab_image *image);

/* Whether there is something called `name` to load, by the same rules: AB_OK, or the AB_BAD_INPUT of image_load. Files
 * are not opened. */
ab_status image_check_name(const char *name);

/* False where nothing is called `name`. Also true where image_load has something better to say about it. */
bool image_may_load(const char *name);

/* Reads a picture. PNG: 1 to 16 bit; grey, RGB, palette, with or without alpha. JPEG: 8 bit; baseline or progressive,
 * grey or colour. PGM and PPM: plain or raw, maxval up to 65535. The content decides which, not the name. Returns
 * AB_BAD_INPUT with "file: what is wrong" for a file that is broken, empty, too large or of another kind. Returns
 * AB_FAILED for a file that cannot be opened. */
ab_status image_read(const char *path, ab_image *image);

/* Writes 8-bit PNG: channels 1 or 3. The file is whole or not there. AB_FAILED names the file and the reason. */
ab_status image_write_png(const char *path, int width, int height, int channels, const uint8_t *pixels);

/* The same of a map of edges, in a bit per pixel: white where map[height][width] is not 0. */
ab_status image_write_map(const char *path, int width, int height, const uint8_t *map);

void image_free(ab_image *image); /* accepts a zeroed one */

/* The greyscale of thesis Fig. 5.2, (r >> 2) + (g >> 1) + (b >> 2), into grey[height][width]; a copy of a grey
 * image. */
void image_grey(const ab_image *image, uint8_t *grey);

/* R, G, B and 255 a pixel into rgba[height][width][4]: CUDA's uchar4. A grey image has three equal channels. */
void image_rgba(const ab_image *image, uint8_t *rgba);

/* ---- Synthetic images ---- */

typedef enum image_kind {
    IMAGE_SHAPES,  /* polygons, ellipses and bars of different colours and intensities on a background */
    IMAGE_HUE,     /* patches that differ in hue alone: equal grey by Fig. 5.2, equal intensity (R+G+B)/3 to rounding */
    IMAGE_RAMP,    /* shapes under a strong illumination gradient */
    IMAGE_TEXTURE, /* regions of different fine texture; the edges are where regions meet */
    IMAGE_RANDOM,  /* every pixel a random grey; no edges are known */
    IMAGE_KINDS
} image_kind;

const char *image_kind_name(image_kind kind); /* "shapes", "hue", "ramp", "texture", "random" */

/* Draws an image with its exact edge map, if it has regions. It is the same on every machine for one (kind, width,
 * height, seed). A pixel is on an edge if the region of its right or lower neighbour differs from its own. The name is
 * "shapes-512" for a square, "shapes-640x480" otherwise, with "-7" at the end for seed 7 and no number for seed 1.
 * Returns AB_BAD_INPUT for a size out of range. */
ab_status image_draw(image_kind kind, int width, int height, uint64_t seed, ab_image *image);

/* ---- Noise (thesis §6.6.1) ---- */

typedef enum image_noise { IMAGE_SALT_AND_PEPPER, IMAGE_GAUSSIAN } image_noise;

/* Adds noise in place, from a seed. `level` is 0 .. 1. For salt and pepper it is the share of pixels that become black
 * or white, half of it each, all channels of a pixel together. For Gaussian noise it is the standard deviation as a
 * share of 255, per channel, clamped. */
void image_add_noise(ab_image *image, image_noise noise, double level, uint64_t seed);

/* ---- The catalogue ---- */

typedef struct image_catalogue_entry {
    char name[64];          /* "lena" */
    char pixels_sha256[65]; /* hash of its pixels, as in ab_image, hexadecimal */
    int width, height;      /* pixels */
    int channels;           /* 1 or 3 */
    char stand_in[64];      /* the synthetic image drawn in its place: "shapes-512" */
} image_catalogue_entry;

/* Reads the catalogue (images/catalogue.csv), in the order of thesis Table 6.1 and then others; the caller frees
 * *entries. Errors: base/catalogue.h. */
ab_status image_catalogue(image_catalogue_entry **entries, int *count);

/* Reads the entry called `name`, or zeros (width = 0) if it does not exist. */
ab_status image_find_in_catalogue(const char *name, image_catalogue_entry *entry);

#ifdef __cplusplus
}
#endif
#endif
