/* From the name that a user gives to an image: a file, or a drawn one (images/image.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/catalogue.h"
#include "base/digest.h"
#include "base/lookup.h"
#include "images/formats.h"

/* ---- Drawn images ---- */

/* An image by its parameters. */
typedef struct drawing {
    image_kind kind;
    int width, height; /* pixels */
    uint64_t seed;
} drawing;

/* Reads digits without leading zeros, 1 .. 2^31-1, and moves past them. Without such digits it returns -1 and does not
 * move. */
static long read_number(const char **text)
{
    const size_t digits = strspn(*text, "0123456789");
    if (digits == 0 || (*text)[0] == '0') return -1;
    const long number = digits < 10 ? atol(*text) : 0x7fffffff;
    *text += digits;
    return number;
}

/* "-512", "-300x200", "-512-7": the size and seed behind a kind's name. */
static bool parse_size(const char *text, drawing *drawn)
{
    if (*text++ != '-') return false;
    long w = read_number(&text), h = w, variant = 1;
    if (*text == 'x') text++, h = read_number(&text);
    if (*text == '-') text++, variant = read_number(&text);
    drawn->width = (int)w;
    drawn->height = (int)h;
    drawn->seed = (uint64_t)variant;
    return *text == '\0' && w > 0 && h > 0 && variant > 0;
}

static bool parse_drawn(const char *name, drawing *drawn)
{
    for (int k = 0; k < IMAGE_KINDS; k++) {
        const size_t length = strlen(image_kind_name((image_kind)k));
        if (strncmp(name, image_kind_name((image_kind)k), length) != 0) continue;
        drawn->kind = (image_kind)k;
        return parse_size(name + length, drawn);
    }
    return false;
}

/* ---- The catalogue ---- */

static const ab_field fields[] = {
    AB_TEXT(image_catalogue_entry, name),
    AB_NUMBER(image_catalogue_entry, width, 1, IMAGE_MAX_SIDE),
    AB_NUMBER(image_catalogue_entry, height, 1, IMAGE_MAX_SIDE),
    AB_NUMBER(image_catalogue_entry, channels, 1, 3),
    AB_TEXT(image_catalogue_entry, stand_in),
    AB_SHA256(image_catalogue_entry, pixels_sha256),
};

static const char *fault_of(const void *entry)
{
    const image_catalogue_entry *image = entry;
    drawing drawn;
    if (image->channels == 2) return "channels: an image has 1 or 3";
    return parse_drawn(image->stand_in, &drawn) ? NULL : "stand_in: not the name of a drawn image";
}

static const ab_catalogue catalogue = {.below = "images/catalogue.csv",
                                       .fields = fields,
                                       .n_fields = sizeof fields / sizeof fields[0],
                                       .entry_size = sizeof(image_catalogue_entry),
                                       .fault = fault_of};

ab_status image_catalogue(image_catalogue_entry **entries, int *count)
{
    void *read;
    const ab_status status = ab_catalogue_read(&catalogue, &read, count);
    *entries = read;
    return status;
}

ab_status image_find_in_catalogue(const char *name, image_catalogue_entry *entry)
{
    return ab_catalogue_find(&catalogue, name, entry);
}

/* ---- Names ---- */

static const char *const subfolders[] = {"", "bsds", NULL};
static const char *const extensions[] = {".png", ".jpg", ".jpeg", ".pgm", ".ppm", NULL};
static const char *const examples[] = {"shapes-512", "hue-512", "ramp-512", "texture-512", NULL};
static const ab_shelf shelf = {.what = "image",
                               .variable = "IMAGES_DIR",
                               .subfolders = subfolders,
                               .folder = "images/standard",
                               .extensions = extensions,
                               .companion = ".gt",
                               .catalogue = &catalogue,
                               .examples = examples};

/* What a name stands for. */
typedef struct source {
    bool known;              /* false: nothing is called so */
    bool in_catalogue;       /* it is a name of the catalogue */
    char path[AB_PATH_SIZE]; /* path of the file; empty if the image is drawn, */
    drawing drawn;           /* ... with these parameters */
} source;

static ab_status find_source(const char *name, source *found)
{
    *found = (source){.known = false};
    AB_TRY(ab_find_file(&shelf, name, found->path));
    image_catalogue_entry entry;
    AB_TRY(image_find_in_catalogue(name, &entry));
    found->in_catalogue = entry.width > 0;
    found->known = found->path[0] != '\0' || parse_drawn(found->in_catalogue ? entry.stand_in : name, &found->drawn) ||
                   ab_find_here(name, found->path);
    return ab_ok();
}

/* find_source, with an error for an unknown name. */
static ab_status must_find(const char *name, source *found)
{
    AB_TRY(find_source(name, found));
    return found->known ? ab_ok() : ab_unknown_name(&shelf, name);
}

bool image_may_load(const char *name)
{
    source found;
    return find_source(name, &found).code != AB_OK || found.known;
}

ab_status image_check_name(const char *name)
{
    source found;
    return must_find(name, &found);
}

/* ---- Files ---- */

/* image_read or image_read_header. */
typedef ab_status reader(const char *path, ab_image *image);

/* Sets `catalogued` of an image that has its pixels. */
static ab_status compare_with_catalogue(ab_image *image)
{
    image_catalogue_entry entry;
    char digest[65];
    AB_TRY(image_find_in_catalogue(image->name, &entry));
    if (entry.width != image->width || entry.height != image->height || entry.channels != image->channels)
        return ab_ok();
    sha256_hex(image->pixels, (size_t)image->width * (size_t)image->height * (size_t)image->channels, digest);
    image->catalogued = strcmp(digest, entry.pixels_sha256) == 0;
    return ab_ok();
}

/* Finds the file beside the image that has .gt before its extension, or .gt.png instead of it, which keeps all values
 * if the image is a JPEG. Returns false if there is no such file. */
static bool find_ground_truth(const ab_image *image, char path[AB_PATH_SIZE])
{
    const char *dot = strrchr(image->path, '.'), *slash = strrchr(image->path, '/');
    if (dot == NULL || (slash != NULL && dot < slash)) return false;
    const char *const endings[] = {dot, ".png"};
    for (int i = 0; i < 2; i++) {
        const int stem = (int)(dot - image->path);
        const int length = snprintf(path, AB_PATH_SIZE, "%.*s.gt%s", stem, image->path, endings[i]);
        if (length < AB_PATH_SIZE && access(path, F_OK) == 0) return true;
    }
    return false;
}

/* Makes the image's edges of what a ground truth has, if that has its pixels. */
static void take_edges(ab_image *truth, ab_image *image)
{
    image->known_edges = true;
    if (truth->pixels == NULL) return;
    image->edges = truth->pixels;
    truth->pixels = NULL;
    for (size_t i = 0; i < (size_t)truth->width * (size_t)truth->height; i++) image->edges[i] = image->edges[i] > 0;
}

static ab_status read_ground_truth(reader *read, ab_image *image)
{
    char path[AB_PATH_SIZE];
    ab_image truth;
    if (!find_ground_truth(image, path)) return ab_ok();
    AB_TRY(read(path, &truth));
    const bool fits = truth.width == image->width && truth.height == image->height && truth.channels == 1;
    if (fits) take_edges(&truth, image);
    image_free(&truth);
    return fits ? ab_ok() : ab_bad_input("%s: not a grey image of the size of what it belongs to", ab_short_path(path));
}

static ab_status read_file(reader *read, const char *path, ab_image *image)
{
    AB_TRY(read(path, image));
    ab_status status = read_ground_truth(read, image);
    if (status.code == AB_OK && image->pixels != NULL) status = compare_with_catalogue(image);
    if (status.code != AB_OK) image_free(image);
    return status;
}

/* ---- Images ---- */

/* image_draw or image_describe_drawn. */
typedef ab_status drawer(image_kind kind, int width, int height, uint64_t seed, ab_image *image);

static ab_status make_image(const char *name, reader *read, drawer *draw, ab_image *image)
{
    source found;
    *image = (ab_image){0};
    AB_TRY(must_find(name, &found));
    const drawing *drawn = &found.drawn;
    AB_TRY(found.path[0] != '\0' ? read_file(read, found.path, image)
                                 : draw(drawn->kind, drawn->width, drawn->height, drawn->seed, image));
    image->in_catalogue = found.in_catalogue;
    return ab_ok();
}

ab_status image_load(const char *name, ab_image *image)
{
    return make_image(name, image_read, image_draw, image);
}

ab_status image_describe(const char *name, ab_image *image)
{
    return make_image(name, image_read_header, image_describe_drawn, image);
}
