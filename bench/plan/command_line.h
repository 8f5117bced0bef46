/* Reading a command line by a list of its options. */
#ifndef ANTBENCH_COMMAND_LINE_H
#define ANTBENCH_COMMAND_LINE_H

#include <stdbool.h>

#include "base/status.h"

/* The one list of a command's options: what getopt knows, what --help prints and what a misspelt one is compared
 * with. */
typedef struct ab_option {
    const char *name, *argument /* NULL: takes none */, *help;
} ab_option;

enum { AB_MOST_OPTIONS = 32 };

/* Takes an option by its number in the list, with what stands behind it, or, as AB_OPERAND, what is no option. Where it
 * sets *done the rest is not read. */
typedef ab_status ab_take_option(void *context, int option, const char *text, bool *done);
enum { AB_OPERAND = -1 };

/* Gives argv[1 ...] to `take`, one by one, until that fails or is done. AB_BAD_INPUT for what is no option, or
 * has no value or one too many. */
ab_status ab_read_options(const ab_option *options, int count, int argc, char **argv, ab_take_option *take,
                          void *context);

/* A line of --help. */
void ab_print_option(const ab_option *option, const char *help);

/* Values. AB_BAD_INPUT "--option: expected ..., got ...". */
ab_status ab_parse_whole(const char *option, const char *text, long long min, long long max, long long *value);
ab_status ab_parse_int(const char *option, const char *text, int min, int max, int *value);
ab_status ab_parse_percentage(const char *option, const char *text, double *share); /* "1%" or "1" is 0.01 */
ab_status ab_parse_seconds(const char *option, const char *text, double *value);    /* "0" is infinite */

#endif
