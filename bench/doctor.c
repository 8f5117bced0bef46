/* Implements antbench doctor (bench/doctor.h). */
#include <stdio.h>

#include "bench/clock/doctor.h"
#include "bench/doctor.h"
#include "bench/plan/command_line.h"

enum { BRIEF, BACKEND, DEVICE, LOCK_CLOCKS, OUT, HELP, N_OPTIONS };

static const ab_option described[N_OPTIONS] = {
    [BRIEF] = {"brief", NULL, "print one line"},
    [BACKEND] = {"backend", "NAME", "backend of the run: auto (default), cuda, host or cpu; the last two use no GPU"},
    [DEVICE] = {"device", "N", "CUDA device of the run (default 0)"},
    [LOCK_CLOCKS] = {"lock-clocks", "MHZ|base", "try to lock the GPU's clock as the run would (default: none)"},
    [OUT] = {"out", "DIR", "folder for the results of the run (default results/runs)"},
    [HELP] = {"help", NULL, "print this help and exit"},
};

/* A call. */
typedef struct call {
    ab_options run; /* options of the run that is to follow */
    bool brief, help;
} call;

static void print_help(void)
{
    printf("antbench doctor: say what on this machine will spoil times\n\nusage: antbench doctor [options]\n\n");
    for (int i = 0; i < N_OPTIONS; i++) ab_print_option(&described[i], described[i].help);
    printf("\nIt works for about a second. Each line is a fact with its verdict. Below it stands what to type.\n"
           "\nexit codes: 0 all is well, or cannot be told; 1 error; 2 wrong usage; 5 something will spoil times\n");
}

static ab_status take(void *context, int option, const char *text, bool *done)
{
    call *asked = context;
    switch (option) {
    case BRIEF:
        asked->brief = true;
        return ab_ok();
    case BACKEND:
        return ab_parse_backend("backend", text, &asked->run.backend);
    case DEVICE:
        return ab_parse_int("device", text, 0, 1023, &asked->run.device);
    case LOCK_CLOCKS:
        return ab_parse_clock("lock-clocks", text, &asked->run.lock_clocks);
    case OUT:
        if (!*text) return ab_bad_input("--out: expected a directory, got \"\"");
        asked->run.out = (char *)text;
        return ab_ok();
    case HELP:
        asked->help = *done = true;
        return ab_ok();
    default:
        return ab_bad_input("unexpected argument \"%s\"", text);
    }
}

static void print_findings(const ab_diagnosis *diagnosis)
{
    for (int i = 0; i < diagnosis->count; i++) {
        const ab_finding *finding = &diagnosis->findings[i];
        printf("%-12s %-12s %s\n", finding->what, ab_prognosis_name(finding->verdict), finding->value);
        if (finding->advice[0]) printf("%25s -> %s\n", "", finding->advice);
    }
}

static ab_status examine(const call *asked, int *exit_code)
{
    ab_machine_state machine;
    char summary[4096];
    const ab_status status = ab_state_open(&asked->run, &machine);
    if (status.code == AB_OK) {
        const ab_diagnosis diagnosis = ab_examine(&asked->run, &machine, true);
        const bool spoils = ab_count_findings(&diagnosis, AB_SPOILS) > 0;
        ab_summarize(&diagnosis, summary, sizeof summary);
        if (asked->brief)
            printf("doctor: %s%s\n", summary, spoils ? " — antbench doctor tells what to type" : "");
        else
            print_findings(&diagnosis);
        *exit_code = spoils ? AB_EXIT_INCONCLUSIVE : AB_EXIT_OK;
    }
    ab_state_close(&machine);
    return status;
}

int ab_doctor_main(int argc, char **argv)
{
    call asked = {.run = {.action = AB_ACTION_RUN}};
    int exit_code = AB_EXIT_OK;
    ab_status status = ab_read_options(described, N_OPTIONS, argc, argv, take, &asked);
    /* The doctor also explains why a backend that is asked for cannot run. */
    if (asked.run.backend == AB_BACKEND_CUDA) asked.run.backend = AB_BACKEND_AUTO;
    if (status.code == AB_OK && asked.help)
        print_help();
    else if (status.code == AB_OK)
        status = examine(&asked, &exit_code);
    if (status.code == AB_OK) return exit_code;
    fprintf(stderr, "antbench doctor: %s\n", status.reason);
    return status.code == AB_BAD_INPUT ? AB_EXIT_USAGE : AB_EXIT_ERROR;
}
