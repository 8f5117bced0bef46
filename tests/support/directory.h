/* A new directory that the tests of a program work in: setup and teardown of cmocka's groups. */
#ifndef ANTBENCH_TESTS_DIRECTORY_H
#define ANTBENCH_TESTS_DIRECTORY_H

int enter_directory(void **state);  /* 0, or -1 */
int remove_directory(void **state); /* with all that is in it; likewise */

#endif
