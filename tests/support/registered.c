/* The registry, as tests ask it (registered.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/registered.h"

static const ab_implementation *next_of_all(const char *operation, unsigned backends, const ab_implementation *last)
{
    size_t count;
    const ab_implementation *all = ab_registry(&count);
    for (const ab_implementation *it = last ? last + 1 : all; it < all + count; it++)
        if (strcmp(it->operation, operation) == 0 && backends >> it->backend & 1 && !(it->traits & AB_SEVERAL))
            return it;
    return NULL;
}

/* The implementation that ANTBENCH_ONLY leaves of an operation; NULL where it leaves all. */
static const char *only_of(const char *operation)
{
    const char *only = getenv("ANTBENCH_ONLY");
    if (only == NULL || *only == '\0') return NULL;
    if (!ab_find_implementation(only, AB_CPU) && !ab_find_implementation(only, AB_HOST)) {
        fprintf(stderr, "ANTBENCH_ONLY=%s: not in this program: make test-kernel ID=%s builds it\n", only, only);
        _exit(2); /* no other test says it again, and no sanitizer reports what is not freed */
    }
    const size_t length = strlen(operation);
    return strncmp(only, operation, length) == 0 && only[length] == '/' ? only : NULL;
}

const ab_implementation *next_of(const char *operation, unsigned backends, const ab_implementation *last)
{
    const char *only = only_of(operation);
    do {
        last = next_of_all(operation, backends, last);
    } while (last != NULL && only != NULL && strcmp(last->id, only) != 0);
    return last;
}

const ab_implementation *registered(const char *id, ab_backend backend)
{
    const ab_implementation *found = ab_find_implementation(id, backend);
    if (found == NULL) fail_msg("%s is not in the registry (%s)", id, ab_backend_name(backend));
    return found;
}

const ab_implementation *reference_of(const char *operation)
{
    const ab_implementation *found = NULL;
    for (const ab_implementation *it = NULL; (it = next_of_all(operation, ON_CPU, it)) != NULL;)
        if (it->traits & AB_REFERENCE) {
            assert_null(found);
            found = it;
        }
    assert_non_null(found);
    return found;
}

ab_status open_colony(ab_open *open, const tsp_problem *problem, const tsp_params *params, tsp_colony **colony)
{
    ab_work *work = NULL;
    const ab_status status = open(problem, params, &work);
    *colony = (tsp_colony *)work;
    return status;
}

ab_status open_ants(ab_open *open, const ea_problem *problem, const ea_params *params, ea_colony **colony)
{
    ab_work *work = NULL;
    const ab_status status = open(problem, params, &work);
    *colony = (ea_colony *)work;
    return status;
}

ab_status open_detector(ab_open *open, const ed_image *image, const ed_params *params, ed_detector **detector)
{
    ab_work *work = NULL;
    const ab_status status = open(image, params, &work);
    *detector = (ed_detector *)work;
    return status;
}

ab_status run_stage_named(ab_work *work, const char *name)
{
    const int stage = ab_stage_named(work, name);
    return stage >= 0 ? work->methods->run_stage(work, stage) : ab_failed("the work has no stage %s", name);
}

ab_status try_own(const ab_implementation *it, void *params, const char *name, int value)
{
    char text[16];
    const ab_parameter *own = it->parameters ? ab_parameter_find(it->parameters, name, strlen(name)) : NULL;
    snprintf(text, sizeof text, "%d", value);
    return own ? ab_parameter_set(own, text, params) : ab_ok();
}

void set_own(const ab_implementation *it, void *params, const char *name, int value)
{
    const ab_status status = try_own(it, params, name, value);
    if (status.code != AB_OK) fail_msg("%s: %s", it->id, status.reason);
}
