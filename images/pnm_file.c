/* PGM and PPM, the plain forms P2 and P3 and the raw ones P5 and P6 (Netpbm's pgm(5) and ppm(5)). Of a file that holds
 * several images the first is read. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "images/formats.h"

/* ---- Text: the header, and all of a plain file ---- */

/* Past any number that is allowed, so that longer ones need not be told apart. */
static const int too_large = 10000000;

/* Skips a comment to the end of its line, which it returns, or EOF. */
static int end_of_comment(FILE *file)
{
    int c;
    do c = getc(file);
    while (c != '\n' && c != '\r' && c != EOF);
    return c;
}

/* The next whole number, blanks and comments before it skipped, and the one blank (or comment) behind it. -1 where
 * there is something else or nothing. */
static int next_number(FILE *file)
{
    int c = getc(file), number = 0;
    while (isspace(c) || c == '#') {
        if (c == '#') end_of_comment(file);
        c = getc(file);
    }
    if (!isdigit(c)) return -1;
    for (; isdigit(c); c = getc(file))
        if (number < too_large) number = number * 10 + (c - '0');
    if (c == '#') c = end_of_comment(file);
    return isspace(c) || c == EOF ? number : -1;
}

/* ---- Samples ---- */

typedef struct pnm_samples {
    FILE *file;    /* at the first sample */
    bool plain;    /* decimal numbers rather than bytes */
    int maxval;    /* white: 1 .. 65535 */
    size_t stride; /* samples in a row */
    size_t read;   /* samples read so far */
    size_t all;    /* samples there should be */
} pnm_samples;

static ab_status reduce(pnm_samples *samples, int sample, uint8_t *pixel)
{
    if (sample > samples->maxval)
        return ab_bad_input("sample %zu is above maxval %d", samples->read + 1, samples->maxval);
    *pixel = (uint8_t)((sample * 255 + samples->maxval / 2) / samples->maxval);
    samples->read++;
    return ab_ok();
}

static ab_status ends_early(const pnm_samples *samples)
{
    if (ferror(samples->file)) return ab_failed("%s", strerror(errno));
    const char *why = feof(samples->file) ? "the file ends" : "not a number";
    return ab_bad_input("%s after %zu of %zu samples", why, samples->read, samples->all);
}

static ab_status read_plain_row(pnm_samples *samples, uint8_t *row)
{
    for (size_t x = 0; x < samples->stride; x++) {
        const int sample = next_number(samples->file);
        if (sample < 0) return ends_early(samples);
        AB_TRY(reduce(samples, sample, &row[x]));
    }
    return ab_ok();
}

/* One byte a sample, or two, the higher first. `bytes` is scratch for a row of them. */
static ab_status read_raw_row(pnm_samples *samples, uint8_t *bytes, uint8_t *row)
{
    const size_t size = samples->maxval > 255 ? 2 : 1, whole = fread(bytes, size, samples->stride, samples->file);
    for (size_t x = 0; x < whole; x++) {
        const int sample = size == 2 ? bytes[2 * x] << 8 | bytes[2 * x + 1] : bytes[x];
        AB_TRY(reduce(samples, sample, &row[x]));
    }
    return whole == samples->stride ? ab_ok() : ends_early(samples);
}

static ab_status read_rows(pnm_samples *samples, int height, uint8_t *pixels)
{
    uint8_t *bytes = malloc(samples->stride * 2);
    ab_status status = bytes != NULL ? ab_ok() : ab_failed("no memory for a row");
    for (int y = 0; y < height && status.code == AB_OK; y++) {
        uint8_t *row = pixels + (size_t)y * samples->stride;
        status = samples->plain ? read_plain_row(samples, row) : read_raw_row(samples, bytes, row);
    }
    free(bytes);
    return status;
}

ab_status image_read_pnm(FILE *file, image_extent extent, ab_image *image)
{
    getc(file); /* the caller has seen that it is P */
    const int type = getc(file), channels = type == '3' || type == '6' ? 3 : 1;
    const int width = next_number(file), height = next_number(file), maxval = next_number(file);
    if (width < 0 || height < 0 || maxval < 0)
        return ab_bad_input("the header is not \"P%c width height maxval\"", type);
    if (maxval < 1 || maxval > 65535) return ab_bad_input("maxval is 1 .. 65535");
    AB_TRY(image_set_size(width, height, image));
    image->channels = channels;
    if (extent == IMAGE_HEADER) return ab_ok();
    AB_TRY(image_allocate(image));
    const size_t stride = (size_t)width * (size_t)channels;
    pnm_samples samples = {.file = file, .plain = type < '5', .maxval = maxval, .stride = stride};
    samples.all = stride * (size_t)height;
    const ab_status status = read_rows(&samples, height, image->pixels);
    if (status.code != AB_OK) {
        free(image->pixels);
        image->pixels = NULL;
    }
    return status;
}
