# Everything a fresh machine needs: Python 3.11+, git and make. `make demo` and `make test` set up
# a virtual environment in .venv the first time and whenever pyproject.toml changed.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

HOST_FOLDER ?= .hosts

.PHONY: hosts demo test storm bench lint types clean setup

demo: setup
	$(BIN)/gitmail demo

test: setup
	$(BIN)/python -m pytest -m "not storm" -n auto

storm: setup
	$(BIN)/python -m pytest -m storm -x -s

clients: setup
	folder=$$(mktemp -d) && MAKE_CLIENTS=$$folder $(BIN)/python -m pytest tests/clients -v; \
	  status=$$?; rm -rf "$$folder"; exit $$status

bench: setup
	$(BIN)/python -m benchmarks $(BENCH)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: setup
	$(BIN)/mypy

setup: $(BIN)/.installed

$(BIN)/.installed: pyproject.toml
	@echo "Setting up $(VENV) (once; a minute or two) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "gitmail needs Python 3.11 or newer; set PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

# The real agent hosts, from npm and without a login: about a gigabyte, so never part of `test`.
hosts: setup
	tests/hosts/install_hosts.sh $(HOST_FOLDER)
	HOST_PROGRAMS=$(abspath $(HOST_FOLDER))/node_modules/.bin $(BIN)/python -m pytest tests/hosts

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
