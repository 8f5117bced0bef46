/* Parses the command line (bench/plan/options.h). */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/plan/command_line.h"
#include "base/names.h"
#include "base/text.h"
#include "bench/plan/options.h"
#include "bench/plan/selector.h"

enum {
    OPTION_LIST,
    OPTION_DRY_RUN,
    OPTION_INSTANCES,
    OPTION_IMPLEMENTATIONS,
    OPTION_ROWS,
    OPTION_SET,
    OPTION_BACKEND,
    OPTION_DEVICE,
    OPTION_PROFILE,
    OPTION_PROCESSES,
    OPTION_PROCESS,
    OPTION_RUNS,
    OPTION_ITERATIONS,
    OPTION_TIME_BUDGET,
    OPTION_UNTIL_PRECISE,
    OPTION_LOCK_CLOCKS,
    OPTION_ENERGY,
    OPTION_SEED,
    OPTION_VERIFY,
    OPTION_BRIEF,
    OPTION_VERIFIED,
    OPTION_SAVE,
    OPTION_OUT,
    OPTION_RESUME,
    OPTION_QUIET,
    OPTION_HELP,
    OPTION_VERSION,
    N_OPTIONS
};

static const ab_option described_options[N_OPTIONS] = {
    [OPTION_LIST] = {"list", NULL, "list the implementations as TSV and exit"},
    [OPTION_DRY_RUN] = {"dry-run", NULL, "list the rows that would be measured, with the estimated time, and exit"},
    [OPTION_INSTANCES] = {"instances", "A,B,...", "measure only these inputs (each table says which names it knows)"},
    [OPTION_IMPLEMENTATIONS] = {"implementations", "A,B,...",
                                "measure only these: ids from --list, or patterns (tsp/race*)"},
    [OPTION_ROWS] =
        {"rows", "A,B,...",
         "measure only these: TABLE/ROW/INPUT?NAME=VALUE; parts may be patterns or left out (3.3/race, ?block=64+128)"},
    [OPTION_SET] = {"set", "NAME=VALUE", "set a parameter of the rows; separate several values by commas (repeatable)"},
    [OPTION_BACKEND] = {"backend", "NAME", "measure on auto (default), cuda, host or cpu"},
    [OPTION_DEVICE] = {"device", "N", "use this CUDA device (default 0)"},
    [OPTION_PROFILE] = {"profile", "NAME", "smoke, quick (default) or thesis: number of samples, and inputs"},
    [OPTION_PROCESSES] = {"processes", "N", "number of fresh processes per timed row (default: the profile's)"},
    [OPTION_PROCESS] = {"process", "K", "measure only the share of process K, into DIR/process-K"},
    [OPTION_RUNS] = {"runs", "N", "number of independent runs per row (default: the profile's)"},
    [OPTION_ITERATIONS] = {"iterations", "N", "number of iterations per run (default: the profile's)"},
    [OPTION_TIME_BUDGET] = {"time-budget", "SECONDS", "time limit per row (default: the profile's; 0: no limit)"},
    [OPTION_UNTIL_PRECISE] = {"until-precise", "PERCENT",
                              "add processes, up to 10 times as many, until each row's interval is within +- this"},
    [OPTION_LOCK_CLOCKS] = {"lock-clocks", "MHZ|base",
                            "lock the GPU's clock while this runs, if permitted (default: none)"},
    [OPTION_ENERGY] = {"energy", "SECONDS",
                       "measure the energy of each GPU row over this many more seconds; 0: do not (default: 0.3 with "
                       "thesis, else 0)"},
    [OPTION_SEED] = {"seed", "N", "seed of the random numbers (default 1)"},
    [OPTION_VERIFY] = {"verify", NULL, "verify every row and judge those without a time, but time none"},
    [OPTION_BRIEF] = {"brief", NULL,
                      "with --verify: fewer ants, choices and thresholds; for tools that make a GPU slow"},
    [OPTION_VERIFIED] = {"verified", "DIR", "time what the run in DIR verified, and take its rows without a time"},
    [OPTION_SAVE] = {"save", "DIR", "write computed images (PNG) and tours (TSPLIB) to this directory"},
    [OPTION_OUT] = {"out", "DIR", "write the results here (default results/runs/MACHINE/TIME-COMMIT)"},
    [OPTION_RESUME] = {"resume", NULL, "continue the run in DIR (without --out: the newest run of this machine)"},
    [OPTION_QUIET] = {"quiet", NULL, "do not show progress"},
    [OPTION_HELP] = {"help", NULL, "print this help and exit"},
    [OPTION_VERSION] = {"version", NULL, "print the version and exit"},
};

static const char *const profile_names[] = {"smoke", "quick", "thesis", NULL};
static const char *const backend_names[] = {"auto", "cuda", "host", "cpu", NULL};

const char *ab_profile_name(ab_profile profile)
{
    return profile_names[profile];
}

const char *ab_backend_choice_name(ab_backend_choice backend)
{
    return backend_names[backend];
}

static bool is_listed(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0) return true;
    return false;
}

/* True if a shell pattern such as "tsp/race*" matches a name in the list. */
static bool matches_any(const char *pattern, const char *const *list)
{
    for (; *list; list++)
        if (fnmatch(pattern, *list, 0) == 0) return true;
    return false;
}

/* Writes "; did you mean x?" to text[96], or "" if no candidate is similar. */
static const char *suggestion(const char *name, const char *const *candidates, char text[96])
{
    const char *nearest = ab_nearest_name(name, candidates);
    text[0] = '\0';
    if (nearest) snprintf(text, 96, "; did you mean %s?", nearest);
    return text;
}

/* ---- Values ---- */

static ab_status parse_choice(const char *option, const char *text, const char *const *names, int *choice)
{
    char list[64] = "", hint[96];
    for (int i = 0; names[i]; i++) {
        *choice = i;
        if (strcmp(text, names[i]) == 0) return ab_ok();
        strcat(strcat(list, i ? ", " : ""), names[i]);
    }
    return ab_bad_input("--%s: expected one of %s, got \"%s\"%s", option, list, text, suggestion(text, names, hint));
}

ab_status ab_parse_backend(const char *option, const char *text, ab_backend_choice *backend)
{
    int choice;
    AB_TRY(parse_choice(option, text, backend_names, &choice));
    *backend = (ab_backend_choice)choice;
    return ab_ok();
}

static void free_list(char **list)
{
    for (char **item = list; item && *item; item++) free(*item);
    free(list);
}

static ab_status check_items(const char *option, char **list)
{
    for (char **item = list; *item; item++) {
        if (!**item) return ab_bad_input("--%s: a name is empty", option);
        for (char **other = list; other != item; other++)
            if (strcmp(*other, *item) == 0) return ab_bad_input("--%s: %s is named twice", option, *item);
    }
    return ab_ok();
}

/* Splits "a,b" into a NULL-terminated list, which replaces *list. */
static ab_status parse_list(const char *option, const char *text, char ***list)
{
    size_t items = 1;
    for (const char *c = text; *c; c++) items += *c == ',';
    free_list(*list);
    *list = calloc(items + 1, sizeof **list);
    if (!*list) return ab_failed("out of memory");
    for (size_t i = 0; i < items; i++) {
        const size_t length = strcspn(text, ",");
        if (!((*list)[i] = strndup(text, length))) return ab_failed("out of memory");
        text += length + 1;
    }
    return check_items(option, *list);
}

/* Adds "name=value" to a NULL-terminated list. */
static ab_status parse_set(const char *option, const char *text, char ***list)
{
    size_t count = 0;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return ab_bad_input("--%s: expected NAME=VALUE, got \"%s\"", option, text);
    if (equals[1] == ',' || text[strlen(text) - 1] == ',' || strstr(equals, ",,"))
        return ab_bad_input("--%s: a value in \"%s\" is empty", option, text);
    while (*list && (*list)[count]) count++;
    char **grown = realloc(*list, (count + 2) * sizeof *grown);
    if (!grown) return ab_failed("out of memory");
    *list = grown;
    grown[count] = strdup(text);
    grown[count + 1] = NULL;
    return grown[count] ? ab_ok() : ab_failed("out of memory");
}

ab_status ab_parse_clock(const char *option, const char *text, int *mhz)
{
    *mhz = strcmp(text, "base") == 0 ? AB_BASE_CLOCK : 0;
    if (*mhz || strcmp(text, "none") == 0 || ab_parse_int(option, text, 1, 100000, mhz).code == AB_OK) return ab_ok();
    return ab_bad_input("--%s: expected MHz, base or none, got \"%s\"", option, text);
}

static ab_status parse_directory(const char *option, const char *text, char **directory)
{
    if (!*text) return ab_bad_input("--%s: expected a directory, got \"\"", option);
    if (!ab_is_clean(text))
        return ab_bad_input("--%s: \"%.63s\": a name must be UTF-8 without control characters", option, text);
    free(*directory);
    *directory = strdup(text);
    return *directory ? ab_ok() : ab_failed("out of memory");
}

/* ---- --help, --version, --list ---- */

static void print_help(const ab_program *program)
{
    printf("%s: %s\n\nusage: %s [options]\n\n", program->shown, program->summary, program->shown);
    for (int i = 0; i < N_OPTIONS; i++)
        if (i != OPTION_SAVE || program->saves)
            ab_print_option(&described_options[i],
                            i == OPTION_INSTANCES ? program->instances_help : described_options[i].help);
    if (program->print_parameters) program->print_parameters(program->context);
    printf("\nexit codes: 0 success, 1 internal, CUDA or I/O error, 2 wrong usage or no matching row, 3 confirmed "
           "slower,\n"
           "  4 wrong output, 5 inconclusive, 77 no row could run\n");
}

void ab_print_implementations(const char *const *operations)
{
    size_t count;
    char traits[AB_TRAITS_TEXT];
    const ab_implementation *all = ab_registry(&count);
    printf("id\tbackend\tfile\ttraits\tsource\tdescription\n");
    for (size_t i = 0; i < count; i++) {
        if (operations && !is_listed(all[i].operation, operations)) continue;
        ab_trait_names(&all[i], traits);
        printf("%s\t%s\t%s\t%s\t%s\t%s\n", all[i].id, ab_backend_name(all[i].backend), all[i].file, traits,
               all[i].source, all[i].description);
    }
}

/* ---- Options ---- */

static ab_status apply(const ab_program *program, int option, const char *text, ab_options *options)
{
    const char *name = described_options[option].name;
    long long seed;
    int choice;
    switch (option) {
    case OPTION_LIST:
        options->action = AB_ACTION_LIST;
        break;
    case OPTION_DRY_RUN:
        options->action = AB_ACTION_DRY_RUN;
        break;
    case OPTION_INSTANCES:
        return parse_list(name, text, &options->instances);
    case OPTION_IMPLEMENTATIONS:
        return parse_list(name, text, &options->implementations);
    case OPTION_ROWS:
        return parse_list(name, text, &options->rows);
    case OPTION_SET:
        return parse_set(name, text, &options->set);
    case OPTION_BACKEND:
        return ab_parse_backend(name, text, &options->backend);
    case OPTION_DEVICE:
        return ab_parse_int(name, text, 0, 1023, &options->device);
    case OPTION_PROFILE:
        AB_TRY(parse_choice(name, text, profile_names, &choice));
        options->profile = (ab_profile)choice;
        break;
    case OPTION_PROCESSES:
        return ab_parse_int(name, text, 1, AB_MAX_PROCESSES, &options->processes);
    case OPTION_PROCESS:
        return ab_parse_int(name, text, 1, AB_MAX_PROCESSES, &options->process);
    case OPTION_RUNS:
        return ab_parse_int(name, text, 1, 100000, &options->runs);
    case OPTION_ITERATIONS:
        return ab_parse_int(name, text, 1, 1000000, &options->iterations);
    case OPTION_TIME_BUDGET:
        return ab_parse_seconds(name, text, &options->time_budget_s);
    case OPTION_UNTIL_PRECISE:
        return ab_parse_percentage(name, text, &options->until_precise);
    case OPTION_LOCK_CLOCKS:
        return ab_parse_clock(name, text, &options->lock_clocks);
    case OPTION_ENERGY:
        AB_TRY(ab_parse_seconds(name, text, &options->energy_s));
        if (isinf(options->energy_s)) options->energy_s = 0.0;
        break;
    case OPTION_SEED:
        /* JSON readers take integers up to this, and meta.json must return the seed unchanged. */
        AB_TRY(ab_parse_whole(name, text, 0, INT64_MAX, &seed));
        options->seed = (uint64_t)seed;
        break;
    case OPTION_VERIFY:
        options->verify = true;
        break;
    case OPTION_BRIEF:
        options->brief = true;
        break;
    case OPTION_VERIFIED:
        return parse_directory(name, text, &options->verified);
    case OPTION_SAVE:
        if (!program->saves) return ab_bad_input("--save: this table computes no images and no tours");
        return parse_directory(name, text, &options->save);
    case OPTION_OUT:
        return parse_directory(name, text, &options->out);
    case OPTION_RESUME:
        options->resume = true;
        break;
    case OPTION_QUIET:
        options->quiet = true;
        break;
    case OPTION_HELP:
        options->action = AB_ACTION_EXIT;
        print_help(program);
        break;
    case OPTION_VERSION:
        options->action = AB_ACTION_EXIT;
        program->print_version();
        break;
    }
    return ab_ok();
}

/* The data that parsing needs. */
typedef struct parsing {
    const ab_program *program;
    ab_options *options;
} parsing;

static ab_status take(void *context, int option, const char *text, bool *done)
{
    const parsing *at = context;
    if (option == AB_OPERAND) return ab_bad_input("unexpected argument \"%s\"", text);
    const ab_status status = apply(at->program, option, text, at->options);
    *done = at->options->action == AB_ACTION_EXIT;
    return status;
}

static ab_status parse(const ab_program *program, ab_options *options)
{
    parsing at = {program, options};
    return ab_read_options(described_options, N_OPTIONS, options->argc, options->argv, take, &at);
}

/* ---- Options that depend on each other ---- */

/* If every selector in --rows names its input, these inputs are the instances. */
static ab_status take_instances_of_rows(ab_options *options)
{
    ab_selector selector;
    size_t count = 0, inputs = 0;
    for (; options->rows[count]; count++) {
        const ab_status status = ab_selector_read(options->rows[count], &selector);
        if (status.code != AB_OK) return ab_bad_input("--rows: %s", status.reason);
        inputs += ab_selector_names_input(&selector);
    }
    if (options->instances || inputs < count) return ab_ok();
    char **instances = options->instances = calloc(count + 1, sizeof *instances);
    if (!instances) return ab_failed("out of memory");
    for (size_t i = 0; i < count; i++) {
        AB_TRY(ab_selector_read(options->rows[i], &selector));
        if (is_listed(selector.input, (const char *const *)options->instances)) continue;
        if (!(*instances++ = strdup(selector.input))) return ab_failed("out of memory");
    }
    return ab_ok();
}

static ab_status check_instances(const ab_program *program, const char *option, char *const *names)
{
    for (; names && *names; names++) {
        const ab_status status = program->check_instance(*names);
        if (status.code == AB_BAD_INPUT) return ab_bad_input("--%s: %s", option, status.reason);
        AB_TRY(status);
    }
    return ab_ok();
}

static ab_status check_implementations(const ab_program *program, char *const *names)
{
    size_t count, ids = 0;
    const ab_implementation *all = ab_registry(&count);
    const char **candidates = calloc(count + 1, sizeof *candidates);
    if (!candidates) return ab_failed("out of memory");
    for (size_t i = 0; i < count; i++)
        if (is_listed(all[i].operation, program->operations)) candidates[ids++] = all[i].id;
    ab_status status = ab_ok();
    char hint[96];
    for (; names && *names && status.code == AB_OK; names++)
        if (!matches_any(*names, candidates))
            status = ab_bad_input("--implementations: unknown implementation %s%s", *names,
                                  suggestion(*names, candidates, hint));
    free(candidates);
    return status;
}

static ab_status check_options(const ab_program *program, ab_options *options)
{
    const char *const named_by = options->instances ? "instances" : "rows";
    const int most = options->processes * (options->until_precise > 0.0 ? AB_MORE_PROCESSES : 1);
    if (options->process > most || (options->process && !options->out))
        return ab_bad_input("--process %d: needs --out DIR and --processes %d or more", options->process,
                            options->process);
    if (options->verify && (options->verified || options->process))
        return ab_bad_input("--verify: times nothing, so %s has no meaning with it",
                            options->verified ? "--verified" : "--process");
    if (options->brief && !options->verify)
        return ab_bad_input("--brief: needs --verify, because rows with times are verified as well as can be");
    if (options->until_precise > 0.0 && options->processes == 1)
        return ab_bad_input("--until-precise: needs 2 processes or more, because the interval is computed from them");
    if (isnan(options->energy_s)) options->energy_s = options->profile == AB_THESIS ? 0.3 : 0.0;
    if (options->rows) AB_TRY(take_instances_of_rows(options));
    AB_TRY(check_instances(program, named_by, options->instances));
    return check_implementations(program, options->implementations);
}

void ab_parse_options(const ab_program *program, int argc, char **argv, ab_options *options)
{
    *options = (ab_options){.program = program->name,
                            .shown = program->shown,
                            .profile = AB_QUICK,
                            .energy_s = NAN,
                            .seed = 1,
                            .argc = argc,
                            .argv = argv};
    ab_status status = parse(program, options);
    if (status.code == AB_OK && options->action != AB_ACTION_EXIT) status = check_options(program, options);
    if (status.code == AB_OK) return;
    fprintf(stderr, "%s: %s\n", program->shown, status.reason);
    options->action = AB_ACTION_EXIT;
    options->exit_code = status.code == AB_BAD_INPUT ? AB_EXIT_USAGE : AB_EXIT_ERROR;
}

void ab_options_free(ab_options *options)
{
    free_list(options->instances);
    free_list(options->implementations);
    free_list(options->rows);
    free_list(options->set);
    free(options->out);
    free(options->save);
    free(options->verified);
    options->instances = options->implementations = options->rows = options->set = NULL;
    options->out = options->save = options->verified = NULL;
}

bool ab_selected(const ab_options *options, const ab_implementation *implementation, bool have_gpu)
{
    const char *const id[] = {implementation->id, NULL};
    bool wanted = options->implementations == NULL;
    for (char *const *pattern = options->implementations; pattern && *pattern; pattern++)
        wanted |= matches_any(*pattern, id);
    if (!wanted) return false;
    switch (options->backend) {
    case AB_BACKEND_CUDA:
        return implementation->backend == AB_CUDA;
    case AB_BACKEND_HOST:
        return implementation->backend == AB_HOST;
    case AB_BACKEND_CPU:
        return implementation->backend == AB_CPU;
    case AB_BACKEND_AUTO:
        break;
    }
    return implementation->backend == AB_CPU || implementation->backend == (have_gpu ? AB_CUDA : AB_HOST);
}
