/* A run of several processes. What a process happens to get (addresses, clocks, the GPU's mood after start) stays the
 * same for all of its samples, so a row is measured in several fresh ones, and its interval is that of their means
 * (bench/row/stats.h).
 *
 * The processes are this program again, one after another, each measuring every timed row: so rows take turns. The
 * first verifies them, and does alone what is not timed. Each writes a run of its own, DIR/process-K with its share of
 * the runs, samples and time, and can be resumed like one. When all have ended, their rows are joined in the run, and
 * the shares removed. With --until-precise there are more of them until the interval of each row is as narrow as it
 * should be, and then as many again as there are without; they measure those rows alone that are not done. A row that
 * ended as soon as its interval looked narrow would end where it is so by chance
 * (scripts/antbench/tools/precise_rates.py).
 */
#ifndef ANTBENCH_PROCESSES_H
#define ANTBENCH_PROCESSES_H

#include "bench/plan/plan.h"
#include "bench/program/bench.h"
#include "bench/record/recorded.h"

/* Whether the run is to be measured so: several processes are wanted, and some row is timed. */
bool ab_takes_processes(const ab_bench *bench, const ab_plan *plan);

/* Measures all and fills bench->run; bench->shares is how many processes there were. Fails when one does not come to
 * its end. */
ab_status ab_measure_in_processes(ab_bench *bench, const ab_plan *plan, const char *table_file);

/* What the first n processes have left so far in a run's directory. */
typedef struct ab_shares {
    ab_recorded *of; /* [n] */
    int n;
} ab_shares;

/* Reads them. AB_BAD_INPUT where one left nothing. Free with ab_shares_free, after an error too. */
ab_status ab_shares_read(const char *directory, int n, const char *table_file, ab_shares *shares);
void ab_shares_free(ab_shares *shares);

/* Whether a row that they measured is done: precise (ab_times_are_precise), as it was before the last round of so many
 * processes, and a round or more came before that. */
ab_status ab_shares_are_precise(const ab_shares *shares, const ab_row *key, double within, int round, bool *precise);

/* Removes the shares, when the run is complete, of which there may be so many. */
void ab_remove_shares(const char *directory, const char *table_file, int processes);

#endif
