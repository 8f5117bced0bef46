/* SHA-256 through Nettle: of what was read, so that a result says exactly which input it belongs to. */
#include <errno.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"

static void finish(struct sha256_ctx *context, char digest[65])
{
    unsigned char raw[SHA256_DIGEST_SIZE];
    sha256_digest(context, sizeof raw, raw);
    for (unsigned i = 0; i < sizeof raw; i++) snprintf(digest + 2 * i, 3, "%02x", raw[i]);
}

void sha256_hex(const void *data, size_t bytes, char digest[65])
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, bytes, data);
    finish(&context, digest);
}

ab_status sha256_file(const char *path, char digest[65])
{
    unsigned char buffer[1 << 16];
    struct sha256_ctx context;
    size_t bytes;
    digest[0] = '\0';
    FILE *file = fopen(path, "rb");
    if (file == NULL) return ab_failed("%s: %s", path, strerror(errno));
    sha256_init(&context);
    while ((bytes = fread(buffer, 1, sizeof buffer, file)) > 0) sha256_update(&context, bytes, buffer);
    const bool complete = !ferror(file);
    fclose(file);
    if (!complete) return ab_failed("%s: cannot be read for its SHA-256", path);
    finish(&context, digest);
    return ab_ok();
}
