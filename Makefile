# `make demo`: environment, model, sample, three searches.  `make test`: everything that must hold.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input
SOURCES := src tests benchmarks

.PHONY: demo test lint servers format bench docs lock clean

demo: .venv/base
	PROBAND_HOME=$(CURDIR)/.proband $(BIN)/proband demo

test: lint servers
	$(BIN)/python -m pytest

# Tests start private PostgreSQL and MariaDB servers from Debian's packages; without them they are skipped.
# RUNLEVEL=1: the packages' own services stay stopped.
servers:
	@if ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && [ -x /usr/sbin/mariadbd ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get -qq update && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends \
			postgresql mariadb-server >/dev/null \
		|| echo "make: PostgreSQL and MariaDB could not be installed; their tests are skipped"; \
	else echo "make: tests on PostgreSQL and MariaDB are skipped; on Debian: apt-get install postgresql mariadb-server"; fi

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
