/* Shows progress on stderr (bench/program/progress.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/program/progress.h"

ab_progress ab_progress_start(int total, double estimated_s, bool quiet)
{
    return (ab_progress){
        .total = total, .estimated_s = estimated_s, .quiet = quiet, .terminal = isatty(STDERR_FILENO) == 1};
}

/* Returns the estimate of the rest, corrected by how accurate the estimates were so far. */
static double remaining_seconds(const ab_progress *progress)
{
    const double correction = progress->spent_estimate_s > 0 ? progress->spent_s / progress->spent_estimate_s : 1;
    return fmax(progress->estimated_s, 0) * correction;
}

enum { LINE_WIDTH = 100, LEAST_LABEL = 36 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Cuts text to this many bytes and ends it with three dots. Never cuts within a character. */
static void cut(char *text, int width)
{
    static const char points[] = "...";
    int end = width - (int)strlen(points);
    if ((int)strlen(text) <= width) return;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) --end;
    strcpy(text + (end > 0 ? end : 0), points);
}

static int terminal_width(void)
{
    struct winsize size;
    const int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return least(width, LINE_WIDTH + 1);
}

/* Rewrites the terminal's line, cut to its width. If a text wrapped, only its last line could be rewritten. */
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
    char line[1024], before[64], of[512], came_to[128], eta[24], after[32] = "";
    progress->done++;
    progress->estimated_s -= estimated_s;
    progress->spent_s += took_s;
    progress->spent_estimate_s += estimated_s;
    if (progress->quiet) return;
    const bool last = progress->done == progress->total;
    ab_format_duration(remaining_seconds(progress), eta);
    snprintf(before, sizeof before, "%s[%d/%d] ", progress->part, progress->done, progress->total);
    snprintf(of, sizeof of, "%s", label);
    snprintf(came_to, sizeof came_to, "%s", outcome);
    if (!last) snprintf(after, sizeof after, ", ETA %s", eta);
    /* The outcome matters most, so the row's name is cut first, as far as it stays recognisable. */
    const int room = LINE_WIDTH - (int)(strlen(before) + strlen(": ") + strlen(after));
    const int needed = room - (int)strlen(came_to), named = least((int)strlen(of), LEAST_LABEL);
    cut(of, needed > named ? needed : named);
    cut(came_to, room - (int)strlen(of));
    snprintf(line, sizeof line, "%s%s: %s%s", before, of, came_to, after);
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
