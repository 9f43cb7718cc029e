"""A whole run with -vvv prints no secret: point 52 of docs/operate/guides/security-checklist.md."""

from testing import access, playbooks
from testing.cluster import Cluster

# What the operator's own files hold, as text of a log.
KEY = "BEGIN PRIVATE KEY"


def test_52_a_whole_run_prints_no_secret_with_vvv(cluster: Cluster):
    password = access.librdkafka()["sasl.password"]
    # At rest a run skips what writes secrets.
    output = playbooks.run("site", "-vvv", extra={"compare": "everything"}, seconds=1200)

    assert "PLAY RECAP" in output.stdout
    assert "service_files" in output.stdout
    for secret in (password, KEY):
        assert secret not in output.stdout + (output.stderr or "")
