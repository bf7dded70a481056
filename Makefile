.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV  := .venv
BIN   := $(VENV)/bin
SCALE ?= 1
# Processes that run tests side by side: more than cores, since many tests wait for other programs.
WORKERS ?= 4
# Seconds that a test may take.
PYTEST_TIMEOUT ?= $(shell expr 300 '*' $(SCALE))
export SCALE PYTEST_TIMEOUT
IMAGE ?= localhost/forebay:0.1.0
SPARK_IMAGE ?= localhost/forebay-spark:0.1.0
# Builds the image: docker, podman or buildah, whichever is there.
BUILDER ?= $(firstword $(notdir $(shell command -v docker podman buildah)))

.PHONY: help
help: ## List what there is
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

$(VENV)/.ready: pyproject.toml uv.lock
	python3 -m venv $(VENV)
	$(BIN)/pip --quiet --disable-pip-version-check install 'uv==0.13.9'
	$(BIN)/uv sync --quiet --frozen --extra dev
	@touch $@

.PHONY: venv
venv: $(VENV)/.ready ## Create the virtual environment from uv.lock

.PHONY: run
run: venv ## Feed the example articles to two peers, and compact the backlog of the late one
	@data=$$(mktemp -d) && trap 'rm -rf "$$data"' EXIT && $(BIN)/forebay up -f examples/quickstart --data "$$data" \
		--offer examples/articles --pace 30 --start-later west=5 --compact --until-delivered

.PHONY: test
test: venv ## Run the tests (SCALE=10 for the full sizes, WORKERS=0 for one after the other)
	$(BIN)/pytest --numprocesses $(WORKERS)

.PHONY: format
format: venv ## Put the code into its standard form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .

.PHONY: protos
protos: venv ## Generate services/forebay/pb from protos/
	$(BIN)/python protos/generate.py

.PHONY: crds
crds: venv ## Generate the custom resource definitions of the chart
	$(BIN)/python charts/forebay/generate_crds.py

.PHONY: docs
docs: venv ## Generate the reference pages of docs/
	$(BIN)/python docs/generate_resources.py
	$(BIN)/python docs/generate_cli.py
	$(BIN)/python docs/generate_chart.py
	$(BIN)/python docs/generate_from_innfeed.py

.PHONY: bench-outfeed
bench-outfeed: venv ## Measure outfeed beside innfeed (root, Debian's inn2; SCALE=10 for the full sizes)
	cd tests && ../$(BIN)/python -m bench.outfeed_bench

.PHONY: bench-store
bench-store: venv ## Measure store beside RabbitMQ (root, Debian's rabbitmq-server; SCALE=10 for the full sizes)
	cd tests && ../$(BIN)/python -m bench.store_bench

.PHONY: bench-announcer
bench-announcer: venv ## Measure announcer beside opentracker and npm's (root, see .ci/run; SCALE=10 for the full sizes)
	cd tests && ../$(BIN)/python -m bench.announcer_bench

.PHONY: bench-conduit
bench-conduit: venv ## Measure conduit beside zenoh (SCALE=10 for ten times as many samples)
	cd tests && ../$(BIN)/python -m bench.conduit_bench

.PHONY: bench-router
bench-router: venv ## Measure router beside nats-server (SCALE=10 for the full sizes)
	cd tests && ../$(BIN)/python -m bench.router_bench

.PHONY: bench-operator
bench-operator: venv ## Measure the operator: many Peerfeeds at once (SCALE=10 for 500)
	cd tests && ../$(BIN)/python -m bench.operator_bench

.PHONY: bench-spark
bench-spark: venv ## Measure the jobs of Spark beside plain Python and a plain read (SCALE=10 for the full sizes)
	cd tests && ../$(BIN)/python -m bench.spark_bench

.PHONY: image
image: ## Build the container image IMAGE, from the base image BASE if given
	$(BUILDER) build --target service $(if $(BASE),--build-arg BASE=$(BASE)) -t $(IMAGE) -f Containerfile .

.PHONY: image-spark
image-spark: ## Build the image of the Spark jobs SPARK_IMAGE, from the image of Spark SPARK_BASE if given
	$(BUILDER) build --target spark $(if $(SPARK_BASE),--build-arg SPARK_BASE=$(SPARK_BASE)) -t $(SPARK_IMAGE) \
		-f Containerfile .

.PHONY: e2e
e2e: venv ## Run the end-to-end tests on the cluster of KUBECONFIG, which has IMAGE and SPARK_IMAGE
	FOREBAY_IMAGE=$(IMAGE) FOREBAY_SPARK_IMAGE=$(SPARK_IMAGE) $(BIN)/pytest tests/e2e

.PHONY: check
check: venv ## Check format, lint, types, layers, protos and generated files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/buf lint protos
	$(BIN)/python protos/generate.py --check
	$(BIN)/python charts/forebay/generate_crds.py --check
	$(BIN)/python docs/generate_resources.py --check
	$(BIN)/python docs/generate_cli.py --check
	$(BIN)/python docs/generate_chart.py --check
	$(BIN)/python docs/generate_from_innfeed.py --check

.PHONY: clean
clean: ## Remove what was made, the virtual environment too
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .forebay
