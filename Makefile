# `make demo` and `make test` need Python 3.11 or newer and nothing else; the first run makes .venv from requirements.lock.
PYTHON ?= python3
VENV := .venv
BIN := $(abspath $(VENV))/bin
READY := $(VENV)/.ready
DATA ?=
export PATH := $(BIN):$(PATH)

.PHONY: help setup demo test check format proto schema bench-locomo bench-gate bench-latency bench-memory bench lock clean

help: ## show what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: $(READY) ## make the virtual environment

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "setting up $(VENV) from requirements.lock (about a minute, once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

demo: $(READY) ## do the main job on real input and show it (DATA=FILE: on conversations of your own)
	@$(BIN)/rensou demo $(if $(DATA),--data "$(DATA)")

test: $(READY) ## run the tests
	@$(BIN)/python -m pytest

check: $(READY) ## lint, types, import rules, contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	$(BIN)/python .ci/buf_breaking.py

format: $(READY) ## rewrite the sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/buf format --write

proto: $(READY) ## write the stubs again
	sh proto/generate.sh

schema: $(READY) ## write the schema snapshot again
	$(BIN)/rensou schema > shared/rensou_shared/db/schema.sql.new
	mv shared/rensou_shared/db/schema.sql.new shared/rensou_shared/db/schema.sql

bench-locomo: $(READY) ## retrieval on conversations with questions: make bench-locomo DATA=FILE (SESSIONS=off: records without a session)
	@test -n "$(DATA)" || { echo "say DATA=FILE (format: services/embedded/rensou_embedded/conversations.py)" >&2; exit 2; }
	@$(BIN)/python bench/locomo.py --data "$(DATA)" --sessions "$(or $(SESSIONS),on)"

bench-gate: $(READY) ## the relevance gate on conversations with questions: make bench-gate DATA=FILE
	@test -n "$(DATA)" || { echo "say DATA=FILE (format: services/embedded/rensou_embedded/conversations.py)" >&2; exit 2; }
	@$(BIN)/python bench/gate.py --data "$(DATA)" --level "$(or $(LEVEL),balanced)"

bench-latency: $(READY) ## Store, Recall and Reconstruct outside embedding: make bench-latency ROWS=10000
	@$(BIN)/python bench/latency.py --rows $(or $(ROWS),1000)

bench-memory: $(READY) ## memory of recall and worker over 10,000 calls
	@$(BIN)/python bench/memory.py

bench: bench-latency bench-memory ## the benchmarks that need no data of yours

lock: ## choose the versions again (needs uv)
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header --quiet --upgrade --output-file requirements.lock

clean: ## remove what the commands here have made
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
