/* Counting components by flooding (tests/support/components.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/components.h"

/* Takes the component of `seed` out of `left`. `stack` has room for every pixel: each is pushed once. */
static void remove_component(int width, int height, size_t seed, uint8_t *left, uint32_t *stack)
{
    size_t depth = 0;
    left[seed] = 0;
    stack[depth++] = (uint32_t)seed;
    while (depth > 0) {
        const int at = (int)stack[--depth], x = at % width, y = at / width;
        for (int ny = y > 0 ? y - 1 : 0; ny <= y + 1 && ny < height; ny++)
            for (int nx = x > 0 ? x - 1 : 0; nx <= x + 1 && nx < width; nx++) {
                const size_t neighbour = (size_t)ny * (size_t)width + (size_t)nx;
                if (!left[neighbour]) continue;
                left[neighbour] = 0;
                stack[depth++] = (uint32_t)neighbour;
            }
    }
}

int edge_map_components(int width, int height, const uint8_t *map)
{
    const size_t size = (size_t)width * (size_t)height;
    uint8_t *left = malloc(size);
    uint32_t *stack = malloc(size * sizeof *stack);
    int components = 0;
    assert_non_null(left);
    assert_non_null(stack);
    memcpy(left, map, size);
    for (size_t i = 0; i < size; i++)
        if (left[i]) {
            remove_component(width, height, i, left, stack);
            components++;
        }
    free(left);
    free(stack);
    return components;
}
