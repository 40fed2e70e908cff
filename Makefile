# `make demo` and `make test` set up everything they need in .venv; Python 3.11 or newer, g++ and make must be there.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
BIN    := $(VENV)/bin
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: help setup demo polybench csynth score test test-all coverage mutants fuzz lint format clean
.DEFAULT_GOAL := help

help:
	@echo "make demo                            choose, write and verify a design for gemm in build/gemm"
	@echo "make polybench SIZE=medium           all of PolyBench in build/polybench, verified; goes on where it was stopped"
	@echo "make csynth KERNEL=gemm              a design for a kernel of kernels/ in build/KERNEL, synthesized with Vitis HLS (must be on PATH)"
	@echo "make score                           the kernels of the published comparisons beside the best published cycles; goes on where it was stopped"
	@echo "make test                            run the tests"
	@echo "make test-all                        the same, and those that take long"
	@echo "make coverage                        the same, and which lines and branches they miss"
	@echo "make mutants PART=plan SAMPLE=120    changes of operators that the tests of a part do not notice (Cosmic Ray)"
	@echo "make fuzz N=2000 SEED=0 MINUTES=9    random programs and spoiled inputs; goes on where it stopped, failures in build/fuzz"
	@echo "make lint                            ruff and mypy --strict"
	@echo "make setup                           only create $(VENV) with the package and the tools of its developers"
	@echo "make clean                           remove $(VENV) and build"

$(VENV)/installed: setup.cfg pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	$(BIN)/python -m compileall -q sisyphus solvers  # where PYTHONDONTWRITEBYTECODE is set nobody else writes byte code
	touch $@

$(VENV)/developing: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

setup: $(VENV)/developing

demo: $(VENV)/installed
	$(BIN)/sisy optimize kernels/polybench/gemm.c --dsp 6840 --mem 7.2MB -o build/gemm

SIZE ?= medium
polybench: $(VENV)/installed
	$(BIN)/sisy batch kernels/polybench --set $(shell echo $(SIZE) | tr a-z A-Z) -j $(JOBS) --time-limit 20s -o build/polybench

KERNEL ?= gemm
SOURCE = $(firstword $(wildcard $(KERNEL) kernels/*/$(KERNEL).c))
csynth: $(VENV)/installed
	@test -n "$(SOURCE)" || { echo "no kernels/*/$(KERNEL).c; KERNEL is a name from kernels/ or the path of a C file"; exit 2; }
	$(BIN)/sisy optimize $(SOURCE) -o build/$(basename $(notdir $(SOURCE)))
	$(MAKE) -C build/$(basename $(notdir $(SOURCE))) csynth
	$(BIN)/sisy readback build/$(basename $(notdir $(SOURCE)))

score: $(VENV)/developing
	mkdir -p build
	$(BIN)/python scripts/score.py --lines build/scores.jsonl $(SCORE)

# Byte code of the tests, which pytest writes, saves each process of the next run seven seconds.
test test-all coverage: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/developing
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-all: $(VENV)/developing
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m ""

coverage: $(VENV)/developing
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "" --cov --cov-report=term-missing

PART ?= plan
SAMPLE ?= 120
SEED ?= 0
mutants: $(VENV)/developing
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutation]'
	$(BIN)/python scripts/mutants.py $(PART) --sample $(SAMPLE) --seed $(SEED)

N ?= 2000
fuzz: $(VENV)/developing
	$(BIN)/python tests/fuzz/campaign.py -n $(N) --seed $(SEED) -j $(JOBS) $(if $(MINUTES),--minutes $(MINUTES))

lint: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy sisyphus solvers

format: $(VENV)/developing
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build
