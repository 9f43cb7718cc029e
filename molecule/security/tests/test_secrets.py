"""Places of secrets: points 52 and 53 of docs/operate/guides/security-checklist.md."""

from testing import access
from testing.cluster import Cluster

# Users that read files below /etc/kafka-metal, by the prefix of their containers' names.
USERS = {
    "kafka": 10_001,
    "node-exporter": 10_002,
    "zk": 10_004,
    "spark-master": 10_005,
    "spark-worker": 10_006,
    "spark-history": 10_007,
    "pipeline-": 10_008,
    "demo": 10_009,
    "prometheus": 10_010,
    "alertmanager": 10_011,
    "metrics-proxy": 10_012,
    "probe": 10_013,
    "exporter": 10_014,
}
# First line of a private key.
KEY = "BEGIN PRIVATE KEY"


def test_52_the_store_is_encrypted_and_only_its_owner_can_read_it(cluster: Cluster):
    assert access.folder is not None
    store = access.folder.parent / "store.vault"
    assert store.read_text(encoding="utf-8").startswith("$ANSIBLE_VAULT;")
    assert store.stat().st_mode & 0o077 == 0
    for file in access.folder.iterdir():
        assert file.stat().st_mode & 0o077 == 0 or file.name == "ca.pem", file


def test_53_only_their_service_can_read_secrets_on_machines(cluster: Cluster):
    for machine in cluster.shells():
        found = machine.check_output(
            "grep --recursive --files-with-matches --extended-regexp %s /etc/kafka-metal || true",
            # Also in files with text of other files as JSON, where quotes are escaped.
            f'{KEY}|password=[\\]?"?[^"$\\]|"password"',
        ).split()
        assert found
        for path in found:
            file = machine.file(path)
            assert file.mode & 0o377 == 0, path
            kind = next(kind for kind in USERS if f"-{kind}" in path)
            assert file.uid == USERS[kind], path


# Argument: seconds. Searches all processes of the machine repeatedly for the password of Spark's
# pages, plain and as base64. Prints the number of secrets, of rounds, and where it found one.
WATCHER = """
import base64, pathlib, sys, time
texts = {file.read_bytes().strip() for file in pathlib.Path("/etc/kafka-metal").glob("*/pages")}
secrets = texts | {base64.b64decode(text).split(b":", 1)[1] for text in texts}
end, rounds, seen = time.monotonic() + float(sys.argv[1]), 0, set()
while time.monotonic() < end:
    rounds += 1
    for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        for name in ("cmdline", "environ"):
            try:
                text = file.with_name(name).read_bytes()
            except OSError:
                continue
            if any(secret in text for secret in secrets):
                seen.add(f"{name} of {text.split(bytes(1))[0].decode()}")
print(len(secrets), rounds, *sorted(seen), sep="\\n")
"""
# Long enough for two health checks of each container.
WATCH_SECONDS = 22


def test_52_the_password_of_pages_is_never_in_a_process_argument(cluster: Cluster):
    worker = next(iter(cluster.topology.spark_workers.values()))
    output = cluster.machine(worker).check_output("python3 -c %s %s", WATCHER, str(WATCH_SECONDS))
    secrets, rounds, *seen = output.splitlines()
    assert (int(secrets) >= 2, int(rounds) >= 20) == (True, True), output
    assert seen == []
