/* The fall-back of cpu-best (baselines/rejection.h). */
#include <string.h>

#include "base/random.h"
#include "baselines/rejection.h"

/* ---- Memory ---- */

static size_t whole_lines(size_t bytes)
{
    return (bytes + 127) / 128 * 128;
}

static size_t words(size_t n)
{
    return (n + 31) / 32;
}

size_t walker_bytes(size_t n)
{
    return whole_lines(words(n) * sizeof(uint32_t)) + whole_lines(n * sizeof(uint16_t));
}

void walker_settle(walker *ant, void *memory, size_t n)
{
    ant->visited = memory;
    ant->remaining = (uint16_t *)((char *)memory + whole_lines(words(n) * sizeof(uint32_t)));
}

/* A sum is written before it is known whether it counts: one more than can. */
size_t fall_back_bytes(size_t n)
{
    return whole_lines((n + HEAD + 1) * (sizeof(double) + sizeof(uint16_t)) + n * sizeof(bool));
}

void fall_back_settle(fall_back_room *room, void *memory, size_t n)
{
    room->sum = memory;
    room->city = (uint16_t *)(room->sum + n + HEAD + 1);
    room->visited = (bool *)(room->city + n + HEAD + 1);
}

/* ---- Walking ---- */

void walker_begin(walker *ant, size_t n, uint64_t stream)
{
    ant->random = stream;
    ant->n_remaining = 0;
    ant->zero_weight_steps = 0;
    memset(ant->visited, 0, words(n) * sizeof *ant->visited);
}

INLINE void list_unvisited(walker *ant, size_t n)
{
    for (size_t city = 0; city < n; city++) {
        ant->remaining[ant->n_remaining] = (uint16_t)city;
        ant->n_remaining += !walker_has_been(ant, city);
    }
}

/* Unvisited cities and the partial sums of their weights, the head's first. Returns how many. */
INLINE int add_up(walker *ant, const head *nearest, const float *tail, const fall_back_room *room)
{
    int count = 0, left = 0;
    double sum = 0.0;
    for (int k = 0; k < HEAD; k++) {
        if (walker_has_been(ant, nearest->city[k])) continue;
        room->city[count] = nearest->city[k];
        room->sum[count++] = sum += (double)nearest->weight[k];
    }
    for (int k = 0; k < ant->n_remaining; k++) {
        const uint16_t city = ant->remaining[k];
        const int unvisited = !walker_has_been(ant, city);
        ant->remaining[left] = city;
        left += unvisited;
        room->city[count] = city;
        room->sum[count] = sum += unvisited ? (double)tail[city] : 0.0;
        count += unvisited;
    }
    ant->n_remaining = left;
    return count;
}

static size_t nearest_unvisited(const as_problem *problem, size_t i, const walker *ant, bool *visited)
{
    for (size_t city = 0; city < (size_t)problem->n; city++) visited[city] = walker_has_been(ant, city);
    return (size_t)as_nearest_unvisited(problem, (int)i, visited);
}

CPU_MULTIVERSION size_t choose_by_scan(const as_problem *problem, size_t i, const head *nearest, const float *tail,
                                       walker *ant, const fall_back_room *room)
{
    if (ant->n_remaining == 0) list_unvisited(ant, (size_t)problem->n);
    const int count = add_up(ant, nearest, tail, room);
    const double total = room->sum[count - 1];
    if (!(total > 0.0)) {
        ant->zero_weight_steps++;
        return nearest_unvisited(problem, i, ant, room->visited);
    }
    const double r = random_unit(&ant->random) * total; /* below total, whatever the rounding */
    int k = 0;
    for (int c = 0; c < count; c++) k += room->sum[c] <= r;
    return room->city[k];
}

void split_head(head *nearest, float *tail)
{
    for (int k = 0; k < HEAD; k++) {
        nearest->weight[k] = tail[nearest->city[k]];
        tail[nearest->city[k]] = 0.0f;
    }
}
