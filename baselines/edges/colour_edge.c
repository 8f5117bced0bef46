/* colour-edge/seq and colour-edge/omp: colour edge detection on the CPU, a reference and a competitor.
 *
 * It makes four sweeps over the image, each over rows, which threads share out: blur and colour, sums of the gradients,
 * marking, and one per sub-iteration of thinning. Loops over the pixels of a row are written so that the compiler
 * vectorises them for the processor it finds. The blur down the columns works on interleaved bytes, all channels alike.
 * The gradients are computed twice, for the sums and for marking, which is faster than storing four planes of them.
 * Marking compares squares, so that only the sums take roots. Edges are kept as bits and thinned 32 pixels per word,
 * many words at a time.
 *
 * All of it gives the same bits as the GPU (kernels/colour_edge/pixel.h).
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/cpu_colony.h"
#include "kernels/colour_edge/colour_edge.h"
#include "kernels/colour_edge/pixel.h"
#include "kernels/edges/detector.h"
#include "operations/colour_edge.h"

colour_edge_open colour_edge_seq, colour_edge_omp;

enum {
    PAD = CE_MAX_RADIUS + 1, /* floats or words before the first column of a row */
    WORD = 32                /* pixels of a word of edges */
};

typedef struct cpu_detector {
    ed_detector base;                /* first: what the caller sees */
    ed_image image;                  /* the caller's: rgba must outlive the detector */
    ed_params params;                /* parameters as opened, with threads between 1 and height */
    ce_taps taps;                    /* taps of the Gaussian */
    size_t stride;                   /* floats between two rows of a plane */
    size_t n_words;                  /* words of a row of edges */
    float *volume, *intensity;       /* [height][stride], the first column at PAD, one repeated on each side */
    float thresholds[CE_MAGNITUDES]; /* thresholds of the last DETECT */
    uint32_t *edges;      /* [height + 2][n_words + 2]: before thinning, bit i the pixel in column i; rim 0 */
    uint32_t *thinned[2]; /* likewise: after each sub-iteration */
    uint8_t *map;         /* [height][width], rows rounded up to words: the result */
    float *scratch;       /* [threads][SCRATCH_ROWS][4 * stride] */
    ab_memory memory;     /* all of it */
} cpu_detector;

enum { SCRATCH_COLUMNS, SCRATCH_CHANNELS, SCRATCH_BLURRED, SCRATCH_ROWS }; /* each 4 * stride floats */

static float *scratch_of(const cpu_detector *detector, int thread, int row)
{
    return detector->scratch + (size_t)(thread * SCRATCH_ROWS + row) * 4 * detector->stride;
}

/* Fills up `count` floats on both sides of row[0 .. n-1] with the outermost ones. */
static void repeat_ends(float *row, int n, int count)
{
    for (int k = 1; k <= count; k++) {
        row[-k] = row[0];
        row[n - 1 + k] = row[n - 1];
    }
}

/* ---- Blur and colour ---- */

static const uint8_t *pixel_row(const cpu_detector *detector, int y)
{
    const int last = detector->image.height - 1;
    return detector->image.rgba + (size_t)(y < 0 ? 0 : y > last ? last : y) * (size_t)detector->image.width * 4;
}

/* The blur down the columns of `n` interleaved channels; rows[radius] is the row itself. */
CPU_MULTIVERSION static void blur_columns(const ce_taps *taps, const uint8_t *const *rows, int n, float *sums)
{
    const uint8_t *centre = rows[taps->radius];
    for (int i = 0; i < n; i++) sums[i] = ce_blur_begin(taps, (float)centre[i]);
    for (int k = 1; k <= taps->radius; k++) {
        const uint8_t *above = rows[taps->radius - k], *below = rows[taps->radius + k];
        for (int i = 0; i < n; i++) sums[i] = ce_blur_add(taps, k, (float)(above[i] + below[i]), sums[i]);
    }
}

/* From interleaved channels to a row each. */
CPU_MULTIVERSION static void separate(const float *restrict pixels, int width, float *restrict r, float *restrict g,
                                      float *restrict b)
{
    for (int x = 0; x < width; x++) {
        r[x] = pixels[4 * x];
        g[x] = pixels[4 * x + 1];
        b[x] = pixels[4 * x + 2];
    }
}

CPU_MULTIVERSION static void blur_row(const ce_taps *taps, const float *restrict row, int width, float *restrict sums)
{
    for (int x = 0; x < width; x++) sums[x] = ce_blur_begin(taps, row[x]);
    for (int k = 1; k <= taps->radius; k++)
        for (int x = 0; x < width; x++) sums[x] = ce_blur_add(taps, k, row[x - k] + row[x + k], sums[x]);
}

CPU_MULTIVERSION static void colour_row(const float *restrict r, const float *restrict g, const float *restrict b,
                                        int width, float *restrict volume, float *restrict intensity)
{
    for (int x = 0; x < width; x++) {
        volume[x] = ce_volume(r[x], g[x], b[x]);
        intensity[x] = ce_intensity(r[x], g[x], b[x]);
    }
}

/* Row y of the blurred image into blurred[3], one row a channel. */
static void blur(const cpu_detector *detector, int y, int thread, float *blurred[3])
{
    const int width = detector->image.width, radius = detector->taps.radius;
    const uint8_t *rows[2 * CE_MAX_RADIUS + 1];
    float *columns = scratch_of(detector, thread, SCRATCH_COLUMNS), *channels[3];
    for (int c = 0; c < 3; c++) {
        channels[c] = scratch_of(detector, thread, SCRATCH_CHANNELS) + (size_t)c * detector->stride + PAD;
        blurred[c] = scratch_of(detector, thread, SCRATCH_BLURRED) + (size_t)c * detector->stride + PAD;
    }
    for (int k = -radius; k <= radius; k++) rows[radius + k] = pixel_row(detector, y + k);
    blur_columns(&detector->taps, rows, 4 * width, columns);
    separate(columns, width, channels[0], channels[1], channels[2]);
    for (int c = 0; c < 3; c++) {
        repeat_ends(channels[c], width, radius);
        blur_row(&detector->taps, channels[c], width, blurred[c]);
    }
}

static float *plane_row(const cpu_detector *detector, float *plane, int y)
{
    return plane + (size_t)y * detector->stride + PAD;
}

static void find_colours(const cpu_detector *detector, int y, int thread)
{
    const int width = detector->image.width;
    float *blurred[3], *volume = plane_row(detector, detector->volume, y);
    float *intensity = plane_row(detector, detector->intensity, y);
    blur(detector, y, thread, blurred);
    colour_row(blurred[0], blurred[1], blurred[2], width, volume, intensity);
    repeat_ends(volume, width, 1);
    repeat_ends(intensity, width, 1);
}

/* ---- Gradients ---- */

/* Three rows of a plane around one of them. */
typedef struct around {
    const float *above, *at, *below;
} around;

static around rows_around(const cpu_detector *detector, float *plane, int y)
{
    const int last = detector->image.height - 1;
    return (around){plane_row(detector, plane, y > 0 ? y - 1 : 0), plane_row(detector, plane, y),
                    plane_row(detector, plane, y < last ? y + 1 : last)};
}

CE_INLINE ce_gradients gradients_at(around rows, int x)
{
    return ce_prewitt(rows.above[x - 1], rows.above[x], rows.above[x + 1], rows.at[x - 1], rows.at[x + 1],
                      rows.below[x - 1], rows.below[x], rows.below[x + 1]);
}

/* Adds the magnitudes of a row of a plane to sums[2]. */
CPU_MULTIVERSION static void sum_row(around rows, int width, uint64_t sums[2])
{
    uint64_t m1 = 0, m2 = 0;
    for (int x = 0; x < width; x++) {
        const ce_gradients squares = gradients_at(rows, x);
        m1 += (uint32_t)ce_fixed_point(sqrtf(squares.m1));
        m2 += (uint32_t)ce_fixed_point(sqrtf(squares.m2));
    }
    sums[0] += m1;
    sums[1] += m2;
}

/* 1 in marked[x] where a magnitude is above its threshold, of which bounds[CE_MAGNITUDES] are of the squares. */
CPU_MULTIVERSION static void mark_row(around volume, around intensity, const float *bounds, int width,
                                      uint8_t *restrict marked)
{
    for (int x = 0; x < width; x++) {
        const ce_gradients v = gradients_at(volume, x), i = gradients_at(intensity, x);
        marked[x] = (v.m1 > bounds[CE_M1_VOLUME]) | (v.m2 > bounds[CE_M2_VOLUME]) | (i.m1 > bounds[CE_M1_INTENSITY]) |
                    (i.m2 > bounds[CE_M2_INTENSITY]);
    }
}

/* ---- Edges as bits ---- */

/* The first word of row y, which may be -1 or height. */
static uint32_t *word_row(const cpu_detector *detector, uint32_t *words, int y)
{
    return words + (size_t)(y + 1) * (detector->n_words + 2) + 1;
}

static uint8_t *map_row(const cpu_detector *detector, int y)
{
    return detector->map + (size_t)y * detector->n_words * WORD;
}

/* Eight bytes of 0 and 1, the first lowest in memory, and eight bits, the first lowest. */
static uint8_t pack8(const uint8_t *bytes)
{
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    return (uint8_t)(eight * 0x0102040810204080u >> 56);
}

static void unpack8(uint8_t bits, uint8_t *bytes)
{
    /* Every byte gets all eight bits, keeps its own, and that becomes its lowest. */
    const uint64_t own = bits * 0x0101010101010101u & 0x8040201008040201u;
    const uint64_t eight = (own + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
    memcpy(bytes, &eight, sizeof eight);
}

static void pack_row(const uint8_t *bytes, size_t n_words, uint32_t *words)
{
    for (size_t i = 0; i < n_words; i++) {
        words[i] = 0;
        for (size_t k = 0; k < 4; k++) words[i] |= (uint32_t)pack8(bytes + i * WORD + 8 * k) << (8 * k);
    }
}

static void unpack_row(const uint32_t *words, size_t n_words, uint8_t *bytes)
{
    for (size_t i = 0; i < n_words; i++)
        for (size_t k = 0; k < 4; k++) unpack8((uint8_t)(words[i] >> (8 * k)), bytes + i * WORD + 8 * k);
}

/* The map's row serves as scratch memory: its end, beyond the width, stays 0. */
static void find_edges(const cpu_detector *detector, const float *bounds, int y)
{
    uint8_t *marked = map_row(detector, y);
    mark_row(rows_around(detector, detector->volume, y), rows_around(detector, detector->intensity, y), bounds,
             detector->image.width, marked);
    pack_row(marked, detector->n_words, word_row(detector, detector->edges, y));
}

CE_INLINE ce_words words_at(const uint32_t *row, ptrdiff_t i)
{
    return (ce_words){row[i - 1], row[i], row[i + 1]};
}

/* A sub-iteration on a row of `n` words, `stride` words apart; returns the bits that went, all or'ed. */
CPU_MULTIVERSION static uint32_t thin_row(const uint32_t *restrict from, ptrdiff_t stride, ptrdiff_t n,
                                          int sub_iteration, uint32_t *restrict to)
{
    uint32_t changed = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        to[i] = ce_thin(words_at(from - stride, i), words_at(from, i), words_at(from + stride, i), sub_iteration);
        changed |= to[i] ^ from[i];
    }
    return changed;
}

/* ---- Detection ---- */

static void find_thresholds(cpu_detector *detector, const uint64_t sums[CE_MAGNITUDES], float bounds[CE_MAGNITUDES])
{
    const double n = (double)detector->image.width * detector->image.height;
    for (int i = 0; i < CE_MAGNITUDES; i++) {
        const double coefficient =
            i < CE_M1_INTENSITY ? detector->params.volume_coefficient : detector->params.intensity_coefficient;
        detector->thresholds[i] = ce_threshold(sums[i], ce_threshold_factor(n, coefficient));
        bounds[i] = ce_square_bound(detector->thresholds[i]);
    }
}

/* Both sub-iterations from `from` to thinned[1], by way of thinned[0]. Returns 0 when nothing changed. */
static uint32_t thin(const cpu_detector *detector, uint32_t *from)
{
    const ptrdiff_t n = (ptrdiff_t)detector->n_words;
    uint32_t changed = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t *const before = i == 0 ? from : detector->thinned[0];
#pragma omp parallel for num_threads(detector->params.threads) schedule(static) reduction(| : changed)
        for (int y = 0; y < detector->image.height; y++)
            changed |=
                thin_row(word_row(detector, before, y), n + 2, n, i, word_row(detector, detector->thinned[i], y));
    }
    return changed;
}

static void detect(cpu_detector *detector)
{
    const int height = detector->image.height, width = detector->image.width, threads = detector->params.threads;
    uint64_t sums[CE_MAGNITUDES] = {0};
    float bounds[CE_MAGNITUDES];
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height; y++) find_colours(detector, y, omp_get_thread_num());
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sums)
    for (int y = 0; y < height; y++) {
        sum_row(rows_around(detector, detector->volume, y), width, sums + CE_M1_VOLUME);
        sum_row(rows_around(detector, detector->intensity, y), width, sums + CE_M1_INTENSITY);
    }
    find_thresholds(detector, sums, bounds);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height; y++) find_edges(detector, bounds, y);
    if (detector->params.thinning_passes == 0) return;
    uint32_t *from = detector->edges;
    for (int pass = 0; pass < detector->params.thinning_passes && thin(detector, from); pass++)
        from = detector->thinned[1];
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int y = 0; y < height; y++)
        unpack_row(word_row(detector, detector->thinned[1], y), detector->n_words, map_row(detector, y));
}

static ab_status run_stage(ab_work *work, int stage)
{
    if (stage == ED_DETECT) detect((cpu_detector *)work);
    return ab_ok();
}

/* ---- Reading ---- */

static ab_status read_map(ed_detector *base, uint8_t *edges)
{
    const cpu_detector *detector = (const cpu_detector *)base;
    const size_t width = (size_t)detector->image.width;
    for (int y = 0; y < detector->image.height; y++) memcpy(edges + (size_t)y * width, map_row(detector, y), width);
    return ab_ok();
}

static void read_blurred(const cpu_detector *detector, int channel, int y, float *values)
{
    float *blurred[3];
    blur(detector, y, 0, blurred);
    memcpy(values, blurred[channel], (size_t)detector->image.width * sizeof *values);
}

static void read_magnitude(const cpu_detector *detector, int magnitude, int y, float *values)
{
    float *plane = magnitude < CE_M1_INTENSITY ? detector->volume : detector->intensity;
    const around rows = rows_around(detector, plane, y);
    for (int x = 0; x < detector->image.width; x++) {
        const ce_gradients squares = gradients_at(rows, x);
        values[x] = sqrtf(magnitude % 2 == 0 ? squares.m1 : squares.m2);
    }
}

static void read_row(const cpu_detector *detector, int step, int y, float *values)
{
    const int width = detector->image.width;
    if (step <= CE_BLURRED_B)
        read_blurred(detector, step - CE_BLURRED_R, y, values);
    else if (step <= CE_INTENSITY)
        memcpy(values, plane_row(detector, step == CE_VOLUME ? detector->volume : detector->intensity, y),
               (size_t)width * sizeof *values);
    else if (step <= CE_INTENSITY_M2)
        read_magnitude(detector, step - CE_VOLUME_M1, y, values);
    else if (step <= CE_INTENSITY_M2_THRESHOLD)
        for (int x = 0; x < width; x++) values[x] = detector->thresholds[step - CE_VOLUME_M1_THRESHOLD];
    else
        for (int x = 0; x < width; x++)
            values[x] = (float)(word_row(detector, detector->edges, y)[x / WORD] >> x % WORD & 1);
}

static ab_status read_step(ed_detector *base, int step, float *values)
{
    const cpu_detector *detector = (const cpu_detector *)base;
    if (step < 0 || step >= CE_STEPS) return ab_unsupported("there is no step %d", step);
    for (int y = 0; y < detector->image.height; y++)
        read_row(detector, step, y, values + (size_t)y * (size_t)detector->image.width);
    return ab_ok();
}

/* Within the width: what lies beyond belongs to no pixel and stays 0. */
static ab_status poison(ed_detector *base)
{
    const cpu_detector *detector = (const cpu_detector *)base;
    for (int y = 0; y < detector->image.height; y++) memset(map_row(detector, y), 0xff, (size_t)detector->image.width);
    return ab_ok();
}

/* ---- Opening ---- */

static void close_detector(ab_work *work)
{
    cpu_detector *detector = (cpu_detector *)work;
    if (detector == NULL) return;
    ab_memory_free(&detector->memory);
    free(detector);
}

static const ab_work_methods work_methods = {
    .n_stages = ED_STAGES,
    .stage_names = {"upload", "detect", "download"},
    .run_stage = run_stage,
    .close = close_detector,
};

static const ed_methods detector_methods = {.read = read_map, .read_step = read_step, .poison = poison};

static ab_status allocate(cpu_detector *detector)
{
    const size_t height = (size_t)detector->image.height, width = (size_t)detector->image.width;
    const size_t threads = (size_t)detector->params.threads;
    ab_memory *memory = &detector->memory;
    detector->stride = (width + 2 * PAD + 15) / 16 * 16;
    detector->n_words = (width + WORD - 1) / WORD;
    const size_t words = (height + 2) * (detector->n_words + 2);
    detector->volume = ab_allocate(memory, height * detector->stride, sizeof(float));
    detector->intensity = ab_allocate(memory, height * detector->stride, sizeof(float));
    detector->edges = ab_allocate(memory, words, sizeof(uint32_t));
    for (int i = 0; i < 2; i++) detector->thinned[i] = ab_allocate(memory, words, sizeof(uint32_t));
    detector->map = ab_allocate(memory, height, detector->n_words * WORD);
    detector->scratch = ab_allocate(memory, threads * SCRATCH_ROWS * 4 * detector->stride, sizeof(float));
    return ab_memory_status(memory);
}

static ab_status open_detector(const ed_image *image, const ed_params *params, int threads, ed_detector **detector)
{
    AB_TRY(ed_check(image, params));
    cpu_detector *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return ab_failed("out of memory");
    opened->base = (ed_detector){.work = {.methods = &work_methods}, .methods = &detector_methods};
    opened->image = *image;
    opened->params = *params;
    opened->params.threads = opened->base.work.threads = threads < image->height ? threads : image->height;
    opened->taps = ce_gaussian(params->sigma);
    const ab_status status = allocate(opened);
    if (status.code == AB_OK)
        *detector = &opened->base;
    else
        close_detector(&opened->base.work);
    return status;
}

ab_status colour_edge_seq(const ed_image *image, const ed_params *params, ed_detector **detector)
{
    return open_detector(image, params, 1, detector);
}

ab_status colour_edge_omp(const ed_image *image, const ed_params *params, ed_detector **detector)
{
    return open_detector(image, params, params->threads > 0 ? params->threads : omp_get_num_procs(), detector);
}
