/* Stage "improve": local search on tours by 2-opt and Or-opt, with lists of near cities and don't-look bits.
 *
 * A warp per ant takes a city that is to be looked at; 16 lanes look in each direction, a lane per near city. A move
 * takes out the edge from the city to the next one and puts in a shorter one, to the near city. Then there are the
 * 2-opt that follows (Croes 1958) and the Or-opts (Or 1976), which carry the city with up to two behind it beside the
 * near city. The best of all lanes' moves is made, and the ends of its edges are looked at again (Bentley 1992;
 * Johnson & McGeoch 1997, sections 3.3 and 3.4). A reversal turns the shorter part of the tour round, 32 cities at a
 * time. The tour, each city's place in it and a bit per city are in shared memory. Gains are whole numbers: one tour
 * gives the same tour always.
 *
 * Floor on an H100: 800 cycles per look and 60 n / 128 per move; all ants take as long as one while their tours fit.
 * Limits: n <= 56000 or so (4 n bytes of shared memory); distances below 2^29; not without a matrix of distances.
 * Measured: docs/log/improve.md.
 * Source: Stützle & Hoos, MAX-MIN Ant System, 2000 (local search in it); the mapping is this project's.
 */
#include <limits.h>

#include "kernels/cuda/warp.h"
#include "kernels/tsp/colony.h"

enum { OR_OPT = 3 /* cities that are carried at most */ };

/* A lane's result: no move, a 2-opt, or an Or-opt, numbered 2 * length + side. An Or-opt carries `length` cities to
 * between the near city and the one after it (side 0) or before it (1). */
enum { NO_MOVE, TWO_OPT, FIRST_OR_OPT };

/* An ant's tour. */
struct search {
    int n, lane;
    const int *dist; /* [n][stride] */
    size_t stride;
    shared_array<unsigned short> at;    /* [n] the city at each position */
    shared_array<unsigned short> where; /* [n] the position of each city */
    shared_array<unsigned> look;        /* [n / 32] a bit a city: it is to be looked at */
};

static __device__ __forceinline__ int distance(const search &s, int a, int b)
{
    return s.dist[(size_t)a * s.stride + (size_t)b];
}

/* A position that is less than n beyond an end. */
static __device__ __forceinline__ int wrap(const search &s, int position)
{
    return position < 0 ? position + s.n : position >= s.n ? position - s.n : position;
}

/* The city next to this one, in direction +1 or -1. */
static __device__ __forceinline__ int beside(const search &s, int city, int step)
{
    return s.at[wrap(s, s.where[city] + step)];
}

static __device__ __forceinline__ void put(const search &s, int position, int city)
{
    s.at[position] = (unsigned short)city;
    s.where[city] = (unsigned short)position;
}

/* ---- Looking ---- */

/* The next city to look at, from word *word on; its bit is then cleared. -1 without such a city. */
static __device__ int take_city(const search &s, int *word)
{
    const int words = ceil_div(s.n, 32);
    for (int base = 0; base < words; base += WARP_SIZE) {
        const int mine = *word + base + s.lane < words ? *word + base + s.lane : *word + base + s.lane - words;
        const unsigned bits = base + s.lane < words ? s.look[mine] : 0u;
        const unsigned some = __ballot_sync(FULL_WARP, bits != 0);
        if (!some) continue;
        const int owner = __ffs((int)some) - 1; /* it alone writes the word that it read */
        if (s.lane == owner) s.look[mine] = bits & (bits - 1);
        __syncwarp();
        const unsigned first = __shfl_sync(FULL_WARP, bits, owner);
        *word = __shfl_sync(FULL_WARP, mine, owner);
        return *word * 32 + __ffs((int)first) - 1;
    }
    return -1;
}

static __device__ __forceinline__ void keep(int gain, int form, int *best, int *best_form)
{
    if (gain <= *best) return;
    *best = gain;
    *best_form = form;
}

/* The best move that replaces the edge from `city` to the next one in direction `step` by the edge to the near city.
 * Returns its gain, or 0 without one. */
static __device__ int find_move(const search &s, int city, int step, tsp_near near, int *form)
{
    const int to = near.city, next = beside(s, city, step), first = distance(s, city, next) - near.distance;
    int best = 0;
    *form = NO_MOVE;
    if (first <= 0) return 0;
    const int after = beside(s, to, step), before = beside(s, to, -step);
    const int to_after = distance(s, to, after), to_before = distance(s, to, before);
    keep(first + to_after - distance(s, next, after), TWO_OPT, &best, form);
    for (int length = 1, last = city; length <= OR_OPT && length <= s.n - 3 && last != to; ++length) {
        const int behind = beside(s, last, -step); /* the path that is carried is behind, last .. city, next */
        const int open = first + distance(s, last, behind) - distance(s, next, behind);
        if (to != behind) keep(open + to_after - distance(s, last, after), 2 * length, &best, form);
        keep(open + to_before - distance(s, last, before), 2 * length + 1, &best, form);
        last = behind;
    }
    return best;
}

/* ---- Moving ---- */

/* Turns round what is from position i to position j, or, if that is less, all else. Every lane has looked up both. */
static __device__ void reverse(const search &s, int i, int j)
{
    int inside = j - i + 1 + (j < i ? s.n : 0);
    if (2 * inside > s.n) {
        AB_PLAN("improve: all else is turned round");
        const int first = i;
        i = wrap(s, j + 1);
        j = wrap(s, first - 1);
        inside = s.n - inside;
    }
    for (int k = s.lane; k < inside / 2; k += WARP_SIZE) {
        const int left = wrap(s, i + k), right = wrap(s, j - k), city = s.at[left];
        put(s, left, s.at[right]);
        put(s, right, city);
    }
    __syncwarp();
}

/* Carries the `length` cities from `city` on against `step` to between `to` and the city after it (side 0) or before
 * it (1), so that `city` is beside `to`. The cities on the shorter way there move up. */
static __device__ void carry(const search &s, int city, int step, int length, int to, int side)
{
    const int second = beside(s, city, -step), third = beside(s, second, -step);
    const int last = length == 1 ? city : length == 2 ? second : third, other = beside(s, to, side ? -step : step);
    const int ahead = side ? other : to, back = side ? to : other; /* the edge's end that is met first, by direction */
    const int way_ahead = ((int)s.where[ahead] - (int)s.where[city]) * step;
    const int n_ahead = way_ahead > 0 ? way_ahead : way_ahead + s.n, n_back = s.n - length - n_ahead;
    const bool forward = n_ahead <= n_back;
    const int count = forward ? n_ahead : n_back, walk = forward ? step : -step;
    if (forward)
        AB_PLAN("improve: cities ahead move up");
    else
        AB_PLAN("improve: cities behind move up");
    if (count > WARP_SIZE) AB_PLAN("improve: more cities move up than a warp has lanes");
    const int begin = s.where[forward ? last : city];
    for (int k = 0; k < count; k += WARP_SIZE) {
        const bool mine = k + s.lane < count;
        const int moved = mine ? s.at[wrap(s, begin + walk * (length + k + s.lane))] : 0;
        __syncwarp();
        if (mine) put(s, wrap(s, begin + walk * (k + s.lane)), moved);
        __syncwarp();
    }
    if (s.lane < length) {
        const int place = (forward ? ahead : back) == to ? s.lane : length - 1 - s.lane; /* the city first, or last */
        put(s, wrap(s, begin + walk * (count + place)), s.lane == 0 ? city : s.lane == 1 ? second : third);
    }
    __syncwarp();
}

/* The ends of the edges that go are to be looked at again: a lane each. */
static __device__ void look_again(const search &s, int city, int step, int form, int to)
{
    const bool two = form == TWO_OPT;
    int last = city;
    for (int length = 1; !two && length < form / 2; ++length) last = beside(s, last, -step);
    const int end = s.lane == 0   ? city
                    : s.lane == 1 ? beside(s, city, step)
                    : s.lane == 2 ? to
                    : s.lane == 3 ? beside(s, to, two || form % 2 == 0 ? step : -step)
                    : s.lane == 4 ? last
                                  : beside(s, last, -step);
    if (s.lane < (two ? 4 : 6)) atomicOr(&s.look[end / 32], 1u << end % 32);
}

static __device__ void make_move(const search &s, int city, int step, int form, int to)
{
    look_again(s, city, step, form, to);
    if (form != TWO_OPT) {
        carry(s, city, step, form / 2, to, form % 2);
        return;
    }
    const int from = s.where[step > 0 ? beside(s, city, 1) : city], upto = s.where[step > 0 ? to : beside(s, to, -1)];
    __syncwarp();
    reverse(s, from, upto);
}

/* Looks at a city and makes the best move there is; returns what it gains, 0 for none. */
static __device__ int improve_city(const search &s, const tsp_near *near, int city)
{
    const int step = s.lane < TSP_NEAR ? 1 : -1;
    int form;
    const tsp_near mine = near[city * TSP_NEAR + s.lane % TSP_NEAR];
    const int gain = find_move(s, city, step, mine, &form);
    const int most = (int)~warp_min(~(unsigned)gain);
    if (most == 0) return 0;
    const int winner = __ffs((int)__ballot_sync(FULL_WARP, gain == most)) - 1;
    const int to = __shfl_sync(FULL_WARP, mine.city, winner), what = __shfl_sync(FULL_WARP, form, winner);
    make_move(s, city, winner < TSP_NEAR ? 1 : -1, what, to);
    return most;
}

/* ---- The stage ---- */

static __global__ void __launch_bounds__(WARP_SIZE)
    improve(tsp_device colony, const tsp_near *near, bool all, int most_moves)
{
    const int n = colony.n, lane = (int)threadIdx.x, words = ceil_div(n, 32);
    SHARED_DYNAMIC(unsigned, look, 0, words);
    SHARED_DYNAMIC(unsigned short, at, sizeof(unsigned) * (size_t)words, n);
    SHARED_DYNAMIC(unsigned short, where, sizeof(unsigned) * (size_t)words + sizeof(unsigned short) * (size_t)n, n);
    const int ant = all ? (int)blockIdx.x : (int)(*colony.iteration_best & ((1u << ANT_BITS) - 1));
    int *const tour = colony.tours + (size_t)ant * (size_t)(n + 1);
    const search s = {n, lane, colony.dist, (size_t)colony.stride, at, where, look};
    for (int i = lane; i < n; i += WARP_SIZE) put(s, i, tour[i]);
    for (int i = lane; i < words; i += WARP_SIZE) look[i] = i < n / 32 ? ~0u : (1u << n % 32) - 1;
    __syncwarp();
    const long long length = colony.lengths[ant];
    long long gained = 0; /* not more than there is, so that a search that were wrong would end, to be found out */
    for (int moves = 0, word = 0; moves < most_moves && gained <= length;) {
        const int city = take_city(s, &word);
        if (city < 0) break;
        const int gain = improve_city(s, near, city);
        gained += gain;
        moves += gain > 0;
    }
    if (gained == 0) return;
    for (int i = lane; i <= n; i += WARP_SIZE) tour[i] = at[i < n ? i : 0];
    if (lane > 0) return;
    colony.lengths[ant] = length - gained;
    atomicMin(colony.iteration_best, tour_key(length - gained, ant));
}

/* most_moves: of a tour, INT_MAX for as many as there are. */
extern "C" ab_status AB_GPU(tsp_improve)(const tsp_device *colony, const tsp_near *near, tsp_improving which,
                                         int most_moves)
{
    const size_t words = (size_t)ceil_div(colony->n, 32), n = (size_t)colony->n;
    const size_t bytes = sizeof(unsigned) * words + 2 * sizeof(unsigned short) * n;
    const bool all = which == TSP_IMPROVE_ALL;
    AB_TRY(device_allow_shared((const void *)improve, bytes, -1));
    if (n < 4) return ab_ok(); /* there is one tour */
    LAUNCH(improve, all ? colony->n_ants : 1, WARP_SIZE, bytes)(*colony, near, all, most_moves);
    return AB_LAUNCHED("improve");
}
