/* The sources and tools that this binary was built from, as scripts/build_info found them at build time. */
#ifndef ANTBENCH_BUILD_INFO_H
#define ANTBENCH_BUILD_INFO_H

#include <stdbool.h>

#include "base/status.h"

typedef struct ab_build_info {
    const char *version;                        /* "0.9.0", or "0.9.0-12-gabcdef1": 12 commits later */
    const char *commit;                         /* git commit, abbreviated; "unknown" outside a repository */
    bool dirty;                                 /* true if the sources differed from that commit */
    const char *cc, *cflags;                    /* C compiler's version line and flags */
    const char *nvcc, *nvcc_flags, *cuda_archs; /* version line, flags and architectures; empty without CUDA */
    int opencv_ipp;                             /* result of opencv_uses_ipp() (baselines/opencv_ipp.h) */
    const char *opencv, *npp, *cudnn;           /* versions of the libraries, "4.6.0"; empty without the library */
    const char *kernels;            /* "kernels/tsp/ds_roulette.cu DIGEST ...": the SHA-256 of each file's GPU code */
    const char *device_code_sha256; /* SHA-256 of all these lines; empty without CUDA */
    const char *cpu_code_sha256;    /* SHA-256 of sources, compiler and flags that times of CPU programs depend on */
} ab_build_info;

const ab_build_info *ab_build(void);

/* Answers --version: "antbench 0.9.0 (commit abcdef1), built without CUDA". */
void ab_print_version(void);

/* Computes the SHA-256 of the running executable, which also distinguishes two builds of uncommitted sources. */
ab_status ab_executable_sha256(char digest[65]);

#endif
