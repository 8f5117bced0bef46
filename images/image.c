/* Images in memory, and which format a file has (images/image.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/lookup.h"
#include "images/formats.h"

/* ---- Reading ---- */

static ab_status read_content(FILE *file, image_extent extent, ab_image *image)
{
    struct stat info;
    if (fstat(fileno(file), &info) != 0) return ab_failed("%s", strerror(errno));
    if (!S_ISREG(info.st_mode)) return ab_bad_input("not a regular file");
    unsigned char magic[8] = {0};
    const size_t length = fread(magic, 1, sizeof magic, file);
    rewind(file);
    if (length == 0) return ab_bad_input("the file is empty");
    if (memcmp(magic, "\x89PNG\r\n\x1a\n", 8) == 0) return image_read_png(file, extent, image);
    if (memcmp(magic, "\xff\xd8\xff", 3) == 0) return image_read_jpeg(file, extent, image);
    if (magic[0] == 'P' && strchr("2356", magic[1]) != NULL && magic[1] != '\0')
        return image_read_pnm(file, extent, image);
    return ab_bad_input("neither PNG nor JPEG nor PGM nor PPM");
}

/* The file's name without directory and extension. */
static void name_after(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path, *dot = strrchr(base, '.');
    const size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);
    snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), base);
}

/* Puts the file's name in front of an error: all of it, or its end. */
static ab_status about_file(const char *path, ab_status status)
{
    const char *shown = ab_short_path(path);
    if (status.code == AB_BAD_INPUT) return ab_bad_input("%s: %s", shown, status.reason);
    return status.code == AB_OK ? status : ab_failed("%s: %s", shown, status.reason);
}

static ab_status read_file(const char *path, image_extent extent, ab_image *image)
{
    *image = (ab_image){0};
    if (strlen(path) >= sizeof image->path) return about_file(path, ab_bad_input("the path is too long"));
    FILE *file = fopen(path, "rb");
    if (file == NULL) return about_file(path, ab_failed("%s", strerror(errno)));
    ab_status status = about_file(path, read_content(file, extent, image));
    fclose(file);
    if (status.code == AB_OK && extent == IMAGE_WHOLE) status = sha256_file(path, image->sha256);
    if (status.code != AB_OK) {
        image_free(image);
        return status;
    }
    strcpy(image->path, path);
    name_after(path, image->name, sizeof image->name);
    return status;
}

ab_status image_read(const char *path, ab_image *image)
{
    return read_file(path, IMAGE_WHOLE, image);
}

ab_status image_read_header(const char *path, ab_image *image)
{
    return read_file(path, IMAGE_HEADER, image);
}

/* ---- Conversions ---- */

void image_grey(const ab_image *image, uint8_t *grey)
{
    const size_t n = (size_t)image->width * (size_t)image->height;
    if (image->channels == 1) {
        memcpy(grey, image->pixels, n);
        return;
    }
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = image->pixels + 3 * i;
        grey[i] = (uint8_t)((p[0] >> 2) + (p[1] >> 1) + (p[2] >> 2));
    }
}

void image_rgba(const ab_image *image, uint8_t *rgba)
{
    const size_t n = (size_t)image->width * (size_t)image->height, channels = (size_t)image->channels;
#pragma omp parallel for
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = image->pixels + i * channels;
        rgba[4 * i] = p[0];
        rgba[4 * i + 1] = p[channels / 2];
        rgba[4 * i + 2] = p[channels - 1];
        rgba[4 * i + 3] = 255;
    }
}
