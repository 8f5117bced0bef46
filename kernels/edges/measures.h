/* What edge detectors (colour-edge, canny, sobel) are measured for: their time (Table 6.1), the quality of their maps,
 * and how that stands noise (Figures 6.5 and 6.6).
 */
#ifndef ANTBENCH_EDGES_MEASURES_H
#define ANTBENCH_EDGES_MEASURES_H

#include "kernels/edges/edges.h"

/* A pixel whose magnitude is within rounding of a threshold may fall on either side, and thinning takes more with it.
 */
#define EDGES_TOLERANCE 1e-4

/* The share of the image's pixels that an AB_SUPERSET may miss, and one more, as tiny images have few: its non-maximum
 * suppression decides ties and directions by rules of its own. A map without edges misses far more. */
#define EDGES_SUPERSET_TOLERANCE 1e-2

/* The parameters that a detector is tuned over where its best are asked for: "each algorithm requires fine tuning"
 * (thesis §6.6). The grids are coarse, and the same for every image and every level of noise. */
typedef struct edges_grid {
    int count;
    void (*set)(int point, ed_params *params); /* those of a point, 0 .. count - 1; leaves threads as they are */
} edges_grid;

/* What a detector's operation says of itself: ab_measure.own of its measures. */
typedef struct edges_detector {
    edges_grid grid;
    double bytes_per_pixel; /* that are read and written */
    /* The map of an AB_PARTIAL whose number of passes is given, computed apart from it; NULL: there is none. */
    ab_status (*partial)(const ed_image *image, const ed_params *params, uint8_t *map);
    /* Where an AB_SUPERSET may have edges that the reference has not: 0 where it may not; NULL: there is none. */
    ab_status (*candidates)(const ed_image *image, const ed_params *params, uint8_t *map);
} edges_detector;

/* Compares the map with that of the operation's AB_REFERENCE, run to the end on one thread, or for an AB_PARTIAL with a
 * number of passes with edges_detector.partial: equal in all but EDGES_TOLERANCE of the pixels, and in all of the last column
 * and row. An AB_SUPERSET may miss no more than EDGES_SUPERSET_TOLERANCE of them, and have no more than that beyond the
 * candidates; the row's note says how many others it has. Edges are found three times, and each must find the same: on
 * the host backend in an order in which warps run ahead, and on small images alone. All of this on the cell's image,
 * whose differing pixels are verify_value, and, but for an AB_SUPERSET, on small ones drawn to have edges in every
 * corner and means that hang on the last pixel (edges_probe). */
ab_status edges_verify(const ab_task *task, ab_verdict *verdict);

/* Images that verification draws: number 0 .. EDGES_PROBES - 1, [height][width] pixels each, into *probe and the
 * caller's buffers of EDGES_PROBE_PIXELS pixels. */
enum { EDGES_PROBES = 3, EDGES_PROBE_WIDTH = 75, EDGES_PROBE_HEIGHT = 43 };
enum { EDGES_PROBE_PIXELS = EDGES_PROBE_WIDTH * EDGES_PROBE_HEIGHT };
void edges_probe(int number, uint8_t *rgba, uint8_t *grey, ed_image *probe);

/* The metrics of edges_judge for the map, which is saved. */
ab_status edges_judge_map(const ab_task *task, double *f);

/* For images with known edges: F at each level of noise up to params.level, with the parameters that are best at that
 * level (tuning=best) and with those whose mean F over all levels is best (tuning=fixed); "best" of the grid, and only
 * of that. A row for each; that of the cell is the last. Maps and noisy images are saved. */
ab_status edges_judge_noise(const ab_task *task, double *f);

/* The measures of the edges_detector `detector`. A sample of its time is the stage DETECT (detector.h) on an image
 * that is there, again and again, as in the sources: between two transfers a kernel would wait for the copy engine. For a
 * GPU one more row, end-to-end, has all stages. */
#define EDGES_MEASURES(detector)                                                                                       \
    {.name = "time",                                                                                                   \
     .scope = "kernel",                                                                                                \
     .timed = true,                                                                                                    \
     .samples = AB_SAMPLE_ITERATIONS,                                                                                  \
     .at_once = 100,                                                                                                   \
     .stage = "detect",                                                                                                \
     .alone = true,                                                                                                    \
     .transfers = "end-to-end",                                                                                        \
     .verify = edges_verify,                                                                                           \
     .small_on_host = true,                                                                                            \
     .own = &(detector)},                                                                                              \
        {.name = "quality", .scope = "quality", .metric = "f", .judge = edges_judge_map, .own = &(detector)},          \
        {.name = "noise",                                                                                              \
         .scope = "quality",                                                                                           \
         .metric = "f",                                                                                                \
         .only_own = true,                                                                                             \
         .judge = edges_judge_noise,                                                                                   \
         .own = &(detector)},                                                                                          \
        {.name = NULL}

/* Parameters that every detector has, for the end of its table. */
#define EDGES_PARAMETERS                                                                                               \
    {.name = "threads",                                                                                                \
     .help = "of a CPU implementation; all: all cores",                                                                \
     .offset = offsetof(ed_params, threads),                                                                           \
     .least = 1,                                                                                                       \
     .most = 4096,                                                                                                     \
     .fallback = 1,                                                                                                    \
     .word = "all",                                                                                                    \
     .shown = AB_SHOWN_CPU | AB_FITTED},                                                                               \
        {.name = "noise",                                                                                              \
         .help = "what is added to the image: salt-and-pepper or gaussian",                                            \
         .kind = AB_CHOICE,                                                                                            \
         .offset = offsetof(ed_params, noise),                                                                         \
         .choices = edges_noise_names,                                                                                 \
         .measure = "noise",                                                                                           \
         .shown = AB_SHOWN},                                                                                           \
        {.name = "level",                                                                                              \
         .help = "percent of noise, up to which F is measured",                                                        \
         .offset = offsetof(ed_params, level),                                                                         \
         .most = 40,                                                                                                   \
         .measure = "noise",                                                                                           \
         .shown = AB_SHOWN},                                                                                           \
        {.name = "tuning",                                                                                             \
         .help = "parameters that are best over all levels (fixed) or at each (best)",                                 \
         .kind = AB_CHOICE,                                                                                            \
         .offset = offsetof(ed_params, tuning),                                                                        \
         .fallback = 1,                                                                                                \
         .choices = edges_tuning_names,                                                                                \
         .measure = "noise",                                                                                           \
         .shown = AB_SHOWN},                                                                                           \
        {.name = NULL}

extern const char *const edges_noise_names[];  /* by image_noise */
extern const char *const edges_tuning_names[]; /* "fixed", "best" */

/* The rest of an operation on images through detectors: all but its name, parameters and measures. */
#define EDGES_OPERATION                                                                                                \
    .inputs = &edges_inputs, .params_size = sizeof(ed_params), .fit = edges_fit, .check = edges_check,                 \
    .set_seed = edges_set_seed, .problem = edges_problem, .size = edges_size, .estimate = edges_estimate

ab_status edges_problem(const ab_task *task, const void **problem);
void edges_fit(const ab_circumstances *c, void *params);
ab_status edges_check(const ab_circumstances *c, const void *params);
void edges_set_seed(void *params, uint64_t seed); /* detectors draw no random numbers */
ab_work_size edges_size(const ab_circumstances *c, const void *params);
void edges_estimate(const ab_circumstances *c, const void *params, double *sample_s, double *once_s);

/* Opens a detector on an image, finds the edges once and copies the map out. */
ab_status edges_map(const ab_implementation *implementation, const ed_image *image, const ed_params *params,
                    uint8_t *map);

#endif
