/* The text of a TSPLIB file (instances/text.h). */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/lookup.h"
#include "instances/text.h"

ab_status tsplib_error(const tsplib_text *text, const char *format, ...)
{
    char message[288];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return ab_bad_input("%s:%ld: %s", ab_short_path(text->path), text->line, message);
}

static ab_status too_large(const tsplib_text *text)
{
    return ab_bad_input("%s: more than %d bytes, which is the most", ab_short_path(text->path), TSPLIB_MAX_BYTES);
}

/* Begins with what has been read. Some editors write a mark before UTF-8. */
static ab_status begin(tsplib_text *text, size_t length)
{
    text->bytes[length] = '\0';
    text->end = text->bytes + length;
    text->cursor = text->bytes + (strncmp(text->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    return text->cursor < text->end ? ab_ok() : tsplib_error(text, "the file is empty");
}

/* Reads what has no size to tell. */
static ab_status read_stream(FILE *file, tsplib_text *text)
{
    size_t length = 0;
    for (size_t size = 1 << 16; size <= TSPLIB_MAX_BYTES; size *= 2) {
        char *grown = realloc(text->bytes, size + 1);
        if (grown == NULL) return ab_failed("%s: no memory for %zu bytes", text->path, size);
        text->bytes = grown;
        length += fread(text->bytes + length, 1, size - length, file);
        if (ferror(file)) return ab_failed("%s: %s", text->path, strerror(errno));
        if (length < size) return begin(text, length);
    }
    return too_large(text);
}

/* Reads an open file into text->bytes. Only regular files: a directory or a device has no size to read. */
static ab_status read_all(FILE *file, tsplib_text *text)
{
    struct stat info;
    if (fstat(fileno(file), &info) != 0) return ab_failed("%s: %s", ab_short_path(text->path), strerror(errno));
    if (!S_ISREG(info.st_mode)) return ab_bad_input("%s: not a regular file", ab_short_path(text->path));
    size_t size = (size_t)info.st_size;
    if (size > TSPLIB_MAX_BYTES) return too_large(text);
    text->bytes = malloc(size + 1);
    if (text->bytes == NULL) return ab_failed("%s: no memory for %zu bytes", ab_short_path(text->path), size);
    size_t length = fread(text->bytes, 1, size, file);
    if (ferror(file)) return ab_failed("%s: %s", ab_short_path(text->path), strerror(errno));
    return begin(text, length);
}

ab_status tsplib_open(const char *path, tsplib_text *text)
{
    *text = (tsplib_text){.path = path, .line = 1};
    text->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (text->locale == (locale_t)0) return ab_failed("newlocale: %s", strerror(errno));
    if (strcmp(path, "-") == 0) {
        text->path = "stdin";
        return read_stream(stdin, text);
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) return ab_failed("%s: %s", ab_short_path(path), strerror(errno));
    ab_status status = read_all(file, text);
    fclose(file);
    return status;
}

void tsplib_close(tsplib_text *text)
{
    free(text->bytes);
    if (text->locale != (locale_t)0) freelocale(text->locale);
    *text = (tsplib_text){0};
}

/* Not isspace(): that depends on the locale and counts the newline. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool tsplib_next_token(tsplib_text *text, tsplib_reach reach, tsplib_span *token)
{
    const char *p = text->cursor;
    long line = text->line;
    for (; p < text->end && (is_blank(*p) || (*p == '\n' && reach == TSPLIB_ANY_LINE)); p++) line += *p == '\n';
    if (p == text->end || *p == '\n') return false;
    token->start = p;
    while (p < text->end && !is_blank(*p) && *p != '\n') p++;
    token->length = (size_t)(p - token->start);
    text->cursor = p;
    text->line = line;
    return true;
}

bool tsplib_next_numeric(tsplib_text *text, tsplib_span *token)
{
    tsplib_text ahead = *text;
    if (!tsplib_next_token(&ahead, TSPLIB_ANY_LINE, token)) return false;
    if (memchr("+-.0123456789", *token->start, 13) == NULL) return false;
    *text = ahead;
    return true;
}

static tsplib_span trimmed(const char *start, const char *end)
{
    while (start < end && is_blank(*start)) start++;
    while (start < end && is_blank(end[-1])) end--;
    return (tsplib_span){start, (size_t)(end - start)};
}

bool tsplib_next_line(tsplib_text *text, tsplib_span *key, tsplib_span *value)
{
    tsplib_span first;
    if (!tsplib_next_token(text, TSPLIB_ANY_LINE, &first)) return false;
    const char *end = memchr(first.start, '\n', (size_t)(text->end - first.start));
    if (end == NULL) end = text->end;
    const char *p = first.start;
    while (p < end && *p != ':' && !is_blank(*p)) p++;
    *key = (tsplib_span){first.start, (size_t)(p - first.start)};
    while (p < end && is_blank(*p)) p++;
    *value = trimmed(p < end && *p == ':' ? p + 1 : p, end);
    text->cursor = end;
    return true;
}

ab_status tsplib_number(const tsplib_text *text, tsplib_span token, double *number)
{
    /* strtod() would also take nan, inf, hexadecimal and, for an empty token, what comes on the next line. The NUL
     * after the file stops strspn() and strtod(). */
    char *stop = NULL;
    bool plain = token.length > 0 && strspn(token.start, "+-.0123456789eE") >= token.length;
    *number = plain ? strtod_l(token.start, &stop, text->locale) : 0;
    char quoted[TSPLIB_QUOTE];
    if (stop != token.start + token.length)
        return tsplib_error(text, "expected a number, got \"%s\"", tsplib_quote(token, quoted));
    if (!isfinite(*number)) return tsplib_error(text, "%s is too large", tsplib_quote(token, quoted));
    return ab_ok();
}

ab_status tsplib_integer(const tsplib_text *text, tsplib_span token, const char *what, int lo, int hi, int *integer)
{
    double number;
    char quoted[TSPLIB_QUOTE];
    AB_TRY(tsplib_number(text, token, &number));
    if (number < lo || number > hi || number != floor(number))
        return tsplib_error(text, "%s must be a whole number from %d to %d, not %s", what, lo, hi,
                            tsplib_quote(token, quoted));
    *integer = (int)number;
    return ab_ok();
}

bool tsplib_is(tsplib_span span, const char *word)
{
    return span.length == strlen(word) && memcmp(span.start, word, span.length) == 0;
}

const char *tsplib_quote(tsplib_span span, char quoted[TSPLIB_QUOTE])
{
    size_t length = span.length < TSPLIB_QUOTE - 1 ? span.length : TSPLIB_QUOTE - 1;
    for (size_t i = 0; i < length; i++) quoted[i] = span.start[i] >= ' ' && span.start[i] <= '~' ? span.start[i] : '?';
    quoted[length] = '\0';
    return quoted;
}
