/* What the files of tsp/cpu-blocks share: the colony (cpu_blocks.c) and the walk of its ants (cpu_blocks_walk.c),
 * which is compiled twice. */
#ifndef ANTBENCH_CPU_BLOCKS_H
#define ANTBENCH_CPU_BLOCKS_H

#include "baselines/lanes.h"
#include "baselines/neighbourhoods.h"
#include "baselines/trails.h"

enum {
    NEAR = 6,          /* blocks of a row that every step adds up */
    MAX_FAR = 5,       /* vectors of groups */
    SIDE_BY_SIDE = 16, /* ants that a thread advances together */
    MAX_DRAWS = 32,    /* draws per step before all cities are added up */
    WORD_BLOCKS = 4    /* number of blocks whose flags are read at once, 64 bits */
};

/* What a step reads of a row, by place in the order of the cities. */
typedef struct row_head {
    lanes weight[NEAR];                /* weights of the cities of its heaviest blocks: pheromone^alpha * eta^beta */
    uint16_t block[LANES];             /* numbers of these NEAR blocks; if there are fewer, block 0 with weights of 0 */
    uint16_t largest[MAX_FAR * LANES]; /* the largest other weight of each group: upper half of the float, rounded up */
} __attribute__((aligned(64))) row_head;

/* An ant under way. */
typedef struct ant_state {
    lanes sums[NEAR + MAX_FAR]; /* sums of its row's near blocks and groups, added up one by one, */
    lanes along;                /* ... and the partial sums along the last of them */
    lanes count[MAX_FAR];       /* unvisited cities of each group */
    uint64_t random;            /* state of SplitMix64 */
    uint16_t *left;             /* a bit for each unvisited city, a word a block; none beyond the last */
    const float *weight;        /* of the city that is proposed, which is kept if it weighs more than */
    float least;                /* ... this */
    uint32_t proposed;          /* its place */
    size_t at;                  /* place of the ant */
    size_t step;                /* cities in the tour */
    int draws;                  /* number of rejected draws in this step */
    int32_t *tour;              /* [n + 1] */
    int64_t zero_weight_steps;  /* number of such steps in this tour */
} __attribute__((aligned(128))) ant_state;

/* Scratch of a thread. */
typedef struct worker {
    ant_state *ants; /* [SIDE_BY_SIDE] */
    lanes *sums;     /* [NEAR + row_blocks]: of a row */
    bool *visited;   /* [n]: of the all-zero rule, by city */
} worker;

typedef struct cpu_blocks_colony cpu_blocks_colony;

/* Brings ants that have their first city to the end of their tours. */
typedef void cpu_blocks_walker(const cpu_blocks_colony *colony, const worker *at_hand, int count);

struct cpu_blocks_colony {
    union {
        cpu_colony common; /* first */
        trails trails;     /* rows are a multiple of LANES long, in the order of places */
    };
    uint16_t *city;          /* [row_blocks * BLOCK]: by place; 0 beyond n */
    size_t n_blocks;         /* number of blocks of all cities */
    int shift;               /* a group is 2^shift blocks */
    uint64_t group_bits;     /* bits of a word that belong to its first group */
    size_t n_groups;         /* at most MAX_FAR * LANES */
    size_t row_blocks;       /* number of blocks of all groups */
    row_head *heads;         /* [n] */
    lanes *far;              /* [n][row_blocks]: weights by place, 0 for near blocks and the diagonal */
    worker *workers;         /* [threads] */
    cpu_blocks_walker *walk; /* the fastest that this processor has */
};

cpu_blocks_walker cpu_blocks_walk, cpu_blocks_walk_wide; /* the latter needs AVX-512; the same tours */

/* The weights of a row without its near blocks. */
INLINE lanes *cpu_blocks_far(const cpu_blocks_colony *colony, size_t place)
{
    return colony->far + place * colony->row_blocks;
}

#endif
