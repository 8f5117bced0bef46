/* A run of several processes. A process keeps its addresses, clocks and the GPU's state for all of its samples. So a
 * row is measured in several fresh processes, and its interval is computed from their means (bench/row/stats.h).
 *
 * The processes run this program one after another, and each measures every timed row. So the rows take turns. The
 * first process verifies the rows, unless that is done (--verified), and alone does what is not timed. Each process
 * writes a run of its own, DIR/process-K, with its share of the runs, samples and time, and can be resumed. At the end
 * their rows are joined, and the shares are removed.
 *
 * With --until-precise, processes are added until the interval of each row is narrow enough, and then a further round,
 * as many as there are without the option. Added processes measure only rows that are not done. Without the further
 * round a row would end when its interval is narrow by chance (scripts/antbench/tools/precise_rates.py).
 */
#ifndef ANTBENCH_PROCESSES_H
#define ANTBENCH_PROCESSES_H

#include "bench/plan/plan.h"
#include "bench/program/bench.h"
#include "bench/record/recorded.h"

/* True if the run needs several processes: they are asked for, and at least one row is timed. */
bool ab_takes_processes(const ab_bench *bench, const ab_plan *plan);

/* Measures everything and fills bench->run. bench->shares is the number of processes. Fails if one of them fails. */
ab_status ab_measure_in_processes(ab_bench *bench, const ab_plan *plan, const char *table_file);

/* What the first n processes have recorded so far in a run's directory. */
typedef struct ab_shares {
    ab_recorded *of; /* [n] */
    int n;
} ab_shares;

/* Reads the shares. Returns AB_BAD_INPUT if a process recorded nothing. Free with ab_shares_free, also after an error.
 */
ab_status ab_shares_read(const char *directory, int n, const char *table_file, ab_shares *shares);
void ab_shares_free(ab_shares *shares);

/* True if a row that the processes measured is done. It must be precise (ab_times_are_precise) now and before the last
 * round of processes, and at least one round must have come before that. */
ab_status ab_shares_are_precise(const ab_shares *shares, const ab_row *key, double within, int round, bool *precise);

/* Removes the shares of up to this many processes, once the run is complete. */
void ab_remove_shares(const char *directory, const char *table_file, int processes);

#endif
