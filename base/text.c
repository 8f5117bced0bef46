/* Text from outside (base/text.h). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == '\x7f';
}

/* The bytes of the character that begins at *text; 0 where no UTF-8 does: a sequence that is torn or longer than it
 * need be, a surrogate, or one past U+10FFFF. */
static int length_of_character(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length */
    const unsigned char first = (unsigned char)*text;
    if (first < 0x80) return 1;
    const int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    uint32_t code = first & (0x7fu >> length);
    if (first < 0xc0 || first >= 0xf8) return 0;
    for (int i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    }
    return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? length : 0;
}

bool ab_is_clean(const char *text)
{
    while (*text) {
        const int length = length_of_character(text);
        if (length == 0 || is_control(*text)) return false;
        text += length;
    }
    return true;
}

void ab_clean(char *text)
{
    for (; *text; text++)
        if (is_control(*text)) *text = '?';
}

bool ab_read_number(const char *text, double *number)
{
    char *end;
    if (!*text || text[strspn(text, "+-.0123456789eE")]) return false;
    *number = strtod(text, &end);
    return !*end && isfinite(*number);
}
