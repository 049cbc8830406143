# make lab    open the notebooks        make test   run every test
# make help   the rest
PYTHON ?= python3
VENV ?= .venv
LAB_FLAGS ?=
PYTEST_FLAGS ?=
PROCESSOR ?=

ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
ROOT :=
NOWHERE := NUL
else
BIN := $(VENV)/bin
ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
NOWHERE := /dev/null
endif
FIRST := $(firstword $(sort $(wildcard notebooks/*.ipynb)))

.DEFAULT_GOAL := help
.PHONY: help lab test looks firefox lint lint-page check notebooks slides pages present class classend classcheck bench address binder colab clean

help:
	@echo "make lab         set up (the first time) and open JupyterLab on $(FIRST)"
	@echo "make test        set up and run every test: library, notebooks, and a real browser where there is one"
	@echo "make unit        everything but the notebooks and the browser; a minute and a half on two cores"
	@echo "make looks       every lab at every size, in the dark, read by axe-core: the long rows of the browser tests; two minutes"
	@echo "make firefox     open every lab once in a headless Firefox, and change a number by keyboard; Firefox, npm"
	@echo "make processors  the tests of the numbers, and all notebooks, as on two other processors: PROCESSOR=Haswell for one"
	@echo "make lint        lint, types and spelling alone; of the scripts too where there is npm"
	@echo "make fix         mend what the linter can"
	@echo "make check       lint, types, spelling, doctests, links and stored notebooks; under a minute"
	@echo "make notebooks   run every notebook again and store clean outputs"
	@echo "make slides      export decks of all notebooks into slides/, which open without a network; needs npm once"
	@echo "make pages       write five labs as plain HTML files into pages/, which need no Python, no server and no network"
	@echo "make present     open one notebook for an audience, alone, in large type, without side bars: NOTEBOOK=05; AT=lab runs it and opens it there"
	@echo "make class       hold a class: a JupyterHub on this machine, a server for each learner; Linux, root, npm"
	@echo "make classend    remove the learners' unix users; their work stays"
	@echo "make classcheck  play a day of a class with LEARNERS=30, and try to break in; Linux, root, npm"
	@echo "make bench       measure the math, the live pictures and every lab"
	@echo "make binder      do what Binder does, without docker, and open two notebooks by their launch addresses; 2 minutes"
	@echo "make colab       run every notebook under the versions that Colab publishes; 3 minutes"
	@echo "make address     write the repository's public address everywhere: REPO=owner/name"
	@echo "make clean       remove the virtual environment and the tools from npm"

lab: $(VENV)/installed
	$(BIN)/python tools/prompt_lab.py --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/$(FIRST) $(ROOT) $(LAB_FLAGS)

# One BLAS thread for each process: two, beside the processes of the tests, wait for each other for minutes.
test unit: export OPENBLAS_NUM_THREADS := 1
# What Python compiles is kept, also where the environment says otherwise: every process, and every kernel that a test
# starts, would compile it all again.
test unit looks processors: export PYTHONDONTWRITEBYTECODE :=
# A package that takes 1.5 s to import, in every process that reads a notebook, is left out: see there.
test unit looks processors check: export PYTHONPATH := tests/lean
test: $(VENV)/installed-test
	$(BIN)/python tools/all_tests.py $(PYTEST_FLAGS)

unit: $(VENV)/installed-test
	$(BIN)/python -m pytest -q -n auto --ignore=tests/browser --ignore=tests/notebooks attention_lib tests $(PYTEST_FLAGS)

looks: $(VENV)/installed-test
	$(BIN)/python -m pytest -q -m looks -n 2 tests/browser $(PYTEST_FLAGS)

firefox: $(VENV)/installed-test node_modules/installed
	node tools/firefox_check.mjs $(BIN)/python $(ONLY)

processors: $(VENV)/installed-test
	$(BIN)/python tools/processors.py $(if $(PROCESSOR),--only $(PROCESSOR)) $(PYTEST_FLAGS)

lint: $(VENV)/installed-test lint-page
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check attention_lib data notebooks/presenting tests tools
	$(BIN)/python -m mypy attention_lib
	$(BIN)/python -m codespell_lib

# The browser's part; its tools come from npm, pinned in package-lock.json.
ifeq ($(shell npm --version 2>$(NOWHERE)),)
lint-page:
	@echo "Skipped: the scripts and style sheets in attention_lib/view are not checked; install Node.js with npm for that."
	@test "$$CI" != true
else
lint-page: node_modules/installed
	node_modules/.bin/biome check --error-on-warnings
	node_modules/.bin/tsc
endif

fix: $(VENV)/installed-test
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format attention_lib data notebooks/presenting tests tools
	@test ! -x node_modules/.bin/biome || node_modules/.bin/biome check --write

check: lint
	$(BIN)/python -m pytest -q attention_lib tests/test_front_door.py tests/notebooks/test_notebooks.py

notebooks: $(VENV)/installed-test
	$(BIN)/python tools/notebook_tools.py $(ONLY)

slides: $(VENV)/installed
	$(BIN)/python notebooks/presenting/make_slides.py $(ONLY)

pages: $(VENV)/installed
	$(BIN)/python notebooks/presenting/make_pages.py

present: $(VENV)/installed
	$(BIN)/python notebooks/presenting/present.py $(or $(NOTEBOOK),01) $(if $(AT),--at=$(AT)) $(ROOT) $(LAB_FLAGS)

# What is given as CLASS_... reaches it through the environment; it sets up a Python of its own.
class:
	@$(PYTHON) tools/classroom/start.py

classend:
	@$(PYTHON) tools/classroom/start.py --end

classcheck: $(VENV)/installed-test
	$(BIN)/python tools/class_check.py --learners $(or $(LEARNERS),30) --browser $(if $(FOLDER),--folder $(FOLDER))

bench: $(VENV)/installed-test
	$(BIN)/python tools/benchmarks/bench_math.py
	$(BIN)/python tools/benchmarks/bench_live.py
	$(BIN)/python tools/benchmarks/bench_labs.py

binder: $(VENV)/installed-test
	$(BIN)/python tools/launch_check.py $(if $(BINDER_PYTHON),--python $(BINDER_PYTHON))

colab: $(VENV)/installed-test
	$(BIN)/python tools/colab_check.py $(if $(COLAB_PYTHON),--python $(COLAB_PYTHON))

address:
	@$(PYTHON) tools/address.py "$(REPO)"

clean:
	rm -rf $(VENV) node_modules

# The files below say "done": a second `make lab` installs nothing.
$(VENV)/created:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { echo "This needs Python 3.11 or newer; name one with: make lab PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c "import ensurepip, venv" || { echo "This Python cannot make virtual environments; on Debian or Ubuntu: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: requirements.txt pyproject.toml tools/overrides.json | $(VENV)/created
	@echo "Fetching what the notebooks need into $(VENV): 430 MB, once. A minute or more, in silence."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(BIN)/python -c "import pathlib, shutil, sys; to = pathlib.Path(sys.prefix, 'share/jupyter/lab/settings'); to.mkdir(parents=True, exist_ok=True); shutil.copy('tools/overrides.json', to)"
	@touch $@

$(VENV)/installed-test: requirements-test.txt $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	@touch $@

node_modules/installed: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@
