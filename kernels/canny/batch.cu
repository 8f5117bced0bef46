/* The rung of several GPUs (batch.h): which rung finds the edges of a picture. */
#include "kernels/canny/canny.h"

AB_RUNG(canny_rung, canny_batch) = {.detect = NULL, .part = "canny/word-runs"};
