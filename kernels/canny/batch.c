/* canny/batch and canny/cpu-batch: a folder of pictures, divided over ranks of MPI, a GPU or a core each (batch.h).
 *
 * Rank r of R has pictures P r / R .. P (r + 1) / R - 1 of P, and for each a detector of one picture as it is. They
 * begin in the host's memory and end there: on a GPU a sample is the upload, detection and download of one picture of
 * the share after another, in one stream. It begins with rank 0's order and ends when rank 0 knows that all are done;
 * nothing else is sent in it. Maps are gathered when they are read, outside of it.
 *
 * The pictures are the image, shifted round by k / P of its width: each has its edges elsewhere, so that no map can
 * stand for another, and all take about as long. A folder of photographs is less even: its slowest share counts.
 *
 * The limit, computed before it was measured: ceil(P / R) times a picture's, and 5 us for the order (docs/scaling.md).
 * Memory: pictures and maps of a share on the host, page-locked for a GPU, and detectors for all of them on the device,
 * 7 bytes a pixel. Decoding files is no part of it. Source: this project.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/canny/batch.h"
#include "kernels/ranks.h"
#include "kernels/workers.h"
#include "operations/canny.h"

canny_open canny_cpu_batch;

typedef enum order_kind { OPEN, BATCH, READ, POISON, CLOSE } order_kind;

/* What rank 0 sends. */
typedef struct order {
    order_kind kind;
    /* OPEN: */
    char part[32];
    ab_backend backend;
    ed_params params;
    int width, height;
} order;

/* What a rank has. */
typedef struct share {
    order opened;
    int first, count;        /* pictures */
    uint8_t *image;          /* [height][width]: what they are made of */
    uint8_t *pictures;       /* [count][height][width] */
    ed_detector **detectors; /* [count]; NULL where it is not open */
} share;

typedef struct batch {
    ed_detector detector; /* first: rank 0's */
    share mine;
} batch;

void canny_batch_picture(const ed_image *image, int pictures, int k, uint8_t *grey)
{
    const size_t width = (size_t)image->width, shift = width * (size_t)k / (size_t)pictures;
    for (size_t row = 0; row < width * (size_t)image->height; row += width) {
        memcpy(grey + row + shift, image->grey + row, width - shift);
        memcpy(grey + row, image->grey + row + width - shift, shift);
    }
}

/* ---- What every rank does ---- */

static int first_of(const ed_params *params, int rank)
{
    return (int)((int64_t)params->pictures * rank / params->ranks);
}

static int count_of(const ed_params *params, int rank)
{
    return first_of(params, rank + 1) - first_of(params, rank);
}

static size_t pixels_of(const share *s)
{
    return (size_t)s->opened.width * (size_t)s->opened.height;
}

/* The image as rank 0 has it; `grey` is NULL on the others. */
static ab_status get_image(share *s, const uint8_t *grey)
{
    s->image = malloc(pixels_of(s));
    AB_TRY(ranks_join(s->image ? ab_ok() : ab_failed("out of memory for an image")));
    if (grey) memcpy(s->image, grey, pixels_of(s));
    ranks_broadcast(s->image, pixels_of(s), 0);
    return ab_ok();
}

static ab_status open_detector(const share *s, const ab_implementation *part, int i)
{
    const order *o = &s->opened;
    const ed_image whole = {.width = o->width, .height = o->height, .grey = s->image};
    ed_image picture = whole;
    ed_params params = o->params;
    uint8_t *grey = s->pictures + (size_t)i * pixels_of(s);
    ab_work *work = NULL;
    canny_batch_picture(&whole, params.pictures, s->first + i, grey);
    picture.grey = grey;
    params.pictures = params.ranks = 1;
    AB_TRY(part->open(&picture, &params, &work));
    s->detectors[i] = (ed_detector *)work;
    return ab_ok();
}

static ab_status open_detectors(share *s, ab_status gpu)
{
    const ab_implementation *part = ab_find_implementation(s->opened.part, s->opened.backend);
    if (s->opened.backend == AB_CUDA) AB_TRY(gpu);
    if (!part) return ab_failed("there is no %s here", s->opened.part);
    s->pictures = malloc((size_t)s->count * pixels_of(s));
    s->detectors = calloc((size_t)s->count, sizeof(ed_detector *));
    if (!s->pictures || !s->detectors) return ab_failed("out of memory for %d pictures", s->count);
    for (int i = 0; i < s->count; i++) AB_TRY(open_detector(s, part, i));
    return ab_ok();
}

static void close_share(share *s)
{
    for (int i = 0; s->detectors && i < s->count; i++)
        if (s->detectors[i]) s->detectors[i]->work.methods->close(&s->detectors[i]->work);
    free(s->detectors);
    free(s->pictures);
    free(s->image);
    *s = (share){.detectors = NULL};
}

/* By all ranks; nothing is left of it where that fails on any. */
static ab_status open_share(const order *o, const uint8_t *grey, ab_status gpu, share *s)
{
    const int rank = ranks_mine();
    *s = (share){.opened = *o, .first = first_of(&o->params, rank), .count = count_of(&o->params, rank)};
    ranks_group(o->params.ranks);
    ab_status status = get_image(s, grey);
    if (status.code == AB_OK) status = ranks_join(open_detectors(s, gpu));
    if (status.code != AB_OK) close_share(s);
    return status;
}

static ab_status find_edges(const share *s)
{
    ed_detector *last = s->detectors[s->count - 1];
    for (int i = 0; i < s->count; i++) AB_TRY(ab_iterate(&s->detectors[i]->work));
    return last->methods->wait ? last->methods->wait(last) : ab_ok(); /* for all: they have one stream */
}

static ab_status poison_maps(const share *s)
{
    for (int i = 0; i < s->count; i++) AB_TRY(s->detectors[i]->methods->poison(s->detectors[i]));
    return ab_ok();
}

/* Into all[pictures][height][width] of rank 0, which is NULL on the others. */
static ab_status read_maps(const share *s, uint8_t *all)
{
    const ed_params *params = &s->opened.params;
    ab_memory memory = {0};
    int *counts = ab_allocate(&memory, (size_t)params->ranks, sizeof *counts);
    uint8_t *maps = all ? all : ab_allocate(&memory, (size_t)s->count, pixels_of(s));
    ab_status status = ab_memory_status(&memory);
    for (int i = 0; i < s->count && status.code == AB_OK; i++)
        status = s->detectors[i]->methods->read(s->detectors[i], maps + (size_t)i * pixels_of(s));
    status = ranks_join(status);
    if (status.code == AB_OK) {
        for (int rank = 0; rank < params->ranks; rank++) counts[rank] = count_of(params, rank);
        ranks_gather(maps, all, counts, pixels_of(s));
    }
    ab_memory_free(&memory);
    return status;
}

/* What an order to an open batch comes to on each rank, rank 0 included, where `all` is what is read into. */
static ab_status obey(const share *s, order_kind kind, uint8_t *all)
{
    ranks_group(s->opened.params.ranks);
    switch (kind) {
    case BATCH:
        return ranks_join(find_edges(s));
    case POISON:
        return ranks_join(poison_maps(s));
    case READ:
        return read_maps(s, all);
    default:
        return ab_ok();
    }
}

/* ---- Ranks after the first ---- */

void canny_batch_serve(ab_status gpu)
{
    share s;
    order o;
    ranks_await(&o, sizeof o);
    for (ab_status status = open_share(&o, NULL, gpu, &s); status.code == AB_OK;) {
        ranks_await(&o, sizeof o);
        if (o.kind == CLOSE) break;
        (void)obey(&s, o.kind, NULL); /* rank 0 knows; it will close */
    }
    close_share(&s);
}

/* ---- Rank 0 ---- */

static ab_status command(ed_detector *detector, order_kind kind, uint8_t *all)
{
    const share *s = &((const batch *)detector)->mine;
    const order o = {.kind = kind};
    ranks_order(&o, sizeof o, s->opened.params.ranks);
    return obey(s, kind, all);
}

static ab_status run_stage(ab_work *work, int stage)
{
    (void)stage;
    return command((ed_detector *)work, BATCH, NULL);
}

static ab_status read_all(ed_detector *detector, uint8_t *edges)
{
    return command(detector, READ, edges);
}

static ab_status poison(ed_detector *detector)
{
    return command(detector, POISON, NULL);
}

static ab_status read_step(ed_detector *detector, int step, float *values)
{
    (void)detector, (void)step, (void)values;
    return ab_unsupported("a batch keeps no steps");
}

static void close_batch(ab_work *work)
{
    batch *b = (batch *)work;
    if (!b) return;
    (void)command(&b->detector, CLOSE, NULL);
    close_share(&b->mine);
    free(b);
    workers_release();
}

static const ab_work_methods work_methods = {
    .n_stages = 1, .stage_names = {"batch"}, .run_stage = run_stage, .close = close_batch};
static const ed_methods methods = {.read = read_all, .read_step = read_step, .poison = poison};

static ab_status check(const ed_image *image, const ed_params *params)
{
    AB_TRY(ed_check(image, params));
    if (params->pictures < 1 || params->ranks < 1)
        return ab_bad_input("pictures and ranks must be at least 1, they are %d and %d", params->pictures,
                            params->ranks);
    AB_TRY(ranks_check(params->ranks));
    if (params->pictures >= params->ranks) return ab_ok();
    return ab_unsupported("needs a picture for each of %d ranks, not %d", params->ranks, params->pictures);
}

ab_status canny_batch_open(const char *part, ab_backend backend, const ed_image *image, const ed_params *params,
                           ed_detector **detector)
{
    order o = {.kind = OPEN, .backend = backend, .params = *params, .width = image->width, .height = image->height};
    snprintf(o.part, sizeof o.part, "%s", part);
    AB_TRY(check(image, params));
    batch *b = calloc(1, sizeof *b);
    if (!b) return ab_failed("out of memory");
    b->detector = (ed_detector){.work = {&work_methods}, .methods = &methods};
    ab_status status = workers_call("canny", params->ranks);
    if (status.code == AB_OK) {
        ranks_order(&o, sizeof o, params->ranks);
        status = open_share(&o, image->grey, ab_ok(), &b->mine);
        if (status.code != AB_OK) workers_release();
    }
    if (status.code == AB_OK)
        *detector = &b->detector;
    else
        free(b);
    return status;
}

ab_status canny_cpu_batch(const ed_image *image, const ed_params *params, ed_detector **detector)
{
    return canny_batch_open("canny/opencv", AB_CPU, image, params, detector);
}
