/* The rules of canny.h in plain C, pixel by pixel. Verification compares with this where OpenCV cannot be used:
 * OpenCV has no number of passes and does not tell its weak pixels. Written from the rules, not from the kernels. */
#include <stdlib.h>
#include <string.h>

#include "kernels/canny/canny.h"

typedef struct picture {
    int width, height;
    const uint8_t *pixels; /* [height][width] */
} picture;

/* ---- Blur ---- */

static int mirrored(int i, int n)
{
    while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * (n - 1) - i;
    return n > 1 ? i : 0;
}

/* Rows to sums of 16 bits, those to columns. */
static void blur(const picture *image, const canny_gaussian *gaussian, uint16_t *rows, uint8_t *blurred)
{
    const int width = image->width, height = image->height, radius = gaussian->radius;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            unsigned sum = 0;
            for (int i = -radius; i <= radius; ++i)
                sum += gaussian->weights[i + radius] *
                       image->pixels[(size_t)y * (size_t)width + (size_t)mirrored(x + i, width)];
            rows[(size_t)y * (size_t)width + (size_t)x] = (uint16_t)sum;
        }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            unsigned sum = 1u << 15;
            for (int i = -radius; i <= radius; ++i)
                sum +=
                    gaussian->weights[i + radius] * rows[(size_t)mirrored(y + i, height) * (size_t)width + (size_t)x];
            blurred[(size_t)y * (size_t)width + (size_t)x] = (uint8_t)(sum >> 16);
        }
}

/* ---- Gradient and classes ---- */

static int repeated(const picture *image, int x, int y)
{
    x = x < 0 ? 0 : x >= image->width ? image->width - 1 : x;
    y = y < 0 ? 0 : y >= image->height ? image->height - 1 : y;
    return image->pixels[(size_t)y * (size_t)image->width + (size_t)x];
}

static void gradient(const picture *image, int x, int y, int *gx, int *gy)
{
    *gx = *gy = 0;
    for (int i = -1; i <= 1; ++i) {
        const int weight = i ? 1 : 2;
        *gx += weight * (repeated(image, x + 1, y + i) - repeated(image, x - 1, y + i));
        *gy += weight * (repeated(image, x + i, y + 1) - repeated(image, x + i, y - 1));
    }
}

static int magnitude(const picture *image, int x, int y)
{
    int gx, gy;
    if (x < 0 || x >= image->width || y < 0 || y >= image->height) return 0;
    gradient(image, x, y, &gx, &gy);
    return abs(gx) + abs(gy);
}

/* Of the two neighbours along the gradient the second is the right or lower one. A pixel gives way to it if both are
 * equal; on the diagonals both do. tan 22.5 degrees is 13573/32768, and tan 67.5 degrees is 2 more. */
static uint8_t class_of(const picture *image, int x, int y, int low, int high)
{
    int gx, gy, dx = 0, dy = 1, need = 0;
    gradient(image, x, y, &gx, &gy);
    const int here = abs(gx) + abs(gy);
    if (here <= low) return CANNY_NONE;
    const int64_t across = abs(gx), up = (int64_t)abs(gy) * 32768;
    if (up < across * 13573) {
        dx = 1;
        dy = 0;
    } else if (up <= across * (13573 + 2 * 32768)) {
        dx = (gx < 0) == (gy < 0) ? 1 : -1;
        need = 1;
    }
    if (here <= magnitude(image, x - dx, y - dy) || here < magnitude(image, x + dx, y + dy) + need) return CANNY_NONE;
    return here > high ? CANNY_STRONG : CANNY_WEAK;
}

ab_status canny_reference_classes(const ed_image *image, const ed_params *params, uint8_t *classes)
{
    const canny_gaussian gaussian = canny_make_gaussian(params->sigma);
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    picture blurred = {image->width, image->height, image->grey};
    uint16_t *rows = NULL;
    uint8_t *smooth = NULL;
    if (gaussian.radius > 0) {
        rows = malloc(pixels * sizeof *rows);
        smooth = malloc(pixels);
        if (rows && smooth) blur(&(picture){image->width, image->height, image->grey}, &gaussian, rows, smooth);
        blurred.pixels = smooth;
    }
    const bool complete = gaussian.radius == 0 || (rows && smooth);
    for (int y = 0; complete && y < image->height; ++y)
        for (int x = 0; x < image->width; ++x)
            classes[(size_t)y * (size_t)image->width + (size_t)x] =
                class_of(&blurred, x, y, (int)params->low, (int)params->high);
    free(rows);
    free(smooth);
    return complete ? ab_ok() : ab_failed("out of memory for Canny's classes of %zu pixels", pixels);
}

/* ---- Growth inside blocks ---- */

/* Whether a neighbour is strong: one of the block as it is now, another as it was before the pass. */
static bool beside_strong(const uint8_t *now, const uint8_t *before, int width, int height, int x, int y)
{
    for (int i = 0; i < 9; ++i) {
        const int nx = x + i % 3 - 1, ny = y + i / 3 - 1;
        if (nx < 0 || nx >= width || ny < 0 || ny >= height) continue;
        const bool same = nx / CANNY_GROW_TILE == x / CANNY_GROW_TILE && ny / CANNY_GROW_TILE == y / CANNY_GROW_TILE;
        if ((same ? now : before)[(size_t)ny * (size_t)width + (size_t)nx] == CANNY_STRONG) return true;
    }
    return false;
}

/* Until nothing in the block changes. */
static void grow_block(uint8_t *now, const uint8_t *before, int width, int height, int left, int top)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int y = top; y < top + CANNY_GROW_TILE && y < height; ++y)
            for (int x = left; x < left + CANNY_GROW_TILE && x < width; ++x) {
                uint8_t *const pixel = &now[(size_t)y * (size_t)width + (size_t)x];
                if (*pixel != CANNY_WEAK || !beside_strong(now, before, width, height, x, y)) continue;
                *pixel = CANNY_STRONG;
                changed = true;
            }
    }
}

ab_status canny_reference_growth(const ed_image *image, const ed_params *params, uint8_t *map)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    uint8_t *before = malloc(pixels);
    if (!before) return ab_failed("out of memory for Canny's growth on %zu pixels", pixels);
    const ab_status status = canny_reference_classes(image, params, map);
    for (int pass = 0; pass < params->hysteresis_passes && status.code == AB_OK; ++pass) {
        memcpy(before, map, pixels);
        for (int top = 0; top < image->height; top += CANNY_GROW_TILE)
            for (int left = 0; left < image->width; left += CANNY_GROW_TILE)
                grow_block(map, before, image->width, image->height, left, top);
        if (memcmp(before, map, pixels) == 0) break;
    }
    for (size_t i = 0; i < pixels; ++i) map[i] = map[i] == CANNY_STRONG;
    free(before);
    return status;
}
