/* libFuzzer's entry: $READER names the reader (tests/support/readers.h). `make fuzz`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/record/build_info.h"
#include "kernels/implementation.h"
#include "tests/support/readers.h"

/* What readers share a file with asks for these; kernels are not linked here. */
const ab_implementation *ab_registry(size_t *count)
{
    *count = 0;
    return NULL;
}

void ab_trait_names(const ab_implementation *implementation, char text[AB_TRAITS_TEXT])
{
    (void)implementation;
    text[0] = '\0';
}

const ab_build_info *ab_build(void)
{
    static const ab_build_info none;
    return &none;
}

ab_status ab_executable_sha256(char digest[65])
{
    digest[0] = '\0';
    return ab_ok();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int find_reader(void)
{
    const char *name = getenv("READER");
    for (int i = 0; name && reader_names[i]; i++)
        if (strcmp(reader_names[i], name) == 0) return i;
    fprintf(stderr, "READER=%s: there is no such reader\n", name ? name : "");
    exit(1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int reader = -1;
    if (reader < 0) reader = find_reader();
    read_as(reader, bytes, size);
    return 0;
}
