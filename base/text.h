/* Checks text from outside that may become part of results, messages and file names. */
#ifndef ANTBENCH_CLEAN_TEXT_H
#define ANTBENCH_CLEAN_TEXT_H

#include <stdbool.h>

/* True if a text is UTF-8 without control characters. Characters that turn or break a line (U+202E, U+2028) are among
 * them. CSV and JSON cannot hold other text unchanged, and a terminal would obey control characters. */
bool ab_is_clean(const char *text);

/* Replaces control characters by "?", in place, so that a line stays one line. */
void ab_clean(char *text);

/* Reads a whole text as a decimal number, "-1.5e3". Returns false for any other text and for values that are not
 * finite. strtod() alone would also accept leading blanks, hexadecimal numbers, inf and nan. */
bool ab_read_number(const char *text, double *number);

#endif
