/* SHA-256 through OpenSSL: of what was read, so that a result says exactly which input it belongs to. */
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "instances/tsplib.h"

static void to_hex(const unsigned char *bytes, unsigned count, char digest[65])
{
    for (unsigned i = 0; i < count; i++) snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
}

void sha256_hex(const void *data, size_t bytes, char digest[65])
{
    unsigned char raw[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    digest[0] = '\0';
    if (EVP_Digest(data, bytes, raw, &length, EVP_sha256(), NULL) == 1) to_hex(raw, length, digest);
}

/* Feeds the rest of `file` to `context`; false when reading or hashing fails. */
static bool digest_stream(FILE *file, EVP_MD_CTX *context, char digest[65])
{
    unsigned char buffer[1 << 16], raw[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    size_t bytes;
    if (context == NULL || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) return false;
    while ((bytes = fread(buffer, 1, sizeof buffer, file)) > 0)
        if (EVP_DigestUpdate(context, buffer, bytes) != 1) return false;
    if (ferror(file) || EVP_DigestFinal_ex(context, raw, &length) != 1) return false;
    to_hex(raw, length, digest);
    return true;
}

ab_status sha256_file(const char *path, char digest[65])
{
    digest[0] = '\0';
    FILE *file = fopen(path, "rb");
    if (file == NULL) return ab_failed("%s: %s", path, strerror(errno));
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = digest_stream(file, context, digest);
    EVP_MD_CTX_free(context);
    fclose(file);
    return done ? ab_ok() : ab_failed("%s: cannot be read for its SHA-256", path);
}
