/* The text of a TSPLIB file: blank-separated tokens with their line numbers, and errors that name file and line.
 * Inside instances/ only. Nothing here reads past the end of the file or depends on the user's locale. */
#ifndef ANTBENCH_TEXT_H
#define ANTBENCH_TEXT_H

#include <locale.h>
#include <stdbool.h>

#include "base/status.h"

typedef struct tsplib_text {
    const char *path;   /* path as the user gave it, or "stdin", for messages */
    char *bytes;        /* the whole file, and a NUL after it */
    const char *end;    /* the terminating NUL; the file may contain others */
    const char *cursor; /* the next byte to read, bytes .. end */
    long line;          /* the line of cursor, from 1 */
    locale_t locale;    /* "C", in which a decimal point is a point */
} tsplib_text;

/* A piece of the text, not NUL-terminated. */
typedef struct tsplib_span {
    const char *start; /* first byte */
    size_t length;     /* bytes */
} tsplib_span;

enum { TSPLIB_QUOTE = 32 }; /* bytes of a quoted span, NUL included */
enum {
    TSPLIB_MAX_BYTES = 1 << 30
}; /* most bytes of a file, which is read whole: weights of 12,000 cities, written
                                      * out */

/* Reads a whole file, or standard input for "-", which must be neither empty nor larger than TSPLIB_MAX_BYTES. Close it, also after an error. */
ab_status tsplib_open(const char *path, tsplib_text *text);
void tsplib_close(tsplib_text *text);

/* Moves to the next line that is not blank and splits it: `KEY : VALUE`, `KEY:VALUE` or `KEY`, with a value trimmed at
 * both ends. False at the end of the file. */
bool tsplib_next_line(tsplib_text *text, tsplib_span *key, tsplib_span *value);

typedef enum tsplib_reach { TSPLIB_ANY_LINE, TSPLIB_SAME_LINE } tsplib_reach;

/* Reads the next token, on any line or on this one. If there is no token, returns false and does not move. */
bool tsplib_next_token(tsplib_text *text, tsplib_reach reach, tsplib_span *token);

/* Reads the next token on any line if it begins like a number. Otherwise returns false and does not move. */
bool tsplib_next_numeric(tsplib_text *text, tsplib_span *token);

/* The finite number that `token` is, or an error that quotes the token. */
ab_status tsplib_number(const tsplib_text *text, tsplib_span token, double *number);

/* The same for a whole number in lo .. hi; `what` names it in the error. */
ab_status tsplib_integer(const tsplib_text *text, tsplib_span token, const char *what, int lo, int hi, int *integer);

bool tsplib_is(tsplib_span span, const char *word);

/* The span for a message: shortened, and without bytes that a terminal would act on. Returns `quoted`. */
const char *tsplib_quote(tsplib_span span, char quoted[TSPLIB_QUOTE]);

/* AB_BAD_INPUT "file:line: ..." for the line of the cursor. */
ab_status tsplib_error(const tsplib_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
