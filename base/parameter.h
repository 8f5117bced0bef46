/* Parameters as a table: what an operation's numbers are called, where they lie in its struct, what they may be. From
 * it come defaults, checks, the `params` text of a row, and what a user sets by name.
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

/* When a parameter stands in the params of a row: any of these. */
enum {
    AB_SHOWN_CPU = 1, /* in rows of a CPU */
    AB_SHOWN_GPU = 2, /* in rows of a GPU, and of the host backend */
    AB_SHOWN_SET = 4, /* in any row for which it was set to another value than the default */
    AB_SHOWN = AB_SHOWN_CPU | AB_SHOWN_GPU,
    AB_FITTED = 8,        /* follows from the input or the machine unless it is set: no part of what a row is */
    AB_SHOWN_NONZERO = 16 /* in any row in which it is not 0, as it is for an implementation that has no use for it */
};

typedef struct ab_parameter {
    const char *name, *help; /* "rho", "evaporation rate"; the table ends with a name of NULL */
    ab_kind kind;
    size_t offset;              /* of the field in the operation's params */
    double least, most;         /* both allowed; of no meaning for AB_FLAG and AB_CHOICE */
    double fallback;            /* the default */
    const char *word;           /* a name for one value: "all" for the 0 that means all cores; NULL for none */
    double word_value;          /* that value, which may lie outside of least .. most */
    const char *const *choices; /* AB_CHOICE: the names, NULL-terminated */
    const char *measure;        /* shown in rows of this measure alone (operation.h): "quality"; NULL: of any */
    unsigned shown;             /* AB_SHOWN_... */
    bool power_of_two;          /* AB_INT: no other number is allowed */
} ab_parameter;

enum { AB_MOST_PARAMETERS = 64 }; /* of a table, as bits say which are set */

/* The rows of two tables as one, which ends with a name of NULL; `second` may be NULL. */
void ab_parameters_join(const ab_parameter *first, const ab_parameter *second,
                        ab_parameter joined[AB_MOST_PARAMETERS + 1]);

enum { AB_PARAMS_TEXT = 256 }; /* bytes of a text of parameters, its end included */

/* The parameter called name[0 .. length-1], or NULL. */
const ab_parameter *ab_parameter_find(const ab_parameter *table, const char *name, size_t length);

/* Sets every field of the table to its default. */
void ab_parameters_default(const ab_parameter *table, void *params);

/* AB_BAD_INPUT naming the first parameter that is out of range. */
ab_status ab_parameters_check(const ab_parameter *table, const void *params);

/* Sets one parameter from text. AB_BAD_INPUT says what is wrong with the value. */
ab_status ab_parameter_set(const ab_parameter *parameter, const char *value, void *params);

/* The same by name; bit i of *set says whether parameter i of the table (64 at most) was set to something else than its
 * default. */
ab_status ab_parameters_set(const ab_parameter *table, const char *name, const char *value, void *params,
                            uint64_t *set);

/* The value as text: "as-best", "0.5", "all". */
void ab_parameter_format(const ab_parameter *parameter, const void *params, char text[64]);

double ab_parameter_value(const ab_parameter *parameter, const void *params); /* as a number, whatever the kind */

/* Appends "name=value" for every parameter that rows of this measure show: those that stand for `measure` alone, and
 * unless only_own the others; `shown` is AB_SHOWN_CPU or AB_SHOWN_GPU, `set` as ab_parameters_set left it. AB_FAILED
 * when the text is full. */
ab_status ab_parameters_format(const ab_parameter *table, const void *params, uint64_t set, const char *measure,
                               bool only_own, unsigned shown, char text[AB_PARAMS_TEXT]);

/* Appends "name=value" to a text of parameters. AB_FAILED when it is full. */
ab_status ab_params_append(char text[AB_PARAMS_TEXT], const char *name, const char *value);

#ifdef __cplusplus
}
#endif
#endif
