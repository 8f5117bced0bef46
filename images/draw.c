/* Draws synthetic images. A map of regions comes first. Colours and the exact edges follow from it.
 *
 * Every decision about a pixel uses integers, or additions, multiplications and divisions of doubles. IEEE 754 rounds
 * these in one way; the last bits of sines and exponentials differ between C libraries. Rows are independent, so
 * threads change only the time. Lengths are in units of the shorter side, so an image looks alike at every size. Only
 * textures are made of pixels.
 */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/random.h"
#include "images/formats.h"

/* ---- Scenes: what every kind is laid out on ---- */

/* A grid of roughly square cells, about four to the shorter side, each with an object of its own. Cells that touch have
 * different numbers of COLOURS, and so have objects, which reach no farther than the next cell. */
enum { CELLS = 4, MAX_CELLS = 64, COLOURS = 9 };

typedef struct image_scene {
    int width, height;     /* pixels */
    double unit;           /* pixels of the shorter side */
    int columns, rows;     /* cells */
    double cell_w, cell_h; /* size of a cell, in units */
    uint64_t random;       /* state */
    int order[COLOURS];    /* a permutation: which colour a cell's number stands for */
    uint8_t
        *regions; /* [height][width]: which colour or texture a pixel has; neighbours with different ones are an edge */
} image_scene;

static int cells_along(double length)
{
    const int cells = (int)(length * CELLS + 0.5);
    return cells < MAX_CELLS ? cells : MAX_CELLS;
}

static void shuffle(uint64_t *random, int *order, int n)
{
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int j = random_below(random, i + 1), swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
}

static ab_status open_scene(int width, int height, uint64_t seed, image_scene *scene)
{
    *scene = (image_scene){.width = width, .height = height, .random = seed};
    scene->unit = width < height ? width : height;
    scene->columns = cells_along(width / scene->unit);
    scene->rows = cells_along(height / scene->unit);
    scene->cell_w = width / scene->unit / scene->columns;
    scene->cell_h = height / scene->unit / scene->rows;
    shuffle(&scene->random, scene->order, COLOURS);
    scene->regions = calloc((size_t)width, (size_t)height);
    return scene->regions != NULL ? ab_ok() : ab_failed("no memory for an image of %d x %d pixels", width, height);
}

/* The colour of a cell, 0 .. COLOURS-1: no two of a 3x3 block of cells have the same. */
static int cell_colour(const image_scene *scene, int column, int row)
{
    return scene->order[(column + 3 * row) % COLOURS];
}

/* ---- Outlines ---- */

typedef struct point {
    double x, y; /* units, or a direction */
} point;

enum { MAX_CORNERS = 10 };

/* A filled polygon, or an ellipse. */
typedef struct outline {
    int n_corners;             /* 0 for an ellipse */
    point corner[MAX_CORNERS]; /* corners of a polygon, in order around it */
    point centre;
    point axis;    /* direction of an ellipse's first half-axis, of length 1 */
    double half_a; /* length of that half-axis */
    double half_b; /* length of the other; none longer than reach */
    double reach;  /* distance from the centre to the farthest point of the outline */
} outline;

static bool is_inside_polygon(const outline *shape, point p)
{
    bool inside = false;
    for (int i = 0, j = shape->n_corners - 1; i < shape->n_corners; j = i++) {
        const point a = shape->corner[i], b = shape->corner[j];
        if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) * (b.x - a.x) / (b.y - a.y)) inside = !inside;
    }
    return inside;
}

static bool is_inside(const outline *shape, point p)
{
    if (shape->n_corners > 0) return is_inside_polygon(shape, p);
    const double dx = p.x - shape->centre.x, dy = p.y - shape->centre.y;
    const double u = (dx * shape->axis.x + dy * shape->axis.y) / shape->half_a;
    const double v = (dy * shape->axis.x - dx * shape->axis.y) / shape->half_b;
    return u * u + v * v <= 1.0;
}

/* `pixels`, cut off to whole ones and to 0 .. limit. */
static int clamp_pixel(double pixels, int limit)
{
    return pixels < 0.0 ? 0 : pixels > limit ? limit : (int)pixels;
}

/* Paints the pixels whose centres are inside. */
static void paint(image_scene *scene, const outline *shape, int region)
{
    const int first_x = clamp_pixel((shape->centre.x - shape->reach) * scene->unit - 1.0, scene->width);
    const int first_y = clamp_pixel((shape->centre.y - shape->reach) * scene->unit - 1.0, scene->height);
    const int end_x = clamp_pixel((shape->centre.x + shape->reach) * scene->unit + 2.0, scene->width);
    const int end_y = clamp_pixel((shape->centre.y + shape->reach) * scene->unit + 2.0, scene->height);
#pragma omp parallel for
    for (int y = first_y; y < end_y; y++)
        for (int x = first_x; x < end_x; x++)
            if (is_inside(shape, (point){(x + 0.5) / scene->unit, (y + 0.5) / scene->unit}))
                scene->regions[(size_t)y * (size_t)scene->width + (size_t)x] = (uint8_t)region;
}

/* A random direction, by the rational parametrisation of the circle; its length is 1 to rounding. */
static point random_direction(uint64_t *random)
{
    const double t = random_between(random, -1.0, 1.0), d = 1.0 + t * t;
    const point right = {(1.0 - t * t) / d, 2.0 * t / d};
    return random_below(random, 2) ? right : (point){-right.x, right.y};
}

/* ---- Objects of a cell ---- */

static outline ellipse(point centre, point axis, double half_a, double half_b)
{
    return (outline){.centre = centre, .axis = axis, .half_a = half_a, .half_b = half_b, .reach = half_a};
}

static outline rectangle(point centre, point axis, double half_length, double half_width)
{
    outline shape = {.n_corners = 4, .centre = centre, .reach = half_length + half_width};
    for (int i = 0; i < 4; i++) {
        const double along = i == 0 || i == 3 ? half_length : -half_length, across = i < 2 ? half_width : -half_width;
        shape.corner[i] =
            (point){centre.x + along * axis.x - across * axis.y, centre.y + along * axis.y + across * axis.x};
    }
    return shape;
}

/* A regular polygon of 3 to 6 corners, or a star of 10, whose even corners lie at `radius` and odd ones at `inner`. */
static outline polygon(point centre, point axis, int n_corners, double radius, double inner)
{
    /* Cosine and sine of a full turn over n. */
    static const point turn[MAX_CORNERS + 1] = {[3] = {-0.5, 0.8660254037844386},
                                                [4] = {0.0, 1.0},
                                                [5] = {0.30901699437494745, 0.9510565162951535},
                                                [6] = {0.5, 0.8660254037844386},
                                                [10] = {0.8090169943749475, 0.5877852522924731}};
    outline shape = {.n_corners = n_corners, .centre = centre, .reach = radius};
    for (int i = 0; i < n_corners; i++) {
        const double r = i % 2 == 0 ? radius : inner;
        shape.corner[i] = (point){centre.x + r * axis.x, centre.y + r * axis.y};
        const point by = turn[n_corners];
        axis = (point){axis.x * by.x - axis.y * by.y, axis.x * by.y + axis.y * by.x};
    }
    return shape;
}

/* Three parallel bars, each half as wide as the one before. */
static void paint_bars(image_scene *scene, point centre, point axis, double radius, int region)
{
    static const double offset[] = {-0.55, 0.1, 0.5}, half_width[] = {0.24, 0.12, 0.06};
    for (int i = 0; i < 3; i++) {
        const double across = offset[i] * radius;
        const point middle = {centre.x - across * axis.y, centre.y + across * axis.x};
        const outline bar = rectangle(middle, axis, 0.8 * radius, half_width[i] * radius);
        paint(scene, &bar, region);
    }
}

/* An object of this size, whichever chance decides; the hole of a ring shows `behind`. */
static void paint_object(image_scene *scene, point centre, double radius, int region, int behind)
{
    enum { ELLIPSE, RING, BARS, STAR, POLYGON, OBJECTS = POLYGON + 4 };
    const point axis = random_direction(&scene->random);
    const int object = random_below(&scene->random, OBJECTS);
    const double flatness = random_between(&scene->random, 0.5, 0.9);
    if (object == BARS) {
        paint_bars(scene, centre, axis, radius, region);
        return;
    }
    const int n_corners = object == STAR ? 10 : 3 + object - POLYGON;
    const outline shape = object < BARS
                              ? ellipse(centre, axis, radius, flatness * radius)
                              : polygon(centre, axis, n_corners, radius, object == STAR ? 0.45 * radius : radius);
    paint(scene, &shape, region);
    if (object != RING) return;
    const outline hole = ellipse(centre, axis, 0.6 * radius, 0.6 * flatness * radius);
    paint(scene, &hole, behind);
}

/* A point of a cell, off its middle by at most `jitter` of its size. */
static point place(image_scene *scene, int column, int row, double jitter)
{
    const double x = column + 0.5 + random_between(&scene->random, -jitter, jitter);
    const double y = row + 0.5 + random_between(&scene->random, -jitter, jitter);
    return (point){x * scene->cell_w, y * scene->cell_h};
}

/* One object in each cell, of between these sizes in cells. Colours 1 .. n_colours are for objects, 0 lies behind
 * them. */
static void paint_objects(image_scene *scene, double smallest, double largest, double jitter, int n_colours)
{
    const double cell = scene->cell_w < scene->cell_h ? scene->cell_w : scene->cell_h;
    for (int row = 0; row < scene->rows; row++)
        for (int column = 0; column < scene->columns; column++) {
            const point centre = place(scene, column, row, jitter);
            const double radius = cell * random_between(&scene->random, smallest, largest);
            paint_object(scene, centre, radius, 1 + cell_colour(scene, column, row) % n_colours, 0);
        }
}

/* ---- The kinds ---- */

typedef struct rgb {
    uint8_t r, g, b;
} rgb;

static void set_pixel(ab_image *image, size_t at, rgb colour)
{
    image->pixels[3 * at] = colour.r;
    image->pixels[3 * at + 1] = colour.g;
    image->pixels[3 * at + 2] = colour.b;
}

static void colour_regions(const image_scene *scene, const rgb *palette, ab_image *image)
{
    const size_t pixels = (size_t)scene->width * (size_t)scene->height;
#pragma omp parallel for
    for (size_t i = 0; i < pixels; i++) set_pixel(image, i, palette[scene->regions[i]]);
}

/* Objects that overlap, before a dark upper and a light lower background. */
static void draw_shapes(image_scene *scene, ab_image *image)
{
    enum { LOWER = COLOURS + 1 };
    static const rgb palette[] = {{38, 50, 64},    {200, 50, 40},   {235, 125, 35}, {240, 205, 30},
                                  {45, 175, 95},   {120, 215, 230}, {40, 125, 190}, {145, 65, 175},
                                  {235, 240, 240}, {15, 15, 20},    {150, 155, 145}};
    const double w = scene->width / scene->unit, h = scene->height / scene->unit;
    const double left = random_between(&scene->random, 0.45, 0.75), right = random_between(&scene->random, 0.45, 0.75);
    const outline lower = {.n_corners = 4,
                           .corner = {{-1.0, left * h}, {w + 1.0, right * h}, {w + 1.0, h + 1.0}, {-1.0, h + 1.0}},
                           .reach = w + h};
    paint(scene, &lower, LOWER);
    paint_objects(scene, 0.45, 0.75, 0.2, COLOURS);
    colour_regions(scene, palette, image);
}

/* The same, less and less lit from the lower right to the upper left, where a fifth of the light is left. */
static void draw_ramp(image_scene *scene, ab_image *image)
{
    draw_shapes(scene, image);
#pragma omp parallel for
    for (int y = 0; y < scene->height; y++)
        for (int x = 0; x < scene->width; x++) {
            const double light = 0.2 + 0.4 * ((x + 0.5) / scene->width + (y + 0.5) / scene->height);
            uint8_t *pixel = image->pixels + 3 * ((size_t)y * (size_t)scene->width + (size_t)x);
            for (int c = 0; c < 3; c++) pixel[c] = (uint8_t)(pixel[c] * light + 0.5);
        }
}

/* Objects apart from each other, in colours of one grey, one intensity and one saturation. Fig. 5.2's grey is a quarter
 * of R + G + B and a quarter of G, so all must share G and R + B. G is the least of the three, so saturation, 1 -
 * min/I, is the same as well. R and B are multiples of 4, or the shifts would round differently. Only the hue differs:
 * 240 degrees for the background, 300, 330 and 0 for the objects. */
static void draw_hue(image_scene *scene, ab_image *image)
{
    static const rgb palette[] = {{40, 40, 248}, {144, 40, 144}, {180, 40, 108}, {248, 40, 40}};
    paint_objects(scene, 0.35, 0.43, 0.06, 3);
    colour_regions(scene, palette, image);
}

static int squared(int x)
{
    return x * x;
}

/* Whether a texture is light or dark at a pixel; each repeats after a few. */
static bool is_light(int texture, int x, int y, uint64_t seed)
{
    uint64_t random = seed ^ (uint64_t)y << 32 ^ (uint64_t)x,
             coarse = seed ^ (uint64_t)(y / 2) << 32 ^ (uint64_t)(x / 2);
    switch (texture) {
    case 0:
        return y % 4 < 2;
    case 1:
        return x % 4 < 2;
    case 2:
        return (x + y) % 6 < 3;
    case 3:
        return (x - y + 6 * IMAGE_MAX_SIDE) % 6 < 3;
    case 4:
        return (x / 3 + y / 3) % 2 == 0;
    case 5:
        return squared(2 * (x % 6) - 5) + squared(2 * (y % 6) - 5) < 30;
    case 6:
        return y % 6 > 0 && (x + y / 6 % 2 * 6) % 12 > 0; /* bricks */
    case 7:
        return splitmix64(&random) >> 63;
    default:
        return splitmix64(&coarse) >> 63;
    }
}

/* Which cell's point is nearest to p, of the cell of p and those around it; sets its column and row. */
static void nearest_cell(const image_scene *scene, const point *points, point p, int *column, int *row)
{
    const int c = clamp_pixel(p.x / scene->cell_w, scene->columns - 1),
              r = clamp_pixel(p.y / scene->cell_h, scene->rows - 1);
    double least = 1e300;
    for (int i = r > 0 ? r - 1 : 0; i <= r + 1 && i < scene->rows; i++)
        for (int j = c > 0 ? c - 1 : 0; j <= c + 1 && j < scene->columns; j++) {
            const point q = points[i * scene->columns + j];
            const double d = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
            if (!(d < least)) continue;
            least = d;
            *column = j;
            *row = i;
        }
}

/* The cells of a Voronoi diagram, each filled with a texture of its own in two tones of nearly the same mean. */
static void draw_texture(image_scene *scene, ab_image *image)
{
    static const rgb tones[COLOURS][2] = {
        {{70, 90, 80}, {150, 170, 150}},  {{110, 70, 60}, {190, 150, 140}}, {{60, 80, 120}, {130, 150, 190}},
        {{100, 90, 50}, {190, 180, 130}}, {{80, 60, 100}, {160, 140, 180}}, {{60, 100, 60}, {140, 180, 130}},
        {{120, 110, 100}, {170, 90, 70}}, {{50, 70, 70}, {170, 180, 180}},  {{90, 60, 50}, {180, 160, 130}}};
    point points[MAX_CELLS * MAX_CELLS];
    for (int row = 0; row < scene->rows; row++)
        for (int column = 0; column < scene->columns; column++)
            points[row * scene->columns + column] = place(scene, column, row, 0.3);
    const uint64_t seed = splitmix64(&scene->random);
#pragma omp parallel for
    for (int y = 0; y < scene->height; y++)
        for (int x = 0; x < scene->width; x++) {
            const size_t at = (size_t)y * (size_t)scene->width + (size_t)x;
            int column = 0, row = 0;
            nearest_cell(scene, points, (point){(x + 0.5) / scene->unit, (y + 0.5) / scene->unit}, &column, &row);
            const int texture = cell_colour(scene, column, row);
            scene->regions[at] = (uint8_t)texture;
            set_pixel(image, at, tones[texture][is_light(texture, x, y, seed)]);
        }
}

/* Every pixel a grey of its own, row after row. There are no regions. */
static void draw_random(image_scene *scene, ab_image *image)
{
    const size_t width = (size_t)scene->width, height = (size_t)scene->height;
#pragma omp parallel for
    for (size_t y = 0; y < height; y++) {
        uint64_t random = scene->random;
        splitmix64_skip(&random, y * width);
        for (size_t at = y * width; at < (y + 1) * width; at++) {
            const uint8_t grey = (uint8_t)(splitmix64(&random) >> 56);
            set_pixel(image, at, (rgb){grey, grey, grey});
        }
    }
}

/* ---- The image ---- */

static const struct {
    const char *name;
    void (*draw)(image_scene *scene, ab_image *image); /* fills the scene's regions and the image's pixels */
} kinds[IMAGE_KINDS] = {
    [IMAGE_SHAPES] = {"shapes", draw_shapes}, [IMAGE_HUE] = {"hue", draw_hue},
    [IMAGE_RAMP] = {"ramp", draw_ramp},       [IMAGE_TEXTURE] = {"texture", draw_texture},
    [IMAGE_RANDOM] = {"random", draw_random},
};

const char *image_kind_name(image_kind kind)
{
    return kinds[kind].name;
}

static void trace_edges(const image_scene *scene, uint8_t *edges)
{
    const size_t w = (size_t)scene->width, h = (size_t)scene->height;
#pragma omp parallel for
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            const uint8_t *region = scene->regions + y * w + x;
            edges[y * w + x] = (x + 1 < w && region[1] != *region) || (y + 1 < h && region[w] != *region);
        }
}

static void name_drawn(image_kind kind, uint64_t seed, ab_image *image)
{
    char size[32], variant[32] = "";
    if (image->width == image->height)
        snprintf(size, sizeof size, "%d", image->width);
    else
        snprintf(size, sizeof size, "%dx%d", image->width, image->height);
    if (seed != 1) snprintf(variant, sizeof variant, "-%llu", (unsigned long long)seed);
    snprintf(image->name, sizeof image->name, "%s-%s%s", kinds[kind].name, size, variant);
}

ab_status image_describe_drawn(image_kind kind, int width, int height, uint64_t seed, ab_image *image)
{
    *image = (ab_image){0};
    if (width < 1 || height < 1 || width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE)
        return ab_bad_input("a drawn image has sides of 1 to %d pixels, not %d x %d", IMAGE_MAX_SIDE, width, height);
    AB_TRY(image_set_size(width, height, image));
    image->channels = 3;
    name_drawn(kind, seed, image);
    image->stand_in = true;
    image->known_edges = kind != IMAGE_RANDOM;
    return ab_ok();
}

static ab_status draw(image_kind kind, image_scene *scene, ab_image *image)
{
    const size_t n = (size_t)scene->width * (size_t)scene->height;
    AB_TRY(image_allocate(image));
    if (image->known_edges) image->edges = malloc(n);
    if (image->known_edges && image->edges == NULL) return ab_failed("no memory for an edge map of %zu bytes", n);
    kinds[kind].draw(scene, image);
    if (image->known_edges) trace_edges(scene, image->edges);
    sha256_hex(image->pixels, 3 * n, image->sha256);
    return ab_ok();
}

ab_status image_draw(image_kind kind, int width, int height, uint64_t seed, ab_image *image)
{
    AB_TRY(image_describe_drawn(kind, width, height, seed, image));
    image_scene scene;
    ab_status status = open_scene(width, height, seed, &scene);
    if (status.code == AB_OK) status = draw(kind, &scene, image);
    free(scene.regions);
    if (status.code != AB_OK) image_free(image);
    return status;
}
