/* psystem/generic: a simulator of any rule set of this kind (kernels/psystem/rules.h), which knows nothing of SAT. A
 * block per membrane, threads over the whole alphabet. A step has two phases, each with a kernel for the inner
 * membranes and one for the skin. First rules are selected, with their counts, under the charges at the beginning of
 * the step. Then they are executed. Then the CPU looks whether the answer has left, or no rule could be applied, and
 * how many membranes there are. Kept: everything, multisets as an array over the alphabet. Choices that a rule set
 * leaves open are counted, and made in favour of the lowest object and of a rule that is no evolution. Chance decides
 * which membrane gets a scarce object of the skin. Limits: 8 bytes of memory per object of the alphabet for each
 * membrane; a multiset in the shared memory of a block. Source: JSC §3.2; Cecilia et al., Brief. Bioinform. 11 (2010),
 * its reference 2.
 */
#include <stdlib.h>

#include "kernels/psystem/generic.h"
#include "kernels/psystem/membranes.h"

enum { DEFAULT_BLOCK = 256, NO_RULE = -1 };

/* What the CPU sees of a step. */
typedef struct step_report {
    unsigned n_inner;   /* membranes in the skin */
    unsigned conflicts; /* choices that were open, so far */
    unsigned applied;   /* whether any rule was */
    unsigned overflow;  /* whether there was no room for a membrane */
    unsigned yes, no;   /* whether they have left the skin */
} step_report;

/* Passed to kernels by value. Row 0 is the skin. */
typedef struct generic_device {
    int n_objects, yes, no;
    unsigned most;        /* inner membranes */
    const int32_t *find;  /* ps_rules.find */
    const ps_rule *rules; /* ps_rules.rules */
    uint8_t *charges;     /* [1 + most] */
    uint32_t *objects;    /* [1 + most][n_objects] */
    uint32_t *evolving;   /* [1 + most][n_objects]: how many of them evolve in this step */
    int *chosen;          /* [1 + most]: the rule that is no evolution, or NO_RULE */
    unsigned *entering;   /* [n_objects]: of the skin's, those that enter a membrane in this step */
    unsigned *arriving;   /* [n_objects]: those that membranes send to the skin in this step */
    step_report *report;  /* [1] */
} generic_device;

static __device__ __forceinline__ int find_rule(const generic_device &device, int kind, int label, int charge,
                                                int object)
{
    return device.find[((kind * PS_LABELS + label) * PS_CHARGES + charge) * device.n_objects + object];
}

/* How many of the membrane's objects are its own to use: of the skin's, those that do not enter another. */
static __device__ __forceinline__ uint32_t own_count(const generic_device &device, size_t membrane, int object)
{
    const uint32_t count = device.objects[membrane * (size_t)device.n_objects + (size_t)object];
    return membrane == 0 ? count - device.entering[object] : count;
}

/* ---- Selection ---- */

/* The rule, no evolution, of an object that is in the membrane. */
static __device__ int own_rule(const generic_device &device, int label, int charge, int object)
{
    const int out = find_rule(device, PS_SEND_OUT, label, charge, object);
    return out >= 0 ? out : find_rule(device, PS_DIVISION, label, charge, object);
}

/* Takes one of the skin's objects for a membrane that has no rule of its own; its rule, or NO_RULE. */
static __device__ int take_from_skin(const generic_device &device, int charge, int object)
{
    if (object == device.n_objects) return NO_RULE;
    if (atomicAdd(&device.entering[object], 1u) < device.objects[object])
        return find_rule(device, PS_SEND_IN, PS_INNER, charge, object);
    atomicAdd(&device.entering[object], ~0u);
    atomicAdd(&device.report->conflicts, 1u);
    return NO_RULE;
}

/* Membranes first, first + 1 ...: 0, the skin, alone and after the others, which take from it. */
static __global__ void select_rules(generic_device device, int first)
{
    SHARED(int, lowest, 2); /* object: of its own with a rule, of the skin's that can enter */
    SHARED(unsigned, candidates, 1);
    const size_t membrane = (size_t)first + blockIdx.x;
    const int label = membrane == 0 ? PS_SKIN : PS_INNER, charge = device.charges[membrane];
    const int thread = (int)threadIdx.x, block = (int)blockDim.x, n_objects = device.n_objects;
    if (thread == 0) {
        lowest[0] = lowest[1] = n_objects;
        candidates[0] = 0;
    }
    __syncthreads();
    for (int object = thread; object < n_objects; object += block) {
        if (own_count(device, membrane, object) > 0 && own_rule(device, label, charge, object) >= 0) {
            const bool evolves = find_rule(device, PS_EVOLUTION, label, charge, object) >= 0;
            atomicMin(&lowest[0], object);
            atomicAdd(&candidates[0], evolves ? 2u : 1u);
        }
        if (membrane > 0 && device.objects[object] > 0 &&
            find_rule(device, PS_SEND_IN, PS_INNER, charge, object) >= 0) {
            atomicMin(&lowest[1], object);
            atomicAdd(&candidates[0], 1u);
        }
    }
    __syncthreads();
    const int own = lowest[0];
    if (thread == 0) {
        const int rule =
            own < n_objects ? own_rule(device, label, charge, own) : take_from_skin(device, charge, lowest[1]);
        device.chosen[membrane] = rule;
        if (candidates[0] > 1) atomicAdd(&device.report->conflicts, candidates[0] - 1);
        if (rule != NO_RULE) device.report->applied = 1;
    }
    for (int object = thread; object < n_objects; object += block) {
        const uint32_t count = own_count(device, membrane, object) - (object == own ? 1 : 0);
        const bool evolves = count > 0 && find_rule(device, PS_EVOLUTION, label, charge, object) >= 0;
        device.evolving[membrane * (size_t)n_objects + (size_t)object] = evolves ? count : 0;
        if (evolves) device.report->applied = 1;
    }
}

/* ---- Execution ---- */

/* The number of a new membrane; 0 where there is no room. */
static __device__ unsigned new_membrane(const generic_device &device)
{
    const unsigned before = atomicAdd(&device.report->n_inner, 1u);
    if (before < device.most) return before + 1;
    atomicAdd(&device.report->n_inner, ~0u);
    device.report->overflow = 1;
    return 0;
}

/* What leaves or enters by the chosen rule, and charges: one thread. Returns the membrane's other half, or 0. */
static __device__ unsigned execute_chosen(const generic_device &device, size_t membrane, const ps_rule &rule,
                                          shared_array<uint32_t> next)
{
    const int product = rule.products[0];
    device.charges[membrane] = (uint8_t)rule.after[0];
    if (rule.kind == PS_SEND_OUT && membrane > 0) atomicAdd(&device.arriving[product], 1u);
    if (rule.kind == PS_SEND_OUT && membrane == 0) {
        device.report->yes |= product == device.yes;
        device.report->no |= product == device.no;
    }
    if (rule.kind == PS_SEND_IN || rule.kind == PS_DIVISION) next[product] += 1;
    const unsigned half = rule.kind == PS_DIVISION ? new_membrane(device) : 0;
    if (half > 0) device.charges[half] = (uint8_t)rule.after[1];
    return half;
}

static __global__ void execute_rules(generic_device device, int first)
{
    SHARED_DYNAMIC(uint32_t, next, 0, device.n_objects);
    SHARED(unsigned, other_half, 1);
    const size_t membrane = (size_t)first + blockIdx.x, n_objects = (size_t)device.n_objects;
    const int label = membrane == 0 ? PS_SKIN : PS_INNER, charge = device.charges[membrane];
    const int thread = (int)threadIdx.x, block = (int)blockDim.x, chosen = device.chosen[membrane];
    const bool has_rule = chosen != NO_RULE;
    for (int object = thread; object < device.n_objects; object += block) {
        next[object] = membrane == 0 ? device.arriving[object] : 0;
        if (membrane == 0) device.arriving[object] = 0;
    }
    __syncthreads();
    for (int object = thread; object < device.n_objects; object += block) {
        const bool consumed =
            has_rule && device.rules[chosen].kind != PS_SEND_IN && device.rules[chosen].object == object;
        const uint32_t evolving = device.evolving[membrane * n_objects + (size_t)object];
        const uint32_t staying = own_count(device, membrane, object) - evolving - (consumed ? 1 : 0);
        if (membrane == 0) device.entering[object] = 0;
        if (staying > 0) atomicAdd(&next[object], staying);
        if (evolving == 0) continue;
        const ps_rule rule = device.rules[find_rule(device, PS_EVOLUTION, label, charge, object)];
        for (int i = 0; i < 2; ++i)
            if (rule.products[i] != PS_NO_OBJECT) atomicAdd(&next[rule.products[i]], evolving);
    }
    __syncthreads();
    if (thread == 0) other_half[0] = has_rule ? execute_chosen(device, membrane, device.rules[chosen], next) : 0;
    __syncthreads();
    const size_t half = other_half[0];
    for (int object = thread; object < device.n_objects; object += block) {
        device.objects[membrane * n_objects + (size_t)object] = next[object];
        if (half == 0) continue;
        const uint32_t moved = next[object] + (object == device.rules[chosen].products[1] ? 1 : 0);
        device.objects[half * n_objects + (size_t)object] =
            moved - (object == device.rules[chosen].products[0] ? 1 : 0);
    }
}

/* ---- The run ---- */

typedef struct generic_system {
    ps_system base;
    generic_device device;
    device_memory memory;
    ps_params params;
    ps_sat sat;        /* m is 0 where the rules are not the family's */
    uint32_t *initial; /* [PS_LABELS][n_objects], on the device */
    int block, steps;  /* threads; steps of the last run */
    step_report report;
} generic_system;

static ab_status begin(generic_system *system)
{
    const generic_device *device = &system->device;
    const size_t row = (size_t)device->n_objects * sizeof(uint32_t);
    system->report = step_report{1, 0, 1, 0, 0, 0};
    system->steps = 0;
    CUDA_TRY(cudaMemcpy(device->objects, system->initial, PS_LABELS * row, cudaMemcpyDeviceToDevice));
    CUDA_TRY(cudaMemset(device->charges, PS_NEUTRAL, PS_LABELS));
    CUDA_TRY(cudaMemset(device->entering, 0, row));
    CUDA_TRY(cudaMemset(device->arriving, 0, row));
    return ab_ok();
}

static ab_status do_step(generic_system *system)
{
    const generic_device *device = &system->device;
    const int n_inner = (int)system->report.n_inner;
    const size_t bytes = (size_t)device->n_objects * sizeof(uint32_t);
    system->report.applied = 0;
    CUDA_TRY(cudaMemcpy(device->report, &system->report, sizeof system->report, cudaMemcpyHostToDevice));
    LAUNCH(select_rules, n_inner, system->block, 0)(*device, 1);
    AB_TRY(AB_LAUNCHED("select_rules"));
    LAUNCH(select_rules, 1, system->block, 0)(*device, 0);
    AB_TRY(AB_LAUNCHED("select_rules"));
    LAUNCH(execute_rules, n_inner, system->block, bytes)(*device, 1);
    AB_TRY(AB_LAUNCHED("execute_rules"));
    LAUNCH(execute_rules, 1, system->block, bytes)(*device, 0);
    AB_TRY(AB_LAUNCHED("execute_rules"));
    CUDA_TRY(cudaMemcpy(&system->report, device->report, sizeof system->report, cudaMemcpyDeviceToHost));
    ++system->steps;
    if (system->report.overflow) return ab_unsupported("there is room for %u membranes", device->most);
    return ab_ok();
}

static ab_status run_stage(ab_work *work, int)
{
    generic_system *system = (generic_system *)work;
    const step_report *report = &system->report;
    const int most = system->params.steps;
    AB_TRY(begin(system));
    while (report->applied && !report->yes && !report->no && !(most > 0 && system->steps == most))
        AB_TRY(do_step(system));
    return ab_ok();
}

/* ---- Reading ---- */

/* The result as for psystem/reference: all c_{m+1} became c_{m+2}, and one of these became Yes. */
static ab_status result(ps_system *base, ps_result *found)
{
    const generic_system *system = (const generic_system *)base;
    const bool has_left = system->report.yes || system->report.no;
    uint32_t past = 0;
    if (system->sat.m > 0)
        CUDA_TRY(cudaMemcpy(&past, system->device.objects + ps_c(system->sat, system->sat.m + 2), sizeof past,
                            cudaMemcpyDeviceToHost));
    *found = ps_result{system->report.yes != 0, (uint64_t)past + system->report.yes, has_left ? system->steps : 0};
    return ab_ok();
}

static ab_status poison(ps_system *base)
{
    generic_system *system = (generic_system *)base;
    const size_t bytes = (1 + (size_t)system->device.most) * (size_t)system->device.n_objects * sizeof(uint32_t);
    system->report = step_report{};
    CUDA_TRY(cudaMemset(system->device.objects, 0xff, bytes));
    CUDA_TRY(cudaMemset(system->device.evolving, 0xff, bytes));
    return ab_ok();
}

static ab_status configuration(ps_system *base, ps_configuration *copy)
{
    const generic_system *system = (const generic_system *)base;
    const size_t rows = 1 + (size_t)system->report.n_inner;
    const size_t bytes = rows * (size_t)system->device.n_objects * sizeof(uint32_t);
    *copy = ps_configuration{};
    copy->n_objects = system->device.n_objects;
    copy->n_inner = system->report.n_inner;
    copy->conflicts = system->report.conflicts;
    copy->charges = (uint8_t *)malloc(rows);
    copy->objects = (uint32_t *)malloc(bytes);
    cudaError_t error = cudaErrorMemoryAllocation;
    if (copy->charges && copy->objects)
        error = cudaMemcpy(copy->charges, system->device.charges, rows, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess) error = cudaMemcpy(copy->objects, system->device.objects, bytes, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) ps_configuration_free(copy);
    CUDA_TRY(error);
    return ab_ok();
}

/* ---- Opening ---- */

static void close_system(ab_work *work)
{
    generic_system *system = (generic_system *)work;
    if (!system) return;
    device_free(&system->memory);
    free(system);
}

template <typename T> static ab_status upload(device_memory *memory, const T *from, size_t count, T **to)
{
    AB_TRY(device_allocate(memory, to, count));
    CUDA_TRY(cudaMemcpy(*to, from, count * sizeof *from, cudaMemcpyHostToDevice));
    return ab_ok();
}

static ab_status initialise(generic_system *system, const ps_rules *rules)
{
    generic_device *device = &system->device;
    device_memory *memory = &system->memory;
    const size_t n_objects = (size_t)rules->n_objects, rows = 1 + (size_t)device->most;
    int32_t *find = NULL;
    ps_rule *list = NULL;
    AB_TRY(upload(memory, rules->find, PS_KINDS * PS_LABELS * PS_CHARGES * n_objects, &find));
    AB_TRY(upload(memory, rules->rules, (size_t)rules->n_rules, &list));
    AB_TRY(upload(memory, rules->initial, PS_LABELS * n_objects, &system->initial));
    device->find = find;
    device->rules = list;
    AB_TRY(device_allocate(memory, &device->charges, rows));
    AB_TRY(device_allocate(memory, &device->objects, rows * n_objects));
    AB_TRY(device_allocate(memory, &device->evolving, rows * n_objects));
    AB_TRY(device_allocate(memory, &device->chosen, rows));
    AB_TRY(device_allocate(memory, &device->entering, n_objects));
    AB_TRY(device_allocate(memory, &device->arriving, n_objects));
    AB_TRY(device_allocate(memory, &device->report, 1));
    return device_allow_shared((const void *)execute_rules, n_objects * sizeof(uint32_t), -1);
}

static ab_status open_rules(const ps_rules *rules, int64_t most, ps_sat sat, const ps_params *params,
                            ps_system **opened)
{
    static const ab_work_methods work_methods = {1, {"steps"}, run_stage, close_system};
    static const ps_methods methods = {result, poison, NULL, NULL, configuration, NULL};
    AB_TRY(ps_check(params));
    if (most > INT32_MAX)
        return ab_unsupported("%lld membranes; single steps are simulated of up to 2^31 - 1", (long long)most);
    generic_system *system = (generic_system *)calloc(1, sizeof *system);
    if (!system) return ab_failed("out of memory");
    system->base.work.methods = &work_methods;
    system->base.methods = &methods;
    system->params = *params;
    system->sat = sat;
    system->block = params->block ? params->block : DEFAULT_BLOCK;
    system->device.n_objects = rules->n_objects;
    system->device.yes = rules->yes;
    system->device.no = rules->no;
    system->device.most = (unsigned)most;
    const ab_status status = initialise(system, rules);
    if (status.code == AB_OK)
        *opened = &system->base;
    else
        close_system(&system->base.work);
    return status;
}

extern "C" ab_status AB_GPU(psystem_generic_rules)(const ps_rules *rules, int64_t most, const ps_params *params,
                                                   ps_system **opened)
{
    return open_rules(rules, most, ps_sat{0, 0}, params, opened);
}

static ab_status open(const cnf_formula *formula, const ps_params *params, ps_system **opened)
{
    ps_rules rules;
    ab_status status = ps_sat_rules(formula, &rules);
    if (status.code == AB_OK)
        status = open_rules(&rules, INT64_C(1) << formula->n, ps_sat{formula->n, formula->m}, params, opened);
    ps_rules_free(&rules);
    return status;
}

AB_RUNG(psystem_rung, psystem_generic) = {.open = open};
