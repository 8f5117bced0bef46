/* Shared memory whose every access is checked: what SHARED and SHARED_DYNAMIC declare on the host backend. */
#ifndef ANTBENCH_HOST_SHARED_H
#define ANTBENCH_HOST_SHARED_H

#include <type_traits>

#include "kernels/host/execution.h"

namespace host_backend
{

/* An index that knows the line it was written in. */
struct shared_index {
    long long value; /* value of the index */
    int line;        /* line of the expression that indexes */

    template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer> || std::is_enum_v<Integer>>>
    shared_index(Integer index, int line_ = __builtin_LINE()) : value(static_cast<long long>(index)), line(line_)
    {
    }
};

/* A pointer into a shared array that knows the array's bounds; under nvcc shared_array<T> is T * (cuda_port.h). */
template <typename T> class shared_array
{
  public:
    shared_array(T *data, const char *name, long long count, long long position = 0)
        : data_(data), name_(name), count_(count), position_(position)
    {
    }

    operator shared_array<const T>() const
    {
        return {data_, name_, count_, position_};
    }

    T &operator[](shared_index index) const
    {
        const long long at = position_ + index.value;
        if (__builtin_expect(at < 0 || at >= count_, 0))
            report(index.line, "shared array %s[%lld] out of range 0..%lld", name_, at, count_ - 1);
        return data_[at];
    }

    T &operator*() const
    {
        return (*this)[0];
    }

    shared_array operator+(long long elements) const
    {
        return {data_, name_, count_, position_ + elements};
    }

    /* The same place of the array in the block of this rank, of those that run together. */
    shared_array of_block(unsigned rank, int line) const
    {
        return {static_cast<T *>(shared_of_block(data_, rank, line)), name_, count_, position_};
    }

  private:
    T *data_;            /* first element of the array */
    const char *name_;   /* name as declared */
    long long count_;    /* elements of the array */
    long long position_; /* number of the element that this points to */
};

template <typename T>
shared_array<T> declare_shared(const void *declaration, const char *name, long long count, int line)
{
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    return {static_cast<T *>(static_shared(declaration, name, bytes, alignof(T), line)), name, count};
}

template <typename T>
shared_array<T> declare_dynamic_shared(const char *name, long long offset, long long count, int line)
{
    if (offset < 0 || count < 0) report(line, "shared array %s: offset %lld, count %lld", name, offset, count);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    return {static_cast<T *>(dynamic_shared(name, static_cast<std::size_t>(offset), bytes, alignof(T), line)), name,
            count};
}

} // namespace host_backend
#endif
