/* The grammar of TSPLIB's instances (instances/tsplib.h): keyword lines, each with its reader below, some of which go
 * on to read the section that follows. Numbers of matrices may be wrapped over lines in any way; a node has a line of
 * its own, so that a missing coordinate is found where it is missing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/lookup.h"
#include "instances/describe.h"
#include "instances/distances.h"
#include "instances/text.h"

/* How a matrix section runs through the rows of the distance matrix. The matrix is symmetric, so the columns of one
 * triangle come in the same order as the rows of the other. */
typedef struct matrix_form {
    const char *name; /* EDGE_WEIGHT_FORMAT */
    bool lower;       /* a row has the columns before its diagonal */
    bool upper;       /* ... after it */
    bool diagonal;    /* ... the diagonal itself, which is ignored: some files write 0 there, some 9999 */
} matrix_form;

static const matrix_form *find_form(const char *name)
{
    static const matrix_form forms[] = {
        {"FULL_MATRIX", true, true, true},     {"UPPER_ROW", false, true, false},
        {"LOWER_COL", false, true, false},     {"LOWER_ROW", true, false, false},
        {"UPPER_COL", true, false, false},     {"UPPER_DIAG_ROW", false, true, true},
        {"LOWER_DIAG_COL", false, true, true}, {"LOWER_DIAG_ROW", true, false, true},
        {"UPPER_DIAG_COL", true, false, true},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].name, name) == 0) return &forms[i];
    return NULL;
}

/* What has been read of a file so far. */
typedef struct parse {
    tsplib_text text;
    int most;                /* cities there may be */
    unsigned seen;           /* bit i: keyword i of the table has been read */
    int n;                   /* DIMENSION, 0 until known */
    bool explicit_weights;   /* EDGE_WEIGHT_TYPE is EXPLICIT */
    const tsp_rule *rule;    /* or else the rule that it names; NULL until known */
    const matrix_form *form; /* EDGE_WEIGHT_FORMAT; NULL until known */
    tsp_point *points;       /* [n] NODE_COORD_SECTION; NULL until read */
    int32_t *dist;           /* [n][n] EDGE_WEIGHT_SECTION; NULL until read */
    tsp_table *table;        /* NULL where the file is TSPLIB's */
} parse;

typedef struct keyword {
    const char *name;
    ab_status (*read)(parse *file, tsplib_span value); /* NULL: the line means nothing to us */
} keyword;

/* TYPE may carry a remark: "TSP (M.~Hofmeister)". */
static ab_status read_type(parse *file, tsplib_span value)
{
    char quoted[TSPLIB_QUOTE];
    tsplib_span word = {value.start, 0};
    while (word.length < value.length && strchr(" \t(", word.start[word.length]) == NULL) word.length++;
    if (tsplib_is(word, "TSP")) return ab_ok();
    return tsplib_error(&file->text, "TYPE must be TSP, not \"%s\"", tsplib_quote(value, quoted));
}

static ab_status read_dimension(parse *file, tsplib_span value)
{
    return tsplib_integer(&file->text, value, "DIMENSION", 1, file->most, &file->n);
}

static ab_status read_weight_type(parse *file, tsplib_span value)
{
    char name[TSPLIB_QUOTE];
    file->rule = tsp_find_rule(tsplib_quote(value, name));
    file->explicit_weights = strcmp(name, "EXPLICIT") == 0;
    if (file->rule != NULL || file->explicit_weights) return ab_ok();
    return tsplib_error(&file->text,
                        "EDGE_WEIGHT_TYPE must be EUC_2D, CEIL_2D, MAN_2D, MAX_2D, GEO, ATT or EXPLICIT, "
                        "not \"%s\"",
                        name);
}

static ab_status read_weight_format(parse *file, tsplib_span value)
{
    char name[TSPLIB_QUOTE];
    file->form = find_form(tsplib_quote(value, name));
    if (file->form != NULL || strcmp(name, "FUNCTION") == 0) return ab_ok();
    return tsplib_error(&file->text, "EDGE_WEIGHT_FORMAT \"%s\" is not a matrix form of TSPLIB", name);
}

/* One line of NODE_COORD_SECTION. A node without coordinates yet has x = NAN. */
static ab_status read_node(parse *file)
{
    double values[2];
    int id, count = 1;
    tsplib_span id_token, token;
    tsplib_next_token(&file->text, TSPLIB_ANY_LINE, &id_token);
    for (; tsplib_next_token(&file->text, TSPLIB_SAME_LINE, &token); count++)
        if (count < 3) AB_TRY(tsplib_number(&file->text, token, &values[count - 1]));
    if (count != 3) return tsplib_error(&file->text, "expected 3 numbers \"id x y\", got %d", count);
    AB_TRY(tsplib_integer(&file->text, id_token, "the node's id", 1, file->n, &id));
    if (!isnan(file->points[id - 1].x)) return tsplib_error(&file->text, "node %d appears twice", id);
    file->points[id - 1] = (tsp_point){values[0], values[1]};
    return ab_ok();
}

static ab_status read_nodes(parse *file, tsplib_span value)
{
    (void)value;
    if (file->n == 0) return tsplib_error(&file->text, "DIMENSION must come before NODE_COORD_SECTION");
    if (file->n > TSP_MAX_CITIES && file->n > file->text.end - file->text.cursor) /* a damaged one: no memory for it */
        return tsplib_error(&file->text, "expected %d nodes, which so short a file cannot have", file->n);
    file->points = malloc((size_t)file->n * sizeof *file->points);
    if (file->points == NULL) return ab_failed("no memory for %d nodes", file->n);
    for (int i = 0; i < file->n; i++) file->points[i] = (tsp_point){NAN, NAN};

    int found = 0, missing = 0;
    tsplib_span token;
    for (tsplib_text ahead = file->text; tsplib_next_numeric(&ahead, &token); ahead = file->text, found++)
        AB_TRY(read_node(file));
    if (found == file->n) return ab_ok();
    while (!isnan(file->points[missing].x)) missing++;
    return tsplib_error(&file->text, "expected %d nodes, found %d: node %d is missing", file->n, found, missing + 1);
}

/* Counts before anything is allocated, so that a damaged DIMENSION cannot ask for gigabytes. */
static ab_status expect_weights(const tsplib_text *text, long long expected)
{
    tsplib_text ahead = *text;
    tsplib_span token;
    char quoted[TSPLIB_QUOTE];
    long long found = 0;
    while (tsplib_next_numeric(&ahead, &token)) found++;
    if (found == expected) return ab_ok();
    bool more = tsplib_next_token(&ahead, TSPLIB_ANY_LINE, &token);
    return tsplib_error(&ahead, "expected %lld weights, found %lld before %s", expected, found,
                        more ? tsplib_quote(token, quoted) : "the end of the file");
}

/* Reads the weight of (i, j) and stores it on both sides of the diagonal, where a full matrix must agree. */
static ab_status read_weight(parse *file, int i, int j)
{
    tsplib_span token;
    double number;
    int weight;
    tsplib_next_numeric(&file->text, &token);
    if (i == j) return tsplib_number(&file->text, token, &number);
    AB_TRY(tsplib_integer(&file->text, token, "a weight", 0, INT32_MAX, &weight));
    int32_t *cell = &file->dist[(size_t)i * (size_t)file->n + (size_t)j];
    int32_t *mirror = &file->dist[(size_t)j * (size_t)file->n + (size_t)i];
    if (file->form->upper && j < i && *cell != weight)
        return tsplib_error(&file->text, "not symmetric: %d to %d is %d, but %d to %d is %d", j + 1, i + 1, *cell,
                            i + 1, j + 1, weight);
    *cell = *mirror = weight;
    return ab_ok();
}

static ab_status read_weights(parse *file, tsplib_span value)
{
    (void)value;
    const matrix_form *form = file->form;
    if (!file->explicit_weights || form == NULL || file->n == 0)
        return tsplib_error(&file->text, "EDGE_WEIGHT_SECTION needs DIMENSION, EDGE_WEIGHT_TYPE: EXPLICIT and a matrix "
                                         "form as EDGE_WEIGHT_FORMAT before it");
    long long n = file->n, triangle = n * (n - 1) / 2;
    AB_TRY(expect_weights(&file->text, (form->lower + form->upper) * triangle + (form->diagonal ? n : 0)));
    AB_TRY(tsp_allocate_distances(file->n, &file->dist));
    for (int i = 0; i < file->n; i++)
        for (int j = form->lower ? 0 : i; j < (form->upper ? file->n : i + 1); j++)
            if (i != j || form->diagonal) AB_TRY(read_weight(file, i, j));
    return ab_ok();
}

static ab_status skip_numbers(parse *file, tsplib_span value)
{
    (void)value;
    tsplib_span token;
    while (tsplib_next_numeric(&file->text, &token)) continue;
    return ab_ok();
}

/* All that TSPLIB 95 allows in a symmetric instance, but for FIXED_EDGES_SECTION, which changes the problem. */
static const keyword keywords[] = {
    {"NAME", NULL},
    {"COMMENT", NULL},
    {"DISPLAY_DATA_TYPE", NULL},
    {"NODE_COORD_TYPE", NULL},
    {"TYPE", read_type},
    {"DIMENSION", read_dimension},
    {"EDGE_WEIGHT_TYPE", read_weight_type},
    {"EDGE_WEIGHT_FORMAT", read_weight_format},
    {"NODE_COORD_SECTION", read_nodes},
    {"EDGE_WEIGHT_SECTION", read_weights},
    {"DISPLAY_DATA_SECTION", skip_numbers},
};

/* Reads keyword lines, and through them their sections, up to EOF or the end of the file. */
static ab_status read_keywords(parse *file)
{
    const int count = sizeof keywords / sizeof keywords[0];
    tsplib_span key, value;
    while (tsplib_next_line(&file->text, &key, &value) && !tsplib_is(key, "EOF")) {
        char quoted[TSPLIB_QUOTE];
        int i = 0;
        while (i < count && !tsplib_is(key, keywords[i].name)) i++;
        if (i == count) return tsplib_error(&file->text, "unknown keyword \"%s\"", tsplib_quote(key, quoted));
        if (keywords[i].read == NULL) continue;
        if (file->seen & 1u << i) return tsplib_error(&file->text, "%s appears twice", keywords[i].name);
        file->seen |= 1u << i;
        AB_TRY(keywords[i].read(file, value));
    }
    return ab_ok();
}

/* Whether a file is TSPLIB's, by its first word. */
static bool begins_with_keyword(tsplib_text text)
{
    tsplib_span key, value;
    if (!tsplib_next_line(&text, &key, &value)) return false;
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (tsplib_is(key, keywords[i].name)) return true;
    return false;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t behind = strlen(end);
    return length > behind && strncmp(text + length - behind, end, behind) == 0;
}

static bool is_table(const tsplib_text *text)
{
    const size_t length = strlen(text->path);
    if (ends_with(text->path, length, ".csv")) return true;
    return !ends_with(text->path, length, ".tsp") && !begins_with_keyword(*text);
}

static ab_status check_sections(const parse *file)
{
    const char *missing = NULL;
    if (file->n == 0)
        missing = "DIMENSION";
    else if (file->rule == NULL && !file->explicit_weights)
        missing = "EDGE_WEIGHT_TYPE";
    else if (file->rule != NULL && file->points == NULL)
        missing = "NODE_COORD_SECTION";
    else if (file->explicit_weights && file->dist == NULL)
        missing = "EDGE_WEIGHT_SECTION";
    return missing == NULL ? ab_ok() : tsplib_error(&file->text, "the file ends without %s", missing);
}

/* Refuses a table of whole numbers on a plane that tells nothing about the cities. */
static ab_status round_table(parse *file)
{
    const char *path = ab_short_path(file->text.path);
    tsp_point low, high;
    tsp_find_box(file->table->points, file->n, &low, &high);
    const double across = hypot(high.x - low.x, high.y - low.y);
    if (file->table->geo)
        return ab_bad_input("%s:1: latitudes and longitudes, where distances are a plane's: project them (antbench "
                            "solve takes them as they are)",
                            path);
    if (file->n > 1 && across < sqrt(file->n))
        return ab_bad_input("%s: distances are rounded to whole numbers, and all %d cities are within %g: multiply the "
                            "coordinates (antbench solve takes them as they are)",
                            path, file->n, across);
    file->points = file->table->points;
    file->table->points = NULL;
    file->rule = tsp_find_rule("EUC_2D");
    return ab_ok();
}

static ab_status read_table(parse *file, tsp_wanted wanted, tsp_metric metric)
{
    const size_t size = (size_t)(file->text.end - file->text.cursor);
    AB_TRY(tsp_table_read(file->text.path, file->text.cursor, size, metric, file->most, &file->table, &file->n));
    return wanted == TSP_REAL ? ab_ok() : round_table(file);
}

/* Reads and checks everything. A matrix is checked by reading it. */
static ab_status read_instance(parse *file, tsp_wanted wanted, tsp_metric metric)
{
    const char *path = file->text.path;
    if (is_table(&file->text)) {
        AB_TRY(read_table(file, wanted, metric));
        if (wanted == TSP_REAL) return ab_ok();
    } else {
        AB_TRY(read_keywords(file));
        AB_TRY(check_sections(file));
        if (metric != TSP_BY_HEADER)
            return ab_bad_input("%s: --metric is for a table of coordinates, and this is TSPLIB's",
                                ab_short_path(path));
    }
    if (file->rule == NULL) return ab_ok();
    if (wanted != TSP_DISTANCES) return tsp_check_distances(path, file->rule, file->points, file->n);
    return tsp_compute_distances(path, file->rule, file->points, file->n, &file->dist);
}

/* Names an instance as its file is named: the NAME inside is not always a name ("ulysses22.tsp"). */
static ab_status name_instance(const char *path, tsp_instance *instance)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    if (strcmp(path, "-") == 0) base = "stdin";
    size_t length = strlen(base);
    if (ends_with(base, length, ".tsp") || ends_with(base, length, ".csv")) length -= 4;
    if (strlen(path) >= sizeof instance->path || length >= sizeof instance->name)
        return ab_bad_input("%s: the name is too long (at most %zu bytes, a path %zu)", ab_short_path(path),
                            sizeof instance->name - 1, sizeof instance->path - 1);
    memcpy(instance->path, path, strlen(path));
    memcpy(instance->name, base, length);
    return ab_ok();
}

/* Sets the optimum from the catalogue's entry with this instance's name, n and edge weight type, or 0. */
static ab_status look_up_optimum(tsp_instance *instance)
{
    tsp_catalogue_entry entry;
    AB_TRY(tsp_find_in_catalogue(instance->name, &entry));
    const bool same = entry.n == instance->n && strcmp(entry.edge_weight_type, instance->edge_weight_type) == 0;
    instance->optimum = same ? entry.optimum : 0;
    return ab_ok();
}

/* The table's rows lie in the text. */
static ab_status take_table(parse *file, tsp_instance *instance)
{
    instance->table = file->table;
    instance->table->bytes = file->text.bytes;
    file->table = NULL;
    file->text.bytes = NULL;
    return tsp_table_place(instance);
}

/* Moves what was parsed and is wanted into the instance, which then owns it. */
static ab_status fill_instance(parse *file, tsp_wanted wanted, tsp_instance *instance)
{
    sha256_hex(file->text.bytes, (size_t)(file->text.end - file->text.bytes), instance->sha256);
    instance->n = file->n;
    if (wanted == TSP_REAL && file->table != NULL) return take_table(file, instance);
    const char *type = file->explicit_weights ? "EXPLICIT" : file->rule->name;
    memcpy(instance->edge_weight_type, type, strlen(type));
    instance->rule = file->rule;
    if (wanted != TSP_DESCRIBED) {
        instance->dist = file->dist;
        file->dist = NULL;
    }
    if (tsp_wants_points(wanted)) {
        instance->points = file->points;
        file->points = NULL;
    }
    return look_up_optimum(instance);
}

ab_status tsp_read_file(const char *path, tsp_wanted wanted, tsp_metric metric, tsp_instance *instance)
{
    *instance = (tsp_instance){0};
    parse file = {.most = tsp_wants_points(wanted) ? TSP_MAX_LOCATED : TSP_MAX_CITIES};
    ab_status status = name_instance(path, instance);
    if (status.code == AB_OK) status = tsplib_open(path, &file.text);
    if (status.code == AB_OK) status = read_instance(&file, wanted, metric);
    if (status.code == AB_OK) status = fill_instance(&file, wanted, instance);
    if (status.code != AB_OK) tsp_free(instance);
    free(file.points);
    free(file.dist);
    tsp_table_free(file.table);
    tsplib_close(&file.text);
    return status;
}

ab_status tsp_read(const char *path, tsp_instance *instance)
{
    return tsp_read_file(path, TSP_DISTANCES, TSP_BY_HEADER, instance);
}
