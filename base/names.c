/* Which name a person may have meant (base/names.h). */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"

enum { LONGEST_NAME = 64 }; /* names longer than this get no suggestion */

static int min3(int a, int b, int c)
{
    const int least = a < b ? a : b;
    return least < c ? least : c;
}

/* How many insertions, deletions, substitutions and swaps of neighbours turn a into b (the restricted
 * Damerau-Levenshtein distance); both at most LONGEST_NAME long. */
static int edit_distance(const char *a, const char *b)
{
    const int na = (int)strlen(a), nb = (int)strlen(b);
    int d[LONGEST_NAME + 1][LONGEST_NAME + 1];
    for (int i = 0; i <= na; i++) d[i][0] = i;
    for (int j = 0; j <= nb; j++) d[0][j] = j;
    for (int i = 1; i <= na; i++)
        for (int j = 1; j <= nb; j++) {
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < d[i][j]) d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[na][nb];
}

/* The edits from name to candidate; INT_MAX where too much would have to change for the one to be meant by the other.
 */
static int edits_if_near(const char *name, const char *candidate)
{
    const size_t n = strlen(name), m = strlen(candidate);
    if (n > LONGEST_NAME || m > LONGEST_NAME) return INT_MAX;
    /* If more than a third of it is wrong it is a different name. Two slips are forgiven even in a short one. */
    const int longer = (int)(n > m ? n : m);
    const int forgiven = longer / 3 > 2 ? longer / 3 : 2;
    const int edits = edit_distance(name, candidate);
    return edits <= forgiven && edits < longer ? edits : INT_MAX;
}

/* The same, where what precedes the candidate's slash may be missing. */
static int edits_to(const char *name, const char *candidate)
{
    const char *slash = strchr(candidate, '/');
    const int whole = edits_if_near(name, candidate);
    const int tail = slash ? edits_if_near(name, slash + 1) : INT_MAX;
    return whole < tail ? whole : tail;
}

const char *ab_nearest_name(const char *name, const char *const *candidates)
{
    const char *nearest = NULL;
    int least = INT_MAX;
    for (; *candidates; candidates++) {
        const int edits = edits_to(name, *candidates);
        if (edits >= least) continue;
        least = edits;
        nearest = *candidates;
    }
    return nearest;
}

void ab_search_add(ab_search *search, const char *candidate)
{
    if (search->found || !candidate) return;
    search->found = strcmp(search->name, candidate) == 0;
    const int edits = edits_to(search->name, candidate);
    if (edits == INT_MAX || (search->nearest[0] && edits >= search->edits)) return;
    search->edits = edits;
    snprintf(search->nearest, sizeof search->nearest, "%s", candidate);
}

const char *ab_search_hint(const ab_search *search, char hint[128])
{
    hint[0] = '\0';
    if (search->nearest[0]) snprintf(hint, 128, "; did you mean %s?", search->nearest);
    return hint;
}
