/* Images as inputs, and saving what is found in them (kernels/edges/edges.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "kernels/edges/edges.h"

size_t edges_pixels(const edges_image *image)
{
    return (size_t)image->image.width * (size_t)image->image.height;
}

/* ---- Inputs ---- */

static void describe_image(const char *asked, const ab_image *image, ab_input *input)
{
    *input = (ab_input){.asked = asked,
                        .size = image->width * image->height,
                        .width = image->width,
                        .height = image->height,
                        .stand_in = image->stand_in,
                        .traced = image->known_edges && !image->stand_in,
                        .known_edges = image->known_edges,
                        .reference = NAN};
    snprintf(input->name, sizeof input->name, "%s", image->name);
    snprintf(input->path, sizeof input->path, "%s", image->path);
    snprintf(input->sha256, sizeof input->sha256, "%s", image->sha256);
    if (image->stand_in && image->in_catalogue)
        snprintf(input->note, sizeof input->note, "drawn stand-in for %.80s", asked);
}

static ab_status describe(const char *name, ab_input *input)
{
    ab_image image;
    AB_TRY(image_describe(name, &image));
    describe_image(name, &image, input);
    return ab_ok();
}

static void unload(void *loaded)
{
    edges_image *image = loaded;
    if (!image) return;
    image_free(&image->image);
    free(image->grey);
    free(image->rgba);
    free(image->visibility);
    free(image->floats);
    free(image->problem);
    free(image);
}

static ab_status fill(const char *name, edges_image *image)
{
    AB_TRY(image_load(name, &image->image));
    image->grey = malloc(edges_pixels(image));
    image->rgba = malloc(edges_pixels(image) * 4);
    if (!image->grey || !image->rgba) return ab_failed("out of memory for image %.64s", name);
    image_grey(&image->image, image->grey);
    image_rgba(&image->image, image->rgba);
    return ab_ok();
}

static ab_status load(ab_input *input, void **loaded)
{
    edges_image *image = calloc(1, sizeof *image);
    if (!image) return ab_failed("out of memory");
    const ab_status status = fill(input->asked, image);
    if (status.code != AB_OK) {
        unload(image);
        return status;
    }
    describe_image(input->asked, &image->image, input);
    if (!input->stand_in && !image->image.catalogued && image->image.in_catalogue)
        snprintf(input->note, sizeof input->note, "not the catalogue's picture of this name");
    *loaded = image;
    return ab_ok();
}

/* ---- Saving ---- */

static ab_status path_of(const char *folder, const ab_image *image, const char *name, char path[1200])
{
    const int length = snprintf(path, 1200, "%s/%s-%s.png", folder, image->name, name);
    if (length >= 1200) return ab_bad_input("--save: %.200s...: the path is too long", path);
    return ab_make_directories(folder);
}

static ab_status save_png(const char *folder, const ab_image *image, const char *name, int channels,
                          const uint8_t *pixels)
{
    char path[1200];
    AB_TRY(path_of(folder, image, name, path));
    return image_write_png(path, image->width, image->height, channels, pixels);
}

static ab_status save_map(const char *folder, const edges_image *image, const char *name, const uint8_t *map)
{
    char path[1200];
    AB_TRY(path_of(folder, &image->image, name, path));
    return image_write_map(path, image->image.width, image->image.height, map);
}

static ab_status save_input(const ab_input *input, const void *loaded, const char *folder)
{
    const edges_image *image = loaded;
    (void)input;
    AB_TRY(save_png(folder, &image->image, "input", image->image.channels, image->image.pixels));
    return image->image.edges ? save_map(folder, image, "truth", image->image.edges) : ab_ok();
}

ab_status edges_save_map(const ab_task *task, const char *name, const uint8_t *map)
{
    return task->save ? task->sink->saved(task->sink, save_map(task->save, task->loaded, name, map)) : ab_ok();
}

ab_status edges_save_pixels(const ab_task *task, const char *name, const uint8_t *pixels)
{
    const edges_image *image = task->loaded;
    if (!task->save) return ab_ok();
    return task->sink->saved(task->sink, save_png(task->save, &image->image, name, image->image.channels, pixels));
}

ab_status edges_save_values(const ab_task *task, const char *name, const float *values)
{
    const edges_image *image = task->loaded;
    if (!task->save) return ab_ok();
    const size_t pixels = edges_pixels(image);
    uint8_t *grey = malloc(pixels);
    if (!grey) return ab_failed("out of memory");
    float largest = 0.0f;
    for (size_t i = 0; i < pixels; ++i) largest = fmaxf(largest, values[i]);
    /* The square root is taken, because a few pixels that many ants share would leave the rest black. */
    for (size_t i = 0; i < pixels; ++i)
        grey[i] = largest > 0.0f ? (uint8_t)(255.0f * sqrtf(values[i] / largest) + 0.5f) : 0;
    const ab_status status = save_png(task->save, &image->image, name, 1, grey);
    free(grey);
    return task->sink->saved(task->sink, status);
}

const ab_inputs edges_inputs = {
    .help = "catalogue names, drawn images (shapes-512, hue-300x200), files of $IMAGES_DIR or paths",
    .check_name = image_check_name,
    .describe = describe,
    .load = load,
    .unload = unload,
    .save = save_input,
};
