/* Draws tours (tours/draw.h). */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "tours/draw.h"

/* ---- Coordinates ---- */

bool draw_has_places(const tsp_instance *cities)
{
    return cities->table || cities->points;
}

bool draw_has_degrees(const tsp_instance *cities)
{
    return cities->table ? cities->table->geo : cities->points && strcmp(cities->edge_weight_type, "GEO") == 0;
}

/* Turns TSPLIB's DDD.MM, degrees and minutes, into degrees. */
static double degrees_of(double coordinate)
{
    const double whole = trunc(coordinate);
    return whole + 5.0 * (coordinate - whole) / 3.0;
}

/* Returns a city's place: x to the right and y up. With degrees, these are longitude and latitude. */
static tsp_point place_of(const tsp_instance *cities, int city)
{
    const tsp_point p = cities->table ? cities->table->points[city] : cities->points[city];
    if (!draw_has_degrees(cities)) return p;
    return cities->table ? (tsp_point){p.y, p.x} : (tsp_point){degrees_of(p.y), degrees_of(p.x)};
}

/* ---- Files ---- */

/* A file that is being written. */
typedef struct drawing {
    ab_replacement target;
    FILE *file;
} drawing;

static ab_status open_drawing(const char *path, drawing *d)
{
    AB_TRY(ab_replacement_open(path, &d->target));
    d->file = fdopen(d->target.fd, "w");
    if (d->file) return ab_ok();
    return ab_replacement_close(&d->target, ab_failed("%s: %s", path, strerror(errno)));
}

/* Closes the file. If drawing or writing failed, the old file stays. */
static ab_status close_drawing(drawing *d, ab_status drawn)
{
    errno = 0;
    const bool failed = ferror(d->file);
    const bool written = fclose(d->file) == 0 && !failed;
    d->target.fd = -1;
    if (drawn.code == AB_OK && !written)
        drawn = ab_failed("%s: %s", d->target.path, errno ? strerror(errno) : "an earlier write failed");
    return ab_replacement_close(&d->target, drawn);
}

/* Copies a text. If it has characters that XML, JSON or a terminal cannot hold, each byte that is not printable ASCII
 * becomes "?". NULL if there is no memory. */
static char *copy_clean(const char *text)
{
    char *copy = strdup(text);
    const bool clean = ab_is_clean(text) && !strstr(text, "\xef\xbf\xbe") && !strstr(text, "\xef\xbf\xbf");
    for (char *c = copy; !clean && c && *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return copy;
}

/* ---- SVG ---- */

static const double longest_side = 1000.0, margin = 20.0, line_height = 30.0, character_width = 9.0;
static const double frame_s = 0.25, last_frame_s = 3.0; /* seconds for which a frame of a film is shown */

/* How places lie on the page. */
typedef struct frame {
    double left, top;     /* place at the upper left corner */
    double span;          /* larger of width and height, in the unit of places; above 0 */
    double width, height; /* of the tour on the page */
    double x_scale;       /* factor by which a unit to the right is shorter than one up */
    double indent;        /* space on the page to the left of the tour, besides the margin */
    bool turned;          /* true if western longitudes are drawn to the right of eastern ones */
} frame;

static tsp_point turn(const frame *f, tsp_point place)
{
    if (f->turned && place.x < 0.0) place.x += 360.0;
    return place;
}

static void find_box(const tsp_instance *cities, const frame *f, tsp_point *low, tsp_point *high)
{
    *low = *high = turn(f, place_of(cities, 0));
    for (int i = 1; i < cities->n; i++) {
        const tsp_point p = turn(f, place_of(cities, i));
        *low = (tsp_point){fmin(low->x, p.x), fmin(low->y, p.y)};
        *high = (tsp_point){fmax(high->x, p.x), fmax(high->y, p.y)};
    }
}

/* Turns the globe if places then lie closer together, as on both sides of the 180th meridian. */
static void turn_globe(const tsp_instance *cities, frame *f, tsp_point *low, tsp_point *high)
{
    tsp_point turned_low, turned_high;
    f->turned = true;
    find_box(cities, f, &turned_low, &turned_high);
    f->turned = turned_high.x - turned_low.x < high->x - low->x;
    if (f->turned) *low = turned_low, *high = turned_high;
}

static frame make_frame(const tsp_instance *cities)
{
    const double radian = 3.14159265358979323846 / 180.0, least_scale = 0.01; /* near the poles */
    frame f = {.x_scale = 1.0};
    tsp_point low, high;
    find_box(cities, &f, &low, &high);
    if (draw_has_degrees(cities)) {
        turn_globe(cities, &f, &low, &high);
        f.x_scale = fmax(cos(radian * (low.y + high.y) / 2.0), least_scale);
    }
    f.left = low.x;
    f.top = high.y;
    const double width = f.x_scale * (high.x - low.x), height = high.y - low.y;
    f.span = fmax(width, height);
    if (f.span <= 0.0) f.span = 1.0;
    f.width = longest_side * (width / f.span);
    f.height = longest_side * (height / f.span);
    return f;
}

static tsp_point on_page(const frame *f, tsp_point place)
{
    const tsp_point p = turn(f, place);
    return (tsp_point){margin + f->indent + longest_side * (f->x_scale * (p.x - f->left) / f->span),
                       margin + longest_side * ((f->top - p.y) / f->span)};
}

static void print_xml(FILE *file, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (; *text; text++) {
        const char *found = strchr(special, *text);
        if (found)
            fputs(names[found - special], file);
        else
            fputc(*text, file);
    }
}

static void print_tour(FILE *file, const frame *f, const tsp_instance *cities, const int32_t *tour)
{
    fprintf(file, "<path class=\"tour\" d=\"");
    for (int i = 0; i < cities->n; i++) {
        const tsp_point p = on_page(f, place_of(cities, tour[i]));
        fprintf(file, "%s%.2f %.2f", i ? "\nL" : "M", p.x, p.y);
    }
    fprintf(file, "Z\"/>\n");
}

static void print_dots(FILE *file, const frame *f, const tsp_instance *cities)
{
    if (cities->n > DRAW_MOST_DOTS) return;
    fprintf(file, "<g class=\"cities\">\n");
    for (int i = 0; i < cities->n; i++) {
        const tsp_point p = on_page(f, place_of(cities, i));
        fprintf(file, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\"/>\n", p.x, p.y);
    }
    fprintf(file, "</g>\n");
}

/* Begins a page of a title and of room for the tour above `lines` lines of text, the longest of `columns` bytes. */
static void print_head(FILE *file, frame *f, const char *title, int lines, size_t columns)
{
    const double inner = fmax(f->width, character_width * (double)columns);
    f->indent = (inner - f->width) / 2.0;
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.2f %.2f\">\n<title>",
            inner + 2.0 * margin, f->height + 2.0 * margin + lines * line_height);
    print_xml(file, title);
    fprintf(file, "</title>\n<style>\n"
                  "svg { background: #fff } .tour { fill: none; stroke: #1f5a96; stroke-linejoin: round }\n"
                  ".cities { fill: #b03a2e } text { font: 16px sans-serif; fill: #333 }\n"
                  "</style>\n");
}

/* Prints a text in a line below the tour, numbered from 1. */
static void print_text(FILE *file, const frame *f, int line, const char *text)
{
    fprintf(file, "<text x=\"%.2f\" y=\"%.2f\">", margin, f->height + margin + line * line_height);
    print_xml(file, text);
    fprintf(file, "</text>\n");
}

static void print_svg(FILE *file, const tsp_instance *cities, const int32_t *tour, const char *caption)
{
    frame f = make_frame(cities);
    print_head(file, &f, caption, 1, strlen(caption));
    print_tour(file, &f, cities, tour);
    print_dots(file, &f, cities);
    print_text(file, &f, 1, caption);
    fprintf(file, "</svg>\n");
}

/* Each frame is visible for its turn. Negative delays let all frames begin in the middle of their loops. */
static void print_film(FILE *file, const tsp_instance *cities, const film *shown, const char *caption)
{
    const double total_s = frame_s * (shown->n - 1) + last_frame_s;
    const double share = 100.0 * frame_s / total_s, last_share = 100.0 * last_frame_s / total_s;
    frame f = make_frame(cities);
    size_t columns = strlen(caption);
    for (int i = 0; i < shown->n; i++)
        if (strlen(shown->frames[i].label) > columns) columns = strlen(shown->frames[i].label);
    print_head(file, &f, caption, 2, columns);
    fprintf(file,
            "<style>\n.frame { visibility: hidden; animation: turn %.2fs infinite }\n"
            ".frame.last { visibility: visible; animation-name: last }\n"
            "@keyframes turn { 0%% { visibility: visible } %.4f%%, 100%% { visibility: hidden } }\n"
            "@keyframes last { 0%% { visibility: visible } %.4f%%, 100%% { visibility: hidden } }\n"
            "@media (prefers-reduced-motion: reduce) { .frame, .frame.last { animation: none } }\n</style>\n",
            total_s, share, last_share);
    for (int i = 0; i < shown->n; i++) {
        fprintf(file, "<g class=\"frame%s\" style=\"animation-delay: %.2fs\">\n", i == shown->n - 1 ? " last" : "",
                frame_s * i - total_s);
        print_tour(file, &f, cities, shown->frames[i].tour);
        print_text(file, &f, 1, shown->frames[i].label);
        fprintf(file, "</g>\n");
    }
    print_dots(file, &f, cities);
    print_text(file, &f, 2, caption);
    fprintf(file, "</svg>\n");
}

/* Draws a film, or, where `shown` is NULL, a tour. */
static ab_status draw_page(const char *path, const tsp_instance *cities, const int32_t *tour, const film *shown,
                           const char *caption)
{
    drawing d;
    char *clean = copy_clean(caption);
    ab_status status = clean ? open_drawing(path, &d) : ab_failed("%s: out of memory", path);
    if (status.code == AB_OK) {
        if (shown)
            print_film(d.file, cities, shown, clean);
        else
            print_svg(d.file, cities, tour, clean);
        status = close_drawing(&d, ab_ok());
    }
    free(clean);
    return status;
}

ab_status draw_svg(const char *path, const tsp_instance *cities, const int32_t *tour, const char *caption)
{
    return draw_page(path, cities, tour, NULL, caption);
}

ab_status draw_film(const char *path, const tsp_instance *cities, const film *shown, const char *caption)
{
    return draw_page(path, cities, NULL, shown, caption);
}

/* ---- GeoJSON ---- */

static bool crosses(tsp_point a, tsp_point b)
{
    return fabs(a.x - b.x) > 180.0;
}

static bool any_crosses(const tsp_instance *cities, const int32_t *tour)
{
    for (int i = 0; i < cities->n; i++)
        if (crosses(place_of(cities, tour[i]), place_of(cities, tour[(i + 1) % cities->n]))) return true;
    return false;
}

/* Ends a line at the 180th meridian, and begins one on its other side. */
static void print_cut(FILE *file, tsp_point a, tsp_point b)
{
    const double side = copysign(180.0, a.x), way = 360.0 - fabs(a.x - b.x);
    const double share = way > 0.0 ? (180.0 - fabs(a.x)) / way : 0.0, y = a.y + share * (b.y - a.y);
    fprintf(file, ",\n[%.10g, %.10g]],\n[[%.10g, %.10g]", side, y, -side, y);
}

/* Prints the positions of the closed tour, and cuts it where it crosses the 180th meridian. */
static void print_line(FILE *file, const tsp_instance *cities, const int32_t *tour)
{
    tsp_point before = place_of(cities, tour[0]);
    fprintf(file, "[[%.10g, %.10g]", before.x, before.y);
    for (int i = 1; i <= cities->n; i++) {
        const tsp_point p = place_of(cities, tour[i % cities->n]);
        if (crosses(before, p)) print_cut(file, before, p);
        fprintf(file, ",\n[%.10g, %.10g]", p.x, p.y);
        before = p;
    }
    fprintf(file, "]");
}

/* Prints the properties straight into the file: in memory, json_dumps() loses a key if there is no room for it. False
 * if there is no memory. */
static bool print_feature(FILE *file, const tsp_instance *cities, const int32_t *tour, const json_t *properties)
{
    const bool cut = any_crosses(cities, tour);
    fprintf(file, "{\"type\": \"Feature\", \"properties\": ");
    const bool printed = json_dumpf(properties, file, JSON_REAL_PRECISION(12)) == 0 || ferror(file);
    fprintf(file, ",\n\"geometry\": {\"type\": \"%s\", \"coordinates\":\n%s", cut ? "MultiLineString" : "LineString",
            cut ? "[" : "");
    print_line(file, cities, tour);
    fprintf(file, "%s}}\n", cut ? "]" : "");
    return printed;
}

ab_status draw_geojson(const char *path, const tsp_instance *cities, const int32_t *tour, const char *name,
                       double length_km)
{
    drawing d;
    char *clean = copy_clean(name);
    json_t *properties = clean ? json_pack("{s:s, s:f}", "name", clean, "length_km", length_km) : NULL;
    ab_status status = properties ? open_drawing(path, &d) : ab_failed("%s: out of memory", path);
    if (status.code == AB_OK) {
        const bool printed = print_feature(d.file, cities, tour, properties);
        status = close_drawing(&d, printed ? ab_ok() : ab_failed("%s: out of memory", path));
    }
    json_decref(properties);
    free(clean);
    return status;
}
