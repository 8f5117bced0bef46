/* Progress on stderr (bench/harness/progress.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/harness/progress.h"

ab_progress ab_progress_start(int total, double estimated_s, bool quiet)
{
    return (ab_progress){
        .total = total, .estimated_s = estimated_s, .quiet = quiet, .terminal = isatty(STDERR_FILENO) == 1};
}

/* What is left, corrected by how well the estimates held so far. */
static double remaining_seconds(const ab_progress *progress)
{
    const double correction = progress->spent_estimate_s > 0 ? progress->spent_s / progress->spent_estimate_s : 1;
    return fmax(progress->estimated_s, 0) * correction;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Rewrites the terminal's line, cut to the width: of a wrapped text only the last line could be rewritten. */
static void show_in_place(const char *line)
{
    fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, line);
    fflush(stderr);
}

void ab_progress_row(ab_progress *progress, const char *label)
{
    char line[512], eta[24];
    if (progress->quiet || !progress->terminal) return;
    ab_format_duration(remaining_seconds(progress), eta);
    snprintf(line, sizeof line, "%s[%d/%d] %s ... ETA %s", progress->part, progress->done + 1, progress->total, label,
             eta);
    show_in_place(line);
}

void ab_progress_done(ab_progress *progress, const char *label, const char *outcome, double estimated_s, double took_s)
{
    char line[512], eta[24];
    progress->done++;
    progress->estimated_s -= estimated_s;
    progress->spent_s += took_s;
    progress->spent_estimate_s += estimated_s;
    if (progress->quiet) return;
    const bool last = progress->done == progress->total;
    ab_format_duration(remaining_seconds(progress), eta);
    snprintf(line, sizeof line, "%s[%d/%d] %s: %s%s%s", progress->part, progress->done, progress->total, label, outcome,
             last ? "" : ", ETA ", last ? "" : eta);
    if (!progress->terminal)
        fprintf(stderr, "%s\n", line);
    else
        show_in_place(last ? "" : line); /* the table follows */
}

void ab_format_duration(double seconds, char text[24])
{
    const double minutes = ceil(seconds / 60), hours = floor(minutes / 60);
    if (!isfinite(seconds) || seconds >= 1e9)
        strcpy(text, "unknown");
    else if (seconds <= 59)
        snprintf(text, 24, "%.0f s", ceil(fmax(seconds, 0)));
    else if (minutes < 60)
        snprintf(text, 24, "%.0f min", minutes);
    else
        snprintf(text, 24, "%.0f h %.0f min", hours, minutes - 60 * hours);
}
