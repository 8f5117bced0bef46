/* Status: what every function that can fail returns, by value. */
#ifndef ANTBENCH_STATUS_H
#define ANTBENCH_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ab_code {
    AB_OK,          /* done */
    AB_UNSUPPORTED, /* a precondition is not met ("needs n <= 4096, n is 5000"); nothing was computed */
    AB_FAILED,      /* a CUDA, I/O or internal error */
    AB_BAD_INPUT    /* the user's file or option is wrong; reason begins with file:line: where there is one */
} ab_code;

typedef struct ab_status {
    ab_code code;
    char reason[496]; /* one line for a person, without control characters; empty when code is AB_OK */
} ab_status;

ab_status ab_ok(void);
ab_status ab_unsupported(const char *format, ...) __attribute__((format(printf, 1, 2)));
ab_status ab_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
ab_status ab_bad_input(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The failure with the least index among checks that run at the same time. It begins as {0}. */
typedef struct ab_first_failure {
    size_t index;     /* index of the check that failed */
    ab_status status; /* its status, or AB_OK if all checks passed */
} ab_first_failure;

/* Keeps the status of check `index` if it is a failure, and the first. Threads may call it at the same time. */
void ab_keep_first(ab_first_failure *first, size_t index, const ab_status *status);

/* Returns the status of `expression` from the calling function unless it is AB_OK. */
#define AB_TRY(expression)                                                                                             \
    do {                                                                                                               \
        ab_status ab_try_status = (expression);                                                                        \
        if (ab_try_status.code != AB_OK) return ab_try_status;                                                         \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
