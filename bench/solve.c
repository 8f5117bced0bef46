/* antbench solve (bench/solve.h). */
#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/command_line.h"
#include "bench/harness/options.h"
#include "bench/solve.h"
#include "tours/solve.h"
#include "tours/tour.h"

enum { SECONDS, TARGET, SEED, OUT, THREADS, MOVES, QUIET, HELP, N_OPTIONS };

static const ab_option described[N_OPTIONS] = {
    [SECONDS] = {"seconds", "S", "how long to search (default 10; 0: until the target, the optimum or Ctrl-C)"},
    [TARGET] = {"target", "LENGTH", "stop at a tour that is no longer than this"},
    [SEED] = {"seed", "N", "seed of the random numbers (default 1)"},
    [OUT] = {"out", "FILE", "where the tour is written (default NAME.tour in the current directory)"},
    [THREADS] = {"threads", "N", "threads (default: one per core)"},
    [MOVES] = {"moves", "NAME", "3-opt (default), or 2-opt with Or-opt alone: or-opt"},
    [QUIET] = {"quiet", NULL, "no progress"},
    [HELP] = {"help", NULL, "print this and exit"},
};

static const double save_every_s = 10.0, report_every_s = 1.0;

/* A call: what was asked for, and what has been done of it. */
typedef struct job {
    const char *name; /* of the instance; NULL for none */
    const char *out;  /* NULL for the default */
    bool help, quiet;
    solve_options how;
    tsp_instance cities;
    char default_out[80];
    double saved_s, reported_s; /* when the tour was written, and told of */
    int64_t saved, reported;    /* its length then; 0 for not yet */
} job;

/* ---- Options ---- */

static void print_help(void)
{
    printf("antbench solve: a good tour in a given time\n\nusage: antbench solve INSTANCE [options]\n\n"
           "INSTANCE is a TSPLIB file (\"d198.tsp\"), a CSV file of coordinates (\"x.csv\"), or a name as in "
           "--instances.\n\n");
    for (int i = 0; i < N_OPTIONS; i++) ab_print_option(&described[i], described[i].help);
    printf("\nexit codes: 0 fine, also after Ctrl-C, 1 error, 2 wrong usage or bad input\n");
}

static ab_status take_operand(job *asked, const char *text)
{
    if (asked->name) return ab_bad_input("one instance at a time, not \"%s\" and \"%s\"", asked->name, text);
    asked->name = text;
    return ab_ok();
}

static ab_status take_moves(job *asked, const char *text)
{
    const bool or_opt = strcmp(text, "or-opt") == 0;
    if (!or_opt && strcmp(text, "3-opt") != 0)
        return ab_bad_input("--moves: expected or-opt or 3-opt, got \"%s\"", text);
    asked->how.moves = or_opt ? SEARCH_OR_OPT : SEARCH_THREE_OPT;
    return ab_ok();
}

static ab_status take(void *context, int option, const char *text, bool *done)
{
    job *asked = context;
    long long whole;
    switch (option) {
    case SECONDS:
        return ab_parse_seconds("seconds", text, &asked->how.seconds);
    case TARGET:
        AB_TRY(ab_parse_whole("target", text, 0, INT64_MAX, &whole));
        asked->how.target = whole;
        return ab_ok();
    case SEED:
        AB_TRY(ab_parse_whole("seed", text, 0, INT64_MAX, &whole));
        asked->how.seed = (uint64_t)whole;
        return ab_ok();
    case OUT:
        asked->out = text;
        return ab_ok();
    case THREADS:
        return ab_parse_int("threads", text, 1, 1024, &asked->how.threads);
    case MOVES:
        return take_moves(asked, text);
    case QUIET:
        asked->quiet = true;
        return ab_ok();
    case HELP:
        asked->help = *done = true;
        return ab_ok();
    default:
        return take_operand(asked, text);
    }
}

/* ---- While it runs ---- */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* The first Ctrl-C ends the search, a second one the program. */
static void catch_interrupts(void)
{
    const struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupted;
}

/* How far a length is from the shortest, as far as that is known, into text. */
static void format_gap(const tsp_instance *cities, int64_t length, char text[128])
{
    const double n = cities->n, side = 1e6; /* of the square of a stand-in (instances/tsplib.h) */
    text[0] = '\0';
    if (cities->optimum == length)
        snprintf(text, 128, "0 %%, the optimum");
    else if (cities->optimum > 0)
        snprintf(text, 128, "%.2f %% above the optimum, %lld", 100.0 * ((double)length / (double)cities->optimum - 1.0),
                 (long long)cities->optimum);
    else if (cities->stand_in && cities->name[0] == 'u')
        snprintf(text, 128, "%.2f %% above 0.7124 sqrt(n A), which shortest tours of many random cities come near to",
                 100.0 * ((double)length / (0.7124 * sqrt(n) * side) - 1.0));
}

static void report(job *asked, int64_t length, double seconds)
{
    char gap[128];
    format_gap(&asked->cities, length, gap);
    fprintf(stderr, "antbench solve: %.1f s: %lld%s%s\n", seconds, (long long)length, gap[0] ? ", " : "", gap);
    asked->reported = length;
    asked->reported_s = seconds;
}

static ab_status save(job *asked, const int32_t *tour, int64_t length)
{
    char comment[128];
    snprintf(comment, sizeof comment, "length %lld, antbench solve --seed %llu", (long long)length,
             (unsigned long long)asked->how.seed);
    return tour_write(asked->out, asked->cities.name, comment, tour, asked->cities.n);
}

/* What a kill leaves is the tour of some seconds before. A disk that is full now may not be in the end. */
static void tell(void *context, const int32_t *tour, int64_t length, double seconds)
{
    job *asked = context;
    if (!asked->quiet && length != asked->reported && seconds - asked->reported_s >= report_every_s)
        report(asked, length, seconds);
    if (length == asked->saved || seconds - asked->saved_s < save_every_s) return;
    asked->saved_s = seconds;
    if (save(asked, tour, length).code == AB_OK) asked->saved = length;
}

/* ---- The whole ---- */

static void print_result(const job *asked, const solve_result *result)
{
    const tsp_instance *cities = &asked->cities;
    char gap[128];
    const char *asked_for = strcmp(asked->name, cities->name) == 0 ? "" : asked->name;
    format_gap(cities, result->length, gap);
    printf("instance: %s, %d cit%s, %s%s%s%s\n", cities->name, cities->n, cities->n == 1 ? "y" : "ies",
           cities->edge_weight_type, cities->stand_in ? ", generated" : "",
           cities->stand_in && *asked_for ? " in place of " : "", cities->stand_in ? asked_for : "");
    printf("length: %lld\n", (long long)result->length);
    if (gap[0]) printf("gap: %s\n", gap);
    printf("time: %.3f s%s, %.3f s of CPU, %d thread%s, %lld kicks, seed %llu\n", result->seconds,
           interrupted ? " (interrupted)" : "", result->cpu_s, asked->how.threads, asked->how.threads == 1 ? "" : "s",
           (long long)result->kicks, (unsigned long long)asked->how.seed);
    printf("tour: %s\n", asked->out);
}

/* Whole numbers say little about cities that are less than some hundreds of them apart. */
static void warn_of_rounding(const job *asked, int64_t length)
{
    if (asked->quiet || length >= 100 * (int64_t)asked->cities.n || asked->cities.rule == NULL) return;
    fprintf(stderr, "antbench solve: distances are rounded to whole numbers, and %lld over %d cities are few: consider "
                    "larger units\n", (long long)length, asked->cities.n);
}

static ab_status search_tour(job *asked, int32_t *tour)
{
    solve_result result;
    AB_TRY(tour_check_path(asked->out));
    catch_interrupts();
    AB_TRY(solve(&asked->cities, &asked->how, tour, &result));
    const int64_t measured = tour_measure(&asked->cities, tour);
    if (measured == TOUR_NO_MEMORY) return ab_failed("no memory to measure the tour");
    if (measured != result.length)
        return ab_failed("internal error: a tour of %lld was counted as %lld", (long long)measured,
                         (long long)result.length);
    AB_TRY(save(asked, tour, result.length));
    warn_of_rounding(asked, result.length);
    print_result(asked, &result);
    return ab_ok();
}

static ab_status run(job *asked)
{
    if (asked->name == NULL) return ab_bad_input("which instance? (antbench solve --help)");
    AB_TRY(tsp_locate(asked->name, &asked->cities));
    snprintf(asked->default_out, sizeof asked->default_out, "%s.tour", asked->cities.name);
    if (asked->out == NULL) asked->out = asked->default_out;
    if (asked->how.target < asked->cities.optimum) asked->how.target = asked->cities.optimum;
    int32_t *tour = malloc((size_t)asked->cities.n * sizeof *tour);
    const ab_status status = tour ? search_tour(asked, tour) : ab_failed("no memory for %d cities", asked->cities.n);
    free(tour);
    return status;
}

int ab_solve_main(int argc, char **argv)
{
    job asked = {.how = {.seconds = 10.0, .seed = 1, .threads = omp_get_num_procs(), .moves = SEARCH_THREE_OPT}};
    asked.how.stops = is_interrupted;
    asked.how.tell = tell;
    asked.how.context = &asked;
    ab_status status = ab_read_options(described, N_OPTIONS, argc, argv, take, &asked);
    if (status.code == AB_OK && asked.help)
        print_help();
    else if (status.code == AB_OK)
        status = run(&asked);
    tsp_free(&asked.cities);
    if (status.code == AB_OK) return AB_EXIT_OK;
    fprintf(stderr, "antbench solve: %s\n", status.reason);
    return status.code == AB_BAD_INPUT ? AB_EXIT_USAGE : AB_EXIT_ERROR;
}
