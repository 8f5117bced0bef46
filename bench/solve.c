/* Implements antbench solve (bench/solve.h). */
#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "bench/plan/command_line.h"
#include "bench/plan/options.h"
#include "bench/solve.h"
#include "tours/bound.h"
#include "tours/draw.h"
#include "tours/solve.h"
#include "tours/tour.h"

enum { SECONDS, TARGET, METRIC, SEED, OUT, SVG, ANIMATION, GEOJSON, THREADS, MOVES, BOUND, QUIET, HELP, N_OPTIONS };

static const ab_option described[N_OPTIONS] = {
    [SECONDS] = {"seconds", "S", "time to search (default 10; 0: until --target, the optimum or Ctrl-C)"},
    [TARGET] = {"target", "LENGTH", "stop when a tour is at most this long"},
    [METRIC] = {"metric", "geo|plane", "meaning of a CSV file's coordinates (default: from its header)"},
    [SEED] = {"seed", "N", "seed of the random numbers (default 1)"},
    [OUT] = {"out", "FILE",
             "file for the tour (default NAME.tour in this folder; for a CSV file\n"
             "                             NAME.tour.csv, with the rows in the tour's order); -: stdout"},
    [SVG] = {"svg", "FILE", "file for a drawing of the tour"},
    [ANIMATION] = {"animation", "FILE", "file for the search as a moving drawing (SVG); up to 5000 cities"},
    [GEOJSON] = {"geojson", "FILE", "file for the tour as a line on a map; for latitudes and longitudes"},
    [THREADS] = {"threads", "N", "number of threads (default: one per core)"},
    [MOVES] = {"moves", "NAME", "3-opt (default) or or-opt, which is 2-opt with Or-opt"},
    [BOUND] = {"bound", NULL, "also find a length that no tour is below, in at most S seconds more"},
    [QUIET] = {"quiet", NULL, "do not show progress"},
    [HELP] = {"help", NULL, "print this help and exit"},
};

/* The tour is saved every second, or less often if saving would take more than a twentieth of the time. */
static const double save_every_s = 1.0, save_pause = 20.0, report_every_s = 1.0;

/* A call: the options, and the state of the search. */
typedef struct job {
    const char *name;                      /* name of the instance; NULL: none given */
    const char *out;                       /* file for the tour; NULL: the default */
    const char *svg, *animation, *geojson; /* files for drawings; NULL: none */
    bool help, quiet, bounds;
    tsp_metric metric; /* metric of a table's coordinates */
    double target;     /* length, in the instance's unit, at which the search ends; 0: none */
    solve_options how; /* options of the search, which uses integer lengths */
    tsp_instance cities;
    film found; /* best tours so far, for the animation */
    char default_out[96];
    double save_s, reported_s; /* times of the next save and of the last report */
    int64_t saved, reported;   /* lengths then; -1 before the first */
    int64_t bound;             /* length that no tour is below; -1: none found in time */
} job;

/* ---- Options ---- */

static void print_help(void)
{
    printf("antbench solve: find a good tour in a given time\n\nusage: antbench solve INSTANCE [options]\n\n"
           "INSTANCE is a TSPLIB file (\"d198.tsp\"), a CSV file of coordinates (\"x.csv\"), - for either of them\n"
           "on stdin, or a name as for --instances. A CSV file has its coordinates in columns x and y; or in lat\n"
           "and lon, in degrees, for lengths in km; or in the first two columns. The result keeps all other\n"
           "columns, such as a name.\n\n");
    for (int i = 0; i < N_OPTIONS; i++) ab_print_option(&described[i], described[i].help);
    printf("\nexit codes: 0 success, also after Ctrl-C; 1 error; 2 wrong usage or bad input\n");
}

static ab_status take_operand(job *asked, const char *text)
{
    if (asked->name) return ab_bad_input("expected one instance, got \"%s\" and \"%s\"", asked->name, text);
    asked->name = text;
    return ab_ok();
}

static ab_status take_moves(job *asked, const char *text)
{
    const bool or_opt = strcmp(text, "or-opt") == 0;
    if (!or_opt && strcmp(text, "3-opt") != 0)
        return ab_bad_input("--moves: expected 3-opt or or-opt, got \"%s\"", text);
    asked->how.moves = or_opt ? SEARCH_OR_OPT : SEARCH_THREE_OPT;
    return ab_ok();
}

static ab_status take_target(job *asked, const char *text)
{
    if (ab_read_number(text, &asked->target) && asked->target >= 0.0) return ab_ok();
    return ab_bad_input("--target: expected a length, got \"%s\"", text);
}

static ab_status take_metric(job *asked, const char *text)
{
    const bool geo = strcmp(text, "geo") == 0;
    if (!geo && strcmp(text, "plane") != 0) return ab_bad_input("--metric: expected geo or plane, got \"%s\"", text);
    asked->metric = geo ? TSP_GEO : TSP_PLANE;
    return ab_ok();
}

static ab_status take_drawing(const char *option, const char *text, const char **file)
{
    if (!*text || strcmp(text, "-") == 0) return ab_bad_input("--%s: expected a file, got \"%s\"", option, text);
    *file = text;
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
        return take_target(asked, text);
    case METRIC:
        return take_metric(asked, text);
    case SEED:
        AB_TRY(ab_parse_whole("seed", text, 0, INT64_MAX, &whole));
        asked->how.seed = (uint64_t)whole;
        return ab_ok();
    case OUT:
        if (!*text) return ab_bad_input("--out: expected a file, got \"\"");
        asked->out = text;
        return ab_ok();
    case SVG:
        return take_drawing("svg", text, &asked->svg);
    case ANIMATION:
        return take_drawing("animation", text, &asked->animation);
    case GEOJSON:
        return take_drawing("geojson", text, &asked->geojson);
    case THREADS:
        return ab_parse_int("threads", text, 1, 1024, &asked->how.threads);
    case MOVES:
        return take_moves(asked, text);
    case BOUND:
        asked->bounds = true;
        return ab_ok();
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

/* The first Ctrl-C ends the search, a second one ends the program. Closing the terminal counts as Ctrl-C, except under
 * nohup. */
static void catch_interrupts(void)
{
    const struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction hangup;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupted;
}

/* Describes in text how far a length is from the shortest one, as far as that is known. */
static void format_gap(const tsp_instance *cities, int64_t length, char text[128])
{
    /* A stand-in's cities lie in a square with this side (instances/tsplib.h). */
    const double n = cities->n, side = 1e6;
    text[0] = '\0';
    if (cities->optimum > 0 && cities->optimum == length)
        snprintf(text, 128, "0 %%, the optimum");
    else if (cities->optimum > 0)
        snprintf(text, 128, "%.2f %% above the optimum, %lld", 100.0 * ((double)length / (double)cities->optimum - 1.0),
                 (long long)cities->optimum);
    else if (cities->stand_in && cities->name[0] == 'u')
        snprintf(text, 128,
                 "%.2f %% above 0.7124 sqrt(n A), the length that the shortest tour of many random cities approaches",
                 100.0 * ((double)length / (0.7124 * sqrt(n) * side) - 1.0));
}

/* Writes a tour's length for the user. If the cities come from a table, the length is real and has a unit. */
static void format_length(const tsp_instance *cities, const int32_t *tour, int64_t length, char text[96])
{
    const tsp_table *table = cities->table;
    if (table)
        snprintf(text, 96, "%.9g %s", tour_measure_real(table, tour, cities->n),
                 table->geo ? "km" : "in the unit of the coordinates");
    else
        snprintf(text, 96, "%lld", (long long)length);
}

static void report(job *asked, const int32_t *tour, int64_t length, double seconds)
{
    char gap[128], text[96];
    format_gap(&asked->cities, length, gap);
    format_length(&asked->cities, tour, length, text);
    fprintf(stderr, "antbench solve: %.1f s: %s%s%s\n", seconds, text, gap[0] ? ", " : "", gap);
    asked->reported = length;
    asked->reported_s = seconds;
}

static bool is_stdout(const job *asked)
{
    return strcmp(asked->out, "-") == 0;
}

static bool is_csv(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

static bool writes_rows(const job *asked)
{
    return asked->cities.table && (is_stdout(asked) || is_csv(asked->out));
}

static ab_status save(job *asked, const int32_t *tour, int64_t length)
{
    const tsp_instance *cities = &asked->cities;
    char comment[192], text[96];
    if (writes_rows(asked)) return tour_write_rows(asked->out, cities->table, tour, cities->n);
    format_length(cities, tour, length, text);
    snprintf(comment, sizeof comment, "length %s, antbench solve --seed %llu", text,
             (unsigned long long)asked->how.seed);
    return tour_write(asked->out, cities->name, comment, tour, cities->n);
}

/* Saves and reports the tour, and keeps it for the animation. So after a kill, the file is at most about a second old. Write errors are ignored: a full
 * disk may have room again at the end. */
static void tell(void *context, const int32_t *tour, int64_t length, double seconds)
{
    job *asked = context;
    if (asked->animation) film_add(&asked->found, tour, length, seconds);
    if (!asked->quiet && length != asked->reported && seconds - asked->reported_s >= report_every_s)
        report(asked, tour, length, seconds);
    if (length == asked->saved || seconds < asked->save_s || is_stdout(asked)) return;
    const double begin = omp_get_wtime();
    if (save(asked, tour, length).code == AB_OK) asked->saved = length;
    const double took = omp_get_wtime() - begin;
    asked->save_s = seconds + took + fmax(save_every_s, save_pause * took);
}

/* ---- The whole ---- */

static void print_instance(FILE *to, const job *asked)
{
    const tsp_instance *cities = &asked->cities;
    const char *asked_for = strcmp(asked->name, cities->name) == 0 ? "" : asked->name;
    char metric[64];
    snprintf(metric, sizeof metric, "%s", cities->edge_weight_type);
    if (cities->table) snprintf(metric, sizeof metric, "on a plane");
    if (cities->sphere) snprintf(metric, sizeof metric, "on a sphere of radius %.8g km", TSP_EARTH_KM);
    fprintf(to, "instance: %s, %d cit%s, %s%s%s%s\n", cities->name, cities->n, cities->n == 1 ? "y" : "ies", metric,
            cities->stand_in ? ", generated" : "", cities->stand_in && *asked_for ? " in place of " : "",
            cities->stand_in ? asked_for : "");
}

/* Prints the bound. Whole numbers of a table's lengths are as exact as check_length demands, so its bound is less by
 * that. */
static void print_bound(FILE *to, const job *asked, const int32_t *tour, int64_t length)
{
    const tsp_table *table = asked->cities.table;
    double bound = (double)asked->bound, real = (double)length;
    if (!asked->bounds) return;
    if (asked->bound < 0) {
        fprintf(to, "bound: none in %g s; try longer --seconds\n", asked->how.seconds);
        return;
    }
    if (table) {
        bound = fmax(bound * (1.0 - 1e-6) - 2.0 * asked->cities.n, 0.0) / table->scale;
        real = tour_measure_real(table, tour, asked->cities.n);
    }
    fprintf(to, "bound: %.*f", table ? 6 : 0, table ? floor(1e6 * bound) / 1e6 : bound);
    if (real <= bound)
        fprintf(to, ", so the tour is the shortest\n");
    else if (bound > 0.0)
        fprintf(to, ", so the tour is at most %.2f %% above the optimum\n", ceil(1e4 * (real / bound - 1.0)) / 100.0);
    else
        fprintf(to, "\n");
}

/* Prints the result, to stderr if stdout gets the tour. */
static void print_result(const job *asked, const int32_t *tour, const solve_result *result)
{
    FILE *to = is_stdout(asked) ? stderr : stdout;
    char gap[128], length[96];
    format_gap(&asked->cities, result->length, gap);
    format_length(&asked->cities, tour, result->length, length);
    print_instance(to, asked);
    fprintf(to, "length: %s\n", length);
    if (gap[0]) fprintf(to, "gap: %s\n", gap);
    print_bound(to, asked, tour, result->length);
    fprintf(to, "time: %.6f s%s, %.6f s of CPU, %d thread%s, %lld kicks, seed %llu\n", result->seconds,
            interrupted ? " (interrupted)" : "", result->cpu_s, asked->how.threads, asked->how.threads == 1 ? "" : "s",
            (long long)result->kicks, (unsigned long long)asked->how.seed);
    fprintf(to, "tour: %s\n", is_stdout(asked) ? "stdout" : asked->out);
    if (asked->svg) fprintf(to, "svg: %s\n", asked->svg);
    if (asked->animation) fprintf(to, "animation: %s\n", asked->animation);
    if (asked->geojson) fprintf(to, "geojson: %s\n", asked->geojson);
}

/* Warns if cities are so close together that rounding distances to whole numbers loses much. */
static void warn_of_rounding(const job *asked, int64_t length)
{
    const tsp_instance *cities = &asked->cities;
    if (asked->quiet || length >= 100 * (int64_t)cities->n || cities->rule == NULL || cities->table) return;
    fprintf(stderr,
            "antbench solve: %s rounds distances to whole numbers, and a length of %lld for %d cities loses much by "
            "that: use larger units, or a CSV file\n",
            cities->edge_weight_type, (long long)length, cities->n);
}

/* Checks the search's length against the instance's own distances. They must be equal; for a table, which measures in
 * another way, they may differ by rounding. */
static ab_status check_length(const tsp_instance *cities, const int32_t *tour, int64_t counted)
{
    const int64_t measured = tour_measure(cities, tour);
    if (measured == TOUR_NO_MEMORY) return ab_failed("out of memory for measuring the tour");
    if (measured != counted)
        return ab_failed("internal error: the tour's length is %lld, but the search counted %lld", (long long)measured,
                         (long long)counted);
    if (cities->table == NULL) return ab_ok();
    const double real = tour_measure_real(cities->table, tour, cities->n), scale = cities->table->scale;
    if (fabs(real * scale - (double)counted) <= 2.0 * cities->n + 1e-6 * (double)counted) return ab_ok();
    return ab_failed("internal error: the tour's length is %.9g, but the search counted %.9g", real,
                     (double)counted / scale);
}

/* ---- Drawings ---- */

/* Draws the search. Below each tour stand its length and the time at which it was found. */
static ab_status draw_search(job *asked, const char *caption)
{
    char text[96];
    for (int i = 0; i < asked->found.n; i++) {
        film_frame *frame = &asked->found.frames[i];
        format_length(&asked->cities, frame->tour, frame->length, text);
        snprintf(frame->label, sizeof frame->label, "%.3f s: length %s", frame->seconds, text);
    }
    return draw_film(asked->animation, &asked->cities, &asked->found, caption);
}

/* Writes the drawings that are asked for. The caption has the file's name, the length and its unit. */
static ab_status draw(job *asked, const int32_t *tour, int64_t length)
{
    const tsp_instance *cities = &asked->cities;
    const char *slash = strrchr(asked->name, '/'), *file = slash ? slash + 1 : asked->name;
    char text[96], caption[512];
    format_length(cities, tour, length, text);
    snprintf(caption, sizeof caption, "%.300s: length %s%s%s", strcmp(file, "-") == 0 ? "stdin" : file, text,
             cities->table ? "" : " by ", cities->table ? "" : cities->edge_weight_type);
    if (asked->svg) AB_TRY(draw_svg(asked->svg, cities, tour, caption));
    if (asked->animation) AB_TRY(draw_search(asked, caption));
    if (!asked->geojson) return ab_ok();
    const double km = cities->table ? tour_measure_real(cities->table, tour, cities->n) : (double)length;
    return draw_geojson(asked->geojson, cities, tour, cities->name, km);
}

/* Refuses drawings that cannot be made, before the search. */
static ab_status check_drawings(const job *asked)
{
    const tsp_instance *cities = &asked->cities;
    if ((asked->svg || asked->animation) && !draw_has_places(cities))
        return ab_bad_input("--%s: %s has distances alone, and no coordinates to draw",
                            asked->svg ? "svg" : "animation", cities->name);
    if (asked->animation && cities->n > DRAW_MOST_MOVING)
        return ab_bad_input("--animation: %s has %d cities, but %d can move at most; --svg draws its last tour",
                            cities->name, cities->n, DRAW_MOST_MOVING);
    if (asked->geojson && !draw_has_degrees(cities))
        return ab_bad_input(
            "--geojson: %s has no latitudes and longitudes (a CSV file has them in columns lat and lon)", cities->name);
    if (asked->svg) AB_TRY(tour_check_path(asked->svg));
    if (asked->animation) AB_TRY(tour_check_path(asked->animation));
    return asked->geojson ? tour_check_path(asked->geojson) : ab_ok();
}

static ab_status search_tour(job *asked, int32_t *tour)
{
    solve_result result;
    AB_TRY(tour_check_path(asked->out));
    AB_TRY(check_drawings(asked));
    if (asked->animation) AB_TRY(film_open(&asked->found, asked->cities.n));
    asked->how.watched = asked->animation != NULL;
    catch_interrupts();
    AB_TRY(solve(&asked->cities, &asked->how, tour, &result));
    AB_TRY(check_length(&asked->cities, tour, result.length));
    AB_TRY(save(asked, tour, result.length));
    if (asked->animation) film_add(&asked->found, tour, result.length, result.seconds);
    AB_TRY(draw(asked, tour, result.length));
    if (asked->bounds) AB_TRY(bound_find(&asked->cities, asked->how.seconds, &asked->bound));
    warn_of_rounding(asked, result.length);
    print_result(asked, tour, &result);
    return ab_ok();
}

/* True if two paths name the same file, there or still to come. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* Refuses to write a file twice, or over the instance. */
static ab_status check_files(const job *asked)
{
    const struct {
        const char *option, *path;
    } files[] = {
        {"out", asked->out}, {"svg", asked->svg}, {"animation", asked->animation}, {"geojson", asked->geojson}};
    const bool reads_file = strcmp(asked->name, "-") != 0 && asked->cities.path[0];
    for (int i = 0; i < (int)(sizeof files / sizeof *files); i++) {
        if (!files[i].path || strcmp(files[i].path, "-") == 0) continue;
        if (reads_file && is_same_file(asked->cities.path, files[i].path))
            return ab_bad_input("--%s %s: this is the instance itself; name another file", files[i].option,
                                files[i].path);
        for (int k = 0; k < i; k++)
            if (files[k].path && is_same_file(files[k].path, files[i].path))
                return ab_bad_input("--%s %s: --%s writes this file; name another one", files[i].option, files[i].path,
                                    files[k].option);
    }
    return ab_ok();
}

/* Chooses the file. Without --out, the tour of an instance from stdin goes to stdout. */
static ab_status choose_out(job *asked)
{
    const tsp_instance *cities = &asked->cities;
    const char *name = strcmp(asked->name, "-") == 0 ? "-" : asked->default_out;
    snprintf(asked->default_out, sizeof asked->default_out, "%s.tour%s", cities->name, cities->table ? ".csv" : "");
    if (asked->out == NULL) asked->out = name;
    if (is_csv(asked->out) && !cities->table)
        return ab_bad_input("--out %s: only the tour of a CSV file can be written as CSV; name a file NAME.tour",
                            asked->out);
    return check_files(asked);
}

/* Returns the target in the integer lengths of the search. */
static int64_t choose_target(const job *asked)
{
    const tsp_instance *cities = &asked->cities;
    const double target = floor(asked->target * (cities->table ? cities->table->scale : 1.0));
    const int64_t whole = target < 0x1p63 ? (int64_t)target : INT64_MAX;
    return whole > cities->optimum ? whole : cities->optimum;
}

static ab_status run(job *asked)
{
    if (asked->name == NULL) return ab_bad_input("expected an instance (antbench solve --help)");
    AB_TRY(tsp_locate_real(asked->name, asked->metric, &asked->cities));
    AB_TRY(choose_out(asked));
    asked->how.target = choose_target(asked);
    int32_t *tour = malloc((size_t)asked->cities.n * sizeof *tour);
    const ab_status status =
        tour ? search_tour(asked, tour) : ab_failed("out of memory for %d cities", asked->cities.n);
    free(tour);
    return status;
}

int ab_solve_main(int argc, char **argv)
{
    job asked = {.how = {.seconds = 10.0, .seed = 1, .threads = omp_get_num_procs(), .moves = SEARCH_THREE_OPT}};
    asked.save_s = save_every_s;
    asked.saved = asked.reported = -1;
    asked.how.stops = is_interrupted;
    asked.how.tell = tell;
    asked.how.context = &asked;
    ab_status status = ab_read_options(described, N_OPTIONS, argc, argv, take, &asked);
    if (status.code == AB_OK && asked.help)
        print_help();
    else if (status.code == AB_OK)
        status = run(&asked);
    tsp_free(&asked.cities);
    film_close(&asked.found);
    if (status.code == AB_OK) return AB_EXIT_OK;
    fprintf(stderr, "antbench solve: %s\n", status.reason);
    return status.code == AB_BAD_INPUT ? AB_EXIT_USAGE : AB_EXIT_ERROR;
}
