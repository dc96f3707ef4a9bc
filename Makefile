# recon: build, test, install. The two commands that matter:
#
#   make demo    installs what is missing, builds, makes build/demo/report.html of shipped data
#   make test    installs what is missing, builds, runs every test
#
# Also: make bench | check-slow | check-tsan | check-compilers | check-mutants | fuzz | install | uninstall |
# dist | docs | format | features | clean. `make test T=group/so3` builds and runs one test. `make
# SANITIZE=address,undefined` builds into build/debug, SANITIZE=thread into build/tsan; for ARENA=malloc
# see core/arena.h. WERROR=1 makes warnings errors, as .ci/run does.
#
# `make ISA=v2|v3|v4 isa` leaves in build/v3 what of the tests depends on the CPU, with our own loops for
# that level of x86-64 alone; `make check-isa` runs it for each level that the CPU at hand has.
#
# `make CUDA=1` adds the GPU's kernels and builds into build/cuda; on a machine with a GPU `make
# CUDA=1 check-cuda` holds them to ref/, and check-cuda-standalone does so with no other library.

# Semantic: an incompatible change raises the first number, or the second while the first is 0. What
# else names the version is held to this by tests/cli/test_version.sh. Between releases "-dev" follows.
VERSION := 0.3.0-dev
# Of the shared library: raised by one with every release in which a program that was linked with the
# one before could break, and then alone. Callers make the structures, so a field more breaks as much
# as one less, unless it comes from the reserved tail of options; a new function breaks nothing.
SOMAJOR := 1
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=

# Folders in the order in which data may flow: a file includes its own folder and those before it.
LAYERS := core comm ops stats group knn nn data backbone normalize maps model report

CC       ?= cc
CXX      ?= c++
OBJCOPY  ?= objcopy
SANITIZE ?=
CUDA     ?=
BUILD    := build$(if $(CUDA),/cuda)$(if $(SANITIZE),$(if $(filter thread,$(SANITIZE)),/tsan,/debug))
say       = @$(if $(V),set -x;,echo '  $(1)' $@;)# V=1 shows whole commands

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith -Wwrite-strings -Wvla $(if $(WERROR),-Werror)
OPT  := $(if $(SANITIZE),-O1 -fno-omit-frame-pointer,-O3 -fno-math-errno -fno-trapping-math)
COMMON = $(OPT) -g$(if $(SANITIZE),1) -fPIC -fvisibility=hidden -pthread -ffp-contract=fast $(WARN) \
         -D_GNU_SOURCE -DRECON_VERSION='"$(VERSION)"' -Iinclude -Isrc -I. $(FEATURES) \
         $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all) \
         $(if $(filter malloc,$(ARENA)),-DRECON_ARENA_MALLOC)
CFLAGS_ALL   = -std=c11 -Wstrict-prototypes -Wmissing-prototypes $(COMMON) $(CFLAGS)
CXXFLAGS_ALL = -std=c++17 $(COMMON) $(CXXFLAGS)
LDLIBS = -ljansson -lz $(FEATURE_LIBS) $(CUDA_LIBS) -lm -ldl -pthread

# Libraries are found by compiling against them. The absence of an optional one is said, and not fatal;
# `make HAVE_PNG=` builds as if libpng were absent. have: HEADER, LIBS, C++?, and what must be true of it.
FREETYPE_FLAGS := $(or $(shell pkg-config --cflags freetype2 2>/dev/null),-I/usr/include/freetype2)
HASH := \#
comma := ,
# Programs of the build find its plug-ins above them. The old tag: sanitizers stand in front of dlopen.
OWN_PLUGINS := -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN/..:$$ORIGIN/../..:$$ORIGIN/../../..'
have = $(shell printf '%s\n' '$(HASH)include <$(1)>' '$(HASH)if !($(or $(4),1))' '$(HASH)error' \
         '$(HASH)endif' 'int main(void) { return 0; }' | \
         $(if $(3),$(CXX) -x c++ -std=c++17,$(CC) -x c) - -o /dev/null $(2) 2>/dev/null && echo yes)
ifeq ($(filter clean format setup% uninstall dist,$(MAKECMDGOALS)),)
HAVE_JANSSON  := $(call have,jansson.h,-ljansson)
HAVE_ZLIB     := $(call have,zlib.h,-lz)
HAVE_OPENBLAS := $(call have,cblas.h,-lopenblas)
HAVE_DNNL     := $(call have,dnnl.h,-ldnnl,,DNNL_VERSION_MAJOR == 2 || DNNL_VERSION_MAJOR == 3)
HAVE_PNG      := $(call have,png.h,-lpng)
HAVE_JPEG     := $(call have,jpeglib.h,-ljpeg -include stdio.h)
HAVE_TIFF     := $(call have,tiffio.h,-ltiff,,TIFFLIB_VERSION >= 20221213)
HAVE_FREETYPE := $(call have,ft2build.h,$(FREETYPE_FLAGS) -lfreetype)
HAVE_FAISS    := $(call have,faiss/Index.h,-lfaiss -lopenblas -fopenmp,c++)
TEST_LD       := $(if $(call have,stddef.h,-fuse-ld=gold),-fuse-ld=gold) $(OWN_PLUGINS)# half the time, for hundreds
endif
# Each library of these has a plug-in (core/plugin.h), each MPI by its own compiler wrapper: recon itself is
# linked with none.
MPICC_openmpi ?= mpicc.openmpi
MPICC_mpich   ?= mpicc.mpich
ifeq ($(filter clean format setup% uninstall dist,$(MAKECMDGOALS)),)
HAVE_MPI := $(foreach m,openmpi mpich,$(if $(shell printf '%s\n' '$(HASH)include <mpi.h>' \
              'int main(void) { return MPI_Finalize(); }' | \
              $(MPICC_$m) -x c - -o /dev/null 2>/dev/null && echo yes),$m))
endif
LINK_FAISS    := -lfaiss -llapack -lopenblas -lgomp -lstdc++
LINK_OPENBLAS := -lopenblas
LINK_DNNL     := -ldnnl -lgomp
LINK_PNG      := -lpng
LINK_JPEG     := -ljpeg
LINK_TIFF     := -ltiff
FOUND         := $(foreach f,PNG JPEG TIFF,$(if $(filter yes,$(HAVE_$f)),$f))
FEATURES      += $(FOUND:%=-DRECON_HAVE_%)
ifeq ($(HAVE_FREETYPE),yes)# of recon-lab, not of the library
FEATURES      += -DRECON_HAVE_FREETYPE
LAB_LIBS      := -lfreetype
endif
FEATURE_LIBS  += $(foreach f,$(FOUND),$(LINK_$f))

# What recon cannot be built without: said by name, before a compiler complains.
ifeq ($(filter check-cuda-standalone,$(MAKECMDGOALS)),)
NEEDED := $(if $(shell command -v $(firstword $(CC))), \
            $(if $(HAVE_JANSSON),,jansson (Debian: libjansson-dev)) \
            $(if $(HAVE_ZLIB),,zlib (Debian: zlib1g-dev)), \
            a C compiler: there is no $(CC) (Debian: gcc))
endif

# CUDA is asked for by name: its absence is then an error that says what is missing.
ifneq ($(CUDA),)
CUDA_FOUND := $(shell tools/find-cuda)
NVCC       := $(word 1,$(CUDA_FOUND))
ifeq ($(NVCC),)
$(error CUDA=1: see above)
endif
CUDA_LIBS  := $(wordlist 4,99,$(CUDA_FOUND))
FEATURES   += -DRECON_HAVE_CUDA
# Code for these, and PTX for what comes after; an older nvcc knows fewer.
CUDA_ARCHS ?= 75 80 86 89 90 100
CUDA_KNOWN := $(filter $(shell $(NVCC) --list-gpu-code 2>/dev/null | sed 's/^sm_//'),$(CUDA_ARCHS))
CUDA_PTX   := $(lastword $(CUDA_KNOWN))
NVCC_FLAGS := -std=c++20 -O3 -lineinfo $(foreach a,$(CUDA_KNOWN),-gencode arch=compute_$a,code=sm_$a) \
              -gencode arch=compute_$(CUDA_PTX),code=compute_$(CUDA_PTX) $(if $(WERROR),--Werror all-warnings -Xcompiler -Werror) \
              -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra,-Wshadow \
              $(wordlist 2,3,$(CUDA_FOUND)) -Iinclude -Isrc
endif

C_SRC   := $(filter-out %/plugin.c,$(wildcard $(addsuffix /*.c,$(addprefix src/,$(LAYERS))) src/ops/*/*.c src/group/*/*.c)) \
           src/core/plugin.c
CU_SRC  := $(if $(CUDA),$(wildcard src/ops/cuda/*.cu))
CU_OBJ  := $(if $(CU_SRC),$(BUILD)/src/ops/cuda.o)
OBJ     := $(C_SRC:%.c=$(BUILD)/%.o) $(CU_OBJ)
PAGE_TEXT := $(BUILD)/src/report/page_text# the page's style sheet and script, as C
OBJ     += $(PAGE_TEXT).o
CLI_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cli/*.c))
# What both programs are made of, and the experiments, which tests and benches use too.
FRAME_OBJ := $(filter-out $(BUILD)/cli/main.o $(BUILD)/cli/lab.o $(BUILD)/cli/cmd_%.o,$(CLI_OBJ))
LAB_OBJ   := $(patsubst %.c,$(BUILD)/%.o,$(filter-out lab/main.c lab/cmd_%.c,$(wildcard lab/*.c)))
LAB_CMD   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard lab/main.c lab/cmd_*.c))
# `recon` with a third domain and a third group, for tests/cli/test_third.sh.
THIRD   := $(BUILD)/tests/cli/third
SLOW    := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/slow/test_*.c))
TESTS   := $(filter-out $(SLOW),$(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*/test_*.c)))
BENCHES := $(patsubst bench/%.c,$(BUILD)/bench/%,$(filter-out $(if $(HAVE_OPENBLAS),,bench/bench_knn.c),$(wildcard \
           bench/bench_*.c))) \
           $(if $(filter yes,$(HAVE_FAISS)),$(BUILD)/bench/peer_faiss)
PLUGINS := $(addprefix $(BUILD)/recon-,$(HAVE_MPI:%=comm-%.so) $(if $(filter yes,$(HAVE_FAISS)),knn-faiss.so) \
             $(if $(filter yes,$(HAVE_OPENBLAS)),ops-blas.so) $(if $(filter yes,$(HAVE_DNNL)),ops-onednn.so))
EXAMPLES := $(patsubst examples/%.c,$(BUILD)/examples/%,$(wildcard examples/*.c))
LIB_A   := $(BUILD)/librecon.a
LIB_SO  := $(BUILD)/librecon.so.$(VERSION)

# Files whose loops are compiled for several levels of x86-64, and the programs that run them.
ISA      ?=
ISA_BASE := build/$(ISA)
ISA_LOOPS = $(shell grep -l 'core/simd.h' $(C_SRC))
ISA_OBJ   = $(ISA_LOOPS:%.c=$(ISA_BASE)/%.o)
ISA_REST  = $(filter-out $(ISA_LOOPS:%.c=build/%.o),$(OBJ))
ISA_TESTS = $(patsubst tests/%.c,$(ISA_BASE)/tests/%,$(filter %.c,$(shell tools/list-isa $(if $(ISA_ALL),--all-tests,--tests) $(ISA_BASE))))

.PHONY: FORCE all lib tests setup setup-test setup-slow setup-bench test demo bench check-slow fuzz \
        fuzz-targets check-cuda check-cuda-standalone install uninstall wheel dist docs format check-format \
        check-layers check-tsan check-compilers check-mutants check-isa check-emulated build-isa isa features clean
.DELETE_ON_ERROR:
.SECONDARY:

all: lib $(BUILD)/recon $(BUILD)/recon-lab $(PLUGINS) $(EXAMPLES)
lib: $(LIB_A) $(BUILD)/librecon.so
tests: $(TESTS) $(BUILD)/recon $(BUILD)/recon-lab $(PLUGINS) $(EXAMPLES) $(THIRD)

# One line a change of compiler, flags or features cannot get past: everything depends on it.
FLAGS_NOW := $(CC) $(CFLAGS_ALL) | $(CXX) $(CXXFLAGS_ALL) | $(NVCC) $(NVCC_FLAGS) | $(LDLIBS)| $(PLUGINS)
$(BUILD)/flags: FORCE
	$(if $(strip $(NEEDED)),@echo 'recon needs $(strip $(NEEDED)); `make setup` installs what is missing' >&2; exit 1)
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || \
	 { printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' > $@; $(MAKE) -s --no-print-directory features; }
FORCE:

features:
	@with() { case $$2 in yes) echo "with    $$1" ;; *) echo "without $$1: $$3 (Debian: $$4)" ;; esac; }; \
	 with oneDNN '$(HAVE_DNNL)' 'convolutions by OpenBLAS, or by plain loops' libdnnl-dev; \
	 with OpenBLAS '$(HAVE_OPENBLAS)' 'matrix products by oneDNN, or by plain loops' libopenblas-dev; \
	 with FAISS '$(HAVE_FAISS)' 'no approximate search for neighbours' libfaiss-dev; \
	 with 'Open MPI' '$(if $(filter openmpi,$(HAVE_MPI)),yes)' 'no ranks under its mpirun' libopenmpi-dev; \
	 with MPICH '$(if $(filter mpich,$(HAVE_MPI)),yes)' 'no ranks under its mpirun' libmpich-dev; \
	 with libpng '$(HAVE_PNG)' 'no PNG files' libpng-dev; \
	 with libjpeg '$(HAVE_JPEG)' 'no JPEG files' libjpeg62-turbo-dev; \
	 with libtiff '$(HAVE_TIFF)' 'no TIFF files' libtiff-dev; \
	 with FreeType '$(HAVE_FREETYPE)' 'no letters to draw, for `recon reproduce letters`' libfreetype-dev

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC )$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@
$(BUILD)/%.o: %.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX)$(CXX) $(CXXFLAGS_ALL) -MMD -MP -c $< -o $@
$(BUILD)/%.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,NV )$(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
$(PAGE_TEXT).c: src/report/page.css src/report/page.js tools/embed
	@mkdir -p $(@D)
	$(call say,GEN)tools/embed recon_page_css src/report/page.css recon_page_js src/report/page.js > $@
$(PAGE_TEXT).o: $(PAGE_TEXT).c $(BUILD)/flags
	$(call say,CC )$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

$(LIB_A): $(OBJ)
	@rm -f $@
	$(call say,AR )$(AR) rcs $@ $^
# What the headers declare, and nothing else: gcc makes loops that it compiles for several CPUs visible
# whatever -fvisibility says.
EXPORTS := $(BUILD)/exports.map
$(EXPORTS): tools/list-api $(wildcard include/recon/*.h include/recon/*/*.h)
	@mkdir -p $(@D)
	$(call say,GEN)tools/list-api exports > $@
link_so = $(CC) $(CFLAGS_ALL) -shared -Wl,-soname,librecon.so.$(SOMAJOR) -Wl,-z,defs \
	  -Wl,--version-script=$(EXPORTS) -Wl,--exclude-libs,ALL -o $(1) $(2) $(LDLIBS)
$(LIB_SO): $(OBJ) $(EXPORTS)
	$(call say,LD )$(call link_so,$@,$(OBJ))
$(BUILD)/librecon.so: $(LIB_SO)
	@ln -sf librecon.so.$(VERSION) $(BUILD)/librecon.so.$(SOMAJOR)
	@ln -sf librecon.so.$(SOMAJOR) $@

$(BUILD)/recon-comm-%.so: src/comm/mpi/plugin.c src/comm/engine.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LD )$(MPICC_$*) -std=gnu11 -O2 -g -fPIC -shared -fvisibility=hidden $(filter-out -Wpedantic -Werror,$(WARN)) \
	  -DRECON_VERSION='"$(VERSION)"' -DRECON_ENGINE_NAME='"$*"' -Iinclude -Isrc -o $@ $<
$(BUILD)/recon-ops-onednn.so: $(BUILD)/src/ops/onednn/plugin.o
	$(call say,LD )$(CC) $(CFLAGS_ALL) -shared -o $@ $< $(LINK_DNNL)
$(BUILD)/recon-ops-blas.so: $(BUILD)/src/ops/blas/plugin.o
	$(call say,LD )$(CC) $(CFLAGS_ALL) -shared -o $@ $< $(LINK_OPENBLAS)
$(BUILD)/recon-knn-faiss.so: $(BUILD)/src/knn/faiss/plugin.o
	$(call say,LD )$(CXX) $(CXXFLAGS_ALL) -shared -o $@ $< $(LINK_FAISS)

# The GPU's part as one object in which the linker sees nothing that is not called recon_.
$(BUILD)/src/ops/cuda.o: $(CU_SRC:%.cu=$(BUILD)/%.o)
	$(call say,LD )$(LD) -r --force-group-allocation -o $@ $^ && \
	  $(OBJCOPY) --wildcard --keep-global-symbol='recon_*' $@

# What OpenBLAS asks the command, and would not see otherwise (cli/process.c).
SEEN := -Wl,--export-dynamic-symbol=openblas_num_threads_env
$(BUILD)/recon: $(CLI_OBJ) $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) $(SEEN) -o $@ $^ $(LDLIBS)
$(BUILD)/recon-lab: $(LAB_CMD) $(LAB_OBJ) $(FRAME_OBJ) $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) $(SEEN) -o $@ $^ $(LAB_LIBS) $(LDLIBS)
$(BUILD)/tests/lab/%: $(BUILD)/tests/lab/%.o $(LAB_OBJ) $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) $(TEST_LD) -o $@ $^ -lcmocka $(LAB_LIBS) $(LDLIBS)
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) $(TEST_LD) -o $@ $^ -lcmocka $(LDLIBS)
# Tests are compiled and linked many times as often as they are run: little of their time is in loops of
# their own.
$(BUILD)/tests/%.o: COMMON += -Itests
$(BUILD)/tests/%.o: OPT := $(if $(SANITIZE),-O0,-O1 -fno-math-errno)
$(if $(SANITIZE),$(CLI_OBJ) $(LAB_CMD) $(LAB_OBJ): OPT := -O0)
$(BUILD)/lab/letters_fonts.o: COMMON += $(FREETYPE_FLAGS)
$(THIRD): $(THIRD).o $(CLI_OBJ) $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) $(TEST_LD) $(SEEN) -o $@ $^ $(LDLIBS) \
	  $(addprefix -Wl$(comma)--wrap=,recon_ctx_new recon_data_is recon_data_kind_of recon_data_open)
# What is preloaded before `recon` by tests/trust/test_whole.c.
SHIM := $(BUILD)/tests/trust/shim.so
$(SHIM): tests/trust/shim.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,LD )$(CC) -std=gnu11 -O1 -fPIC -shared -D_GNU_SOURCE $(WARN) -o $@ $< -ldl
$(TESTS) $(SLOW) $(BENCHES) $(EXAMPLES): | $(PLUGINS)
$(BUILD)/tests/trust/test_whole: | $(SHIM) $(BUILD)/recon $(BUILD)/recon-lab
# What tests/trust/failing.h stands in front of.
FAULTS := malloc calloc aligned_alloc strdup realpath free pthread_create inflateInit2_ inflate \
          open openat fstat read write pwrite fsync rename renameat renameat2 linkat \
          unlinkat mkdir mkdirat mmap opendir readdir scandir json_loadb recon_plugin_get
$(BUILD)/tests/trust/test_faults_% $(BUILD)/tests/trust/test_soak $(BUILD)/tests/slow/test_soak: \
  LDLIBS += $(FAULTS:%=-Wl$(comma)--wrap=%)
$(BUILD)/bench/bench_knn: LAB_LIBS += $(LINK_OPENBLAS)# which it measures against
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LAB_OBJ) $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) $(TEST_LD) -o $@ $^ $(LAB_LIBS) $(LDLIBS)
$(BUILD)/bench/peer_faiss: $(BUILD)/bench/peer_faiss.o $(LIB_A)
	$(call say,LD )$(CXX) $(CXXFLAGS_ALL) -fopenmp -o $@ $^ $(LINK_FAISS) $(LDLIBS)
# Examples see what a user sees: the public headers and the library.
$(BUILD)/examples/%: examples/%.c $(LIB_A)
	@mkdir -p $(@D)
	$(call say,CC )$(CC) -std=c99 $(OPT) -g $(WARN) -Iinclude $(if $(SANITIZE),-fsanitize=$(SANITIZE)) \
	  -o $@ $< $(LIB_A) $(OWN_PLUGINS) $(LDLIBS)

setup:
	@tools/setup build
setup-test:
	@tools/setup build test
setup-slow:
	@tools/setup build test slow
setup-bench:
	@tools/setup build bench

SANITIZERS := address,undefined
CORES := $(shell nproc)
# What each step takes stays in build/test-times: seconds of CPU, seconds that went by, its name.
PHASES := build/phase-times
timed   = @tools/timed $(PHASES) '$(1)' $(MAKE) --no-print-directory
ifeq ($(T),)
test: setup-test
	@rm -f $(PHASES)
	$(call timed,layers and format) check-layers check-format
	$(call timed,make all tests benches) -j$(CORES) all tests $(BENCHES)
	$(call timed,make build-isa) build-isa
	$(call timed,make SANITIZE=$(SANITIZERS) tests) -j$(CORES) SANITIZE=$(SANITIZERS) tests
	@tools/run-tests
else
# One test: what it needs and no more, in both builds. A script's first lines say if it runs in one alone.
T_FILE  := $(wildcard $(addprefix tests/$(dir $(T))test_$(notdir $(T)),.c .sh))
T_PLAIN := $(if $(filter %.sh,$(T_FILE)),$(shell head -n 16 $(T_FILE) | grep -e '!= build \]' -e 'python\.sh'))
T_NEEDS  = $(if $(filter %.c,$(T_FILE)),$(T_FILE:%.c=$(1)/%),$(if $(T_FILE),all)) \
           $(if $(filter report/browser,$(T)),$(1)/tests/report/test_page) $(if $(filter cli/third,$(T)),$(1)/tests/cli/third)
test: setup-test
	$(if $(T_FILE),@$(MAKE) --no-print-directory -j$(CORES) $(call T_NEEDS,build))
	$(if $(T_PLAIN),,$(if $(T_FILE),@$(MAKE) --no-print-directory -j$(CORES) SANITIZE=$(SANITIZERS) $(call T_NEEDS,build/debug)))
	@tools/run-tests '$(T)'
endif

# Several contexts in several threads, under ThreadSanitizer: a third build of the library, so not a
# part of `make test` but of check-slow.
TSAN_TESTS := $(patsubst %,build/tsan/tests/%,nn/test_contexts trust/test_one_model)
check-tsan:
	@$(MAKE) --no-print-directory -j$(CORES) SANITIZE=thread $(TSAN_TESTS)
	@for t in $(TSAN_TESTS); do echo "== $$t"; $$t || exit 1; done

# No warning from clang, nor from gcc at the levels at which others build, where it sees other paths.
check-compilers:
	@for with in 'CC=clang CXX=clang++' 'CFLAGS=-O1 CXXFLAGS=-O1' 'CFLAGS=-Os CXXFLAGS=-Os'; do echo "== $$with"; \
	  $(MAKE) -s --no-print-directory -j$(CORES) BUILD=build/compilers WERROR=1 $$with all || exit 1; done

# What depends on the CPU, for each instruction set that it has (tools/list-isa): a part of it in `make
# test`, all of it in check-isa. Objects without such loops are shared with the plain build.
ifneq ($(ISA),)
isa: $(ISA_TESTS) $(ISA_BASE)/recon
	@:
$(ISA_OBJ): $(ISA_BASE)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC )$(CC) $(CFLAGS_ALL) -march=x86-64-$(ISA) -DRECON_ISA -MMD -MP -c $< -o $@
$(ISA_BASE)/librecon.a: $(ISA_OBJ) $(ISA_REST)
	@rm -f $@
	$(call say,AR )$(AR) rcs $@ $^
$(ISA_BASE)/recon: $(CLI_OBJ) $(ISA_BASE)/librecon.a
	$(call say,LD )$(CC) $(CFLAGS_ALL) $(TEST_LD) $(SEEN) -o $@ $^ $(LDLIBS)
$(ISA_TESTS): $(ISA_BASE)/tests/%: build/tests/%.o $(ISA_BASE)/librecon.a
	@mkdir -p $(@D)
	$(call say,LD )$(CC) $(CFLAGS_ALL) $(TEST_LD) -o $@ $^ -lcmocka $(LDLIBS)
-include $(ISA_OBJ:.o=.d)
endif
build-isa:
	@for isa in $$(tools/list-isa $(if $(ISA_ALL),--all) | sed -n 's|^build/\(v[0-9]\):.*|\1|p'); do \
	  $(MAKE) --no-print-directory -j$(CORES) ISA=$$isa isa || exit 1; done
check-isa:
	@$(MAKE) --no-print-directory -j$(CORES) all tests
	@$(MAKE) --no-print-directory ISA_ALL=1 build-isa
	@tools/run-tests --isa

# The readers of hostile files, as libFuzzer targets: built with clang and sanitizers, and run by `make
# fuzz`, for a second each in check-slow. In `make test` tests/fuzz/test_corpus is the same targets without
# libFuzzer, over the files in tests/fuzz/corpus, cut and damaged.
FUZZ_SECONDS ?= 300
FUZZ_CC      ?= clang
FUZZ_WITH    := $(filter PNG JPEG TIFF,$(FOUND))
FUZZ_FLAGS   := -std=c11 -O0 -g1 -w -pthread -fno-sanitize-recover=all -D_GNU_SOURCE \
                -DRECON_VERSION='"$(VERSION)"' -DRECON_FUZZER -Iinclude -Isrc -Itests -Itests/fuzz \
                $(FUZZ_WITH:%=-DRECON_HAVE_%)
FUZZ_CASES   := $(wildcard tests/fuzz/fuzz_*.c)
FUZZERS      := $(FUZZ_CASES:tests/fuzz/fuzz_%.c=build/fuzz/%)
fuzz:
	@if echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | \
	  $(FUZZ_CC) -x c -fsanitize=fuzzer - -o /dev/null 2>/dev/null; \
	then $(MAKE) --no-print-directory fuzz-targets; else echo 'without libFuzzer (not found)'; fi
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run-targets
fuzz-targets: $(FUZZERS)
	@:
build/fuzz/src/core/%.o build/fuzz/src/data/%.o: FUZZ_FLAGS += -O1
build/fuzz/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,FZ )$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c $< -o $@
build/fuzz/librecon.a: $(C_SRC:%.c=build/fuzz/%.o) $(PAGE_TEXT:%=build/fuzz/%.o)
	@rm -f $@
	$(call say,AR )$(AR) rcs $@ $^
build/fuzz/%: build/fuzz/tests/fuzz/fuzz_%.o build/fuzz/librecon.a
	$(call say,LD )$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ \
	  -ljansson $(foreach f,$(FUZZ_WITH),$(LINK_$f)) -lz -lm
$(BUILD)/tests/fuzz/test_corpus $(BUILD)/tests/fuzz/test_mutations: \
  $(BUILD)/tests/fuzz/test_%: $(BUILD)/tests/fuzz/test_%.o $(FUZZ_CASES:%.c=$(BUILD)/%.o) $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) $(TEST_LD) -o $@ $^ -lcmocka $(LDLIBS)
$(BUILD)/tests/fuzz/%.o: COMMON += -Itests/fuzz
$(BUILD)/tests/fuzz/fuzz_%.o: COMMON += -DLLVMFuzzerTestOneInput=$(basename $(@F))

# The cuda table against ref/. The standalone check needs a compiler and CUDA, no other library: the
# same tests with a stand-in for cmocka, TAP lines, then times against the GPU's ceilings, with the
# plans cuDNN's heuristics choose and with the fastest.
ifneq ($(CUDA),)
CORE_PLAIN := $(filter-out $(patsubst %,src/core/%.c,folder json np% owned safetensors),$(wildcard src/core/*.c))
PLAIN_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(CORE_PLAIN) $(wildcard src/comm/*.c src/ops/*.c src/ops/*/*.c)) $(CU_OBJ)
check-cuda: $(BUILD)/tests/ops/test_ops
	$<
check-cuda-standalone: $(BUILD)/plain/test_ops $(BUILD)/plain/test_graph $(BUILD)/plain/time_cuda
	@failed=0; for run in test_ops test_graph time_cuda 'time_cuda --tune'; do \
	  echo "== $$run"; $(BUILD)/plain/$$run || failed=1; done; exit $$failed
$(BUILD)/plain/%.o: tests/ops/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC )$(CC) $(CFLAGS_ALL) -Itests/plain -Itests -MMD -MP -c $< -o $@
$(BUILD)/plain/%: $(BUILD)/plain/%.o $(PLAIN_OBJ)
	$(call say,LD )$(CC) $(CFLAGS_ALL) -o $@ $^ $(FEATURE_LIBS) $(CUDA_LIBS) -lm -pthread
else
check-cuda check-cuda-standalone:
	@$(MAKE) --no-print-directory CUDA=1 $@
endif

demo: setup
	@$(MAKE) --no-print-directory -j$(CORES) all
	@$(BUILD)/recon demo --out $(BUILD)/demo

# On an emulated CPU with AVX2 and no more, whatever the one at hand has: programs by themselves, because
# emulation does not reach child processes. AVX-512 cannot be emulated.
EMULATED := $(filter $(addprefix build/tests/,$(addsuffix /%,ops nn knn stats group)),$(TESTS))
check-emulated: setup-slow
	@$(MAKE) --no-print-directory -j$(CORES) $(EMULATED)
	@printf '%s\n' $(EMULATED) | xargs -P$(CORES) -I{} sh -c 'said=$$(qemu-x86_64 -cpu Haswell {} 2>&1); \
	  code=$$?; echo "== Haswell: {}: $$code"; [ $$code -eq 0 ] || { echo "$$said"; exit 255; }'

# An hour, not minutes: exactness at size, everything that is interrupted or cut, and the tables of
# docs/statistics*.md anew. A part that fails does not keep the others from running: what failed is listed.
MUTATIONS ?= 40000
TABLES := so2_mean so2_width so3_fit so3_modes
SLOW_PARTS := check-compilers check-tsan check-emulated check-isa \
              $(SLOW:$(BUILD)/tests/slow/test_%=slow-%) slow-mutations slow-fuzz slow-whole \
              $(addprefix slow-cli/,reproduce rivals interrupts export demo letters bare wheel) \
              slow-docs/tutorials $(TABLES:%=table-%)
check-slow: setup-slow
	@failed=; for part in $(SLOW_PARTS); do echo "== $$part: $$(date -u '+%F %H:%M:%S')"; \
	  $(MAKE) --no-print-directory $$part || failed="$$failed $$part"; done; \
	echo "== done: $$(date -u '+%F %H:%M:%S'), $(words $(SLOW_PARTS)) parts, failed:$${failed:- none}"; [ -z "$$failed" ]
slow-%: $(BUILD)/tests/slow/test_%
	@$<
slow-mutations:
	@$(MAKE) --no-print-directory -j$(CORES) SANITIZE=$(SANITIZERS) build/debug/tests/fuzz/test_mutations
	@MUTATIONS=$(MUTATIONS) build/debug/tests/fuzz/test_mutations
slow-fuzz:
	@$(MAKE) --no-print-directory FUZZ_SECONDS=1 fuzz
slow-whole: $(BUILD)/tests/trust/test_whole
	@RECON_BUILD=$(BUILD) RECON_SLOW=1 $<
slow-cli/% slow-docs/%: all
	@RECON_SLOW=1 tests/$(@D:slow-%=%)/test_$(@F).sh
table-%: $(BUILD)/bench/bench_%
	@$<

# Whether the tests notice errors: N files of src/ with one each, drawn by SEED.
N    ?= 60
SEED ?= 1
check-mutants: setup-test
	@tools/check-mutants $(N) $(SEED)

bench: setup-bench
	@$(MAKE) --no-print-directory all $(BENCHES)
	@bench/run $(T)

check-layers:
	@tools/check-layers $(LAYERS) cli lab

FORMATTED = $(shell tools/list-files --new .c .h .cc .cu)
format:
	clang-format -i $(FORMATTED)
check-format:
	@clang-format --dry-run --Werror $(FORMATTED)

# CLI reference, C API reference, manual page and shell completion, from the options and the headers.
# They are committed: a test says when they are stale.
docs: $(BUILD)/recon $(BUILD)/recon-lab
	@tools/make-docs $(BUILD)/recon $(VERSION) .

SHIPPED := $(wildcard data/conformers data/garments data/so2 data/so3)
quoted   = '$(subst ','\'',$(1))'
INSTALL  = DESTDIR=$(call quoted,$(DESTDIR)) PREFIX=$(call quoted,$(PREFIX)) LIBDIR=$(call quoted,$(LIBDIR)) \
           BUILD='$(BUILD)' VERSION='$(VERSION)' \
           SOMAJOR='$(SOMAJOR)' PLUGINS='$(PLUGINS)' LIBS='$(LDLIBS)' DATA='$(SHIPPED)' tools/install
# The libraries know the prefix: an object of one line is compiled for it, and takes the place of the build's.
install: all
	@mkdir -p $(BUILD)/installed
	@$(CC) $(CFLAGS_ALL) -DRECON_PREFIX='"$(PREFIX)"' -c src/core/prefix.c -o $(BUILD)/installed/prefix.o
	@cp $(LIB_A) $(BUILD)/installed && $(AR) r $(BUILD)/installed/librecon.a $(BUILD)/installed/prefix.o
	@$(call link_so,$(BUILD)/installed/librecon.so,$(filter-out %/core/prefix.o,$(OBJ)) $(BUILD)/installed/prefix.o)
	@$(INSTALL)
uninstall:
	@$(INSTALL) --remove

# Self-contained: the libraries it is linked with lie beside it, where the old tag lets them find each other.
wheel: private LDLIBS += -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN'
wheel: $(OBJ) $(EXPORTS)
	@mkdir -p $(BUILD)/wheel
	@$(call link_so,$(BUILD)/wheel/librecon.so,$(OBJ)) && $(or $(STRIP),strip) $(BUILD)/wheel/librecon.so
	@tools/make-wheel $(BUILD)/wheel/librecon.so $(BUILD)/wheel

dist:
	@tools/make-dist $(VERSION) build/recon-$(VERSION).tar.gz

clean:
	rm -rf build python/build python/*.egg-info compile_commands.json
	find python tests examples tools -name __pycache__ -prune -exec rm -rf {} +

# Of this build: to read those of the others too takes half a second.
OTHERS := $(foreach b,debug tsan cuda v2 v3 v4 compilers mutants,-path $(BUILD)/$b -prune -o)
-include $(shell find $(BUILD) $(OTHERS) -name '*.d' -print 2>/dev/null)
