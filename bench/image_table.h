/* What the drivers of the image tables share: the images that a table is measured on, and cells of several kinds (times,
 * quality of the maps) in one table. The program is table.h.
 */
#ifndef ANTBENCH_IMAGE_TABLE_H
#define ANTBENCH_IMAGE_TABLE_H

#include "bench/table.h"
#include "images/edge_map.h"
#include "images/image.h"
#include "kernels/detector.h"
#include "kernels/edge_ants/edge_ants.h"

/* An image and what is computed from it once. */
typedef struct image_input {
    const char *asked; /* the name asked for: "lena", also where `image` is its stand-in */
    ab_image image;
    uint8_t *grey;     /* [height][width] */
    uint8_t *rgba;     /* [height][width][4] */
    float *visibility; /* [height][width]: ea_visibility */
} image_input;

typedef struct image_table image_table;
typedef struct image_cell image_cell;

/* A kind of cell: what is measured, and how. */
typedef struct image_cell_kind {
    const char *scope; /* of its rows; "functional" instead where the host backend runs what would be timed */
    bool timed;
    const char *metric; /* ends the params of the row of the key: "f" for metric=f; NULL for none */
    /* Parameters as in the CSV: "ants=3000;iterations=50". */
    void (*format_params)(const image_table *table, const image_cell *cell, ab_backend backend, char text[128]);
    double (*estimate)(const image_table *table, const image_cell *cell, ab_backend backend); /* seconds, roughly */
    /* As ab_table_methods.measure. */
    ab_status (*measure)(image_table *table, const image_cell *cell, const ab_implementation *implementation,
                         ab_row *row);
} image_cell_kind;

/* What detector_noise adds to the image. */
typedef struct image_cell_noise {
    image_noise kind;
    int percent; /* the strongest level, of image_add_noise */
} image_cell_noise;

/* One measurement. */
struct image_cell {
    const image_cell_kind *kind;
    const char *table;          /* "5.1" */
    char row[48];               /* "warp-128" */
    const char *published_row;  /* the sources' row beside which it stands, NULL for one of the same name */
    const char *implementation; /* "edge-ants/warp" */
    int input;                  /* index of the image */
    ea_params ants;             /* edge-ants: threads 0 means all cores */
    ed_params detector;         /* colour-edge, canny, sobel: likewise */
    int map_runs;               /* edge-ants quality: runs whose pheromone a map is the mean of */
    image_cell_noise noise;     /* of detector_noise */
};

/* What a driver brings. The lists of names end with NULL. */
typedef struct image_driver {
    ab_program program;                          /* without what all image tables have in common */
    const char *table_file;                      /* "table-5.1.csv" */
    const char *published[AB_MAX_PUBLISHED + 1]; /* tables of results/published/ */
    const ab_effort *efforts;                    /* indexed by ab_profile */
    const char *const *const *images;            /* indexed by ab_profile: the images of all its tables */
    bool traced;                                 /* but for smoke, photographs of BSDS are added where they are there */
    void (*list_cells)(image_table *table);      /* with image_add_cell */
    void (*print_tables)(const image_table *table);
} image_driver;

struct image_table {
    ab_table base;
    const image_driver *driver;
    int n_inputs;
    image_input inputs[AB_MAX_INPUTS];
    image_cell *cells;       /* [base.n_cells] */
    double copy_bytes_per_s; /* bandwidth of the GPU's memory, 0 until it is asked for */
};

/* The whole program; returns its exit code. */
int image_table_main(const image_driver *driver, int argc, char **argv);

/* Whether the image is in a list of names, as it was asked for or, a stand-in, as it is called itself. */
bool image_is_listed(const image_input *input, const char *const *names);

/* Whether its edges were traced by people: a photograph with ground truth. */
bool image_is_traced(const image_input *input);

/* Whether the user named the images (--instances), instead of the profile. */
bool image_inputs_asked(const image_table *table);

/* A new cell with the default parameters for its image, to be changed before the next is added. */
image_cell *image_add_cell(image_table *table, const image_cell_kind *kind, const char *name, const char *row,
                           const char *implementation, int input);

/* The number of threads that 0 stands for is all cores. */
int image_cell_threads(const image_table *table, int threads);

/* The first row of a table with this row name and image and, where `params` is not NULL, with params that contain it, of
 * any scope but end-to-end; NULL when there is none. */
const ab_row *image_find_row(const image_table *table, const char *name, const char *row, int input,
                             const char *params);

/* The same of scope end-to-end. */
const ab_row *image_find_end_to_end(const image_table *table, const char *name, const char *row, int input);

/* With --save, writes a map of 0 and 1, or values scaled to their largest, to DIR/<image>-<name>.png. */
ab_status image_save_map(const image_table *table, const image_input *input, const char *name, const uint8_t *map);
ab_status image_save_values(const image_table *table, const image_input *input, const char *name, const float *values);
/* With --save, writes other pixels of the image's size and channels likewise. */
ab_status image_save_pixels(const image_table *table, const image_input *input, const char *name,
                            const uint8_t *pixels);
/* With --save, writes the image itself and, where they are known, its edges. */
ab_status image_save_input(const image_table *table, const image_input *input);

#endif
