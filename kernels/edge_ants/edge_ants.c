/* Operation "edge-ants": what every implementation shares on the CPU (edge_ants.h). */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "kernels/edge_ants/edge_ants.h"

#define AT(member) offsetof(ea_params, member)

static const char *const part_names[] = {"all", "update", NULL};
static const char *const threshold_names[] = {
    [EA_MEAN_PHEROMONE] = "pheromone", [EA_MEAN_INTENSITY] = "intensity", NULL};

const ab_parameter ea_parameters[] = {
    {.name = "ants",
     .help = "ants; auto: ants-512 in proportion to the pixels",
     .offset = AT(n_ants),
     .least = 1,
     .most = EA_MAX_ANTS,
     .word = "auto",
     .shown = AB_SHOWN | AB_FITTED},
    {.name = "iterations",
     .help = "of a run; auto: the profile's",
     .offset = AT(iterations),
     .least = 1,
     .most = 1000000,
     .word = "auto",
     .shown = AB_SHOWN},
    {.name = "threads",
     .help = "of a CPU implementation; all: all cores",
     .offset = AT(threads),
     .least = 1,
     .most = 1024,
     .fallback = 1,
     .word = "all",
     .shown = AB_SHOWN_CPU | AB_FITTED},
    {.name = "block",
     .help = "threads per block of a GPU, a multiple of 32",
     .offset = AT(block_threads),
     .least = 32,
     .most = 1024,
     .fallback = 128,
     .shown = AB_SHOWN_GPU},
    {.name = "cached",
     .help = "the ants' memory is copied to a GPU's shared memory",
     .kind = AB_FLAG,
     .offset = AT(cache_memory),
     .fallback = 1,
     .shown = AB_SHOWN_GPU},
    {.name = "alpha",
     .help = "exponent of the pheromone",
     .kind = AB_REAL,
     .offset = AT(alpha),
     .most = 100,
     .fallback = 2.5,
     .shown = AB_SHOWN_SET},
    {.name = "beta",
     .help = "exponent of the visibility",
     .kind = AB_REAL,
     .offset = AT(beta),
     .most = 100,
     .fallback = 2,
     .shown = AB_SHOWN_SET},
    {.name = "rho",
     .help = "evaporation rate",
     .kind = AB_REAL,
     .offset = AT(rho),
     .most = 1,
     .fallback = 0.04,
     .shown = AB_SHOWN_SET},
    {.name = "initial",
     .help = "pheromone of every pixel at first",
     .kind = AB_REAL,
     .offset = AT(initial),
     .least = 1e-30,
     .most = 1e6,
     .fallback = 0.0001,
     .shown = AB_SHOWN_SET},
    {.name = "min-visibility",
     .help = "ants deposit from this visibility on",
     .kind = AB_REAL,
     .offset = AT(min_visibility),
     .most = 1,
     .shown = AB_SHOWN_SET},
    {.name = "matrices",
     .help = "resident: of pheromone, 1 or 2; auto: by the image's size",
     .offset = AT(matrices),
     .least = 1,
     .most = 2,
     .word = "auto",
     .shown = AB_SHOWN_SET},
    {.name = "part",
     .help = "of warp-apart: a whole run (all), or only its updates of the pheromone (update)",
     .kind = AB_CHOICE,
     .offset = AT(part),
     .choices = part_names,
     .measure = "part",
     .shown = AB_SHOWN},
    {.name = "ants-512",
     .help = "ants of 512 x 512 pixels",
     .offset = AT(n_ants_512),
     .least = 1,
     .most = EA_MAX_ANTS,
     .fallback = 3000},
    {.name = "runs",
     .help = "runs whose mean pheromone is a map",
     .offset = AT(map_runs),
     .least = 1,
     .most = 100000,
     .fallback = 10,
     .measure = "quality",
     .shown = AB_SHOWN},
    {.name = "threshold",
     .help = "edges of a map are above the mean of its pheromone, or of the image's intensity",
     .kind = AB_CHOICE,
     .offset = AT(threshold),
     .choices = threshold_names,
     .measure = "quality",
     .shown = AB_SHOWN_SET},
    {.name = NULL},
};

ea_params ea_default_params(int width, int height)
{
    ea_params params = {.seed = 1};
    ab_parameters_default(ea_parameters, &params);
    const double n_ants = (double)params.n_ants_512 * width * height / (512.0 * 512.0);
    params.n_ants = n_ants < 1.0 ? 1 : (int)n_ants;
    params.iterations = 50;
    return params;
}

ab_status ea_check(const ea_problem *problem, const ea_params *params)
{
    if (problem->width < 1 || problem->height < 1)
        return ab_bad_input("an image of %d x %d pixels has none", problem->width, problem->height);
    if ((int64_t)problem->width * problem->height > EA_MAX_PIXELS)
        return ab_unsupported("needs at most 2^30 pixels, the image has %d x %d", problem->width, problem->height);
    if (params->n_ants > EA_MAX_ANTS) return ab_unsupported("needs at most 2^25 ants, not %d", params->n_ants);
    AB_TRY(ab_parameters_check(ea_parameters, params));
    if (params->n_ants == 0) return ab_bad_input("ants must be at least 1");
    if (params->iterations == 0) return ab_bad_input("iterations must be at least 1");
    if (params->block_threads % 32 == 0) return ab_ok();
    return ab_bad_input("block must be a multiple of 32 from 32 to 1024, not %d", params->block_threads);
}

static int clamp(int i, int n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* The largest of the four absolute differences of eq. 5.2. */
static int contrast(int width, int height, const uint8_t *grey, int row, int column)
{
    static const int half[4][2] = {{1, 1}, {1, -1}, {0, 1}, {1, 0}}; /* the other neighbour is opposite */
    int most = 0;
    for (int i = 0; i < 4; i++) {
        const int r = half[i][0], c = half[i][1];
        const int a = grey[(size_t)clamp(row + r, height) * (size_t)width + (size_t)clamp(column + c, width)];
        const int b = grey[(size_t)clamp(row - r, height) * (size_t)width + (size_t)clamp(column - c, width)];
        if (abs(a - b) > most) most = abs(a - b);
    }
    return most;
}

void ea_visibility(int width, int height, const uint8_t *grey, float *visibility)
{
    const size_t pixels = (size_t)width * (size_t)height;
    int largest = 1; /* a black image has differences of 0 only */
#pragma omp parallel for reduction(max : largest)
    for (size_t i = 0; i < pixels; i++)
        if (grey[i] > largest) largest = grey[i];
#pragma omp parallel for
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            visibility[(size_t)row * (size_t)width + (size_t)column] =
                (float)contrast(width, height, grey, row, column) / (float)largest;
}

void ea_heuristic(const ea_problem *problem, double beta, float *heuristic)
{
    const size_t pixels = (size_t)problem->width * (size_t)problem->height;
#pragma omp parallel for
    for (size_t i = 0; i < pixels; i++) {
        const double eta = (double)problem->visibility[i];
        heuristic[i] = (float)(beta == 2.0 ? eta * eta : pow(eta, beta));
    }
}
