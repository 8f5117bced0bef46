/* Reads a command line by a list of its options. */
#ifndef ANTBENCH_COMMAND_LINE_H
#define ANTBENCH_COMMAND_LINE_H

#include <stdbool.h>

#include "base/status.h"

/* An option of a command. getopt, --help and the suggestions for misspelt options all use the same list of these. */
typedef struct ab_option {
    const char *name, *argument /* NULL if the option takes none */, *help;
} ab_option;

enum { AB_MOST_OPTIONS = 32 };

/* Takes one option, given by its number in the list and its value. AB_OPERAND means that the text is not an option. If
 * the function sets *done, the rest of the command line is not read. */
typedef ab_status ab_take_option(void *context, int option, const char *text, bool *done);
enum { AB_OPERAND = -1 };

/* Passes argv[1 ...] to `take`, one by one, until `take` fails or is done. Returns AB_BAD_INPUT for an unknown option,
 * for a missing value, and for a value that the option does not take. */
ab_status ab_read_options(const ab_option *options, int count, int argc, char **argv, ab_take_option *take,
                          void *context);

/* Prints the option's line of --help. */
void ab_print_option(const ab_option *option, const char *help);

/* Parsers of values. They return AB_BAD_INPUT with "--option: expected ..., got ...". */
ab_status ab_parse_whole(const char *option, const char *text, long long min, long long max, long long *value);
ab_status ab_parse_int(const char *option, const char *text, int min, int max, int *value);
ab_status ab_parse_percentage(const char *option, const char *text, double *share); /* "1%" or "1" is 0.01 */
ab_status ab_parse_seconds(const char *option, const char *text, double *value);    /* "0" means infinite */

#endif
