/* Parameters as a table: the name of each of an operation's numbers, its place in a struct, and its allowed values. The
 * table yields defaults, checks, the `params` text of a row, and what a user sets by name.
 *
 * A text of parameters is "protocol=as-best;ants=198": names and values, separated by semicolons.
 */
#ifndef ANTBENCH_PARAMETER_H
#define ANTBENCH_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ab_kind {
    AB_INT,    /* an int */
    AB_REAL,   /* a double */
    AB_FLAG,   /* a bool: 0 or 1 */
    AB_CHOICE, /* an int (an enum) with a name for each value from 0 on */
} ab_kind;

/* When a parameter is shown in the params of a row: in any of these cases. */
enum {
    AB_SHOWN_CPU = 1, /* in rows of a CPU */
    AB_SHOWN_GPU = 2, /* in rows of a GPU, and of the host backend */
    AB_SHOWN_SET = 4, /* in any row for which it was set to a value other than the default */
    AB_SHOWN = AB_SHOWN_CPU | AB_SHOWN_GPU,
    AB_FITTED = 8,        /* not shown: follows from the input or the machine unless it is set */
    AB_SHOWN_NONZERO = 16 /* in any row in which it is not 0; it is 0 for an implementation that does not use it */
};

typedef struct ab_parameter {
    /* Name and help, "rho" and "evaporation rate"; an entry with name NULL ends the table. */
    const char *name, *help;
    ab_kind kind;
    size_t offset;              /* offset of the member in the operation's params */
    double least, most;         /* smallest and largest allowed value; without meaning for AB_FLAG and AB_CHOICE */
    double fallback;            /* default value */
    const char *word;           /* name for one value, such as "all" for the 0 that means all cores; or NULL */
    double word_value;          /* this value, which may lie outside of least .. most */
    const char *const *choices; /* AB_CHOICE: names of the values, NULL-terminated */
    /* Measure whose rows alone show it (operation.h), such as "quality"; NULL: rows of every measure. */
    const char *measure;
    unsigned shown;    /* AB_SHOWN_... flags */
    bool power_of_two; /* AB_INT: true if only powers of two are allowed */
} ab_parameter;

enum { AB_MOST_PARAMETERS = 64 }; /* most entries of a table, since bits record which are set */

/* Joins two tables into one. An entry with name NULL ends it; `second` may be NULL. */
void ab_parameters_join(const ab_parameter *first, const ab_parameter *second,
                        ab_parameter joined[AB_MOST_PARAMETERS + 1]);

enum { AB_PARAMS_TEXT = 256 }; /* size of a text of parameters in bytes, including its end */

/* Returns the parameter called name[0 .. length-1], or NULL. */
const ab_parameter *ab_parameter_find(const ab_parameter *table, const char *name, size_t length);

/* Sets every member in the table to its default. */
void ab_parameters_default(const ab_parameter *table, void *params);

/* Returns AB_BAD_INPUT with the first parameter that is out of range. */
ab_status ab_parameters_check(const ab_parameter *table, const void *params);

/* Sets one parameter from text. Returns AB_BAD_INPUT with what is wrong with the value. */
ab_status ab_parameter_set(const ab_parameter *parameter, const char *value, void *params);

/* Sets a parameter by name. Bit i of *set tells whether parameter i of the table (64 at most) differs from its default.
 */
ab_status ab_parameters_set(const ab_parameter *table, const char *name, const char *value, void *params,
                            uint64_t *set);

/* Formats the value as text: "as-best", "0.5", "all". */
void ab_parameter_format(const ab_parameter *parameter, const void *params, char text[64]);

/* Returns the value as a number, whatever its kind. */
double ab_parameter_value(const ab_parameter *parameter, const void *params);

/* Appends "name=value" for every parameter that rows of this measure show. With only_own these are only the parameters
 * of `measure` alone. `shown` is AB_SHOWN_CPU or AB_SHOWN_GPU, `set` comes from ab_parameters_set. Returns AB_FAILED if
 * the text is full. */
ab_status ab_parameters_format(const ab_parameter *table, const void *params, uint64_t set, const char *measure,
                               bool only_own, unsigned shown, char text[AB_PARAMS_TEXT]);

/* Appends "name=value" to a text of parameters. AB_FAILED when it is full. */
ab_status ab_params_append(char text[AB_PARAMS_TEXT], const char *name, const char *value);

#ifdef __cplusplus
}
#endif
#endif
