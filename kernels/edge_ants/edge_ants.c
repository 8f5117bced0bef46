/* Operation "edge-ants": what every implementation shares on the CPU (edge_ants.h). */
#include <math.h>
#include <stdlib.h>

#include "kernels/edge_ants/edge_ants.h"

ea_params ea_default_params(int width, int height)
{
    const double n_ants = 3000.0 * width * height / (512.0 * 512.0);
    return (ea_params){
        .n_ants = n_ants < 1.0 ? 1 : (int)n_ants,
        .iterations = 50,
        .alpha = 2.5,
        .beta = 2.0,
        .rho = 0.04,
        .initial = 0.0001,
        .seed = 1,
        .threads = 1,
        .block_threads = 128,
        .cache_memory = true,
    };
}

/* Comparisons are written so that NaN fails. */
static ab_status check_numbers(const ea_params *params)
{
    if (!(params->alpha >= 0.0 && params->alpha <= 100.0))
        return ab_bad_input("alpha must be 0 to 100, not %g", params->alpha);
    if (!(params->beta >= 0.0 && params->beta <= 100.0))
        return ab_bad_input("beta must be 0 to 100, not %g", params->beta);
    if (!(params->rho >= 0.0 && params->rho <= 1.0)) return ab_bad_input("rho must be 0 to 1, not %g", params->rho);
    if (!(params->initial > 0.0 && params->initial <= 1e6))
        return ab_bad_input("the initial pheromone must be more than 0 and at most 1e6, not %g", params->initial);
    if (!(params->min_visibility >= 0.0 && params->min_visibility <= 1.0))
        return ab_bad_input("the least visibility must be 0 to 1, not %g", params->min_visibility);
    return ab_ok();
}

ab_status ea_check(const ea_problem *problem, const ea_params *params)
{
    if (problem->width < 1 || problem->height < 1)
        return ab_bad_input("an image of %d x %d pixels has none", problem->width, problem->height);
    if ((int64_t)problem->width * problem->height > EA_MAX_PIXELS)
        return ab_unsupported("needs at most 2^30 pixels, the image has %d x %d", problem->width, problem->height);
    if (params->n_ants < 1) return ab_bad_input("n_ants must be at least 1, not %d", params->n_ants);
    if (params->iterations < 1) return ab_bad_input("iterations must be at least 1, not %d", params->iterations);
    if (params->threads < 0) return ab_bad_input("threads must not be negative: %d", params->threads);
    if (params->block_threads < 32 || params->block_threads > 1024 || params->block_threads % 32 != 0)
        return ab_bad_input("threads per block must be a multiple of 32 from 32 to 1024, not %d",
                            params->block_threads);
    return check_numbers(params);
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
    int largest = 1; /* of a black image: its differences are all 0 */
    for (size_t i = 0; i < pixels; i++)
        if (grey[i] > largest) largest = grey[i];
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            visibility[(size_t)row * (size_t)width + (size_t)column] =
                (float)contrast(width, height, grey, row, column) / (float)largest;
}

void ea_heuristic(const ea_problem *problem, double beta, float *heuristic)
{
    const size_t pixels = (size_t)problem->width * (size_t)problem->height;
    for (size_t i = 0; i < pixels; i++) {
        const double eta = (double)problem->visibility[i];
        heuristic[i] = (float)(beta == 2.0 ? eta * eta : pow(eta, beta));
    }
}
