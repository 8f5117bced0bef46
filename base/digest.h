/* SHA-256 as hexadecimal text, so that a result names its exact input. */
#ifndef ANTBENCH_DIGEST_H
#define ANTBENCH_DIGEST_H

#include <stddef.h>

#include "base/status.h"

/* Writes the SHA-256 of `bytes` bytes as 64 hexadecimal digits and a NUL. */
void sha256_hex(const void *data, size_t bytes, char digest[65]);

/* Writes the SHA-256 of a file. Returns AB_FAILED if it cannot be read. */
ab_status sha256_file(const char *path, char digest[65]);

#endif
