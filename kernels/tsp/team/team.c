/* Orders, and what they come to on every rank (kernels/tsp/team/team.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/tsp/team/team.h"
#include "mpi/workers.h"

const char *const tsp_transfer_names[] = {[RANKS_STAGED] = "staged", [RANKS_NCCL] = "nccl", NULL};
const char *const tsp_topology_names[] = {[TSP_RING] = "ring", [TSP_ALL] = "all", NULL};

typedef enum order_kind { OPEN, STAGE, READ, WRITE, POISON, CLOSE } order_kind;

/* What rank 0 sends. */
typedef struct order {
    order_kind kind;
    int stage;           /* STAGE */
    bool tours, lengths; /* READ: whether they are wanted */
    bool islands;        /* OPEN, and all that follow: */
    char part[32];
    ab_backend backend;
    tsp_params params;
    int n, nn;
} order;

/* What rank 0 has to give to its own part, or to get; of the others, nothing. */
typedef struct payload {
    tsp_problem problem;
    tsp_result *result;
    float *pheromone; /* [n][n] */
} payload;

typedef struct team {
    tsp_colony colony; /* first: rank 0's */
    tsp_member member;
} team;

static int first_ant(const tsp_params *params, int rank)
{
    return (int)((int64_t)params->n_ants * rank / params->ranks);
}

static int count_ants(const tsp_params *params, int rank)
{
    return first_ant(params, rank + 1) - first_ant(params, rank);
}

/* ---- What every rank does ---- */

/* Distances and candidate sets as rank 0 has them, into *memory. */
static ab_status get_problem(const order *o, tsp_problem *problem, ab_memory *memory)
{
    const size_t n = (size_t)o->n, nn = (size_t)o->nn;
    if (ranks_mine() > 0) {
        *problem = (tsp_problem){.n = o->n, .nn = o->nn};
        problem->dist = ab_allocate(memory, n * n, sizeof *problem->dist);
        problem->nn_list = nn ? ab_allocate(memory, n * nn, sizeof *problem->nn_list) : NULL;
    }
    AB_TRY(ranks_join(ab_memory_status(memory)));
    ranks_broadcast((void *)problem->dist, n * n * sizeof *problem->dist, 0);
    if (nn) ranks_broadcast((void *)problem->nn_list, n * nn * sizeof *problem->nn_list, 0);
    return ab_ok();
}

static ab_status open_part(const order *o, const tsp_problem *problem, ab_status gpu, tsp_member *member)
{
    const ab_implementation *part = ab_find_implementation(o->part, o->backend);
    tsp_params params = o->params;
    ab_work *work = NULL;
    if (o->backend == AB_CUDA) AB_TRY(gpu);
    if (!part) return ab_failed("there is no %s here", o->part);
    params.first_ant = first_ant(&o->params, member->rank);
    params.n_ants = count_ants(&o->params, member->rank);
    params.all_ants = o->params.n_ants;
    params.ranks = 1;
    member->way->divide(member, &params);
    member->tour = malloc(((size_t)o->n + 1) * sizeof *member->tour);
    if (!member->tour) return ab_failed("out of memory");
    AB_TRY(part->open(problem, &params, &work));
    member->part = (tsp_colony *)work;
    return member->part->methods->part ? ab_ok() : ab_failed("%s cannot be one of several", o->part);
}

/* From rank 0's copy, for all. */
static ab_status write_pheromone(const tsp_member *member, const float *given)
{
    const size_t count = (size_t)member->n * (size_t)member->n;
    float *values = malloc(count * sizeof *values);
    const ab_status status = ranks_join(values ? ab_ok() : ab_failed("out of memory for the pheromone"));
    if (status.code == AB_OK) {
        if (given) memcpy(values, given, count * sizeof *values);
        ranks_broadcast(values, count * sizeof *values, 0);
    }
    const ab_status written =
        status.code == AB_OK ? member->part->methods->write_pheromone(member->part, values) : status;
    free(values);
    return written;
}

/* All begin with the pheromone of rank 0, whose rho it depends on. */
static ab_status begin_alike(const tsp_member *member)
{
    const size_t count = (size_t)member->n * (size_t)member->n;
    float *values = member->rank == 0 ? malloc(count * sizeof *values) : NULL;
    ab_status status = values || member->rank > 0 ? ab_ok() : ab_failed("out of memory for the pheromone");
    if (values) status = member->part->methods->read_pheromone(member->part, values);
    status = ranks_join(status);
    if (status.code == AB_OK) status = write_pheromone(member, values);
    free(values);
    return status;
}

static void close_member(tsp_member *member)
{
    if (member->part) member->part->work.methods->close(&member->part->work);
    free(member->tour);
    member->part = NULL;
    member->tour = NULL;
}

/* Opens the part of this rank; nothing is left of it where that fails on any. */
static ab_status open_member(const order *o, const tsp_problem *problem, ab_status gpu, tsp_member *member)
{
    *member = (tsp_member){
        .way = o->islands ? &tsp_islands_way : &tsp_split_way, .params = o->params, .n = o->n, .rank = ranks_mine()};
    ab_status status = ranks_join(open_part(o, problem, gpu, member));
    if (status.code == AB_OK && o->params.transfer != RANKS_STAGED) status = ranks_can(o->params.transfer);
    if (status.code == AB_OK) status = ranks_join(begin_alike(member));
    if (status.code != AB_OK) close_member(member);
    return status;
}

/* Part by part into rank 0's result; the best tour from the rank that has it. */
static ab_status read_parts(const tsp_member *member, const order *o, tsp_result *result)
{
    const size_t tour = (size_t)member->n + 1, ants = (size_t)count_ants(&member->params, member->rank);
    const int ranks = member->params.ranks;
    ab_memory memory = {0};
    int *counts = ab_allocate(&memory, (size_t)ranks, sizeof *counts);
    int64_t *steps = ab_allocate(&memory, (size_t)ranks, sizeof *steps), best;
    int32_t *best_tour = ab_allocate(&memory, tour, sizeof *best_tour);
    tsp_result mine = {.best_tour = best_tour};
    mine.tours = !o->tours ? NULL : result ? result->tours : ab_allocate(&memory, ants * tour, sizeof *mine.tours);
    mine.lengths = !o->lengths ? NULL : result ? result->lengths : ab_allocate(&memory, ants, sizeof *mine.lengths);
    ab_status status = ab_memory_status(&memory);
    if (status.code == AB_OK) status = member->part->methods->read(member->part, &mine);
    status = ranks_join(status);
    int owner;
    if (status.code == AB_OK) {
        for (int rank = 0; rank < ranks; rank++) counts[rank] = count_ants(&member->params, rank);
        if (mine.tours) ranks_gather(mine.tours, result ? mine.tours : NULL, counts, tour * sizeof *mine.tours);
        if (mine.lengths) ranks_gather(mine.lengths, result ? mine.lengths : NULL, counts, sizeof *mine.lengths);
        ranks_least(mine.best_length, &best, &owner);
        ranks_broadcast(best_tour, tour * sizeof *best_tour, owner);
        for (int rank = 0; rank < ranks; rank++) counts[rank] = 1;
        ranks_gather(&mine.zero_weight_steps, steps, counts, sizeof *steps);
    }
    if (status.code == AB_OK && result) {
        if (result->best_tour) memcpy(result->best_tour, best_tour, tour * sizeof *best_tour);
        result->best_length = best;
        result->zero_weight_steps = 0;
        for (int rank = 0; rank < ranks; rank++) result->zero_weight_steps += steps[rank];
        result->iterations = mine.iterations;
        result->depositors = member->way->separate ? count_ants(&member->params, 0) : 0;
    }
    ab_memory_free(&memory);
    return status;
}

static ab_status run_stage(tsp_member *member, int stage)
{
    const char *name = member->way->work(&member->params)->stage_names[stage];
    if (strcmp(name, "construct") == 0) member->iteration++;
    AB_TRY(member->way->run(member, name));
    return member->part->methods->part->wait ? member->part->methods->part->wait(member->part) : ab_ok();
}

/* What an order to an open team comes to on each rank, rank 0 included. */
static ab_status obey(tsp_member *member, const order *o, const payload *given)
{
    ranks_group(member->params.ranks);
    switch (o->kind) {
    case STAGE:
        return ranks_join(run_stage(member, o->stage));
    case READ:
        return ranks_join(read_parts(member, o, given->result));
    case WRITE:
        member->iteration = 0;
        return ranks_join(write_pheromone(member, given->pheromone));
    case POISON:
        return ranks_join(member->part->methods->poison(member->part));
    default:
        return ab_ok();
    }
}

/* ---- Ranks after the first ---- */

/* A colony's life, from the order to open it on. */
void tsp_team_serve(ab_status gpu)
{
    const payload nothing = {0};
    order o;
    tsp_problem problem;
    ab_memory memory = {0};
    tsp_member member = {0};
    ranks_await(&o, sizeof o);
    ranks_group(o.params.ranks);
    ab_status status = get_problem(&o, &problem, &memory);
    if (status.code == AB_OK) status = open_member(&o, &problem, gpu, &member);
    while (status.code == AB_OK) {
        ranks_await(&o, sizeof o);
        if (o.kind == CLOSE) break;
        (void)obey(&member, &o, &nothing); /* rank 0 knows; it will close */
    }
    close_member(&member);
    ab_memory_free(&memory);
}

/* ---- Rank 0 ---- */

static ab_status command(team *t, order o, payload given)
{
    ranks_order(&o, sizeof o, t->member.params.ranks);
    return obey(&t->member, &o, &given);
}

ab_status tsp_team_run_stage(ab_work *work, int stage)
{
    return command((team *)work, (order){.kind = STAGE, .stage = stage}, (payload){0});
}

void tsp_team_close(ab_work *work)
{
    team *t = (team *)work;
    if (!t) return;
    if (t->member.part) (void)command(t, (order){.kind = CLOSE}, (payload){0});
    close_member(&t->member);
    free(t);
    workers_release();
}

static ab_status read_team(tsp_colony *colony, tsp_result *result)
{
    const order o = {.kind = READ, .tours = result->tours, .lengths = result->lengths};
    return command((team *)colony, o, (payload){.result = result});
}

static ab_status read_pheromone(tsp_colony *colony, float *pheromone)
{
    tsp_colony *part = ((team *)colony)->member.part;
    return part->methods->read_pheromone(part, pheromone);
}

static ab_status write_all(tsp_colony *colony, const float *pheromone)
{
    return command((team *)colony, (order){.kind = WRITE}, (payload){.pheromone = (float *)pheromone});
}

static ab_status poison(tsp_colony *colony)
{
    return command((team *)colony, (order){.kind = POISON}, (payload){0});
}

static ab_status read_padded(tsp_colony *colony, tsp_padded *padded)
{
    tsp_colony *part = ((team *)colony)->member.part;
    return part->methods->read_padded(part, padded);
}

static const tsp_methods methods = {
    .read = read_team, .read_pheromone = read_pheromone, .write_pheromone = write_all, .poison = poison};
static const tsp_methods padded_methods = {.read = read_team,
                                           .read_pheromone = read_pheromone,
                                           .write_pheromone = write_all,
                                           .poison = poison,
                                           .read_padded = read_padded};

static ab_status check(const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(tsp_check(problem, params));
    AB_TRY(tsp_check_matrix(problem));
    if (params->protocol == TSP_MAX_MIN || params->improve != TSP_IMPROVE_NONE)
        return ab_unsupported("needs protocol as or as-best, and improve none: ranks do not share what these keep");
    AB_TRY(ranks_check(params->ranks));
    if (params->n_ants >= params->ranks) return ab_ok();
    return ab_unsupported("needs an ant for each of %d ranks, not %d", params->ranks, params->n_ants);
}

/* On all ranks, which have been called. */
static ab_status open_team(const order *o, const tsp_problem *problem, tsp_member *member)
{
    tsp_problem same = *problem;
    ab_memory none = {0};
    ranks_order(o, sizeof *o, o->params.ranks);
    ranks_group(o->params.ranks);
    ab_status status = get_problem(o, &same, &none);
    if (status.code == AB_OK) status = open_member(o, &same, ab_ok(), member);
    if (status.code != AB_OK) workers_release();
    return status;
}

ab_status tsp_team_open(const tsp_way *way, const char *part, ab_backend backend, const tsp_problem *problem,
                        const tsp_params *params, tsp_colony **colony)
{
    order o = {.kind = OPEN,
               .islands = way == &tsp_islands_way,
               .backend = backend,
               .params = *params,
               .n = problem->n,
               .nn = problem->nn};
    snprintf(o.part, sizeof o.part, "%s", part);
    AB_TRY(check(problem, params));
    team *t = calloc(1, sizeof *t);
    if (!t) return ab_failed("out of memory");
    ab_status status = workers_call("tsp", params->ranks);
    if (status.code == AB_OK) status = open_team(&o, problem, &t->member);
    if (status.code != AB_OK) {
        free(t);
        return status;
    }
    t->colony.work.methods = way->work(params);
    t->colony.methods = t->member.part->methods->read_padded ? &padded_methods : &methods;
    *colony = &t->colony;
    return ab_ok();
}

ab_status tsp_member_run(tsp_member *member, const char *stage)
{
    ab_work *work = &member->part->work;
    return work->methods->run_stage(work, ab_stage_named(work, stage));
}
