/* The command line: `antbench DRIVER [options]`. */
#ifndef ANTBENCH_OPTIONS_H
#define ANTBENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/implementation.h"

/* Exit codes of every program (README). */
enum {
    AB_EXIT_OK = 0,
    AB_EXIT_ERROR = 1,        /* internal, CUDA or I/O error */
    AB_EXIT_USAGE = 2,        /* wrong usage or bad input, or nothing matched */
    AB_EXIT_REGRESSION = 3,   /* confirmed slower */
    AB_EXIT_WRONG = 4,        /* wrong output */
    AB_EXIT_INCONCLUSIVE = 5, /* too noisy to say */
    AB_EXIT_SKIPPED = 77      /* nothing could run */
};

typedef enum ab_profile { AB_SMOKE, AB_QUICK, AB_THESIS, AB_PROFILES } ab_profile;

typedef enum ab_backend_choice {
    AB_BACKEND_AUTO, /* CPU rows, and GPU rows on CUDA or, without a device, on the host backend */
    AB_BACKEND_CUDA, /* only ... */
    AB_BACKEND_HOST,
    AB_BACKEND_CPU
} ab_backend_choice;

/* With --until-precise there may be so many times as many processes. */
enum { AB_MAX_PROCESSES = 1000, AB_MORE_PROCESSES = 10 };

/* For --lock-clocks: the clock that the GPU is made for. */
enum { AB_BASE_CLOCK = -1 };

typedef enum ab_action { AB_ACTION_RUN, AB_ACTION_LIST, AB_ACTION_DRY_RUN, AB_ACTION_EXIT } ab_action;

typedef struct ab_options {
    const char *program; /* "table_3_3": as meta.json has it */
    const char *shown;   /* "antbench 3.3": before messages */
    ab_action action;    /* AB_ACTION_EXIT: --help or --version was answered, or an error was printed */
    int exit_code;       /* for AB_ACTION_EXIT */
    char **instances;    /* names after --instances, or those of all --rows, NULL-terminated; NULL for the profile's */
    char **implementations; /* ids and patterns after --implementations, NULL-terminated; NULL for all */
    char **rows;            /* selectors after --rows (bench/plan/selector.h), NULL-terminated; NULL for all */
    char **set;             /* "name=value" after each --set, NULL-terminated; NULL for none */
    ab_backend_choice backend;
    int device; /* CUDA device index */
    ab_profile profile;
    int runs, iterations, processes; /* 0 leaves them to the profile */
    int process;                     /* --process K: measure the share of this one alone; 0: the whole run */
    double time_budget_s; /* seconds a row may take; 0 leaves it to the profile, infinite for --time-budget 0 */
    double until_precise; /* 0.01 for --until-precise 1%; 0: as the profile has it */
    int lock_clocks;      /* MHz or AB_BASE_CLOCK; 0: the GPU's clock is left alone */
    double energy_s;      /* --energy: seconds over which the energy of a row on a GPU is measured; 0: it is not */
    uint64_t seed;        /* default 1; at most INT64_MAX */
    char *save;           /* --save DIR: images are written there; NULL for none */
    char *out;            /* --out DIR, or NULL: results/runs/<machine>/<UTC>-<commit>-<driver>/ */
    bool resume, quiet;
    int argc; /* the command line, for meta.json */
    char **argv;
} ab_options;

/* What the parser is told about a driver, for --help and for checking names. */
typedef struct ab_program {
    const char *name;              /* "table_3_3": as meta.json has it */
    const char *shown;             /* "antbench 3.3": before messages */
    const char *summary;           /* one line for --help */
    const char *const *operations; /* NULL-terminated: ids after --implementations are checked against these' */
    ab_status (*check_instance)(const char *name); /* AB_BAD_INPUT for a name that is no input of its */
    const char *instances_help;                    /* for --help: what may be named */
    void (*print_parameters)(const void *context); /* for --help: what may be --set */
    const void *context;
    bool saves;                  /* --save is for this program */
    void (*print_version)(void); /* for --version */
} ab_program;

/* Never exits the process: --help and --version are printed to stdout, an error as one line to stderr, and all are
 * answered with AB_ACTION_EXIT. argv[0] is not looked at. Free with ab_options_free in every case. */
void ab_parse_options(const ab_program *program, int argc, char **argv, ab_options *options);
void ab_options_free(ab_options *options);

const char *ab_profile_name(ab_profile profile);               /* "smoke" */
const char *ab_backend_choice_name(ab_backend_choice backend); /* "auto" */

/* --list: TSV on stdout with a header line: id, backend, file, traits, source, description; of all operations for
 * NULL. */
void ab_print_implementations(const char *const *operations);

/* True when the filters --implementations and --backend let `implementation` through (auto: CUDA or host by `gpu`). */
bool ab_selected(const ab_options *options, const ab_implementation *implementation, bool have_gpu);

#endif
