/* Operation "edge-ants": edge detection by ants that walk a grey image (thesis ch. 5, after Nezamabadi-pour, Saryazdi
 * & Rashedi, "Edge detection using ant algorithms", Soft Computing 10, 2006).
 *
 * The ladder, what each rung adds, and how to run it (ids without "edge-ants/"; `antbench` is build/bin/antbench):
 *   seq      one core; evaporation folded into the deposits, neighbours and memory by SIMD
 *                antbench 5.1 --implementations edge-ants/seq
 *   omp      all cores: ants, then bands of the image
 *                antbench 5.1 --implementations edge-ants/omp
 *   thread   the GPU: a thread per ant
 *                antbench 5.1 --implementations edge-ants/thread
 *   block    a block per ant: a thread for each entry of the memory and each neighbour, side by side
 *                antbench 5.1 --implementations edge-ants/block
 *   warp     a warp per ant: the same without a barrier and without idle warps
 *                antbench 5.1 --implementations edge-ants/warp
 *   search   a warp per ant: 8 lanes look through all of the memory
 *                antbench 5.1 --implementations edge-ants/search
 *   warp-apart  warp with deposits in a kernel of their own, so that updates can be timed alone
 *                antbench 5.1 --implementations edge-ants/warp-apart
 *   warp-all-lanes  warp whose other 24 lanes weigh neighbours too, and do not idle
 *                antbench 5.4 --implementations edge-ants/warp-all-lanes
 *   octet    eight lanes per ant, none of which idles in the roulette; no pass of evaporation between the moves
 *                antbench 5.1 --implementations edge-ants/octet
 *   resident the ants stay in shared memory from first to last: a run is one launch, with a barrier of all blocks
 *                antbench 5.1 --implementations edge-ants/resident
 *
 * The work has two stages. PLACE gives every pixel the initial pheromone and every ant a random pixel. RUN makes
 * params.iterations iterations, each of which moves every ant once and then updates the pheromone:
 *
 *   move      An ant at a pixel looks at its 8 neighbours inside the image. One that stands in the ant's memory (its
 *             last 32 positions, where it stands included) weighs 0, any other tau^alpha * eta^beta (eq. 5.1), tau as
 *             the previous iteration left it. It goes to a neighbour with probability proportional to the weights;
 *             where all weigh 0 it is relocated to a random pixel of the image (which may be any, also one in its
 *             memory).
 *   update    tau <- (1 - rho) tau for every pixel (eq. 5.3); then every ant adds the visibility of the pixel that it
 *             has entered, by a move or a relocation, if that is at least params.min_visibility (eq. 5.4).
 *
 * The visibility eta (eq. 5.2) is ea_visibility. A run is one sample of Table 5.1: 50 iterations of 3000 ants.
 *
 * The roulette: neighbours are taken row by row, from the upper left to the lower right; one outside of the image
 * weighs 0. Their weights are summed up to each of them. The first neighbour wins whose weight is not 0 and whose sum
 * reaches the first random number times the total (ea_spin, which defines the order of rounding).
 *
 * Random numbers are the same in every implementation, so that one seed gives one walk up to rounding. They are
 * Philox4x32-10 with key = seed of the run and subsequence = ant: four uniforms in (0, 1] at offset 4 * iteration.
 * Iteration 0 is the placement. The first uniform spins the roulette; the third and fourth are the row and the column
 * of a placement or relocation (ea_cell). Run r after opening (r = 0, 1, ...: one for each PLACE) has the seed
 * params.seed + r.
 */
#ifndef ANTBENCH_EDGE_ANTS_H
#define ANTBENCH_EDGE_ANTS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/parameter.h"
#include "kernels/implementation.h"

/* What kernels and the CPU share. */
#ifdef __CUDACC__
#define EA_BOTH static inline __host__ __device__
#else
#define EA_BOTH static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { EA_MEMORY = 32, EA_NEIGHBOURS = 8, EA_MAX_PIXELS = 1 << 30, EA_MAX_ANTS = 1 << 25 };

typedef struct ea_problem {
    int width, height;       /* pixels, >= 1 each, width * height <= EA_MAX_PIXELS */
    const uint8_t *grey;     /* [height][width] */
    const float *visibility; /* [height][width]: eta (ea_visibility), in 0 .. 1 */
} ea_problem;

/* Traits of implementations. */
enum {
    EA_THREAD_EACH = 1 << 6, /* "thread-each": a thread works on each ant by itself; the usual is a warp */
    EA_BLOCK_EACH = 1 << 7   /* "block-each": a block of threads works on each ant */
};

typedef struct ea_params {
    int n_ants;            /* 1 .. EA_MAX_ANTS */
    int iterations;        /* iterations per run, >= 1 */
    double alpha;          /* exponent of the pheromone; 2.5 needs no pow() */
    double beta;           /* exponent of the visibility */
    double rho;            /* evaporation rate, 0 <= rho <= 1 */
    double initial;        /* pheromone of every pixel at first, > 0 */
    double min_visibility; /* an ant deposits only where the visibility is at least this; 0: everywhere */
    uint64_t seed;         /* seed of the first run */
    int threads;           /* CPU implementations with threads: how many, 0 for all cores; others ignore it */
    int block_threads;     /* GPU: threads per block, a multiple of 32, 32 .. 1024 */
    bool cache_memory;     /* GPU: ants' memory is copied to shared memory before it is searched (Fig. 5.7) */
    int part;              /* ea_part: warp-apart's RUN; others refuse all but EA_ALL */
    int matrices;          /* resident: of pheromone, 1 or 2; 0: as the image's size suggests */
    int n_ants_512;        /* number of ants on 512 x 512 pixels if n_ants is 0, in proportion elsewhere */
    int map_runs;          /* runs of different seeds whose mean pheromone is a map; no implementation reads it */
    int threshold;         /* ea_threshold, above which a map has an edge; likewise */
} ea_params;

/* What a RUN makes of each of its iterations: all of it, or only the update of the pheromone. */
typedef enum ea_part { EA_ALL, EA_UPDATE } ea_part;

/* The threshold of a map: the mean of its pheromone, or of the image's intensity over 255. The thesis has "mean
 * image intensity" (§5.5.2), but thresholds the pheromone. */
typedef enum ea_threshold { EA_MEAN_PHEROMONE, EA_MEAN_INTENSITY } ea_threshold;

/* Their table: names, ranges, defaults. Where it has 0 for them, n_ants follows from n_ants_512 and iterations from the
 * effort. */
extern const ab_parameter ea_parameters[];

/* The thesis's parameters (§5.5.2): alpha 2.5, beta 2, rho 0.04, initial 0.0001, 50 iterations. It has 3000 ants on
 * 512 x 512, and a number in proportion to the pixels elsewhere (at least 1). Seed 1, threads 1, block_threads 128,
 * cached. */
ea_params ea_default_params(int width, int height);

/* AB_OK, or AB_BAD_INPUT naming the parameter that is out of range, or AB_UNSUPPORTED for a size. */
ab_status ea_check(const ea_problem *problem, const ea_params *params);

/* Eq. 5.2 into visibility[height][width]: the largest of the four absolute differences between opposite neighbours,
 * over the largest intensity of the image; pixels outside have the value of the nearest inside. All 0 for a black
 * image. */
void ea_visibility(int width, int height, const uint8_t *grey, float *visibility);

/* visibility^beta for every pixel into heuristic[height][width]. */
void ea_heuristic(const ea_problem *problem, double beta, float *heuristic);

/* tau^alpha, without powf() for the alpha of the thesis. */
EA_BOTH float ea_power(float tau, float alpha)
{
    return alpha == 2.5f ? tau * tau * sqrtf(tau) : powf(tau, alpha);
}

/* Neighbour `which` (0 .. 7) of a pixel, as row * width + column; -1 outside of the image. */
EA_BOTH int ea_neighbour(int position, int which, int width, int height)
{
    const int place = which < 4 ? which : which + 1; /* in the 3 x 3 pixels around `position`, itself place 4 */
    const int row = position / width + place / 3 - 1, column = position % width + place % 3 - 1;
    return row < 0 || row >= height || column < 0 || column >= width ? -1 : row * width + column;
}

/* Bit `place` (which + (which >= 4), as above) is set if that neighbour of `position` has the index `entry`. Three
 * comparisons do all eight neighbours. Places outside of the image, whose index is another pixel's, may be set too. */
EA_BOTH unsigned ea_places(int position, int entry, int width)
{
    const unsigned row = (unsigned)width, first = (unsigned)entry - (unsigned)position + row + 1;
    unsigned places = 0;
    if (first < 3) places |= 1u << first;
    if (first - row < 3) places |= 8u << (first - row);
    if (first - 2 * row < 3) places |= 64u << (first - 2 * row);
    return places;
}

/* Whether neighbour `which` is among the places. */
EA_BOTH bool ea_among(unsigned places, int which)
{
    return places >> (which < 4 ? which : which + 1) & 1;
}

/* The roulette over the weights of the 8 neighbours: the winner for the random number u, or -1 if all weigh 0. Sums
 * are rounded in the order of Hillis & Steele's scan, because eight lanes of a warp compute them so. Rounding can
 * leave u times the total above all of them; then the last one of non-zero weight wins. */
EA_BOTH int ea_spin(const float weight[EA_NEIGHBOURS], float u)
{
    float sum[EA_NEIGHBOURS];
    int winner = -1;
    for (int i = 0; i < EA_NEIGHBOURS; i++) sum[i] = weight[i];
    for (int offset = 1; offset < EA_NEIGHBOURS; offset *= 2)
        for (int i = EA_NEIGHBOURS - 1; i >= offset; i--) sum[i] += sum[i - offset];
    for (int i = 0; i < EA_NEIGHBOURS; i++) {
        if (!(weight[i] > 0.0f)) continue;
        winner = i;
        if (sum[i] >= u * sum[EA_NEIGHBOURS - 1]) break;
    }
    return winner;
}

/* The row or column (0 .. n - 1) that a uniform in (0, 1] means. */
EA_BOTH int ea_cell(float uniform, int n)
{
    const int cell = (int)(uniform * (float)n);
    return cell < n ? cell : n - 1;
}

/* Copied out of a colony by methods->read. The caller owns the arrays; any of them may be NULL. */
typedef struct ea_result {
    float *pheromone;  /* [height][width] as the last update left it */
    int32_t *position; /* [n_ants]: row * width + column */
    int32_t *memory;   /* [n_ants][EA_MEMORY]: positions, -1 for none yet; iteration t stands in slot t % EA_MEMORY */
    int iteration;     /* iterations since PLACE */
} ea_result;

typedef struct ea_colony ea_colony;

typedef struct ea_methods {
    ab_status (*read)(ea_colony *colony, ea_result *result); /* after PLACE; waits for the GPU */
    /* For tests, after PLACE: positions [n_ants] (each the only entry of its ant's memory), pheromone [height][width];
     * either may be NULL and is then left as it is. */
    ab_status (*write)(ea_colony *colony, const float *pheromone, const int32_t *position);
} ea_methods;

/* The stages of a colony's work: RUN goes on from where the last one ended, and is AB_FAILED before the first PLACE. */
enum { EA_PLACE, EA_RUN, EA_STAGES };

struct ea_colony {
    ab_work work; /* first: a colony is work that the harness can time */
    const ea_methods *methods;
};

#ifdef __cplusplus
}
#endif
#endif
