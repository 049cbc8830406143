# make lab    open the notebooks        make test   run the tests
# make help   everything else
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
JS := tools/javascript
# EDITION=ko opens the Korean edition, as far as it goes.
START := $(if $(EDITION),$(EDITION)/)

.DEFAULT_GOAL := help
.PHONY: help lab test unit looks processors firefox lint lint-page fix check pictures notebooks translations slides pages present class classend classcheck bench address binder colab update clean

help:
	@echo "To learn"
	@echo "  make lab           set up the first time, then open JupyterLab on notebook 00"
	@echo "  make update        fetch the newest version; notebooks that you have edited are kept in notebooks/mine"
	@echo "  make pages         write four labs as plain HTML files into pages/; they need no Python, no server and no network"
	@echo; echo "To teach"
	@echo "  make present       open one notebook for an audience, in large type: NOTEBOOK=05; with AT=lab, run and open at its lab"
	@echo "  make slides        write decks of all notebooks into slides/, or of one: ONLY=05; they open without a network. Needs npm once"
	@echo "  make class         hold a class: makes 30 unix users and a JupyterHub with a server for each; Linux, root, npm"
	@echo "  make classcheck    try a class on this machine before you hold one: LEARNERS=30; Linux, root, npm"
	@echo "  make classend      remove the learners' unix users; their work stays"
	@echo; echo "To change it"
	@echo "  make test          run the tests: the library, the notebooks and, where there is a Chromium, the browser's; not the looks"
	@echo "  make unit          run the tests of the library alone, without notebooks, browser and tools; 40 seconds on two cores"
	@echo "  make looks         run the tests that make test leaves out: every lab at every size, in the dark, and read by axe-core"
	@echo "  make firefox       open every lab once in a headless Firefox and change a number by keyboard; needs Firefox and npm"
	@echo "  make processors    run the tests of the numbers, and all notebooks, as two other processors would: PROCESSOR=Haswell for one"
	@echo "  make lint          check style, types and spelling, and the page's scripts where there is npm"
	@echo "  make fix           let the linters fix what they can"
	@echo "  make check         lint, then doctests, links and stored notebooks; under a minute"
	@echo "  make pictures      take the stored picture of every lab anew, in Chromium; then run make notebooks"
	@echo "  make notebooks     run every notebook again and store clean outputs: ONLY=01 for one"
	@echo "  make translations  bring the Korean edition up to date: its catalogues, then its notebooks; EDITION=ko is a choice of lab, present, slides and pages"
	@echo "  make bench         measure how soon the labs answer"
	@echo "  make binder        do what Binder does, without docker, and open two notebooks by their launch addresses; two minutes"
	@echo "  make colab         run every notebook with the package versions that Colab publishes; three minutes"
	@echo "  make address       write the repository's public address everywhere: REPO=owner/name"
	@echo "  make clean         remove the virtual environment and the packages from npm"

lab: $(VENV)/installed
	$(BIN)/python tools/prompt_lab.py $(if $(EDITION),--LabApp.default_url=/lab/tree/notebooks/$(START)00_start_here.ipynb) $(ROOT) $(LAB_FLAGS)

# One BLAS thread for each process: two, beside the processes of the tests, wait for each other for minutes.
test unit: export OPENBLAS_NUM_THREADS := 1
# What Python compiles is kept, also where the environment says otherwise: every process, and every kernel that a test
# starts, would compile it all again.
test unit looks processors: export PYTHONDONTWRITEBYTECODE :=
# A package that takes 1.5 s to import, in every process that reads a notebook, is left out: see there.
test unit looks processors check: export PYTHONPATH := tests/lean
test: $(VENV)/installed-test
	$(BIN)/python tools/all_tests.py $(PYTEST_FLAGS)

# What is no unit of the library: whole notebooks and pages, our tools, and other libraries.
OTHERS := browser notebooks tools test_other_libraries.py
unit: $(VENV)/installed-test
	$(BIN)/python -m pytest -q -n auto $(OTHERS:%=--ignore=tests/%) attention_lib tests $(PYTEST_FLAGS)

looks: $(VENV)/installed-test
	$(BIN)/python -m pytest -q -m looks -n 2 tests/browser $(PYTEST_FLAGS)

firefox: $(VENV)/installed-test $(JS)/node_modules/installed
	node $(JS)/firefox_check.mjs $(BIN)/python $(ONLY)

processors: $(VENV)/installed-test
	$(BIN)/python tools/processors.py $(if $(PROCESSOR),--only $(PROCESSOR)) $(PYTEST_FLAGS)

lint: $(VENV)/installed-test lint-page
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check attention_lib data notebooks/presenting tests tools
	$(BIN)/python -m mypy attention_lib
	$(BIN)/python -m codespell_lib

# The page's scripts and style sheets; the tools that check them come from npm.
BIOME := $(JS)/node_modules/.bin/biome check --config-path=$(JS)/lint.json
SCRIPTS := $(wildcard attention_lib/*/js attention_lib/*/css attention_lib/lessons tests/*/js) tools
ifeq ($(shell npm --version 2>$(NOWHERE)),)
lint-page:
	@echo "Skipped: the page's scripts and style sheets are not checked; install Node.js with npm for that."
	@test "$$CI" != true
else
lint-page: $(JS)/node_modules/installed
	$(BIOME) --error-on-warnings $(SCRIPTS)
	$(JS)/node_modules/.bin/tsc --project $(JS)
endif

fix: $(VENV)/installed-test
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format attention_lib data notebooks/presenting tests tools
	@test ! -x $(JS)/node_modules/.bin/biome || $(BIOME) --write $(SCRIPTS)

check: lint
	$(BIN)/python -m pytest -q attention_lib tests/test_front_door.py tests/notebooks/test_notebooks.py

pictures: $(VENV)/installed-test
	PICTURES=taken $(BIN)/python -m pytest -q tests/browser/test_every_lab.py -k stored_picture

notebooks: $(VENV)/installed-test
	$(BIN)/python tools/notebook_tools.py $(ONLY)

translations: $(VENV)/installed-test
	$(BIN)/python tools/translate.py $(EDITION)

slides: $(VENV)/installed
	$(BIN)/python notebooks/presenting/make_slides.py $(if $(EDITION),--edition=$(EDITION)) $(ONLY)

pages: $(VENV)/installed
	$(BIN)/python notebooks/presenting/make_pages.py $(if $(EDITION),--edition=$(EDITION))

present: $(VENV)/installed
	$(BIN)/python notebooks/presenting/present.py $(START)$(or $(NOTEBOOK),01) $(if $(AT),--at=$(AT)) $(ROOT) $(LAB_FLAGS)

# What is given as CLASS_... reaches it through the environment; it sets up a Python of its own.
class:
	@$(PYTHON) tools/classroom/start.py

classend:
	@$(PYTHON) tools/classroom/start.py --end

classcheck: $(VENV)/installed-test
	$(BIN)/python tools/class_check.py --learners $(or $(LEARNERS),30) $(if $(FOLDER),--folder $(FOLDER))

bench: $(VENV)/installed-test
	$(BIN)/python tools/bench_labs.py

binder: $(VENV)/installed-test
	$(BIN)/python tools/launch_check.py $(if $(BINDER_PYTHON),--python $(BINDER_PYTHON))

colab: $(VENV)/installed-test
	$(BIN)/python tools/colab_check.py $(if $(COLAB_PYTHON),--python $(COLAB_PYTHON))

address:
	@$(PYTHON) tools/address.py "$(REPO)"

update:
	@$(PYTHON) tools/update.py

clean:
	rm -rf $(VENV) $(JS)/node_modules

# The files below say "done": a second `make lab` installs nothing.
$(VENV)/created:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { echo "This needs Python 3.11 or newer; name one with: make lab PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c "import ensurepip, venv" || { echo "This Python cannot make virtual environments; on Debian or Ubuntu: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: requirements.txt pyproject.toml tools/overrides.json | $(VENV)/created
	@echo "Fetching what the notebooks need, once: about 90 MB, which take about 420 MB in $(VENV). Nothing is printed for a minute or more."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(BIN)/python -c "import pathlib, shutil, sys; to = pathlib.Path(sys.prefix, 'share/jupyter/lab/settings'); to.mkdir(parents=True, exist_ok=True); shutil.copy('tools/overrides.json', to)"
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[tests]"
	@touch $@

$(JS)/node_modules/installed: $(JS)/package.json $(JS)/package-lock.json
	npm ci --prefix $(JS) --no-audit --no-fund --loglevel=error
	@touch $@
