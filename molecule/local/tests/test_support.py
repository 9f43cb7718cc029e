"""The support archive has all diagnostics and no secrets."""

import tarfile

from testing import access, playbooks
from testing.cluster import Cluster


def test_support_collects_everything_without_secrets(cluster: Cluster, make):
    password = access.librdkafka()["sasl.password"]
    broker = cluster.broker(1)
    # In a line of the broker's log.
    planted = f"echo said {password} > /proc/1/fd/1"
    cluster.machine(cluster.topology.brokers[1]).check_output(
        "docker exec %s sh -c %s", broker.name, planted
    )

    done = make("support")

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    with tarfile.open(playbooks.state(cluster.topology.cluster) / "support.tar.gz") as archive:
        texts = {member.name: archive.extractfile(member).read().decode() for member in archive}
    for wanted in (
        f"localhost/logs/{broker.name}.log",
        f"localhost/config/{broker.name}/server.properties",
        "localhost/machine/dmesg.txt",
        "monitor1/metrics/series.txt",
    ):
        assert texts[wanted], wanted
    assert "said <removed>" in texts[f"localhost/logs/{broker.name}.log"]
    leaks = [
        name for name, text in texts.items() if password in text or "PRIVATE KEY-----\n" in text
    ]
    assert not leaks
