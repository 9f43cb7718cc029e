# Targets for operators, CI and contributors. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# INVENTORY=inventories/mine selects your machines, several with commas; default: inventories/local, this machine.
# CLUSTER=name manages a second cluster of the same inventory.
# ARGS="--limit kafka -e @more.yml" passes arguments to ansible-playbook.
#
# Values are data: neither make nor the shell nor Ansible expands them. make would expand the value of a
# command-line variable when it exports it, so each is replaced here by its literal text. scripts/verb reads the
# environment. .given and .each cannot clash with variables of users.
override .given := $(foreach .each,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(.each)))),$(.each)))
$(foreach .each,$(.given),$(eval override $(.each) := $$(value $(.each))))
export $(.given)

export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Python may cache bytecode, even where an image forbids it: every run of Ansible starts one second sooner.
unexport PYTHONDONTWRITEBYTECODE

##@ The two commands
.PHONY: up
up: env ## start a cluster on this machine and run the pipeline on a generated stream
	@scripts/verb up

.PHONY: test
test: env-dev ## run every test: lint, unit, architecture, Spark, molecule
	scripts/test

##@ Day by day
.PHONY: status plan upgrade secure zookeeper-trust down destroy logs demo produce pipeline pipelines topics verify preflight bench restart reboot export groups access replay replicas rotate schemas-backup schemas-restore
.PHONY: support report versions
status: env ## state of services, partitions, pipelines, alerts: causes first; exit code 2 with problems; JSON=1
preflight: env ## validate declarations and machines: ports, names, clocks, disks, limits
plan: env ## list what a run would change; STRICT=1 fails if there are changes
upgrade: env ## upgrade brokers to the declared version one by one; FINISH=1 then raises the protocol
secure: env ## enable security on a running cluster without downtime: docs/operate/guides/security.md
topics: env ## apply topics, users, ACLs and quotas, without a comparison of hosts: [DRY=1]
pipelines: env ## apply pipelines and the content they need, without a comparison of hosts: [P=name] [DRY=1]
zookeeper-trust: env ## move ZooKeeper to its own CA and set the ACLs of znodes; once after 0.1: docs/start/from-0.1.md
verify: env ## check host settings, age of secrets, access to ZooKeeper; exit code 2 with drift
rotate: env ## rotate secrets without downtime: WHAT=passwords|certificates|ca [NAMES=shop,audit]
restart: env ## restart instances one by one: make restart [S=kafka] [ARGS="--limit kafka1"]
reboot: env ## reboot the machines one by one
down: env ## stop all services, keep all data
destroy: env ## delete the cluster and its data after confirmation of its name, or CONFIRM=name; DRY=1 only lists
logs: env ## follow the log of one service: make logs S=kafka1
support: env ## write an archive of states, logs, configuration and metrics of all machines, without secrets
demo: env ## send generated payments and reconcile every record
produce: env ## send a file: make produce FILE=some.csv|.jsonl TOPIC=name [KEY=field NULL=NA RATE=records/s SUBJECT=name-value]
groups: env ## list consumer groups and their lag; set offsets: G=name TO=earliest|latest|TIME|"2h ago" [T=topic] [DRY=1]
export: env ## write the cluster's content as declarations
replay: env ## copy a part of a topic to another topic: SOURCE=a TARGET=b [FROM="2h ago"] [UNTIL=latest] [STAMP=source|now] [DRY=1]
replicas: env ## compare the record batches of replicas: [SECONDS=60 for each broker]; exit code 2 with differences
schemas-backup: env ## write all schemas of the schema registry to a new file: FILE=schemas.zip
schemas-restore: env ## restore a backup of schemas into an empty schema registry: FILE=schemas.zip [DRY=1]
access: env ## write a declared user's client files, to hand them out: make access U=shop
status preflight topics pipelines upgrade secure zookeeper-trust verify rotate restart reboot down destroy logs support demo produce groups export replay replicas schemas-backup schemas-restore access plan:
	@scripts/verb $@

pipeline: status ## the same as make status, which has a table of pipelines

report: ## write plots as one HTML page, without Grafana: [HOURS=24, default 1] [BOARDS=all or names, default overview]
	@scripts/bootstrap --no-dev --group monitoring --inexact
	@scripts/verb report

versions: ## list components with version, licence and place; SBOM=folder writes CycloneDX: docs/operate/guides/supply-chain.md
	@scripts/bootstrap --no-dev --group sbom --inexact
	@scripts/verb versions

bench: ## measure a cluster and its machine's limits: docs/benchmark; ARGS="-e benchmark_rounds=5"
	@scripts/bootstrap --no-dev --group bench --inexact
	@scripts/verb bench $(filter INVENTORY,$(.given))

##@ Disks of a broker: HOST=node2 DISK=disk2
.PHONY: disk-add disk-drain disk-remove disk-replace disk-reserve
disk-add: ## add a disk of the inventory to its broker, and move a share of replicas to it
disk-drain: ## move every replica of a disk to the other disks of its broker
disk-remove: ## remove a drained disk from its broker and its host
disk-replace: ## replace a failed disk; DEVICE=/dev/sdd if not the declared one, FORCE=disk2 if it seems healthy
disk-reserve: ## delete the reserve of a full disk, so that its broker can start and delete segments
disk-add disk-drain disk-remove disk-replace disk-reserve: env
	@scripts/verb $@

close: # Name of `make secure` before 0.2.
	@echo "make close is now make secure: docs/operate/guides/security.md" >&2; exit 64

##@ For contributors
.PHONY: check lint types unit drill compose docs images render fmt env env-dev help close
check: env-dev lint types unit docs ## run all checks without a container engine, about three minutes

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

drill: env-dev ## inject a fault under load and reconcile every record: D=disk_failure, D=all, TIMES=3; without D: list them
	@scripts/drill

fmt: env-dev ## format the code
	ruff format
	ruff check --fix

docs: env-dev ## build the documentation in .cache/docs/html
	scripts/build-docs

compose: images ## start the cluster with docker compose on this machine: docs/start/laptop.md
	ansible-playbook -i inventories/compose playbooks/compose.yml
	docker compose -f compose/compose.yml up --wait

images: env ## build the images; no registry is needed
	@scripts/verb images

render: env-dev ## write derived files: compose/compose.yml, dashboards, the table of docs/operate/guides/tuning.md, CHANGELOG.rst
	scripts/render
	scripts/render-tuning
	scripts/render-changelog

env:
	@scripts/bootstrap --no-dev --inexact

env-dev:
	@scripts/bootstrap

help: ## print this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
