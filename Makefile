# Everything that a person types. Each command makes its own .venv where there is none (with pip alone) and installs
# again only when pyproject.toml or constraints.txt has changed.
#
#   make train                       learn 5x5 Go on this machine; ARGS="--seed 1" changes settings, PRESET=go9 the game
#   make test                        the tests; ARGS="tests/go -k suicide" chooses, ARGS="-m slow" runs the long ones
#   make check                       format, lint, types, tests: what must pass before a commit
#   make notebooks | make pictures   make colab/*.ipynb, or docs/planes.md and all pictures, again from their sources
#   make clean                       remove .venv and caches; runs/ stays
#
# PYTHON=python3.12 chooses the Python of a new .venv; EXTRAS=dev,cuda (or dev,tpu) adds an accelerator's runtime.

SHELL := /bin/bash
.DEFAULT_GOAL := help

is_supported := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
version := import sys; print("%d.%d" % sys.version_info[:2])

# The first Python on the path that will do; python3 if none will, for the message.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	$$name -c '$(is_supported)' >/dev/null 2>&1 && { echo $$name; exit; }; done; echo python3)
EXTRAS ?= dev
PRESET ?= smoke5
ARGS ?=

comma := ,
venv := .venv
bin := $(venv)/bin
stamp := $(venv)/.installed-$(subst $(comma),-,$(EXTRAS))

.PHONY: help install train test check format lint types notebooks pictures clean python-matches

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

install: $(stamp)

$(stamp): pyproject.toml constraints.txt | python-matches $(bin)/pip
	@echo "Installing into $(venv): a minute or two and 1 GB the first time."
	@$(bin)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$(EXTRAS)]'
	@touch $@

$(bin)/pip:
	@$(PYTHON) -c '$(is_supported)' 2>/dev/null || { \
		echo "Miai needs Python 3.11, 3.12 or 3.13; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 | head -n 1)."; \
		echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; } >&2
	@rm -rf $(venv) && $(PYTHON) -m venv $(venv)

# A .venv keeps the Python it was made with; asking for another one by name is answered, not ignored.
python-matches:
ifneq ($(origin PYTHON),file)
	@test ! -x $(bin)/python || test "$$($(bin)/python -c '$(version)')" = "$$($(PYTHON) -c '$(version)')" || { \
		echo "$(venv) was made with another Python than '$(PYTHON)': run 'make clean' first." >&2; exit 1; }
endif

train: $(stamp)
	$(bin)/python -m experiments.train $(PRESET) $(ARGS)

test: $(stamp)
	$(bin)/pytest --numprocesses logical --maxprocesses 8 --dist loadfile $(ARGS)

check: format lint types test

format: $(stamp)
	$(bin)/ruff format --check .

lint: $(stamp)
	$(bin)/ruff check .

types: $(stamp)
	$(bin)/pyrefly check

notebooks: $(stamp)
	$(bin)/python -m colab.generate

pictures: $(stamp)
	$(bin)/python -m docs.pictures
	$(bin)/python -m docs.planes

clean:
	rm -rf $(venv) build *.egg-info .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
