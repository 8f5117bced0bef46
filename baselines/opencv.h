/* What the baselines that call OpenCV share: its exceptions and its threads, which are TBB's. */
#ifndef ANTBENCH_OPENCV_H
#define ANTBENCH_OPENCV_H

#include <algorithm>
#include <exception>
#include <new>

#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <tbb/task_arena.h>

#include "base/status.h"

namespace opencv
{

/* TBB sets itself up once, in the first call of it. Where memory runs out there (seen with 2021.8) it takes that to be
 * under way for ever, and the next call waits for it without end. OpenCV swallows the exception, so that it would make
 * that call: here the first is made before OpenCV's, and none where it failed. */
inline void start_tbb()
{
    static enum { NOT_YET, STARTING, STARTED } state = NOT_YET;
    if (state == STARTING) throw std::bad_alloc();
    if (state == STARTED) return;
    state = STARTING;
    tbb::this_task_arena::max_concurrency();
    state = STARTED;
}

/* OpenCV throws; C must not see that. */
template <typename Action> ab_status guarded(const Action &action)
{
    try {
        start_tbb();
        action();
        return ab_ok();
    } catch (const std::bad_alloc &) {
        return ab_failed("OpenCV: out of memory");
    } catch (const std::exception &error) { /* cv::Exception is one */
        return ab_failed("OpenCV: %s", error.what());
    }
}

/* What a parameter `threads` stands for, 1 .. the number of cores: TBB starts no more, and complains. */
inline int threads_of(int threads)
{
    const int cores = cv::getNumberOfCPUs();
    return threads > 0 ? std::min(threads, cores) : cores;
}

/* The number is the process's, and setting it to what it is would start the threads anew. */
inline void use_threads(int threads)
{
    if (cv::getNumThreads() != threads) cv::setNumThreads(threads);
}

} // namespace opencv
#endif
