/* The build's identity (bench/record/build_info.h). The Makefile generates build_info.inc. */
#include <stdio.h>
#include <string.h>

#include "baselines/opencv_ipp.h"
#include "bench/record/build_info.h"
#include "build_info.inc"
#include "base/digest.h"

const ab_build_info *ab_build(void)
{
    static ab_build_info build = {
        .version = AB_VERSION,
        .commit = AB_GIT_COMMIT,
        .dirty = AB_GIT_DIRTY,
        .cc = AB_CC_VERSION,
        .cflags = AB_CFLAGS,
        .nvcc = AB_NVCC_VERSION,
        .nvcc_flags = AB_NVCC_FLAGS,
        .opencv = AB_OPENCV_VERSION,
        .npp = AB_NPP_VERSION,
        .cudnn = AB_CUDNN_VERSION,
        .kernels = AB_KERNEL_HASHES,
        .cuda_archs = AB_CUDA_ARCHS,
        .device_code_sha256 = AB_DEVICE_CODE_SHA256,
        .cpu_code_sha256 = AB_CPU_CODE_SHA256,
    };
    build.opencv_ipp = opencv_uses_ipp();
    return &build;
}

ab_status ab_executable_sha256(char digest[65])
{
    static char known[65];
    if (!known[0]) AB_TRY(sha256_file("/proc/self/exe", known));
    memcpy(digest, known, sizeof known);
    return ab_ok();
}

void ab_print_version(void)
{
    const ab_build_info *build = ab_build();
    printf("antbench %s (commit %s%s), %s\n", build->version, build->commit, build->dirty ? " with local changes" : "",
           build->device_code_sha256[0] ? build->nvcc : "built without CUDA");
}
