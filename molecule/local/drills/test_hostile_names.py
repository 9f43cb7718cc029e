"""Hostile names chosen by clients stay text in verbs, pages, reports, exports, logs and alerts."""

import re
import shlex
import sys
import tarfile
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.module_utils._problems.messages import printable_line
from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)
from kafka.structs import OffsetAndMetadata, TopicPartition
from testing import access, pages, playbooks
from testing.cluster import Cluster
from testing.waiting import NotYet, wait_for

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/unit"))

from hostile_names import MARKER, NAMES  # noqa: E402 - tests are no package

# The alert is declared in inventory/group_vars/monitoring.yml of the scenario.
TOPIC, ALERT = "hostile-names", "GroupOfTheTest"
# A topic's name has at most 249 letters, digits, dots, underscores and hyphens.
LONGEST = "n" * 249
# Each of these names starts a tool of Kafka, so only some are tested.
QUOTED = NAMES[::6]
# Names that screens display unchanged; long ones may be cut.
PLAIN = [name for name in NAMES if name.isascii() and name.isprintable() and len(name) < 200]


class Exported(yaml.SafeLoader):
    """YAML with Ansible's tag !unsafe."""


Exported.add_constructor("!unsafe", Exported.construct_scalar)


@pytest.fixture(scope="module")
def named(platform: Cluster) -> Iterator[Cluster]:
    """The platform with groups, ACLs and quotas of hostile names, which are deleted at the end."""
    platform.wait_until_whole()
    Path(f"/tmp/{MARKER}").unlink(missing_ok=True)
    at, config = platform.operator_access(1)
    tool = f"--bootstrap-server {at} --command-config {config}"
    for topic in (TOPIC, LONGEST):
        platform.tool(f"kafka-topics {tool} --create --topic {topic} --replica-assignment 1")
    platform.tool(
        f"kafka-producer-perf-test --topic {TOPIC} --num-records 10 --record-size 9 --throughput -1"
        f" --producer-props bootstrap.servers={at} --producer.config {config}",
    )
    acls = [acl(name) for name in NAMES if "/" not in name]
    try:
        with access.admin(platform.topology.bootstrap) as admin:
            for name in NAMES:
                admin.alter_group_offsets(
                    name, {TopicPartition(TOPIC, 0): OffsetAndMetadata(1, "", -1)}
                )
            admin.create_acls(acls)
        for name in QUOTED:
            platform.tool(
                f"kafka-configs {tool} --alter --add-config producer_byte_rate=1000000"
                f" --entity-type clients --entity-name {shlex.quote(name)}",
            )
        yield platform
    finally:
        for name in QUOTED:
            platform.tool(
                f"kafka-configs {tool} --alter --delete-config producer_byte_rate"
                f" --entity-type clients --entity-name {shlex.quote(name)}",
            )
        with access.admin(platform.topology.bootstrap) as admin:
            admin.delete_groups(list(NAMES))
            admin.delete_acls(acls)
        for topic in (TOPIC, LONGEST):
            platform.tool(f"kafka-topics {tool} --delete --topic {topic}")


def acl(name: str) -> ACL:
    pattern = ResourcePattern(ResourceType.GROUP, name)
    return ACL(f"User:{name}", "*", ACLOperation.READ, ACLPermissionType.ALLOW, pattern)


def kept_principals(cluster: Cluster) -> set[str]:
    """Return the principals of these ACLs in the cluster: Kafka rejects some names."""
    own = ResourcePatternFilter(ResourceType.GROUP, None, ACLResourcePatternType.ANY)
    anything = ACLFilter(None, None, ACLOperation.ANY, ACLPermissionType.ANY, own)
    with access.admin(cluster.topology.bootstrap) as admin:
        found, _ = admin.describe_acls(anything)
    return {each.principal for each in found} & {f"User:{name}" for name in NAMES}


def nothing_ran(cluster: Cluster) -> None:
    """Assert that no name was executed and has created its file, here or in a container."""
    assert not Path(f"/tmp/{MARKER}").exists()
    for instance in cluster.topology.instances:
        machine = cluster.machine(instance)
        found = machine.run("docker exec %s ls /tmp/%s", instance.container, MARKER)
        assert found.rc != 0, instance.container


def printable(text: str) -> str:
    """Return text without colours; AssertionError if a line has control characters."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    bad = [line for line in plain.splitlines() if not line.replace("\t", "").isprintable()]
    assert not bad, bad[:3]
    return plain


@pytest.mark.parametrize("verb", ["status", "groups", "plan", "verify", "export", "report"])
def test_a_read_only_verb_prints_names_as_text(verb: str, named: Cluster, make):
    done = make(verb)

    assert "Traceback" not in done.stdout + done.stderr
    text = printable(done.stdout) + printable(done.stderr)
    # Exit code 2 is a problem or a difference, not a failure.
    assert done.returncode in (0, 2), text[-3000:]
    if verb == "groups":
        assert [name for name in PLAIN if name not in text] == []
    nothing_ran(named)


# A template, a shell command, and a terminal's escape sequence. tests/unit/test_verbs.py passes all
# names through the Makefile, without a platform.
@pytest.mark.parametrize("name", [NAMES[0], NAMES[6], "\x1b[31mred\x1b[0m"])
def test_a_verb_treats_a_name_as_text(name: str, named: Cluster, make):
    moved = make("groups", G=name, TO="earliest", T=TOPIC, DRY="1")

    assert moved.returncode == 0, moved.stdout[-3000:] + moved.stderr
    printable(moved.stdout)
    for verb, values in {
        "access": {"U": name},
        "logs": {"S": name},
        "produce": {"FILE": name, "TOPIC": name},
        "replay": {"SOURCE": name, "TARGET": name},
    }.items():
        refused = make(verb, **values)
        assert refused.returncode != 0, verb
        assert "Traceback" not in refused.stdout + refused.stderr, verb
    nothing_ran(named)


def test_an_export_has_every_name_as_text_and_can_be_applied(named: Cluster, make, tmp_path: Path):
    exported = make("export")

    assert exported.returncode == 0, exported.stderr[-3000:]
    found = yaml.load(exported.stdout, Exported)
    assert {each["client"] for each in found["kafka_content_quotas"] if "client" in each} >= set(
        QUOTED
    )
    principals = {each["principal"] for each in found["kafka_content_acls"]}
    # Resources that cannot be declared are listed in comments.
    notes = "\n".join(line for line in exported.stdout.splitlines() if line.startswith("# "))
    kept = kept_principals(named)
    assert len(kept) > 20
    assert [each for each in kept - principals if printable_line(each) not in notes] == []
    file = tmp_path / "content.yml"
    file.write_text(exported.stdout)
    planned = make("plan", args=f"-e @{file}")
    assert planned.returncode == 0, planned.stdout[-3000:]
    text = printable(planned.stdout)
    for name in QUOTED:
        assert f"quota of {name}" not in text
    nothing_ran(named)


def test_pages_and_metrics_have_names_as_text(named: Cluster, services: dict[str, str]):

    def read() -> None:
        query = urllib.parse.quote(f'kafka_metal_group_lag_records{{topic="{TOPIC}"}}')
        series = pages.get_monitoring(f"{services['prometheus']}/api/v1/query?query={query}")[
            "data"
        ]["result"]
        found = {each["metric"]["group"] for each in series}
        if found != set(NAMES):
            raise NotYet(f"{len(found)} of {len(NAMES)} groups, without {set(NAMES) - found}")

    wait_for("Prometheus has exactly these groups", read, seconds=120)
    with urllib.request.urlopen(services["exporter"], timeout=10) as answer:
        page = answer.read().decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    report = (playbooks.state(named.topology.cluster) / "report.html").read_text()
    assert "<script>alert" not in report
    assert "<img src=x" not in report


def test_an_alert_has_names_as_text(named: Cluster, services: dict[str, str], make):
    found = pages.get_monitoring(f"{services['prometheus']}/api/v1/alertmanagers")
    (alertmanager,) = found["data"]["activeAlertmanagers"]

    def alerts_have_names() -> None:
        alerts = pages.get_monitoring(alertmanager["url"])
        own = {
            each["labels"]["group"]: each["annotations"]["summary"]
            for each in alerts
            if each["labels"]["alertname"] == ALERT
        }
        if set(own) != set(NAMES):
            raise NotYet(f"{len(own)} of {len(NAMES)} groups")
        # Names are not evaluated as templates of Prometheus.
        cluster = named.topology.cluster
        assert {name: f"{cluster}: group {name} reads" for name in NAMES} == own

    wait_for("Alertmanager has an alert of every group", alerts_have_names, seconds=180)
    printable(make("status").stdout)


def test_the_support_archive_has_names_as_text(named: Cluster, make):
    done = make("support")

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    with tarfile.open(playbooks.state(named.topology.cluster) / "support.tar.gz") as archive:
        names = archive.getnames()
        series = archive.extractfile("monitor1/metrics/series.txt").read().decode()
    assert all(name.isprintable() and ".." not in name for name in names)
    assert MARKER in series
    nothing_ran(named)
