# Every target calls one script under Scripts/; bare `make` lists them.
.DEFAULT_GOAL := help
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# The project's checks and builds already use every core; two targets at once would only fight over .build.
.NOTPARALLEL:

.PHONY: help setup build release demo test conformance differential sanitize fuzz bench soak lint format docs clean

help:
	@Scripts/help $(firstword $(MAKEFILE_LIST))

setup: ## Check for Swift and install the missing Debian packages [GROUPS="build test bench docs differential"]
	@Scripts/setup $(or $(GROUPS),build test)

demo: ## The main job on a laboratory of its own: every situation x setting, and report.html
	@Scripts/demo

test: ## Everything that must pass: set-up, layers, style, build without warnings, the whole suite
	@Scripts/test

conformance: ## The conformance cases alone [CASES=folder of suites, or limbo.json]
	@Scripts/conformance $(CASES)

differential: ## Mutated chains judged beside OpenSSL, Go and pyca cryptography [MUTATIONS=20000] [SEED=1]
	@Scripts/differential $(or $(MUTATIONS),20000) $(or $(SEED),1)

sanitize: ## The suite under the thread sanitizer, then the address sanitizer [ONLY=thread|address]
	@Scripts/sanitize $(ONLY)

fuzz: ## libFuzzer on everything that parses foreign bytes [SECONDS=600] [ONLY=CertificateFuzzer]
	@Scripts/fuzz $(or $(SECONDS),600) $(ONLY)

build: ## A debug build of everything, tests included
	@Scripts/setup build
	@Scripts/build

release: ## The `belay` command: optimised, stripped, Swift runtime inside
	@Scripts/setup build
	@Scripts/build-release

bench: ## Figures beside the same work in C [ROUNDS=11] [ONLY=evaluation] [JSON=file] [QUICK=1]
	@QUICK=$(QUICK) Scripts/bench $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(ONLY),--only $(ONLY)) $(if $(JSON),--json $(JSON))

soak: ## Mixed traffic with faults through one session: nothing lost, nothing grown [MINUTES=10] [SEED=1]
	@Scripts/soak $(or $(MINUTES),10) $(or $(SEED),1)

docs: ## The API documentation of every library, warnings are errors [in .build/docs/html]
	@Scripts/docs

lint: ## Layers, shell scripts, Swift style: everything that needs no build
	@Scripts/lint

format: ## Format the Swift sources in place
	@Scripts/format

clean: ## Remove everything that was built
	@Scripts/clean
