/* meta.json: what was run, what it was built from, and on what machine. For bench/record/run.c. */
#ifndef ANTBENCH_META_H
#define ANTBENCH_META_H

#include <jansson.h>
#include <time.h>

#include "bench/clock/doctor.h"
#include "bench/plan/options.h"

/* An input that rows are measured on. */
typedef struct ab_run_input {
    const char *name, *path, *sha256; /* the path may be "" */
} ab_run_input;

/* What the driver knows for meta.json, in addition to what the harness finds out itself. */
typedef struct ab_run_info {
    const char *driver;         /* name of the driver, "3.3", for the table file and the default directory */
    const char *machine;        /* name of the GPU, or of the CPU if no GPU takes part, for the default directory */
    const ab_run_input *inputs; /* [n_inputs] */
    int n_inputs;
    const char *const *devices; /* [n_devices]: JSON objects that describe the GPUs (bench/clock/gpu.h) */
    int n_devices;
    const char
        /* Note about --lock-clocks: NULL if not asked for, "" if the clock is locked, else the reason why it is not. */
        *clock_note;
    const ab_diagnosis *doctor; /* findings about the machine before the run; NULL: not examined */
} ab_run_info;

/* Makes the document of a run that begins at `start`. The caller owns *meta. */
ab_status ab_meta_create(const ab_options *options, const ab_run_info *info, const char *run_id, time_t start,
                         json_t **meta);

/* Reads a run's meta.json. Returns AB_BAD_INPUT with "file:line: ..." if it is malformed. */
ab_status ab_meta_read(const char *path, json_t **meta);

/* Returns AB_BAD_INPUT with the difference unless this run, `now`, may continue the run described by `old`. */
ab_status ab_meta_check_resumable(const json_t *old, const json_t *now, const char *directory);

/* Records in `now` the run that verified its rows. Returns AB_BAD_INPUT with the difference unless that run is
 * complete, had --verify, and is like this one otherwise. */
ab_status ab_meta_take_verified(json_t *now, const json_t *verified, const char *directory);

/* Makes `now` a continuation of `old`: it takes over run_id and start, and adds a time to "resumed_utc". */
ab_status ab_meta_continue(json_t *now, const json_t *old);

/* Clears the array "processes", which describes each process that measured the run. It stays empty if only this process
 * did. */
ab_status ab_meta_clear_processes(json_t *meta);
ab_status ab_meta_add_process(json_t *meta, const json_t *of_process);

/* True if the run has ended normally. */
bool ab_meta_is_complete(const json_t *meta);

/* Records the end of the run. */
ab_status ab_meta_finish(json_t *meta, bool complete, int exit_code);

ab_status ab_meta_write(const json_t *meta, const char *path);

#endif
