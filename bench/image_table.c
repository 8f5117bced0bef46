/* The common part of the image tables' drivers (image_table.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "bench/image_table.h"

static const image_table *const_table(const ab_table *base)
{
    return (const image_table *)base;
}

/* ---- Images ---- */

/* Photographs with edges that people traced (BSDS500, Arbelaez et al. 2011), which are measured where they are there. */
static const char *const bsds_images[] = {"14085",  "41029",  "87015",  "107014", "109055", "157087", "168084",
                                          "176051", "189096", "226033", "326025", "335088", NULL};

static ab_status load_input(const char *name, image_input *input)
{
    input->asked = name;
    AB_TRY(image_load(name, &input->image));
    const size_t pixels = (size_t)input->image.width * (size_t)input->image.height;
    input->grey = malloc(pixels);
    input->rgba = malloc(pixels * 4);
    input->visibility = malloc(pixels * sizeof *input->visibility);
    if (!input->grey || !input->rgba || !input->visibility) return ab_failed("out of memory for image %s", name);
    image_grey(&input->image, input->grey);
    image_rgba(&input->image, input->rgba);
    ea_visibility(input->image.width, input->image.height, input->grey, input->visibility);
    return ab_ok();
}

static void free_input(image_input *input)
{
    image_free(&input->image);
    free(input->grey);
    free(input->rgba);
    free(input->visibility);
    *input = (image_input){0};
}

static bool is_loaded(const image_table *t, const char *name)
{
    for (int i = 0; i < t->n_inputs; ++i)
        if (strcmp(t->inputs[i].image.name, name) == 0) return true;
    return false;
}

static ab_status add_input(image_table *t, const char *name)
{
    if (t->n_inputs == AB_MAX_INPUTS) return ab_bad_input("more than %d images", AB_MAX_INPUTS);
    image_input *input = &t->inputs[t->n_inputs];
    const ab_status status = load_input(name, input);
    if (status.code != AB_OK || is_loaded(t, input->image.name)) free_input(input);
    AB_TRY(status);
    if (!input->asked) return ab_ok(); /* a stand-in that is in the list under its own name too */
    ++t->n_inputs;
    return t->base.options.action == AB_ACTION_RUN ? image_save_input(t, input) : ab_ok();
}

static ab_status load_inputs(ab_table *base)
{
    image_table *t = (image_table *)base;
    const bool asked = image_inputs_asked(t);
    const char *const *names =
        asked ? (const char *const *)base->options.instances : t->driver->images[base->options.profile];
    for (; *names; ++names) AB_TRY(add_input(t, *names));
    const bool traced = t->driver->traced && !asked && base->options.profile != AB_SMOKE;
    for (names = bsds_images; traced && *names; ++names)
        if (image_may_load(*names)) AB_TRY(add_input(t, *names));
    return ab_ok();
}

static int describe_inputs(const ab_table *base, char lines[AB_MAX_INPUTS][AB_INPUT_LINE])
{
    const image_table *t = const_table(base);
    for (int i = 0; i < t->n_inputs; ++i) {
        const ab_image *image = &t->inputs[i].image;
        snprintf(lines[i], AB_INPUT_LINE, "%s %s %s", image->name, image->sha256,
                 image->stand_in ? "generated" : image->path);
    }
    return t->n_inputs;
}

bool image_is_listed(const image_input *input, const char *const *names)
{
    for (; *names; ++names)
        if (strcmp(input->asked, *names) == 0 || strcmp(input->image.name, *names) == 0) return true;
    return false;
}

bool image_is_traced(const image_input *input)
{
    return input->image.edges && !input->image.stand_in;
}

bool image_inputs_asked(const image_table *t)
{
    return t->base.options.instances != NULL;
}

/* ---- Saving ---- */

static ab_status save_png(const image_table *t, const image_input *input, const char *name, int channels,
                          const uint8_t *pixels)
{
    char path[1200];
    const int length = snprintf(path, sizeof path, "%s/%s-%s.png", t->base.options.save, input->image.name, name);
    if (length >= (int)sizeof path) return ab_bad_input("--save: %.200s...: the path is too long", path);
    AB_TRY(ab_make_directories(t->base.options.save));
    return image_write_png(path, input->image.width, input->image.height, channels, pixels);
}

ab_status image_save_map(const image_table *t, const image_input *input, const char *name, const uint8_t *map)
{
    if (!t->base.options.save) return ab_ok();
    const size_t pixels = (size_t)input->image.width * (size_t)input->image.height;
    uint8_t *grey = malloc(pixels);
    if (!grey) return ab_failed("out of memory");
    for (size_t i = 0; i < pixels; ++i) grey[i] = map[i] ? 255 : 0;
    const ab_status status = save_png(t, input, name, 1, grey);
    free(grey);
    return status;
}

ab_status image_save_values(const image_table *t, const image_input *input, const char *name, const float *values)
{
    if (!t->base.options.save) return ab_ok();
    const size_t pixels = (size_t)input->image.width * (size_t)input->image.height;
    uint8_t *grey = malloc(pixels);
    if (!grey) return ab_failed("out of memory");
    float largest = 0.0f;
    for (size_t i = 0; i < pixels; ++i) largest = fmaxf(largest, values[i]);
    /* By the square root, or a few pixels that many ants share would leave the rest black. */
    for (size_t i = 0; i < pixels; ++i)
        grey[i] = largest > 0.0f ? (uint8_t)(255.0f * sqrtf(values[i] / largest) + 0.5f) : 0;
    const ab_status status = save_png(t, input, name, 1, grey);
    free(grey);
    return status;
}

ab_status image_save_pixels(const image_table *t, const image_input *input, const char *name, const uint8_t *pixels)
{
    return t->base.options.save ? save_png(t, input, name, input->image.channels, pixels) : ab_ok();
}

ab_status image_save_input(const image_table *t, const image_input *input)
{
    AB_TRY(image_save_pixels(t, input, "input", input->image.pixels));
    return input->image.edges ? image_save_map(t, input, "truth", input->image.edges) : ab_ok();
}

/* ---- Cells ---- */

image_cell *image_add_cell(image_table *t, const image_cell_kind *kind, const char *name, const char *row,
                           const char *implementation, int input)
{
    const ab_image *image = &t->inputs[input].image;
    image_cell *cells = realloc(t->cells, ((size_t)t->base.n_cells + 1) * sizeof *cells);
    if (!cells) { /* a list of a few hundred: there is nothing to save when even that cannot be had */
        fprintf(stderr, "%s: out of memory\n", t->base.options.program);
        exit(AB_EXIT_ERROR);
    }
    t->cells = cells;
    image_cell *cell = &cells[t->base.n_cells++];
    *cell = (image_cell){.kind = kind, .table = name, .implementation = implementation, .input = input};
    snprintf(cell->row, sizeof cell->row, "%s", row);
    cell->ants = ea_default_params(image->width, image->height);
    cell->detector = ed_default_params();
    cell->ants.seed = t->base.options.seed;
    return cell;
}

int image_cell_threads(const image_table *t, int threads)
{
    return threads ? threads : t->base.bench.cores;
}

static void list_cells(ab_table *base)
{
    image_table *t = (image_table *)base;
    t->driver->list_cells(t);
}

static const char *cell_implementation(const ab_table *base, int cell)
{
    return const_table(base)->cells[cell].implementation;
}

static void cell_key(const ab_table *base, int number, const ab_implementation *implementation, ab_row *row)
{
    const image_table *t = const_table(base);
    const image_cell *cell = &t->cells[number];
    const image_input *input = &t->inputs[cell->input];
    const bool functional = cell->kind->timed && implementation->backend == AB_HOST;
    snprintf(row->table, sizeof row->table, "%s", cell->table);
    snprintf(row->row, sizeof row->row, "%s", cell->row);
    snprintf(row->instance, sizeof row->instance, "%s", input->image.name);
    snprintf(row->scope, sizeof row->scope, "%s", functional ? "functional" : cell->kind->scope);
    ab_row_set_implementation(row, &base->bench, implementation);
    row->size = input->image.width * input->image.height;
    row->seed = base->options.seed;
    cell->kind->format_params(t, cell, implementation->backend, row->params);
    const size_t at = strlen(row->params);
    if (cell->kind->metric) snprintf(row->params + at, sizeof row->params - at, ";metric=%s", cell->kind->metric);
}

static double cell_estimate(const ab_table *base, int cell, const ab_implementation *implementation)
{
    const image_table *t = const_table(base);
    return t->cells[cell].kind->estimate(t, &t->cells[cell], implementation->backend);
}

static ab_status measure_cell(ab_table *base, int number, const ab_implementation *implementation, ab_row *row)
{
    image_table *t = (image_table *)base;
    const image_cell *cell = &t->cells[number];
    const image_input *input = &t->inputs[cell->input];
    if (input->image.stand_in && input->image.in_catalogue)
        ab_row_add_note(row, "drawn stand-in for %s", input->asked);
    if (input->image.in_catalogue && !input->image.stand_in && !input->image.catalogued)
        ab_row_add_note(row, "not the catalogue's picture of this name");
    return cell->kind->measure(t, cell, implementation, row);
}

/* ---- Looking up ---- */

/* Whether the params of a row hold these, whole: "metric=agreement" is not in "metric=agreement-same-seeds". */
static bool holds_params(const char *all, const char *some)
{
    const char *found = some ? strstr(all, some) : all;
    if (!some || !found) return found != NULL;
    const char end = found[strlen(some)];
    return end == ';' || end == '\0';
}

static const ab_row *find_row(const image_table *t, const char *name, const char *row, int input, const char *params,
                              bool end_to_end)
{
    int count = 0;
    const ab_row *rows = ab_run_rows(t->base.bench.run, &count);
    for (int i = 0; i < count; ++i)
        if (strcmp(rows[i].table, name) == 0 && strcmp(rows[i].row, row) == 0 &&
            strcmp(rows[i].instance, t->inputs[input].image.name) == 0 && holds_params(rows[i].params, params) &&
            (strcmp(rows[i].scope, "end-to-end") == 0) == end_to_end)
            return &rows[i];
    return NULL;
}

const ab_row *image_find_row(const image_table *t, const char *name, const char *row, int input, const char *params)
{
    return find_row(t, name, row, input, params, false);
}

const ab_row *image_find_end_to_end(const image_table *t, const char *name, const char *row, int input)
{
    return find_row(t, name, row, input, NULL, true);
}

/* ---- The program ---- */

static ab_effort profile_effort(const ab_table *base)
{
    return const_table(base)->driver->efforts[base->options.profile];
}

static void print_tables(const ab_table *base)
{
    const image_table *t = const_table(base);
    t->driver->print_tables(t);
    for (int i = 0; i < t->n_inputs; ++i)
        if (t->inputs[i].image.stand_in && t->inputs[i].image.in_catalogue)
            printf("\n%s is drawn in the place of %s, of which no file was found (make images)",
                   t->inputs[i].image.name, t->inputs[i].asked);
    if (base->options.save) printf("\nimages: %s", base->options.save);
}

static void close_table(ab_table *base)
{
    image_table *t = (image_table *)base;
    for (int i = 0; i < t->n_inputs; ++i) free_input(&t->inputs[i]);
    free(t->cells);
}

int image_table_main(const image_driver *driver, int argc, char **argv)
{
    static const ab_table_methods methods = {
        .effort = profile_effort,
        .load = load_inputs,
        .list_cells = list_cells,
        .implementation = cell_implementation,
        .key = cell_key,
        .estimate = cell_estimate,
        .measure = measure_cell,
        .inputs = describe_inputs,
        .print = print_tables,
        .close = close_table,
    };
    image_table *t = calloc(1, sizeof *t);
    if (!t) return AB_EXIT_ERROR;
    t->driver = driver;
    t->base = (ab_table){.methods = &methods,
                         .program = driver->program,
                         .table_file = driver->table_file,
                         .published_names = driver->published};
    t->base.program.may_load = image_may_load;
    t->base.program.instances_help = "measure these: catalogue names, drawn images (shapes-512) or files";
    t->base.program.saves = true;
    const int exit_code = ab_table_main(&t->base, argc, argv);
    free(t);
    return exit_code;
}
