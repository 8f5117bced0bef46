/* What an instance is, without its distances: the first half of loading one. Inside instances/ only. */
#ifndef ANTBENCH_DESCRIBE_H
#define ANTBENCH_DESCRIBE_H

#include "instances/tsplib.h"

/* tsp_read, but for dist, which is NULL: everything is read and checked as there. */
ab_status tsp_describe_file(const char *path, tsp_instance *instance);

/* tsp_generate, but for dist, which is NULL, and sha256, which is empty. Nothing is generated. */
ab_status tsp_describe_generated(tsp_kind kind, int n, tsp_instance *instance);

#endif
