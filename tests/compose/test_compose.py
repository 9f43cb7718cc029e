"""The compose project is the platform: brought up by Compose, used by clients."""

import json

import yaml
from conftest import PROJECT, run

DECLARED = yaml.safe_load((PROJECT / "compose.yml").read_text())
CLIENT_IMAGE = DECLARED["services"]["content"]["image"]
BOOTSTRAP = "127.0.0.1:19092,127.0.0.1:19093,127.0.0.1:19094"


def client(*words: str) -> str:
    """The project's own client, on its network and with its shared volume."""
    return run(
        *("docker", "run", "--rm", "--network", f"{DECLARED['name']}_default", "--read-only"),
        *("--volume", f"{DECLARED['name']}_shared:/shared", CLIENT_IMAGE, "kafka-metal", *words),
    )


def test_every_service_that_has_a_health_check_is_healthy(project):
    states = [json.loads(line) for line in project("ps", "--format", "json").splitlines()]

    checked = {name for name, s in DECLARED["services"].items() if "healthcheck" in s}
    assert {s["Service"] for s in states if s["Health"] == "healthy"} == checked


def test_programs_on_the_machine_reach_the_declared_topics(project):
    listed = run("kcat", "-b", BOOTSTRAP, "-L")

    assert "3 brokers" in listed
    assert 'topic "payments" with 6 partitions' in listed


def test_every_payment_is_accounted_for(project):
    inside = "kafka1:9192,kafka2:9192,kafka3:9192"
    ledger = "/shared/compose-test.json"
    client("demo", "send", "--bootstrap", inside, "--count", "10000", "--rate", "2000",
           "--ledger", ledger)  # fmt: skip
    account = client("demo", "reconcile", "--bootstrap", inside, "--ledger", ledger,
                     "--archive", "/shared/archive/payments", "--timeout", "300")  # fmt: skip

    assert "counts reconcile" in account
