# Every word an operator or CI needs. `make` alone prints them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The machines: inventories/local is this machine; INVENTORY=inventories/mine is yours.
INVENTORY ?= inventories/local
# Anything ansible-playbook takes: ARGS="-e cluster_name=other --limit kafka".
ARGS ?=

export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Python may keep what it compiles, also where an image forbids it: every run of Ansible starts a second earlier.
unexport PYTHONDONTWRITEBYTECODE
# A user without root's rights may be asked for the password of sudo, once.
BECOME = $(shell test "$$(id -u)" = 0 || sudo -n true 2>/dev/null || echo --ask-become-pass)
# The cluster's name as the inventory says it; CLUSTER=name for a second one from the same inventory.
CLUSTER ?= $(shell sed -n 's/^cluster_name: *//p' $(INVENTORY)/group_vars/all/*.yml | head -1)
PLAYBOOK = ansible-playbook -i $(INVENTORY) $(BECOME) -e cluster_name=$(CLUSTER) $(ARGS)
# Answers and reports; playbooks/group_vars/all/wiring.yml says the same.
STATE = .cache/$(CLUSTER)
# The operator's way into a cluster that asks who comes; docs/security.md.
ACCESS = .secrets/$(CLUSTER)/operator/client.conf
# A playbook's answer, or its log where it came to none; the playbook's exit code tells: $(call answer,verify).
answer = rm -f $(STATE)/$1.txt; code=0; mkdir -p .cache; \
	$(PLAYBOOK) playbooks/$1.yml $2 > .cache/$1.log 2>&1 || code=$$?; \
	cat $(STATE)/$1.txt 2>/dev/null || cat .cache/$1.log; exit $$code

##@ The two commands
.PHONY: up
up: env ## bring everything up on this machine and show the pipeline's result on a real stream
	$(PLAYBOOK) playbooks/up.yml
	kafka-metal report --state $(STATE)/state.json --steps $(STATE)/steps.json $$(ls $(STATE)/demo.json 2>/dev/null | sed 's/^/--demo /')

.PHONY: test
test: env-dev ## run every test: lint, unit, architecture, Spark, molecule
	scripts/test

##@ Day by day
.PHONY: status plan upgrade close down destroy logs demo produce pipeline verify preflight bench restart reboot export groups access replay replicas rotate
.PHONY: support report
status: env ## one screen: services, leader, controller, in-sync partitions, lag; the exit code tells
	@$(PLAYBOOK) playbooks/status.yml > .cache/status.log 2>&1 || { cat .cache/status.log; exit 2; }
	@kafka-metal status --state $(STATE)/state.json

preflight: env ## whether declarations and machines are sound: ports, names, clocks, disks, limits
	$(PLAYBOOK) playbooks/preflight.yml playbooks/internal_statements.yml

plan: env ## what a run would change, before anything is touched; STRICT=1 fails on changes
	@STRICT=$(STRICT) scripts/plan $(PLAYBOOK) playbooks/plan.yml

upgrade: env ## roll the brokers to the version declared; FINISH=1 then raises the protocol
	$(PLAYBOOK) playbooks/upgrade.yml $(if $(FINISH),-e upgrade_finish=true)

close: env ## close an open cluster while it serves, as far as security_closing says: docs/security.md
	$(PLAYBOOK) playbooks/close.yml

verify: env ## settings of every host: wanted, persisted, live; the exit code tells drift
	@$(call answer,verify)

rotate: env ## new secrets while everything runs: WHAT=passwords|certificates|ca [NAMES=shop,audit]
	$(PLAYBOOK) playbooks/rotate.yml -e rotate_what="$(WHAT)" $(if $(NAMES),-e rotate_names="$(NAMES)")

restart: env ## restart brokers and ensemble one by one: make restart [S=kafka|ensemble] [ARGS="--limit kafka1"]
	$(PLAYBOOK) playbooks/restart.yml $(if $(S),-e restart_services=$(S))

reboot: env ## restart the machines one after the other
	$(PLAYBOOK) playbooks/reboot.yml

down: env ## stop everything, keep all data
	$(PLAYBOOK) playbooks/down.yml

destroy: env ## delete the cluster and its data; asks for its name, or CONFIRM=name
	@confirm="$(CONFIRM)"; \
	if [ -z "$$confirm" ] && [ -t 0 ]; then read -rp "All data will be deleted. Name of the cluster: " confirm; fi; \
	$(PLAYBOOK) playbooks/destroy.yml -e "confirm_destroy=$$confirm"

logs: env ## follow the log of one service: make logs S=kafka1
	@$(if $(S),,$(error which service? make logs S=kafka1))scripts/logs "$(INVENTORY)" "$(CLUSTER)" "$(S)"

report: ## the overview as one HTML page with plots, without Grafana: HOURS=24 BOARDS=all
	@scripts/bootstrap --no-dev --group monitoring --inexact
	@$(MAKE) status > .cache/report.log 2>&1 || true
	@python -m kafka_metal_dashboards.page $(STATE)/state.json $(STATE)/report.html $(if $(HOURS),--hours $(HOURS)) $(if $(BOARDS),--boards $(BOARDS))

support: env ## one archive of states, logs, configuration and figures of all machines, without secrets
	@mkdir -p $(STATE)/support; $(PLAYBOOK) playbooks/support.yml > .cache/support.log 2>&1 || { cat .cache/support.log; exit 2; }
	@ls -sh $(STATE)/support.tar.gz

demo: env ## send the payments again and account for every record
	$(PLAYBOOK) playbooks/demo.yml playbooks/status.yml
	kafka-metal report --state $(STATE)/state.json --steps $(STATE)/steps.json $$(ls $(STATE)/demo.json 2>/dev/null | sed 's/^/--demo /')

produce: env ## send a file of your own: make produce FILE=some.csv|.jsonl TOPIC=name [KEY=field NULL=NA]
	@$(if $(and $(FILE),$(TOPIC)),,$(error which file to which topic? make produce FILE=some.csv TOPIC=name))\
	kafka-metal produce --bootstrap "$$(cat $(STATE)/bootstrap)" --topic "$(TOPIC)" \
		$(if $(wildcard $(ACCESS)),--client-config $(ACCESS)) $(if $(KEY),--key "$(KEY)") $(if $(NULL),--null "$(NULL)") "$(FILE)"

pipeline: status ## what runs: pipelines with their state, lag and speed

groups: env ## consumer groups and their lag; where one goes on: G=name TO=earliest|latest|offset|"2h ago" [T=topic] [DRY=1]
	@mkdir -p $(STATE); $(PLAYBOOK) playbooks/groups.yml $(if $(G),-e group_name="$(G)") $(if $(TO),-e '{"group_to": "$(TO)"}') \
		$(if $(T),-e group_topic="$(T)") $(if $(DRY),--check) > .cache/groups.log 2>&1 || { cat .cache/groups.log; exit 2; }
	@kafka-metal groups --state $(STATE)/groups.json

export: env ## what is in the cluster, as declarations that would change nothing on it
	@mkdir -p $(STATE); $(PLAYBOOK) playbooks/export.yml > .cache/export.log 2>&1 || { cat .cache/export.log; exit 2; }
	@cat $(STATE)/content.yml

replay: env ## a part of a topic once more, to another topic: SOURCE=a TARGET=b [FROM="2h ago"] [UNTIL=latest] [DRY=1]
	@$(if $(and $(SOURCE),$(TARGET)),,$(error from where to where? make replay SOURCE=a TARGET=b FROM="2h ago"))\
	kafka-metal replay --bootstrap "$$(cat $(STATE)/bootstrap)" $(if $(wildcard $(ACCESS)),--client-config $(ACCESS)) \
		--source "$(SOURCE)" --target "$(TARGET)" $(if $(FROM),--from "$(FROM)") $(if $(UNTIL),--until "$(UNTIL)") $(if $(DRY),--dry-run)

replicas: env ## whether replicas hold the same batches, broker by broker: SECONDS=60; the exit code tells
	@$(call answer,replicas,$(if $(SECONDS),-e kafka_broker_compare_seconds=$(SECONDS)))

access: env ## files with which a declared user comes in, to be handed out: make access U=shop
	@$(if $(U),,$(error whose? make access U=name))mkdir -p $(STATE); \
	$(PLAYBOOK) playbooks/access.yml -e access_user="$(U)" > .cache/access.log 2>&1 || { cat .cache/access.log; exit 2; }
	@ls -l $(dir $(ACCESS))../users/$(U)/*

bench: ## measure a cluster beside its machine's limits: docs/benchmark; ARGS="-e benchmark_rounds=5"
	@scripts/bootstrap --no-dev --group bench --inexact
	ansible-playbook -i $(if $(filter command,$(firstword $(origin INVENTORY))),$(INVENTORY),inventories/benchmark) \
		$(BECOME) $(ARGS) playbooks/benchmark.yml

##@ Disks of a broker: HOST=node2 DISK=disk2
.PHONY: disk-add disk-drain disk-remove disk-replace
disk-add: ## a new disk, already in the inventory, joins its broker and gets its share
disk-drain: ## every replica moves from a disk to the others of its broker
disk-remove: ## a drained disk leaves its broker and its host
disk-replace: ## a failed disk gives way to a new one: DEVICE=/dev/sdd FORCE=disk2 where needed
disk-add disk-drain disk-remove disk-replace: env
	$(PLAYBOOK) playbooks/$(subst -,_,$@).yml -e disk_host=$(HOST) -e disk_name=$(DISK) $(if $(DEVICE),-e disk_device=$(DEVICE)) $(if $(FORCE),-e disk_force=$(FORCE))

##@ For contributors
.PHONY: check lint types unit drill compose images render fmt env env-dev help
check: env-dev lint types unit ## everything that needs no container engine, some three minutes

lint: env-dev
	ruff check
	ruff format --check
	yamllint --strict .
	ansible-lint --offline --strict
	shellcheck $(shell grep -lE '^#!/bin/(ba)?sh' .ci/run scripts/* images/*/bin/* images/kafka/class-archive)
	scripts/render --check
	scripts/render-tuning --check
	scripts/render-requirements --check

types: env-dev
	mypy

unit: env-dev
	pytest -q -n 2 --junitxml=.cache/results/unit.xml

drill: env-dev ## break something under load and count every record: make drill D=disk_failure
	@scripts/drill $(D)

fmt: env-dev ## format the code
	ruff format
	ruff check --fix

compose: images ## the platform under docker compose on this machine: docs/compose.md
	ansible-playbook -i inventories/compose playbooks/compose.yml
	docker compose -f compose/compose.yml up --wait

images: env ## build the images; no registry is needed
	$(PLAYBOOK) playbooks/host.yml playbooks/images.yml

render: env-dev ## write what is derived: compose/compose.yml, dashboards, the table of docs/tuning.md
	scripts/render
	scripts/render-tuning

env:
	@scripts/bootstrap --no-dev --inexact

env-dev:
	@scripts/bootstrap

help: ## this text
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
