/* psystem on the CPU: as JSC's sequential version does it, and as fast as a CPU does.
 *
 *   cpu-seq   one thread. Every division, evolution, synchronisation and check-out of every membrane, step by step, by
 *   the
 *             family's rules (JSC §3.1); control objects are loops. Membranes come one after another, each half of a
 *             division before the other, so that there are n + 1 in memory and all is in the cache.
 *   cpu-bits  a membrane is a bit of a vector: a clause is the OR of its literals' vectors, the formula the AND of its
 *             clauses. Those of the 10 last variables are the same in every block of 2^10 membranes, so a clause's part
 *             in them is computed once; the first variables are constant in a block, so a clause that one of them makes
 *             true is left out, and none of its membranes is looked at where all of a clause's are false. Blocks are
 *             found by going down the tree of divisions with the clauses that are left, on all cores.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "baselines/cpu_colony.h"
#include "kernels/psystem/objects.h"
#include "kernels/psystem/psystem.h"
#include "operations/psystem.h"

psystem_open psystem_cpu_seq, psystem_cpu_bits;

typedef struct cpu_system {
    ps_system base; /* first */
    const cnf_formula *formula;
    uint64_t satisfying; /* number of satisfying membranes in the last run */
    uint32_t *words;     /* cpu-seq: [n + 1][n_literals]: the membranes on the way from the first to the one at hand */
    uint64_t *low;       /* cpu-bits: [m][LOW_WORDS]: where a clause's literals of the last variables make it true */
    uint32_t *when_true, *when_false; /* [m]: bit j-1: x_j, not x_j is one of the clause's literals */
    int *last;                        /* [m]: the clause's last variable, 0 where it is empty */
    ab_memory memory;
} cpu_system;

/* ---- cpu-seq ---- */

/* Rule 5, a step without a charge: r(i,k) -> r(i,k+1), up to 2n. */
CPU_MULTIVERSION static void wait_a_step(int n_words, uint32_t last, uint32_t *words)
{
    for (int l = 0; l < n_words; l++) {
        const bool waits = words[l] >> PS_KIND_SHIFT == PS_KIND_R && (words[l] & PS_INDEX_MASK) < last;
        words[l] += waits;
    }
}

/* Rules 2 and 3, a step with a charge. */
CPU_MULTIVERSION static void take_values(int n_words, uint32_t charge, uint32_t *words)
{
    for (int l = 0; l < n_words; l++) {
        const uint32_t word = words[l], kind = word >> PS_KIND_SHIFT, next = word - 1;
        const uint32_t r = (uint32_t)PS_KIND_R << PS_KIND_SHIFT | (next & PS_CLAUSE_MASK << PS_CLAUSE_SHIFT) | 1;
        const bool is_literal = kind == PS_KIND_X || kind == PS_KIND_NX, has_turn = (next & PS_INDEX_MASK) == 0;
        const uint32_t value = kind == charge ? r : 0;
        words[l] = !is_literal ? word : has_turn ? value : next;
    }
}

/* Whether there is an r(1,2n). */
CPU_MULTIVERSION static bool has_first(int n_words, uint32_t first, const uint32_t *words)
{
    uint32_t found = 0;
    for (int l = 0; l < n_words; l++) found |= words[l] == first;
    return found;
}

/* Rule 7 under -: r(i,2n) -> r(i-1,2n). */
CPU_MULTIVERSION static void move_down(int n_words, uint32_t *words)
{
    for (int l = 0; l < n_words; l++) {
        const bool moves = words[l] >> PS_KIND_SHIFT == PS_KIND_R && (words[l] >> PS_CLAUSE_SHIFT & PS_CLAUSE_MASK) > 0;
        words[l] -= (uint32_t)moves << PS_CLAUSE_SHIFT;
    }
}

/* Synchronisation and check-out of a membrane that all divisions have made. */
static bool check_out(const cnf_formula *formula, uint32_t *words)
{
    const uint32_t last = 2 * (uint32_t)formula->n, first = ps_word(PS_KIND_R, 1, last);
    for (uint32_t step = 0; step < last; step++) wait_a_step(formula->n_literals, last, words);
    for (int i = 0; i < formula->m; i++) {
        if (!has_first(formula->n_literals, first, words)) return false;
        move_down(formula->n_literals, words);
    }
    return true;
}

/* The membranes that come of one after j - 1 divisions; those that satisfy the formula. */
static uint64_t divide(const cnf_formula *formula, int j, uint32_t *words)
{
    const size_t n_literals = (size_t)formula->n_literals;
    const uint32_t last = 2 * (uint32_t)formula->n;
    uint64_t satisfying = 0;
    if (j > formula->n) return check_out(formula, words);
    wait_a_step(formula->n_literals, last, words);
    for (uint32_t charge = PS_PLUS; charge <= PS_MINUS; charge++) {
        uint32_t *half = words + n_literals;
        memcpy(half, words, n_literals * sizeof *words);
        take_values(formula->n_literals, charge, half);
        if (j < formula->n) wait_a_step(formula->n_literals, last, half);
        satisfying += divide(formula, j + 1, half);
    }
    return satisfying;
}

static ab_status run_membranes(ab_work *work, int stage)
{
    cpu_system *system = (cpu_system *)work;
    (void)stage;
    ps_encode(system->formula, system->words);
    system->satisfying = divide(system->formula, 1, system->words);
    return ab_ok();
}

/* ---- cpu-bits ---- */

enum { LOW_BITS = 10, LOW_WORDS = (1 << LOW_BITS) / 64, PREFIX_BITS = 10, BLOCKS_PER_THREAD = 32 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Bits b of a word in whose number 64 word + b, bit `place` is 0: where that variable is true. */
static uint64_t where_true(int place, int word)
{
    static const uint64_t masks[6] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                      0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    return place < 6 ? masks[place] : word >> (place - 6) & 1 ? 0 : ~UINT64_C(0);
}

static void prepare_clause(cpu_system *system, int i)
{
    const cnf_formula *formula = system->formula;
    uint64_t *low = system->low + (size_t)i * LOW_WORDS;
    memset(low, 0, LOW_WORDS * sizeof *low);
    system->when_true[i] = system->when_false[i] = 0;
    system->last[i] = 0;
    for (int l = formula->first[i]; l < formula->first[i + 1]; l++) {
        const int literal = formula->literals[l], j = abs(literal), place = formula->n - j;
        uint32_t *when = literal > 0 ? system->when_true : system->when_false;
        when[i] |= UINT32_C(1) << (j - 1);
        if (j > system->last[i]) system->last[i] = j;
        for (int word = 0; place < LOW_BITS && word < LOW_WORDS; word++)
            low[word] |= literal > 0 ? where_true(place, word) : ~where_true(place, word);
    }
}

/* The membranes of a block in which all of these clauses are true. */
CPU_MULTIVERSION static uint64_t count_block(const uint64_t *low, const int *clauses, int n_clauses, int n)
{
    uint64_t all[LOW_WORDS];
    uint64_t count = 0;
    for (int word = 0; word < LOW_WORDS; word++) all[word] = ~UINT64_C(0);
    for (int c = 0; c < n_clauses; c++)
        for (int word = 0; word < LOW_WORDS; word++) all[word] &= low[(size_t)clauses[c] * LOW_WORDS + (size_t)word];
    if (n < 6) all[0] &= (UINT64_C(1) << (1 << n)) - 1;
    for (int word = 0; word < (n < 6 ? 1 : 1 << (least(n, LOW_BITS) - 6)); word++)
        count += (uint64_t)__builtin_popcountll(all[word]);
    return count;
}

/* Copies into `left` the ones of `clauses` that x_j = value leaves open. Returns their number, or -1 if one of them
 * is now false. */
static int leave_open(const cpu_system *system, const int *clauses, int n_clauses, int j, bool value, int *left)
{
    const uint32_t *when = value ? system->when_true : system->when_false;
    int n_left = 0;
    for (int c = 0; c < n_clauses; c++) {
        const int i = clauses[c];
        if (when[i] >> (j - 1) & 1) continue;
        if (system->last[i] <= j) return -1;
        left[n_left++] = i;
    }
    return n_left;
}

/* The membranes below one that j - 1 divisions have made, in which `clauses` are open; `left` has room for m clauses
 * for every division to come. */
static uint64_t descend(const cpu_system *system, const int *clauses, int n_clauses, int j, int *left)
{
    uint64_t count = 0;
    if (j > system->formula->n - LOW_BITS) return count_block(system->low, clauses, n_clauses, system->formula->n);
    for (int value = 0; value <= 1; value++) {
        const int n_left = leave_open(system, clauses, n_clauses, j, value, left);
        if (n_left >= 0) count += descend(system, left, n_left, j + 1, left + system->formula->m);
    }
    return count;
}

/* The membranes whose numbers begin with these bits: x_1 is true where the first of n_bits is 0. */
static uint64_t count_prefix(const cpu_system *system, int n_bits, int prefix, int *room)
{
    const int m = system->formula->m;
    int n_clauses = m;
    int *clauses = room, *left = room + m;
    for (int i = 0; i < m; i++) clauses[i] = i;
    for (int j = 1; j <= n_bits; j++, clauses = left, left += m) {
        n_clauses = leave_open(system, clauses, n_clauses, j, !(prefix >> (n_bits - j) & 1), left);
        if (n_clauses < 0) return 0;
    }
    return descend(system, clauses, n_clauses, n_bits + 1, left);
}

/* Returns the number of bits of the membranes that threads share. */
static int prefix_bits(int n)
{
    return n > LOW_BITS ? least(n - LOW_BITS, PREFIX_BITS) : 0;
}

static ab_status run_bits(ab_work *work, int stage)
{
    cpu_system *system = (cpu_system *)work;
    const int n = system->formula->n, m = system->formula->m;
    const int n_bits = prefix_bits(n), threads = system->base.work.threads;
    uint64_t satisfying = 0;
    bool failed = false;
    (void)stage;
    for (int i = 0; i < m; i++) prepare_clause(system, i);
#pragma omp parallel num_threads(threads) reduction(+ : satisfying) reduction(|| : failed)
    {
        int *room = malloc((size_t)(n + 2) * (size_t)m * sizeof *room);
        failed = room == NULL;
#pragma omp for schedule(dynamic)
        for (int prefix = 0; prefix < 1 << n_bits; prefix++)
            if (room) satisfying += count_prefix(system, n_bits, prefix, room);
        free(room);
    }
    system->satisfying = satisfying;
    return failed ? ab_failed("out of memory for %d clauses in %d threads", m, threads) : ab_ok();
}

/* ---- Opening, reading ---- */

static void close_system(ab_work *work)
{
    if (work == NULL) return;
    ab_memory_free(&((cpu_system *)work)->memory);
    free(work);
}

static ab_status result(ps_system *base, ps_result *found)
{
    const cpu_system *system = (const cpu_system *)base;
    *found = (ps_result){system->satisfying > 0, system->satisfying, ps_steps(system->formula->n, system->formula->m)};
    return ab_ok();
}

static ab_status poison(ps_system *base)
{
    ((cpu_system *)base)->satisfying = UINT64_MAX;
    return ab_ok();
}

static ab_status open_system(const cnf_formula *formula, const ps_params *params, const ab_work_methods *work_methods,
                             cpu_system **opened)
{
    static const ps_methods methods = {.result = result, .poison = poison};
    AB_TRY(ps_check(params));
    AB_TRY(ps_check_formula(formula));
    cpu_system *system = calloc(1, sizeof *system);
    if (!system) return ab_failed("out of memory");
    system->base = (ps_system){{.methods = work_methods}, &methods};
    system->formula = formula;
    *opened = system;
    return ab_ok();
}

/* Hands over what was opened if its memory was to be had. */
static ab_status finish(cpu_system *system, ps_system **opened)
{
    const ab_status status = ab_memory_status(&system->memory);
    if (status.code == AB_OK)
        *opened = &system->base;
    else
        close_system(&system->base.work);
    return status;
}

ab_status psystem_cpu_seq(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ab_work_methods work_methods = {1, {"run"}, run_membranes, close_system};
    cpu_system *system = NULL;
    AB_TRY(open_system(formula, params, &work_methods, &system));
    system->words =
        ab_allocate(&system->memory, (size_t)(formula->n + 1) * (size_t)formula->n_literals + 1, sizeof(uint32_t));
    return finish(system, opened);
}

ab_status psystem_cpu_bits(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    static const ab_work_methods work_methods = {1, {"run"}, run_bits, close_system};
    const size_t m = (size_t)formula->m;
    cpu_system *system = NULL;
    AB_TRY(open_system(formula, params, &work_methods, &system));
    const int threads = params->threads > 0 ? params->threads : omp_get_num_procs();
    system->base.work.threads =
        formula->n > 20 ? threads : least(threads, 1 + (1 << prefix_bits(formula->n)) / BLOCKS_PER_THREAD);
    system->low = ab_allocate(&system->memory, m * LOW_WORDS, sizeof(uint64_t));
    system->when_true = ab_allocate(&system->memory, m, sizeof(uint32_t));
    system->when_false = ab_allocate(&system->memory, m, sizeof(uint32_t));
    system->last = ab_allocate(&system->memory, m, sizeof(int));
    return finish(system, opened);
}
