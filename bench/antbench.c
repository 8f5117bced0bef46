/* antbench: the program of all drivers. `antbench 3.3 --profile smoke` measures Table 3.3. `antbench solve d198.tsp`
 * finds a tour. `antbench --help` lists everything else. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/names.h"
#include "base/threads.h"
#include "bench/clock/gpu.h"
#include "bench/clock/memory.h"
#include "bench/doctor.h"
#include "bench/plan/describe.h"
#include "bench/program/program.h"
#include "bench/record/build_info.h"
#include "bench/registry.h"
#include "bench/solve.h"
#include "kernels/operation.h"
#include "mpi/ranks.h"
#include "mpi/workers.h"

static int print_help(void)
{
    printf(
        "antbench: measures ant colonies and edge detection on CPU and GPU and compares them with published numbers\n\n"
        "usage: antbench TABLE [options]   (antbench TABLE --help lists the options)\n\n");
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver)
        if ((*driver)->name && (*driver)->summary) printf("  antbench %-15s %s\n", (*driver)->name, (*driver)->summary);
    printf("\n  antbench solve INSTANCE   find a good tour in a given time (antbench solve --help)\n"
           "  antbench doctor           say what on this machine will spoil times (antbench doctor --help)\n"
           "\n  antbench --list       list all implementations as TSV: id, backend, file, traits, source, description\n"
           "  antbench --tables     list all tables and their drivers as TSV\n"
           "  antbench --rows       list all rows of all tables as CSV\n"
           "  antbench --sets       list all sets of values that rows and figures use, as CSV\n"
           "  antbench --version    print the version, the commit and the compiler of the kernels\n");
    return AB_EXIT_OK;
}

static int fail(const ab_status *status)
{
    fprintf(stderr, "antbench: %s\n", status->reason);
    return status->code == AB_BAD_INPUT ? AB_EXIT_USAGE : AB_EXIT_ERROR;
}

/* Prints the first mistake of each driver. */
static int check_drivers(void)
{
    int exit_code = AB_EXIT_OK;
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver) {
        ab_status status = ab_driver_check(*driver);
        if (status.code == AB_OK) status = ab_driver_check_files(*driver);
        if (status.code == AB_OK) status = ab_driver_check_unlike(*driver);
        if (status.code != AB_OK) exit_code = fail(&status);
    }
    return exit_code;
}

/* --tables lists every driver, so that the others can be run if one has a mistake. The other lists need all drivers to
 * be correct. */
static int describe(ab_status print(void))
{
    const int exit_code = check_drivers();
    if (exit_code != AB_EXIT_OK && print != ab_describe_tables) return exit_code;
    const ab_status status = print();
    return status.code == AB_OK ? exit_code : fail(&status);
}

/* Says which driver has the table of this name, or which driver's name is near. */
static int unknown(const char *name)
{
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver)
        for (const ab_heading *heading = (*driver)->headings; heading && heading->table; ++heading)
            if (strcmp(heading->table, name) == 0) {
                const ab_status status = ab_bad_input("table %s is one of driver %s: type antbench %s or make bench-%s",
                                                      name, (*driver)->name, (*driver)->name, (*driver)->name);
                return fail(&status);
            }
    char hint[128];
    ab_search search = {.name = name};
    ab_search_add(&search, "solve");
    ab_search_add(&search, "doctor");
    for (const ab_driver *const *driver = ab_drivers; *driver; ++driver) ab_search_add(&search, (*driver)->name);
    const ab_status status =
        ab_bad_input("there is no table %s%s (antbench --help lists them)", name, ab_search_hint(&search, hint));
    return fail(&status);
}

/* If a standard stream is closed, the next file that is opened would get its number, and with it what is printed. */
static void open_streams(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO) continue;
    if (fd >= 0) close(fd);
}

/* Returns the exit code, or an error's exit code if the printed output could not be written. */
static int end_output(int exit_code)
{
    errno = 0;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed) return exit_code;
    /* An earlier write failed and took its reason with it. Another one tells it again. */
    if (!errno && putchar('\n') != EOF) fflush(stdout);
    fprintf(stderr, "antbench: cannot write to stdout: %s\n", errno ? strerror(errno) : "an earlier write failed");
    return exit_code == AB_EXIT_OK ? AB_EXIT_ERROR : exit_code;
}

static ab_status check_registry(void)
{
    size_t count;
    const ab_implementation *all = ab_registry(&count);
    return ab_registry_check(all, count);
}

static int run(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "--help";
    const ab_status registry = check_registry();
    if (registry.code != AB_OK) return fail(&registry);
    if (strcmp(first, "--help") == 0) return print_help();
    if (strcmp(first, "--version") == 0) return ab_print_version(), AB_EXIT_OK;
    if (strcmp(first, "--rows") == 0) return describe(ab_describe_rows);
    if (strcmp(first, "--tables") == 0) return describe(ab_describe_tables);
    if (strcmp(first, "--sets") == 0) return describe(ab_describe_sets);
    if (strcmp(first, "--list") == 0) return ab_print_implementations(NULL), AB_EXIT_OK;
    if (strcmp(first, "solve") == 0) return ab_solve_main(argc - 1, argv + 1);
    if (strcmp(first, "doctor") == 0) return ab_doctor_main(argc - 1, argv + 1);
    const ab_driver *driver = ab_driver_find(first);
    if (!driver) return unknown(first);
    return ab_program_main(driver, argc, argv);
}

static void work(const char *operation, ab_status gpu)
{
    ab_find_operation(operation)->serve(gpu);
}

/* The main function of ranks after the first. Such a rank uses the GPU of its own number on this machine, or the only
 * GPU that it sees. */
static int serve(void)
{
    gpu_info gpu = {0};
    ab_status status = gpu_open(ranks_local(), &gpu);
    if (status.code != AB_OK) (void)gpu_open(0, &gpu);
    (void)ranks_devices(gpu.uuid);
    workers_serve(work, gpu.uuid[0] ? ab_ok() : status);
    return AB_EXIT_OK;
}

int main(int argc, char **argv)
{
    open_streams();
    ab_keep_freed_memory();
    ab_threads_begin();
    /* A write past a limit on the size of files (ulimit -f) fails with an error instead of a signal. */
    signal(SIGXFSZ, SIG_IGN);
    ranks_begin();
    if (ranks_mine() > 0) return serve();
    const int exit_code = end_output(run(argc, argv));
    workers_dismiss();
    return exit_code;
}
