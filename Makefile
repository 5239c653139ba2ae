# Every target sets up what it needs in .venv, from a bare clone. Stamp files (.venv/.stamp-*) remember what is
# there: Python sources are live, the native module is rebuilt when its sources, CMakeLists.txt or pyproject.toml
# change, and an extra is installed again when pyproject.toml changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --prefer-binary

CPP := $(shell find cpp -type f \( -name '*.cpp' -o -name '*.h' \))
NATIVE := CMakeLists.txt $(CPP)
# The editable install knows modules by name: it is made again when there are others. This file lists them.
MODULES := $(VENV)/modules.txt
$(shell test -d $(VENV) && find src/murk -name '*.py' | sort > $(MODULES).new && \
	{ cmp -s $(MODULES).new $(MODULES) || mv $(MODULES).new $(MODULES); })
CORE := $(VENV)/.stamp-core
# The page of murk play, and the packages it is built with.
PAGE := src/murk/web/static/index.html
PAGE_SOURCES := $(shell find web/src web/public -type f) web/index.html web/tsconfig.json web/vite.config.ts \
	src/murk/darkchess/pieces.svg
PACKAGES := web/node_modules/.stamp
extra = $(VENV)/.stamp-extra-$(1)

# Prints the requirements of an extra of pyproject.toml; "build" stands for the build system's own.
REQUIREMENTS := $(PY) -c 'import sys, tomllib; \
	project = tomllib.load(open("pyproject.toml", "rb")); \
	extras = project["project"]["optional-dependencies"]; \
	extras["build"] = [*project["build-system"]["requires"], "cmake>=3.20", "ninja"]; \
	print(*extras[sys.argv[1]], sep="\n")'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test web lint bench docs pictures sanitize races stubs format clean stockfish chromium

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(CORE) $(call extra,openspiel) ## Three rows of Table 1 and a game of dark chess, in a minute
	$(PY) -m murk.demo

test: $(CORE) $(call extra,test) $(PAGE) stockfish chromium ## Run the tests
	$(PY) -m pytest -n auto

web: $(CORE) $(call extra,web) $(PAGE) ## Set up the board in the browser, for murk play

lint: $(CORE) $(call extra,lint) ## Check style, types, and that the stubs are up to date
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	@$(call make_stubs,build/_core.pyi)
	@diff -u src/murk/_core.pyi build/_core.pyi || { echo "src/murk/_core.pyi is out of date: run make stubs"; exit 1; }

bench: $(CORE) $(call extra,bench) $(call extra,plot) ## Measure the solvers beside their peers
	$(BIN)/murk bench solvers

docs: $(CORE) $(call extra,docs) ## Build the documentation into docs/_build/html
	$(PY) -m sphinx -W --keep-going -q -b html docs docs/_build/html

pictures: $(CORE) $(call extra,test) $(PAGE) chromium ## Make the pictures in docs/images again
	$(PY) docs/pictures.py

stubs: $(CORE) $(call extra,lint) ## Write src/murk/_core.pyi from the native module
	$(call make_stubs,src/murk/_core.pyi)

format: $(call extra,lint) ## Format all code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

clean: ## Remove all that was built, .venv too
	rm -rf $(VENV) build dist web/node_modules src/murk/web/static docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

make_stubs = mkdir -p build && $(PY) -m nanobind.stubgen -q -m murk._core -o build/_core.raw.pyi && \
	$(BIN)/ruff format -q --stdin-filename src/murk/_core.pyi - < build/_core.raw.pyi > build/_core.formatted.pyi && \
	mv build/_core.formatted.pyi $(1)

# The sanitised module stands in a package of its own, beside links to the Python sources. Python runs with -S so
# that the import hook of the editable install, which would find the other module, is never loaded; the libraries
# are given by PYTHONPATH instead.
comma := ,

# sanitized DIRECTORY, SANITIZERS: builds such a package.
define sanitized
	$(BIN)/cmake -S . -B $(1) -G Ninja -Wno-dev -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo -DMURK_SANITIZE=$(2) -DPython_EXECUTABLE=$(abspath $(PY))
	$(BIN)/cmake --build $(1)
	rm -rf $(1)/site
	$(BIN)/cmake --install $(1) --prefix $(1)/site
	ln -s $$(find $(abspath src/murk) -mindepth 1 -maxdepth 1 ! -name '_core.*') $(1)/site/murk/
endef
# with_sanitized DIRECTORY, RUNTIME: the environment and the Python that use it.
with_sanitized = env PYTHONPATH=$(abspath $(1)/site):$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("platlib"))') \
	LD_PRELOAD=$$($${CXX:-c++} -print-file-name=$(2)):$$($${CXX:-c++} -print-file-name=libstdc++.so)
SANITIZED_TESTS = $(PY) -S -m pytest -q --capture=sys -p no:xdist -p no:cacheprovider

sanitize: $(CORE) $(call extra,build) $(call extra,test) stockfish ## Run the native tests under ASan and UBSan
	$(call sanitized,build/sanitize,address$(comma)undefined)
	$(call with_sanitized,build/sanitize,libasan.so) \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 $(SANITIZED_TESTS) \
		$(wildcard tests/native tests/tree tests/solvers tests/darkchess/test_evaluator_embedded.py)

# The thread sanitizer wants a fixed layout of the address space; its first finding ends the run.
races: $(CORE) $(call extra,build) $(call extra,test) ## Run all that has threads under TSan
	$(call sanitized,build/races,thread)
	$(call with_sanitized,build/races,libtsan.so) TSAN_OPTIONS=halt_on_error=1:exitcode=66 \
		setarch -R $(SANITIZED_TESTS) -m threads tests

# The tests of the evaluators need the real engine. Where make may install packages it does, else it says what to do.
stockfish:
	@command -v stockfish > /dev/null || test -x /usr/games/stockfish || \
	if command -v apt-get > /dev/null && test "$$(id -u)" = 0; then \
		DEBIAN_FRONTEND=noninteractive apt-get install -qq -y stockfish > /dev/null || \
			{ apt-get update -qq && apt-get install -qq -y stockfish > /dev/null; }; \
	else \
		echo "the tests need Stockfish, and there is none on PATH or in /usr/games: install it" \
			"(Debian, Ubuntu: sudo apt-get install stockfish; macOS: brew install stockfish)"; exit 1; \
	fi

# The test of the board drives a real browser.
chromium:
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null || \
	if command -v apt-get > /dev/null && test "$$(id -u)" = 0; then \
		DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium > /dev/null || \
			{ apt-get update -qq && apt-get install -qq -y chromium > /dev/null; }; \
	else \
		echo "the tests need Chromium, and there is none on PATH: install it" \
			"(Debian: sudo apt-get install chromium; macOS: brew install --cask chromium)"; exit 1; \
	fi

$(PACKAGES): web/package.json web/package-lock.json
	@command -v npm > /dev/null || \
		{ echo "the page of the board needs Node.js 20.19 or newer with npm, and there is no npm: install it"; exit 1; }
	npm --prefix web ci --no-audit --no-fund --silent
	@touch $@

$(PAGE): $(PACKAGES) $(PAGE_SOURCES)
	npm --prefix web run build --silent -- --logLevel warn

$(VENV)/.stamp-venv:
	@command -v $(PYTHON) > /dev/null || \
		{ echo "murk needs Python 3.11 or newer, and there is no $(PYTHON): give one with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "murk needs Python 3.11 or newer, not $$($(PYTHON) --version): give one with make PYTHON=..."; exit 1; }
	@for tool in "$$CXX" c++ g++ clang++; do command -v "$$tool" > /dev/null && exit 0; done; \
		echo "murk needs a C++20 compiler, and there is no c++, g++ or clang++: install one or set CXX"; exit 1
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.stamp-extra-%: pyproject.toml $(VENV)/.stamp-venv
	@$(REQUIREMENTS) $* > $(VENV)/requirements-$*.txt
	$(INSTALL) -r $(VENV)/requirements-$*.txt
	@touch $@

# Without build isolation nanobind keeps its place, so that a change of one file compiles that one file.
$(CORE): pyproject.toml $(NATIVE) $(wildcard $(MODULES)) $(call extra,build)
	$(INSTALL) --no-build-isolation -e .
	@touch $@
