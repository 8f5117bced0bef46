/* edge-ants/seq and edge-ants/omp: edge detection by ants on the CPU (kernels/edge_ants/edge_ants.h), tuned.
 *
 * The weight of a pixel changes only when an ant deposits there. So it is kept, and raising to a power is done once per
 * deposit, not eight times per move. Evaporation multiplies all pixels alike, so it is postponed: the pheromone is held
 * as tau * scale with scale = (1 - rho)^-k. Deposits are scaled likewise, and the common factor cancels in the
 * roulette. The matrix is settled at the end of a run and before scale passes MAX_SCALE. A frame of pixels that weigh 0
 * around the image replaces tests for its border. An ant's memory is compared with all eight neighbours at once, by
 * vector.
 *
 * All ants move, then all deposit. Each thread moves a share of the ants, and sorts them by the band of pixels that
 * they have entered; there is one band per thread. Then it deposits in its own band for the ants there, in their order.
 * So the result does not depend on the number of threads.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/cpu_colony.h"
#include "baselines/lanes.h"
#include "kernels/edge_ants/edge_ants.h"
#include "kernels/philox.h"
#include "operations/edge_ants.h"

edge_ants_open edge_ants_seq, edge_ants_omp;

enum {
    BATCH = 16, /* ants whose random numbers are drawn together */
    AHEAD = 8   /* ants whose pixels are on their way from memory while one moves or deposits */
};
static const double MAX_SCALE = 4096.0;

typedef float lanes8 __attribute__((vector_size(32)));
typedef float lanes4 __attribute__((vector_size(16)));

/* Pixels are numbered with the frame: (row + 1) * stride + column + 1. */
typedef struct cpu_ants {
    ea_colony colony;      /* first: what the caller sees */
    ea_params params;      /* parameters as opened, with threads between 1 and n_ants */
    int width, height;     /* size of the image, in pixels */
    int stride;            /* width + 2: pixels from one row to the next */
    float *visibility;     /* [height + 2][stride] */
    float *heuristic;      /* [height + 2][stride]: visibility^beta, 0 in the frame */
    float *pheromone;      /* [height + 2][stride]: tau, during a run times a scale */
    float *weight;         /* [height + 2][stride]: pheromone^alpha * heuristic */
    int32_t *position;     /* [n_ants], pixels */
    int32_t *entered;      /* [n_ants]: the pixels of each thread's ants, by band, then by ant */
    int *band_ends;        /* [threads][band_stride]: where each band ends in `entered` */
    size_t band_stride;    /* threads, rounded up to cache lines */
    uint64_t bands_each;   /* bands per pixel, times 2^32 */
    int32_t *memory;       /* [n_ants][EA_MEMORY], pixels; -1 for none yet */
    lanes_int8 neighbours; /* pixels from an ant's to each neighbour's */
    uint64_t seed;         /* seed of this run */
    uint64_t runs;         /* PLACEs so far */
    int iteration;         /* since PLACE */
    ab_memory allocated;   /* all of the above */
} cpu_ants;

static size_t pixel_count(const cpu_ants *ants)
{
    return (size_t)(ants->height + 2) * (size_t)ants->stride;
}

/* The first index of share k of n things that are cut into `shares`; share k + 1 begins where it ends. */
static int share(int n, int k, int shares)
{
    return (int)((int64_t)n * k / shares);
}

/* ---- Random numbers ---- */

/* The uniforms of an ant that this operation uses. */
typedef struct draws {
    float spin[BATCH];   /* the first: the roulette */
    float row[BATCH];    /* the third and fourth: a placement or relocation */
    float column[BATCH]; /* likewise */
} draws;

INLINE void draw(uint64_t seed, int iteration, int first_ant, draws *drawn)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int i = 0; i < BATCH; i++) {
        const uint32_t counter[4] = {(uint32_t)iteration, 0, (uint32_t)(first_ant + i), 0};
        uint32_t bits[4];
        philox4x32_10(counter, key, bits);
        drawn->spin[i] = philox_uniform(bits[0]);
        drawn->row[i] = philox_uniform(bits[2]);
        drawn->column[i] = philox_uniform(bits[3]);
    }
}

INLINE int random_pixel(const cpu_ants *ants, float row, float column)
{
    return (ea_cell(row, ants->height) + 1) * ants->stride + ea_cell(column, ants->width) + 1;
}

/* ---- Move ---- */

INLINE void prefetch_weights(const cpu_ants *ants, int position)
{
    for (int i = -1; i <= 1; i++) __builtin_prefetch(ants->weight + position + i * ants->stride);
}

/* The weights of the eight neighbours, in their order. */
INLINE void load_weights(const cpu_ants *ants, int position, lanes8 *weight)
{
    const float *north = ants->weight + position - ants->stride - 1;
    lanes4 row[3];
    for (int i = 0; i < 3; i++) memcpy(&row[i], north + i * ants->stride, sizeof row[i]);
    const lanes4 first = __builtin_shufflevector(row[0], row[1], 0, 1, 2, 4);
    const lanes4 last = __builtin_shufflevector(row[1], row[2], 2, 4, 5, 6);
    *weight = __builtin_shufflevector(first, last, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Finds the neighbours that the ant's memory holds. There are two halves, so that one comparison need not wait for
 * the other. */
INLINE void find_visited(const int32_t *memory, const lanes_int8 *neighbour, lanes_int8 *visited)
{
    lanes_int8 odd = {0};
    *visited = (lanes_int8){0};
#pragma GCC unroll 16
    for (int i = 0; i < EA_MEMORY; i += 2) {
        *visited |= memory[i] == *neighbour;
        odd |= memory[i + 1] == *neighbour;
    }
    *visited |= odd;
}

/* The sums of ea_spin. */
INLINE void scan(lanes8 *v)
{
    const lanes8 zero = {0};
    *v += __builtin_shufflevector(zero, *v, 7, 8, 9, 10, 11, 12, 13, 14);
    *v += __builtin_shufflevector(zero, *v, 6, 7, 8, 9, 10, 11, 12, 13);
    *v += __builtin_shufflevector(zero, *v, 4, 5, 6, 7, 8, 9, 10, 11);
}

/* A bit for each lane that is set. */
INLINE unsigned bits_of(const lanes_int8 *set)
{
    const lanes_int8 bits = *set & (lanes_int8){1, 2, 4, 8, 16, 32, 64, 128};
    const lanes_int4 four =
        __builtin_shufflevector(bits, bits, 0, 1, 2, 3) | __builtin_shufflevector(bits, bits, 4, 5, 6, 7);
    const lanes_int4 two = four | __builtin_shufflevector(four, four, 2, 3, 0, 1);
    return (unsigned)(two[0] | two[1]);
}

/* The neighbour that the ant goes to, or -1 if all weigh 0. */
INLINE int choose(const cpu_ants *ants, int position, const int32_t *memory, float u)
{
    const lanes_int8 neighbour = position + ants->neighbours;
    lanes8 weight;
    lanes_int8 visited;
    load_weights(ants, position, &weight);
    find_visited(memory, &neighbour, &visited);
    weight = (lanes8)((lanes_int8)weight & ~visited);
    lanes8 sum = weight;
    scan(&sum);
    const lanes_int8 candidate = weight > 0.0f, hit = candidate & (sum >= u * sum[EA_NEIGHBOURS - 1]);
    const unsigned hits = bits_of(&hit), candidates = bits_of(&candidate);
    if (!candidates) return -1;
    return neighbour[hits ? __builtin_ctz(hits) : 31 - __builtin_clz(candidates)];
}

CPU_MULTIVERSION static void move_ants(const cpu_ants *ants, int iteration, int first, int end)
{
    draws drawn;
    for (int ant = first; ant < end; ant++) {
        const int i = (ant - first) % BATCH;
        if (i == 0) draw(ants->seed, iteration, ant, &drawn);
        int32_t *memory = ants->memory + (size_t)ant * EA_MEMORY;
        if (ant + AHEAD < end) prefetch_weights(ants, ants->position[ant + AHEAD]);
        int pixel = choose(ants, ants->position[ant], memory, drawn.spin[i]);
        if (pixel < 0) pixel = random_pixel(ants, drawn.row[i], drawn.column[i]);
        ants->position[ant] = pixel;
        memory[iteration % EA_MEMORY] = pixel;
    }
}

/* ---- Bands ---- */

INLINE int band_of(const cpu_ants *ants, int pixel)
{
    return (int)((uint64_t)pixel * ants->bands_each >> 32);
}

/* The first pixel of a band; for the one after the last, past the image. */
static int band_begin(const cpu_ants *ants, int band, int bands)
{
    if (band == bands) return (int)pixel_count(ants);
    return (int)((((uint64_t)band << 32) + ants->bands_each - 1) / ants->bands_each);
}

/* Sorts the pixels that a thread's ants have entered. */
static void sort_by_band(const cpu_ants *ants, int thread, int bands, int first, int end)
{
    int *place = ants->band_ends + (size_t)thread * ants->band_stride, before = first;
    if (bands == 1) {
        memcpy(ants->entered, ants->position, (size_t)end * sizeof *ants->entered);
        place[0] = end;
        return;
    }
    memset(place, 0, (size_t)bands * sizeof *place);
    for (int ant = first; ant < end; ant++) place[band_of(ants, ants->position[ant])]++;
    for (int band = 0; band < bands; band++) {
        const int count = place[band];
        place[band] = before;
        before += count;
    }
    for (int ant = first; ant < end; ant++) {
        const int pixel = ants->position[ant];
        ants->entered[place[band_of(ants, pixel)]++] = pixel;
    }
}

/* The end of a band in `entered`, for the ants of a thread; the next band begins there. */
INLINE int band_end(const cpu_ants *ants, int thread, int band)
{
    return ants->band_ends[(size_t)thread * ants->band_stride + (size_t)band];
}

INLINE int band_first(const cpu_ants *ants, int thread, int band, int threads)
{
    return band > 0 ? band_end(ants, thread, band - 1) : share(ants->params.n_ants, thread, threads);
}

/* ---- Update ---- */

INLINE void prefetch_pixel(const cpu_ants *ants, int pixel)
{
    __builtin_prefetch(ants->visibility + pixel);
    __builtin_prefetch(ants->heuristic + pixel);
    __builtin_prefetch(ants->pheromone + pixel);
    __builtin_prefetch(ants->weight + pixel);
}

/* One deposit, `scale` times the visibility. If that is too low it adds 0, which is cheaper than an unpredictable
 * branch. */
INLINE void deposit(const cpu_ants *ants, float scale, int pixel)
{
    const float visibility = ants->visibility[pixel];
    ants->pheromone[pixel] += visibility >= (float)ants->params.min_visibility ? scale * visibility : 0.0f;
    ants->weight[pixel] = ea_power(ants->pheromone[pixel], (float)ants->params.alpha) * ants->heuristic[pixel];
}

INLINE int min_of(int a, int b)
{
    return a < b ? a : b;
}

/* The deposits in a band, of one thread's ants after another's. While the deposits of one ant are made, the first of
 * the next are on their way from memory. */
CPU_MULTIVERSION static void deposit_band(const cpu_ants *ants, float scale, int band, int threads)
{
    const int32_t *entered = ants->entered;
    for (int thread = 0; thread < threads; thread++) {
        const int first = band_first(ants, thread, band, threads), end = band_end(ants, thread, band);
        const int next = thread + 1 < threads ? band_first(ants, thread + 1, band, threads) : end;
        const int next_end = thread + 1 < threads ? min_of(band_end(ants, thread + 1, band), next + AHEAD) : next;
        for (int k = next; k < next_end; k++) prefetch_pixel(ants, entered[k]);
        for (int k = first; k < end; k++) {
            if (k + AHEAD < end) prefetch_pixel(ants, entered[k + AHEAD]);
            deposit(ants, scale, entered[k]);
        }
    }
}

/* Multiplies the pheromone of the pixels first .. end - 1 and weighs them. */
CPU_MULTIVERSION static void settle(const cpu_ants *ants, float factor, int first, int end)
{
    float *restrict pheromone = ants->pheromone, *restrict weight = ants->weight;
    const float *restrict heuristic = ants->heuristic;
    const float alpha = (float)ants->params.alpha;
    if (alpha == 2.5f) /* the same, vectorised */
        for (int i = first; i < end; i++) {
            pheromone[i] *= factor;
            weight[i] = ea_power(pheromone[i], 2.5f) * heuristic[i];
        }
    else
        for (int i = first; i < end; i++) {
            pheromone[i] *= factor;
            weight[i] = ea_power(pheromone[i], alpha) * heuristic[i];
        }
}

/* ---- A run ---- */

/* What one thread of `threads` does in a run; the others do it too. Each keeps its own count of iterations and scale,
 * which are the same in all. */
static void run_share(cpu_ants *ants, int thread, int threads)
{
    const int first_ant = share(ants->params.n_ants, thread, threads),
              end_ant = share(ants->params.n_ants, thread + 1, threads);
    const int first = band_begin(ants, thread, threads), end = band_begin(ants, thread + 1, threads);
    const double keep = 1.0 - ants->params.rho;
    double scale = 1.0; /* the pheromone is held as tau * scale */
    for (int i = 1; i <= ants->params.iterations; i++) {
        move_ants(ants, ants->iteration + i, first_ant, end_ant);
        sort_by_band(ants, thread, threads, first_ant, end_ant);
#pragma omp barrier
        if (scale > MAX_SCALE * keep) {
            settle(ants, (float)(keep / scale), first, end);
            scale = 1.0;
        } else {
            scale /= keep;
        }
        deposit_band(ants, (float)scale, thread, threads);
#pragma omp barrier
    }
    settle(ants, (float)(1.0 / scale), first, end);
}

static void run(cpu_ants *ants)
{
#pragma omp parallel num_threads(ants->params.threads)
    {
#pragma omp single
        ants->bands_each = ((uint64_t)omp_get_num_threads() << 32) / pixel_count(ants);
        run_share(ants, omp_get_thread_num(), omp_get_num_threads());
    }
    ants->iteration += ants->params.iterations;
}

static void place(cpu_ants *ants)
{
    draws drawn;
    const size_t pixels = pixel_count(ants);
    ants->seed = ants->params.seed + ants->runs++;
    ants->iteration = 0;
    for (size_t i = 0; i < pixels; i++) ants->pheromone[i] = (float)ants->params.initial;
    settle(ants, 1.0f, 0, (int)pixels);
    memset(ants->memory, 0xff, (size_t)ants->params.n_ants * EA_MEMORY * sizeof *ants->memory);
    for (int ant = 0; ant < ants->params.n_ants; ant++) {
        if (ant % BATCH == 0) draw(ants->seed, 0, ant, &drawn);
        ants->position[ant] = random_pixel(ants, drawn.row[ant % BATCH], drawn.column[ant % BATCH]);
        ants->memory[(size_t)ant * EA_MEMORY] = ants->position[ant];
    }
}

/* ---- The colony ---- */

static ab_status check_placed(const cpu_ants *ants)
{
    return ants->runs > 0 ? ab_ok() : ab_failed("the ants have not been placed");
}

static ab_status run_stage(ab_work *work, int stage)
{
    cpu_ants *ants = (cpu_ants *)work;
    if (stage == EA_PLACE) {
        place(ants);
        return ab_ok();
    }
    AB_TRY(check_placed(ants));
    run(ants);
    return ab_ok();
}

/* Between pixels with and without the frame. */
static int32_t without_frame(const cpu_ants *ants, int32_t pixel)
{
    return pixel < 0 ? -1 : (pixel / ants->stride - 1) * ants->width + pixel % ants->stride - 1;
}

static int32_t with_frame(const cpu_ants *ants, int32_t pixel)
{
    return (pixel / ants->width + 1) * ants->stride + pixel % ants->width + 1;
}

/* The inner part of row `row` of an image with frame. */
static float *row_of(const cpu_ants *ants, float *image, int row)
{
    return image + (size_t)(row + 1) * (size_t)ants->stride + 1;
}

static ab_status read_ants(ea_colony *colony, ea_result *result)
{
    const cpu_ants *ants = (const cpu_ants *)colony;
    const size_t n_ants = (size_t)ants->params.n_ants, width = (size_t)ants->width;
    AB_TRY(check_placed(ants));
    result->iteration = ants->iteration;
    for (int row = 0; result->pheromone && row < ants->height; row++)
        memcpy(result->pheromone + (size_t)row * width, row_of(ants, ants->pheromone, row), width * sizeof(float));
    for (size_t i = 0; result->position && i < n_ants; i++)
        result->position[i] = without_frame(ants, ants->position[i]);
    for (size_t i = 0; result->memory && i < n_ants * EA_MEMORY; i++)
        result->memory[i] = without_frame(ants, ants->memory[i]);
    return ab_ok();
}

static ab_status write_ants(ea_colony *colony, const float *pheromone, const int32_t *position)
{
    cpu_ants *ants = (cpu_ants *)colony;
    const size_t n_ants = (size_t)ants->params.n_ants, width = (size_t)ants->width;
    AB_TRY(check_placed(ants));
    for (int row = 0; pheromone && row < ants->height; row++)
        memcpy(row_of(ants, ants->pheromone, row), pheromone + (size_t)row * width, width * sizeof(float));
    settle(ants, 1.0f, 0, (int)pixel_count(ants));
    if (!position) return ab_ok();
    memset(ants->memory, 0xff, n_ants * EA_MEMORY * sizeof *ants->memory);
    for (size_t i = 0; i < n_ants; i++) {
        ants->position[i] = with_frame(ants, position[i]);
        ants->memory[i * EA_MEMORY + (size_t)(ants->iteration % EA_MEMORY)] = ants->position[i];
    }
    return ab_ok();
}

static void close_ants(ab_work *work)
{
    if (work == NULL) return;
    ab_memory_free(&((cpu_ants *)work)->allocated);
    free(work);
}

static const ab_work_methods work_methods = {EA_STAGES, {"place", "run"}, run_stage, close_ants};
static const ea_methods colony_methods = {read_ants, write_ants};

/* Puts the frame around what the problem says of the pixels. */
static ab_status frame_problem(cpu_ants *ants, const ea_problem *problem)
{
    const size_t width = (size_t)ants->width;
    float *heuristic = malloc(width * (size_t)ants->height * sizeof *heuristic);
    if (heuristic == NULL) return ab_failed("out of memory");
    ea_heuristic(problem, ants->params.beta, heuristic);
    for (int row = 0; row < ants->height; row++) {
        const size_t start = (size_t)row * width;
        memcpy(row_of(ants, ants->visibility, row), problem->visibility + start, width * sizeof(float));
        memcpy(row_of(ants, ants->heuristic, row), heuristic + start, width * sizeof(float));
    }
    free(heuristic);
    return ab_ok();
}

static ab_status initialise(cpu_ants *ants, const ea_problem *problem)
{
    const int s = ants->stride;
    const size_t pixels = pixel_count(ants) + 1; /* loads of four weights read one past the last */
    const size_t n_ants = (size_t)ants->params.n_ants;
    ants->neighbours = (lanes_int8){-s - 1, -s, -s + 1, -1, 1, s - 1, s, s + 1};
    ants->visibility = ab_allocate(&ants->allocated, pixels, sizeof(float));
    ants->heuristic = ab_allocate(&ants->allocated, pixels, sizeof(float));
    ants->pheromone = ab_allocate(&ants->allocated, pixels, sizeof(float));
    ants->weight = ab_allocate(&ants->allocated, pixels, sizeof(float));
    ants->position = ab_allocate(&ants->allocated, n_ants, sizeof *ants->position);
    ants->entered = ab_allocate(&ants->allocated, n_ants, sizeof *ants->entered);
    ants->band_stride = ((size_t)ants->params.threads + 31) / 32 * 32;
    ants->band_ends = ab_allocate(&ants->allocated, (size_t)ants->params.threads * ants->band_stride, sizeof(int));
    ants->memory = ab_allocate(&ants->allocated, n_ants * EA_MEMORY, sizeof *ants->memory);
    AB_TRY(ab_memory_status(&ants->allocated));
    return frame_problem(ants, problem);
}

static int resolve_threads(int threads, int n_ants)
{
    const int wanted = threads > 0 ? threads : omp_get_num_procs();
    return wanted < n_ants ? wanted : n_ants;
}

static ab_status open_ants(const ea_problem *problem, const ea_params *params, int threads, ea_colony **colony)
{
    AB_TRY(ea_check(problem, params));
    if (((int64_t)problem->width + 2) * ((int64_t)problem->height + 2) >= INT32_MAX)
        return ab_unsupported("needs fewer than 2^31 pixels with a frame of one around the image");
    cpu_ants *ants = aligned_alloc(_Alignof(cpu_ants), sizeof *ants);
    if (ants == NULL) return ab_failed("out of memory");
    *ants = (cpu_ants){
        .colony = {{.methods = &work_methods}, &colony_methods},
        .params = *params,
        .width = problem->width,
        .height = problem->height,
        .stride = problem->width + 2,
    };
    ants->params.threads = ants->colony.work.threads = resolve_threads(threads, params->n_ants);
    const ab_status status = initialise(ants, problem);
    if (status.code == AB_OK)
        *colony = &ants->colony;
    else
        close_ants(&ants->colony.work);
    return status;
}

ab_status edge_ants_seq(const ea_problem *problem, const ea_params *params, ea_colony **colony)
{
    return open_ants(problem, params, 1, colony);
}

ab_status edge_ants_omp(const ea_problem *problem, const ea_params *params, ea_colony **colony)
{
    return open_ants(problem, params, params->threads, colony);
}
