/* Every input of tests/corpus, and every one of them cut in half, read again under the sanitizers: what the fuzzer has
 * found once is not forgotten, and readers are tried where there is no clang (`make fuzz` goes on from these
 * inputs). */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/root.h"
#include "tests/support/readers.h"

/* Reads an input whole and cut in half; 1 where it was there. */
static int replay(int reader, const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    read_as(reader, bytes, size);
    read_as(reader, bytes, size / 2);
    return 1;
}

static int replay_all(int reader)
{
    char folder[512], path[1024];
    int count = 0;
    snprintf(folder, sizeof folder, "%s/tests/corpus/%s", ab_root(), reader_names[reader]);
    DIR *inputs = opendir(folder);
    assert_non_null(inputs);
    for (const struct dirent *input; (input = readdir(inputs)) != NULL;) {
        if (input->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, input->d_name);
        count += replay(reader, path);
    }
    closedir(inputs);
    return count;
}

static void every_reader_stands_its_corpus(void **state)
{
    (void)state;
    for (int i = 0; reader_names[i]; i++) assert_true(replay_all(i) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_reader_stands_its_corpus)};
    return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
