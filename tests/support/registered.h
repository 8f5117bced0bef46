/* The registry (bench/registry.def), as tests ask it, so that a test of all kernels has no list of them; and opening
 * what is found there, with types. */
#ifndef ANTBENCH_TEST_REGISTERED_H
#define ANTBENCH_TEST_REGISTERED_H

#include "kernels/edge_ants/edge_ants.h"
#include "kernels/edges/detector.h"
#include "kernels/tsp/tsp.h"

enum { ON_CPU = 1 << AB_CPU, ON_HOST = 1 << AB_HOST }; /* backends, any of them */

/* ANTBENCH_ONLY=tsp/mine in the environment leaves of that operation, to next_of, that implementation alone: a test of
 * all kernels is then one of yours, in seconds. Ends the program with 2 where there is no such implementation. */

/* Sets a parameter that the implementation has for itself (ab_implementation.parameters); nothing where it has none of
 * this name. */
ab_status try_own(const ab_implementation *it, void *params, const char *name, int value);

/* The same; fails the test where the value is refused. */
void set_own(const ab_implementation *it, void *params, const char *name, int value);

/* The implementation of `operation` on one of `backends` that comes after `last` in the registry, for NULL the first
 * one; NULL after the last one. Those of several ranks are made of these and have a test of their own (test_team.c). */
const ab_implementation *next_of(const char *operation, unsigned backends, const ab_implementation *last);

/* Fails the cmocka test where there is no such implementation. */
const ab_implementation *registered(const char *id, ab_backend backend);

/* What the others of an operation are compared with (AB_REFERENCE). Fails the test where there is none, or several. */
const ab_implementation *reference_of(const char *operation);

/* For implementations of tsp, of edge-ants, and of the three edge detectors. The state is NULL unless AB_OK. */
ab_status open_colony(ab_open *open, const tsp_problem *problem, const tsp_params *params, tsp_colony **colony);
ab_status open_ants(ab_open *open, const ea_problem *problem, const ea_params *params, ea_colony **colony);
ab_status open_detector(ab_open *open, const ed_image *image, const ed_params *params, ed_detector **detector);

/* Runs the stage called `name`, AB_FAILED where there is none. */
ab_status run_stage_named(ab_work *work, const char *name);

#endif
