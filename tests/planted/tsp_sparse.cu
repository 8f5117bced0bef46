/* tsp/race-sparse itself, right as it stands and wrong in one way for each planted fault: verification or the test of
 * proportions must find every one (tests/kernels/tsp/test_sparse.c). Device memory is the heap on the host backend. */
#define tsp_race_sparse planted_sparse_rung
#include "kernels/tsp/race_sparse.cu"

#include "tests/planted/tsp_sparse.h"
#include "tests/planted/tsp_tables.h"

static ab_status deposit_and_forget(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    AB_TRY(deposit(colony, params, iteration));
    const sparse_rows rows = rows_of(colony, params);
    for (int row = 0; row < colony->n; ++row) rows.next[row] = 0;
    rows.state->used = 0;
    return ab_ok();
}

static ab_status deposit_alone(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    const sparse_rows rows = rows_of(colony, params);
    const float background = rows.state->background;
    AB_TRY(deposit(colony, params, iteration));
    rows.state->background = background;
    return ab_ok();
}

static ab_status begin_with_clocks(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(begin(colony, problem, params));
    return choice(colony, params, 0);
}

static ab_status no_choice(const tsp_device *, const tsp_params *, unsigned)
{
    return ab_ok();
}

static ab_status begin_elsewhere(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(begin(colony, problem, params));
    const sparse_rows rows = rows_of(colony, params);
    tsp_box *const leaves = (tsp_box *)rows.leaves;
    int *const ring = (int *)rows.ring;
    for (int leaf = 0; leaf < rows.n_leaves; ++leaf) leaves[leaf] = rows.leaves[0];
    for (int i = 0; i < colony->n * RING; ++i) ring[i] = i / RING; /* so that boxes are looked at */
    return ab_ok();
}

static ab_status begin_full(const tsp_device *colony, const tsp_problem *problem, const tsp_params *params)
{
    AB_TRY(begin(colony, problem, params));
    const sparse_rows rows = rows_of(colony, params);
    rows.state->used = rows.n_blocks - colony->n;
    return ab_ok();
}

#define SPARSE(its_begin, its_choice, its_deposit)                                                                     \
    {                                                                                                                  \
        .construct = construct, .choice = its_choice, .deposit = its_deposit, .check = check,                          \
        .scratch_bytes = scratch_bytes, .begin = its_begin, .read_edges = read_edges, .write_edges = write_edges       \
    }

template <int fault> static ab_status open_faulty(const void *problem, const void *params, ab_work **work)
{
    static const tsp_rung rungs[N_SPARSE_FAULTS] = {
        SPARSE(begin, choice, deposit),           SPARSE(begin, choice, deposit_and_forget),
        SPARSE(begin, choice, deposit_alone),     SPARSE(begin_with_clocks, no_choice, deposit),
        SPARSE(begin_elsewhere, choice, deposit), SPARSE(begin_full, choice, deposit),
    };
    tsp_colony *colony = NULL;
    const ab_status status =
        AB_GPU(tsp_open)(&rungs[fault], (const tsp_problem *)problem, (const tsp_params *)params, &colony);
    *work = colony ? &colony->work : NULL;
    return status;
}

extern "C" ab_open *planted_sparse(int fault)
{
    static ab_open *const opens[N_SPARSE_FAULTS] = {open_faulty<0>, open_faulty<1>, open_faulty<2>,
                                                    open_faulty<3>, open_faulty<4>, open_faulty<5>};
    return opens[fault];
}

/* ---- What the clocks stand for ---- */

static ab_status choice_shown(const tsp_device *colony, const tsp_params *params, unsigned iteration)
{
    const sparse_rows rows = rows_of(colony, params);
    const size_t n = (size_t)colony->n;
    AB_TRY(choice(colony, params, iteration));
    for (size_t k = 0; k < n * n; ++k) planted_tables.rate[k] = 0.0;
    for (size_t k = 0; k < n * EDGES; ++k) { /* by place */
        const size_t row = (size_t)rows.city[k / EDGES], to = (size_t)rows.city[rows.clocks[k].to];
        planted_tables.rate[row * n + to] += 1.0 / (double)rows.clocks[k].mean;
        planted_tables.unit[row] = 0.0;
    }
    return ab_ok();
}

extern "C" ab_status planted_sparse_with_tables(const void *problem, const void *params, ab_work **work)
{
    static const tsp_rung rung = SPARSE(begin, choice_shown, deposit);
    tsp_colony *colony = NULL;
    const ab_status status = AB_GPU(tsp_open)(&rung, (const tsp_problem *)problem, (const tsp_params *)params, &colony);
    *work = colony ? &colony->work : NULL;
    return status;
}
