/* From the name that a user gives to a formula: a file, or one that is drawn (instances/cnf.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lookup.h"
#include "instances/cnf.h"

static const char *const subfolders[] = {"", NULL};
static const char *const extensions[] = {".cnf", NULL};
static const char *const examples[] = {"2^13", "2^21", "k3-n20-m91", "k3-n20-m91-sat", "k3-n20-m91-unsat", NULL};
static const ab_shelf shelf = {.what = "formula",
                               .variable = "CNF_DIR",
                               .subfolders = subfolders,
                               .folder = "instances/cnf",
                               .extensions = extensions,
                               .examples = examples};

/* ---- Names of formulas that are drawn ---- */

/* Moves behind `prefix` and a number without leading zeros, 1 .. 999999999; false, and nothing moves, where they are
 * not there. */
static bool skip_number(const char **text, const char *prefix, int *number)
{
    const size_t length = strlen(prefix);
    if (strncmp(*text, prefix, length) != 0) return false;
    const char *digits = *text + length;
    const size_t n_digits = strspn(digits, "0123456789");
    if (n_digits == 0 || n_digits > 9 || digits[0] == '0') return false;
    *number = atoi(digits);
    *text = digits + n_digits;
    return true;
}

static bool skip_word(const char **text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0) return false;
    *text += length;
    return true;
}

/* JSC §4 has no more of them than their variables and literals: clauses of 4 divide both 256 and 200. */
static bool parse_jsc(const char *name, cnf_draw *draw)
{
    *draw = (cnf_draw){.k = 4, .seed = 1};
    if (!skip_number(&name, "2^", &draw->n) || *name != '\0') return false;
    draw->m = (draw->n < 22 ? 256 : 200) / draw->k;
    return true;
}

static bool parse_draw(const char *name, cnf_draw *draw)
{
    int variant = 1;
    if (parse_jsc(name, draw)) return true;
    *draw = (cnf_draw){.planting = CNF_RANDOM};
    if (!skip_number(&name, "k", &draw->k) || !skip_number(&name, "-n", &draw->n) ||
        !skip_number(&name, "-m", &draw->m))
        return false;
    if (skip_word(&name, "-sat")) draw->planting = CNF_SATISFIABLE;
    if (draw->planting == CNF_RANDOM && skip_word(&name, "-unsat")) draw->planting = CNF_UNSATISFIABLE;
    skip_number(&name, "-", &variant);
    draw->seed = (uint64_t)variant;
    return *name == '\0';
}

/* ---- Formulas ---- */

/* What a name stands for: the file at `path`, or where that is empty what is drawn. */
static ab_status find_source(const char *name, char path[AB_PATH_SIZE], cnf_draw *draw)
{
    AB_TRY(ab_find_file(&shelf, name, path));
    const bool known = path[0] != '\0' || parse_draw(name, draw) || ab_find_here(name, path);
    return known ? ab_ok() : ab_unknown_name(&shelf, name);
}

ab_status cnf_check_name(const char *name)
{
    char path[AB_PATH_SIZE];
    cnf_draw draw;
    return find_source(name, path, &draw);
}

ab_status cnf_load(const char *name, cnf_formula *formula)
{
    char path[AB_PATH_SIZE];
    cnf_draw draw;
    *formula = (cnf_formula){0};
    AB_TRY(find_source(name, path, &draw));
    if (path[0] != '\0') return cnf_read(path, formula);
    AB_TRY(cnf_generate(&draw, formula));
    snprintf(formula->name, sizeof formula->name, "%s", name);
    return ab_ok();
}
