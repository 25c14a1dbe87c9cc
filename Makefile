# SPDX-License-Identifier: Apache-2.0
# The front door; meson does the building. See README.md.
#
#   make              builds build/cordon
#   make run          installs what is missing, builds, shows what it does
#   make run CMD='…'  the same, then runs that command in a box
#   make test         installs what the tests need and runs all of them
#   make soak         the long runs; prints their figures
#   make bench        start time, memory and throughput against the goals
#   make fuzz         each fuzzer for FUZZ_SECONDS (60)
#   make check-style  formatting, layers, linters
#   make install      into $(DESTDIR)$(prefix)

prefix ?= /usr/local
DESTDIR ?=
BUILD ?= build
FUZZ_SECONDS ?= 60
SOAK_FUZZ_SECONDS ?= 300
# JOBS=N: at most N compilers at a time; otherwise ninja decides.
JOBS ?=
export JOBS FUZZ_SECONDS

# What a tool says matters when it fails.
quietly = log=$$(mktemp); if $(1) >"$$log" 2>&1; then rm -f "$$log"; \
	else cat "$$log"; rm -f "$$log"; exit 1; fi

.PHONY: all run test soak bench fuzz install check-style golden clean FORCE

all: $(BUILD)/cordon

$(BUILD)/build.ninja:
	@$(call quietly,meson setup --native-file tools/musl.ini \
		--prefix '$(prefix)' $(BUILD))

# ninja knows what is out of date; make only puts the result at its place.
$(BUILD)/cordon: $(BUILD)/build.ninja FORCE
	@$(call quietly,ninja $(if $(JOBS),-j$(JOBS)) -C $(BUILD) src/cmd/cordon)
	@ln -f $(BUILD)/src/cmd/cordon $@

run:
	@tools/install-deps build
	@$(MAKE) --no-print-directory all
	@tools/demo $(BUILD)/cordon "$$CORDON_DEMO_CMD"

# Quotes in CMD reach the demonstration unharmed through the environment.
run: export CORDON_DEMO_CMD = $(value CMD)

test:
	@tools/install-deps build test
	@CORDON_TEST_STRICT=1 tests/run

soak:
	@tools/install-deps build test bench soak
	@CORDON_TEST_STRICT=1 FUZZ_SECONDS=$(SOAK_FUZZ_SECONDS) tests/run --soak

bench:
	@tools/install-deps build bench
	@$(MAKE) --no-print-directory all
	@bench/run

fuzz:
	@tools/install-deps build test
	@tests/run --fuzz

check-style:
	@tests/run --only lint

# UPDATE=1 rewrites the expectations.
golden:
	@tests/run --only golden

# By hand: what is generated comes from the program itself.
install: all
	install -D -m 755 $(BUILD)/cordon '$(DESTDIR)$(prefix)/bin/cordon'
	set -e; for page in man/*.[1-9]; do \
		install -D -m 644 "$$page" '$(DESTDIR)$(prefix)/share/man/man'$${page##*.}/"$${page##*/}"; \
	done
	set -e; put() { \
		mkdir -p '$(DESTDIR)$(prefix)/share/'"$${2%/*}"; \
		$(BUILD)/cordon completion $$1 > '$(DESTDIR)$(prefix)/share/'"$$2"; \
	}; \
	put bash bash-completion/completions/cordon; \
	put zsh zsh/site-functions/_cordon; \
	put fish fish/vendor_completions.d/cordon.fish

clean:
	rm -rf build build-*
