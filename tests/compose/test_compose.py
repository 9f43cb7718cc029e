"""The Compose project: a secured platform that clients use."""

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
    """Run the project's client as the operator, on its network and with its shared volume."""
    return run(
        *("docker", "run", "--rm", "--network", f"{DECLARED['name']}_default", "--read-only"),
        # Only the user of the playbook run can read the operator's files.
        *("--user", f"{os.getuid()}:{os.getgid()}", "--volume", f"{OPERATOR}:{OPERATOR}:ro"),
        # The group that can read archives.
        *("--group-add", "10001"),
        *("--volume", f"{DECLARED['name']}_shared:/shared:ro", "--volume", f"{ledgers}:/ledgers"),
        *(CLIENT_IMAGE, "kafka-metal", *words, "--client-config", CONFIG),
    )


def test_every_service_with_a_health_check_is_healthy(project):
    states = [json.loads(line) for line in project("ps", "--format", "json").splitlines()]

    checked = {name for name, s in DECLARED["services"].items() if "healthcheck" in s}
    assert {s["Service"] for s in states if s["Health"] == "healthy"} == checked


def test_clients_on_the_machine_can_access_the_declared_topics(project):
    listed = run("kcat", "-F", CONFIG, "-b", BOOTSTRAP, "-L")

    assert "3 brokers" in listed
    assert 'topic "payments" with 6 partitions' in listed


def test_clients_without_the_password_are_refused(project):
    wrong = ["-X", f"ssl.ca.location={OPERATOR / 'ca.pem'}", "-X", "security.protocol=SASL_SSL"]
    wrong += ["-X", "sasl.mechanism=SCRAM-SHA-512", "-X", "sasl.username=operator"]
    for options in ([], [*wrong, "-X", "sasl.password=guessed"]):
        done = subprocess.run(
            ["kcat", *options, "-b", BOOTSTRAP, "-m", "10", "-L"],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode != 0, done.stdout
        assert "payments" not in done.stdout


def test_keys_are_private_and_ignored_by_git(project):
    assert stat.S_IMODE((PROJECT / "config").stat().st_mode) == 0o700
    # Git ignores all files except the listed ones.
    ignored = (PROJECT / ".gitignore").read_text().splitlines()
    assert "config/*/*" in ignored
    tracked = {line.removeprefix("!config/*/") for line in ignored if line.startswith("!")}
    kept = {file.name for file in (PROJECT / "config").glob("*/*")} - tracked
    assert {"broker.pem", "server.pem", "passwords.json", "spark.conf"} <= kept


def test_a_second_run_creates_no_new_keys(keys):
    assert "Nothing changed, " in make_keys()


def test_every_payment_is_reconciled(project, tmp_path):
    inside = "kafka1:9092,kafka2:9092,kafka3:9092"
    client(tmp_path, "demo", "send", "--bootstrap", inside, "--count", "10000", "--rate", "2000",
           "--ledger", "/ledgers/compose.json")  # fmt: skip
    report = client(tmp_path, "demo", "reconcile", "--bootstrap", inside,
                     "--ledger", "/ledgers/compose.json",
                     "--archive", "/shared/archive/payments", "--timeout", "300")  # fmt: skip

    assert "counts reconcile" in report
