/* Thinning by Guo & Hall, "Parallel thinning with two-subiteration algorithms", CACM 32(3), 1989, algorithm A1 (thesis
 * §6.4, step 4). This file has the conditions, their lookup tables (thesis §6.5.2, step 4), and the reference that the
 * GPU must equal. */
#include <stdlib.h>
#include <string.h>

#include "images/edge_map.h"

/* The bits of an index, thesis Fig. 6.4: a column of the neighbourhood is three bits, so that stepping one pixel to the
 * right shifts them by three. */
enum {
    NORTH_WEST = 256,
    NORTH = 32,
    NORTH_EAST = 4,
    WEST = 128,
    CENTRE = 16,
    EAST = 2,
    SOUTH_WEST = 64,
    SOUTH = 8,
    SOUTH_EAST = 1,
};

/* 1 where a neighbour that any of the bits `either` names is set. */
static int any(int index, int either)
{
    return (index & either) != 0;
}

/* The paper's C(P): the number of 8-connected pieces that the neighbours form around the centre. Only with one piece
 * can the centre go without breaking a connection. */
static int pieces(int index)
{
    return (!any(index, NORTH) && any(index, NORTH_EAST | EAST)) +
           (!any(index, EAST) && any(index, SOUTH_EAST | SOUTH)) +
           (!any(index, SOUTH) && any(index, SOUTH_WEST | WEST)) +
           (!any(index, WEST) && any(index, NORTH_WEST | NORTH));
}

/* The paper's N(P): the neighbours, counted in pairs, in the way of pairing that gives fewer. It tells the end of a
 * line (1), which stays, from the rim of a thicker edge (2 or 3). */
static int paired_neighbours(int index)
{
    const int one = any(index, NORTH_WEST | NORTH) + any(index, NORTH_EAST | EAST) + any(index, SOUTH_EAST | SOUTH) +
                    any(index, SOUTH_WEST | WEST);
    const int other = any(index, NORTH | NORTH_EAST) + any(index, EAST | SOUTH_EAST) + any(index, SOUTH | SOUTH_WEST) +
                      any(index, WEST | NORTH_WEST);
    return one < other ? one : other;
}

/* The conditions under which sub-iteration 0 takes the centre away. */
static bool is_deleted(int index)
{
    const int neighbours = paired_neighbours(index);
    const bool held_by_the_east = any(index, EAST) && (any(index, NORTH | NORTH_EAST) || !any(index, SOUTH_EAST));
    return pieces(index) == 1 && neighbours >= 2 && neighbours <= 3 && !held_by_the_east;
}

/* The neighbourhood turned by 180 degrees: the order of the nine bits reversed. */
static int turned(int index)
{
    int reversed = 0;
    for (int bit = 0; bit < 9; bit++) reversed |= (index >> bit & 1) << (8 - bit);
    return reversed;
}

void guo_hall_tables(uint8_t tables[2][512])
{
    for (int index = 0; index < 512; index++) {
        tables[0][index] = any(index, CENTRE) && !is_deleted(index);
        /* Sub-iteration 1 has the same conditions, seen from the other side. */
        tables[1][index] = any(index, CENTRE) && !is_deleted(turned(index));
    }
}

/* One sub-iteration from `before` to `after`, both [height + 2][width + 2] with a rim of 0; true when a pixel
 * changed. */
static bool sub_iteration(int width, int height, const uint8_t table[512], const uint8_t *before, uint8_t *after)
{
    const size_t stride = (size_t)width + 2;
    unsigned changed = 0;
    for (size_t y = 1; y <= (size_t)height; y++) {
        const uint8_t *row = before + y * stride, *above = row - stride, *below = row + stride;
        unsigned index = (unsigned)(above[1] << 2 | row[1] << 1 | below[1]); /* the rim to the left of it is 0 */
        for (size_t x = 1; x <= (size_t)width; x++) {
            index = (index << 3 & 511u) | (unsigned)(above[x + 1] << 2 | row[x + 1] << 1 | below[x + 1]);
            after[y * stride + x] = table[index];
            changed |= (unsigned)(table[index] ^ row[x]);
        }
    }
    return changed != 0;
}

static void copy_rows(int width, int height, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride)
{
    for (size_t y = 0; y < (size_t)height; y++) memcpy(to + y * to_stride, from + y * from_stride, (size_t)width);
}

int edge_map_thin(int width, int height, int passes, uint8_t *map)
{
    const size_t stride = (size_t)width + 2, size = stride * ((size_t)height + 2);
    uint8_t tables[2][512], *one = calloc(2, size), *other = one + size;
    if (one == NULL) return -1;
    guo_hall_tables(tables);
    copy_rows(width, height, map, (size_t)width, one + stride + 1, stride);
    int made = 0;
    for (bool changed = true; changed && (passes == 0 || made < passes); made += changed) {
        changed = sub_iteration(width, height, tables[0], one, other);
        changed |= sub_iteration(width, height, tables[1], other, one);
    }
    copy_rows(width, height, one + stride + 1, stride, map, (size_t)width);
    free(one);
    return made;
}
