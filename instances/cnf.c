/* DIMACS files (instances/cnf.h), and the formula that grows (instances/clauses.h). */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "instances/clauses.h"
#include "instances/text.h"

/* ---- A formula that grows ---- */

static ab_status make_room(cnf_clauses *clauses)
{
    cnf_formula *formula = clauses->formula;
    if ((size_t)formula->n_literals < clauses->capacity) return ab_ok();
    if (formula->n_literals == INT32_MAX) return ab_bad_input("more than %d literals", INT32_MAX);
    clauses->capacity = 2 * clauses->capacity + 64;
    int32_t *literals = realloc(formula->literals, clauses->capacity * sizeof *literals);
    if (literals == NULL) return ab_failed("no memory for %zu literals", clauses->capacity);
    formula->literals = literals;
    return ab_ok();
}

ab_status cnf_clauses_begin(cnf_clauses *clauses, cnf_formula *formula)
{
    *clauses = (cnf_clauses){.formula = formula};
    formula->first = calloc((size_t)formula->m + 1, sizeof *formula->first);
    clauses->seen = calloc(2 * (size_t)formula->n + 1, sizeof *clauses->seen);
    if (formula->first && clauses->seen) return make_room(clauses);
    return ab_failed("no memory for %d clauses of %d variables", formula->m, formula->n);
}

void cnf_clauses_end(cnf_clauses *clauses)
{
    free(clauses->seen);
}

ab_status cnf_clauses_add(cnf_clauses *clauses, int literal)
{
    cnf_formula *formula = clauses->formula;
    int32_t *seen = clauses->seen + formula->n;
    const int32_t clause = clauses->n_closed + 1;
    AB_TRY(make_room(clauses));
    if (seen[literal] == clause) {
        formula->repeated++;
        return ab_ok();
    }
    seen[literal] = clause;
    clauses->tautology |= seen[-literal] == clause;
    formula->literals[formula->n_literals++] = literal;
    return ab_ok();
}

void cnf_clauses_close(cnf_clauses *clauses)
{
    clauses->formula->tautologies += clauses->tautology;
    clauses->tautology = false;
    clauses->formula->first[++clauses->n_closed] = clauses->formula->n_literals;
}

void cnf_free(cnf_formula *formula)
{
    free(formula->literals);
    free(formula->first);
    *formula = (cnf_formula){0};
}

/* ---- DIMACS ---- */

static bool begins_line(const tsplib_text *text, const char *at)
{
    while (at > text->bytes && (at[-1] == ' ' || at[-1] == '\t')) at--;
    return at == text->bytes || at[-1] == '\n';
}

/* The next token that is not in a comment, which is a line that begins with c. False at the end, which % is too. */
static bool next_word(tsplib_text *text, tsplib_span *word)
{
    while (tsplib_next_token(text, TSPLIB_ANY_LINE, word)) {
        const bool first = begins_line(text, word->start);
        if (first && *word->start == '%') return false;
        if (!first || *word->start != 'c') return true;
        while (tsplib_next_token(text, TSPLIB_SAME_LINE, word)) continue;
    }
    return false;
}

static ab_status read_size(tsplib_text *text, const char *what, int *size)
{
    tsplib_span word;
    if (!tsplib_next_token(text, TSPLIB_SAME_LINE, &word))
        return tsplib_error(text, "expected \"p cnf VARIABLES CLAUSES\", the number of %s is missing", what);
    return tsplib_integer(text, word, what, 1, CNF_MOST, size);
}

static ab_status read_header(tsplib_text *text, cnf_formula *formula)
{
    tsplib_span word;
    char quoted[TSPLIB_QUOTE];
    if (!next_word(text, &word)) return tsplib_error(text, "there is no line \"p cnf VARIABLES CLAUSES\"");
    if (!tsplib_is(word, "p"))
        return tsplib_error(text, "expected \"p cnf VARIABLES CLAUSES\", got \"%s\"", tsplib_quote(word, quoted));
    if (!tsplib_next_token(text, TSPLIB_SAME_LINE, &word) || !tsplib_is(word, "cnf"))
        return tsplib_error(text, "expected \"p cnf VARIABLES CLAUSES\": only the format cnf is read");
    AB_TRY(read_size(text, "variables", &formula->n));
    AB_TRY(read_size(text, "clauses", &formula->m));
    if (!tsplib_next_token(text, TSPLIB_SAME_LINE, &word)) return ab_ok();
    return tsplib_error(text, "unexpected \"%s\" after the number of clauses", tsplib_quote(word, quoted));
}

static ab_status read_clauses(tsplib_text *text, cnf_clauses *clauses)
{
    const cnf_formula *formula = clauses->formula;
    tsplib_span word;
    int literal = 0;
    while (next_word(text, &word)) {
        if (clauses->n_closed == formula->m)
            return tsplib_error(text, "more clauses than the %d that the line \"p cnf\" says", formula->m);
        AB_TRY(tsplib_integer(text, word, "a literal", -formula->n, formula->n, &literal));
        if (literal != 0)
            AB_TRY(cnf_clauses_add(clauses, literal));
        else
            cnf_clauses_close(clauses);
    }
    if (literal != 0) return tsplib_error(text, "the last clause does not end with 0");
    if (clauses->n_closed == formula->m) return ab_ok();
    return tsplib_error(text, "%d clauses, but the line \"p cnf\" says %d", clauses->n_closed, formula->m);
}

static ab_status read_text(tsplib_text *text, cnf_formula *formula)
{
    cnf_clauses clauses;
    AB_TRY(read_header(text, formula));
    ab_status status = cnf_clauses_begin(&clauses, formula);
    if (status.code == AB_OK) status = read_clauses(text, &clauses);
    cnf_clauses_end(&clauses);
    return status;
}

/* The file's name without its folder and .cnf. */
static void name_after(const char *path, cnf_formula *formula)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    if (length > 4 && strcmp(base + length - 4, ".cnf") == 0) length -= 4;
    if (length >= sizeof formula->name) length = sizeof formula->name - 1;
    memcpy(formula->name, base, length);
}

ab_status cnf_read(const char *path, cnf_formula *formula)
{
    tsplib_text text;
    *formula = (cnf_formula){0};
    if (strlen(path) >= sizeof formula->path) return ab_bad_input("%.200s: the path is too long", path);
    ab_status status = tsplib_open(path, &text);
    if (status.code == AB_OK) status = read_text(&text, formula);
    if (status.code == AB_OK) {
        strcpy(formula->path, path);
        name_after(path, formula);
        sha256_hex(text.bytes, (size_t)(text.end - text.bytes), formula->sha256);
    } else {
        cnf_free(formula);
    }
    tsplib_close(&text);
    return status;
}
