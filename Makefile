# Tilewright's commands. `make help` lists them; every one may be run again and
# does only what is left to do.

BUILD ?= build
VENV ?= .venv
JOBS ?= $(shell nproc)
# More CMake options, e.g. CMAKE_ARGS=-DTILEWRIGHT_LINK_LLVM_DYLIB=ON for quick links.
CMAKE_ARGS ?=
# More options of the test runners, e.g. PYTEST_ARGS='-k softmax'.
PYTEST_ARGS ?=
LIT_ARGS ?=
CTEST_ARGS ?=

PYTHON := $(VENV)/bin/python
LLVM := /usr/lib/llvm-22/bin
deps_stamp := $(VENV)/.deps-installed
cxx_files = $(shell git ls-files '*.cpp' '*.h')

# The package runs from the source tree. The environment's tools first; CUDA's assembler where a toolkit is installed.
export PYTHONPATH := $(CURDIR)/python
export PATH := $(abspath $(VENV))/bin:$(PATH):/usr/local/cuda/bin
# Compiled Python is kept in the build folder, whatever the environment says: the tests start many processes.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(abspath $(BUILD))/pycache

.PHONY: help deps configure build demo test lint format lit unit pytest sanitize test-emulated test-gpu test-wheel wheel bundle reference docs clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help: ## list the commands
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

deps: $(deps_stamp) ## install the Debian and Python packages that everything needs

$(deps_stamp): packaging/deps.sh packaging/apt.txt packaging/pip.txt packaging/pip-cuda.txt
	@packaging/deps.sh $(VENV)
	@touch $@

configure: $(BUILD)/build.ninja

$(BUILD)/build.ninja: $(deps_stamp)
	@echo "build: configuring $(BUILD)"
	@cmake -G Ninja -S . -B $(BUILD) \
	  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
	  -DPython_EXECUTABLE=$(abspath $(PYTHON)) $(CMAKE_ARGS) >$(BUILD).log 2>&1 || \
	  { cat $(BUILD).log; exit 1; }
	@mv $(BUILD).log $(BUILD)/configure.log

build: configure ## build the library, the tools and the extension module
	@NINJA_STATUS='build: [%f/%t %es] ' cmake --build $(BUILD) -j $(JOBS)

demo: build ## compile and run the kernels and show a table of their speed and error
	@$(PYTHON) benchmarks/demo.py --code $(BUILD)/demo

test: build lint lit unit pytest ## run every test that this machine can run
	@echo "test: all passed"

lint: deps ## check the format of C++ and Python and the Python lint
	@echo "lint: clang-format"
	@$(if $(cxx_files),$(LLVM)/clang-format --dry-run --Werror $(cxx_files),true)
	@echo "lint: ruff"
	@$(PYTHON) -m ruff check --quiet .
	@$(PYTHON) -m ruff format --quiet --check .

format: deps ## format C++ and Python in place
	@$(if $(cxx_files),$(LLVM)/clang-format -i $(cxx_files),true)
	@$(PYTHON) -m ruff check --quiet --fix .
	@$(PYTHON) -m ruff format --quiet .

lit: build ## run the compiler's text tests
	@echo "lit: test/"
	@$(PYTHON) $(LLVM)/lit -s --no-progress-bar -j $(JOBS) $(LIT_ARGS) $(BUILD)/test

unit: build ## run the C++ unit tests
	@echo "unit: C++"
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure --timeout 120 $(CTEST_ARGS) \
	  >$(BUILD)/ctest.log || { cat $(BUILD)/ctest.log; exit 1; }
	@grep 'tests passed' $(BUILD)/ctest.log

pytest: build ## run the Python tests on the interpreter and the CPU, those of kernels on an emulated GPU
	@echo "pytest: interpreter"
	@$(PYTHON) -m pytest -q -n $(JOBS) --dist worksteal -r fE --backend interpreter $(PYTEST_ARGS)
	@echo "pytest: compiler and CPU"
	@$(PYTHON) -m pytest -q -n $(JOBS) --dist worksteal --backend cpu $(PYTEST_ARGS)
	@echo "pytest: kernels on an emulated GPU"
	@$(PYTHON) -m pytest -q -n $(JOBS) --dist worksteal --backend emulated test/kernels test/python/language/test_warp_*.py \
	  test/python/language/test_prefetched_copies.py $(PYTEST_ARGS)

sanitize: ## run the C++ and text tests with assertions, address and undefined-behaviour checks
	@ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0 $(MAKE) lit unit BUILD=$(BUILD)-sanitize \
	  CMAKE_ARGS='-DTILEWRIGHT_SANITIZE=ON -DTILEWRIGHT_LINK_LLVM_DYLIB=ON -DTILEWRIGHT_BUILD_PYTHON=OFF'

test-emulated: build ## run all tests that launch kernels on an emulated GPU
	@$(PYTHON) -m pytest -q -n $(JOBS) --dist worksteal --backend emulated $(PYTEST_ARGS)

test-gpu: build ## run the Python tests on this machine's GPU
	@$(PYTHON) -m pytest -q --backend cuda $(PYTEST_ARGS)

wheel: build ## pack dist/tilewright-*.whl
	@packaging/wheel.sh $(PYTHON) $(BUILD)

test-wheel: wheel ## install the wheel in a clean environment and run the README's example
	@packaging/test_wheel.sh $(PYTHON)

bundle: build ## pack dist/tilewright-*.tar.xz for another x86-64 Linux machine
	@packaging/bundle.sh $(PYTHON) $(BUILD)

reference: build ## write docs/reference and docs/library.md from docstrings and declarations
	@$(PYTHON) docs/generator

docs: build ## write the dialects' reference to build/docs
	@cmake --build $(BUILD) --target tilewright-docs

clean: ## remove what was built; the virtual environment stays
	rm -rf $(BUILD) $(BUILD).log dist
