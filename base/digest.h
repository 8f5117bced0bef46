/* SHA-256 as hexadecimal text: of what was read, so that a result says exactly which input it belongs to. */
#ifndef ANTBENCH_DIGEST_H
#define ANTBENCH_DIGEST_H

#include <stddef.h>

#include "base/status.h"

/* The SHA-256 of `bytes` bytes as 64 hexadecimal digits and a NUL. */
void sha256_hex(const void *data, size_t bytes, char digest[65]);

/* The SHA-256 of a file; AB_FAILED when it cannot be read. */
ab_status sha256_file(const char *path, char digest[65]);

#endif
