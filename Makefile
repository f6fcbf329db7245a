# `make demo` and `make test` set up everything that they need, also on a bare Debian 12.

PYTHON := .venv/bin/python
CLUSTER := PYTHONPATH=tests $(PYTHON) -m localcluster
FAST := tests/unit tests/architecture tests/contract tests/convergence
PORT := 8080
# Two workers, one per core of a small machine.
SOURCES := charts crds docs_site operator plugin runtime tests examples

.PHONY: help demo serve test test-fast test-integration test-e2e bench-scale lint format generate docs images cluster cluster-down clean

help: ## Show this list
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | column -t -s '|'

demo: .venv/.ready ## Real cluster, operator, a pod that reads a PDF; prints the Markdown
	$(PYTHON) examples/demo.py

serve: .venv/.ready ## The OCR service on this machine, with its page at http://localhost:8080
	@echo "open http://localhost:$(PORT)"
	.venv/bin/docparser-runtime serve --host 127.0.0.1 --port $(PORT)

test: lint test-fast test-integration test-e2e ## Everything, as CI runs it

test-fast: .venv/.gpu ## Unit, architecture, contract and convergence tests, in less than a minute
	$(PYTHON) -m pytest $(FAST) -m "not thorough" -q -n 2 --dist worksteal

test-integration: .venv/.gpu ## Operator against a real API server, runtime as a real process
	test -n "$$KUBEBUILDER_ASSETS" || $(CLUSTER) build
	$(CLUSTER) helm
	$(PYTHON) -m pytest tests/convergence tests/unit -m thorough -q -n 2 --dist worksteal
	$(PYTHON) -m pytest tests/integration

test-e2e: .venv/.ready cluster images ## Pods under a real kubelet
	$(CLUSTER) test-images
	$(PYTHON) -m pytest tests/e2e

bench-scale: .venv/.ready ## 1,000 objects on a real control plane: speed, memory, silence at rest
	test -n "$$KUBEBUILDER_ASSETS" || $(CLUSTER) build
	PYTHONPATH=tests $(PYTHON) tests/benchmarks/scale.py --out benchmarks/operator-scale.json

lint: .venv/.gpu ## ruff, mypy, import contracts
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy $(SOURCES)
	.venv/bin/lint-imports

format: .venv/.ready ## Format the code
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

generate: .venv/.ready ## Write the CustomResourceDefinition from its Python types, the chart's copies and dashboards
	$(PYTHON) crds/generate.py > crds/docparserdeployments.yaml.new
	mv crds/docparserdeployments.yaml.new crds/docparserdeployments.yaml
	$(PYTHON) charts/chart_files.py
	$(PYTHON) charts/dashboards_generate.py

docs: .venv/.ready ## The documents and the reference of the API as a site, in build/site
	PYTHONPATH=docs_site $(PYTHON) -m docparser_site build/site

images: .venv/.ready cluster ## Build both images and load them into the cluster
	$(CLUSTER) images

cluster: .venv/.ready ## Start a local Kubernetes (kind where Docker runs)
	$(CLUSTER) up

cluster-down: .venv/.ready ## Stop it and remove what it left
	$(CLUSTER) down

clean: ## Remove caches of the tools
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/.ready: pyproject.toml uv.lock crds/pyproject.toml operator/pyproject.toml plugin/pyproject.toml runtime/pyproject.toml
	tests/setup.sh

# The tests also need torch, which the demo does without.
.venv/.gpu: .venv/.ready
	tests/setup.sh --group gpu
	touch .venv/.gpu
