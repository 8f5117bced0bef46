/* C++'s operator new, which can be made to fail. */
#ifndef ANTBENCH_TEST_FAILING_NEW_H
#define ANTBENCH_TEST_FAILING_NEW_H

#ifdef __cplusplus
extern "C"
#endif
    /* From now on all allocations but the next `kept` throw std::bad_alloc, in all threads; -1: none does. Returns 1 where
 * one has since the last call. */
    int
    fail_new_after(int kept);

#endif
