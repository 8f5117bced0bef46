# All commands for users of antbench. `make help` lists them.
#
# Three flavours of object code:
#   build/obj/   C, and the kernels compiled by g++ for the host backend
#   build/cuda/  the kernels compiled by nvcc; left out without nvcc
#   build/san/   C and host backend under AddressSanitizer and UndefinedBehaviorSanitizer, for the tests
comma := ,
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
SHELL := /bin/bash

# ---- What a user may set ----
PROFILE ?= quick
OUT ?=
RESUME ?=
SAVE ?=
ARGS ?=
A ?=
B ?=
BASE ?=
NEW ?=
ROWS ?=
N ?=
THRESHOLD ?= 3
RERUN ?=
REASON ?=
ID ?=
TOOLS ?=
DRIVERS ?=
JUNIT ?=
SUMMARY ?=
CUDA_ARCHS ?=
LINEINFO ?=
WERROR ?=
PREFIX ?= /usr/local
FORMAT ?= google-benchmark
PEERS ?=
RANKS ?=
DESTDIR ?=
RUNS ?=
JOBS ?= $(shell nproc)
CC := gcc
CXX := g++
LDFLAGS :=

# ---- Tools ----
PIP_CUDA := build/cuda-toolkit/nvidia/cu13
NVCC := $(firstword $(shell command -v nvcc) $(wildcard $(CUDA_HOME)/bin/nvcc /usr/local/cuda/bin/nvcc $(PIP_CUDA)/bin/nvcc))
PYTHON ?= $(or $(shell for p in python3 /usr/bin/python3; do $$p -c 'import pandas, pytest, scipy' 2>/dev/null && echo $$p && break; done),python3)

# Quotes a value as one word of the shell. ARGS= is several words; CC=, CXX= and NVCC= are commands.
as_word = '$(subst ','\'',$(1))'
jobs = -j$(call as_word,$(JOBS))
python = $(call as_word,$(PYTHON))

# ---- Flags ----
# WERROR=1, as in CI, makes each warning an error. It is off by default, since newer compilers have new warnings.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion $(if $(WERROR),-Werror)
DEFINES := -D_GNU_SOURCE -I. -Ibuild/gen
# GCC notes that releases before 4.6 pass vectors of 64 bytes otherwise. One compiler builds all files here.
CFLAGS := -std=c11 -O3 -g -fno-math-errno -fopenmp $(WARNINGS) -Wmissing-prototypes -Wno-psabi $(DEFINES)
# Expressions here mix constants of several enums, which C++20 warns of.
CXXFLAGS := -std=c++20 -Wno-deprecated-enum-enum-conversion -O2 -g -ffp-contract=off -fopenmp $(WARNINGS) $(DEFINES)
ifneq ($(findstring clang,$(CXX)),)
# clang has another name for this warning, and lacks the gcc warning that is switched off below.
CXXFLAGS += -Wno-deprecated-anon-enum-enum-conversion -Wno-unknown-warning-option -Wno-sign-conversion
endif
HOST_CUDA := -x c++ -Wno-unknown-pragmas -Wno-maybe-uninitialized
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# The tests share a library, which is loaded when a program starts. They have line numbers for reports, and no other
# data for a debugger.
SAN_FLAGS = -g1 $(SANITIZE) -fPIC -fno-semantic-interposition -ftls-model=initial-exec
SHARED := -shared -Wl,-soname,libantbench.so
BESIDE_IT := -Wl,-rpath,'$$ORIGIN/..'
# Programs in build/bin/tests are half as large without data for a debugger.
NO_DEBUG := -Wl,--strip-debug
# OpenCV for canny/opencv and convolution/opencv, if it is installed. Debian has its libraries as archives, but not TBB,
# which runs its threads. TBB lies beside the program, so that the program runs where TBB is not installed.
OPENCV_INCLUDE := /usr/include/opencv4
OPENCV := $(and $(wildcard $(OPENCV_INCLUDE)/opencv2/imgproc.hpp),$(filter /%,$(shell $(CXX) -print-file-name=libopencv_imgproc.a)))
ifneq ($(OPENCV),)
OPENCV_LIBS := -l:libopencv_imgproc.a -l:libopencv_core.a -ltbb -Wl,-rpath,'$$ORIGIN'
TBB := build/bin/libtbb.so.12
endif
# Archives if the distribution has them, so that the program runs on a GPU node without these libraries. Fedora and Arch
# have shared libraries only: $(call library,NAME,PKG-CONFIG'S NAME).
is_static = $(filter /%,$(shell $(CXX) -print-file-name=lib$(1).a))
library = $(if $(is_static),-l:lib$(1).a,$(or $(shell pkg-config --libs $(2) 2>/dev/null),-l$(1)))
DATA_LIBS := $(call library,jansson,jansson) $(call library,csv,libcsv) $(call library,boost_context,) $(call library,nettle,nettle) \
	$(call library,png16,libpng16) $(call library,jpeg,libjpeg) $(call library,z,zlib)
# MPI for build/bin/antbench-mpi, if Open MPI is installed: for several GPUs or machines (mpi/ranks.h).
MPI_FLAGS := $(shell mpicc --showme:compile 2>/dev/null)
MPI_LIBS := $(shell mpicc --showme:link 2>/dev/null)
MPI := $(MPI_LIBS)
LIBS := $(OPENCV_LIBS) $(DATA_LIBS) -ldl -lpthread -lm

# ---- Sources ----
# Sorted by bytes in every locale; $(wildcard) sorts by the locale.
TABLES := $(sort $(wildcard bench/tables/*/table_*.c))
C_SOURCES := $(filter-out bench/antbench.c bench/record/build_info.c,$(wildcard base/*.c kernels/*.c kernels/*/*.c kernels/*/*/*.c instances/*.c tours/*.c images/*.c mpi/ranks_none.c mpi/workers.c baselines/*.c baselines/*/*.c bench/*.c bench/*/*.c bench/*/*/*.c))
KERNELS := $(sort $(wildcard kernels/*/*.cu kernels/*/*/*.cu))
CXX_SOURCES := $(wildcard kernels/host/*.cpp baselines/*.cpp baselines/*/*.cpp)
OPERATIONS := $(shell LC_ALL=C sed -n 's/^OPERATION.\([a-z_]*\),.*/\1/p' bench/registry.def)
GENERATED := build/gen/drivers.inc build/gen/config.h $(OPERATIONS:%=build/gen/operations/%.h)
# Tests lie in the same folders as their subjects. A program is named after its file: build/san/tests/test_canny.
TESTS := $(wildcard tests/*/test_*.c tests/*/*/test_*.c)
STAT_TESTS := $(wildcard tests/*/stat_test_*.c tests/*/*/stat_test_*.c)
TEST_PROGRAMS := $(patsubst %.c,build/san/tests/%,$(notdir $(TESTS)))
STAT_PROGRAMS := $(patsubst %.c,build/bin/tests/%,$(notdir $(STAT_TESTS)))
TEST_KERNELS := $(wildcard tests/planted/*.cu docs/*.cu)
TEST_SUPPORT := $(wildcard tests/support/*.c)
TEST_SUPPORT_CXX := $(wildcard tests/support/*.cpp)
PROGRAM := build/bin/antbench
MPI_SOURCES := mpi/ranks.c mpi/nccl.c
MPI_PROGRAM := $(if $(MPI),$(PROGRAM)-mpi)

OBJECTS := $(C_SOURCES:%.c=build/obj/%.o) $(KERNELS:%.cu=build/obj/%.host.o) $(CXX_SOURCES:%.cpp=build/obj/%.o) build/obj/bench/record/build_info.o
# The largest objects come first, so that no core waits at the end.
SAN_OBJECTS := $(TEST_KERNELS:%.cu=build/san/%.host.o) $(patsubst build/obj/%,build/san/%,$(OBJECTS)) $(TEST_SUPPORT:%.c=build/san/%.o) $(TEST_SUPPORT_CXX:%.cpp=build/san/%.o)

ifneq ($(NVCC),)
# An empty CUDA_ARCHS means the GPUs of this machine, and the GPUs of earlier builds in this folder. CUDA_ARCHS=default
# forgets earlier builds. Without any GPU the default is one architecture per variant of a kernel (__CUDA_ARCH__). Code
# for 80 runs on 8.6 and 8.9 too. GPUs after 9.0 translate the PTX of 90 when they load it.
DEFAULT_ARCHS := 75 80 90
GPU_ARCHS := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d .)
BUILT_ARCHS := $(if $(filter default,$(CUDA_ARCHS)),,$(shell cat build/gen/archs 2>/dev/null))
# Only architectures that this nvcc knows: before 12.8 it lacks 100, and from 13.0 on those before 75.
KNOWN_ARCHS := $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch 2>/dev/null))
known = $(if $(KNOWN_ARCHS),$(filter $(KNOWN_ARCHS),$(1)),$(strip $(1)))
ifneq ($(call known,$(GPU_ARCHS)),$(strip $(GPU_ARCHS)))
$(warning $(NVCC) does not know compute capability $(filter-out $(KNOWN_ARCHS),$(GPU_ARCHS)) of the GPU here: it knows $(KNOWN_ARCHS))
endif
ARCHS := $(or $(filter-out default,$(CUDA_ARCHS)),$(call known,$(GPU_ARCHS) $(BUILT_ARCHS)),$(call known,$(DEFAULT_ARCHS)))
ARCHS := $(shell printf '%s\n' $(foreach arch,$(ARCHS),$(call as_word,$(arch))) | sort -uV)
ifneq ($(shell printf '%s\n' $(foreach arch,$(ARCHS),$(call as_word,$(arch))) | grep -vxE '[0-9]+[af]?'),)
$(error CUDA_ARCHS="$(ARCHS)": expected compute capabilities such as 80 or 90a)
endif
# Line numbers for tools contain the folder's path. With them the hash of a kernel's code would differ between folders.
NVCC_FLAGS := -O3 -std=c++20 $(if $(LINEINFO),-lineinfo) -Xcompiler=-Wall,-Wextra,-Wno-deprecated-enum-enum-conversion $(DEFINES) $(if $(WERROR),--Werror all-warnings) \
	$(foreach arch,$(ARCHS),-gencode arch=compute_$(arch),code=sm_$(arch)) \
	-gencode arch=compute_$(lastword $(ARCHS)),code=compute_$(lastword $(ARCHS))
# The harness's own code for GPUs.
HARNESS_GPU := build/cuda/bench/clock/gpu.o build/cuda/bench/clock/limits.o
CUDA_OBJECTS := $(KERNELS:%.cu=build/cuda/%.o) $(HARNESS_GPU)
# nvcc on PATH may be a wrapper, so nvcc is asked for its libraries.
CUDA_TOP := $(shell $(NVCC) --dryrun x.cu 2>&1 | sed -n 's/^.. TOP=//p')
# NPP for canny/npp and convolution/npp, if the toolkit has it: archives, or else shared libraries, as in NVIDIA's
# wheel.
NPP_HOME ?= $(CUDA_TOP)
NPP_LIB := $(firstword $(dir $(foreach lib,libnppif_static.a libnppif.so.13,$(wildcard $(NPP_HOME)/lib64/$(lib) $(NPP_HOME)/lib/$(lib)))))
NPP := $(and $(wildcard $(NPP_HOME)/include/nppi_filtering_functions.h),$(NPP_LIB))
ifneq ($(NPP),)
NPP_LIBS := -L$(NPP_LIB) $(if $(wildcard $(NPP_LIB)libnppif_static.a),-lnppif_static -lnppc_static -lculibos,-l:libnppif.so.13 -l:libnppc.so.13 -Wl$(comma)-rpath$(comma)$(NPP_LIB))
build/cuda/kernels/%/npp.o: private NVCC_FLAGS += -I$(NPP_HOME)/include
endif
# cuDNN for convolution/cudnn, if it is installed: in the toolkit, by the distribution, or in CUDNN_HOME. For NVIDIA's
# wheel that is site-packages/nvidia/cudnn.
CUDNN_HOME ?= $(firstword $(patsubst %/include/cudnn.h,%,$(wildcard $(CUDA_TOP)/include/cudnn.h /usr/include/cudnn.h)))
CUDNN_LIB := $(firstword $(dir $(wildcard $(foreach lib,lib64 lib lib/x86_64-linux-gnu,$(CUDNN_HOME)/$(lib)/libcudnn.so.9))))
CUDNN := $(and $(wildcard $(CUDNN_HOME)/include/cudnn.h),$(CUDNN_LIB))
ifneq ($(CUDNN),)
CUDNN_LIBS := -L$(CUDNN_LIB) -l:libcudnn.so.9 -Wl,-rpath,$(CUDNN_LIB)
build/cuda/kernels/convolution/cudnn.o: private NVCC_FLAGS += -I$(CUDNN_HOME)/include
endif
CUDA_LIBS := $(NPP_LIBS) $(CUDNN_LIBS) -L$(CUDA_TOP)/lib64 -L$(CUDA_TOP)/lib -lcudart_static -lrt
endif

# ---- Public targets ----
.PHONY: all help deps build binaries test test-kernel fuzz inject plant faults check-gpu profile instances images bench-all bench-peers plots pictures draw-tours animations time-to-target solve-peers \
	report site gpus claims verdicts list-runs share export results-check compare ab regress regress-history calibrate index lint format \
	install uninstall dist clean test-programs FORCE

all: build ## the same as make build (the default)

help: ## this list
	@LC_ALL=C grep -hE '^[a-z0-9.%-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([^:]+):.*## (.*)/  make \1\t\2/' | expand -t 22

deps: ## install what a fresh Debian 12 lacks (packages.txt, and nvcc from NVIDIA's wheels where there is none); YES=1: do not ask
	@YES=$(call as_word,$(YES)) scripts/deps

build: ## build build/bin/antbench, using all cores; CUDA_ARCHS="80 90": for these GPUs, remembered until CUDA_ARCHS=default
	@$(MAKE) --no-print-directory $(jobs) binaries

binaries: $(PROGRAM) $(MPI_PROGRAM)
ifeq ($(NVCC),)
	@echo "no nvcc on PATH, in CUDA_HOME, /usr/local/cuda or build/: built without the CUDA backend (make deps installs it)"
endif

test: ## run every test, no GPU needed (7 to 20 minutes on 2 cores, building included)
	@$(MAKE) --no-print-directory $(jobs) binaries test-programs
	@$(python) tests/run_all.py

test-kernel: ## the tests of one implementation alone, built and run; ID=tsp/mine
	@programs=$$($(script) tests-of $(call as_word,$(ID))) && $(MAKE) --no-print-directory $(if $(V),,-s) $(jobs) $$programs && \
		ANTBENCH_ONLY=$(call as_word,$(ID)) $(python) tests/run_all.py $$programs

fuzz: ## feed all readers of files with what libFuzzer makes, which clang has; RUNS=200000 for each; writes its table of docs/faults.md
	@scripts/fuzz $(if $(RUNS),$(call as_word,$(RUNS))); code=$$?; \
		[ $$code = 77 ] || [ ! -e build/fuzz/found.csv ] || $(script) campaigns fuzzed build/fuzz/found.csv || exit; exit $$code

inject: build build/faults/inject.so ## let every allocation and file operation of each driver fail once, and kill it there (hours); writes its table of docs/faults.md; ARGS="--drivers 3.3"
	@$(python) tests/faults/inject.py --keep $(ARGS)

plant: ## put each planted fault into the real kernels: do driver and tests notice? (hours); writes its table of docs/faults.md; ARGS="--only T03"
	@$(python) tests/faults/plant.py $(ARGS)

faults: inject plant ## both of these (docs/guide/reliability.md)

check-gpu: build ## run every kernel on this GPU under compute-sanitizer, and judge the ants' choices (long; one kernel: ID=tsp/mine); JOBS= at once, TOOLS=memcheck, DRIVERS=3.3
	@$(MAKE) --no-print-directory $(jobs) build/bin/tests/tsp_choices build/bin/tests/tsp_cities
	@JOBS=$(call as_word,$(JOBS)) ID=$(call as_word,$(ID)) TOOLS=$(call as_word,$(TOOLS)) DRIVERS=$(call as_word,$(DRIVERS)) PYTHON=$(python) scripts/check_gpu

profile: build ## what the kernels of a row wait for on this GPU, by Nsight Compute, beside the roofline; ROW=3.3/ds-roulette/pr1002 ARGS="--set l2=cold"
	@$(script) profile $(call as_word,$(ROW)) $(if $(ARGS),-- $(ARGS))

instances: ## download the TSPLIB instances of the catalogue into instances/tsplib/, checksums verified
	@instances/fetch

images: ## download the standard images of the catalogue into images/standard/, checksums verified
	@PYTHON=$(python) images/fetch

RUN_ARGS = --profile $(call as_word,$(PROFILE)) $(if $(OUT),--out $(call as_word,$(OUT))) $(if $(RESUME),--resume) $(ARGS)

# One rule for all drivers; the program knows their names.
bench-%: build ## the tables of one driver, bench-3.3 (or bench-thesis-3.3), bench-4.2 ...; PROFILE= OUT= RESUME=1 SAVE=DIR RANKS= ARGS=
	@$(if $(RANKS),scripts/ranks $(call as_word,$(RANKS)),$(PROGRAM)) $(call as_word,$*) $(RUN_ARGS) $(if $(SAVE),--save $(call as_word,$(SAVE)))

bench-peers: build ## Ant System by others beside ours: ACOTSP, GPU-MMAS, AcoTsp, from the checkouts in PEERS=DIR (docs/guide/peers.md); OUT= ARGS=
	@$(script) bench-peers $(call as_word,$(PEERS)) $(if $(OUT),--out $(call as_word,$(OUT))) $(ARGS)

bench-all: build ## every table there is, thesis and papers, each into a folder of its own, OUT/3.3 and so on; PROFILE= OUT= RESUME=1 SAVE=DIR V=1
	@scripts/bench_all $(call as_word,$(OUT)) $(call as_word,$(SAVE)) --profile $(call as_word,$(PROFILE)) $(if $(RESUME),--resume) $(ARGS)

.PHONY: bench
bench: bench-all ## the same

# make would report that an existing folder is up to date. So targets with the name of a folder are declared.
FOLDERS := LICENSES base baselines docs kernels mpi packaging results scripts tests tours
.PHONY: $(FOLDERS)
$(FOLDERS):
	@near=$$($(MAKE) --no-print-directory help | awk '$$1 == "make" && index($$2, "$(@:s=)") == 1 { print "make " $$2 ", " }' | tr -d '\n'); \
		echo "make $@: a folder has this name, and no target; $${near}make help lists all" >&2; exit 2

# Commands that read results need no build. make's exit code is 2 if one fails; its message has the script's own.
script = $(python) scripts/antbench

SHOWN = $(if $(RUN),--run $(call as_word,$(RUN))) $(foreach also,$(ALSO),--also $(call as_word,$(also))) $(ARGS)
IMAGES_OF = $(if $(IMAGES),--images $(call as_word,$(IMAGES)))

plots: ## the figures of the thesis, SVG, PNG and, for papers, PDF, into build/plots/; RUN=RUN ALSO="RUN ..." IMAGES=DIR (default: your newest run)
	@$(script) plots $(SHOWN) $(IMAGES_OF)

pictures: build ## the maps of edges that docs and report show, into results/pictures/, without a GPU (first: make images)
	@$(script) pictures

draw-tours: build ## the tours of race, DS-Roulette and I-Roulette on a GPU, drawn, and their length by iteration and time, into build/tours/; ARGS="--instance pr1002"
	@$(script) tours $(SHOWN)

animations: ## the moving drawings of docs/guide/: a step of race, and ants on a picture, docs/*.svg
	@$(python) docs/animations.py

time-to-target: build ## how long antbench solve takes to tours near the optimum, over seeds, into build/plots/; ARGS="pr2392:1 --runs 50"
	@$(script) time-to-target $(ARGS)

solve-peers: build ## what antbench solve, fast-tsp, LKH 3, OR-tools (PyPI; PYTHON=) and FACO (PEERS=DIR) reach in 1 and 10 s on one core; ARGS="pr1002 --seconds 1,10" (docs/guide/solve.md)
	@$(script) solve-peers $(if $(PEERS),--peers $(call as_word,$(PEERS))) $(ARGS)

report: ## build/report/index.html, and the pages it leads to: every table, figure and claim, tables also as LaTeX; RUN= ALSO= IMAGES=
	@$(script) report $(SHOWN) $(IMAGES_OF)

site: ## build/site/, a folder for GitHub Pages: the report of all GPUs, stored and contributed, and each row run by run
	@$(script) site $(ARGS)

gpus: ## how many times as fast your GPU (else a stored one) is as the published cards, then times by row over all GPUs, published, stored, contributed and yours, as tables and figures (build/gpus/); TABLE=3.3 RUN="RUN ..."
	@$(script) gpus $(foreach run,$(RUN),--run $(call as_word,$(run))) $(foreach table,$(TABLE),--table $(call as_word,$(table))) $(ARGS)

claims: ## which published sentences hold in a run; RUN= (default: yours on a GPU, else the stored ones)
	@$(script) claims $(SHOWN)

verdicts: ## which verdicts on the stored runs have changed; REASON="why" acknowledges them (report/verdicts.csv)
	@$(script) verdicts $(if $(REASON),--reason $(call as_word,$(REASON)))

share: ## one small archive of a run to give away, checked, without host name, UUID and paths; RUN=RUN (CONTRIBUTING.md)
	@$(script) share $(call as_word,$(RUN)) $(ARGS)

export: ## a run as other tools read it; RUN=RUN FORMAT=google-benchmark (the JSON of Google Benchmark) FILE= (default: stdout)
	@$(script) export $(call as_word,$(RUN)) --format $(call as_word,$(FORMAT)) $(if $(FILE),--out $(call as_word,$(FILE))) $(ARGS)

results-check: ## is all of a run what its samples say; RUN=, also an archive (default: every stored and contributed run)
	@$(script) results-check $(if $(RUN),$(call as_word,$(RUN))) $(ARGS)

list-runs: ## every run there is, yours, contributed and stored, by the name that RUN= takes; TABLE=3.3
	@$(script) list-runs $(if $(RUN),$(call as_word,$(RUN))) $(if $(TABLE),--table $(call as_word,$(TABLE))) $(ARGS)

compare: ## two runs or GPUs side by side, cell for cell; A=RUN B=RUN, also a published card, A="GTX 580"; or two rows of a run: RUN=RUN A=3.3/ds-roulette B=3.3/i-roulette
	@$(script) compare $(call as_word,$(A)) $(call as_word,$(B)) $(if $(RUN),--run $(call as_word,$(RUN))) $(ARGS)

# Two builds as A and B exist already.
ab: $(if $(wildcard $(A)/build/bin/antbench),,build) ## which of two rows or two builds is faster, in turns; A=3.3/race/pr1002 B=... or A=DIR B=DIR ROWS=; N=7 THRESHOLD=3 PROFILE= ARGS=--decide
	@$(script) ab $(call as_word,$(A)) $(call as_word,$(B)) $(if $(ROWS),--rows $(call as_word,$(ROWS))) $(if $(N),--processes $(call as_word,$(N))) \
		--threshold $(call as_word,$(THRESHOLD)) --profile $(call as_word,$(PROFILE)) $(ARGS)

regress: ## is NEW slower than BASE, or worse; BASE=RUN NEW=RUN THRESHOLD=3 RERUN=1 JUNIT=FILE SUMMARY=FILE (docs/guide/ci.md)
	@PYTHON=$(python) scripts/regress $(call as_word,$(BASE)) $(if $(NEW),$(call as_word,$(NEW))) --threshold $(call as_word,$(THRESHOLD)) $(if $(RERUN),--rerun) \
		$(if $(JUNIT),--junit $(call as_word,$(JUNIT))) $(if $(SUMMARY),--summary $(call as_word,$(SUMMARY))) $(ARGS)

regress-history: ## where times changed over the runs of one machine; RUNS=FOLDER THRESHOLD=3
	@PYTHON=$(python) scripts/regress --history $(call as_word,$(RUNS)) --threshold $(call as_word,$(THRESHOLD)) $(ARGS)

calibrate: build ## how much unchanged code varies on this machine, which regress needs (longer than bench-all)
	@$(script) calibrate $(ARGS)

index: build ## write INDEX.md: which file and command is behind each row of each table
	@$(script) index

lint: ## what ruff, mypy, clang-format, shellcheck, actionlint, zizmor and reuse say, where installed
	@scripts/lint

format: ## format C, CUDA and Python, and mend what ruff can
	@scripts/lint --fix

# The manual page is made from the program's own help.
build/antbench.1: $(PROGRAM) scripts/manual
	@scripts/manual $(PROGRAM) > $@

install: build ## install program, data, manual page and completion; PREFIX=/usr/local DESTDIR=; runs from anywhere then
	@$(if $(shell command -v help2man),$(MAKE) --no-print-directory build/antbench.1,echo "no manual page: help2man is not installed (make deps)")
	@PYTHON=$(python) scripts/install $(call as_word,$(PREFIX)) $(call as_word,$(DESTDIR))

dist: ## an archive of the current commit for every x86-64 Linux since 2020, with and without a GPU, into build/dist/ (docs/guide/release.md); CUDA_ARCHS= JOBS=
	@NVCC=$(call as_word,$(NVCC)) CUDA_ARCHS=$(call as_word,$(CUDA_ARCHS)) JOBS=$(call as_word,$(JOBS)) PYTHON=$(python) scripts/dist

uninstall: ## remove what make install installed; PREFIX= DESTDIR=
	@scripts/install --remove $(call as_word,$(PREFIX)) $(call as_word,$(DESTDIR))

clean: ## remove everything generated, but not downloaded instances, runs or the installed nvcc
	rm -rf build/bin build/cuda build/dist build/gen build/obj build/san build/plots build/report build/site build/lib build/bdist.* *.egg-info

# ---- Rules ----
# One short line per command; V=1 shows it in full.
run = $(if $(V),,@echo '  $(1)	$@' && )$(2)

# $(call link,FLAGS AND LIBRARIES): links the objects and libraries that the rule names.
define link
@mkdir -p $(@D)
	$(call run,link,$(CXX) -fopenmp $(LDFLAGS) -o $@ $(filter %.o %.so,$^) $(1))
endef

$(PROGRAM): build/obj/bench/antbench.o $(OBJECTS) $(CUDA_OBJECTS) | $(TBB)
	$(call link,$(CUDA_LIBS) $(LIBS))

ifneq ($(OPENCV),)
$(TBB): $(shell $(CXX) -print-file-name=libtbb.so.12)
	@mkdir -p $(@D)
	$(call run,copy,cp $< $@)
endif

build/obj/%.o: %.c build/gen/c.flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call run,cc,$(CC) $(CFLAGS) -MMD -MP -c $< -o $@)

build/obj/%.o: %.cpp build/gen/cxx.flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call run,c++,$(CXX) $(CXXFLAGS) -MMD -MP -c $< -o $@)

build/obj/%.host.o: %.cu build/gen/cxx.flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call run,c++,$(CXX) $(CXXFLAGS) $(HOST_CUDA) -MMD -MP -c $< -o $@)

build/cuda/%.o: %.cu build/gen/nvcc.flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call run,nvcc,$(NVCC) $(NVCC_FLAGS) -MMD -MP -c $< -o $@)

# Readers for libFuzzer, if clang is installed.
FUZZ := $(if $(shell command -v clang),build/fuzz/readers)
test-programs: $(TEST_PROGRAMS) $(STAT_PROGRAMS) $(if $(MPI),build/bin/tests/test_team_mpi) build/bin/tests/antbench_planted build/bin/tests/antbench_with_gpu build/faults/inject.so $(FUZZ)

# The objects of tests without sanitizers. Three files that know the CUDA backend are compiled without it.
OF_CUDA := bench/registry bench/clock/gpu_none bench/record/build_info
TEST_OBJECTS := $(filter-out $(OF_CUDA:%=build/obj/%.o),$(OBJECTS)) $(OF_CUDA:%=build/obj/without_cuda/%.o) $(TEST_SUPPORT:%.c=build/obj/%.o) \
	$(patsubst %.cu,build/obj/%.host.o,$(wildcard docs/*.cu))

# The program with MPI, without the file that replaces MPI elsewhere.
with_mpi = $(filter-out build/obj/mpi/ranks_none.o,$(1)) $(MPI_SOURCES:%.c=build/obj/%.o)
build/obj/mpi/%.o: private CFLAGS += $(patsubst -I%,-isystem %,$(MPI_FLAGS))

$(MPI_PROGRAM): build/obj/bench/antbench.o $(call with_mpi,$(OBJECTS)) $(CUDA_OBJECTS) | $(TBB)
	$(call link,$(CUDA_LIBS) $(LIBS) $(MPI_LIBS))

# The test of colonies of several ranks: tests/kernels/tsp/test_team.c with MPI. tests/bench/program/test_ranks.py
# starts it.
build/bin/tests/test_team_mpi: build/obj/tests/kernels/tsp/test_team.o $(call with_mpi,$(TEST_OBJECTS))
	$(call link,$(NO_DEBUG) $(LIBS) $(MPI_LIBS) -lcmocka)

# Programs for tests: one with planted faults, which verification must find, and one with a library that breaks its
# rules.
build/bin/tests/antbench_planted: build/obj/bench/antbench.o $(patsubst %.cu,build/obj/%.host.o,$(wildcard tests/planted_driver/*.cu)) \
		$(filter-out $(patsubst %,build/obj/kernels/%.host.o,tsp/ds_roulette canny/npp),$(OBJECTS)) $(CUDA_OBJECTS)
	$(call link,$(NO_DEBUG) $(CUDA_LIBS) $(LIBS))

# A program that plans for a GPU on any machine.
build/bin/tests/antbench_with_gpu: build/obj/bench/antbench.o build/obj/tests/fake_gpu/fake_gpu.o $(filter-out build/obj/bench/clock/gpu_none.o,$(OBJECTS)) $(filter-out $(HARNESS_GPU),$(CUDA_OBJECTS))
	$(call link,$(NO_DEBUG) $(CUDA_LIBS) $(LIBS))

# Statistical tests take too many steps for sanitizers. As in other tests the example is in their registry, and there is
# no CUDA backend.
$(foreach test,$(STAT_TESTS),$(eval build/bin/tests/$(basename $(notdir $(test))): $(test:%.c=build/obj/%.o) $(TEST_OBJECTS)))
$(STAT_PROGRAMS):
	$(call link,$(NO_DEBUG) $(LIBS) -lcmocka)

# The tests of choices on the GPU. A GPU node runs them without a test framework.
GPU_CHOICES := build/bin/tests/tsp_choices build/bin/tests/tsp_cities
$(GPU_CHOICES): build/bin/tests/%: build/obj/tests/kernels/tsp/stat_test_%.o build/obj/tests/support/city_counts.o $(OBJECTS) $(CUDA_OBJECTS)
	$(call link,$(NO_DEBUG) $(CUDA_LIBS) $(LIBS))

build/obj/without_cuda/%.o: %.c build/gen/c.flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call run,cc,$(CC) $(CFLAGS) -DAB_WITHOUT_CUDA -DAB_WITH_EXAMPLE -MMD -MP -c $< -o $@)

# The library that test programs share. The code of an archive may be unfit for it, so libraries must be shared.
SAN_LIBRARY := build/san/libantbench.so
SAN_LIBS := $(LIBS:-l:lib%.a=-l%)
$(SAN_LIBRARY): $(SAN_OBJECTS)
	$(call link,$(SHARED) $(SANITIZE) $(SAN_LIBS))

$(foreach test,$(TESTS),$(eval build/san/tests/$(basename $(notdir $(test))): $(test:%.c=build/san/%.o) $(SAN_LIBRARY)))
$(TEST_PROGRAMS):
	$(call link,$(SANITIZE) $(BESIDE_IT) $(SAN_LIBS) -lcmocka)

# A program's own functions replace the library's: a GPU, the system's clock, and an operator new that fails.
build/san/tests/test_measure: build/san/tests/fake_gpu/fake_gpu.o build/san/tests/fake_system/fake_system.o
build/san/tests/test_doctor: build/san/tests/fake_gpu/fake_gpu.o build/san/tests/fake_system/fake_system.o
build/san/tests/test_host_backend: build/san/tests/failing_new/failing_new.o

# A library that makes one call of a program fail (tests/faults/inject.py).
build/faults/inject.so: tests/faults/inject.c
	@mkdir -p $(@D)
	$(call run,cc,$(CC) -std=c11 -O2 $(WARNINGS) $(DEFINES) -shared -fPIC -fno-builtin -o $@ $< -ldl)

# Readers for libFuzzer have clang's sanitizers and no kernels. The linker takes what it needs from the archive.
FUZZ_FLAGS := -std=c11 -O1 -g -DAB_WITHOUT_CUDA $(DEFINES) -Wall -Wno-unknown-pragmas -Wno-missing-field-initializers -ffunction-sections \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
FUZZ_SOURCES := $(filter-out bench/record/build_info.c,$(wildcard base/*.c instances/*.c images/*.c bench/*/*.c bench/*/*/*.c)) kernels/implementation.c \
	tests/support/readers.c

build/fuzz/readers: build/fuzz/tests/fuzz/fuzz.o build/fuzz/readers.a
	$(call run,link,clang $(FUZZ_FLAGS) -Wl$(comma)--gc-sections -o $@ $^ $(DATA_LIBS) -lpthread -lm)

build/fuzz/readers.a: $(FUZZ_SOURCES:%.c=build/fuzz/%.o)
	@rm -f $@
	$(call run,ar,ar rcs $@ $^)

build/fuzz/%.o: %.c build/gen/c.flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call run,clang,clang $(FUZZ_FLAGS) -MMD -MP -c $< -o $@)

build/san/%.o: %.c build/gen/c.flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call run,cc,$(CC) $(CFLAGS) -O1 $(SAN_FLAGS) -DAB_WITHOUT_CUDA -DAB_WITH_EXAMPLE -MMD -MP -c $< -o $@)

# A driver or an operation leaves out members that are zero.
build/obj/bench/%.o build/san/bench/%.o build/obj/kernels/%/operation.o build/san/kernels/%/operation.o build/obj/kernels/edges/sobel.o build/san/kernels/edges/sobel.o: private CFLAGS += -Wno-missing-field-initializers

build/obj/baselines/%.o build/san/baselines/%.o: private CXXFLAGS += $(if $(OPENCV),-isystem $(OPENCV_INCLUDE) -DAB_WITH_OPENCV)

build/san/tests/support/%.o: private CXXFLAGS += $(if $(NVCC),-isystem $(CUDA_TOP)/include)

build/san/%.o: %.cpp build/gen/cxx.flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call run,c++,$(CXX) $(CXXFLAGS) $(SAN_FLAGS) -MMD -MP -c $< -o $@)

# The host backend's scheduler runs between any two steps of all threads. Checking it would make tests a third longer,
# so only the kernels that it runs are checked.
build/san/kernels/host/execution.o: private SANITIZE += -fno-sanitize=undefined --param=asan-instrument-reads=0 \
	--param=asan-instrument-writes=0 --param=asan-stack=0

# Each run measures how its cores scale. The loop for this takes five times as long with -O1.
build/san/bench/clock/cores.o: private SAN_FLAGS += -O3

build/san/%.host.o: %.cu build/gen/cxx.flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call run,c++,$(CXX) $(CXXFLAGS) -O1 $(SAN_FLAGS) $(HOST_CUDA) -MMD -MP -c $< -o $@)

# The compilers and flags. Objects depend on these files, so they are built again if one changes. A file is rewritten
# only if its content changes.
keep = @mkdir -p $(@D) && printf '%s\n' $(1) > $@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }

build/gen/c.flags: FORCE
	$(call keep,"$$($(CC) --version | head -n 1)" '$(CC) $(CFLAGS) $(SAN_FLAGS)')

build/gen/cxx.flags: FORCE
	$(call keep,"$$($(CXX) --version | head -n 1)" '$(CXX) $(CXXFLAGS) $(HOST_CUDA) $(SAN_FLAGS)' 'OpenCV: $(OPENCV)')

build/gen/nvcc.flags: FORCE build/gen/archs
	$(call keep,"$$($(NVCC) --version | tail -n 2)" '$(NVCC) $(NVCC_FLAGS)')

build/gen/archs: FORCE
	$(call keep,'$(strip $(ARCHS))')

# The list of drivers, sorted by file name. It is rewritten only if it changes.
build/gen/drivers.inc: FORCE
	@mkdir -p $(@D)
	@printf 'DRIVER(%s)\n' $(TABLES:bench/tables/%.c=%) | sed 's|/|, |' | LC_ALL=C sort -t, -k2 > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# One header per operation with its line of the registry (kernels/registered.h). It is rewritten only if it changes.
$(OPERATIONS:%=build/gen/operations/%.h): build/gen/operations/%.h: FORCE
	$(call keep,'#include "kernels/registered.h"' "$$(sed -n 's/^OPERATION\(.$*,\)/OPENED_BY\1/p' bench/registry.def)")

# The configuration: CUDA backend, NPP and cuDNN. It is rewritten only if it changes. Tests are built without CUDA.
build/gen/config.h: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(if $(NVCC),#if !defined AB_WITHOUT_CUDA,)' '$(if $(NVCC),#define AB_WITH_CUDA 1,)' '$(if $(NVCC),#endif,)' \
		'$(if $(NPP),#define AB_WITH_NPP 1,)' '$(if $(CUDNN),#define AB_WITH_CUDNN 1,)' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# Rewritten only if it changes, so that a new commit relinks and rebuilds nothing else. The tests have a file of their
# own, which does not wait for nvcc.
build/gen/build_info.inc: $(CUDA_OBJECTS)
build/gen/build_info.inc build/gen/without_cuda/build_info.inc: FORCE
	@mkdir -p $(@D)
	@scripts/build_info "$(CC)" "$(CFLAGS)" "$(NVCC)" "$(ARCHS)" "$(strip $(NVCC_FLAGS))" "$(OPENCV_INCLUDE)" $(call as_word,$(NPP_HOME)/include) \
		$(call as_word,$(CUDNN_HOME)/include) $(filter %.o,$^) > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

build/obj/bench/record/build_info.o: build/gen/build_info.inc
TEST_BUILD_INFO := build/san/bench/record/build_info.o build/obj/without_cuda/bench/record/build_info.o
$(TEST_BUILD_INFO): build/gen/without_cuda/build_info.inc
$(TEST_BUILD_INFO): private CFLAGS := -Ibuild/gen/without_cuda $(CFLAGS)

-include $(shell find build/obj build/cuda build/san build/fuzz -name '*.d' 2>/dev/null)
