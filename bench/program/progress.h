/* Shows the progress of a run on stderr: "[i/n] row ... ETA 3 min". On a terminal it rewrites this line in place.
 * Elsewhere it writes one line per finished row, of at most 100 columns. With --quiet it writes nothing. */
#ifndef ANTBENCH_PROGRESS_H
#define ANTBENCH_PROGRESS_H

#include <stdbool.h>

typedef struct ab_progress {
    int total, done;         /* numbers of rows */
    double estimated_s;      /* estimated seconds of the rows that are not done */
    double spent_s;          /* seconds spent on finished rows */
    double spent_estimate_s; /* estimate for the finished rows, which corrects the estimate of the rest */
    char part[32];           /* "process 2 of 3: ", or "" */
    bool quiet, terminal;    /* true if --quiet was given; true if stderr is a terminal */
} ab_progress;

ab_progress ab_progress_start(int total, double estimated_s, bool quiet);

/* Shows that a row begins. */
void ab_progress_row(ab_progress *progress, const char *label);

/* Shows that a row ended, with its outcome ("12.3 ms", "unsupported: ..."). estimated_s is the estimated time, took_s
 * the true one. */
void ab_progress_done(ab_progress *progress, const char *label, const char *outcome, double estimated_s, double took_s);

/* Writes "45 s", "3 min" or "2 h 10 min" to text[24], rounded up to the unit shown. */
void ab_format_duration(double seconds, char text[24]);

#endif
