/* Text that comes from outside: what may become part of results, messages and file names. */
#ifndef ANTBENCH_CLEAN_TEXT_H
#define ANTBENCH_CLEAN_TEXT_H

#include <stdbool.h>

/* Whether a text is UTF-8 without control characters, among them those that turn or break a line (U+202E, U+2028). CSV
 * and JSON can hold others only as something else, and a terminal obeys them. */
bool ab_is_clean(const char *text);

/* Makes control characters "?", in place: a line stays one. */
void ab_clean(char *text);

/* Reads a whole text as a decimal number, "-1.5e3". False, where it is another text, and for what is not finite: strtod()
 * alone also takes blanks before it, hexadecimal numbers, inf and nan. */
bool ab_read_number(const char *text, double *number);

#endif
