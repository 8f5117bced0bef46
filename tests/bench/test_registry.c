/* The registry and what goes with it: names, ids and traits of every implementation, stages by name; and the memory
 * that states share (kernels/cuda/device_memory.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/registry.h"
#include "kernels/operation.h"
#include "tests/planted/device_memory.h"
#include "kernels/tsp/tsp.h"
#include "tests/support/registered.h"

static void ids_are_operation_and_name(void **state)
{
    (void)state;
    size_t count, n_operations;
    const ab_implementation *all = ab_registry(&count);
    const ab_operation *const *operations = ab_operations(&n_operations);
    for (size_t i = 0; i < count; i++) {
        char id[128];
        snprintf(id, sizeof id, "%s/%s", all[i].operation, all[i].name);
        assert_string_equal(all[i].id, id);
        size_t known = 0;
        for (size_t k = 0; k < n_operations; k++) known += strcmp(operations[k]->name, all[i].operation) == 0;
        assert_int_equal(known, 1);
        if (ab_find_implementation(id, all[i].backend) != &all[i]) fail_msg("%s is there twice", id);
        assert_non_null(all[i].open);
        if (access(all[i].file, R_OK) != 0) fail_msg("%s: there is no file %s", id, all[i].file);
    }
    assert_null(ab_find_implementation("tsp/none", AB_CPU));
    assert_null(ab_find_implementation("tsp/cpu-rejection", AB_HOST));
}

/* Of two of one name only the first would be found. */
static void an_id_that_is_there_twice_is_refused(void **state)
{
    (void)state;
    size_t count;
    const ab_implementation *all = ab_registry(&count);
    ab_implementation planted[] = {{.id = "tsp/race", .backend = AB_CUDA, .file = "kernels/tsp/mine.cu"},
                                   {.id = "tsp/race", .backend = AB_HOST, .file = "kernels/tsp/mine.cu"},
                                   {.id = "tsp/other", .backend = AB_HOST, .file = "kernels/tsp/race.cu"}};
    assert_string_equal(ab_registry_check(all, count).reason, "");
    assert_int_equal(ab_registry_check(planted, 3).code, AB_OK);
    planted[2].id = "tsp/race";
    for (int backend = 0; backend < 2; backend++) {
        planted[2].backend = backend ? AB_HOST : AB_CPU;
        const ab_status status = ab_registry_check(planted, 3);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, "bench/registry.def: tsp/race is there twice (kernels/tsp/mine.cu, "
                                           "kernels/tsp/race.cu): rename one");
    }
}

static void every_operation_has_a_cpu_and_one_reference_at_most(void **state)
{
    (void)state;
    size_t n_operations;
    const ab_operation *const *operations = ab_operations(&n_operations);
    assert_true(n_operations >= 5);
    for (size_t k = 0; k < n_operations; k++) {
        int references = 0;
        assert_non_null(next_of(operations[k]->name, ON_CPU, NULL));
        for (const ab_implementation *it = NULL; (it = next_of(operations[k]->name, ON_CPU | ON_HOST, it)) != NULL;)
            references += (it->traits & AB_REFERENCE) != 0;
        assert_true(references <= 1);
    }
}

/* What the loops of the other tests stand on: kernels are there to be found, the documented example among them. */
static void kernels_are_found(void **state)
{
    (void)state;
    static const char *const operations[] = {"tsp",         "edge-ants", "colour-edge", "canny",
                                             "choice-info", "deposit",   "convolution", "log-edges"};
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        assert_non_null(next_of(operations[k], ON_HOST, NULL));
    assert_int_equal(registered("tsp/example", AB_HOST)->traits, AB_EXACT);
    assert_string_equal(reference_of("canny")->id, "canny/opencv");
    assert_null(next_of("none", ON_CPU | ON_HOST, NULL));
}

static void traits_have_names(void **state)
{
    (void)state;
    char text[AB_TRAITS_TEXT];
    ab_implementation it = {.operation = "tsp"};
    ab_trait_names(&it, text);
    assert_string_equal(text, "");
    it.traits = AB_EXACT | TSP_CANDIDATES;
    ab_trait_names(&it, text);
    assert_string_equal(text, "exact candidates");
    it.traits = ~0u;
    ab_trait_names(&it, text);
    assert_string_equal(text,
                        "exact candidates partial other-rules reference several thread-each workers race one-thread");
    it.operation = "psystem";
    ab_trait_names(&it, text);
    assert_string_equal(text, "exact partial other-rules reference several single-steps bits one-thread");
}

/* What one rung has for itself, with its defaults, and no other. */
static void a_rung_owns_its_parameters(void **state)
{
    (void)state;
    const ab_operation *operation = ab_find_operation("tsp");
    const ab_implementation *race = registered("tsp/race", AB_HOST), *ds = registered("tsp/ds-roulette", AB_HOST);
    const ab_implementation *workers = registered("tsp/i-roulette", AB_HOST);
    ab_parameter all[AB_MOST_PARAMETERS + 1];
    uint64_t set = 0;
    tsp_params params = {.seed = 1};
    assert_null(ds->parameters);
    assert_non_null(ab_parameter_find(race->parameters, "near", 4));
    assert_null(ab_parameter_find(operation->parameters, "near", 4));
    ab_parameters_join(operation->parameters, ds->parameters, all);
    assert_string_equal(ab_parameters_set(all, "near", "5", &params, &set).reason, "there is no parameter near");
    ab_parameters_join(operation->parameters, workers->parameters, all);
    ab_parameters_default(all, &params);
    params.n_ants = 1;
    params.rho = 0.5;
    assert_int_equal(ab_parameters_check(all, &params).code, AB_OK);
    assert_int_equal(ab_parameters_set(all, "workers", "48", &params, &set).code, AB_OK);
    assert_string_equal(ab_parameters_check(all, &params).reason, "workers must be a power of two, not 48");
}

static void stages_have_names(void **state)
{
    (void)state;
    static const ab_work_methods methods = {.n_stages = 2, .stage_names = {"place", "run", "none"}};
    const ab_work work = {.methods = &methods};
    assert_int_equal(ab_stage_named(&work, "place"), 0);
    assert_int_equal(ab_stage_named(&work, "run"), 1);
    assert_int_equal(ab_stage_named(&work, "ru"), -1);
    assert_int_equal(ab_stage_named(&work, "none"), -1);
}

/* One more allocation than there is room for is refused and not written past the end. */
static void a_full_device_memory_says_so(void **state)
{
    (void)state;
    int room = 0;
    while (planted_allocate_host(room + 1, false).code == AB_OK && room < 1000) room++;
    assert_in_range(room, 10, 999);
    for (int pinned = 0; pinned < 2; pinned++) {
        assert_int_equal(planted_allocate_host(room, pinned).code, AB_OK);
        const ab_status status = planted_allocate_host(room + 1, pinned);
        assert_int_equal(status.code, AB_FAILED);
        assert_non_null(strstr(status.reason, "DEVICE_ALLOCATIONS"));
    }
}

int main(void)
{
    unsetenv("ANTBENCH_ONLY"); /* what is tested is the registry, all of it */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_operation_and_name),
        cmocka_unit_test(an_id_that_is_there_twice_is_refused),
        cmocka_unit_test(every_operation_has_a_cpu_and_one_reference_at_most),
        cmocka_unit_test(kernels_are_found),
        cmocka_unit_test(traits_have_names),
        cmocka_unit_test(a_rung_owns_its_parameters),
        cmocka_unit_test(stages_have_names),
        cmocka_unit_test(a_full_device_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
