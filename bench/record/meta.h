/* meta.json: what was run, built from what, on what. For bench/record/run.c. */
#ifndef ANTBENCH_META_H
#define ANTBENCH_META_H

#include <jansson.h>
#include <time.h>

#include "bench/plan/options.h"

/* An input that rows are measured on. */
typedef struct ab_run_input {
    const char *name, *path, *sha256; /* the path may be empty */
} ab_run_input;

/* What the driver knows and meta.json must hold beside what the harness finds out by itself. */
typedef struct ab_run_info {
    const char *driver;         /* "3.3": names the table file, and the default directory */
    const char *machine;        /* GPU name, or the CPU's name where no GPU takes part: names the default directory */
    const ab_run_input *inputs; /* [n_inputs] */
    int n_inputs;
    const char *const *devices; /* [n_devices]: JSON objects describing the GPUs (bench/clock/gpu.h) */
    int n_devices;
    const char
        *clock_note; /* of --lock-clocks: NULL where it was not asked for, "" where the clock is locked, else why not */
} ab_run_info;

/* The document of a run that begins at `start`. The caller owns *meta. */
ab_status ab_meta_create(const ab_options *options, const ab_run_info *info, const char *run_id, time_t start,
                         json_t **meta);

/* Reads a run's meta.json. AB_BAD_INPUT "file:line: ..." when it is not one. */
ab_status ab_meta_read(const char *path, json_t **meta);

/* AB_BAD_INPUT, saying what differs, unless the run described by `old` may be continued by this one, `now`. */
ab_status ab_meta_check_resumable(const json_t *old, const json_t *now, const char *directory);

/* Makes `now` a continuation of `old`: its run_id and start, and one more time in "resumed_utc". */
ab_status ab_meta_continue(json_t *now, const json_t *old);

/* What is known of each process that measured the run: an array "processes", empty where the run was its own. */
ab_status ab_meta_clear_processes(json_t *meta);
ab_status ab_meta_add_process(json_t *meta, const json_t *of_process);

/* Whether the run came to its end. */
bool ab_meta_is_complete(const json_t *meta);

/* Notes the end of the run. */
ab_status ab_meta_finish(json_t *meta, bool complete, int exit_code);

ab_status ab_meta_write(const json_t *meta, const char *path);

#endif
