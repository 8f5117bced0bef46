/* What the baselines that call OpenCV share: its exceptions and its threads. */
#ifndef ANTBENCH_OPENCV_H
#define ANTBENCH_OPENCV_H

#include <algorithm>
#include <exception>
#include <new>

#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>

#include "base/status.h"

namespace opencv
{

/* OpenCV throws; C must not see that. */
template <typename Action> ab_status guarded(const Action &action)
{
    try {
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
