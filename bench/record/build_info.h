/* What this binary was built from and with, as scripts/build_info found it at build time. */
#ifndef ANTBENCH_BUILD_INFO_H
#define ANTBENCH_BUILD_INFO_H

#include <stdbool.h>

#include "base/status.h"

typedef struct ab_build_info {
    const char *version;                        /* "0.9.0", or "0.9.0-12-gabcdef1": as many commits later */
    const char *commit;                         /* git commit, abbreviated; "unknown" outside of a repository */
    bool dirty;                                 /* sources differed from that commit */
    const char *cc, *cflags;                    /* C compiler's version line and flags */
    const char *nvcc, *nvcc_flags, *cuda_archs; /* version line, flags, architectures; empty without CUDA */
    int opencv_ipp;                             /* opencv_uses_ipp() (baselines/opencv_ipp.h) */
    const char *opencv, *npp, *cudnn;           /* their versions, "4.6.0"; empty without them */
    const char *kernels;            /* "kernels/tsp/ds_roulette.cu DIGEST ...": the SHA-256 of the GPU code of each */
    const char *device_code_sha256; /* over those of all; empty without CUDA */
} ab_build_info;

const ab_build_info *ab_build(void);

/* --version: "antbench 0.9.0 (commit abcdef1), built without CUDA". */
void ab_print_version(void);

/* The SHA-256 of the running executable itself, which also tells two builds of uncommitted sources apart. */
ab_status ab_executable_sha256(char digest[65]);

#endif
