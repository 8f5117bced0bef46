/* Text from outside (base/text.h). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Ranges of refused characters, which control a terminal, turn or break a line, or are invisible. They are C0 and DEL
 * with C1, the soft hyphen, characters without width, the marks and overrides of direction, and the separators of lines
 * and paragraphs. scripts/antbench/data/command.py has the same. */
static const uint32_t controls[][2] = {{0x01, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x061c, 0x061c},
                                       {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x2069}, {0xfeff, 0xfeff}};

static bool is_control(uint32_t code)
{
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (code >= controls[i][0] && code <= controls[i][1]) return true;
    return false;
}

/* Reads the character *code at *text and returns its bytes, or 0 for bytes that are not UTF-8. A sequence that is torn
 * or too long, a surrogate, or a code past U+10FFFF is not a character. */
static int read_character(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length */
    const unsigned char first = (unsigned char)*text;
    *code = first;
    if (first < 0x80) return 1;
    const int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    *code = first & (0x7fu >> length);
    if (first < 0xc0 || first >= 0xf8) return 0;
    for (int i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | ((unsigned char)text[i] & 0x3f);
    }
    return *code >= least[length] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff) ? length : 0;
}

bool ab_is_clean(const char *text)
{
    uint32_t code;
    while (*text) {
        const int length = read_character(text, &code);
        if (length == 0 || is_control(code)) return false;
        text += length;
    }
    return true;
}

void ab_clean(char *text)
{
    char *end = text;
    uint32_t code;
    while (*text) {
        const int length = read_character(text, &code), bytes = length ? length : 1;
        if (length && is_control(code))
            *end++ = '?';
        else
            for (int i = 0; i < bytes; i++) *end++ = text[i];
        text += bytes;
    }
    *end = '\0';
}

bool ab_read_number(const char *text, double *number)
{
    char *end;
    if (!*text || text[strspn(text, "+-.0123456789eE")]) return false;
    *number = strtod(text, &end);
    return !*end && isfinite(*number);
}
