/* From a driver to cells (plan.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "bench/plan/plan.h"
#include "bench/plan/selector.h"

enum { MAX_IMPLEMENTATIONS = 64, MAX_PARAMETERS = 32 };

/* ---- Lists of names ---- */

static bool is_among(const char *names, const char *name)
{
    const char *item;
    size_t length;
    while (ab_next_name(&names, &item, &length))
        if (strlen(name) == length && strncmp(item, name, length) == 0) return true;
    return false;
}

/* ---- Implementations ---- */

static bool is_open(const char *implementation)
{
    const size_t length = strlen(implementation);
    return length > 2 && strcmp(implementation + length - 2, "/+") == 0;
}

/* Whether some line of the driver names it. */
static bool is_named(const ab_driver *driver, const char *id)
{
    for (const ab_block *block = driver->blocks; block->table; ++block)
        for (const ab_line *line = block->lines; line->row; ++line)
            if (strcmp(line->implementation, id) == 0) return true;
    return false;
}

int ab_line_implementations(const ab_driver *driver, const ab_block *block, const ab_line *line, const char **ids,
                            int size)
{
    size_t count;
    int found = 0;
    const ab_implementation *all = ab_registry(&count);
    if (!is_open(line->implementation)) {
        if (size > 0) ids[0] = line->implementation;
        return 1;
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t operation = strlen(line->implementation) - 1;
        if (all[i].backend != AB_HOST || strncmp(all[i].id, line->implementation, operation) != 0) continue;
        if ((all[i].traits & block->with) != block->with || (all[i].traits & (block->without | AB_SEVERAL))) continue;
        if (is_named(driver, all[i].id)) continue;
        if (found < size) ids[found] = all[i].id;
        ++found;
    }
    return found;
}

/* The registry entry that measures `id` here (CPU, else CUDA, else host), or NULL when the options exclude it. */
static const ab_implementation *find_implementation(const ab_plan *plan, const char *id)
{
    static const ab_backend by_preference[] = {AB_CPU, AB_CUDA, AB_HOST};
    for (size_t i = 0; i < sizeof by_preference / sizeof *by_preference; ++i) {
        const ab_implementation *found = ab_find_implementation(id, by_preference[i]);
        if (found && ab_selected(plan->options, found, plan->target.gpu)) return found;
    }
    return NULL;
}

/* Looks for a parameter among those that rows of the driver have. */
static void search_parameters(const ab_driver *driver, ab_search *search)
{
    for (const ab_block *block = driver->blocks; block->table; ++block)
        for (const ab_line *line = block->lines; line->row && !search->found; ++line)
            ab_search_parameters(search, ab_operation_of(line->implementation));
}

/* ---- Inputs ---- */

/* The planned input of this name, or NULL. */
static const ab_input *find_input(const ab_plan *plan, const char *name)
{
    for (int i = 0; i < plan->n_inputs; ++i)
        if (strcmp(plan->inputs[i].name, name) == 0) return &plan->inputs[i];
    return NULL;
}

/* Adds what `asked`, which it then owns, stands for. Of a driver's own a stand-in may be listed under its name too; what a
 * user asks for must be told apart by its name, as rows are. */
static ab_status add_described(ab_plan *plan, char *asked, bool by_user)
{
    ab_input input;
    AB_TRY(plan->kind->describe(asked, &input));
    const ab_input *other = find_input(plan, input.name);
    if (other && by_user)
        return ab_bad_input("--instances: %.128s and %.128s are both called %s in the results", other->asked, asked,
                            input.name);
    if (other)
        free(asked);
    else
        plan->inputs[plan->n_inputs++] = input;
    return ab_ok();
}

static ab_status add_input(ab_plan *plan, const char *name, size_t length, bool by_user)
{
    ab_input *inputs = realloc(plan->inputs, ((size_t)plan->n_inputs + 1) * sizeof *inputs);
    if (inputs) plan->inputs = inputs;
    char *asked = inputs ? strndup(name, length) : NULL;
    if (!asked) return ab_failed("out of memory");
    const ab_status status = add_described(plan, asked, by_user);
    if (status.code != AB_OK) free(asked);
    return status;
}

static ab_status add_inputs(const ab_driver *driver, const ab_options *options, ab_plan *plan)
{
    const char *name, *names = ab_driver_names(driver, driver->inputs[options->profile]);
    size_t length;
    for (char **asked = options->instances; asked && *asked; ++asked)
        AB_TRY(add_input(plan, *asked, strlen(*asked), true));
    if (options->instances) return ab_ok();
    while (ab_next_name(&names, &name, &length)) AB_TRY(add_input(plan, name, length, false));
    if (!driver->optional || options->profile == AB_SMOKE) return ab_ok();
    for (names = ab_driver_names(driver, driver->optional); ab_next_name(&names, &name, &length);) {
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)length, name);
        if (plan->kind->check_name(text).code == AB_OK) AB_TRY(add_input(plan, name, length, false));
    }
    return ab_ok();
}

/* Whether a block is measured on an input. */
static bool is_on(const ab_plan *plan, const ab_block *block, const ab_input *input)
{
    const char *on = block->on[plan->options->profile];
    if (block->found_only && input->stand_in) return false;
    if (plan->options->instances && block->asked == AB_ASKED_ALL) return true;
    if (plan->options->instances && block->asked == AB_ASKED_WITH_EDGES && input->known_edges) return true;
    if (!on) return true;
    on = ab_driver_names(plan->driver, on);
    return is_among(on, input->asked) || is_among(on, input->name);
}

/* ---- Parameters ---- */

/* The values that a parameter runs through: "64|128", "{blocks}", of a user "64,128". */
typedef struct sweep {
    char name[32];
    const char *values;
    size_t length; /* of the values, which end there */
    const char *separators;
} sweep;

typedef struct sweeps {
    sweep of[MAX_PARAMETERS];
    int count;
} sweeps;

/* A later text about the same parameter takes the place of an earlier. */
static ab_status add_sweep(sweeps *s, const char *name, size_t name_length, const char *values, size_t length,
                           const char *separators)
{
    int i = 0;
    while (i < s->count && (strlen(s->of[i].name) != name_length || strncmp(s->of[i].name, name, name_length))) ++i;
    if (i == MAX_PARAMETERS || name_length >= sizeof s->of[i].name)
        return ab_bad_input("more than %d parameters, or a name that is too long", MAX_PARAMETERS);
    if (i == s->count) ++s->count;
    s->of[i] = (sweep){.values = values, .length = length, .separators = separators};
    snprintf(s->of[i].name, sizeof s->of[i].name, "%.*s", (int)name_length, name);
    return ab_ok();
}

/* Adds "protocol=as;block={blocks}". */
static ab_status add_text(const ab_driver *driver, const char *text, const char *separators, sweeps *s)
{
    ab_setting of;
    while (ab_next_setting(driver, &text, &of))
        AB_TRY(add_sweep(s, of.name, of.name_length, of.values, of.values_length, separators));
    return ab_ok();
}

/* ---- Cells ---- */

/* What cells of one line on one input are made from. */
typedef struct maker {
    ab_plan *plan;
    const ab_block *block;
    const ab_line *line;
    const ab_operation *operation;
    const ab_measure *measure;
    const ab_implementation *implementation;
    int input;
    sweeps sweeps;
} maker;

static const ab_measure *find_measure(const ab_operation *operation, const char *name)
{
    const ab_measure *measure = operation->measures;
    while (strcmp(measure->name, name) != 0) ++measure;
    return measure;
}

/* Whether what the user set, "threads=2", is for these rows: a parameter of their operation, which they heed. */
static bool is_ours(const maker *m, const char *set)
{
    bool of_gpu;
    const size_t name = strcspn(set, "=");
    if (m->implementation->traits & AB_ONE_THREAD && name == 7 && strncmp(set, "threads", 7) == 0) return false;
    return ab_row_parameter(m->operation, set, name, &of_gpu) != NULL;
}

/* What the user set of the operation's parameters. */
static ab_status add_user(maker *m)
{
    for (char **set = m->plan->options->set; set && *set; ++set) {
        const size_t name = strcspn(*set, "=");
        if (is_ours(m, *set)) AB_TRY(add_sweep(&m->sweeps, *set, name, *set + name + 1, strlen(*set + name + 1), ","));
    }
    return ab_ok();
}

/* Whether the line says the value of a parameter, "threads=all;sigma=1", and its name, "warp-{block}", has it not. */
static bool is_fixed(const ab_line *line, const char *set)
{
    char begins[36], in_name[36];
    const int length = (int)strcspn(set, "=");
    snprintf(begins, sizeof begins, ";%.*s=", length < 32 ? length : 32, set);
    snprintf(in_name, sizeof in_name, "{%.*s}", length < 32 ? length : 32, set);
    const char *found = line->params ? strstr(line->params, begins + 1) : NULL;
    return found && (found == line->params || found[-1] == ';') && !strstr(line->row, in_name);
}

/* The pattern of the row's name: the line's, or where the user has set what that stands for, as "cpu-best-all" for
 * threads=all, one that says so: "tsp-cpu-best-threads-{threads}". */
static ab_status choose_name(const maker *m, char pattern[96])
{
    size_t at = 0;
    for (char **set = m->plan->options->set; set && *set; ++set) {
        const int length = (int)strcspn(*set, "=");
        if (!is_ours(m, *set) || !is_fixed(m->line, *set)) continue;
        if (at == 0) at = (size_t)snprintf(pattern, 96, "%s-{name}", m->operation->name);
        if (at < 96) at += (size_t)snprintf(pattern + at, 96 - at, "-%.*s-{%.*s}", length, *set, length, *set);
    }
    if (at == 0) at = (size_t)snprintf(pattern, 96, "%s", m->line->row);
    return at < 96 ? ab_ok() : ab_failed("the name of row %s is too long", m->line->row);
}

/* "warp-{block}" with the values of the cell. */
static ab_status format_row(const maker *m, const ab_cell *cell, const char *from, char row[48])
{
    const char *const pattern = from;
    size_t at = 0;
    while (*from && at < 47) {
        char text[64];
        size_t length = 1;
        if (*from == '{') {
            length = strcspn(from, "}") + 1;
            bool of_gpu;
            const ab_parameter *p = ab_row_parameter(m->operation, from + 1, length - 2, &of_gpu);
            if (p)
                ab_parameter_format(p, of_gpu ? &cell->gpu_params : cell->params, text);
            else
                snprintf(text, sizeof text, "%s", m->implementation->name);
        } else {
            snprintf(text, sizeof text, "%c", *from);
        }
        at += (size_t)snprintf(row + at, 48 - at, "%s", text);
        from += length;
    }
    return at < 48 && !*from ? ab_ok() : ab_failed("the name of row %s is too long", pattern);
}

static ab_status set_text(char *to, size_t size, const char *from)
{
    return (size_t)snprintf(to, size, "%s", from) < size ? ab_ok()
                                                         : ab_failed("\"%.60s...\" is too long for a row", from);
}

static ab_status make_key(const maker *m, uint64_t set, ab_cell *cell)
{
    const ab_target *target = &m->plan->target;
    const ab_input *input = &m->plan->inputs[m->input];
    const ab_backend backend = m->implementation->backend;
    char pattern[96];
    ab_row *key = &cell->key;
    *key = ab_row_new();
    AB_TRY(set_text(key->table, sizeof key->table, m->block->table));
    AB_TRY(choose_name(m, pattern));
    AB_TRY(format_row(m, cell, pattern, key->row));
    AB_TRY(format_row(m, cell, m->line->row, cell->row));
    AB_TRY(format_row(m, cell, m->line->published ? m->line->published : m->line->row, cell->published));
    AB_TRY(set_text(key->instance, sizeof key->instance, input->name));
    AB_TRY(set_text(key->implementation, sizeof key->implementation, m->implementation->id));
    AB_TRY(set_text(key->backend, sizeof key->backend, ab_backend_name(backend)));
    AB_TRY(set_text(key->device, sizeof key->device, backend == AB_CUDA ? target->gpu : target->cpu));
    AB_TRY(set_text(key->scope, sizeof key->scope,
                    m->measure->timed && backend == AB_HOST ? "functional" : m->measure->scope));
    AB_TRY(ab_parameters_format(m->operation->parameters, cell->params, set, m->measure->name, m->measure->only_own,
                                backend == AB_CPU ? AB_SHOWN_CPU : AB_SHOWN_GPU, key->params));
    AB_TRY(ab_parameters_format(ab_gpu_parameters, &cell->gpu_params, 0, m->measure->name, m->measure->only_own,
                                AB_SHOWN_GPU, key->params));
    if (m->measure->metric) AB_TRY(ab_params_append(key->params, "metric", m->measure->metric));
    key->size = input->size;
    key->seed = m->plan->options->seed;
    return ab_ok();
}

/* Fills the cell for one combination: values[i] is the parameter sweeps.of[i]'s. */
static ab_status fill_cell(const maker *m, char values[][64], ab_cell *cell)
{
    uint64_t set = 0;
    ab_parameters_default(ab_gpu_parameters, &cell->gpu_params);
    ab_parameters_default(m->operation->parameters, cell->params);
    for (int i = 0; i < m->sweeps.count; ++i) {
        bool of_gpu;
        const char *name = m->sweeps.of[i].name;
        const ab_parameter *parameter = ab_row_parameter(m->operation, name, strlen(name), &of_gpu);
        if (of_gpu)
            AB_TRY(ab_parameter_set(parameter, values[i], &cell->gpu_params));
        else
            AB_TRY(ab_parameters_set(m->operation->parameters, name, values[i], cell->params, &set));
    }
    const ab_circumstances c = ab_cell_circumstances(m->plan, cell);
    m->operation->fit(&c, cell->params);
    m->operation->set_seed(cell->params, m->plan->options->seed);
    AB_TRY(ab_parameters_check(m->operation->parameters, cell->params));
    if (!m->measure->timed) ab_parameters_default(ab_gpu_parameters, &cell->gpu_params);
    const ab_status status = m->operation->check(&c, cell->params);
    if (status.code == AB_BAD_INPUT) return status; /* what is unsupported is a row that says so */
    return make_key(m, set, cell);
}

static ab_status add_cell(const maker *m, char values[][64])
{
    ab_plan *plan = m->plan;
    ab_cell *cells = realloc(plan->cells, ((size_t)plan->n_cells + 1) * sizeof *cells);
    if (!cells) return ab_failed("out of memory for %d rows", plan->n_cells + 1);
    plan->cells = cells;
    ab_cell *cell = &cells[plan->n_cells];
    *cell = (ab_cell){.block = m->block,
                      .line = m->line,
                      .operation = m->operation,
                      .measure = m->measure,
                      .implementation = m->implementation,
                      .input = m->input,
                      .params = calloc(1, m->operation->params_size)};
    const ab_status status = cell->params ? fill_cell(m, values, cell) : ab_failed("out of memory for a row");
    const bool is_mine = m->plan->share.process == 1 || ab_cell_is_repeated(cell);
    if (status.code == AB_OK && is_mine)
        ++plan->n_cells;
    else
        free(cell->params);
    return status;
}

/* A cell for every combination of the values of parameter i and those after it. */
static ab_status add_combinations(const maker *m, int i, char values[][64])
{
    if (i == m->sweeps.count) return add_cell(m, values);
    const sweep *s = &m->sweeps.of[i];
    const char *text = s->values, *end = s->values + s->length;
    do {
        size_t length = strcspn(text, s->separators);
        if (text + length > end) length = (size_t)(end - text);
        if (length >= 64) return ab_bad_input("%s: a value is too long", s->name);
        snprintf(values[i], 64, "%.*s", (int)length, text);
        AB_TRY(add_combinations(m, i + 1, values));
        text += length + 1;
    } while (text < end);
    return ab_ok();
}

static ab_status add_implementation(maker *m, const char *id)
{
    char values[MAX_PARAMETERS][64];
    const ab_driver *driver = m->plan->driver;
    m->implementation = find_implementation(m->plan, id);
    if (!m->implementation) return ab_ok();
    m->operation = ab_operation_of(id);
    m->measure = find_measure(m->operation, m->block->measure);
    m->sweeps.count = 0;
    AB_TRY(add_text(driver, m->block->params, AB_SEPARATORS, &m->sweeps));
    AB_TRY(add_text(driver, m->line->params, AB_SEPARATORS, &m->sweeps));
    AB_TRY(add_user(m));
    return add_combinations(m, 0, values);
}

static ab_status add_line(maker *m)
{
    const char *ids[MAX_IMPLEMENTATIONS];
    const int count = ab_line_implementations(m->plan->driver, m->block, m->line, ids, MAX_IMPLEMENTATIONS);
    for (int i = 0; i < count && i < MAX_IMPLEMENTATIONS; ++i) AB_TRY(add_implementation(m, ids[i]));
    return ab_ok();
}

/* The cells of a part, input by input. */
static ab_status add_part(ab_plan *plan, int part)
{
    for (int input = 0; input < plan->n_inputs; ++input)
        for (const ab_block *block = plan->driver->blocks; block->table; ++block) {
            if (block->part != part || (block->gpu_only && !plan->target.gpu)) continue;
            if (!is_on(plan, block, &plan->inputs[input])) continue;
            for (const ab_line *line = block->lines; line->row; ++line) {
                maker m = {.plan = plan, .block = block, .line = line, .input = input};
                if (!line->gpu_only || plan->target.gpu) AB_TRY(add_line(&m));
            }
        }
    return ab_ok();
}

/* ---- Of the cells those that --rows means, each once ---- */

/* Whether it means the cell, or its stages' rows. */
static bool means(const ab_selector *selector, const ab_plan *plan, const ab_cell *cell)
{
    const char *asked = plan->inputs[cell->input].asked;
    ab_row stages = cell->key;
    if (ab_selector_means(selector, &cell->key, cell->row, asked)) return true;
    if (!cell->block->stages) return false;
    snprintf(stages.table, sizeof stages.table, "%s", cell->block->stages);
    snprintf(stages.scope, sizeof stages.scope, AB_SCOPE_STAGE);
    return ab_selector_means(selector, &stages, cell->row, asked);
}

/* "; did you mean ...?" of a selector that means no row: a parameter of its conditions, or "TABLE/ROW". */
static const char *selector_hint(const ab_plan *plan, const char *text, char hint[128])
{
    char wanted[80], name[80];
    for (const char *condition = strchr(text, '?'); condition; condition = strchr(condition + 1, ';')) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(condition + 1, "="), condition + 1);
        ab_search search = {.name = name};
        ab_search_add(&search, "backend");
        ab_search_add(&search, "scope");
        search_parameters(plan->driver, &search);
        if (!search.found) return ab_search_hint(&search, hint);
    }
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(text, "?"), text);
    char *input = strchr(wanted, '/') ? strchr(strchr(wanted, '/') + 1, '/') : NULL;
    if (input) *input = '\0';
    ab_search search = {.name = wanted};
    for (int i = 0; i < plan->n_cells; ++i) {
        snprintf(name, sizeof name, "%s/%s", plan->cells[i].key.table, plan->cells[i].key.row);
        ab_search_add(&search, name);
    }
    return search.found ? "" : ab_search_hint(&search, hint);
}

/* Sets wanted[i] for each cell that is meant. A process after the first lacks cells, which it does not repeat. */
static ab_status mark_wanted(const ab_plan *plan, bool *wanted)
{
    for (char **text = plan->options->rows; *text; ++text) {
        ab_selector selector;
        bool any = plan->share.process > 1;
        char hint[128];
        AB_TRY(ab_selector_read(*text, &selector));
        for (int i = 0; i < plan->n_cells; ++i) {
            const bool meant = means(&selector, plan, &plan->cells[i]);
            wanted[i] |= meant;
            any |= meant;
        }
        if (!any)
            return ab_bad_input("--rows %.128s: no such row here%s (--dry-run lists them)", *text,
                                selector_hint(plan, *text, hint));
    }
    return ab_ok();
}

/* Leaves out inputs that no cell is on. */
static void leave_out_inputs(ab_plan *plan)
{
    int kept = 0;
    for (int input = 0; input < plan->n_inputs; ++input) {
        bool used = false;
        for (int i = 0; i < plan->n_cells; ++i)
            if (plan->cells[i].input == input) {
                plan->cells[i].input = kept;
                used = true;
            }
        if (used)
            plan->inputs[kept++] = plan->inputs[input];
        else
            free((char *)plan->inputs[input].asked);
    }
    plan->n_inputs = kept;
}

static bool is_among_cells(const ab_cell *cells, int count, const ab_row *key)
{
    for (int i = 0; i < count; ++i)
        if (ab_row_same_key(&cells[i].key, key)) return true;
    return false;
}

/* Keeps the cells that are wanted. Lines may have one in common: with --set threads=2 what differed in that alone. */
static void keep_wanted(ab_plan *plan, const bool *wanted)
{
    int kept = 0;
    for (int i = 0; i < plan->n_cells; ++i)
        if (wanted[i] && !is_among_cells(plan->cells, kept, &plan->cells[i].key))
            plan->cells[kept++] = plan->cells[i];
        else
            free(plan->cells[i].params);
    plan->n_cells = kept;
}

static ab_status select_cells(ab_plan *plan)
{
    bool *wanted = calloc((size_t)plan->n_cells + 1, sizeof *wanted);
    if (!wanted) return ab_failed("out of memory for %d rows", plan->n_cells);
    memset(wanted, !plan->options->rows, (size_t)plan->n_cells * sizeof *wanted);
    const ab_status status = plan->options->rows && plan->n_cells ? mark_wanted(plan, wanted) : ab_ok();
    if (status.code == AB_OK) keep_wanted(plan, wanted);
    if (status.code == AB_OK && plan->options->rows) leave_out_inputs(plan);
    free(wanted);
    return status;
}

/* ---- The plan ---- */

static ab_status read_published(ab_plan *plan)
{
    int count = 0;
    while (plan->driver->headings[count].table) ++count;
    plan->published = calloc((size_t)count + 1, sizeof *plan->published);
    if (!plan->published) return ab_failed("out of memory");
    for (int i = 0; i < count; ++i)
        if (plan->driver->headings[i].published)
            AB_TRY(ab_published_read(plan->driver->headings[i].published, &plan->published[i]));
    return ab_ok();
}

/* Every --set must be for a parameter that some row has. */
static ab_status check_user(const ab_driver *driver, char *const *set)
{
    for (; set && *set; ++set) {
        char name[64], hint[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*set, "="), *set);
        ab_search search = {.name = name};
        search_parameters(driver, &search);
        if (!search.found)
            return ab_bad_input("--set %.64s: no row here has such a parameter%s (--help lists them)", *set,
                                ab_search_hint(&search, hint));
    }
    return ab_ok();
}

ab_status ab_plan_make(const ab_driver *driver, const ab_options *options, const ab_share *share,
                       const ab_target *target, ab_plan *plan)
{
    int last_part = 0;
    *plan = (ab_plan){.driver = driver,
                      .options = options,
                      .share = *share,
                      .target = *target,
                      .kind = ab_operation_of(driver->blocks->lines->implementation)->inputs};
    AB_TRY(check_user(driver, options->set));
    AB_TRY(read_published(plan));
    AB_TRY(add_inputs(driver, options, plan));
    for (const ab_block *block = driver->blocks; block->table; ++block)
        if (block->part > last_part) last_part = block->part;
    for (int part = 0; part <= last_part; ++part) AB_TRY(add_part(plan, part));
    return select_cells(plan);
}

void ab_plan_free(ab_plan *plan)
{
    for (int i = 0; i < plan->n_inputs; ++i) free((char *)plan->inputs[i].asked);
    for (int i = 0; i < plan->n_cells; ++i) free(plan->cells[i].params);
    for (int i = 0; plan->published && plan->driver->headings[i].table; ++i) ab_published_free(&plan->published[i]);
    free(plan->published);
    free(plan->inputs);
    free(plan->cells);
    *plan = (ab_plan){0};
}

/* ---- Asking about a cell ---- */

ab_circumstances ab_cell_circumstances(const ab_plan *plan, const ab_cell *cell)
{
    return (ab_circumstances){.implementation = cell->implementation,
                              .input = &plan->inputs[cell->input],
                              .measure = cell->measure,
                              .iterations = plan->share.effort.iterations,
                              .cores = plan->target.cores,
                              .host_steps = plan->share.effort.host_steps,
                              .seconds = cell->line->seconds,
                              .power = cell->line->power};
}

bool ab_cell_is_repeated(const ab_cell *cell)
{
    return cell->measure->timed && cell->implementation->backend != AB_HOST;
}

/* Of `total` runs or samples, which all processes share, those of this one. */
static int share_of(const ab_share *share, int total)
{
    if (total < share->processes) return 1;
    return total / share->processes + (share->process <= total % share->processes);
}

ab_count ab_cell_count(const ab_plan *plan, const ab_cell *cell)
{
    const ab_effort *effort = &plan->share.effort;
    const ab_measure *measure = cell->measure;
    const bool limited = cell->block->runs && plan->options->profile != AB_THESIS;
    int runs = limited && cell->block->runs < effort->runs ? cell->block->runs : effort->runs;
    if (measure->fresh) {
        if (measure->timed) runs = share_of(&plan->share, runs);
        return (ab_count){runs, effort->iterations, runs * effort->iterations};
    }
    if (measure->samples == AB_SAMPLE_ITERATIONS) runs = effort->iterations;
    return (ab_count){1, measure->at_once, share_of(&plan->share, runs)};
}

double ab_cell_budget(const ab_plan *plan, const ab_cell *cell)
{
    return plan->share.effort.budget_s * (ab_cell_is_repeated(cell) ? 1 : plan->share.processes);
}

int ab_cell_least(const ab_plan *plan, const ab_cell *cell)
{
    return plan->options->profile == AB_SMOKE ? 0
                                              : (cell->line->least + plan->share.processes - 1) / plan->share.processes;
}

bool ab_cell_is_long(const ab_plan *plan, const ab_cell *cell)
{
    double sample_s, once_s;
    const ab_circumstances c = ab_cell_circumstances(plan, cell);
    cell->operation->estimate(&c, cell->params, &sample_s, &once_s);
    return sample_s > 1.0;
}

bool ab_cell_is_too_large(const ab_plan *plan, const ab_cell *cell)
{
    const ab_circumstances c = ab_cell_circumstances(plan, cell);
    return cell->implementation->backend == AB_HOST && cell->measure->least_on_host &&
           cell->measure->least_on_host(&c, cell->params) > c.host_steps;
}

/* Seconds for the samples and what comes before: the verification in the first process, a warm-up in the others. */
static void estimate(const ab_plan *plan, const ab_cell *cell, double *first_s, double *later_s)
{
    double sample_s, once_s;
    const ab_circumstances c = ab_cell_circumstances(plan, cell);
    *first_s = *later_s = 0.0;
    if (ab_cell_is_too_large(plan, cell)) return;
    cell->operation->estimate(&c, cell->params, &sample_s, &once_s);
    const double samples_s = fmin(sample_s * ab_cell_count(plan, cell).samples,
                                  fmax(ab_cell_budget(plan, cell), sample_s * fmax(1.0, ab_cell_least(plan, cell))));
    const bool metered = cell->measure->timed && cell->implementation->backend == AB_CUDA;
    *first_s = once_s + samples_s + (metered ? plan->share.energy_s : 0.0);
    *later_s = ab_cell_is_repeated(cell) ? fmin(sample_s, 1.0) + samples_s : 0.0;
}

double ab_cell_estimate(const ab_plan *plan, const ab_cell *cell)
{
    double first_s, later_s;
    estimate(plan, cell, &first_s, &later_s);
    return plan->share.process == 1 ? first_s : later_s;
}

double ab_cell_estimate_from_here(const ab_plan *plan, const ab_cell *cell)
{
    const double limit_s = plan->share.effort.limit_s;
    double first_s, later_s;
    estimate(plan, cell, &first_s, &later_s);
    if (cell->implementation->backend == AB_HOST && limit_s > 0.0 && first_s > limit_s) return 0.0; /* not run */
    return (plan->share.process == 1 ? first_s : later_s) +
           fmax(0.0, plan->share.processes - plan->share.process) * later_s;
}

/* Whether the sources measured what the cell does: with their own parameters, on that very input. A stand-in has its size
 * alone, and a number for 512 x 512 pixels says nothing of others. */
static bool is_theirs(const ab_plan *plan, const ab_cell *cell, const ab_heading *heading)
{
    const ab_input *input = &plan->inputs[cell->input];
    char size[32];
    snprintf(size, sizeof size, "%dx%d", input->width, input->height);
    if (cell->implementation->backend == AB_HOST || cell->block->unpublished || plan->options->set) return false;
    if (heading->instance) return !input->stand_in && strcmp(heading->instance, size) == 0;
    return !input->stand_in || strcmp(input->name, input->asked) == 0;
}

void ab_plan_add_published(const ab_plan *plan, const ab_cell *cell, const char *table, const char *stage, ab_row *row)
{
    const ab_heading *heading = plan->driver->headings;
    int i = 0;
    while (heading[i].table && strcmp(heading[i].table, table) != 0) ++i;
    if (!heading[i].table || !is_theirs(plan, cell, &heading[i])) return;
    const char *instance = heading[i].instance ? heading[i].instance : plan->inputs[cell->input].asked;
    const char *metric = heading[i].metric ? heading[i].metric : stage;
    const ab_published *found =
        metric ? ab_published_find(&plan->published[i], cell->published, instance, metric) : NULL;
    if (!found) return;
    snprintf(row->published_id, sizeof row->published_id, "%s", found->id);
    row->published_ms = found->value;
}
