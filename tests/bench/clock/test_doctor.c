/* The doctor: what each fact is judged to be, and how the facts are read from a fake NVML and from fake files of the
 * system. */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "bench/clock/doctor.h"
#include "tests/fake_system/fake_system.h"
#include "tests/support/fake_nvml.h"

#define GIB (1024.0 * 1024.0 * 1024.0)

/* A machine that spoils nothing. */
static ab_vitals healthy(void)
{
    ab_vitals v = {.wants_gpu = true,
                   .driver_cuda = 13000,
                   .toolkit_cuda = 13000,
                   .driver = "580.65.06",
                   .bus_id = "0000:65:00.0",
                   .worked = true,
                   .clock = {1410.0, 1410.0, true},
                   .gpu = {.temperature_c = 40.0, .power_limit_w = 700.0},
                   .throttle = "none",
                   .settings = {.persistence = 1,
                                .ecc = 1,
                                .ecc_next = 1,
                                .default_power_w = 700,
                                .margin_c = 45,
                                .most_sm_mhz = 1980,
                                .pcie_generation = 5,
                                .most_pcie_generation = 5,
                                .pcie_width = 16,
                                .most_pcie_width = 16},
                   .nodes = 2,
                   .cores = 8,
                   .near_cores = 8,
                   .governor = "performance",
                   .other_threads = 0.0,
                   .load = 0.1,
                   .free_memory = 64.0 * GIB,
                   .free_disk = 64.0 * GIB};
    return v;
}

static const ab_finding *find(const ab_diagnosis *diagnosis, const char *what)
{
    for (int i = 0; i < diagnosis->count; i++)
        if (strcmp(diagnosis->findings[i].what, what) == 0) return &diagnosis->findings[i];
    return NULL;
}

/* Expects this verdict on one subject, and that all others are well. What is not well has an advice. */
static void expect(const ab_vitals *v, const char *what, ab_prognosis verdict, const char *value, const char *advice)
{
    const ab_diagnosis diagnosis = ab_diagnose(v);
    const ab_finding *finding = find(&diagnosis, what);
    assert_non_null(finding);
    assert_string_equal(finding->value, value);
    assert_string_equal(ab_prognosis_name(finding->verdict), ab_prognosis_name(verdict));
    assert_string_equal(finding->advice, advice);
    assert_int_equal(ab_count_findings(&diagnosis, AB_FINE), diagnosis.count - (verdict != AB_FINE));
}

#define NO_ADVICE ""
#define UNTOLD "the driver does not tell", "nvidia-smi -q shows what the driver knows"

/* ---- Verdicts ---- */

static void a_healthy_machine_is_well(void **state)
{
    (void)state;
    const ab_vitals v = healthy();
    const ab_diagnosis diagnosis = ab_diagnose(&v);
    char text[256];
    ab_summarize(&diagnosis, text, sizeof text);
    assert_string_equal(text, "17 ok");
    assert_int_equal(diagnosis.count, 17);
}

static void what_the_system_does_not_tell_spoils_nothing(void **state)
{
    (void)state;
    ab_vitals v = {.wants_gpu = true,
                   .clock = {NAN, NAN, false},
                   .gpu = {NAN, NAN, NAN, NAN, NAN, 0, false},
                   .settings = ab_nvml_settings(NULL),
                   .others = -1,
                   .gpu_node = -1,
                   .nodes = -1,
                   .near_cores = -1,
                   .is_virtual = -1,
                   .stolen = NAN,
                   .other_threads = NAN,
                   .load = NAN,
                   .free_memory = NAN,
                   .free_disk = NAN};
    const ab_diagnosis diagnosis = ab_diagnose(&v);
    assert_int_equal(ab_count_findings(&diagnosis, AB_CANNOT_TELL), 17);
    for (int i = 0; i < diagnosis.count; i++) assert_true(diagnosis.findings[i].advice[0]);
}

static void the_driver(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    expect(&v, "driver", AB_FINE, "580.65.06 for CUDA 13.0, toolkit 13.0", NO_ADVICE);
    v.driver_cuda = 14020;
    expect(&v, "driver", AB_FINE, "580.65.06 for CUDA 14.2, toolkit 13.0", NO_ADVICE);
    v.driver_cuda = 13000, v.toolkit_cuda = 13010;
    expect(&v, "driver", AB_CANNOT_TELL, "580.65.06 for CUDA 13.0, toolkit 13.1",
           "install a newer driver if kernels do not load: this one cannot translate the toolkit's PTX");
    v.driver_cuda = 12080;
    expect(&v, "driver", AB_SPOILS, "580.65.06 for CUDA 12.8, toolkit 13.1",
           "install a driver for CUDA 13, or build with a toolkit of CUDA 12: make NVCC=FILE");
}

static void the_clock(void **state)
{
    (void)state;
    const char *const add = "add --lock-clocks base to the command, with make: ARGS=\"--lock-clocks base\"";
    ab_vitals v = healthy();
    expect(&v, "clock", AB_FINE, "held at 1410 of 1980 MHz", NO_ADVICE);
    v.clock.by_setting = false; /* as with a GPU that never reaches the clock that it names */
    expect(&v, "clock", AB_CANNOT_TELL, "1410 of 1980 MHz, and no setting says why",
           "nvidia-smi -q -d CLOCK,PERFORMANCE while a kernel runs");
    v.clock = (ab_clock_look){1980.0, 1980.0, false};
    expect(&v, "clock", AB_SPOILS, "not locked, 1980 MHz", add);
    v.clock = (ab_clock_look){1800.0, 1905.0, true};
    expect(&v, "clock", AB_SPOILS, "not locked, 1800 to 1905 MHz", add);
    v.clock_note = "NVML says: Insufficient Permissions";
    expect(&v, "clock", AB_SPOILS, "not locked: NVML says: Insufficient Permissions",
           "as an administrator: sudo nvidia-smi -i 0000:65:00.0 -lgc MHZ");
    v.clock_note = "";
    expect(&v, "clock", AB_FINE, "locked by --lock-clocks", NO_ADVICE);
    v.clock_note = NULL, v.worked = false;
    expect(&v, "clock", AB_CANNOT_TELL, UNTOLD);
}

static void switches(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    v.settings.persistence = 0;
    expect(&v, "persistence", AB_SPOILS, "off: the driver is loaded anew for each process",
           "sudo nvidia-smi -i 0000:65:00.0 -pm 1");
    v.settings.persistence = AB_SETTING_UNKNOWN;
    expect(&v, "persistence", AB_CANNOT_TELL, UNTOLD);
    v = healthy();
    v.settings.mig = 1;
    expect(&v, "MIG", AB_SPOILS, "on: this is a part of a GPU, and other parts share its power",
           "sudo nvidia-smi -i 0000:65:00.0 -mig 0");
    v.settings.mig = AB_SETTING_UNKNOWN;
    expect(&v, "MIG", AB_CANNOT_TELL, UNTOLD);
    v.settings.mig = AB_SETTING_NONE;
    expect(&v, "MIG", AB_FINE, "this GPU has none", NO_ADVICE);
}

static void the_ecc(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    expect(&v, "ECC", AB_FINE, "on", NO_ADVICE);
    v.settings.ecc_next = 0;
    expect(&v, "ECC", AB_SPOILS, "on now, and off after the next start",
           "restart the machine, or keep it as it is: sudo nvidia-smi -i 0000:65:00.0 -e 1");
    v.settings.ecc = 0;
    expect(&v, "ECC", AB_FINE, "off", NO_ADVICE);
    v.settings.memory_errors = 3;
    expect(&v, "ECC", AB_SPOILS, "3 uncorrected memory errors",
           "nvidia-smi -q -d ECC lists them; then restart the machine");
    v.settings.ecc = AB_SETTING_NONE;
    expect(&v, "ECC", AB_FINE, "this GPU has none", NO_ADVICE);
    v.settings.ecc = AB_SETTING_UNKNOWN;
    expect(&v, "ECC", AB_CANNOT_TELL, UNTOLD);
}

static void the_power(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    expect(&v, "power", AB_FINE, "up to 700 W", NO_ADVICE);
    v.gpu.power_limit_w = 400.0;
    expect(&v, "power", AB_SPOILS, "up to 400 W, below the default of 700 W",
           "sudo nvidia-smi -i 0000:65:00.0 -pl 700");
    v.settings.default_power_w = AB_SETTING_NONE;
    expect(&v, "power", AB_CANNOT_TELL, UNTOLD);
}

static void other_processes(void **state)
{
    (void)state;
    const char *const advice = "nvidia-smi lists them: wait for their end, or choose another GPU by --device N";
    ab_vitals v = healthy();
    expect(&v, "processes", AB_FINE, "no other on this GPU", NO_ADVICE);
    v.others = 1;
    expect(&v, "processes", AB_SPOILS, "1 other on this GPU", advice);
    v.others = 2;
    expect(&v, "processes", AB_SPOILS, "2 others on this GPU", advice);
    v.others = -1;
    expect(&v, "processes", AB_CANNOT_TELL, UNTOLD);
}

static void the_link(void **state)
{
    (void)state;
    const char *const look = "look at the slot and its settings in the firmware: sudo lspci -vv -s 0000:65:00.0";
    ab_vitals v = healthy();
    expect(&v, "PCIe", AB_FINE, "generation 5 of 5, 16 of 16 lanes", NO_ADVICE);
    v.settings.pcie_generation = 1;
    expect(&v, "PCIe", AB_SPOILS, "generation 1 of 5, 16 of 16 lanes: copies to and from the GPU are slow", look);
    v.settings.pcie_generation = 5, v.settings.pcie_width = 8;
    expect(&v, "PCIe", AB_SPOILS, "generation 5 of 5, 8 of 16 lanes: copies to and from the GPU are slow", look);
    v.settings.most_pcie_width = AB_SETTING_UNKNOWN;
    expect(&v, "PCIe", AB_CANNOT_TELL, UNTOLD);
}

/* An idle GPU slows its link down, but does not make it narrower. */
static void the_link_of_an_idle_gpu(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    v.clock_note = "", v.worked = false;
    v.settings.pcie_generation = 1;
    expect(&v, "PCIe", AB_CANNOT_TELL, "generation 1 of 5, 16 of 16 lanes",
           "antbench doctor looks while a kernel runs");
    v.settings.pcie_width = 4;
    const ab_diagnosis diagnosis = ab_diagnose(&v);
    assert_int_equal(find(&diagnosis, "PCIe")->verdict, AB_SPOILS);
}

static void heat(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    expect(&v, "temperature", AB_FINE, "40 °C, 45 below the limit", NO_ADVICE);
    v.gpu.temperature_c = 83.0, v.settings.margin_c = 4;
    expect(&v, "temperature", AB_SPOILS, "83 °C, 4 below the limit",
           "let the GPU cool, and look at its fans and the air around it");
    v.settings.margin_c = AB_SETTING_UNKNOWN;
    expect(&v, "temperature", AB_CANNOT_TELL, "83 °C, and the driver does not tell the limit",
           "nvidia-smi -q -d TEMPERATURE shows what the driver knows");
    v = healthy();
    v.gpu.throttled = true, strcpy(v.throttle, "hw-thermal");
    expect(&v, "slowdown", AB_SPOILS, "hw-thermal", "look at cooling and power supply: nvidia-smi -q -d PERFORMANCE");
    v.gpu.throttled = false, v.throttle[0] = '\0';
    expect(&v, "slowdown", AB_CANNOT_TELL, UNTOLD);
}

static void nodes(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    expect(&v, "NUMA", AB_FINE, "GPU and cores on node 0", NO_ADVICE);
    v.gpu_node = 1, v.near_cores = 2;
    expect(&v, "NUMA", AB_SPOILS, "the GPU is on node 1, and 6 of 8 cores are elsewhere",
           "put this before the command, for rows on the GPU: numactl --cpunodebind=1 --membind=1");
    v.gpu_node = AB_SETTING_UNKNOWN;
    expect(&v, "NUMA", AB_CANNOT_TELL, "the system does not tell the GPU's node",
           "nvidia-smi topo -m shows what the driver knows");
    v.nodes = 1;
    expect(&v, "NUMA", AB_FINE, "one node", NO_ADVICE);
}

static void the_governor(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    expect(&v, "governor", AB_FINE, "performance", NO_ADVICE);
    strcpy(v.governor, "powersave");
    expect(&v, "governor", AB_SPOILS, "powersave: the cores' clocks follow the load",
           "sudo cpupower frequency-set -g performance");
    v.governor[0] = '\0';
    expect(&v, "governor", AB_CANNOT_TELL, "the system does not tell how it sets the cores' clocks",
           "on a virtual machine ask who runs the host; else switch on cpufreq in the firmware");
}

static void the_host_of_a_virtual_machine(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    expect(&v, "virtual", AB_FINE, "no", NO_ADVICE);
    expect(&v, "steal", AB_FINE, "none, for this is no virtual machine", NO_ADVICE);
    v.is_virtual = 1, v.tells_steal = true, strcpy(v.hypervisor, "KVMKVMKVM");
    expect(&v, "virtual", AB_FINE, "yes, by KVMKVMKVM, which counts the time that it takes", NO_ADVICE);
    expect(&v, "steal", AB_FINE, "0 % of a core", NO_ADVICE);
    v.stolen = 0.25;
    expect(&v, "steal", AB_SPOILS, "the host takes 25 % of a core",
           "take a machine with cores of its own, or try again later");
    v.stolen = NAN;
    expect(&v, "steal", AB_CANNOT_TELL, "not measured", "antbench doctor measures it");
    v.tells_steal = false;
    const ab_diagnosis diagnosis = ab_diagnose(&v);
    assert_int_equal(find(&diagnosis, "virtual")->verdict, AB_CANNOT_TELL);
    assert_string_equal(find(&diagnosis, "virtual")->value, "yes, by KVMKVMKVM, which hides the load of others");
    assert_string_equal(find(&diagnosis, "steal")->value, "the system does not tell");
    assert_int_equal(find(&diagnosis, "steal")->verdict, AB_CANNOT_TELL);
}

static void the_load(void **state)
{
    (void)state;
    ab_vitals v = healthy();
    v.load = 7.5; /* of the minute before, which is over */
    expect(&v, "load", AB_FINE, "no other thread runs (load 7.5 in the last minute)", NO_ADVICE);
    v.other_threads = 3.2;
    expect(&v, "load", AB_SPOILS, "3.2 other threads run (load 7.5 in the last minute)",
           "top lists them: wait for their end, or leave them cores: taskset -c LIST before the command");
    v.other_threads = v.load = NAN;
    expect(&v, "load", AB_CANNOT_TELL, "the system does not tell which threads run", "top shows what the system knows");
}

static void room(void **state)
{
    (void)state;
    const char *const top = "free -h and top show what takes it: end that",
                      *const df = "df -h shows the disks: write to another one by --out DIR",
                      *const untold = "the system does not tell how much is free";
    ab_vitals v = healthy();
    expect(&v, "memory", AB_FINE, "64.0 GiB free", NO_ADVICE);
    v.free_memory = 1.9 * GIB;
    expect(&v, "memory", AB_SPOILS, "1.9 GiB free, less than 2", top);
    v.free_memory = NAN;
    expect(&v, "memory", AB_CANNOT_TELL, untold, top);
    v = healthy();
    v.free_disk = 0.9 * GIB;
    expect(&v, "disk", AB_SPOILS, "0.9 GiB free, less than 1", df);
    v.free_disk = NAN;
    expect(&v, "disk", AB_CANNOT_TELL, untold, df);
}

static void without_a_gpu(void **state)
{
    (void)state;
    char text[256];
    ab_vitals v = healthy();
    v.no_gpu = "no NVIDIA driver is installed", v.driver_cuda = 0;
    expect(&v, "GPU", AB_CANNOT_TELL, "no NVIDIA driver is installed",
           "nvidia-smi shows what the driver finds; --backend cpu leaves GPUs out");
    v.driver_cuda = 12080;
    ab_diagnosis diagnosis = ab_diagnose(&v);
    ab_summarize(&diagnosis, text, sizeof text);
    assert_string_equal(text, "6 ok, 1 will spoil: driver 580.65.06 for CUDA 12.8, toolkit 13.0");
    v.wants_gpu = false;
    diagnosis = ab_diagnose(&v);
    ab_summarize(&diagnosis, text, sizeof text);
    assert_string_equal(text, "6 ok");
}

static void a_summary_names_what_spoils_and_fits_its_line(void **state)
{
    (void)state;
    char text[256], tiny[24];
    ab_vitals v = healthy();
    v.clock = (ab_clock_look){1980.0, 1980.0, false};
    v.others = 1, v.free_disk = NAN;
    const ab_diagnosis diagnosis = ab_diagnose(&v);
    ab_summarize(&diagnosis, text, sizeof text);
    assert_string_equal(text, "14 ok, 1 cannot tell, 2 will spoil: clock not locked, 1980 MHz; processes 1 other on "
                              "this GPU");
    ab_summarize(&diagnosis, tiny, sizeof tiny);
    assert_string_equal(tiny, "14 ok, 1 cannot tell, 2");
}

/* ---- Reading ---- */

static const char *const variables[] = {"FAKE_PERSISTENCE",     "FAKE_MIG",           "FAKE_ECC",
                                        "FAKE_ECC_NEXT",        "FAKE_MEMORY_ERRORS", "FAKE_DEFAULT_MILLIWATT",
                                        "FAKE_LIMIT_MILLIWATT", "FAKE_MARGIN",        "FAKE_MOST_SM_MHZ",
                                        "FAKE_SM_MHZ",          "FAKE_PCIE",          "FAKE_MOST_PCIE",
                                        "FAKE_LANES",           "FAKE_MOST_LANES",    "FAKE_PROCESSES",
                                        "FAKE_CELSIUS",         "FAKE_THROTTLE",      "FAKE_SLOWDOWN_CELSIUS"};
enum { N_VARIABLES = sizeof variables / sizeof *variables };

/* Sets all variables of the fake NVML to one text, or to nothing. */
static void tell_all(const char *text)
{
    for (int i = 0; i < N_VARIABLES; i++) text ? setenv(variables[i], text, 1) : unsetenv(variables[i]);
}

static void settings_are_read(void **state)
{
    (void)state;
    ab_nvml *nvml = ab_nvml_open("0000:65:00.0");
    tell_all("?"); /* the driver fails to tell */
    ab_gpu_settings s = ab_nvml_settings(nvml);
    const int *members = &s.persistence;
    for (size_t i = 0; i < sizeof s / sizeof *members; i++) assert_int_equal(members[i], AB_SETTING_UNKNOWN);
    tell_all(NULL); /* the GPU has no such thing */
    s = ab_nvml_settings(nvml);
    assert_true(s.persistence == AB_SETTING_NONE && s.mig == AB_SETTING_NONE && s.ecc == AB_SETTING_NONE);
    assert_true(s.ecc_next == AB_SETTING_NONE && s.memory_errors == AB_SETTING_NONE);
    setenv("FAKE_PERSISTENCE", "1", 1), setenv("FAKE_MIG", "0", 1), setenv("FAKE_ECC", "1", 1);
    setenv("FAKE_ECC_NEXT", "0", 1), setenv("FAKE_MEMORY_ERRORS", "7", 1);
    setenv("FAKE_DEFAULT_MILLIWATT", "700000", 1), setenv("FAKE_MOST_SM_MHZ", "1980", 1);
    setenv("FAKE_PCIE", "4", 1), setenv("FAKE_MOST_PCIE", "5", 1);
    setenv("FAKE_LANES", "8", 1), setenv("FAKE_MOST_LANES", "16", 1);
    s = ab_nvml_settings(nvml);
    assert_true(s.persistence == 1 && s.mig == 0 && s.ecc == 1 && s.ecc_next == 0 && s.memory_errors == 7);
    assert_true(s.default_power_w == 700 && s.most_sm_mhz == 1980);
    assert_true(s.pcie_generation == 4 && s.most_pcie_generation == 5);
    assert_true(s.pcie_width == 8 && s.most_pcie_width == 16);
    setenv("FAKE_MEMORY_ERRORS", "0xffffffff", 1); /* more than an int holds */
    assert_int_equal(ab_nvml_settings(nvml).memory_errors, AB_SETTING_UNKNOWN);
    ab_nvml_close(nvml);
}

static void the_margin_is_told_by_new_and_old_drivers(void **state)
{
    (void)state;
    ab_nvml *nvml = ab_nvml_open("0000:65:00.0");
    tell_all(NULL);
    assert_int_equal(ab_nvml_settings(nvml).margin_c, AB_SETTING_UNKNOWN);
    setenv("FAKE_CELSIUS", "83", 1), setenv("FAKE_SLOWDOWN_CELSIUS", "90", 1);
    assert_int_equal(ab_nvml_settings(nvml).margin_c, 7);
    setenv("FAKE_CELSIUS", "95", 1);
    assert_int_equal(ab_nvml_settings(nvml).margin_c, 0);
    setenv("FAKE_MARGIN", "31", 1);
    assert_int_equal(ab_nvml_settings(nvml).margin_c, 31);
    ab_nvml_close(nvml);
}

/* Writes a file of the fake system. */
static void tell(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", getenv("FAKE_ROOT"), path);
    *strrchr(full, '/') = '\0';
    assert_int_equal(ab_make_directories(full).code, AB_OK);
    full[strlen(full)] = '/';
    assert_int_equal(ab_replace_file(full, text).code, AB_OK);
}

static ab_machine_state machine_with_gpu(void)
{
    ab_machine_state machine = {.have_gpu = true, .nvml = ab_nvml_open("0000:65:00.0")};
    machine.gpu.driver_version = machine.gpu.runtime_version = 13000;
    strcpy(machine.gpu.pci_bus_id, "0000:65:00.0");
    return machine;
}

static void a_gpu_is_looked_at_while_a_kernel_runs(void **state)
{
    (void)state;
    ab_machine_state machine = machine_with_gpu();
    tell_all(NULL);
    setenv("FAKE_SM_MHZ", "1410", 1), setenv("FAKE_THROTTLE", "0x2", 1), setenv("FAKE_PROCESSES", "2", 1);
    setenv("FAKE_LIMIT_MILLIWATT", "650000", 1), setenv("FAKE_DEFAULT_MILLIWATT", "700000", 1);
    ab_vitals v = ab_vitals_read(&machine, ".", true);
    assert_true(v.wants_gpu && !v.no_gpu && v.worked && v.others == 1);
    assert_true(v.clock.low_mhz == 1410.0 && v.clock.high_mhz == 1410.0 && v.clock.by_setting);
    assert_string_equal(v.throttle, "app-clocks");
    assert_string_equal(v.driver, "580.65.06");
    assert_true(v.gpu.power_limit_w == 650.0 && v.settings.default_power_w == 700);
    v = ab_vitals_read(&machine, ".", false);
    assert_true(!v.worked && isnan(v.clock.high_mhz) && !v.clock.by_setting && isnan(v.stolen));
    ab_nvml_close(machine.nvml);
    machine = (ab_machine_state){.have_gpu = true}; /* and no NVML */
    v = ab_vitals_read(&machine, ".", true);
    const ab_diagnosis diagnosis = ab_diagnose(&v);
    assert_int_equal(find(&diagnosis, "clock")->verdict, AB_CANNOT_TELL);
    assert_int_equal(find(&diagnosis, "slowdown")->verdict, AB_CANNOT_TELL);
}

static int first_core(void)
{
    cpu_set_t usable;
    int core = 0;
    assert_int_equal(sched_getaffinity(0, sizeof usable, &usable), 0);
    while (!CPU_ISSET((size_t)core, &usable)) core++;
    return core;
}

static void the_node_of_a_gpu_is_compared_with_the_cores(void **state)
{
    (void)state;
    char text[32];
    ab_machine_state machine = machine_with_gpu();
    strcpy(machine.gpu.pci_bus_id, "0000:AB:00.0"); /* as CUDA writes it */
    tell("/sys/devices/system/node/online", "0-1,3\n");
    tell("/sys/bus/pci/devices/0000:ab:00.0/numa_node", "1\n");
    tell("/sys/devices/system/node/node1/cpulist", "1000-1010\n");
    ab_vitals v = ab_vitals_read(&machine, ".", false);
    assert_true(v.nodes == 3 && v.gpu_node == 1 && v.near_cores == 0 && v.cores > 0);
    tell("/sys/devices/system/node/node1/cpulist", "2000,0-1023\n");
    v = ab_vitals_read(&machine, ".", false);
    assert_int_equal(v.near_cores, v.cores);
    snprintf(text, sizeof text, "%d\n", first_core());
    tell("/sys/devices/system/node/node1/cpulist", text);
    assert_int_equal(ab_vitals_read(&machine, ".", false).near_cores, 1);
    tell("/sys/bus/pci/devices/0000:ab:00.0/numa_node", "-1\n"); /* the firmware does not tell */
    v = ab_vitals_read(&machine, ".", false);
    assert_true(v.gpu_node == AB_SETTING_UNKNOWN && v.near_cores == AB_SETTING_UNKNOWN);
    tell("/sys/devices/system/node/online", "");
    assert_int_equal(ab_vitals_read(&machine, ".", false).nodes, AB_SETTING_UNKNOWN);
    ab_nvml_close(machine.nvml);
}

static ab_vitals vitals_of_cores(void)
{
    const ab_machine_state machine = {.have_gpu = false};
    return ab_vitals_read(&machine, ".", false);
}

static void governors_load_and_memory_are_read(void **state)
{
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", first_core());
    tell(path, "ondemand\n");
    tell("/proc/meminfo", "MemTotal: 16777216 kB\nMemFree: 1 kB\nMemAvailable:    3145728 kB\n");
    tell("/proc/loadavg", "7.25 3.00 1.00 1/99 4242\n");
    ab_vitals v = vitals_of_cores();
    assert_true(!v.wants_gpu);
    assert_string_equal(v.governor, "ondemand");
    assert_true(v.free_memory == 3.0 * GIB && v.load == 7.25);
    tell(path, "power\033[31msave\n");
    assert_string_equal(vitals_of_cores().governor, "power?[31msave");
    tell(path, "");
    tell("/proc/meminfo", "MemTotal: 16777216 kB\n");
    tell("/proc/loadavg", "");
    v = vitals_of_cores();
    assert_true(isnan(v.free_memory) && isnan(v.load));
}

static void the_disk_is_that_of_the_folder_or_of_one_above(void **state)
{
    (void)state;
    const ab_machine_state machine = {.have_gpu = false};
    const double here = ab_vitals_read(&machine, ".", false).free_disk;
    const char *const folders[] = {"not/there", "/not/there", "/not", "not", ""};
    assert_true(here > 0.0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_true(ab_vitals_read(&machine, folders[i], false).free_disk > 0.0);
    assert_true(ab_vitals_read(&machine, "/proc", false).free_disk == 0.0);
    assert_true(ab_vitals_read(&machine, "/proc/not/there/", false).free_disk == 0.0);
}

static void steal_is_a_share_of_a_moment_of_work(void **state)
{
    (void)state;
    const ab_machine_state machine = {.have_gpu = false};
    the_system = (fake_system){.on = true, .tells = true, .step_s = 1e-3, .steal_s = 0.05};
    ab_vitals v = ab_vitals_read(&machine, ".", true);
    assert_true(v.tells_steal && v.stolen > 0.0 && v.stolen <= 0.2); /* of a quarter of a second or more */
    the_system.steal_s = 0.0;
    assert_true(ab_vitals_read(&machine, ".", true).stolen == 0.0);
    the_system.tells = false;
    v = ab_vitals_read(&machine, ".", true);
    assert_true(!v.tells_steal && isnan(v.stolen));
    the_system = (fake_system){.on = false};
}

static int make_root(void **state)
{
    (void)state;
    static char root[] = "/tmp/antbench-doctor-XXXXXX";
    return mkdtemp(root) && setenv("FAKE_ROOT", root, 1) == 0 ? load_fake_nvml(state) : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", getenv("FAKE_ROOT"));
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_machine_is_well),
        cmocka_unit_test(what_the_system_does_not_tell_spoils_nothing),
        cmocka_unit_test(the_driver),
        cmocka_unit_test(the_clock),
        cmocka_unit_test(switches),
        cmocka_unit_test(the_ecc),
        cmocka_unit_test(the_power),
        cmocka_unit_test(other_processes),
        cmocka_unit_test(the_link),
        cmocka_unit_test(the_link_of_an_idle_gpu),
        cmocka_unit_test(heat),
        cmocka_unit_test(nodes),
        cmocka_unit_test(the_governor),
        cmocka_unit_test(the_host_of_a_virtual_machine),
        cmocka_unit_test(the_load),
        cmocka_unit_test(room),
        cmocka_unit_test(without_a_gpu),
        cmocka_unit_test(a_summary_names_what_spoils_and_fits_its_line),
        cmocka_unit_test(settings_are_read),
        cmocka_unit_test(the_margin_is_told_by_new_and_old_drivers),
        cmocka_unit_test(a_gpu_is_looked_at_while_a_kernel_runs),
        cmocka_unit_test(the_node_of_a_gpu_is_compared_with_the_cores),
        cmocka_unit_test(governors_load_and_memory_are_read),
        cmocka_unit_test(the_disk_is_that_of_the_folder_or_of_one_above),
        cmocka_unit_test(steal_is_a_share_of_a_moment_of_work),
    };
    return cmocka_run_group_tests_name("doctor", tests, make_root, remove_root);
}
