"""A whole run with -vvv prints no secret: point 52 of docs/security-checklist.md."""

from testing import access, playbooks
from testing.cluster import Cluster

# What the operator's own files hold, as text of a log.
KEY = "BEGIN PRIVATE KEY"


def test_52_a_whole_run_says_no_secret_however_much_it_says(cluster: Cluster):
    password = access.librdkafka()["sasl.password"]
    said = playbooks.run("site", "-vvv", seconds=1200)

    assert "PLAY RECAP" in said.stdout
    for secret in (password, KEY):
        assert secret not in said.stdout + (said.stderr or "")
