/* Judging maps of edges (kernels/edges/edges.h). */
#include <math.h>

#include "images/edge_map.h"
#include "kernels/edges/edges.h"

double edges_radius(const ab_image *image)
{
    return image->stand_in ? EDGE_MAP_NEAR : round(0.0075 * hypot(image->width, image->height));
}

static double edge_share(const edges_image *image, const uint8_t *map)
{
    const size_t pixels = edges_pixels(image);
    size_t edges = 0;
    for (size_t i = 0; i < pixels; ++i) edges += map[i] != 0;
    return (double)edges / (double)pixels;
}

static ab_status metric(const ab_task *task, const char *name, double value)
{
    return task->sink->metric(task->sink, NULL, name, &value, 1, NULL);
}

ab_status edges_judge(const ab_task *task, const uint8_t *map, double *f)
{
    const edges_image *loaded = task->loaded;
    const ab_image *image = &loaded->image;
    edge_quality quality;
    double thickness;
    *f = NAN;
    AB_TRY(edge_map_thickness(image->width, image->height, map, &thickness));
    AB_TRY(metric(task, "thickness", thickness));
    AB_TRY(metric(task, "edge-share", edge_share(loaded, map)));
    if (!image->edges) {
        task->sink->note(task->sink, "no edges are known");
        return ab_ok();
    }
    AB_TRY(edge_map_compare(image->width, image->height, map, image->edges, edges_radius(image), &quality));
    AB_TRY(metric(task, "precision", quality.precision));
    AB_TRY(metric(task, "recall", quality.recall));
    AB_TRY(metric(task, "pratt", quality.pratt));
    *f = quality.f;
    return ab_ok();
}
