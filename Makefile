# `make demo` and `make test` need Python 3.11 or newer and nothing else; the first run makes .venv from requirements.lock.
PYTHON ?= python3
VENV := .venv
PEERS := .venv-peers
BIN := $(abspath $(VENV))/bin
READY := $(VENV)/.ready
DATA ?=
export PATH := $(BIN):$(PATH)

.PHONY: help setup demo test mutants check format proto schema bench-locomo bench-profiles bench-gate bench-associations bench-latency bench-graph bench-resolution bench-nodes bench-neighbour bench-memory bench-japanese bench-intelligence bench-ladder bench-peers bench chaos lock clean

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

mutants: $(READY) ## does a named test notice each named fault? (ONLY="NAME ...": those alone)
	@$(BIN)/python -m tests.mutants.run $(ONLY)

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

bench-profiles: $(READY) ## every profile of Recall on the same store: make bench-profiles DATA=FILE (FUSION=both: under RRF too)
	@test -n "$(DATA)" || { echo "say DATA=FILE (format: services/embedded/rensou_embedded/conversations.py)" >&2; exit 2; }
	@$(BIN)/python bench/profiles.py --data "$(DATA)" --fusion "$(or $(FUSION),convex)"

bench-gate: $(READY) ## the relevance gate on conversations with questions: make bench-gate DATA=FILE
	@test -n "$(DATA)" || { echo "say DATA=FILE (format: services/embedded/rensou_embedded/conversations.py)" >&2; exit 2; }
	@$(BIN)/python bench/gate.py --data "$(DATA)" --level "$(or $(LEVEL),balanced)"

bench-associations: $(READY) ## what declared relations add to Reconstruct: make bench-associations DATA=FILE (CONVERSATIONS=3: so many alone)
	@test -n "$(DATA)" || { echo "say DATA=FILE (format: services/embedded/rensou_embedded/conversations.py)" >&2; exit 2; }
	@$(BIN)/python bench/associations.py --data "$(DATA)" $(if $(CONVERSATIONS),--conversations $(CONVERSATIONS))

bench-latency: $(READY) ## a recall beside its own statements: make bench-latency ROWS=10000 (AGENTS=1000, CALLERS=8)
	@$(BIN)/python bench/latency.py --rows $(or $(ROWS),1000) --agents $(or $(AGENTS),1) --callers $(or $(CALLERS),8)

bench-resolution: $(READY) ## what it costs a Recall to say which records were replaced
	@$(BIN)/python bench/resolution.py

bench-graph: $(READY) ## Reconstruct and Traverse in a large declared graph, beside Recall, their statements and a naive walk
	@$(BIN)/python bench/graph_latency.py

bench-nodes: $(READY) ## overflow nodes: builds a second by workers, what they cost, whether Store tells the truth (DATA=, RUNS=)
	@$(BIN)/python bench/nodes.py --runs $(or $(RUNS),3) $(if $(DATA),--data $(DATA))

bench-neighbour: $(READY) ## Store of a small agent beside a large one: make bench-neighbour ROWS=1000000
	@$(BIN)/python bench/neighbour.py --rows $(or $(ROWS),100000)

bench-memory: $(READY) ## memory of recall and worker over 10,000 calls
	@$(BIN)/python bench/memory.py

bench-japanese: $(READY) ## a small Japanese set of ours, against a trigram index
	@$(BIN)/python bench/japanese.py

bench-intelligence: $(READY) ## what replaced records, time, confidence, policies and reports do, on sets of ours
	@$(BIN)/python bench/intelligence.py

bench-ladder: $(READY) ## quality, time and memory as an agent grows: make bench-ladder ROWS=100000 (DATA=FILE: its questions)
	@$(BIN)/python bench/ladder.py --rows $(or $(ROWS),100000) $(if $(DATA),--data "$(DATA)")

bench-peers: $(READY) $(PEERS)/.ready ## ours beside CPersona: make bench-peers DATA=FILE (ROWS=10000: one scope filled up, for the times)
	@test -n "$(DATA)" || { echo "say DATA=FILE (format: services/embedded/rensou_embedded/conversations.py)" >&2; exit 2; }
	@$(BIN)/python bench/peers.py --data "$(DATA)" --peer-python "$(abspath $(PEERS))/bin/python" $(if $(ROWS),--rows $(ROWS))

$(PEERS)/.ready: bench/peers-requirements.txt
	@echo "setting up $(PEERS), an environment of its own for what we are compared with"
	@$(PYTHON) -m venv $(PEERS)
	@$(abspath $(PEERS))/bin/python -m pip install --quiet --disable-pip-version-check -r bench/peers-requirements.txt
	@touch $(PEERS)/.ready

bench: bench-latency bench-graph bench-resolution bench-nodes bench-neighbour bench-memory bench-japanese ## the benchmarks that need no data of yours

chaos: $(READY) ## everything fails at once, nothing may be lost: make chaos RECORDS=2000 (SEED=1, KILLS=24, SECONDS=900, LOGS=FOLDER)
	@$(BIN)/python bench/chaos.py --records $(or $(RECORDS),2000) --seed $(or $(SEED),1) --kills $(or $(KILLS),24) \
	  --seconds $(or $(SECONDS),900) $(if $(LOGS),--logs "$(LOGS)")

lock: ## choose the versions again (needs uv)
	uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header --quiet --upgrade --output-file requirements.lock

clean: ## remove what the commands here have made
	rm -rf $(VENV) $(PEERS) .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
