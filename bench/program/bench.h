/* What a program measures with: its options, its share of the run, the machine, and the run that takes the rows. */
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
    int shares;                          /* number of processes whose rows this process joins, if it starts them */
    bool any_wrong, any_error, any_done; /* flags of the rows so far, from which the exit code follows */
} ab_bench;

/* Records how a row ended, for the exit code. Wrong output counts before errors, and errors before rows that did not
 * run. */
void ab_bench_count(ab_bench *bench, ab_row_status status);
int ab_bench_exit_code(const ab_bench *bench);

#endif
