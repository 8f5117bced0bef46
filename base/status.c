/* Constructors of ab_status (base/status.h). */
#include <stdarg.h>
#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

ab_status ab_ok(void)
{
    ab_status status = {.code = AB_OK};
    return status;
}

static ab_status make_status(ab_code code, const char *format, va_list arguments)
{
    ab_status status = {.code = code};
    vsnprintf(status.reason, sizeof status.reason, format, arguments);
    ab_clean(status.reason); /* names of files and what was typed are in it */
    return status;
}

#define DEFINE_STATUS(name, code)                                                                                      \
    ab_status name(const char *format, ...)                                                                            \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        ab_status status = make_status(code, format, arguments);                                                       \
        va_end(arguments);                                                                                             \
        return status;                                                                                                 \
    }

DEFINE_STATUS(ab_unsupported, AB_UNSUPPORTED)
DEFINE_STATUS(ab_failed, AB_FAILED)
DEFINE_STATUS(ab_bad_input, AB_BAD_INPUT)

void ab_keep_first(ab_first_failure *first, size_t index, const ab_status *status)
{
    if (status->code == AB_OK) return;
#pragma omp critical(ab_keep_first)
    if (first->status.code == AB_OK || index < first->index) *first = (ab_first_failure){index, *status};
}
