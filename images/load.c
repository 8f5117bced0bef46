/* From the name that a user gives to an image: a file, or a drawn one (images/image.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "images/image.h"
#include "base/names.h"
#include "base/digest.h"

enum { PATH_SIZE = sizeof((ab_image *)0)->path };

/* ---- Files ---- */

/* True with the path when <directory>/<name> is there with one of the extensions. A directory that is NULL or empty has
 * no files. */
static bool find_in(const char *directory, const char *below, const char *name, char path[PATH_SIZE])
{
    static const char *const extensions[] = {".png", ".pgm", ".ppm"};
    if (directory == NULL || directory[0] == '\0') return false;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        const int length = snprintf(path, PATH_SIZE, "%s%s/%s%s", directory, below, name, extensions[i]);
        if (length < PATH_SIZE && access(path, F_OK) == 0) return true;
    }
    return false;
}

static bool find(const char *name, char path[PATH_SIZE])
{
    const char *directory = getenv("IMAGES_DIR");
    return find_in(directory, "", name, path) || find_in(directory, "/bsds", name, path) ||
           find_in("images/standard", "", name, path);
}

static void compare_with_catalogue(ab_image *image)
{
    const image_catalogue_entry *entry = image_find_in_catalogue(image->name);
    char digest[65];
    if (entry == NULL || entry->width != image->width || entry->height != image->height ||
        entry->channels != image->channels)
        return;
    sha256_hex(image->pixels, (size_t)image->width * (size_t)image->height * (size_t)image->channels, digest);
    image->catalogued = strcmp(digest, entry->pixels_sha256) == 0;
}

/* Takes the edges from the file beside the image that has .gt before its extension, if there is one. */
static ab_status read_ground_truth(ab_image *image)
{
    char path[PATH_SIZE];
    const char *dot = strrchr(image->path, '.'), *slash = strrchr(image->path, '/');
    if (dot == NULL || (slash != NULL && dot < slash)) return ab_ok();
    const int length = snprintf(path, PATH_SIZE, "%.*s.gt%s", (int)(dot - image->path), image->path, dot);
    if (length >= PATH_SIZE || access(path, F_OK) != 0) return ab_ok();
    ab_image truth;
    AB_TRY(image_read(path, &truth));
    const bool fits = truth.width == image->width && truth.height == image->height && truth.channels == 1;
    if (fits) {
        image->edges = truth.pixels;
        truth.pixels = NULL;
        for (size_t i = 0; i < (size_t)truth.width * (size_t)truth.height; i++) image->edges[i] = image->edges[i] > 0;
    }
    image_free(&truth);
    return fits ? ab_ok() : ab_bad_input("%.200s: not a grey image of the size of what it belongs to", path);
}

static ab_status load_file(const char *path, ab_image *image)
{
    AB_TRY(image_read(path, image));
    const ab_status status = read_ground_truth(image);
    if (status.code == AB_OK)
        compare_with_catalogue(image);
    else
        image_free(image);
    return status;
}

/* ---- Drawn images ---- */

/* Reads digits without leading zeros, 1 .. 2^31-1, and moves behind them; -1, and nothing moves, where there are
 * none. */
static long read_number(const char **text)
{
    const size_t digits = strspn(*text, "0123456789");
    if (digits == 0 || (*text)[0] == '0') return -1;
    const long number = digits < 10 ? atol(*text) : 0x7fffffff;
    *text += digits;
    return number;
}

/* "-512", "-300x200", "-512-7": the size and seed behind a kind's name. */
static bool parse_size(const char *text, int *width, int *height, uint64_t *seed)
{
    if (*text++ != '-') return false;
    long w = read_number(&text), h = w, variant = 1;
    if (*text == 'x') text++, h = read_number(&text);
    if (*text == '-') text++, variant = read_number(&text);
    *width = (int)w;
    *height = (int)h;
    *seed = (uint64_t)variant;
    return *text == '\0' && w > 0 && h > 0 && variant > 0;
}

static bool parse_drawn(const char *name, image_kind *kind, int *width, int *height, uint64_t *seed)
{
    for (int k = 0; k < IMAGE_KINDS; k++) {
        const size_t length = strlen(image_kind_name((image_kind)k));
        if (strncmp(name, image_kind_name((image_kind)k), length) != 0) continue;
        *kind = (image_kind)k;
        return parse_size(name + length, width, height, seed);
    }
    return false;
}

/* ---- Names ---- */

static ab_status unknown_name(const char *name)
{
    int count;
    const image_catalogue_entry *catalogue = image_catalogue(&count);
    const char **names = calloc((size_t)count + IMAGE_KINDS + 1, sizeof *names);
    if (names == NULL) return ab_failed("no memory for %d names", count);
    for (int i = 0; i < count; i++) names[i] = catalogue[i].name;
    static const char *const examples[IMAGE_KINDS] = {"shapes-512", "hue-512", "ramp-512", "texture-512"};
    for (int i = 0; i < IMAGE_KINDS; i++) names[count + i] = examples[i];
    const char *nearest = ab_nearest_name(name, names);
    char suggestion[96] = "";
    if (nearest != NULL) snprintf(suggestion, sizeof suggestion, "; did you mean \"%s\"?", nearest);
    free(names);
    return ab_bad_input("image \"%.64s\": not in the catalogue, and no such file in $IMAGES_DIR or images/standard%s",
                        name, suggestion);
}

static bool is_path(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strchr(name, '/') != NULL ||
           (dot != NULL && (strcmp(dot, ".png") == 0 || strcmp(dot, ".pgm") == 0 || strcmp(dot, ".ppm") == 0));
}

bool image_may_load(const char *name)
{
    image_kind kind;
    int width, height;
    uint64_t seed;
    char path[PATH_SIZE];
    return is_path(name) || parse_drawn(name, &kind, &width, &height, &seed) || find(name, path);
}

ab_status image_load(const char *name, ab_image *image)
{
    *image = (ab_image){0};
    if (is_path(name)) {
        if (access(name, F_OK) != 0) return ab_bad_input("%.200s: no such file", name);
        return load_file(name, image);
    }
    char path[PATH_SIZE];
    if (find(name, path)) return load_file(path, image);

    const image_catalogue_entry *entry = image_find_in_catalogue(name);
    image_kind kind;
    int width, height;
    uint64_t seed;
    if (parse_drawn(entry != NULL ? entry->stand_in : name, &kind, &width, &height, &seed))
        return image_draw(kind, width, height, seed, image);
    return unknown_name(name);
}
