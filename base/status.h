/* Status: what every function that can fail returns, by value. */
#ifndef ANTBENCH_STATUS_H
#define ANTBENCH_STATUS_H

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
