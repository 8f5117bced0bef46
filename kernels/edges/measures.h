/* What edge detectors (colour-edge, canny, sobel, log-edges) are measured for: their time (Table 6.1), the quality of
 * their maps, and how that stands noise (Figures 6.5 and 6.6).
 */
#ifndef ANTBENCH_EDGES_MEASURES_H
#define ANTBENCH_EDGES_MEASURES_H

#include <stdbool.h>

#include "kernels/edges/edges.h"

/* A pixel whose magnitude is within rounding of a threshold may fall on either side, and thinning takes more with it.
 */
#define EDGES_TOLERANCE 1e-4

/* The parameters that a detector is tuned over: "each algorithm requires fine tuning" (thesis §6.6). Grids are the
 * same for every image and every level of noise, and equally fine for all detectors. Parameter sigma is one of
 * edges_sigmas, and each threshold is EDGES_STEP times the one before. */
enum { EDGES_AXES = 3 }; /* sigma, and two more; a detector without one has 1 value there */
typedef struct edges_axis {
    int count;         /* values */
    bool closed_below; /* nothing lies beyond the first one: no blur */
    bool closed_above; /* nothing lies beyond the last one: a plane that is off */
} edges_axis;

typedef struct edges_grid {
    edges_axis axes[EDGES_AXES];
    void (*set)(const int point[EDGES_AXES], ed_params *params); /* leaves threads as they are */
    int start[EDGES_AXES];                                       /* values that the search begins with */
    bool planes; /* axes 1 and 2 are coefficients of two planes, the last of them off: there is a tuning=planes */
} edges_grid;

enum { EDGES_SIGMAS = 10 };
extern const double edges_sigmas[EDGES_SIGMAS]; /* 0: no blur */
#define EDGES_STEP 1.4142135623730951
double edges_threshold(double least, int i); /* least * EDGES_STEP^i */

enum { EDGES_MAX_SEEDS = 25 }; /* most seeds of the noise: what a row can list */

/* What a detector's operation says of itself: ab_measure.own of its measures. */
typedef struct edges_detector {
    edges_grid grid;
    double bytes_per_pixel; /* bytes that are read and written */
    /* The map of an AB_PARTIAL with a given number of passes, computed independently. It ends with the first pass
     * that changes nothing. NULL if the detector is not partial. */
    ab_status (*partial)(const ed_image *image, const ed_params *params, uint8_t *map);
} edges_detector;

/* Compares the map with the reference: the map of the operation's AB_REFERENCE, run to the end on one thread. For an
 * AB_PARTIAL with a number of passes it is edges_detector.partial. The map must be equal in all but EDGES_TOLERANCE of
 * the pixels, and in all of the last column and row. Edges are found three times, with equal results; the host backend
 * uses an order in which warps run ahead for this, on small images only. All of this is done on the cell's image, whose
 * differing pixels are verify_value. It is also done, once per process, implementation and parameters, on small drawn
 * images (edges_probe). They have edges in every corner, means that depend on the last pixel, and faint diagonals
 * through corners of tiles.
 *
 * For an AB_PARTIAL with a number of passes, "mismatch-share" is a quality: the share of the pixels that differ from
 * the map of all passes. It is 0 only if the passes suffice.
 *
 * An AB_OTHER_RULES is never wrong, however much its map differs. Its quality "mismatch-share" is the share of the
 * pixels that differ, and the note tells how many edges it misses and how many it has too many. A broken call is an
 * error of the row. It fails, leaves pixels unwritten, gives another map the next time, or gives an unrelated map.
 * An unrelated map meets the reference's edges no more often than chance does (EDGES_BEYOND_CHANCE). */
ab_status edges_verify(const ab_task *task, ab_verdict *verdict);

/* The least share of the reference's edges that the map of an AB_OTHER_RULES meets: 0 is what edges strewn by chance
 * meet, 1 is all. An edge is met at its pixel or, where most of the image is farther than a pixel from all of the map's
 * edges, within a pixel. An empty map, one of edges alone, and one of edges strewn by chance are at 0. A reference with
 * fewer edges than EDGES_TO_JUDGE_BY tells nothing. */
#define EDGES_BEYOND_CHANCE 0.1
enum { EDGES_TO_JUDGE_BY = 100 };

/* Images that verification draws: number 0 .. EDGES_PROBES - 1, [height][width] pixels each, into *probe and the
 * caller's buffers of EDGES_PROBE_PIXELS pixels. The first are small. */
enum { EDGES_SMALL_PROBES = 3, EDGES_PROBES = 9 };
enum { EDGES_PROBE_WIDTH = 75, EDGES_PROBE_HEIGHT = 43, EDGES_SMALL_PIXELS = EDGES_PROBE_WIDTH * EDGES_PROBE_HEIGHT };
enum { EDGES_STRIPES_WIDTH = 296, EDGES_STRIPES_HEIGHT = 97 };
enum { EDGES_PROBE_PIXELS = EDGES_STRIPES_WIDTH * EDGES_STRIPES_HEIGHT };
void edges_probe(int number, uint8_t *rgba, uint8_t *grey, ed_image *probe);

/* The metrics of edges_judge for the map, which is saved. agreement-canny follows, unless it is a map of Canny's
 * itself. It is F against the map of complete Canny with ed_default_params, within EDGE_MAP_NEAR pixels. */
ab_status edges_judge_map(const ab_task *task, double *f);

/* How detectors withstand noise. For each level up to params.level the parameters are chosen on one seed and judged
 * on params.seeds others. Level 0 has no noise and no seeds, and is judged once, on the image that it is tuned on. By
 * tuning:
 *   best    the best of the grid at that level
 *   planes  the best with both planes at one coefficient (colour-edge): the thesis's detector with its colour plane on,
 *           which the best may have switched off
 *   fixed   one set for all levels, that of the best mean
 *   thesis  ed_default_params
 * metric=f is F against known edges. For tuning=thesis there is metric=agreement as well: F against the map that the
 * same detector finds with the thesis's parameters without noise. It needs no known edges, so it is all that
 * photographs have. It says how constant a map is and not how good: a map of every pixel agrees with itself.
 * On a photograph tuning=best is tuned for metric=agreement, at each level with noise; its other tunings need known
 * edges.
 *
 * metric=change of tuning=best is the number of steps of the grid, over all axes, between its parameters and the
 * parameters of level 0. It has a value per draw of the noise that is tuned on (edges_draws).
 *
 * There is a row for each level and tuning, with the F of each seed; the cell's number is the last F. The note has the
 * parameters, and tells if one is at an end of the grid beyond which more values exist. Maps and images of the first
 * seed are saved.
 *
 * The search goes along the axes. For each sigma in turn it goes through the other axes one by one, from the best
 * point of the sigma before, until no step improves. It may end in a local maximum, for all detectors alike.
 * If steps are few (kernels/operation.h), it tries the middle of each other axis alone. */
ab_status edges_judge_noise(const ab_task *task, double *f);

/* Number of draws of the noise that a study of known edges is tuned on: three, or one where few seeds are judged. */
int edges_draws(const ed_params *params);

/* The measures of the edges_detector `detector`. A sample of its time is the stage DETECT (detector.h), repeated on
 * an image that is already there, as in the sources. Between two transfers a kernel would wait for the copy engine.
 * A GPU has one more row, end-to-end, with all stages. */
#define EDGES_MEASURES(detector) EDGES_TIME_AND_QUALITY(detector), EDGES_NOISE_AND_END(detector)
#define EDGES_NOISE_AND_END(detector)                                                                                  \
    {.name = "noise",                                                                                                  \
     .scope = "quality",                                                                                               \
     .metric = "f",                                                                                                    \
     .only_own = true,                                                                                                 \
     .judge = edges_judge_noise,                                                                                       \
     .own = &(detector)},                                                                                              \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }
#define EDGES_TIME_AND_QUALITY(detector)                                                                               \
    {.name = "time",                                                                                                   \
     .scope = "kernel",                                                                                                \
     .timed = true,                                                                                                    \
     .samples = AB_SAMPLE_ITERATIONS,                                                                                  \
     .at_once = 100,                                                                                                   \
     .stage = "detect",                                                                                                \
     .alone = true,                                                                                                    \
     .transfers = "end-to-end",                                                                                        \
     .verify = edges_verify,                                                                                           \
     .least_on_host = edges_steps,                                                                                     \
     .own = &(detector)},                                                                                              \
    {                                                                                                                  \
        .name = "quality", .scope = "quality", .metric = "f", .judge = edges_judge_map, .own = &(detector)             \
    }

/* Parameters that every detector has, for the end of its table. */
#define EDGES_PARAMETERS                                                                                               \
    EDGES_THREADS,                                                                                                     \
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
        {.name = "seeds",                                                                                              \
         .help = "of the noise that F is judged on; auto: 10, 2 where few samples are taken",                          \
         .offset = offsetof(ed_params, seeds),                                                                         \
         .least = 1,                                                                                                   \
         .most = EDGES_MAX_SEEDS,                                                                                      \
         .word = "auto",                                                                                               \
         .measure = "noise",                                                                                           \
         .shown = AB_FITTED},                                                                                          \
        {.name = "tuning",                                                                                             \
         .help = "parameters that are best over all levels (fixed) or at each (best, planes), or the thesis's",        \
         .kind = AB_CHOICE,                                                                                            \
         .offset = offsetof(ed_params, tuning),                                                                        \
         .fallback = 1,                                                                                                \
         .choices = edges_tuning_names,                                                                                \
         .measure = "noise",                                                                                           \
         .shown = AB_SHOWN},                                                                                           \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

/* The parameter of detectors that blur. */
#define EDGES_SIGMA                                                                                                    \
    {                                                                                                                  \
        .name = "sigma", .help = "standard deviation of the Gaussian, pixels; 0: no blur", .kind = AB_REAL,            \
        .offset = offsetof(ed_params, sigma), .most = 5, .fallback = 1, .shown = AB_SHOWN                              \
    }

#define EDGES_THREADS                                                                                                  \
    {                                                                                                                  \
        .name = "threads", .help = "of a CPU implementation; all: all cores", .offset = offsetof(ed_params, threads),  \
        .least = 1, .most = 4096, .fallback = 1, .word = "all", .shown = AB_SHOWN_CPU | AB_FITTED                      \
    }

extern const char *const edges_noise_names[];  /* names by image_noise */
extern const char *const edges_tuning_names[]; /* "fixed", "best", "thesis", "planes" */

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
