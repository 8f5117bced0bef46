/* What a person sees while a run goes on: "[i/n] row ... ETA 3 min" rewritten in place on a terminal, one line per
 * finished row elsewhere, of at most 100 columns. All of it goes to stderr; nothing with --quiet. */
#ifndef ANTBENCH_PROGRESS_H
#define ANTBENCH_PROGRESS_H

#include <stdbool.h>

typedef struct ab_progress {
    int total, done;         /* rows */
    double estimated_s;      /* of the rows not yet done, as estimated beforehand */
    double spent_s;          /* in finished rows */
    double spent_estimate_s; /* what had been estimated for those: corrects the rest */
    char part[32];           /* "process 2 of 3: ", or "" */
    bool quiet, terminal;    /* --quiet was given; stderr is a terminal */
} ab_progress;

ab_progress ab_progress_start(int total, double estimated_s, bool quiet);

/* A row begins. */
void ab_progress_row(ab_progress *progress, const char *label);

/* A row ended, with what it came to ("12.3 ms", "unsupported: ..."); estimated_s and took_s are what it should have
 * taken and what it took. */
void ab_progress_done(ab_progress *progress, const char *label, const char *outcome, double estimated_s, double took_s);

/* "45 s", "3 min", "2 h 10 min" into text[24], rounded up to the unit shown. */
void ab_format_duration(double seconds, char text[24]);

#endif
