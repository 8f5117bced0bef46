/* Which name a person may have meant (bench/harness/options.h). */
#include <stdlib.h>
#include <string.h>

#include "bench/harness/options.h"

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

const char *ab_nearest_name(const char *name, const char *const *candidates)
{
    const size_t length = strlen(name);
    const char *nearest = NULL;
    int least = LONGEST_NAME + 1;
    for (; length <= LONGEST_NAME && *candidates; candidates++) {
        const size_t candidate_length = strlen(*candidates);
        if (candidate_length > LONGEST_NAME) continue;
        /* With more than a third of it wrong it is a different name; two slips are forgiven even in a short one. */
        const int longer = (int)(length > candidate_length ? length : candidate_length);
        const int forgiven = longer / 3 > 2 ? longer / 3 : 2;
        const int distance = edit_distance(name, *candidates);
        if (distance > forgiven || distance >= longer || distance >= least) continue;
        least = distance;
        nearest = *candidates;
    }
    return nearest;
}
