/* What a program measures with: its options, its share of the run, the machine, the run that rows go to. */
#ifndef ANTBENCH_BENCH_H
#define ANTBENCH_BENCH_H

#include "bench/clock/state.h"
#include "bench/plan/share.h"
#include "bench/record/run.h"

typedef struct ab_bench {
    const ab_options *options;
    ab_share share;
    ab_machine_state machine;
    ab_run *run;
    int shares; /* number of processes whose rows are to be joined, in the process that starts them */
    bool any_wrong, any_error, any_done; /* of the rows so far: they decide the exit code */
} ab_bench;

/* Notes how a row ended, for the exit code: 0, or wrong output, then errors, then nothing that could run. */
void ab_bench_count(ab_bench *bench, ab_row_status status);
int ab_bench_exit_code(const ab_bench *bench);

#endif
