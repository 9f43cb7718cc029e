# Every word an operator or CI needs. `make` alone prints them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# INVENTORY=inventories/mine has your machines, several by comma; without it inventories/local is this one.
# CLUSTER=name is a second cluster from the same inventory.
# ARGS="--limit kafka -e @more.yml" takes anything that ansible-playbook takes.
#
# Values are data: make, the shell and Ansible expand nothing in them. make would expand a value of its command
# line when it exports it, so here each becomes its literal text; scripts/verb reads the environment. .given and
# .each are names that no value has.
override .given := $(foreach .each,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(.each)))),$(.each)))
$(foreach .each,$(.given),$(eval override $(.each) := $$(value $(.each))))
export $(.given)

export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Python may keep what it compiles, also where an image forbids it: every run of Ansible starts a second earlier.
unexport PYTHONDONTWRITEBYTECODE

##@ The two commands
.PHONY: up
up: env ## bring everything up on this machine and show the pipeline's result on a real stream
	@scripts/verb up

.PHONY: test
test: env-dev ## run every test: lint, unit, architecture, Spark, molecule
	scripts/test

##@ Day by day
.PHONY: status plan upgrade secure zookeeper-trust down destroy logs demo produce pipeline verify preflight bench restart reboot export groups access replay replicas rotate
.PHONY: support report versions
status: env ## one screen: services, leader, controller, in-sync partitions, lag; the exit code tells
preflight: env ## whether declarations and machines are sound: ports, names, clocks, disks, limits
plan: env ## what a run would change, before anything is touched; STRICT=1 fails on changes
upgrade: env ## roll the brokers to the version declared; FINISH=1 then raises the protocol
secure: env ## enable security on a running cluster without downtime: docs/operate/guides/security.md
zookeeper-trust: env ## ZooKeeper's servers get a CA of their own, its nodes owners; once after 0.1: docs/start/from-0.1.md
verify: env ## settings of every host, secrets to rotate, access to ZooKeeper; the exit code tells drift
rotate: env ## new secrets while everything runs: WHAT=passwords|certificates|ca [NAMES=shop,audit]
restart: env ## restart brokers and ensemble one by one: make restart [S=kafka|ensemble] [ARGS="--limit kafka1"]
reboot: env ## restart the machines one after the other
down: env ## stop everything, keep all data
destroy: env ## delete the cluster and its data: lists them and asks for its name, or CONFIRM=name; DRY=1 only lists
logs: env ## follow the log of one service: make logs S=kafka1
support: env ## one archive of states, logs, configuration and figures of all machines, without secrets
demo: env ## send the payments again and account for every record
produce: env ## send a file of your own: make produce FILE=some.csv|.jsonl TOPIC=name [KEY=field NULL=NA]
groups: env ## consumer groups and their lag; where one goes on: G=name TO=earliest|latest|offset|"2h ago" [T=topic] [DRY=1]
export: env ## what is in the cluster, as declarations that would change nothing on it
replay: env ## a part of a topic once more, to another topic: SOURCE=a TARGET=b [FROM="2h ago"] [UNTIL=latest] [DRY=1]
replicas: env ## whether replicas hold the same batches, broker by broker: SECONDS=60; the exit code tells
access: env ## files with which a declared user comes in, to be handed out: make access U=shop
status preflight upgrade secure zookeeper-trust verify rotate restart reboot down destroy logs support demo produce groups export replay replicas access plan:
	@scripts/verb $@

pipeline: status ## what runs: pipelines with their state, lag and speed

report: ## the overview as one HTML page with plots, without Grafana: HOURS=24 BOARDS=all
	@scripts/bootstrap --no-dev --group monitoring --inexact
	@scripts/verb report

versions: ## every component with version, licence and place; SBOM=folder writes CycloneDX: docs/operate/guides/supply-chain.md
	@scripts/bootstrap --no-dev --group sbom --inexact
	@scripts/verb versions

bench: ## measure a cluster beside its machine's limits: docs/benchmark; ARGS="-e benchmark_rounds=5"
	@scripts/bootstrap --no-dev --group bench --inexact
	@scripts/verb bench $(filter INVENTORY,$(.given))

##@ Disks of a broker: HOST=node2 DISK=disk2
.PHONY: disk-add disk-drain disk-remove disk-replace disk-reserve
disk-add: ## a new disk, already in the inventory, joins its broker and gets its share
disk-drain: ## every replica moves from a disk to the others of its broker
disk-remove: ## a drained disk leaves its broker and its host
disk-replace: ## a failed disk gives way to a new one: DEVICE=/dev/sdd FORCE=disk2 where needed
disk-reserve: ## delete the reserve of a full disk, so that its broker can start and delete
disk-add disk-drain disk-remove disk-replace disk-reserve: env
	@scripts/verb $@

close: # its name before 0.2
	@echo "make close is make secure now: docs/operate/guides/security.md" >&2; exit 64

##@ For contributors
.PHONY: check lint types unit drill compose docs images render fmt env env-dev help close
check: env-dev lint types unit ## everything that needs no container engine, some three minutes

lint: env-dev
	ruff check
	ruff format --check
	yamllint --strict .
	ansible-lint --offline --strict
	antsibull-docs lint-collection-docs --plugin-docs --skip-rstcheck --validate-collection-refs self .
	shellcheck $(shell grep -d skip -lE '^#!/bin/(ba)?sh' .ci/run scripts/* images/*/bin/* images/kafka/class-archive)
	scripts/render --check
	scripts/render-tuning --check
	scripts/render-requirements --check
	scripts/render-changelog --check

types: env-dev
	mypy

unit: env-dev
	pytest -q -n 2 --junitxml=.cache/results/unit.xml

drill: env-dev ## break something under load and count every record: make drill D=disk_failure
	@scripts/drill

fmt: env-dev ## format the code
	ruff format
	ruff check --fix

docs: env-dev ## build the documentation in .cache/docs/html
	scripts/build-docs

compose: images ## the platform under docker compose on this machine: docs/start/laptop.md
	ansible-playbook -i inventories/compose playbooks/compose.yml
	docker compose -f compose/compose.yml up --wait

images: env ## build the images; no registry is needed
	@scripts/verb images

render: env-dev ## write what is derived: compose/compose.yml, dashboards, the table of docs/operate/guides/tuning.md, CHANGELOG.rst
	scripts/render
	scripts/render-tuning
	scripts/render-changelog

env:
	@scripts/bootstrap --no-dev --inexact

env-dev:
	@scripts/bootstrap

help: ## this text
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
