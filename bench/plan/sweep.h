/* Sweeps: parameters with several values, and all combinations of these values. */
#ifndef ANTBENCH_SWEEP_H
#define ANTBENCH_SWEEP_H

#include "bench/plan/driver.h"

enum { AB_MAX_SWEEPS = 32, AB_SWEEP_VALUE = 64 };

/* The values of one parameter: "64|128", "{blocks}", or "64,128" from the user. */
typedef struct ab_sweep {
    char name[32];
    const char *values;
    size_t length; /* length of the values */
    const char *separators;
} ab_sweep;

typedef struct ab_sweeps {
    ab_sweep of[AB_MAX_SWEEPS];
    int count;
} ab_sweeps;

/* Adds a parameter. A later text about the same parameter replaces an earlier one. */
ab_status ab_sweep_add(ab_sweeps *s, const char *name, size_t name_length, const char *values, size_t length,
                       const char *separators);

/* Adds the parameters of a text such as "protocol=as;block={blocks}". */
ab_status ab_sweep_add_text(const ab_driver *driver, const char *text, const char *separators, ab_sweeps *s);

/* Calls `take` with each combination. values[i] is the value of s->of[i]. */
ab_status ab_sweep_combine(const ab_sweeps *s, ab_status (*take)(const void *context, char values[][AB_SWEEP_VALUE]),
                           const void *context);

#endif
