/* Runs a grid on fibers; see execution.h.
 *
 * A launch makes one fiber per thread of a block and uses them for all blocks. Ready threads take turns, round after
 * round. A thread that has to wait, or has ended, passes the turn on itself. In some orders a turn is a whole warp's,
 * until none of its threads is ready. So it runs ahead of the others up to the next barrier; fair rounds would keep all
 * warps within one meeting of each other. If no thread is ready, the launch goes on on its caller's stack: the threads
 * are all done, or deadlocked. A report, from a thread or about a deadlock, closes the launch. The threads that still
 * wait are resumed once more and throw themselves out of the kernel.
 */
#include "kernels/host/execution.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#include "base/random.h"
#include "kernels/host/host_backend.h"
#include "kernels/host/philox.h"
#include "kernels/host/runtime.h"

namespace host_backend
{

namespace
{

using boost::context::fiber;
using boost::context::stack_context;

/* ---- Address sanitizer: it must be told of every change of stacks ---- */

struct stack_bounds {
    const void *bottom; /* lowest address */
    std::size_t bytes;  /* size */
};

#ifdef __SANITIZE_ADDRESS__
void before_switch(void **own_fake_stack, stack_bounds to)
{
    __sanitizer_start_switch_fiber(own_fake_stack, to.bottom, to.bytes);
}

void after_switch(void *own_fake_stack, stack_bounds *from)
{
    __sanitizer_finish_switch_fiber(own_fake_stack, &from->bottom, &from->bytes);
}

/* The last frames of a fiber never return, so what they poisoned stays poisoned. */
void forget_frames(stack_bounds stack)
{
    __asan_unpoison_memory_region(stack.bottom, stack.bytes);
}
#else
void before_switch(void **, stack_bounds)
{
}

void after_switch(void *, stack_bounds *)
{
}

void forget_frames(stack_bounds)
{
}
#endif

/* ---- Stacks: kept for the next launch, each with a guard page below it ---- */

class stack_pool
{
  public:
    stack_context take()
    {
        if (free_.empty()) return allocator_.allocate();
        const stack_context stack = free_.back();
        free_.pop_back();
        return stack;
    }

    void give(const stack_context &stack)
    {
        try {
            free_.push_back(stack);
        } catch (const std::bad_alloc &) {
            stack_context unwanted = stack;
            allocator_.deallocate(unwanted);
        }
    }

    ~stack_pool()
    {
        for (stack_context &stack : free_) allocator_.deallocate(stack);
    }

  private:
    boost::context::protected_fixedsize_stack allocator_{128 * 1024};
    std::vector<stack_context> free_;
};

/* This thread's. Freed with it by a key: for a thread_local object the C library would abort where memory runs out. */
stack_pool &stacks()
{
    static pthread_key_t key;
    static const int made = pthread_key_create(&key, [](void *pool) { delete static_cast<stack_pool *>(pool); });
    static thread_local stack_pool *pool;
    if (!pool) {
        pool = new stack_pool;
        if (made == 0) pthread_setspecific(key, pool);
    }
    return *pool;
}

/* Makes fibers leave their stack alone when they end: the pool keeps it. */
struct borrowed_stack {
    void deallocate(stack_context &)
    {
    }
};

/* ---- Order ---- */

std::atomic<std::uint64_t> chosen_order{0};

/* Puts 0 .. n-1 into the chosen order, anew at each call. */
class ordering
{
  public:
    ordering(std::uint64_t order, std::size_t n) : order_(order), state_(order), turns_(n)
    {
        for (std::size_t i = 0; i < n; i++) turns_[i] = static_cast<unsigned>(order == 1 ? n - 1 - i : i);
    }

    const std::vector<unsigned> &draw()
    {
        if (order_ > 1)
            for (std::size_t i = turns_.size(); i > 1; i--) std::swap(turns_[i - 1], turns_[below(i)]);
        return turns_;
    }

    unsigned operator[](std::size_t i) const
    {
        return turns_[i];
    }

  private:
    /* Uniform in 0 .. n-1. */
    std::size_t below(std::size_t n)
    {
        return static_cast<std::size_t>((splitmix64(&state_) >> 32) * n >> 32);
    }

    std::uint64_t order_, state_;
    std::vector<unsigned> turns_;
};

/* ---- Threads and warps ---- */

/* The point at which a thread, or the caller of the launch, goes on after it has left its stack. */
struct place {
    stack_bounds stack;
    void *fake_stack; /* the sanitizer's */
    fiber rest;       /* empty while it runs and after it has ended */
};

struct device_thread {
    unsigned number;      /* of all threads that the launch has fibers for */
    unsigned rank;        /* of its block among those that run together */
    unsigned id;          /* in the block, 0 .. threads-1, x running fastest */
    uint3 index, block;   /* threadIdx, blockIdx */
    stack_context stack;  /* its fiber's */
    place self;           /* while it does not run */
    const char *waits_in; /* while it waits: in this intrinsic, */
    unsigned mask;        /* with this mask, 0 at a barrier, */
    int line;             /* called in this line, */
    bool for_group;       /* of all blocks that run together */
};

enum thread_state : unsigned char { ready, waiting, ended };

struct warp {
    unsigned lanes;                 /* lanes that exist: fewer than 32 at the end of an odd block */
    unsigned used;                  /* bit i: meetings[i] is in use */
    unsigned open;                  /* bit i: meetings[i] is in use and lanes have yet to arrive */
    meeting meetings[warp_threads]; /* one per lane, since a lane is in at most one meeting */
};

struct block_meeting {
    const char *intrinsic; /* name of the meeting of a block, or of all that run together, as in `meeting` */
    int line;
    unsigned arrived; /* threads that are there */
    int votes;        /* how many of them brought true */
    int result;       /* votes of the previous time; it stands until all have come again, so all can read it */
};

struct shared_declaration {
    const void *declaration; /* which */
    std::size_t offset;      /* place in the block's shared memory */
};

struct thread_stopped {
}; /* thrown through a kernel whose launch is closed */

std::uint64_t volume(dim3 d)
{
    return std::uint64_t{d.x} * d.y * d.z;
}

uint3 unravel(unsigned i, dim3 size)
{
    return {i % size.x, i / size.x % size.y, i / size.x / size.y};
}

std::string index_text(uint3 i, dim3 size)
{
    if (size.y == 1 && size.z == 1) return std::to_string(i.x);
    return "(" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + ")";
}

void set_out_of_memory(const char *kernel);

/* ---- One launch ---- */

class grid_run
{
  public:
    grid_run(const launch_config &config, thread_main main);
    ~grid_run();
    void run();

    /* For the running thread. */
    [[noreturn]] void fail(int line, const char *what);
    meeting &meet_warp(const char *intrinsic, unsigned mask, std::uint64_t value, int line);
    void leave_warp(meeting &met);
    int meet_block(const char *intrinsic, bool vote, int line);
    void meet_group(const char *intrinsic, int line);
    void pass_turn();
    void *shared_of(void *own, unsigned rank, int line);
    void *static_array(const void *declaration, const char *name, std::size_t bytes, std::size_t alignment, int line);
    void *dynamic_array(const char *name, std::size_t offset, std::size_t bytes, std::size_t alignment, int line);

  private:
    warp &warp_of(const device_thread &thread)
    {
        return warps_[thread.rank * block_warps_ + thread.id / warp_threads];
    }

    unsigned char *shared_memory(unsigned rank)
    {
        return reinterpret_cast<unsigned char *>(shared_.get() + rank * shared_stride_);
    }

    void start_fibers();
    fiber fiber_main(device_thread &self, fiber &&before);
    void run_group(unsigned group);
    /* After a switch of fibers the CPU predicts every return wrongly. So these are all of one function. */
    [[gnu::always_inline]] inline device_thread *next();
    [[gnu::always_inline]] inline device_thread *take_turn();
    [[gnu::always_inline]] inline void go_on(place &self, device_thread *thread);
    [[gnu::always_inline]] inline void wait(const char *intrinsic, unsigned mask, int line, bool for_group = false);
    int meet(block_meeting &met, unsigned first, unsigned count, const char *intrinsic, bool vote, int line,
             bool for_group);
    meeting &join(warp &w, const char *intrinsic, unsigned mask, int line);
    void record(const device_thread &thread, int line, const char *what);
    void record_deadlock();
    const device_thread *missing(const device_thread &waiter);

    const launch_config &config_;
    const thread_main main_;
    const std::uint64_t order_ = chosen_order;
    const bool warps_run_on_ = order_ > 1 && order_ % 2 == 0;
    const unsigned group_blocks_; /* blocks that run together */
    const unsigned block_threads_, block_warps_;
    std::vector<device_thread> threads_; /* threads of the blocks that run together, one block after the other */
    std::vector<thread_state> states_;   /* [thread], apart because the scheduler reads them all every round */
    std::unique_ptr<warp[]> warps_;
    std::vector<block_meeting> barriers_; /* one per block */
    block_meeting group_barrier_{};
    unsigned ended_ = 0;           /* threads that have ended */
    bool failed_ = false;          /* a report has been made */
    bool closing_ = false;         /* fibers must end */
    ordering turns_;               /* order of threads for each round */
    std::size_t turn_ = 0;         /* in the round: whose turn is next */
    bool ran_ = false;             /* in the round: any thread */
    unsigned last_ = 0;            /* thread that had the last turn */
    place caller_{};               /* place of the launch's caller */
    place *left_ = nullptr;        /* place that was left last */
    std::size_t shared_limit_;     /* bytes of shared memory that a block may have, static and dynamic */
    std::size_t static_bytes_ = 0; /* static shared memory declared so far */
    std::vector<shared_declaration> declarations_;
    std::size_t shared_stride_;                  /* size of a block's shared memory, in elements of shared_ */
    std::unique_ptr<std::max_align_t[]> shared_; /* per block max_static_shared bytes, then the dynamic ones */
};

thread_local grid_run *current_grid;
thread_local device_thread *running;

/* Static and dynamic bytes that a block of the kernel may have. */
static std::size_t shared_limit_of(const void *kernel)
{
    const std::size_t most = static_cast<std::size_t>(host_device_limits.shared);
    return allowed_dynamic_shared(kernel) > max_static_shared ? most : std::min(most, max_static_shared);
}

grid_run::grid_run(const launch_config &config, thread_main main)
    : config_(config), main_(main), group_blocks_(config.together ? static_cast<unsigned>(volume(config.grid)) : 1),
      block_threads_(static_cast<unsigned>(volume(config.block))),
      block_warps_((block_threads_ + warp_threads - 1) / warp_threads),
      threads_(std::size_t{group_blocks_} * block_threads_), states_(threads_.size()),
      warps_(new warp[std::size_t{group_blocks_} * block_warps_]), barriers_(group_blocks_),
      turns_(order_, threads_.size()), shared_limit_(shared_limit_of(config.entry)),
      shared_stride_((max_static_shared + config.shared_bytes) / sizeof(std::max_align_t) + 1),
      shared_(new std::max_align_t[group_blocks_ * shared_stride_])
{
    current_grid = this;
    host_cuda::gridDim = config.grid;
    host_cuda::blockDim = config.block;
}

void grid_run::start_fibers()
{
    for (unsigned number = 0; number < threads_.size(); number++) {
        device_thread &thread = threads_[number];
        const unsigned id = number % block_threads_;
        thread.number = number;
        thread.rank = number / block_threads_;
        thread.id = id;
        thread.index = unravel(id, config_.block);
        thread.stack = stacks().take();
        /* Stacks lie at equal distances, which would let all of them meet in the same few lines of the cache. */
        const std::size_t apart = id % 8 * 512, size = thread.stack.size - apart;
        char *const top = static_cast<char *>(thread.stack.sp) - apart;
        thread.self.stack = {top - size, size};
        thread.self.rest =
            fiber(std::allocator_arg, boost::context::preallocated(top, size, thread.stack), borrowed_stack(),
                  [this, &thread](fiber &&before) { return fiber_main(thread, std::move(before)); });
    }
}

/* Ends all fibers, wherever they are: where memory ran out, not all have been made. */
grid_run::~grid_run()
{
    closing_ = true;
    for (device_thread &thread : threads_) {
        if (thread.self.rest) go_on(caller_, &thread);
        if (!thread.stack.sp) break;
        forget_frames(thread.self.stack);
        stacks().give(thread.stack);
    }
    current_grid = nullptr;
}

/* Runs the kernel once for every block. */
fiber grid_run::fiber_main(device_thread &self, fiber &&before)
{
    after_switch(nullptr, &left_->stack);
    left_->rest = std::move(before);
    while (!closing_) {
        try {
            main_.run(main_.arguments);
        } catch (const thread_stopped &) {
        } catch (const std::bad_alloc &) { /* nothing may be thrown out of a fiber */
            if (!failed_) set_out_of_memory(config_.kernel);
            failed_ = true;
        }
        states_[self.number] = ended;
        ended_++;
        if (!closing_) go_on(self.self, next());
    }
    before_switch(nullptr, caller_.stack);
    left_ = &self.self;
    return std::move(caller_.rest);
}

/* Leaves a place for a thread's place, or for the launch's caller; returns when the place is taken up again. */
void grid_run::go_on(place &self, device_thread *thread)
{
    place &to = thread ? thread->self : caller_;
    running = thread;
    if (thread) {
        host_cuda::threadIdx = thread->index;
        host_cuda::blockIdx = thread->block;
    }
    left_ = &self;
    before_switch(&self.fake_stack, to.stack);
    fiber before = std::move(to.rest).resume();
    after_switch(self.fake_stack, &left_->stack);
    left_->rest = std::move(before);
}

void grid_run::wait(const char *intrinsic, unsigned mask, int line, bool for_group)
{
    device_thread &self = *running;
    self.waits_in = intrinsic;
    self.mask = mask;
    self.line = line;
    self.for_group = for_group;
    states_[self.number] = waiting;
    go_on(self.self, next());
    if (closing_) throw thread_stopped();
}

void grid_run::run()
{
    start_fibers();
    ordering groups(order_, volume(config_.grid) / group_blocks_);
    for (const unsigned group : groups.draw()) {
        run_group(group);
        if (failed_) return;
    }
}

void grid_run::run_group(unsigned group)
{
    std::memset(shared_.get(), 0xFF, group_blocks_ * shared_stride_ * sizeof(std::max_align_t));
    std::fill(states_.begin(), states_.end(), ready);
    std::fill(barriers_.begin(), barriers_.end(), block_meeting{});
    group_barrier_ = {};
    ended_ = 0;
    for (device_thread &thread : threads_) {
        thread.block = unravel(group * group_blocks_ + thread.rank, config_.grid);
        warp &w = warp_of(thread);
        const unsigned first = thread.id - thread.id % warp_threads;
        w.lanes = 0xFFFFFFFFu >> (warp_threads - std::min(block_threads_ - first, warp_threads));
        w.used = w.open = 0;
    }
    turns_.draw();
    turn_ = 0;
    ran_ = false;
    go_on(caller_, take_turn());
    if (ended_ < threads_.size() && !failed_) record_deadlock();
}

/* The thread whose turn is next; none where a report has been made or no thread is ready. */
device_thread *grid_run::next()
{
    if (failed_) return nullptr;
    if (warps_run_on_) { /* the warp of the last one: its lanes in turn, from that one */
        const device_thread &last = threads_[last_];
        const unsigned first = last_ - last.id % warp_threads;
        const unsigned end = std::min(first + warp_threads, (last.rank + 1) * block_threads_);
        for (unsigned id = last_ + 1; id < end; id++)
            if (states_[id] == ready) return &threads_[last_ = id];
        for (unsigned id = first; id <= last_; id++)
            if (states_[id] == ready) return &threads_[last_ = id];
    }
    return take_turn();
}

/* The next thread that is ready, in this round or the one after it. */
device_thread *grid_run::take_turn()
{
    for (;;) {
        while (turn_ < threads_.size()) {
            last_ = turns_[turn_++];
            if (states_[last_] != ready) continue;
            ran_ = true;
            return &threads_[last_];
        }
        if (!ran_ || ended_ == threads_.size()) return nullptr;
        turns_.draw();
        turn_ = 0;
        ran_ = false;
    }
}

/* ---- Reports ---- */

void grid_run::record(const device_thread &thread, int line, const char *what)
{
    char text[480];
    std::snprintf(text, sizeof text, "host backend: %s, block %s, thread %s: %s (line %d)", config_.kernel,
                  index_text(thread.block, config_.grid).c_str(), index_text(thread.index, config_.block).c_str(), what,
                  line);
    set_launch_error(text);
    failed_ = true;
}

void grid_run::fail(int line, const char *what)
{
    record(*running, line, what);
    throw thread_stopped();
}

/* The first thread for which this one waits and which does not wait where it does. */
const device_thread *grid_run::missing(const device_thread &waiter)
{
    for (const device_thread &other : threads_) {
        const bool same_block = other.rank == waiter.rank,
                   same_warp = same_block && other.id / warp_threads == waiter.id / warp_threads;
        const bool needed =
            waiter.mask == 0 ? same_block || waiter.for_group : same_warp && waiter.mask >> other.id % warp_threads & 1;
        const bool there = states_[other.number] == waiting && other.waits_in == waiter.waits_in &&
                           other.line == waiter.line && other.mask == waiter.mask;
        if (needed && !there) return &other;
    }
    return nullptr;
}

/* Names a thread that waits and one for which it waits in vain. Threads that wait in a warp come first: those that wait
 * for the whole block often wait for one of these only. */
void grid_run::record_deadlock()
{
    const auto in_warp = [this](const device_thread &t) { return states_[t.number] == waiting && t.mask != 0; };
    const auto in_block = [this](const device_thread &t) { return states_[t.number] == waiting && !t.for_group; };
    const auto anywhere = [this](const device_thread &t) { return states_[t.number] == waiting; };
    auto waiter = std::find_if(threads_.begin(), threads_.end(), in_warp);
    if (waiter == threads_.end()) waiter = std::find_if(threads_.begin(), threads_.end(), in_block);
    if (waiter == threads_.end()) waiter = std::find_if(threads_.begin(), threads_.end(), anywhere);
    const device_thread &other = *missing(*waiter);
    const auto place = [](const device_thread &t) {
        char mask[32] = "";
        if (t.mask != 0) std::snprintf(mask, sizeof mask, " with mask 0x%08x", t.mask);
        return t.waits_in + std::string(mask);
    };
    std::string what = "waits in " + place(*waiter) + " for thread " + index_text(other.index, config_.block);
    if (other.rank != waiter->rank) what += " of block " + index_text(other.block, config_.grid);
    if (states_[other.number] == ended)
        what += ", which has exited";
    else
        what += ", which waits in " + place(other) + " in line " + std::to_string(other.line);
    record(*waiter, waiter->line, what.c_str());
}

/* ---- Warps ---- */

/* The meeting with these properties that is open, or a new one. */
meeting &grid_run::join(warp &w, const char *intrinsic, unsigned mask, int line)
{
    for (unsigned open = w.open; open != 0; open &= open - 1) {
        meeting &met = w.meetings[__builtin_ctz(open)];
        if (met.intrinsic == intrinsic && met.mask == mask && met.line == line) return met;
    }
    const int slot = __builtin_ctz(~w.used);
    w.used |= 1u << slot;
    w.open |= 1u << slot;
    meeting &met = w.meetings[slot];
    met.intrinsic = intrinsic;
    met.mask = mask;
    met.line = line;
    met.arrived = met.left = met.votes = 0;
    return met;
}

meeting &grid_run::meet_warp(const char *intrinsic, unsigned mask, std::uint64_t value, int line)
{
    warp &w = warp_of(*running);
    const unsigned lane = lane_id(), bit = 1u << lane;
    if (!(mask & bit)) report(line, "%s: mask 0x%08x does not name lane %u, which calls it", intrinsic, mask, lane);
    if (mask & ~w.lanes)
        report(line, "%s: mask 0x%08x names lane %d, and the warp has lanes 0..%d", intrinsic, mask,
               __builtin_ctz(mask & ~w.lanes), __builtin_popcount(w.lanes) - 1);
    meeting &met = join(w, intrinsic, mask, line);
    met.arrived |= bit;
    met.values[lane] = value;
    if (value != 0) met.votes |= bit;
    if (met.arrived != mask) {
        wait(intrinsic, mask, line);
        return met;
    }
    w.open &= ~(1u << (&met - w.meetings));
    const unsigned first = running->number - lane;
    for (unsigned lanes = mask; lanes != 0; lanes &= lanes - 1)
        states_[first + static_cast<unsigned>(__builtin_ctz(lanes))] = ready;
    return met;
}

void grid_run::leave_warp(meeting &met)
{
    warp &w = warp_of(*running);
    met.left |= 1u << lane_id();
    if (met.left == met.mask) w.used &= ~(1u << (&met - w.meetings));
}

/* ---- Blocks ---- */

/* Waits for `count` threads, from `first` on. */
int grid_run::meet(block_meeting &met, unsigned first, unsigned count, const char *intrinsic, bool vote, int line,
                   bool for_group)
{
    if (met.arrived == 0) {
        met.intrinsic = intrinsic;
        met.line = line;
        met.votes = 0;
    }
    if (met.intrinsic == intrinsic && met.line == line) {
        met.arrived++;
        met.votes += vote;
    }
    if (met.arrived < count) {
        wait(intrinsic, 0, line, for_group);
    } else {
        met.arrived = 0;
        met.result = met.votes;
        std::fill_n(states_.begin() + first, count, ready);
    }
    return met.result;
}

int grid_run::meet_block(const char *intrinsic, bool vote, int line)
{
    const unsigned rank = running->rank;
    return meet(barriers_[rank], rank * block_threads_, block_threads_, intrinsic, vote, line, false);
}

void grid_run::meet_group(const char *intrinsic, int line)
{
    meet(group_barrier_, 0, static_cast<unsigned>(threads_.size()), intrinsic, false, line, true);
}

void grid_run::pass_turn()
{
    device_thread *const other = failed_ ? nullptr : take_turn();
    if (other == running) return;
    go_on(running->self, other);
    if (closing_) throw thread_stopped();
}

/* ---- Shared memory ---- */

void *grid_run::static_array(const void *declaration, const char *name, std::size_t bytes, std::size_t alignment,
                             int line)
{
    unsigned char *const memory = shared_memory(running->rank);
    for (const shared_declaration &known : declarations_)
        if (known.declaration == declaration) return memory + known.offset;
    const std::size_t offset = (static_bytes_ + alignment - 1) / alignment * alignment;
    if (offset + bytes > max_static_shared || offset + bytes + config_.shared_bytes > shared_limit_)
        report(line,
               "shared array %s: %zu bytes of static and %zu of dynamic shared memory are more than a block may have",
               name, offset + bytes, config_.shared_bytes);
    static_bytes_ = offset + bytes;
    declarations_.push_back({declaration, offset});
    return memory + offset;
}

void *grid_run::dynamic_array(const char *name, std::size_t offset, std::size_t bytes, std::size_t alignment, int line)
{
    if (offset % alignment != 0)
        report(line, "shared array %s: offset %zu is not a multiple of %zu", name, offset, alignment);
    if (offset + bytes > config_.shared_bytes)
        report(line, "shared array %s: bytes %zu..%zu are outside the %zu of dynamic shared memory", name, offset,
               offset + bytes - 1, config_.shared_bytes);
    return shared_memory(running->rank) + max_static_shared + offset;
}

void *grid_run::shared_of(void *own, unsigned rank, int line)
{
    if (rank >= group_blocks_) report(line, "block %u of %u that run together", rank, group_blocks_);
    return shared_memory(rank) + (static_cast<unsigned char *>(own) - shared_memory(running->rank));
}

void set_out_of_memory(const char *kernel)
{
    char text[160];
    std::snprintf(text, sizeof text, "host backend: %.100s: out of memory", kernel);
    set_launch_error(text);
}

/* What is wrong with the launch itself, or an empty string. */
std::string launch_fault(const launch_config &config)
{
    const dim3 g = config.grid, b = config.block;
    const std::size_t allowed = allowed_dynamic_shared(config.entry);
    const auto text = [](dim3 d) { return index_text({d.x, d.y, d.z}, d); };
    if (g.x < 1 || g.y < 1 || g.z < 1 || g.x > 0x7FFFFFFFu || g.y > 65535 || g.z > 65535)
        return "launch of " + text(g) + " blocks: needs 1 to 2147483647 in x, 65535 in y and z";
    if (volume(g) > 0xFFFFFFFFu) return "launch of " + text(g) + " blocks: more than the host backend can run";
    if (config.together && volume(g) > static_cast<std::uint64_t>(host_device_limits.together))
        return "launch of " + text(g) + " blocks together: the device has room for " +
               std::to_string(host_device_limits.together);
    if (b.x < 1 || b.y < 1 || b.z < 1 || b.x > 1024 || b.y > 1024 || b.z > 64 || volume(b) > max_block_threads)
        return "launch of blocks of " + text(b) + " threads: needs 1 to 1024, at most 64 in z";
    if (config.shared_bytes > allowed)
        return "launch with " + std::to_string(config.shared_bytes) + " bytes of dynamic shared memory: at most " +
               std::to_string(allowed) + " are allowed (cudaFuncSetAttribute)";
    return "";
}

} // namespace

/* ---- What execution.h declares ---- */

void run_grid(const launch_config &config, thread_main main)
{
    try {
        const std::string fault = launch_fault(config);
        if (fault.empty())
            grid_run(config, main).run();
        else
            set_launch_error(("host backend: " + std::string(config.kernel) + ": " + fault).c_str());
    } catch (const std::bad_alloc &) {
        set_out_of_memory(config.kernel);
    }
}

void report(int line, const char *format, ...)
{
    char what[320];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    current_grid->fail(line, what);
}

meeting &arrive(const char *intrinsic, unsigned mask, std::uint64_t value, int line)
{
    return current_grid->meet_warp(intrinsic, mask, value, line);
}

void leave(meeting &met)
{
    current_grid->leave_warp(met);
}

unsigned lane_id()
{
    return running->id % warp_threads;
}

int block_barrier(const char *intrinsic, bool vote, int line)
{
    return current_grid->meet_block(intrinsic, vote, line);
}

void group_barrier(const char *intrinsic, int line)
{
    current_grid->meet_group(intrinsic, line);
}

void pass_turn()
{
    current_grid->pass_turn();
}

void *shared_of_block(void *own, unsigned rank, int line)
{
    return current_grid->shared_of(own, rank, line);
}

void *static_shared(const void *declaration, const char *name, std::size_t bytes, std::size_t alignment, int line)
{
    return current_grid->static_array(declaration, name, bytes, alignment, line);
}

void *dynamic_shared(const char *name, std::size_t offset, std::size_t bytes, std::size_t alignment, int line)
{
    return current_grid->dynamic_array(name, offset, bytes, alignment, line);
}

} // namespace host_backend

extern "C" void host_backend_set_order(std::uint64_t order)
{
    host_backend::chosen_order = order;
}

extern "C" void host_backend_hear_draws(host_backend_draw *hears)
{
    host_backend::draws_heard_by = hears;
}
