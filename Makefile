# `make demo`: environment, model, sample, three searches.  `make test`: everything that must hold.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input
SOURCES := src tests benchmarks

.PHONY: demo test lint format bench docs lock clean

demo: .venv/base
	PROBAND_HOME=$(CURDIR)/.proband $(BIN)/proband demo

test: lint
	$(BIN)/python -m pytest

lint: .venv/dev
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/python -m proband.cli.documentation --check docs

format: .venv/dev
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

docs: .venv/dev
	$(BIN)/python -m proband.cli.documentation docs

bench: .venv/bench
	$(BIN)/python benchmarks/run.py

.venv/base: requirements/base.lock requirements/build.lock pyproject.toml
	@$(PYTHON) -m venv .venv || { echo "make: $(PYTHON) cannot make an environment; on Debian: apt-get install python3-venv"; exit 1; }
	$(PIP) --require-hashes -r requirements/build.lock
	$(PIP) --require-hashes -r requirements/base.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: .venv/base requirements/dev.lock
	$(PIP) --require-hashes -r requirements/dev.lock
	@touch $@

.venv/bench: .venv/dev requirements/bench.lock
	$(PIP) --require-hashes -r requirements/bench.lock
	@touch $@

# Lock files hold hashes and no addresses.
COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
	--no-emit-index-url --no-emit-trusted-host --no-emit-find-links
lock: .venv/dev
	$(COMPILE) -o requirements/base.lock pyproject.toml
	$(COMPILE) -o requirements/build.lock requirements/build.in
	$(COMPILE) --extra dev -o requirements/dev.lock pyproject.toml
	$(COMPILE) --extra dev --extra bench -o requirements/bench.lock pyproject.toml

clean:
	rm -rf .venv .proband .mypy_cache .pytest_cache .ruff_cache
