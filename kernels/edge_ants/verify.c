/* Checks of edge ants (kernels/edge_ants/verify.h). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/edge_ants/verify.h"
#include "kernels/philox.h"

enum { MANY = 1000 /* ants or pixels from which on they are checked on all cores */ };

/* A colony before and after an iteration. */
typedef struct observation {
    const ea_problem *problem;
    const ea_params *params;
    ea_result before; /* owns its arrays */
    ea_result after;  /* likewise */
    double *expected; /* [height][width]: the pheromone recomputed */
} observation;

static size_t pixel_count(const ea_problem *problem)
{
    return (size_t)problem->width * (size_t)problem->height;
}

static bool allocate_result(size_t pixels, size_t n_ants, ea_result *result)
{
    result->pheromone = malloc(pixels * sizeof *result->pheromone);
    result->position = malloc(n_ants * sizeof *result->position);
    result->memory = malloc(n_ants * EA_MEMORY * sizeof *result->memory);
    return result->pheromone && result->position && result->memory;
}

static void free_result(ea_result *result)
{
    free(result->pheromone);
    free(result->position);
    free(result->memory);
}

static ab_status allocate(observation *o)
{
    const size_t pixels = pixel_count(o->problem), n_ants = (size_t)o->params->n_ants;
    o->expected = malloc(pixels * sizeof *o->expected);
    if (allocate_result(pixels, n_ants, &o->before) && allocate_result(pixels, n_ants, &o->after) && o->expected)
        return ab_ok();
    return ab_failed("out of memory for %d ants on %zu pixels", o->params->n_ants, pixels);
}

static ab_status check_position(const observation *o, int ant)
{
    const int32_t position = o->after.position[ant];
    if (position >= 0 && (size_t)position < pixel_count(o->problem)) return ab_ok();
    return ab_failed("ant %d is on pixel %d of %zu", ant, position, pixel_count(o->problem));
}

/* The random numbers of an ant in an iteration (edge_ants.h). */
typedef struct numbers {
    float spin, row, column;
} numbers;

static numbers draw(const observation *o, int ant)
{
    const uint64_t seed = o->params->seed;
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)o->after.iteration, 0, (uint32_t)ant, 0};
    uint32_t bits[4];
    philox4x32_10(counter, key, bits);
    return (numbers){philox_uniform(bits[0]), philox_uniform(bits[2]), philox_uniform(bits[3])};
}

/* Checks that a placement or a relocation has put an ant on its pixel. */
static ab_status check_random_pixel(const observation *o, int ant, const char *what)
{
    const int width = o->problem->width, is = o->after.position[ant];
    const numbers drawn = draw(o, ant);
    const int expected = ea_cell(drawn.row, o->problem->height) * width + ea_cell(drawn.column, width);
    if (is == expected) return ab_ok();
    return ab_failed("ant %d was %s on pixel %d, and its random numbers say %d", ant, what, is, expected);
}

/* Checks all ants on all cores: the status of the first that is not as it should be. */
static ab_status check_ants(const observation *o, ab_status (*check)(const observation *, int))
{
    ab_first_failure first = {0};
#pragma omp parallel for if (o->params->n_ants >= MANY)
    for (int ant = 0; ant < o->params->n_ants; ant++) {
        const ab_status status = check(o, ant);
        ab_keep_first(&first, (size_t)ant, &status);
    }
    return first.status;
}

static ab_status check_placed(const observation *o, int ant)
{
    AB_TRY(check_position(o, ant));
    AB_TRY(check_random_pixel(o, ant, "placed"));
    for (int i = 0; i < EA_MEMORY; i++) {
        const int32_t entry = o->after.memory[ant * EA_MEMORY + i], expected = i ? -1 : o->after.position[ant];
        if (entry != expected) return ab_failed("ant %d: memory %d holds %d, not %d", ant, i, entry, expected);
    }
    return ab_ok();
}

static ab_status check_placement(const observation *o)
{
    const float initial = (float)o->params->initial;
    const size_t pixels = pixel_count(o->problem);
    size_t wrong = pixels;
    if (o->after.iteration != 0) return ab_failed("iteration %d after placement", o->after.iteration);
#pragma omp parallel for reduction(min : wrong) if (pixels >= MANY)
    for (size_t i = 0; i < pixels; i++)
        if (!(o->after.pheromone[i] == initial) && i < wrong) wrong = i;
    if (wrong < pixels)
        return ab_failed("pheromone of pixel %zu is %g at first, not %g", wrong, (double)o->after.pheromone[wrong],
                         (double)initial);
    return check_ants(o, check_placed);
}

static bool remembers(const int32_t *memory, int32_t pixel)
{
    for (int i = 0; i < EA_MEMORY; i++)
        if (memory[i] == pixel) return true;
    return false;
}

/* The weight of neighbour `which` for an ant: 0 for one it must not go to, outside of the image or in its memory. */
static double weight_of(const observation *o, int ant, int which)
{
    const int pixel = ea_neighbour(o->before.position[ant], which, o->problem->width, o->problem->height);
    if (pixel < 0 || remembers(o->before.memory + (size_t)ant * EA_MEMORY, pixel)) return 0.0;
    return pow((double)o->before.pheromone[pixel], o->params->alpha) *
           pow((double)o->problem->visibility[pixel], o->params->beta);
}

/* The neighbour that an ant went to against its random number: which part of the sum of all weights it must be in. */
static ab_status check_spin(const observation *o, int ant, const double weight[EA_NEIGHBOURS], int which)
{
    double before = 0.0, total = 0.0;
    for (int i = 0; i < EA_NEIGHBOURS; i++) {
        if (i < which) before += weight[i];
        total += weight[i];
    }
    const double u = (double)draw(o, ant).spin, tolerance = VERIFY_SPIN_TOLERANCE * total;
    if (total < VERIFY_LEAST_WEIGHTS) return ab_ok();
    if (u * total >= before - tolerance && u * total <= before + weight[which] + tolerance) return ab_ok();
    return ab_failed("ant %d went to neighbour %d, from %.4f to %.4f of the wheel, and its random number is %.4f", ant,
                     which, before / total, (before + weight[which]) / total, u);
}

/* A weight below what a float holds in full may count as 0 or not. */
static ab_status check_move(const observation *o, int ant)
{
    const int32_t to = o->after.position[ant], from = o->before.position[ant];
    double weight[EA_NEIGHBOURS], most = 0.0;
    int gone_to = -1;
    AB_TRY(check_position(o, ant));
    for (int which = 0; which < EA_NEIGHBOURS; which++) {
        weight[which] = weight_of(o, ant, which);
        if (ea_neighbour(from, which, o->problem->width, o->problem->height) == to) gone_to = which;
        if (weight[which] > most) most = weight[which];
    }
    if (gone_to >= 0 && weight[gone_to] > 0.0) return check_spin(o, ant, weight, gone_to);
    if (most == 0.0) return check_random_pixel(o, ant, "relocated");
    if (most <= (double)FLT_MIN) return ab_ok(); /* a relocation */
    if (remembers(o->before.memory + (size_t)ant * EA_MEMORY, to))
        return ab_failed("ant %d went from pixel %d to pixel %d, which it remembers", ant, from, to);
    return ab_failed(
        "ant %d went from pixel %d to pixel %d, which is no neighbour that it may go to, and it could have "
        "gone to one of weight %g",
        ant, from, to, most);
}

static ab_status check_memory(const observation *o, int ant)
{
    const size_t first = (size_t)ant * EA_MEMORY;
    for (int i = 0; i < EA_MEMORY; i++) {
        const int32_t entry = o->after.memory[first + (size_t)i];
        const bool now = i == o->after.iteration % EA_MEMORY;
        const int32_t expected = now ? o->after.position[ant] : o->before.memory[first + (size_t)i];
        if (entry != expected) return ab_failed("ant %d: memory %d holds %d, not %d", ant, i, entry, expected);
    }
    return ab_ok();
}

static ab_status check_walk(const observation *o, int ant)
{
    AB_TRY(check_move(o, ant));
    return check_memory(o, ant);
}

static ab_status check_pheromone(const observation *o)
{
    const size_t pixels = pixel_count(o->problem);
    size_t wrong = pixels;
    double mass = 0.0, expected_mass = 0.0;
#pragma omp parallel for if (pixels >= MANY)
    for (size_t i = 0; i < pixels; i++) o->expected[i] = (1.0 - o->params->rho) * (double)o->before.pheromone[i];
    for (int ant = 0; ant < o->params->n_ants; ant++) {
        const size_t pixel = (size_t)o->after.position[ant];
        const float deposit = o->problem->visibility[pixel];
        if (deposit >= (float)o->params->min_visibility) o->expected[pixel] += (double)deposit;
    }
#pragma omp parallel for reduction(min : wrong) reduction(+ : mass, expected_mass) if (pixels >= MANY)
    for (size_t i = 0; i < pixels; i++) {
        const double is = (double)o->after.pheromone[i];
        if (!(fabs(is - o->expected[i]) <= VERIFY_PIXEL_TOLERANCE * o->expected[i]) && i < wrong) wrong = i;
        mass += is;
        expected_mass += o->expected[i];
    }
    if (wrong < pixels)
        return ab_failed("pheromone of pixel %zu is %g, recomputed %g", wrong, (double)o->after.pheromone[wrong],
                         o->expected[wrong]);
    if (fabs(mass - expected_mass) <= VERIFY_MASS_TOLERANCE * expected_mass) return ab_ok();
    return ab_failed("the pheromone of all pixels is %.9g, recomputed %.9g", mass, expected_mass);
}

static ab_status check_iteration(const observation *o, int64_t *moves)
{
    if (o->after.iteration != o->before.iteration + 1)
        return ab_failed("iteration %d follows iteration %d", o->after.iteration, o->before.iteration);
    AB_TRY(check_ants(o, check_walk));
    *moves += o->params->n_ants;
    return check_pheromone(o);
}

/* One stage and what it leaves. */
static ab_status run_and_read(ea_colony *colony, const char *stage, observation *o)
{
    AB_TRY(colony->work.methods->run_stage(&colony->work, ab_stage_named(&colony->work, stage)));
    return colony->methods->read(colony, &o->after);
}

/* The status of a check, which is wrong output unless it is AB_OK. */
static ab_status judged(ab_status status, bool *wrong)
{
    *wrong = status.code != AB_OK;
    return status;
}

static ab_status run_checked(ea_colony *colony, observation *o, int iterations, int64_t *moves, bool *wrong)
{
    for (int i = 0; i < iterations; i++) {
        const ea_result last = o->before;
        o->before = o->after;
        o->after = last;
        AB_TRY(run_and_read(colony, "run", o));
        AB_TRY(judged(check_iteration(o, moves), wrong));
    }
    return ab_ok();
}

/* Pixel i of the frame of an image, from its upper left corner on, round and round. */
static int32_t frame_pixel(const ea_problem *problem, int64_t i)
{
    const int64_t right = problem->width - 1, down = problem->height - 1;
    const int64_t all = right == 0 || down == 0 ? right + down + 1 : 2 * (right + down);
    i %= all;
    const int64_t column = i <= right              ? i
                           : i <= right + down     ? right
                           : i <= 2 * right + down ? 2 * right + down - i
                                                   : 0;
    const int64_t row = i <= right ? 0 : i <= right + down ? i - right : i <= 2 * right + down ? down : all - i;
    return (int32_t)(row * problem->width + column);
}

/* An iteration in which all ants begin on the frame, all round it: where neighbours are outside. */
static ab_status run_on_frame(ea_colony *colony, observation *o, int64_t *moves, bool *wrong)
{
    const int64_t frame = 2 * ((int64_t)o->problem->width + o->problem->height), n_ants = o->params->n_ants;
    const int64_t step = frame > n_ants ? frame / n_ants : 1;
    for (int64_t ant = 0; ant < n_ants; ant++) o->after.position[ant] = frame_pixel(o->problem, ant * step);
    AB_TRY(colony->methods->write(colony, NULL, o->after.position));
    AB_TRY(colony->methods->read(colony, &o->after));
    return run_checked(colony, o, 1, moves, wrong);
}

static ab_status check_all(ea_colony *colony, observation *o, int iterations, int unchecked, int64_t *moves,
                           bool *wrong)
{
    ab_work *work = &colony->work;
    AB_TRY(run_and_read(colony, "place", o));
    AB_TRY(judged(check_placement(o), wrong));
    AB_TRY(run_checked(colony, o, iterations, moves, wrong));
    for (int i = 0; i < unchecked; i++) AB_TRY(work->methods->run_stage(work, ab_stage_named(work, "run")));
    if (unchecked > 0) {
        AB_TRY(colony->methods->read(colony, &o->after));
        AB_TRY(run_checked(colony, o, 1, moves, wrong));
    }
    return run_on_frame(colony, o, moves, wrong);
}

ab_status edge_ants_verify(ea_colony *colony, const ea_problem *problem, const ea_params *params, int iterations,
                           int unchecked, int64_t *moves, bool *wrong)
{
    observation o = {.problem = problem, .params = params};
    *moves = 0;
    *wrong = false;
    if (params->iterations != 1) return ab_failed("verification needs runs of 1 iteration, not %d", params->iterations);
    ab_status status = allocate(&o);
    if (status.code == AB_OK) status = check_all(colony, &o, iterations, unchecked, moves, wrong);
    free_result(&o.before);
    free_result(&o.after);
    free(o.expected);
    return status;
}

static ab_status place(ea_colony *colony, int32_t *position)
{
    ea_result result = {.position = position};
    AB_TRY(colony->work.methods->run_stage(&colony->work, ab_stage_named(&colony->work, "place")));
    return colony->methods->read(colony, &result);
}

ab_status verify_seeds(ea_colony *colony, ea_colony *other, int n_ants, bool *wrong)
{
    enum { ENOUGH = 8 }; /* fewer may stand alike by chance */
    const size_t bytes = (size_t)n_ants * sizeof(int32_t);
    int32_t *one = malloc(bytes), *two = malloc(bytes);
    ab_status status = one && two ? place(colony, one) : ab_failed("out of memory for %d ants", n_ants);
    if (status.code == AB_OK) status = place(other, two);
    *wrong = status.code == AB_OK && n_ants >= ENOUGH && memcmp(one, two, bytes) == 0;
    if (*wrong) status = ab_failed("two seeds place %d ants alike", n_ants);
    free(one);
    free(two);
    return status;
}

/* All of a run, and where its ants are then and were before. */
static ab_status run_whole(ea_colony *colony, int32_t *memory)
{
    ea_result result = {.memory = memory};
    AB_TRY(ab_iterate(&colony->work));
    return colony->methods->read(colony, &result);
}

ab_status verify_run(ea_colony *colony, ea_colony *reference, int n_ants, bool *wrong)
{
    const size_t bytes = EA_MEMORY * sizeof(int32_t);
    int32_t *is = malloc((size_t)n_ants * bytes), *expected = malloc((size_t)n_ants * bytes);
    ab_status status = is && expected ? run_whole(colony, is) : ab_failed("out of memory for %d ants", n_ants);
    int others = 0;
    if (status.code == AB_OK) status = run_whole(reference, expected);
    for (size_t ant = 0; status.code == AB_OK && ant < (size_t)n_ants; ant++)
        others += memcmp(is + ant * EA_MEMORY, expected + ant * EA_MEMORY, bytes) != 0;
    *wrong = status.code == AB_OK && others > VERIFY_OTHER_WALKS * n_ants + 1;
    if (*wrong) status = ab_failed("%d of %d ants went another way than with the reference", others, n_ants);
    free(is);
    free(expected);
    return status;
}
