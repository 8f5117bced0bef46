/* Divides a run among processes (share.h). */
#include <limits.h>
#include <math.h>

#include "bench/plan/share.h"
#include "mpi/ranks.h"

/* Returns the driver's effort with the changes of the options. The budget and the steps are infinite if there is no
 * limit, so that they can be compared. */
static ab_effort chosen_effort(const ab_driver *driver, const ab_options *options)
{
    ab_effort effort = driver->efforts[options->profile];
    if (options->runs) effort.runs = options->runs;
    if (options->iterations) effort.iterations = options->iterations;
    if (options->time_budget_s > 0) effort.budget_s = options->time_budget_s;
    if (options->time_budget_s > 0 && effort.limit_s > 0) effort.limit_s = options->time_budget_s;
    if (options->until_precise > 0) effort.precise = options->until_precise;
    if (effort.budget_s == 0) effort.budget_s = INFINITY;
    if (effort.host_steps == 0) effort.host_steps = INFINITY;
    return effort;
}

/* Returns the number of processes. Under MPI this is one, because MPI starts the others. Else it is the profile's
 * number, but at most the number of runs that the user asks for. With --until-precise it is at least the number that an
 * interval needs. */
static int count_processes(const ab_options *options)
{
    static const int of_profile[AB_PROFILES] = {[AB_SMOKE] = 1, [AB_QUICK] = 3, [AB_THESIS] = 7};
    if (options->processes) return options->processes;
    const int processes = of_profile[options->profile];
    if (ranks_started()) return 1;
    if (options->until_precise > 0.0) return processes > 1 ? processes : of_profile[AB_QUICK];
    return options->runs && options->runs < processes ? options->runs : processes;
}

ab_status ab_share_make(const ab_driver *driver, const ab_options *options, ab_share *share)
{
    *share = (ab_share){.effort = chosen_effort(driver, options), .processes = count_processes(options)};
    if ((double)share->effort.runs * share->effort.iterations > INT_MAX)
        return ab_bad_input("--runs %d of --iterations %d: expected at most %d iterations in all", share->effort.runs,
                            share->effort.iterations, INT_MAX);
    if (ranks_started() && share->processes > 1)
        return ab_bad_input("--processes: under MPI each run has one process; for more, repeat the run");
    share->process = options->process ? options->process : 1;
    share->energy_s = share->process == 1 ? options->energy_s : 0.0;
    share->most_processes = share->processes * (options->until_precise > 0.0 ? AB_MORE_PROCESSES : 1);
    share->effort.budget_s /= share->processes;
    return ab_ok();
}
