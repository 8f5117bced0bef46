/* The frames of a film (tours/film.h): how many are kept, and which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tours/film.h"

static void add(film *f, int64_t length)
{
    const int32_t tour[] = {(int32_t)length, (int32_t)-length};
    film_add(f, tour, length, 0.001 * (double)(1000000 - length));
}

/* Each frame still has the tour and the time that it was added with, and no two have one memory. */
static void check(const film *f)
{
    assert_true(f->n <= FILM_MOST);
    for (int i = 0; i < f->n; i++) {
        const film_frame *frame = &f->frames[i];
        assert_int_equal(frame->tour[0], frame->length);
        assert_int_equal(frame->tour[1], -frame->length);
        assert_true(frame->seconds == 0.001 * (double)(1000000 - frame->length));
        if (i > 0) assert_true(frame->length < f->frames[i - 1].length);
    }
}

static void test_shorter_tours_alone_are_frames(void **state)
{
    (void)state;
    film f;
    assert_int_equal(film_open(&f, 2).code, AB_OK);
    const int64_t lengths[] = {900, 900, 950, 800, 801, 700};
    for (int i = 0; i < 6; i++) add(&f, lengths[i]);
    assert_int_equal(f.n, 3);
    check(&f);
    film_add(&f, (int32_t[]){7, 8}, 700, 5000.0);
    assert_int_equal(f.n, 3);
    assert_int_equal(f.frames[2].tour[0], 7);
    assert_true(f.frames[2].seconds < 5000.0);
    film_close(&f);
}

/* A fast fall by a tenth each, and then many small steps, which are most of the tours and little of the way. */
static void test_lengths_fall_evenly(void **state)
{
    (void)state;
    enum { FAST = 30, SLOW = 5000 };
    film f;
    assert_int_equal(film_open(&f, 2).code, AB_OK);
    int64_t length = 500000;
    for (int i = 0; i < FAST; i++, length -= 10000) add(&f, length);
    for (int i = 0; i < SLOW; i++, length -= 2) add(&f, length);
    assert_int_equal(f.n, FILM_MOST);
    check(&f);
    assert_int_equal(f.frames[0].length, 500000);
    assert_int_equal(f.frames[f.n - 1].length, length + 2);
    int64_t widest = 0;
    for (int i = 1; i < f.n; i++) {
        const int64_t step = f.frames[i - 1].length - f.frames[i].length;
        if (step > widest) widest = step;
    }
    assert_int_equal(widest, 10000); /* no frame of the fall has gone for one of the small steps */
    film_close(&f);
}

static void test_a_film_that_was_not_opened_is_closed(void **state)
{
    (void)state;
    film f = {0};
    film_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shorter_tours_alone_are_frames),
        cmocka_unit_test(test_lengths_fall_evenly),
        cmocka_unit_test(test_a_film_that_was_not_opened_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
