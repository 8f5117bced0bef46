/* The host side of psystem, of every implementation (kernels/psystem/psystem.h). */
#include <stddef.h>
#include <stdlib.h>

#include "kernels/psystem/objects.h"
#include "kernels/psystem/psystem.h"

#define AT(member) offsetof(ps_params, member)

const ab_parameter ps_parameters[] = {
    {.name = "block",
     .help = "threads per block of a GPU; auto: as the kernel likes",
     .offset = AT(block),
     .least = 32,
     .most = 1024,
     .word = "auto",
     .shown = AB_SHOWN_SET},
    {.name = "tile",
     .help = "membranes per block of psystem/tiled, a power of 2; auto: 32",
     .offset = AT(tile),
     .least = 1,
     .most = 1024,
     .word = "auto",
     .shown = AB_SHOWN_NONZERO},
    {.name = "piece",
     .help = "2^piece membranes at most are in memory at a time",
     .offset = AT(piece),
     .most = PS_MOST_VARIABLES,
     .fallback = PS_MOST_VARIABLES,
     .shown = AB_SHOWN_SET},
    {.name = "steps",
     .help = "of the simulators of single steps; all: until the answer leaves",
     .offset = AT(steps),
     .least = 1,
     .most = INT32_MAX,
     .word = "all",
     .shown = AB_SHOWN_SET},
    {.name = "threads",
     .help = "of a CPU implementation; all: all cores",
     .offset = AT(threads),
     .least = 1,
     .most = 1024,
     .fallback = 1,
     .word = "all",
     .shown = AB_SHOWN_CPU | AB_FITTED},
    {.name = NULL},
};

ps_params ps_default_params(void)
{
    ps_params params;
    ab_parameters_default(ps_parameters, &params);
    return params;
}

ab_status ps_check(const ps_params *params)
{
    AB_TRY(ab_parameters_check(ps_parameters, params));
    if (params->block % 32 != 0) return ab_bad_input("block must be a multiple of 32, not %d", params->block);
    if ((params->tile & (params->tile - 1)) == 0) return ab_ok();
    return ab_bad_input("tile must be a power of 2, not %d", params->tile);
}

ab_status ps_check_formula(const cnf_formula *formula)
{
    if (formula->n > PS_MOST_VARIABLES)
        return ab_unsupported("%d variables are 2^%d membranes; up to %d variables are simulated", formula->n,
                              formula->n, PS_MOST_VARIABLES);
    if (formula->m > PS_MOST_CLAUSES)
        return ab_unsupported("%d clauses; up to %d are simulated", formula->m, PS_MOST_CLAUSES);
    return ab_ok();
}

void ps_configuration_free(ps_configuration *configuration)
{
    free(configuration->charges);
    free(configuration->objects);
    *configuration = (ps_configuration){0};
}

/* ---- Counting ---- */

/* Bit b of a variable's mask: whether the variable is true in membrane b of 64 whose numbers differ in 6 bits. */
static const uint64_t low_masks[6] = {
    0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
    0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
};

static uint64_t literal_bits(int n, int literal, uint64_t word)
{
    const int bit = n - abs(literal);
    const uint64_t is_true = bit < 6 ? low_masks[bit] : (word >> (bit - 6) & 1) - 1;
    return literal > 0 ? is_true : ~is_true;
}

/* Which of the membranes 64 word .. 64 word + 63 satisfy the formula. */
static uint64_t satisfying_bits(const cnf_formula *formula, uint64_t word)
{
    const int n = formula->n;
    uint64_t all = n < 6 ? (UINT64_C(1) << (1 << n)) - 1 : ~UINT64_C(0);
    for (int i = 0; i < formula->m && all; i++) {
        uint64_t any = 0;
        for (int l = formula->first[i]; l < formula->first[i + 1]; l++)
            any |= literal_bits(n, formula->literals[l], word);
        all &= any;
    }
    return all;
}

uint64_t ps_count(const cnf_formula *formula, uint8_t *flags)
{
    const uint64_t n_words = formula->n < 6 ? 1 : UINT64_C(1) << (formula->n - 6);
    const int width = formula->n < 6 ? 1 << formula->n : 64;
    uint64_t count = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : count)
    for (uint64_t word = 0; word < n_words; word++) {
        const uint64_t bits = satisfying_bits(formula, word);
        count += (uint64_t)__builtin_popcountll(bits);
        for (int b = 0; flags && b < width; b++) flags[64 * word + (uint64_t)b] = bits >> b & 1;
    }
    return count;
}

/* ---- Verification ---- */

static ab_status differs(bool *wrong, const char *what, unsigned long long found, unsigned long long expected)
{
    *wrong = true;
    return ab_failed("%s: %llu, expected %llu", what, found, expected);
}

static ab_status compare_result(ps_system *system, const cnf_formula *formula, uint64_t expected, bool *wrong)
{
    const int steps = ps_steps(formula->n, formula->m);
    ps_result found = {0};
    AB_TRY(system->methods->result(system, &found));
    if (found.satisfying != expected) return differs(wrong, "satisfying membranes", found.satisfying, expected);
    if (found.yes != (expected > 0)) return differs(wrong, "answer (1: Yes)", found.yes, expected > 0);
    if (found.steps != steps)
        return differs(wrong, "steps", (unsigned long long)found.steps, (unsigned long long)steps);
    return ab_ok();
}

static ab_status compare_flags(ps_system *system, const cnf_formula *formula, bool *wrong)
{
    if (!system->methods->flags || formula->n > PS_VERIFIED_FLAGS) return ab_ok();
    const size_t membranes = (size_t)1 << formula->n;
    uint8_t *found = malloc(2 * membranes);
    if (!found) return ab_failed("out of memory: %zu MiB to check the membranes", 2 * membranes >> 20);
    uint8_t *expected = found + membranes;
    ab_status status = system->methods->flags(system, found);
    if (status.code == AB_OK) ps_count(formula, expected);
    for (size_t q = 0; q < membranes && status.code == AB_OK; q++) {
        if (found[q] == expected[q]) continue;
        *wrong = true;
        status = ab_failed("membrane %zu: %d, expected %d (1: satisfies the formula)", q, found[q], expected[q]);
    }
    free(found);
    return status.code == AB_UNSUPPORTED ? ab_ok() : status; /* in pieces: no flags */
}

/* The word of a literal without its index: r of its clause if it is true in membrane q, else 0. */
static uint32_t word_without_index(const cnf_formula *formula, int literal, int clause, uint64_t q)
{
    const bool value = !(q >> (formula->n - abs(literal)) & 1);
    return value == (literal > 0) ? ps_word(PS_KIND_R, (unsigned)clause, 0) : 0;
}

static ab_status compare_words(ps_system *system, const cnf_formula *formula, bool *wrong)
{
    const size_t n_literals = (size_t)formula->n_literals;
    if (!system->methods->words || n_literals << formula->n > PS_VERIFIED_WORDS) return ab_ok();
    uint32_t *words = malloc((n_literals << formula->n) * sizeof *words + 1);
    if (!words) return ab_failed("out of memory for %zu words", n_literals << formula->n);
    ab_status status = system->methods->words(system, words);
    for (uint64_t q = 0; q < UINT64_C(1) << formula->n; q++)
        for (int i = 1; i <= formula->m; i++)
            for (int l = formula->first[i - 1]; l < formula->first[i] && status.code == AB_OK; l++) {
                const uint32_t found = words[q * n_literals + (size_t)l] & ~(uint32_t)PS_INDEX_MASK;
                const uint32_t expected = word_without_index(formula, formula->literals[l], i, q);
                if (found == expected) continue;
                *wrong = true;
                status = ab_failed("membrane %llu, literal %d of clause %d: word %08x, expected %08x",
                                   (unsigned long long)q, formula->literals[l], i, found, expected);
            }
    free(words);
    return status.code == AB_UNSUPPORTED ? ab_ok() : status; /* in pieces: no words */
}

static ab_status compare_skin(ps_system *system, const cnf_formula *formula, bool *wrong)
{
    uint64_t found = 0;
    if (!system->methods->skin) return ab_ok();
    const ab_status status = system->methods->skin(system, &found);
    if (status.code == AB_UNSUPPORTED) return ab_ok(); /* in pieces */
    AB_TRY(status);
    const uint64_t expected = UINT64_C(1) << formula->n;
    return found == expected ? ab_ok() : differs(wrong, "objects d in the skin", found, expected);
}

static ab_status compare_choices(ps_system *system, bool *wrong)
{
    ps_configuration left;
    if (!system->methods->configuration) return ab_ok();
    AB_TRY(system->methods->configuration(system, &left));
    const int64_t conflicts = left.conflicts;
    ps_configuration_free(&left);
    return conflicts ? differs(wrong, "choices left open", (unsigned long long)conflicts, 0) : ab_ok();
}

ab_status psystem_verify(ps_system *system, const cnf_formula *formula, uint64_t expected, bool *wrong)
{
    *wrong = false;
    AB_TRY(system->methods->poison(system));
    AB_TRY(ab_iterate(&system->work));
    AB_TRY(compare_result(system, formula, expected, wrong));
    AB_TRY(compare_flags(system, formula, wrong));
    AB_TRY(compare_words(system, formula, wrong));
    AB_TRY(compare_skin(system, formula, wrong));
    return compare_choices(system, wrong);
}
