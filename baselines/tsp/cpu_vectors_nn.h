/* What the files of tsp/cpu-vectors-nn share: the colony (cpu_vectors_nn.c) and the walk of its ants (cpu_vectors_nn_walk.c),
 * which is compiled three times. */
#ifndef ANTBENCH_CPU_VECTORS_NN_H
#define ANTBENCH_CPU_VECTORS_NN_H

#include "baselines/lanes.h"
#include "baselines/neighbourhoods.h"
#include "baselines/trails.h"

enum {
    MAX_CANDIDATES = 64,                  /* per city */
    MAX_VECTORS = MAX_CANDIDATES / LANES, /* per candidate set */
    WORD = 64,                            /* cities of a word of flags */
    FEW_WORDS = 4,                        /* number of words that holds most sets */
    SIDE_BY_SIDE = 16                     /* ants that a thread advances in turns */
};

/* The candidates of a city that lie in one word. */
typedef struct set_word {
    uint64_t cities; /* a bit for each */
    uint32_t index;  /* number of the word */
    uint16_t shift;  /* number of candidates in the words before */
    uint16_t more;   /* in a row's first word: number of its words that are not in the row (cpu_vectors_nn_colony) */
} set_word;

/* The candidate set of a city, in order of places: what a step reads. After its end there are the city itself, and
 * zeros. */
typedef struct set_row {
    set_word words[FEW_WORDS];
    lanes weights[]; /* [n_vectors]: pheromone^alpha * eta^beta, refreshed in every choice stage; then the distances,
                      * int32_t[n_vectors][LANES], and the places, uint16_t[n_vectors][LANES] */
} set_row;

/* An ant under way. */
typedef struct ant_state {
    lanes sums[MAX_VECTORS];   /* partial sums of the candidates' weights, vector by vector, */
    lanes along;               /* ... and the partial sums along the last of them */
    uint64_t random;           /* state of SplitMix64 */
    uint64_t *left;            /* a bit for each unvisited city, by place */
    size_t at;                 /* place */
    size_t step;               /* cities in the tour */
    int64_t length;            /* of the tour so far, but for an edge on its way from memory: */
    const int32_t *edge;       /* ... the distance that it went last without its set */
    int32_t *tour;             /* [n + 1] */
    int64_t zero_weight_steps; /* number of such steps in this tour */
    float *bounds;             /* [n_bounds]: where it looks for the best city; 0 for blocks that it need not look at */
    size_t block;              /* ... the block it looks at next */
    float best_weight;         /* ... and of what it has seen there, */
    uint32_t best_place;       /* ... the best city */
} __attribute__((aligned(64))) ant_state;

/* Scratch of a thread. */
typedef struct worker {
    ant_state *ants; /* [SIDE_BY_SIDE] */
    bool *visited;   /* [n]: of the all-zero rule, by city */
} worker;

typedef struct cpu_vectors_nn_colony cpu_vectors_nn_colony;

/* Brings ants that have their first city to the end of their tours. */
typedef void cpu_vectors_nn_walker(const cpu_vectors_nn_colony *colony, const worker *at_hand, int count);

struct cpu_vectors_nn_colony {
    union {
        cpu_colony common; /* first */
        trails trails;     /* rows are a multiple of LANES long, in the order of places */
    };
    size_t n_vectors;            /* per candidate set: 2 or 4 */
    size_t n_more;               /* words per candidate set that are not in its row, at most */
    size_t n_bounds;             /* number of blocks in a row, rounded up to a multiple of LANES; the bounds beyond the
                               * last block are 0 */
    char *rows;                  /* [n]: set_row, of cpu_vectors_nn_row_size */
    set_word *more_words;        /* [n][n_more] */
    float *largest;              /* [n][n_bounds]: the largest choice_info in the block outside of the set */
    worker *workers;             /* [threads] */
    cpu_vectors_nn_walker *walk; /* the fastest that this processor has */
};

/* The latter two need AVX2 with BMI2, and AVX-512; the same tours. */
cpu_vectors_nn_walker cpu_vectors_nn_walk, cpu_vectors_nn_walk_avx2, cpu_vectors_nn_walk_wide;

INLINE size_t cpu_vectors_nn_row_size(size_t n_vectors)
{
    return sizeof(set_row) + n_vectors * (sizeof(lanes) + LANES * (sizeof(int32_t) + sizeof(uint16_t)));
}

INLINE set_row *cpu_vectors_nn_row(const cpu_vectors_nn_colony *colony, size_t place, size_t n_vectors)
{
    return (set_row *)(colony->rows + place * cpu_vectors_nn_row_size(n_vectors));
}

INLINE int32_t *cpu_vectors_nn_distances(set_row *of, size_t n_vectors)
{
    return (int32_t *)(of->weights + n_vectors);
}

INLINE uint16_t *cpu_vectors_nn_places(set_row *of, size_t n_vectors)
{
    return (uint16_t *)(of->weights + 2 * n_vectors);
}

#endif
