/* A run of several processes. What a process happens to get (addresses, clocks, the GPU's mood after start) stays the
 * same for all of its samples, so a row is measured in several fresh ones, and its interval is that of their means
 * (bench/harness/stats.h).
 *
 * The processes are this program again, one after another, each measuring every timed row: so rows take turns. The first
 * verifies them, and does alone what is not timed. Each writes a run of its own, DIR/process-K with its share of the runs, samples and time, and can be resumed like one.
 * When all have ended, their rows are joined in the run, and the shares removed.
 */
#ifndef ANTBENCH_PROCESSES_H
#define ANTBENCH_PROCESSES_H

#include "bench/harness/plan.h"
#include "bench/harness/recorded.h"

/* Whether the run is to be measured so: several processes are wanted, and some row is timed. */
bool ab_takes_processes(const ab_bench *bench, const ab_plan *plan);

/* Measures all and fills bench->run. Fails when a process does not come to its end. */
ab_status ab_measure_in_processes(ab_bench *bench, const ab_plan *plan, const char *table_file);

/* Reads what a process has left so far in the run's directory. AB_BAD_INPUT where it left nothing. */
ab_status ab_share_read(const char *directory, int process, const char *table_file, ab_recorded *recorded);

/* Removes the shares, when the run is complete. */
void ab_remove_shares(const char *directory, const char *table_file, int processes);

#endif
