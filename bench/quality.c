/* Judging edge maps (quality.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/quality.h"

double quality_radius(const ab_image *image)
{
    return image->stand_in ? 1.5 : round(0.0075 * hypot(image->width, image->height));
}

void quality_set(ab_row *row, const char *metric, double value)
{
    snprintf(row->quality_metric, sizeof row->quality_metric, "%s", metric);
    row->quality_best = row->quality_mean = value;
}

ab_status quality_append_metric(image_table *t, const ab_row *row, const char *metric, double value)
{
    ab_bench *bench = &t->base.bench;
    ab_row other = *row;
    char *end = strstr(other.params, "metric=");
    const size_t at = end ? (size_t)(end - other.params) : strlen(other.params);
    snprintf(other.params + at, sizeof other.params - at, "metric=%s", metric);
    quality_set(&other, metric, value);
    return ab_run_find(bench->run, &other) ? ab_ok() : ab_run_append(bench->run, &other, NULL, 0);
}

static double edge_share(const ab_image *image, const uint8_t *map)
{
    const size_t pixels = (size_t)image->width * (size_t)image->height;
    size_t edges = 0;
    for (size_t i = 0; i < pixels; ++i) edges += map[i] != 0;
    return (double)edges / (double)pixels;
}

ab_status quality_append(image_table *t, const image_input *input, const uint8_t *map, ab_row *row)
{
    const ab_image *image = &input->image;
    AB_TRY(quality_append_metric(t, row, "thickness", edge_map_thickness(image->width, image->height, map)));
    AB_TRY(quality_append_metric(t, row, "edge-share", edge_share(image, map)));
    quality_set(row, "f", NAN);
    if (image->edges) {
        edge_quality quality;
        AB_TRY(edge_map_compare(image->width, image->height, map, image->edges, quality_radius(image), &quality));
        AB_TRY(quality_append_metric(t, row, "precision", quality.precision));
        AB_TRY(quality_append_metric(t, row, "recall", quality.recall));
        AB_TRY(quality_append_metric(t, row, "pratt", quality.pratt));
        quality_set(row, "f", quality.f);
    } else {
        ab_row_add_note(row, "no edges are known");
    }
    return ab_run_append(t->base.bench.run, row, NULL, 0);
}
