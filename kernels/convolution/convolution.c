/* The host side of convolution, of every implementation (kernels/convolution/convolution.h). */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "kernels/convolution/convolution.h"

/* ---- Parameters ---- */

#define AT(member) offsetof(conv_params, member)

static const char *const kinds[] = {"laplacian", "gaussian", "skew", "identity", NULL};

const ab_parameter conv_parameters[] = {
    {.name = "filter",
     .help = "laplacian, gaussian, skew (no two weights alike) or identity",
     .kind = AB_CHOICE,
     .offset = AT(filter),
     .choices = kinds,
     .shown = AB_SHOWN},
    {.name = "width",
     .help = "of the filter, odd",
     .offset = AT(width),
     .least = 3,
     .most = CONV_MAX_WIDTH,
     .fallback = 3,
     .shown = AB_SHOWN},
    {.name = "whole",
     .help = "weights are whole numbers, not divided by their sum",
     .kind = AB_FLAG,
     .offset = AT(whole),
     .shown = AB_SHOWN_SET},
    {.name = "block-x",
     .help = "threads of a row of a block",
     .offset = AT(block_x),
     .least = 4,
     .most = 1024,
     .fallback = 32,
     .shown = AB_SHOWN_SET},
    {.name = "block-y",
     .help = "rows of threads of a block",
     .offset = AT(block_y),
     .least = 1,
     .most = 1024,
     .fallback = 32,
     .shown = AB_SHOWN_SET},
    {.name = "tiles",
     .help = "tiles that a block of tiling computes",
     .offset = AT(tiles),
     .least = 1,
     .most = 1024,
     .fallback = 21,
     .shown = AB_SHOWN_SET},
    {.name = "rows",
     .help = "rows that a thread of registers computes: 1, 2 or 4; auto: 2, or 4 of wide filters",
     .offset = AT(rows),
     .least = 1,
     .most = 4,
     .word = "auto",
     .shown = AB_SHOWN_SET},
    {.name = "warps",
     .help = "warps of a block of registers",
     .offset = AT(warps),
     .least = 1,
     .most = 8,
     .fallback = 4,
     .shown = AB_SHOWN_SET},
    {.name = "threads",
     .help = "of a CPU implementation; all: all cores",
     .offset = AT(threads),
     .least = 1,
     .most = 1024,
     .fallback = 1,
     .word = "all",
     .shown = AB_SHOWN_CPU | AB_FITTED},
    {.name = NULL},
};

conv_params conv_default_params(void)
{
    conv_params params;
    ab_parameters_default(conv_parameters, &params);
    return params;
}

ab_status conv_check(const conv_image *image, const conv_params *params)
{
    AB_TRY(ab_parameters_check(conv_parameters, params));
    if (params->width % 2 == 0) return ab_bad_input("the width of a filter must be odd, not %d", params->width);
    if (params->block_x * params->block_y > 1024)
        return ab_bad_input("a block has at most 1024 threads, not %d x %d", params->block_x, params->block_y);
    if (params->rows == 3) return ab_bad_input("rows must be 1, 2 or 4, not 3");
    if (image->width < 1 || image->height < 1)
        return ab_bad_input("an image needs at least one pixel, this one has %d x %d", image->width, image->height);
    if (image->width <= CONV_MAX_SIDE && image->height <= CONV_MAX_SIDE) return ab_ok();
    return ab_unsupported("needs sides of at most %d pixels, the image has %d x %d", CONV_MAX_SIDE, image->width,
                          image->height);
}

/* ---- Filters ---- */

/* Fills the two factors of a filter of rank 1. */
static void factor(conv_kind kind, conv_filter *filter)
{
    const int k = filter->radius;
    for (int i = -k; i <= k; i++) {
        const double bell = round(5.0 * exp(-0.5 * pow(i / (0.7 * k), 2.0)));
        filter->across[i + k] = kind == CONV_GAUSSIAN ? bell : kind == CONV_SKEW ? i + k + 1 : i == 0;
        filter->down[i + k] = kind == CONV_GAUSSIAN ? bell : kind == CONV_SKEW ? 2 * (i + k) + 1 : i == 0;
    }
}

/* 1 on the cross through the middle, and there what makes the sum 0. */
static double laplacian(int r, int s, int k)
{
    return r == 0 && s == 0 ? -4.0 * k : r == 0 || s == 0;
}

static void divide_by_sum(double *weights, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += weights[i];
    for (int i = 0; i < count; i++) weights[i] /= sum;
}

conv_filter conv_make_filter(const conv_params *params)
{
    const conv_kind kind = (conv_kind)params->filter;
    const int width = params->width, k = width / 2;
    conv_filter filter = {.radius = k, .rank_one = kind != CONV_LAPLACIAN};
    filter.whole = params->whole || kind == CONV_LAPLACIAN || kind == CONV_IDENTITY;
    factor(kind, &filter);
    for (int s = 0; s < width; s++)
        for (int r = 0; r < width; r++)
            filter.weights[s * width + r] =
                filter.rank_one ? filter.down[s] * filter.across[r] : laplacian(r - k, s - k, k);
    if (filter.whole) return filter;
    divide_by_sum(filter.weights, width * width);
    divide_by_sum(filter.across, width);
    divide_by_sum(filter.down, width);
    return filter;
}

ab_status conv_check_rank(const conv_params *params)
{
    if (conv_make_filter(params).rank_one) return ab_ok();
    return ab_unsupported("needs a filter of rank 1, which the Laplacian is not");
}

/* ---- Verification ---- */

double conv_bound(int radius)
{
    const double width = 2 * radius + 1, roundings = (width * width + 4.0) * 0x1p-24;
    return roundings / (1.0 - roundings);
}

static bool is_whole(const conv_image *image)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < pixels; i++)
        if (!(image->pixels[i] == truncf(image->pixels[i]))) return false;
    return true;
}

static int clamp(int value, int most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* The sum at a pixel, and the sum of its absolute terms. */
static double sum_at(const conv_image *image, const conv_filter *filter, int x, int y, double *absolute)
{
    const int k = filter->radius;
    const double *weight = filter->weights;
    double sum = 0.0;
    *absolute = 0.0;
    for (int s = -k; s <= k; s++) {
        const float *row = image->pixels + (size_t)clamp(y - s, image->height - 1) * (size_t)image->width;
        for (int r = -k; r <= k; r++) {
            const double term = *weight++ * row[clamp(x - r, image->width - 1)];
            sum += term;
            *absolute += fabs(term);
        }
    }
    return sum;
}

/* The largest error of a row's pixels, as a share of their absolute terms. It is INFINITY, and *at the pixel, if an
 * error is above the bound or an expected NaN or infinity is missing. */
static double compare_row(const conv_image *image, const conv_filter *filter, double bound, int y, const float *found,
                          int *at)
{
    double largest = 0.0;
    for (int x = 0; x < image->width; x++) {
        double absolute;
        const double expected = sum_at(image, filter, x, y, &absolute);
        if (!isfinite(expected) && (isnan(expected) ? isnan(found[x]) : found[x] == expected)) continue;
        const double error = fabs(found[x] - expected);
        *at = x;
        if (!(error <= bound * absolute)) return INFINITY;
        if (error > 0.0) largest = fmax(largest, error / absolute);
    }
    return largest;
}

static ab_status compare(const conv_image *image, const conv_filter *filter, const float *found, double *largest,
                         bool *wrong)
{
    const double bound = filter->whole && is_whole(image) ? 0.0 : conv_bound(filter->radius);
    const size_t width = (size_t)image->width;
    int wrong_x = 0, wrong_y = image->height;
    double most = 0.0;
#pragma omp parallel for reduction(max : most)
    for (int y = 0; y < image->height; y++) {
        int x = 0;
        const double error = compare_row(image, filter, bound, y, found + (size_t)y * width, &x);
        if (error <= 1.0) {
            most = fmax(most, error);
            continue;
        }
#pragma omp critical
        if (y < wrong_y) wrong_x = x, wrong_y = y;
    }
    *largest = most;
    *wrong = wrong_y < image->height;
    if (!*wrong) return ab_ok();
    double absolute;
    const double expected = sum_at(image, filter, wrong_x, wrong_y, &absolute);
    return ab_failed("pixel (%d, %d) is %.9g, expected %.9g", wrong_x, wrong_y,
                     found[(size_t)wrong_y * width + (size_t)wrong_x], expected);
}

ab_status conv_verify(conv_state *state, const conv_image *image, const conv_filter *filter, double *largest,
                      bool *wrong)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    float *found = malloc(pixels * sizeof *found);
    *largest = 0.0;
    *wrong = false;
    if (!found) return ab_failed("out of memory: %zu MiB to check the image", pixels * sizeof *found >> 20);
    ab_status status = state->methods->poison(state);
    if (status.code == AB_OK) status = ab_iterate(&state->work);
    if (status.code == AB_OK) status = state->methods->read(state, found);
    if (status.code == AB_OK) status = compare(image, filter, found, largest, wrong);
    free(found);
    return status;
}
