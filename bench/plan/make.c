/* Makes a plan (make.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "bench/plan/choose.h"
#include "bench/plan/estimate.h"
#include "bench/plan/make.h"
#include "bench/plan/sweep.h"

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

/* Finds the registry's entry that measures `id` here: the CPU's, else CUDA's, else the host backend's. Returns NULL if
 * the options exclude it. */
static const ab_implementation *find_implementation(const ab_plan *plan, const char *id)
{
    static const ab_backend by_preference[] = {AB_CPU, AB_CUDA, AB_HOST};
    for (size_t i = 0; i < sizeof by_preference / sizeof *by_preference; ++i) {
        const ab_implementation *found = ab_find_implementation(id, by_preference[i]);
        if (found && ab_selected(plan->options, found, plan->target.gpu)) return found;
    }
    return NULL;
}

/* ---- Inputs ---- */

/* Returns the planned input of this name, or NULL. */
static const ab_input *find_input(const ab_plan *plan, const char *name)
{
    for (int i = 0; i < plan->n_inputs; ++i)
        if (strcmp(plan->inputs[i].name, name) == 0) return &plan->inputs[i];
    return NULL;
}

/* Adds the input that `asked` names, and takes ownership of `asked`. A stand-in for one of the driver's own inputs may
 * appear in the list under its own name as well. Inputs from the user need different names, because rows are identified
 * by them. */
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

/* True if a block is measured on an input. */
static bool is_on(const ab_plan *plan, const ab_block *block, const ab_input *input)
{
    const char *on = block->on[plan->options->profile];
    if (block->found_only && input->stand_in) return false;
    if (block->smoke_only && plan->options->profile != AB_SMOKE) return false;
    if (plan->options->instances && block->asked == AB_ASKED_ALL) return true;
    if (plan->options->instances && block->asked == AB_ASKED_WITH_EDGES && input->known_edges) return true;
    if (!on) return true;
    on = ab_driver_names(plan->driver, on);
    return is_among(on, input->asked) || is_among(on, input->name);
}

/* ---- Cells ---- */

/* The data from which the cells of one line on one input are made. */
typedef struct maker {
    ab_plan *plan;
    const ab_block *block;
    const ab_line *line;
    const ab_operation *operation;
    ab_circumstances c;                              /* circumstances of each cell */
    ab_parameter parameters[AB_MOST_PARAMETERS + 1]; /* parameters of the operation and of the implementation */
    ab_sweeps sweeps;
} maker;

static const ab_measure *find_measure(const ab_operation *operation, const char *name)
{
    const ab_measure *measure = operation->measures;
    while (strcmp(measure->name, name) != 0) ++measure;
    return measure;
}

/* True if a --set of the user, "threads=2", is for these rows: a parameter of their operation that the implementation
 * uses. */
static bool is_ours(const maker *m, const char *set)
{
    bool of_gpu;
    const size_t name = strcspn(set, "=");
    if (m->c.implementation->traits & AB_ONE_THREAD && name == 7 && strncmp(set, "threads", 7) == 0) return false;
    return ab_row_parameter(m->parameters, set, name, &of_gpu) != NULL;
}

/* Adds the values that the user has set for the operation's parameters. */
static ab_status add_user(maker *m)
{
    for (char **set = m->plan->options->set; set && *set; ++set) {
        const size_t name = strcspn(*set, "=");
        if (is_ours(m, *set))
            AB_TRY(ab_sweep_add(&m->sweeps, *set, name, *set + name + 1, strlen(*set + name + 1), ","));
    }
    return ab_ok();
}

/* True if the line fixes a parameter's value, as in "threads=all;sigma=1", and its name does not show the value, as
 * "warp-{block}" does. */
static bool is_fixed(const ab_line *line, const char *set)
{
    char begins[36], in_name[36];
    const int length = (int)strcspn(set, "=");
    snprintf(begins, sizeof begins, ";%.*s=", length < 32 ? length : 32, set);
    snprintf(in_name, sizeof in_name, "{%.*s}", length < 32 ? length : 32, set);
    const char *found = line->params ? strstr(line->params, begins + 1) : NULL;
    return found && (found == line->params || found[-1] == ';') && !strstr(line->row, in_name);
}

/* Chooses the pattern of the row's name. This is the line's name. If the user changes a value that this name implies,
 * as "cpu-rejection-all" implies threads=all, the new name shows the value: "tsp-cpu-rejection-threads-{threads}". */
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
    return at < 96 ? ab_ok() : ab_failed("the name of row %s is too long; shorten it in the driver", m->line->row);
}

/* Fills the values of the cell into a name such as "warp-{block}". */
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
            const ab_parameter *p = ab_row_parameter(m->parameters, from + 1, length - 2, &of_gpu);
            if (p)
                ab_parameter_format(p, of_gpu ? &cell->gpu_params : cell->params, text);
            else
                snprintf(text, sizeof text, "%s", m->c.implementation->name);
        } else {
            snprintf(text, sizeof text, "%c", *from);
        }
        at += (size_t)snprintf(row + at, 48 - at, "%s", text);
        from += length;
    }
    return at < 48 && !*from ? ab_ok() : ab_failed("the name of row %s is too long; shorten it in the driver", pattern);
}

static ab_status set_text(char *to, size_t size, const char *from)
{
    return (size_t)snprintf(to, size, "%s", from) < size
               ? ab_ok()
               : ab_failed("\"%.60s...\" is too long for a row; set fewer parameters", from);
}

static ab_status make_key(const maker *m, uint64_t set, ab_cell *cell)
{
    const ab_target *target = &m->plan->target;
    const ab_input *input = m->c.input;
    const ab_backend backend = m->c.implementation->backend;
    char pattern[96];
    ab_row *key = &cell->key;
    *key = ab_row_new();
    AB_TRY(set_text(key->table, sizeof key->table, m->block->table));
    AB_TRY(choose_name(m, pattern));
    AB_TRY(format_row(m, cell, pattern, key->row));
    AB_TRY(format_row(m, cell, m->line->row, cell->row));
    AB_TRY(format_row(m, cell, m->line->published ? m->line->published : m->line->row, cell->published));
    AB_TRY(set_text(key->instance, sizeof key->instance, input->name));
    AB_TRY(set_text(key->implementation, sizeof key->implementation, m->c.implementation->id));
    AB_TRY(set_text(key->backend, sizeof key->backend, ab_backend_name(backend)));
    AB_TRY(set_text(key->device, sizeof key->device, backend == AB_CUDA ? target->gpu : target->cpu));
    AB_TRY(set_text(key->scope, sizeof key->scope,
                    m->c.measure->timed && !cell->timed ? AB_SCOPE_FUNCTIONAL : m->c.measure->scope));
    AB_TRY(ab_parameters_format(m->parameters, cell->params, set, m->c.measure->name, m->c.measure->only_own,
                                backend == AB_CPU ? AB_SHOWN_CPU : AB_SHOWN_GPU, key->params));
    AB_TRY(ab_parameters_format(ab_gpu_parameters, &cell->gpu_params, 0, m->c.measure->name, m->c.measure->only_own,
                                AB_SHOWN_GPU, key->params));
    if (m->c.measure->metric) AB_TRY(ab_params_append(key->params, "metric", m->c.measure->metric));
    key->size = input->size;
    key->seed = m->plan->options->seed;
    return ab_ok();
}

/* Fills in the cell of one combination. values[i] is the value of parameter sweeps.of[i]. */
static ab_status fill_cell(const maker *m, char values[][AB_SWEEP_VALUE], ab_cell *cell)
{
    uint64_t set = 0;
    cell->timed = m->c.measure->timed && m->c.implementation->backend != AB_HOST && !m->plan->options->verify;
    ab_parameters_default(ab_gpu_parameters, &cell->gpu_params);
    ab_parameters_default(m->parameters, cell->params);
    for (int i = 0; i < m->sweeps.count; ++i) {
        bool of_gpu;
        const char *name = m->sweeps.of[i].name;
        const ab_parameter *parameter = ab_row_parameter(m->parameters, name, strlen(name), &of_gpu);
        if (of_gpu)
            AB_TRY(ab_parameter_set(parameter, values[i], &cell->gpu_params));
        else
            AB_TRY(ab_parameters_set(m->parameters, name, values[i], cell->params, &set));
    }
    m->operation->fit(&m->c, cell->params);
    m->operation->set_seed(cell->params, m->plan->options->seed);
    AB_TRY(ab_parameters_check(m->parameters, cell->params));
    if (!m->c.measure->timed) ab_parameters_default(ab_gpu_parameters, &cell->gpu_params);
    const ab_status status = m->operation->check(&m->c, cell->params);
    if (status.code == AB_BAD_INPUT) return status; /* anything unsupported becomes a row with this status */
    return make_key(m, set, cell);
}

static ab_status add_cell(const void *context, char values[][AB_SWEEP_VALUE])
{
    const maker *m = context;
    ab_plan *plan = m->plan;
    ab_cell *cells = realloc(plan->cells, ((size_t)plan->n_cells + 1) * sizeof *cells);
    if (!cells) return ab_failed("out of memory for %d rows", plan->n_cells + 1);
    plan->cells = cells;
    ab_cell *cell = &cells[plan->n_cells];
    *cell = (ab_cell){.block = m->block,
                      .line = m->line,
                      .operation = m->operation,
                      .c = m->c,
                      .params = calloc(1, m->operation->params_size)};
    const ab_status status = cell->params ? fill_cell(m, values, cell) : ab_failed("out of memory for a row");
    if (status.code == AB_OK)
        ++plan->n_cells;
    else
        free(cell->params);
    return status;
}

static ab_status add_implementation(maker *m, const char *id)
{
    const ab_driver *driver = m->plan->driver;
    m->c.implementation = find_implementation(m->plan, id);
    if (!m->c.implementation) return ab_ok();
    m->c.few_steps = m->c.implementation->backend == AB_HOST || m->plan->options->brief;
    m->operation = ab_operation_of(id);
    ab_parameters_join(m->operation->parameters, m->c.implementation->parameters, m->parameters);
    m->c.measure = find_measure(m->operation, m->block->measure);
    m->sweeps.count = 0;
    AB_TRY(ab_sweep_add_text(driver, m->block->params, AB_SEPARATORS, &m->sweeps));
    AB_TRY(ab_sweep_add_text(driver, m->line->params, AB_SEPARATORS, &m->sweeps));
    AB_TRY(add_user(m));
    return ab_sweep_combine(&m->sweeps, add_cell, m);
}

static ab_status add_line(maker *m)
{
    const char *ids[AB_MOST_IMPLEMENTATIONS];
    const int count = ab_line_implementations(m->plan->driver, m->block, m->line, ids, AB_MOST_IMPLEMENTATIONS);
    for (int i = 0; i < count && i < AB_MOST_IMPLEMENTATIONS; ++i) AB_TRY(add_implementation(m, ids[i]));
    return ab_ok();
}

/* Returns the circumstances without implementation and measure. */
static ab_circumstances circumstances_of(const ab_plan *plan, const ab_line *line, const ab_input *input)
{
    return (ab_circumstances){.input = input,
                              .iterations = plan->share.effort.iterations,
                              .cores = plan->target.cores,
                              .host_steps = plan->share.effort.host_steps,
                              .seconds = line->seconds,
                              .power = line->power};
}

/* Adds the cells of a part, input by input. */
static ab_status add_part(ab_plan *plan, int part)
{
    for (int input = 0; input < plan->n_inputs; ++input)
        for (const ab_block *block = plan->driver->blocks; block->table; ++block) {
            if (block->part != part || (block->gpu_only && !plan->target.gpu)) continue;
            if (!is_on(plan, block, &plan->inputs[input])) continue;
            for (const ab_line *line = block->lines; line->row; ++line) {
                maker m = {.plan = plan,
                           .block = block,
                           .line = line,
                           .c = circumstances_of(plan, line, &plan->inputs[input])};
                if (!line->gpu_only || plan->target.gpu) AB_TRY(add_line(&m));
            }
        }
    return ab_ok();
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

/* Checks that every --set names a parameter that at least one row has. */
static ab_status check_user(const ab_driver *driver, char *const *set)
{
    for (; set && *set; ++set) {
        char name[64], hint[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*set, "="), *set);
        ab_search search = {.name = name};
        ab_search_all_parameters(&search, driver);
        if (!search.found)
            return ab_bad_input("--set %.64s: no row here has this parameter%s (--help lists all parameters)", *set,
                                ab_search_hint(&search, hint));
    }
    return ab_ok();
}

static bool has_parameter(const ab_implementation *implementation, const char *set)
{
    bool of_gpu;
    const size_t name = strcspn(set, "=");
    if (ab_row_parameter(ab_operation_of(implementation->id)->parameters, set, name, &of_gpu)) return true;
    return implementation->parameters && ab_parameter_find(implementation->parameters, set, name);
}

/* Returns the id of an implementation that has the parameter for itself. */
static const char *owner_of(const char *set)
{
    size_t count;
    const ab_implementation *all = ab_registry(&count);
    for (size_t i = 0; i < count; ++i)
        if (all[i].parameters && ab_parameter_find(all[i].parameters, set, strcspn(set, "="))) return all[i].id;
    return "no implementation";
}

/* Checks that every --set names a parameter of at least one row that is left. */
static ab_status check_heeded(const ab_plan *plan, char *const *set)
{
    for (; set && *set && plan->n_cells > 0; ++set) {
        int cell = 0;
        while (cell < plan->n_cells && !has_parameter(plan->cells[cell].c.implementation, *set)) ++cell;
        if (cell == plan->n_cells)
            return ab_bad_input("--set %.64s: no selected row has this parameter, but rows of %s have it", *set,
                                owner_of(*set));
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
    AB_TRY(ab_plan_choose(plan));
    AB_TRY(check_heeded(plan, options->set));
    if (plan->n_cells == 0) {
        AB_TRY(ab_driver_must_have(driver, options->implementations));
        return ab_bad_input("nothing to measure: no row matches --implementations, --rows, --backend and --instances "
                            "(--dry-run lists rows)");
    }
    ab_plan_leave_to_first(plan);
    return ab_ok();
}
