/* The options on the command line `antbench DRIVER [options]`. */
#ifndef ANTBENCH_OPTIONS_H
#define ANTBENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/implementation.h"

/* Exit codes of every program (README). */
enum {
    AB_EXIT_OK = 0,
    AB_EXIT_ERROR = 1,        /* error inside the program, of CUDA, or of I/O */
    AB_EXIT_USAGE = 2,        /* wrong usage, bad input, or no matching row */
    AB_EXIT_REGRESSION = 3,   /* confirmed slower */
    AB_EXIT_WRONG = 4,        /* wrong output */
    AB_EXIT_INCONCLUSIVE = 5, /* too noisy to say */
    AB_EXIT_SKIPPED = 77      /* no row could run */
};

typedef enum ab_profile { AB_SMOKE, AB_QUICK, AB_THESIS, AB_PROFILES } ab_profile;

typedef enum ab_backend_choice {
    AB_BACKEND_AUTO, /* CPU rows, and GPU rows on CUDA or, without a device, on the host backend */
    AB_BACKEND_CUDA, /* only the GPU; the others likewise are one backend alone */
    AB_BACKEND_HOST,
    AB_BACKEND_CPU
} ab_backend_choice;

/* Most processes, and the factor by which --until-precise may raise their number. */
enum { AB_MAX_PROCESSES = 1000, AB_MORE_PROCESSES = 10 };

/* Value of --lock-clocks for the GPU's nominal clock. */
enum { AB_BASE_CLOCK = -1 };

typedef enum ab_action { AB_ACTION_RUN, AB_ACTION_LIST, AB_ACTION_DRY_RUN, AB_ACTION_EXIT } ab_action;

typedef struct ab_options {
    const char *program; /* name in meta.json, "table_3_3" */
    const char *shown;   /* name in messages, "antbench 3.3" */
    ab_action action;    /* AB_ACTION_EXIT after --help, --version or a printed error */
    int exit_code;       /* exit code for AB_ACTION_EXIT */
    /* Names after --instances, or of all inputs in --rows, NULL-terminated; NULL: the profile's inputs. */
    char **instances;
    char **implementations; /* ids and patterns after --implementations, NULL-terminated; NULL: all */
    char **rows;            /* selectors after --rows (bench/plan/selector.h), NULL-terminated; NULL: all rows */
    char **set;             /* "name=value" of each --set, NULL-terminated; NULL: none */
    ab_backend_choice backend;
    int device; /* index of the CUDA device */
    ab_profile profile;
    int runs, iterations, processes; /* numbers given by the user; 0: as the profile says */
    int process;                     /* number K of --process: measure only this process's share; 0: the whole run */
    double time_budget_s;            /* seconds per row; 0: as the profile says; infinite for --time-budget 0 */
    double until_precise;            /* 0.01 for --until-precise 1%; 0: as the profile says */
    int lock_clocks;                 /* MHz or AB_BASE_CLOCK; 0: the GPU's clock is not locked */
    double energy_s; /* --energy: seconds over which the energy of a GPU row is measured; 0: not measured */
    uint64_t seed;   /* seed, 1 by default, at most INT64_MAX */
    bool verify;     /* --verify: rows are verified and judged, none is timed */
    bool brief;      /* --brief: all rows are verified by as few steps as on the host backend */
    char *verified;  /* folder of a run with --verify whose results this run takes, from --verified DIR; NULL: none */
    char *save;      /* folder for images, from --save DIR; NULL: images are not written */
    /* Folder of the run, from --out DIR; NULL: results/runs/<machine>/<UTC>-<commit>-<driver>/. */
    char *out;
    bool resume, quiet;
    int argc; /* command line, for meta.json */
    char **argv;
} ab_options;

/* What the parser needs to know about a driver, for --help and for checking names. */
typedef struct ab_program {
    const char *name;              /* name in meta.json, "table_3_3" */
    const char *shown;             /* name in messages, "antbench 3.3" */
    const char *summary;           /* line for --help */
    const char *const *operations; /* operations whose ids --implementations may name, NULL-terminated */
    /* Returns AB_BAD_INPUT for a name that is not one of the driver's inputs. */
    ab_status (*check_instance)(const char *name);
    const char *instances_help;                    /* text for --help: which inputs may be named */
    void (*print_parameters)(const void *context); /* prints for --help which parameters --set may change */
    const void *context;
    bool saves;                  /* true if this program has --save */
    void (*print_version)(void); /* prints the answer to --version */
} ab_program;

/* Parses the options; argv[0] is ignored. Never exits the process. For --help and --version it prints to stdout, for an
 * error one line to stderr, and sets AB_ACTION_EXIT in all three cases. Always free with ab_options_free. */
void ab_parse_options(const ab_program *program, int argc, char **argv, ab_options *options);
void ab_options_free(ab_options *options);

const char *ab_profile_name(ab_profile profile);               /* Returns a name such as "smoke". */
const char *ab_backend_choice_name(ab_backend_choice backend); /* Returns a name such as "auto". */

/* Parsers of values, as in command_line.h, for other commands that have these options. */
ab_status ab_parse_backend(const char *option, const char *text, ab_backend_choice *backend);
ab_status ab_parse_clock(const char *option, const char *text, int *mhz); /* MHz, AB_BASE_CLOCK, or 0 for "none" */

/* Answers --list with TSV on stdout. The header line is: id, backend, file, traits, source, description. NULL means all
 * operations. */
void ab_print_implementations(const char *const *operations);

/* True if the filters --implementations and --backend admit `implementation`. With `auto`, `gpu` decides between CUDA
 * and the host backend. */
bool ab_selected(const ab_options *options, const ab_implementation *implementation, bool have_gpu);

#endif
