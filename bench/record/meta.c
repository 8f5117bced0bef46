/* Writes and reads meta.json (bench/record/meta.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/record/build_info.h"
#include "base/files.h"
#include "bench/clock/cores.h"
#include "bench/clock/machine.h"
#include "bench/clock/nvml.h"
#include "bench/record/meta.h"
#include "bench/clock/scheduler.h"

enum { SCHEMA = 5 }; /* version; it rises when a member changes its meaning */

/* Members that must be equal for a run to be continued, most informative first. The host's name is not one of them,
 * because containers change it. */
static const char *const identity[] = {"schema",
                                       "program",
                                       "options.profile",
                                       "options.backend",
                                       "options.device",
                                       "options.processes",
                                       "options.process",
                                       "options.brief",
                                       "options.runs",
                                       "options.iterations",
                                       "options.time_budget_s",
                                       "options.until_precise",
                                       "options.lock_clocks",
                                       "options.energy_s",
                                       "options.seed",
                                       "options.instances",
                                       "options.implementations",
                                       "options.rows",
                                       "options.set",
                                       "machine.cpu",
                                       "machine.usable_cores",
                                       "build.commit",
                                       "build.dirty",
                                       "build.cc",
                                       "build.cflags",
                                       "build.nvcc",
                                       "build.device_code_sha256",
                                       "build.executable_sha256"};

static json_t *utc_json(time_t when)
{
    char text[32];
    struct tm utc;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &utc));
    return json_string(text);
}

/* Makes a JSON text; JSON cannot hold text that is not UTF-8, such as some file names. Returns NULL if there is no
 * memory, as all functions below. */
static json_t *text_json(const char *text)
{
    json_t *json = json_string(text);
    return json ? json : json_string("(not UTF-8)");
}

/* Appends an item to *list and takes ownership of it. On failure *list becomes NULL. */
static void append_json(json_t **list, json_t *item)
{
    if (json_array_append_new(*list, item) == 0) return;
    json_decref(*list);
    *list = NULL;
}

/* Makes an array of texts, or null from NULL. */
static json_t *list_json(char *const *items, int count)
{
    json_t *list = items ? json_array() : json_null();
    for (int i = 0; items && list && i < count; i++) append_json(&list, text_json(items[i]));
    return list;
}

static int count_items(char *const *items)
{
    int count = 0;
    while (items && items[count]) count++;
    return count;
}

/* Makes an object of members, or NULL if one of them is NULL. */
typedef struct json_member {
    const char *key;
    json_t *value; /* value, owned by the object afterwards */
} json_member;

static json_t *make_object(const json_member *members, size_t count)
{
    json_t *object = json_object();
    bool complete = object;
    for (size_t i = 0; i < count; i++)
        if (json_object_set_new(object, members[i].key, members[i].value) != 0) complete = false;
    if (complete) return object;
    json_decref(object);
    return NULL;
}

#define OBJECT(...)                                                                                                    \
    make_object((const json_member[]){__VA_ARGS__}, sizeof((const json_member[]){__VA_ARGS__}) / sizeof(json_member))

static json_t *whole_or_null(int value)
{
    return value ? json_integer(value) : json_null();
}

/* Makes null for the profile's budget, "none" for no limit. */
static json_t *time_budget_json(double seconds)
{
    if (isinf(seconds)) return json_string("none");
    return seconds > 0 ? json_real(seconds) : json_null();
}

static json_t *clock_json(int mhz)
{
    return mhz == AB_BASE_CLOCK ? json_string("base") : whole_or_null(mhz);
}

/* Tells whether the GPU's clock is locked, and if not, why; null if no lock was asked for. */
static json_t *clock_lock_json(const char *note)
{
    if (!note) return json_null();
    return OBJECT({"locked", json_boolean(!*note)}, {"reason", *note ? json_string(note) : json_null()});
}

static json_t *options_json(const ab_options *options)
{
    return OBJECT({"profile", json_string(ab_profile_name(options->profile))},
                  {"backend", json_string(ab_backend_choice_name(options->backend))},
                  {"device", json_integer(options->device)}, {"processes", whole_or_null(options->processes)},
                  {"process", whole_or_null(options->process)}, {"verify", json_boolean(options->verify)},
                  {"brief", json_boolean(options->brief)}, {"runs", whole_or_null(options->runs)},
                  {"iterations", whole_or_null(options->iterations)},
                  {"time_budget_s", time_budget_json(options->time_budget_s)},
                  {"until_precise", options->until_precise > 0.0 ? json_real(options->until_precise) : json_null()},
                  {"lock_clocks", clock_json(options->lock_clocks)}, {"energy_s", json_real(options->energy_s)},
                  {"seed", json_integer((json_int_t)options->seed)},
                  {"instances", list_json(options->instances, count_items(options->instances))},
                  {"implementations", list_json(options->implementations, count_items(options->implementations))},
                  {"rows", list_json(options->rows, count_items(options->rows))},
                  {"set", list_json(options->set, count_items(options->set))});
}

/* Makes {file: digest} from "file digest file digest". */
static json_t *kernels_json(const char *text)
{
    json_t *kernels = json_object();
    while (*text && kernels) {
        char file[128], digest[65];
        int length = 0;
        if (sscanf(text, "%127s %64s%n", file, digest, &length) != 2) break;
        if (json_object_set_new(kernels, file, json_string(digest)) != 0) {
            json_decref(kernels);
            return NULL;
        }
        text += length;
    }
    return kernels;
}

static json_t *build_json(const char *executable_sha256)
{
    const ab_build_info *build = ab_build();
    return OBJECT({"version", json_string(build->version)}, {"commit", json_string(build->commit)},
                  {"dirty", json_boolean(build->dirty)}, {"cc", json_string(build->cc)},
                  {"cflags", json_string(build->cflags)}, {"nvcc", json_string(build->nvcc)},
                  {"nvcc_flags", json_string(build->nvcc_flags)}, {"opencv_version", json_string(build->opencv)},
                  {"opencv_ipp", build->opencv_ipp < 0 ? json_null() : json_boolean(build->opencv_ipp)},
                  {"npp_version", json_string(build->npp)}, {"cudnn_version", json_string(build->cudnn)},
                  {"kernels", kernels_json(build->kernels)}, {"cuda_archs", json_string(build->cuda_archs)},
                  {"device_code_sha256", json_string(build->device_code_sha256)},
                  {"cpu_code_sha256", json_string(build->cpu_code_sha256)},
                  {"executable_sha256", json_string(executable_sha256)});
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text[0] ? json_string(text) : json_null();
}

static json_t *flag_or_null(int flag)
{
    return flag < 0 ? json_null() : json_boolean(flag);
}

static json_t *bytes_or_null(int64_t bytes)
{
    return bytes ? json_integer(bytes) : json_null();
}

static json_t *caches_json(const ab_machine *machine)
{
    return OBJECT({"l1i_bytes", bytes_or_null(machine->l1i_bytes)}, {"l1d_bytes", bytes_or_null(machine->l1d_bytes)},
                  {"l2_bytes", bytes_or_null(machine->l2_bytes)}, {"l3_bytes", bytes_or_null(machine->l3_bytes)});
}

/* Measures the cores, except for a share, which has its run's machine, and in profile smoke, whose times do not matter.
 */
static double measured_cores(const ab_options *options)
{
    return options->process || options->profile == AB_SMOKE ? (double)NAN : ab_cores_measure();
}

/* The host's fingerprint; `device` describes one of its GPUs, or is NULL. A run of the CPU alone has no device, though
 * its host may have GPUs. */
static void host_fingerprint(const json_t *device, char digest[65])
{
    ab_machine_fingerprint("", digest);
    if (digest[0]) return; /* by its machine-id, which needs no GPU */
    const char *uuid = json_string_value(json_object_get(device, "uuid"));
    char first[AB_UUID];
    ab_nvml *nvml = ab_nvml_open(NULL);
    ab_nvml_first_uuid(nvml, uuid ? uuid : "", first);
    ab_nvml_close(nvml);
    ab_machine_fingerprint(first, digest);
}

static json_t *machine_json(const ab_options *options, const char *name, const json_t *devices)
{
    char fingerprint[65];
    const ab_machine machine = ab_machine_query();
    host_fingerprint(json_array_get(devices, 0), fingerprint);
    const ab_scheduler tells = ab_scheduler_query();
    const char *policy = getenv("OMP_WAIT_POLICY");
    double load;
    if (getloadavg(&load, 1) != 1) load = NAN;
    return OBJECT(
        {"name", json_string(name)}, {"fingerprint", text_or_null(fingerprint)},
        {"host_name", json_string(machine.host_name)}, {"os", json_string(machine.os)},
        {"kernel", json_string(machine.kernel)}, {"cpu", json_string(machine.cpu)},
        {"logical_cores", json_integer(machine.logical_cores)}, {"usable_cores", json_integer(machine.usable_cores)},
        {"governor", json_string(machine.governor)}, {"virtual", flag_or_null(machine.is_virtual)},
        {"hypervisor", text_or_null(machine.hypervisor)}, {"threads_per_core", whole_or_null(machine.threads_per_core)},
        {"effective_cores", number_or_null(measured_cores(options))}, {"caches", caches_json(&machine)},
        {"memory_bytes", json_integer(machine.memory_bytes)}, {"load_average", number_or_null(load)},
        {"other_threads", number_or_null(ab_machine_others())}, {"tells_run_queue", json_boolean(tells.run_queue)},
        {"tells_steal", json_boolean(tells.steal)}, {"omp_wait_policy", json_string(policy ? policy : "")});
}

/* Makes a list of findings, or null if the machine was not examined. */
static json_t *doctor_json(const ab_diagnosis *diagnosis)
{
    if (!diagnosis) return json_null();
    json_t *list = json_array();
    for (int i = 0; i < diagnosis->count && list; i++) {
        const ab_finding *finding = &diagnosis->findings[i];
        append_json(&list, OBJECT({"what", json_string(finding->what)},
                                  {"verdict", json_string(ab_prognosis_name(finding->verdict))},
                                  {"value", text_json(finding->value)}, {"advice", text_or_null(finding->advice)}));
    }
    return list;
}

static json_t *inputs_json(const ab_run_info *info)
{
    json_t *list = json_array();
    for (int i = 0; i < info->n_inputs && list; i++) {
        const ab_run_input *input = &info->inputs[i];
        append_json(&list, OBJECT({"name", json_string(input->name)}, {"sha256", json_string(input->sha256)},
                                  {"path", text_json(input->path)}));
    }
    return list;
}

static ab_status devices_json(const ab_run_info *info, json_t **devices)
{
    json_error_t error;
    *devices = json_array();
    for (int i = 0; i < info->n_devices && *devices; i++) {
        json_t *device = json_loads(info->devices[i], JSON_REJECT_DUPLICATES, &error);
        append_json(devices, device);
        if (!device) return ab_failed("the description of a GPU: %s", error.text);
    }
    return *devices ? ab_ok() : ab_failed("out of memory");
}

ab_status ab_meta_create(const ab_options *options, const ab_run_info *info, const char *run_id, time_t start,
                         json_t **meta)
{
    char executable_sha256[65];
    json_t *devices;
    *meta = NULL;
    AB_TRY(ab_executable_sha256(executable_sha256));
    AB_TRY(devices_json(info, &devices));
    *meta =
        OBJECT({"schema", json_integer(SCHEMA)}, {"run_id", json_string(run_id)},
               {"program", json_string(options->program)}, {"command_line", list_json(options->argv, options->argc)},
               {"options", options_json(options)}, {"started_utc", utc_json(start)}, {"resumed_utc", json_array()},
               {"ended_utc", json_null()}, {"complete", json_false()}, {"exit_code", json_null()},
               {"processes", json_array()}, {"verification", json_null()}, {"inputs", inputs_json(info)},
               {"machine", machine_json(options, info->machine, devices)}, {"devices", devices},
               {"clock_lock", clock_lock_json(info->clock_note)}, {"doctor", doctor_json(info->doctor)},
               {"build", build_json(executable_sha256)});
    return *meta ? ab_ok() : ab_failed("out of memory for the description of this run");
}

ab_status ab_meta_read(const char *path, json_t **meta)
{
    json_error_t error;
    *meta = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!*meta && json_error_code(&error) == json_error_out_of_memory) return ab_failed("%s: out of memory", path);
    if (!*meta) return ab_bad_input("%s:%d: %s", path, error.line > 0 ? error.line : 1, error.text);
    if (json_is_string(json_object_get(*meta, "run_id"))) return ab_ok();
    json_decref(*meta);
    *meta = NULL;
    return ab_bad_input("%s:1: this does not describe a run: run_id is missing", path);
}

/* Returns the member at "a" or "a.b", or null. */
static json_t *member(const json_t *document, const char *path)
{
    char first[32];
    const size_t length = strcspn(path, ".");
    snprintf(first, sizeof first, "%.*s", (int)length, path);
    json_t *value = json_object_get(document, first);
    if (path[length]) value = json_object_get(value, path + length + 1);
    return value ? value : json_null();
}

/* Makes {name: sha256} of a document's inputs, whose paths may change. The caller owns it. */
static json_t *input_digests(const json_t *document)
{
    json_t *digests = json_object(), *input;
    size_t i;
    json_array_foreach(member(document, "inputs"), i, input)
    {
        const char *name = json_string_value(json_object_get(input, "name"));
        if (name) json_object_set(digests, name, json_object_get(input, "sha256"));
    }
    return digests;
}

/* Writes short JSON for a message to text[96]. */
static const char *shown(const json_t *value, char text[96])
{
    char *json = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    snprintf(text, 96, "%s", json ? json : "?");
    free(json);
    return text;
}

/* Another run, and what is said if this run cannot use it. */
typedef struct other_run {
    const char *directory, *refused, *advice;
} other_run;

static ab_status expect_same(const char *what, const json_t *old, const json_t *now, const other_run *other)
{
    char was[96], is[96];
    if (json_equal(old, now)) return ab_ok();
    return ab_bad_input("%s: cannot be %s: %s was %s and is now %s; %s", other->directory, other->refused, what,
                        shown(old, was), shown(now, is), other->advice);
}

/* Compares the GPUs. Some members, such as the temperature, may differ. */
static ab_status expect_same_devices(const json_t *old, const json_t *now, const other_run *other)
{
    static const char *const telling[] = {"name", "uuid", "driver"};
    const json_t *was = member(old, "devices"), *is = member(now, "devices");
    json_t *n_was = json_integer((json_int_t)json_array_size(was)),
           *n_is = json_integer((json_int_t)json_array_size(is));
    ab_status status = expect_same("the number of GPUs", n_was, n_is, other);
    json_decref(n_was);
    json_decref(n_is);
    for (size_t i = 0; i < json_array_size(is); i++)
        for (size_t k = 0; k < sizeof telling / sizeof *telling && status.code == AB_OK; k++) {
            char what[32];
            snprintf(what, sizeof what, "device.%s", telling[k]);
            status = expect_same(what, member(json_array_get(was, i), telling[k]),
                                 member(json_array_get(is, i), telling[k]), other);
        }
    return status;
}

static ab_status check_same(const json_t *old, const json_t *now, const other_run *other)
{
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++)
        AB_TRY(expect_same(identity[i], member(old, identity[i]), member(now, identity[i]), other));
    AB_TRY(expect_same_devices(old, now, other));
    json_t *old_digests = input_digests(old), *new_digests = input_digests(now);
    const ab_status status = expect_same("inputs", old_digests, new_digests, other);
    json_decref(old_digests);
    json_decref(new_digests);
    return status;
}

ab_status ab_meta_check_resumable(const json_t *old, const json_t *now, const char *directory)
{
    const other_run other = {directory, "resumed", "use another --out for a new run"};
    AB_TRY(expect_same("options.verify", member(old, "options.verify"), member(now, "options.verify"), &other));
    return check_same(old, now, &other);
}

ab_status ab_meta_take_verified(json_t *now, const json_t *verified, const char *directory)
{
    static const char *const told[] = {"run_id", "started_utc", "ended_utc"};
    const other_run other = {directory, "taken as verified", "run it again with --verify"};
    const bool verifies = json_is_true(member(verified, "options.verify"));
    if (!verifies || !ab_meta_is_complete(verified))
        return ab_bad_input("%s: cannot be %s: it is %s; %s", directory, other.refused,
                            verifies ? "not complete" : "a run without --verify", other.advice);
    AB_TRY(check_same(verified, now, &other));
    json_t *verification = json_object();
    bool done = verification;
    for (size_t i = 0; i < sizeof told / sizeof *told && done; i++)
        done = json_object_set(verification, told[i], member(verified, told[i])) == 0;
    if (!done) json_decref(verification);
    done = done && json_object_set_new(now, "verification", verification) == 0;
    return done ? ab_ok() : ab_failed("out of memory");
}

ab_status ab_meta_continue(json_t *now, const json_t *old)
{
    static const char *const kept[] = {"started_utc", "processes", "run_id"};
    if (!json_is_array(member(old, "resumed_utc")))
        return ab_bad_input("meta.json: the list \"resumed_utc\" is missing");
    json_t *resumed = json_deep_copy(member(old, "resumed_utc"));
    bool done = json_array_append(resumed, member(now, "started_utc")) == 0;
    done = json_object_set_new(now, "resumed_utc", resumed) == 0 && done;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        done = json_object_set(now, kept[i], member(old, kept[i])) == 0 && done;
    if (json_is_null(member(now, "verification")))
        done = json_object_set(now, "verification", member(old, "verification")) == 0 && done;
    return done ? ab_ok() : ab_failed("out of memory");
}

ab_status ab_meta_clear_processes(json_t *meta)
{
    return json_object_set_new(meta, "processes", json_array()) == 0 ? ab_ok() : ab_failed("out of memory");
}

ab_status ab_meta_add_process(json_t *meta, const json_t *of_process)
{
    static const char *const told[][2] = {{"started_utc", "started_utc"},
                                          {"ended_utc", "ended_utc"},
                                          {"load_average", "machine.load_average"},
                                          {"other_threads", "machine.other_threads"},
                                          {"involuntary_switches", "involuntary_switches"}};
    json_t *process = json_object();
    bool done = process;
    for (size_t i = 0; i < sizeof told / sizeof *told && done; i++)
        done = json_object_set(process, told[i][0], member(of_process, told[i][1])) == 0;
    if (!done) json_decref(process);
    done = done && json_array_append_new(json_object_get(meta, "processes"), process) == 0;
    return done ? ab_ok() : ab_failed("out of memory");
}

bool ab_meta_is_complete(const json_t *meta)
{
    return json_is_true(member(meta, "complete"));
}

ab_status ab_meta_finish(json_t *meta, bool complete, int exit_code)
{
    struct rusage usage = {0}, of_processes = {0};
    getrusage(RUSAGE_SELF, &usage);
    getrusage(RUSAGE_CHILDREN, &of_processes);
    const bool done =
        json_object_set_new(meta, "ended_utc", utc_json(time(NULL))) == 0 &&
        json_object_set_new(meta, "complete", json_boolean(complete)) == 0 &&
        json_object_set_new(meta, "exit_code", json_integer(exit_code)) == 0 &&
        json_object_set_new(meta, "involuntary_switches", json_integer(usage.ru_nivcsw + of_processes.ru_nivcsw)) == 0;
    return done ? ab_ok() : ab_failed("out of memory");
}

ab_status ab_meta_write(const json_t *meta, const char *path)
{
    char *text = json_dumps(meta, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    if (!text) return ab_failed("out of memory");
    const ab_status status = ab_replace_file(path, text);
    free(text);
    return status;
}
