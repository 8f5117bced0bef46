/* The images that verification draws (kernels/edges/measures.h). */
#include <stdbool.h>

#include "base/random.h"
#include "kernels/edges/measures.h"

/* Patches of 3 x 2 pixels of any colour, with a little noise. They give edges of all directions and strengths, also
 * in the last column and row, in chains that cross blocks. */
static void draw_patches(uint8_t *rgba)
{
    uint64_t noise = 1;
    for (int y = 0; y < EDGES_PROBE_HEIGHT; ++y)
        for (int x = 0; x < EDGES_PROBE_WIDTH; ++x) {
            uint64_t patch = (uint64_t)(y / 2 * EDGES_PROBE_WIDTH + x / 3);
            for (int channel = 0; channel < 4; ++channel)
                rgba[4 * (y * EDGES_PROBE_WIDTH + x) + channel] =
                    channel == 3 ? 255 : (uint8_t)(random_below(&patch, 110) + random_below(&noise, 30));
        }
}

/* Noise, and a last pixel that has a good part of all gradients. */
static void draw_last_pixel(int n, uint8_t *rgba)
{
    uint64_t noise = 8; /* chosen so that thresholds with and without the last pixel differ in the map */
    for (int i = 0; i < n; ++i)
        for (int channel = 0; channel < 4; ++channel)
            rgba[4 * i + channel] = channel == 3 ? 255 : (uint8_t)(100 + random_below(&noise, 40));
    rgba[4 * (n - 1)] = 255;
    rgba[4 * (n - 1) + 1] = rgba[4 * (n - 1) + 2] = 0;
}

/* Faint lines in the last column and in the last row, each strong at one end. They are found whole only if blocks
 * and tiles of any size are joined at their very last pixel. A pixel of 0 beside the line gives it the larger
 * gradient of the two. */
static void draw_lines(uint8_t *rgba)
{
    enum { GROUND = 10, FAINT = 25, BRIGHT = 60, FROM_CORNER = 6 };
    const int last_x = EDGES_PROBE_WIDTH - 1, last_y = EDGES_PROBE_HEIGHT - 1;
    for (int y = 0; y <= last_y; ++y)
        for (int x = 0; x <= last_x; ++x) {
            int value = GROUND;
            if (y < last_y - FROM_CORNER && x >= last_x - 1) value = x < last_x ? 0 : y < 20 ? BRIGHT : FAINT;
            if (x < last_x - FROM_CORNER && y >= last_y - 1) value = y < last_y ? 0 : x < 20 ? BRIGHT : FAINT;
            for (int channel = 0; channel < 4; ++channel)
                rgba[4 * (y * EDGES_PROBE_WIDTH + x) + channel] = channel == 3 ? 255 : (uint8_t)value;
        }
}

enum { GROUND_UNDER = 40, FAINT_STEP = 24, STRONG_STEP = 96 };

/* Strong in the first rows, or the last ones; it fades little by little, so that edges are not torn there. */
static int step_at(int y, bool from_below)
{
    enum { FADE = 8, FADE_ROWS = 3 };
    const int rows = from_below ? EDGES_STRIPES_HEIGHT - 1 - y : y, step = STRONG_STEP - rows / FADE_ROWS * FADE;
    return step > FAINT_STEP ? step : FAINT_STEP;
}

static void put_grey(int x, int y, int value, uint8_t *rgba)
{
    for (int channel = 0; channel < 4; ++channel)
        rgba[4 * (y * EDGES_STRIPES_WIDTH + x) + channel] = channel == 3 ? 255 : (uint8_t)value;
}

/* Diagonal stripes that are strong at one end of the image and faint elsewhere: a join that is lost between two tiles
 * loses the faint rest of an edge. Half a step on either side, of whole numbers, makes edges a pixel thin. Tiles are 16, 32 or 64 pixels
 * wide and high. As many of their corners as stripes have distances are in a row, so that some edge goes through a
 * corner alone. The last row is the first one of tiles. */
static void draw_diagonals(bool rising, bool from_below, uint8_t *rgba)
{
    enum { PERIOD = 13, BROAD = 6, RISING_BY = 10 /* a corner that edges from above and from below reach */ };
    for (int y = 0; y < EDGES_STRIPES_HEIGHT; ++y)
        for (int x = 0; x < EDGES_STRIPES_WIDTH; ++x) {
            const int across = (rising ? x + y + RISING_BY : x - y + EDGES_STRIPES_HEIGHT) % PERIOD;
            const int halves = across > BROAD ? 0 : across == 0 || across == BROAD ? 1 : 2;
            put_grey(x, y, GROUND_UNDER + halves * step_at(y, from_below) / 2, rgba);
        }
}

/* Upright stripes whose edges are inside of tiles, strong at one end; and patches at the right border, whose gradients
 * go on to the last column. */
static void draw_upright(bool from_below, uint8_t *rgba)
{
    enum { PERIOD = 32, FROM = 10, TO = 22, PATCHES = 40 };
    uint64_t noise = 3;
    for (int y = 0; y < EDGES_STRIPES_HEIGHT; ++y)
        for (int x = 0; x < EDGES_STRIPES_WIDTH; ++x) {
            const bool inside = x % PERIOD >= FROM && x % PERIOD < TO;
            const int step = inside ? step_at(y, from_below) : 0;
            const bool patch = x >= EDGES_STRIPES_WIDTH - PATCHES;
            put_grey(x, y, patch ? 60 * random_below(&noise, 4) : GROUND_UNDER + step, rgba);
        }
}

void edges_probe(int number, uint8_t *rgba, uint8_t *grey, ed_image *probe)
{
    enum { TINY_WIDTH = 9, TINY_HEIGHT = 7 };
    int width = EDGES_PROBE_WIDTH, height = EDGES_PROBE_HEIGHT;
    if (number == 1) width = TINY_WIDTH, height = TINY_HEIGHT;
    if (number >= EDGES_SMALL_PROBES) width = EDGES_STRIPES_WIDTH, height = EDGES_STRIPES_HEIGHT;
    if (number == 0)
        draw_patches(rgba);
    else if (number == 1)
        draw_last_pixel(width * height, rgba);
    else if (number == 2)
        draw_lines(rgba);
    else if (number < EDGES_SMALL_PROBES + 4)
        draw_diagonals((number - EDGES_SMALL_PROBES) & 1, (number - EDGES_SMALL_PROBES) & 2, rgba);
    else
        draw_upright(number == EDGES_PROBES - 1, rgba);
    for (int i = 0; i < width * height; ++i)
        grey[i] = (uint8_t)((rgba[4 * i] >> 2) + (rgba[4 * i + 1] >> 1) + (rgba[4 * i + 2] >> 2));
    *probe = (ed_image){width, height, rgba, grey};
}
