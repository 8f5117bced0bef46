/* See failing_new.h. Allocation by malloc, which the address sanitizer watches as well. */
#include "tests/failing_new/failing_new.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace
{

std::atomic<int> left{-1}; /* allocations until they fail; -1: they do not */
std::atomic<int> failed{0};

} // namespace

extern "C" int fail_new_after(int kept)
{
    left = kept;
    return failed.exchange(0);
}

void *operator new(std::size_t bytes)
{
    if (left >= 0 && left-- == 0) {
        left = 0;
        failed = 1;
        throw std::bad_alloc();
    }
    void *const memory = std::malloc(bytes > 0 ? bytes : 1);
    if (!memory) throw std::bad_alloc();
    return memory;
}

void operator delete(void *memory) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}
