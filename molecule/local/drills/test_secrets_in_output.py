"""A complete run with -vvv prints no secret."""

from testing import access, playbooks
from testing.cluster import Cluster

# First line of the private keys in the operator's files.
KEY = "BEGIN PRIVATE KEY"


def test_52_a_complete_run_prints_no_secret_with_vvv(cluster: Cluster):
    password = access.librdkafka()["sasl.password"]
    # A run on an unchanged site would skip the tasks that write secrets.
    output = playbooks.run("site", "-vvv", extra={"compare": "everything"}, seconds=1200)

    assert "PLAY RECAP" in output.stdout
    assert "service_files" in output.stdout
    for secret in (password, KEY):
        assert secret not in output.stdout + (output.stderr or "")
