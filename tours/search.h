/* Local search on a tour: 2-opt, Or-opt and the rest of the sequential 3-opt, with neighbour lists and don't-look bits.
 * Iterated local search repeats it after small kicks.
 *
 * A move replaces up to three edges: t1-t2, t3-t4, t5-t6 become t2-t3, t4-t5, t6-t1. The search for each new edge
 * begins at a near city, as long as the removed edges are longer in sum than the new ones (Lin and Kernighan 1973).
 * With two edges it is 2-opt (Croes 1958). Or-opt (Or 1976), which moves up to three consecutive cities, in either
 * direction, is a move of three. Only near cities are tried, and only cities whose surroundings have changed (Bentley
 * 1992; Johnson and McGeoch 1997). A kick is a double bridge of short paths, so that it stays local (Martin, Otto and
 * Felten 1991; Applegate, Cook and Rohe 2003). The search after it starts at its ends only. A kick that lengthens the
 * tour is undone unless the temperature allows it: simulated annealing of locally optimal tours (Martin and Otto 1996).
 *
 * The tour is an array; a move reverses the shorter side. Distances are integers and sums are exact. */
#ifndef ANTBENCH_SEARCH_H
#define ANTBENCH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "tours/neighbours.h"

typedef enum search_moves {
    SEARCH_OR_OPT,   /* 2-opt and Or-opt */
    SEARCH_THREE_OPT /* every sequential 3-opt move, those among them */
} search_moves;

/* An entry of a list of near cities. */
typedef struct search_near {
    int32_t city;     /* -1 ends the list */
    int32_t distance; /* ascending */
} search_near;

/* A run of cities of a tour, numbered 0 .. n-1 in its order, and a tour through them. */
typedef struct search {
    const tsp_instance *cities;
    bool euclidean; /* EUC_2D, which most instances are */
    search_moves moves;
    int n;             /* cities here */
    bool path;         /* a part of a longer tour: the edge between n-1 and 0 stands for the rest of it and stays */
    int32_t *id;       /* [n] what a city is called in the instance */
    tsp_point *points; /* [n] where cities have coordinates on a plane, or TSPLIB's */
    tsp_place *sphere; /* [n] where they lie on a sphere */
    search_near *near; /* [n][NEIGHBOURS_MOST] */
    int32_t *at;       /* [n] the tour: the city at each position */
    int32_t *where;    /* [n] the position of each city */
    int32_t *queue;    /* [n] cities to look at, a ring */
    bool *queued;      /* [n] don't-look bits, the other way round */
    int queue_first, queue_length;
    int32_t (*undo)[2];    /* positions between which was reversed since the last kick */
    int n_undo;            /* SEARCH_MOST_UNDO: too many to undo */
    double temperature;    /* a tour that a kick makes longer by d stays with probability exp(-d / temperature) */
    int32_t *best;         /* [n] the best tour, where this one is longer, */
    int64_t above;         /* ... by so much; 0: this is the best */
    uint64_t random;       /* state of SplitMix64 */
    int64_t moved;         /* moves so far */
    int64_t kicks;         /* kicks so far */
    bool (*stops)(void *); /* asked now and then: whether time is over */
    void *context;         /* argument of stops */
    /* Told of each move, each kick and each undoing of one, and what it is said to have gained; or NULL. */
    void (*watch)(const struct search *, int64_t gain);
} search;

enum {
    SEARCH_MOST_UNDO = 1000,
    SEARCH_LEAST_KICKED = 5 /* cities that there must be for a kick */
};

/* Allocates for runs of up to `most` cities. The instance stays. Free the memory in every case. */
void search_allocate(search *s, const tsp_instance *cities, int most, ab_memory *memory);

/* Begins with the `count` cities tour[first], tour[first + 1], ... (modulo n); rank[tour[i]] = i. count = n is a tour,
 * less is a path, whose ends stay where they are. All cities are to be looked at, unless the tour is known to be
 * `settled`. */
void search_load(search *s, const neighbours *near, const int32_t *tour, const int32_t *rank, int first, int count,
                 bool settled);

/* Improves until no move of any city that is to be looked at does, or time is over; returns by how much. */
int64_t search_descend(search *s);

/* Kicks and improves until time is over; returns by how much the best tour has become shorter. What a kick comes to is
 * kept where the tour is no longer, and else as s->temperature says. `stops` may change that, except from 0. `gained`,
 * if not NULL, is told of each gain of the best. */
int64_t search_iterate(search *s, void (*gained)(void *, int64_t));

/* Makes the present tour the best; returns by how much it is longer. */
int64_t search_take(search *s);

/* The cities' names in the order of the best tour, a path from its first city to its last, into tour[first ...]
 * (modulo size). */
void search_store(const search *s, int32_t *tour, int first, int size);

#endif
