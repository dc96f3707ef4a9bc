# recon: build, test, install. The two commands that matter:
#
#   make demo    installs what is missing, builds, runs the main job on shipped data
#   make test    installs what is missing, builds, runs every test
#
# Also: make bench | check-slow | fuzz | install | format | clean. `make test T=group/so3` runs one
# test; `make SANITIZE=address,undefined` builds into build/debug, SANITIZE=thread into build/tsan;
# ARENA=malloc see core/arena.h.
#
# `make CUDA=1` adds the GPU's kernels and builds into build/cuda; on a machine with a GPU `make
# CUDA=1 check-cuda` holds them to ref/, and check-cuda-standalone does so with no other library.

VERSION := 0.1.0
SOMAJOR := 0
PREFIX  ?= /usr/local
DESTDIR ?=

# Folders in the order in which data may flow: a file includes its own folder and those before it.
LAYERS := core ops group stats knn nn data backbone normalize maps apps report

CC       ?= cc
CXX      ?= c++
SANITIZE ?=
CUDA     ?=
BUILD    := build$(if $(CUDA),/cuda)$(if $(SANITIZE),$(if $(filter thread,$(SANITIZE)),/tsan,/debug))
say       = @$(if $(V),set -x;,echo '  $(1)' $@;)# V=1 shows whole commands

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith -Wwrite-strings -Wvla -Werror
OPT  := $(if $(SANITIZE),-O1 -fno-omit-frame-pointer,-O3 -fno-math-errno -fno-trapping-math)
COMMON = $(OPT) -g -fPIC -fvisibility=hidden -pthread -ffp-contract=fast $(WARN) \
         -D_GNU_SOURCE -DRECON_VERSION='"$(VERSION)"' -Iinclude -Isrc -I. $(FEATURES) \
         $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all) \
         $(if $(filter malloc,$(ARENA)),-DRECON_ARENA_MALLOC)
CFLAGS_ALL   = -std=c11 -Wstrict-prototypes -Wmissing-prototypes $(COMMON) $(CFLAGS)
CXXFLAGS_ALL = -std=c++17 $(COMMON) $(CXXFLAGS)
LDLIBS = -ljansson -lz $(FEATURE_LIBS) $(CUDA_LIBS) -lm -pthread

# Optional libraries: found by compiling against them, absence is said and not fatal.
HASH := \#
have = $(shell printf '$(HASH)include <$(1)>\nint main(void){return 0;}\n' | \
         $(if $(3),$(CXX) -x c++ -std=c++17,$(CC) -x c) - -o /dev/null $(2) 2>/dev/null && echo yes)
ifeq ($(filter clean format setup%,$(MAKECMDGOALS)),)
HAVE_OPENBLAS := $(call have,cblas.h,-lopenblas)
HAVE_DNNL     := $(call have,dnnl.h,-ldnnl)
HAVE_PNG      := $(call have,png.h,-lpng)
HAVE_FAISS    := $(call have,faiss/Index.h,-lfaiss -lopenblas -fopenmp,c++)
endif
ifeq ($(HAVE_OPENBLAS),yes)
FEATURES += -DRECON_HAVE_OPENBLAS
FEATURE_LIBS += -lopenblas
endif
ifeq ($(HAVE_DNNL),yes)
FEATURES += -DRECON_HAVE_DNNL
FEATURE_LIBS += -ldnnl -lgomp
endif
ifeq ($(HAVE_PNG),yes)
FEATURES += -DRECON_HAVE_PNG
FEATURE_LIBS += -lpng
endif
ifeq ($(HAVE_FAISS),yes)
FEATURES += -DRECON_HAVE_FAISS
FEATURE_LIBS := -lfaiss $(FEATURE_LIBS) -llapack -lgomp -lstdc++
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
NVCC_FLAGS := -std=c++20 -O3 -lineinfo -gencode arch=compute_90,code=sm_90 \
              -gencode arch=compute_90,code=compute_90 --Werror all-warnings \
              -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra,-Wshadow,-Werror \
              $(wordlist 2,3,$(CUDA_FOUND)) -Iinclude -Isrc
endif

C_SRC   := $(wildcard $(addsuffix /*.c,$(addprefix src/,$(LAYERS))) src/ops/*/*.c)
CXX_SRC := $(if $(filter yes,$(HAVE_FAISS)),$(wildcard src/knn/*.cc))
CU_SRC  := $(if $(CUDA),$(wildcard src/ops/cuda/*.cu))
OBJ     := $(C_SRC:%.c=$(BUILD)/%.o) $(CXX_SRC:%.cc=$(BUILD)/%.o) $(CU_SRC:%.cu=$(BUILD)/%.o)
PAGE_TEXT := $(BUILD)/src/report/page_text# the page's style sheet and script, as C
OBJ     += $(PAGE_TEXT).o
CLI_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cli/*.c))
SLOW    := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/slow/test_*.c))
TESTS   := $(filter-out $(SLOW),$(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*/test_*.c)))
BENCHES := $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/bench_*.c)) \
           $(if $(filter yes,$(HAVE_FAISS)),$(BUILD)/bench/peer_faiss)
EXAMPLES := $(patsubst examples/%.c,$(BUILD)/examples/%,$(wildcard examples/*.c))
LIB_A   := $(BUILD)/librecon.a
LIB_SO  := $(BUILD)/librecon.so.$(VERSION)

.PHONY: FORCE all lib tests setup setup-test setup-bench test demo bench check-slow fuzz fuzz-brief \
        fuzz-targets check-cuda check-cuda-standalone install uninstall format check-format \
        check-layers check-tsan features clean
.DELETE_ON_ERROR:
.SECONDARY:

all: lib $(BUILD)/recon $(EXAMPLES)
lib: $(LIB_A) $(BUILD)/librecon.so
tests: $(TESTS) $(BUILD)/recon $(EXAMPLES)

# One line a change of compiler, flags or features cannot get past: everything depends on it.
FLAGS_NOW := $(CC) $(CFLAGS_ALL) | $(CXX) $(CXXFLAGS_ALL) | $(NVCC) $(NVCC_FLAGS) | $(LDLIBS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || \
	 { printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' > $@; $(MAKE) -s --no-print-directory features; }
FORCE:

features:
	@for f in "OpenBLAS:$(HAVE_OPENBLAS)" "oneDNN:$(HAVE_DNNL)" "FAISS:$(HAVE_FAISS)" \
	  "libpng:$(HAVE_PNG)"; do \
	  case $$f in *:yes) echo "with    $${f%%:*}" ;; *) echo "without $${f%%:*} (not found)" ;; esac; done

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC )$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@
$(BUILD)/%.o: %.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CXX)$(CXX) $(CXXFLAGS_ALL) -fopenmp -MMD -MP -c $< -o $@
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
$(LIB_SO): $(OBJ)
	$(call say,LD )$(CC) $(CFLAGS_ALL) -shared -Wl,-soname,librecon.so.$(SOMAJOR) -Wl,-z,defs \
	  -Wl,--exclude-libs,ALL -o $@ $^ $(LDLIBS)
$(BUILD)/librecon.so: $(LIB_SO)
	@ln -sf librecon.so.$(VERSION) $(BUILD)/librecon.so.$(SOMAJOR)
	@ln -sf librecon.so.$(SOMAJOR) $@

$(BUILD)/recon: $(CLI_OBJ) $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) -o $@ $^ $(LDLIBS)
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) -o $@ $^ -lcmocka $(LDLIBS)
$(BUILD)/tests/%.o: COMMON += -Itests
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) -o $@ $^ $(LDLIBS)
$(BUILD)/bench/peer_faiss: $(BUILD)/bench/peer_faiss.o $(LIB_A)
	$(call say,LD )$(CXX) $(CXXFLAGS_ALL) -fopenmp -o $@ $^ $(LDLIBS)
# Examples see what a user sees: the public headers and the library.
$(BUILD)/examples/%: examples/%.c $(LIB_A)
	@mkdir -p $(@D)
	$(call say,CC )$(CC) -std=c99 $(OPT) -g $(WARN) -Iinclude $(if $(SANITIZE),-fsanitize=$(SANITIZE)) \
	  -o $@ $< $(LIB_A) $(LDLIBS)

setup:
	@tools/setup build
setup-test:
	@tools/setup build test
setup-bench:
	@tools/setup build bench

SANITIZERS := address,undefined
CORES := $(shell nproc)
test: setup-test
	@$(MAKE) --no-print-directory check-layers check-format
	@$(MAKE) --no-print-directory -j$(CORES) all tests
	@$(MAKE) --no-print-directory -j$(CORES) SANITIZE=$(SANITIZERS) tests
	@$(MAKE) --no-print-directory -j$(CORES) SANITIZE=thread build/tsan/$(TSAN_TEST)
	@$(MAKE) --no-print-directory -j$(CORES) fuzz-brief
	@tools/run-tests '$(T)'

# Two contexts in two threads, under ThreadSanitizer.
TSAN_TEST := tests/nn/test_contexts
check-tsan:
	@$(MAKE) --no-print-directory SANITIZE=thread build/tsan/$(TSAN_TEST)
	@build/tsan/$(TSAN_TEST)

# The readers of hostile files, as libFuzzer targets: built with clang and sanitizers, run briefly by
# tests/fuzz/test_fuzz.sh in `make test` and at length by `make fuzz`. tests/fuzz/test_corpus is the
# same targets without libFuzzer, over the files in tests/fuzz/corpus.
FUZZ_SECONDS ?= 300
FUZZ_CC      ?= clang
FUZZ_PNG     := $(filter yes,$(HAVE_PNG))
FUZZ_FLAGS   := -std=c11 -O0 -g1 -w -pthread -fno-sanitize-recover=all -D_GNU_SOURCE \
                -DRECON_VERSION='"$(VERSION)"' -DRECON_FUZZER -Iinclude -Isrc -Itests -Itests/fuzz \
                $(if $(FUZZ_PNG),-DRECON_HAVE_PNG)
FUZZ_CASES   := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_SRC     := $(filter-out src/apps/%,$(C_SRC)) \
                $(patsubst %,src/apps/%.c,model model_file modes molmodel molscore score)
FUZZERS      := $(FUZZ_CASES:tests/fuzz/fuzz_%.c=build/fuzz/%)
fuzz-brief:
	@if echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | \
	  $(FUZZ_CC) -x c -fsanitize=fuzzer - -o /dev/null 2>/dev/null; \
	then $(MAKE) --no-print-directory fuzz-targets; else echo 'without libFuzzer (not found)'; fi
fuzz-targets: $(FUZZERS)
	@:
fuzz: fuzz-brief
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/test_fuzz.sh
build/fuzz/src/core/%.o build/fuzz/src/data/%.o: FUZZ_FLAGS += -O1
build/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(call say,FZ )$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c $< -o $@
build/fuzz/librecon.a: $(FUZZ_SRC:%.c=build/fuzz/%.o) $(PAGE_TEXT:%=build/fuzz/%.o)
	@rm -f $@
	$(call say,AR )$(AR) rcs $@ $^
build/fuzz/%: build/fuzz/tests/fuzz/fuzz_%.o build/fuzz/librecon.a
	$(call say,LD )$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ \
	  -ljansson $(if $(FUZZ_PNG),-lpng) -lz -lm
$(BUILD)/tests/fuzz/test_corpus: $(patsubst %.c,$(BUILD)/%.o,tests/fuzz/test_corpus.c $(FUZZ_CASES)) $(LIB_A)
	$(call say,LD )$(CC) $(CFLAGS_ALL) -o $@ $^ -lcmocka $(LDLIBS)
$(BUILD)/tests/fuzz/fuzz_%.o: COMMON += -Itests/fuzz -DLLVMFuzzerTestOneInput=$(basename $(@F))

# The cuda table against ref/. The standalone check needs a compiler and CUDA, no other library: the
# same tests with a stand-in for cmocka, TAP lines, then times against the GPU's ceilings, with the
# plans cuDNN's heuristics choose and with the fastest.
ifneq ($(CUDA),)
CORE_PLAIN := $(filter-out src/core/json.c src/core/np%.c src/core/safetensors.c,$(wildcard src/core/*.c))
PLAIN_OBJ  := $(patsubst %,$(BUILD)/%.o,$(basename $(CORE_PLAIN) $(wildcard src/ops/*.c src/ops/*/*.c) \
                $(CU_SRC)))
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

DEMO_IMAGES := 500
demo:
	@tools/setup build data
	@$(MAKE) --no-print-directory -j$(CORES) all
	@mkdir -p $(BUILD)/demo; for g in so2 so3; do \
	  echo; echo "== recon normalize on data/$$g: 2,000 points, ten classes, poses whose truth is known"; \
	  $(BUILD)/recon normalize --embeddings data/$$g/z.npy --poses data/$$g/g.npy --group $$g \
	    --labels data/$$g/y.npy --k 25 --out $(BUILD)/demo/$$g && \
	  $(BUILD)/examples/recovered data/$$g $(BUILD)/demo/$$g || exit 1; done
	@echo; echo "The labels were used for the hit rate alone."
	@echo; echo "== recon reproduce fashion: $(DEMO_IMAGES) turned test images, a shipped model, a frozen classifier"
	@$(BUILD)/recon reproduce fashion --quick --images $(DEMO_IMAGES) --limit 1500 --figures $(BUILD)/demo/fashion
	@echo; echo "== molecules: the poses of one conformer, and a hundred turned into their natural pose"
	@$(BUILD)/recon distribution --model models/conformers.safetensors --data conformers/test --turn fisher --index 7 \
	  --svg $(BUILD)/demo/molecule.svg
	@$(BUILD)/recon canonicalize --model models/conformers.safetensors --data conformers/test --turn fisher --limit 100 \
	  --out $(BUILD)/demo/natural.xyz
	@echo; echo "All results: $(BUILD)/demo/ (open fashion/fashion-canonical.svg or molecule.svg in a browser)"

# Minutes, not seconds: exactness at size, and the tables of docs/statistics*.md anew.
TABLES := so2_mean so2_width so3_fit so3_modes
check-slow: setup-test
	@$(MAKE) --no-print-directory $(SLOW) $(TABLES:%=$(BUILD)/bench/bench_%)
	@for t in $(SLOW); do echo "== $$t"; $$t || exit 1; done
	@echo "== reproduce --quick"; RECON_SLOW=1 tests/cli/test_reproduce.sh
	@for t in $(TABLES); do echo "== bench_$$t"; $(BUILD)/bench/bench_$$t || exit 1; done

bench: setup-bench
	@$(MAKE) --no-print-directory all $(BENCHES)
	@bench/run $(T)

check-layers:
	@tools/check-layers $(LAYERS)

FORMATTED = $(shell git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' '*.cu')
format:
	clang-format -i $(FORMATTED)
check-format:
	@clang-format --dry-run --Werror $(FORMATTED)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 $(BUILD)/recon $(DESTDIR)$(PREFIX)/bin/recon
	install -m 644 $(LIB_A) $(DESTDIR)$(PREFIX)/lib/librecon.a
	install -m 755 $(LIB_SO) $(DESTDIR)$(PREFIX)/lib/librecon.so.$(VERSION)
	ln -sf librecon.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/librecon.so.$(SOMAJOR)
	ln -sf librecon.so.$(SOMAJOR) $(DESTDIR)$(PREFIX)/lib/librecon.so
	cp -R include/recon $(DESTDIR)$(PREFIX)/include/
	install -d $(DESTDIR)$(PREFIX)/share/recon/models
	install -m 644 models/* $(DESTDIR)$(PREFIX)/share/recon/models/
	install -d $(DESTDIR)$(PREFIX)/share/recon/data/conformers
	install -m 644 data/conformers/* $(DESTDIR)$(PREFIX)/share/recon/data/conformers/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS_PRIVATE@|$(LDLIBS)|' \
	  tools/recon.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/recon.pc
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || echo 'now run ldconfig, or set LD_LIBRARY_PATH'
uninstall:
	rm -rf $(DESTDIR)$(PREFIX)/bin/recon $(DESTDIR)$(PREFIX)/include/recon $(DESTDIR)$(PREFIX)/share/recon \
	  $(DESTDIR)$(PREFIX)/lib/librecon.* $(DESTDIR)$(PREFIX)/lib/pkgconfig/recon.pc

clean:
	rm -rf build

-include $(shell find build -name '*.d' 2>/dev/null)
