"""The compose project is the platform: brought up by Compose, closed, used by clients."""

import json
import os
import stat
import subprocess

import yaml
from conftest import PROJECT, ROOT, make_keys, run

DECLARED = yaml.safe_load((PROJECT / "compose.yml").read_text())
CLIENT_IMAGE = DECLARED["services"]["content"]["image"]
BOOTSTRAP = "127.0.0.1:19092,127.0.0.1:19093,127.0.0.1:19094"
OPERATOR = ROOT / "inventories/compose/.kafka-metal" / DECLARED["name"] / "operator"
CONFIG = str(OPERATOR / "client.conf")


def client(ledgers, *words: str) -> str:
    """The project's own client as the operator, on its network and with its shared volume."""
    return run(
        *("docker", "run", "--rm", "--network", f"{DECLARED['name']}_default", "--read-only"),
        # Whoever ran the playbook is the one who can read the operator's files.
        *("--user", f"{os.getuid()}:{os.getgid()}", "--volume", f"{OPERATOR}:{OPERATOR}:ro"),
        # The group that reads archives.
        *("--group-add", "10001"),
        *("--volume", f"{DECLARED['name']}_shared:/shared:ro", "--volume", f"{ledgers}:/ledgers"),
        *(CLIENT_IMAGE, "kafka-metal", *words, "--client-config", CONFIG),
    )


def test_every_service_that_has_a_health_check_is_healthy(project):
    states = [json.loads(line) for line in project("ps", "--format", "json").splitlines()]

    checked = {name for name, s in DECLARED["services"].items() if "healthcheck" in s}
    assert {s["Service"] for s in states if s["Health"] == "healthy"} == checked


def test_programs_on_the_machine_reach_the_declared_topics(project):
    listed = run("kcat", "-F", CONFIG, "-b", BOOTSTRAP, "-L")

    assert "3 brokers" in listed
    assert 'topic "payments" with 6 partitions' in listed


def test_nobody_gets_in_who_does_not_say_who_comes(project):
    """Neither without a password nor with a wrong one: the port is there, and gives nothing."""
    wrong = ["-X", f"ssl.ca.location={OPERATOR / 'ca.pem'}", "-X", "security.protocol=SASL_SSL"]
    wrong += ["-X", "sasl.mechanism=SCRAM-SHA-512", "-X", "sasl.username=operator"]
    for words in ([], [*wrong, "-X", "sasl.password=guessed"]):
        asked = subprocess.run(
            ["kcat", *words, "-b", BOOTSTRAP, "-m", "10", "-L"],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert asked.returncode != 0, asked.stdout
        assert "payments" not in asked.stdout


def test_keys_are_for_the_containers_and_whoever_made_them(project):
    assert stat.S_IMODE((PROJECT / "config").stat().st_mode) == 0o700
    # Git takes what is named, and nothing else.
    ignored = (PROJECT / ".gitignore").read_text().splitlines()
    assert "config/*/*" in ignored
    taken = {line.removeprefix("!config/*/") for line in ignored if line.startswith("!")}
    kept = {file.name for file in (PROJECT / "config").glob("*/*")} - taken
    assert {"broker.pem", "server.pem", "passwords.json", "spark.conf"} <= kept


def test_a_second_time_makes_no_new_keys(keys):
    """Programs that run keep what they have."""
    recap = make_keys()

    assert " changed=0 " in recap
    assert " changed=1 " not in recap


def test_every_payment_is_accounted_for(project, tmp_path):
    inside = "kafka1:9092,kafka2:9092,kafka3:9092"
    client(tmp_path, "demo", "send", "--bootstrap", inside, "--count", "10000", "--rate", "2000",
           "--ledger", "/ledgers/compose.json")  # fmt: skip
    account = client(tmp_path, "demo", "reconcile", "--bootstrap", inside,
                     "--ledger", "/ledgers/compose.json",
                     "--archive", "/shared/archive/payments", "--timeout", "300")  # fmt: skip

    assert "counts reconcile" in account
