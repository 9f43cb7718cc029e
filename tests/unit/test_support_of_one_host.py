"""`make support` on a host that has services and also monitors keeps both kinds of data."""

import json
import tarfile
from pathlib import Path

import pytest
from plays import BROKER, HERE, ansible_playbook, with_printing_roles

FILES = "lookup('metal.kafka.site', 'machines.support"


@pytest.fixture
def archive(tmp_path: Path) -> dict[str, str]:
    """Texts of the archive by name; the machine's paths are below the test's directory."""
    playbooks = with_printing_roles(tmp_path)
    playbook = playbooks / "support.yml"
    for each in (playbook, playbooks / "internal_support_metrics.yml"):
        each.write_text(each.read_text().replace(FILES, f"'{tmp_path}/machine' ~ {FILES}"))
    variables = {
        **{"cluster_name": "unit", "kafka_metal_state": str(tmp_path / "state")},
        **{"service_config_root": str(tmp_path / "etc"), "monitoring_prometheus_port": 1},
    }
    stale = tmp_path / "state/support/m9/machine.tar.gz"
    stale.parent.mkdir(parents=True)
    stale.write_text("left by an interrupted run")
    (tmp_path / "state/.gitignore").write_text("# Written by kafka-metal.\n")
    host = {"m1": HERE | BROKER}

    code, output = ansible_playbook(
        tmp_path,
        {"metal": host, "kafka": host, "monitoring": host},
        *(str(playbook), f"-e{json.dumps(variables)}"),
    )

    assert code == 0, output
    with tarfile.open(tmp_path / "state/support.tar.gz") as found:
        return {member.name: found.extractfile(member).read().decode() for member in found}


def test_a_host_that_also_monitors_has_machine_data_and_metrics(archive):
    assert archive["m1/machine/proc/meminfo.txt"].startswith("MemTotal")
    assert {"m1/metrics/alerts.txt", "m1/metrics/series.txt"} <= set(archive)
    assert {name.split("/")[0] for name in archive} == {"m1"}
