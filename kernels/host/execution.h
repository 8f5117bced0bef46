/* How the host backend runs a grid: what the intrinsics (device.h) and shared memory (shared.h) need to know of it.
 *
 * The threads of a block are fibers on one CPU thread: one runs until it has to wait for others, and then the next in
 * order goes on. Blocks run one after another. A launch may need its blocks together (LAUNCH_TOGETHER, LAUNCH_CLUSTER);
 * then the threads of all these blocks take turns. So no two things happen at the same time, an atomic operation is a
 * plain one, and one order (host_backend.h) always gives one result.
 *
 * Threads wait for one another in warp intrinsics and at block barriers. These are stricter than the hardware. Threads
 * meet only if they call the same intrinsic in the same line with the same mask. Every lane that the mask names must
 * come, and every thread of the block at a barrier. If no thread can go on, that is reported as a deadlock, with the
 * threads that wait and what they wait for. Only these waits switch fibers, and __nanosleep does, which a thread must
 * call while it spins until another thread writes something: if none does, the kernel never ends.
 */
#ifndef ANTBENCH_HOST_EXECUTION_H
#define ANTBENCH_HOST_EXECUTION_H

#include <cstddef>
#include <cstdint>

#include "kernels/host/runtime.h"
#include "kernels/host/types.h"

namespace host_cuda
{

/* CUDA's built-in variables, of the thread that runs now. */
inline thread_local uint3 threadIdx, blockIdx;
inline thread_local dim3 blockDim, gridDim;

} // namespace host_cuda

namespace host_backend
{

using host_cuda::dim3;
using host_cuda::uint3;

/* ---- Launch ---- */

struct launch_config {
    const char *kernel;       /* its name, for reports */
    const void *entry;        /* its address, under which cudaFuncSetAttribute keeps what it allows */
    dim3 grid;                /* blocks */
    dim3 block;               /* threads per block */
    std::size_t shared_bytes; /* dynamic shared memory per block */
    bool together;            /* all blocks run at once */
};

/* What a thread of the grid does. The header of std::function would double what each kernel includes. */
struct thread_main {
    void (*run)(const void *arguments); /* calls the kernel */
    const void *arguments;              /* arguments of the kernel, in a form that `run` knows */
};

/* Runs main once per thread of the grid. What goes wrong, lack of memory among it, is left to cudaGetLastError. */
void run_grid(const launch_config &config, thread_main main);

/* What LAUNCH makes of a kernel: calling it with the kernel's arguments runs the grid. */
template <typename... Parameters> struct launch {
    launch_config config;
    void (*kernel)(Parameters...);

    launch(const char *name, void (*entry)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
           bool together = false)
        : config{name, reinterpret_cast<const void *>(entry), grid, block, shared_bytes, together}, kernel(entry)
    {
    }

    void operator()(Parameters... arguments) const
    {
        const auto call = [&] { kernel(arguments...); };
        run_grid(config, {[](const void *it) { (*static_cast<decltype(call) *>(it))(); }, &call});
    }
};

/* ---- For the running thread ---- */

/* Stops the launch with this report: "host backend: KERNEL, block B, thread T: ... (line L)". */
[[noreturn]] void report(int line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lanes of a warp that meet in an intrinsic, each bringing a value. */
struct meeting {
    const char *intrinsic;              /* where they meet: this intrinsic, */
    int line;                           /* called in this line, */
    unsigned mask;                      /* with this mask */
    unsigned arrived;                   /* lanes that are there; the meeting takes place when this is mask */
    unsigned left;                      /* lanes that have been there and gone */
    unsigned votes;                     /* lanes that brought a value other than 0 */
    std::uint64_t values[warp_threads]; /* [lane], the bits of what the lane brought; undefined for absent lanes */
};

/* Waits until all lanes of the mask are there. The meeting is the caller's to read until it leaves. */
meeting &arrive(const char *intrinsic, unsigned mask, std::uint64_t value, int line);
void leave(meeting &met);

unsigned lane_id(); /* 0 .. 31 */

/* Waits until all threads of the block are there; returns how many of them brought true. */
int block_barrier(const char *intrinsic, bool vote, int line);

/* Waits until all threads of all blocks that run together are there. */
void group_barrier(const char *intrinsic, int line);

/* Lets another thread that is ready have its turn, if there is one. */
void pass_turn();

/* What lies in the block of this rank, of those that run together, where `own` lies in the running thread's. */
void *shared_of_block(void *own, unsigned rank, int line);

/* The block's shared memory, which is filled with 0xFF bytes, NaN in float, when a block starts. A static array is
 * known by its declaration, any address that no other has; a dynamic one begins at byte `offset` of the dynamic memory.
 */
void *static_shared(const void *declaration, const char *name, std::size_t bytes, std::size_t alignment, int line);
void *dynamic_shared(const char *name, std::size_t offset, std::size_t bytes, std::size_t alignment, int line);

} // namespace host_backend
#endif
