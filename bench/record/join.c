/* Joins the rows of several processes (join.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/record/join.h"
#include "bench/row/judge.h"

/* The records of the processes that measured a row. */
typedef struct parts {
    const ab_recorded_row *const *of; /* [n], NULL if a process did not measure it */
    int n;
} parts;

/* ---- Statuses ---- */

static bool has_failed(ab_row_status status)
{
    return status == AB_ROW_WRONG || status == AB_ROW_ERROR;
}

/* Returns the part that the joined row resembles: a wrong one, else one with an error, else one with samples, else the
 * first. */
static const ab_row *model(const parts *p)
{
    const ab_row *best = NULL;
    int best_rank = -1;
    for (int i = 0; i < p->n; ++i) {
        if (!p->of[i]) continue;
        const ab_row *row = &p->of[i]->row;
        const int rank = row->status == AB_ROW_WRONG ? 3 : row->status == AB_ROW_ERROR ? 2 : row->ms.samples > 0;
        if (rank > best_rank) {
            best = row;
            best_rank = rank;
        }
    }
    return best;
}

/* ---- Samples ---- */

/* Joins all samples, also of a row of which none is kept. */
static ab_status join_samples(const parts *p, ab_recorded_row *joined)
{
    for (int i = 0; i < p->n; ++i) joined->capacity += p->of[i] ? p->of[i]->n_samples : 0;
    joined->samples = calloc((size_t)joined->capacity + 1, sizeof *joined->samples);
    if (!joined->samples) return ab_failed("out of memory for %d samples", joined->capacity);
    for (int i = 0; i < p->n; ++i)
        for (int k = 0; p->of[i] && k < p->of[i]->n_samples; ++k) {
            ab_sample *sample = &joined->samples[joined->n_samples++];
            *sample = p->of[i]->samples[k];
            sample->process = i + 1;
        }
    joined->row.discarded = 0;
    for (int i = 0; i < p->n; ++i) joined->row.discarded += p->of[i] ? p->of[i]->row.discarded : 0;
    return ab_ok();
}

/* Copies the kept samples of all parts, and their whole samples, to arrays of [capacity]; counts[p->n] has the number
 * of each process. */
static void keep_samples(const parts *p, double *kept, double *wholes, int *counts)
{
    for (int i = 0, n = 0; i < p->n; ++i)
        for (int k = 0; p->of[i] && k < p->of[i]->n_samples; ++k) {
            const ab_recorded_row *part = p->of[i];
            if (part->samples[k].discard_reason[0]) continue;
            kept[n] = part->samples[k].ms;
            wholes[n++] = (part->wholes ? part->wholes : part->samples)[k].ms;
            ++counts[i];
        }
}

static ab_status summarise(const parts *p, ab_recorded_row *joined)
{
    const size_t capacity = (size_t)joined->n_samples + 1;
    double *kept = calloc(capacity, sizeof *kept), *wholes = calloc(capacity, sizeof *wholes);
    int *counts = calloc((size_t)p->n, sizeof *counts);
    ab_status status = ab_failed("out of memory for %d samples", joined->n_samples);
    if (kept && wholes && counts) {
        keep_samples(p, kept, wholes, counts);
        joined->row.ms = ab_summarise_processes(kept, counts, p->n);
        status = ab_find_shape(kept, wholes, counts, p->n, &joined->row.shape);
    }
    free(kept);
    free(wholes);
    free(counts);
    return status;
}

/* ---- Other columns ---- */

/* Returns the mean over the processes that know the value, weighted by their samples. */
static double weighted_mean(const parts *p, size_t offset)
{
    double sum = 0.0, weight = 0.0;
    for (int i = 0; i < p->n; ++i) {
        if (!p->of[i]) continue;
        double value;
        memcpy(&value, (const char *)&p->of[i]->row + offset, sizeof value);
        if (isnan(value)) continue;
        sum += value * p->of[i]->row.ms.samples;
        weight += p->of[i]->row.ms.samples;
    }
    return weight > 0.0 ? sum / weight : (double)NAN;
}

/* Joins the different texts with a separator. Leaves out `unless` if there are others. */
static void join_texts(const parts *p, size_t offset, size_t size, const char *separator, const char *unless,
                       char *text)
{
    bool left_out = false;
    text[0] = '\0';
    for (int i = 0; i < p->n; ++i) {
        const char *other = p->of[i] ? (const char *)&p->of[i]->row + offset : "";
        const size_t at = strlen(text);
        if (strcmp(other, unless) == 0)
            left_out = true;
        else if (!strstr(text, other))
            snprintf(text + at, size - at, "%s%s", at ? separator : "", other);
    }
    if (left_out && !text[0]) snprintf(text, size, "%s", unless);
}

/* Joins the reasons why samples ended, if not all processes took enough. */
static void join_stop_reasons(const parts *p, ab_row *row)
{
    for (int i = 0; i < p->n; ++i)
        if (p->of[i] && p->of[i]->row.stop_reason[0] && strcmp(p->of[i]->row.stop_reason, "count") != 0)
            memcpy(row->stop_reason, p->of[i]->row.stop_reason, sizeof row->stop_reason);
}

/* Reads the next number of a list; false at its end. */
static bool next_number(const char **list, double *value)
{
    char *end;
    *value = strtod(*list, &end);
    const bool found = end != *list;
    *list = end;
    return found;
}

enum { MAX_LISTED = sizeof((ab_row *)0)->quality_runs / 2 /* most numbers in a row's list */ };

/* Puts the runs' qualities in the order of their seeds, which the processes take in turns, into values[p->n *
 * MAX_LISTED]. */
static int take_turns(const parts *p, const char **lists, double *values)
{
    int runs = 0;
    for (int i = 0; i < p->n; ++i) lists[i] = p->of[i] ? p->of[i]->row.quality_runs : "";
    for (int before = -1; runs > before;) {
        before = runs;
        for (int i = 0; i < p->n; ++i) runs += next_number(&lists[i], &values[runs]);
    }
    return runs;
}

static ab_status join_qualities(const parts *p, ab_row *row)
{
    const char **lists = calloc((size_t)p->n, sizeof *lists);
    double *values = calloc((size_t)p->n * MAX_LISTED + 1, sizeof *values), sum = 0.0;
    const bool enough = lists && values;
    const int runs = enough ? take_turns(p, lists, values) : 0;
    for (int i = 0; i < runs; ++i) {
        sum += values[i];
        row->quality_best = i ? fmin(row->quality_best, values[i]) : values[0];
    }
    if (runs) {
        row->quality_mean = sum / runs;
        ab_row_list_qualities(row, values, runs, AB_LENGTH_DIGITS);
    }
    free(lists);
    free(values);
    return enough ? ab_ok() : ab_failed("out of memory");
}

/* Computes the metric from the processes that completed a run. */
static void join_metric(const parts *p, ab_row *row)
{
    for (int i = 0; i < p->n && !row->quality_metric[0]; ++i)
        if (p->of[i]) memcpy(row->quality_metric, p->of[i]->row.quality_metric, sizeof row->quality_metric);
}

static ab_status join_columns(const parts *p, ab_row *row)
{
    /* Takes the largest value. fmax of a NAN and a number is the number. */
    for (int i = 0; i < p->n; ++i)
        if (p->of[i]) row->iterations = fmax(row->iterations, p->of[i]->row.iterations);
    row->waited = weighted_mean(p, offsetof(ab_row, waited));
    row->energy_j = weighted_mean(p, offsetof(ab_row, energy_j));
    row->sm_clock_mhz = weighted_mean(p, offsetof(ab_row, sm_clock_mhz));
    row->temperature_c = weighted_mean(p, offsetof(ab_row, temperature_c));
    row->power_w = weighted_mean(p, offsetof(ab_row, power_w));
    join_texts(p, offsetof(ab_row, throttle), sizeof row->throttle, "|", "none", row->throttle);
    join_texts(p, offsetof(ab_row, note), sizeof row->note, "; ", "", row->note);
    join_stop_reasons(p, row);
    join_metric(p, row);
    return row->quality_metric[0] ? join_qualities(p, row) : ab_ok();
}

ab_status ab_join_rows(const ab_recorded_row *const *of, int n, ab_recorded_row *joined)
{
    const parts p = {of, n};
    *joined = (ab_recorded_row){.row = *model(&p)};
    if (has_failed(joined->row.status)) return ab_ok();
    AB_TRY(join_samples(&p, joined));
    if (joined->row.ms.samples == 0) return ab_ok();
    AB_TRY(summarise(&p, joined));
    AB_TRY(join_columns(&p, &joined->row));
    ab_judge_times(&joined->row, true);
    return ab_ok();
}
