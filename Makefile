# Every target prepares .venv by itself, on a machine that has only git, make and python3.
# The first time takes a while; after that it starts at once (setup/environment.py says how).
#
#   PYTHON=python3.13   the interpreter to use; without it the one .venv has, or else python3
#   ARGS='-k lease'     make test: more arguments for pytest; coverage is then not measured; make run: options of holdfast
#   JSON=1              make bench, make crash, make first-hour: one JSON object instead of a table
#   DATA=folder         make recall, make recall-learn: more dialogues with questions, as *.json
#   ONLY=append,ack     make bench: only rows with these names or prefixes
#   PEERS=0             make bench: without the other projects; nothing is downloaded

SHELL := /bin/sh
PYTHON ?=
ARGS ?=
PREPARE := @PYTHON='$(PYTHON)' sh setup/prepare.sh
VENV := .venv/bin/python
CHECKED := $(wildcard src tests bench setup docs)

.DEFAULT_GOAL := help
.PHONY: help run install uninstall demo page test check format docs bench recall recall-learn near-words memory crash goals attach first-hour lock clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\): .*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-17s %s\n", $$1, $$2 }'
	@sed -n 's/^#   \([A-Z]*=\)/  \1/p' Makefile

run: ## talk to the agent; a prompt can be piped in
	$(PREPARE) run
	@case ' $(ARGS) ' in *' serve '*) $(VENV) -B setup/page.py --try;; esac
	@$(VENV) -m holdfast.hosts.main $(ARGS)

install: ## put the command `holdfast` into ~/.local/bin, for you alone
	$(PREPARE) install

uninstall: ## remove it again; conversations and settings are kept
	$(PREPARE) uninstall

demo: ## a conversation survives kill -9
	$(PREPARE) run
	@$(VENV) -m holdfast.hosts.demo

page: ## build the web page, and run all its tests in a browser
	$(PREPARE) dev --packages
	@$(VENV) -B setup/page.py
	@$(VENV) -B setup/page.py --npm test
	@HOLDFAST_PAGE=all $(VENV) -m pytest -q -n 2 tests/page

test: ## all tests, with branch coverage of the core at 100 %
	$(PREPARE) dev --packages
	@$(VENV) -B setup/page.py
	@$(VENV) -m pytest -p tests.progress -n 3 --dist worksteal $(if $(ARGS),$(ARGS),-q --cov --cov-report=term-missing:skip-covered)

check: ## style, types and layers
	$(PREPARE) dev
	@failed=; \
	$(VENV) -m ruff check --quiet || failed="$$failed style"; \
	$(VENV) -m ruff format --check --quiet || failed="$$failed format"; \
	$(VENV) -m mypy --no-error-summary $(CHECKED) || failed="$$failed types"; \
	$(VENV) -B setup/page.py --npm run check || failed="$$failed page"; \
	said=$$(.venv/bin/lint-imports --no-logo 2>&1) || { echo "$$said"; failed="$$failed layers"; }; \
	$(VENV) setup/words.py || failed="$$failed words"; \
	if [ -n "$$failed" ]; then echo "check: failed:$$failed" >&2; exit 1; fi; \
	echo "check: style, format, types, layers and words are good"

format: ## let ruff write the format and mend what it can
	$(PREPARE) dev
	@$(VENV) -m ruff check --fix-only --quiet; $(VENV) -m ruff format

docs: ## write the generated reference pages and type stubs anew
	$(PREPARE) dev
	@for page in docs/generate*.py; do $(VENV) -m docs.$$(basename $$page .py) || exit 1; done
	@$(VENV) -m holdfast.hosts.cli.reference docs/reference/command.md

bench: ## measure, side by side with others (JSON=1, ONLY=name,…)
	$(PREPARE) dev
	@$(VENV) -m bench

recall: ## how well questions find what was said (DATA=folder in LoCoMo's form, ONLY=dates,…, JSON=1)
	$(PREPARE) dev
	@$(VENV) -m bench.recall

recall-learn: ## learn the weights of the search from our own dialogues, or from such a folder (DATA=folder)
	$(PREPARE) dev
	@$(VENV) -m bench.recall.learn

memory: ## what memory must withstand: poisonings, kills, forgetting, scopes (ONLY=name,…, JSON=1)
	$(PREPARE) dev
	@$(VENV) -m tests.memory

near-words: ## make the table of words of like meaning anew (downloads 84 MB, two minutes)
	$(PREPARE) dev
	@OPENBLAS_NUM_THREADS=1 $(VENV) -m bench.recall.near_words

crash: ## the long tortures: crash states, kills, faults, power cuts (JSON=1)
	$(PREPARE) dev --packages
	@$(VENV) -m tests.crash

goals: ## what is promised of goals: claims, budgets, waits, kills (ONLY=claims,timers JSON=1)
	$(PREPARE) dev
	@$(VENV) -m tests.goals

attach: ## attach to running sessions 1,000 times in mid-reply, while their process is killed
	$(PREPARE) dev
	@$(VENV) -m tests.engine.attaching

first-hour: ## three machines from nothing, from the clone to the first answer (root; JSON=1)
	$(PREPARE) dev
	@$(VENV) -m tests.first_hour

lock: ## pin the newest versions in requirements/ (needs uv)
	@PATH="$$PWD/.venv/bin:$$PATH"; cd requirements && for list in run dev page peers-nanobot peers-openai-agents; do \
		uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
			--custom-compile-command 'make lock' $$list.in --output-file $$list.txt || exit 1; \
	done

clean: ## remove .venv, the built page and every cache
	rm -rf .venv .bench .first-hour .page web/node_modules src/holdfast/hosts/gateway/page .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
