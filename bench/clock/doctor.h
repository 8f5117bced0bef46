/* The doctor: says, before anything is measured, what on this machine will spoil times, and what to type against it. */
#ifndef ANTBENCH_DOCTOR_H
#define ANTBENCH_DOCTOR_H

#include "bench/clock/vitals.h"

typedef enum ab_prognosis { AB_FINE, AB_SPOILS, AB_CANNOT_TELL, AB_PROGNOSES } ab_prognosis;

/* Returns "ok", "will spoil" or "cannot tell". */
const char *ab_prognosis_name(ab_prognosis verdict);

typedef struct ab_finding {
    const char *what; /* subject, "clock" */
    ab_prognosis verdict;
    char value[160];  /* what was found, "not locked, 1980 MHz" */
    char advice[192]; /* what to type or do; empty if there is nothing to do */
} ab_finding;

enum { AB_MOST_FINDINGS = 20 };

typedef struct ab_diagnosis {
    ab_finding findings[AB_MOST_FINDINGS];
    int count;
} ab_diagnosis;

/* Judges the facts. The diagnosis has a finding per subject, and for a missing GPU one instead of the GPU's. */
ab_diagnosis ab_diagnose(const ab_vitals *vitals);

/* Reads and judges the facts of the machine that a run with these options is made on. With `works`, the machine works for
 * half a second to show more. */
ab_diagnosis ab_examine(const ab_options *options, const ab_machine_state *machine, bool works);

int ab_count_findings(const ab_diagnosis *diagnosis, ab_prognosis verdict);

/* Writes "12 ok, 2 will spoil: clock not locked, 1980 MHz; ..." to text[size]. */
void ab_summarize(const ab_diagnosis *diagnosis, char *text, size_t size);

#endif
