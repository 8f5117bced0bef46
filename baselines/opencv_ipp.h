/* Whether OpenCV calls Intel's IPP here, whose functions it prefers to its own. */
#ifndef ANTBENCH_OPENCV_IPP_H
#define ANTBENCH_OPENCV_IPP_H

#ifdef __cplusplus
extern "C" {
#endif

/* 1 where it does, 0 where it does not, as OpenCV itself says; -1 without OpenCV. */
int opencv_uses_ipp(void);

#ifdef __cplusplus
}
#endif
#endif
