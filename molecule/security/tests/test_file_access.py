"""The user of each container can read only its own files on its machine: point 53."""

import json
import re

import pytest
from testing import sandbox
from testing.cluster import Cluster
from testing.sandbox import Sandbox

CONFIGURATION, DATA, LOGS = "/etc/kafka-metal", "/var/lib/kafka-metal", "/var/log/kafka-metal"
# Files that any user may read: metrics of operations, and the markers of disks.
FOR_ALL = re.compile(rf"{DATA}/textfile/.*|/data/[^/]+/\.kafka-metal-disk\.json")

# User and group of the container's processes, and its directories besides configuration and log.
SHARED = "/srv/shared"
TABLE = {
    "kafka_broker": ("10001:10003", ["/data/disk1/kafka", "/data/disk2/kafka"]),
    "node_exporter": ("10002:10002", [f"{DATA}/engine/secured", f"{DATA}/space/secured"]),
    "zookeeper": ("10004:10004", [f"{DATA}/zookeeper/data", f"{DATA}/zookeeper/log"]),
    "spark_master": ("10005:10005", []),
    "spark_worker": ("10006:10001", [f"{DATA}/spark/work", SHARED]),
    "spark_history": ("10007:10001", [f"{DATA}/spark/history", SHARED]),
    "pipeline": ("10008:10001", [f"{DATA}/pipeline/work", SHARED]),
    "prometheus": ("10010:10010", [f"{DATA}/monitoring/prometheus"]),
    "alertmanager": ("10011:10011", [f"{DATA}/monitoring/alertmanager"]),
    "metrics_proxy": ("10012:10012", []),
    "probe": ("10013:10013", []),
    "exporter": ("10014:10014", []),
}

# Prints the regular files below directories that a user and group may read. Access to the parents
# of these directories is not checked: a container that mounts one does not pass its parents.
READABLE = """
import json, os, stat, sys
user, *places = sys.argv[1:]
uid, gid = map(int, user.split(":"))
def may(status, right):
    shift = 6 if status.st_uid == uid else 3 if status.st_gid == gid else 0
    return status.st_mode >> shift & right
def files(folder):
    for each in os.scandir(folder):
        status = each.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode) and may(status, 1):
            yield from files(each.path)
        elif stat.S_ISREG(status.st_mode) and may(status, 4):
            yield each.path
print(json.dumps([path for place in places if os.path.isdir(place) for path in files(place)]))
"""


@pytest.fixture(scope="module")
def containers(platform: Cluster) -> list[Sandbox]:
    found = sandbox.of(platform)
    assert {each.service for each in found} == set(TABLE)
    return found


def own(each: Sandbox) -> list[str]:
    """Return the directories of a container on its machine."""
    return [f"{CONFIGURATION}/{each.name}", f"{LOGS}/{each.name}", *TABLE[each.service][1]]


def readable(each: Sandbox) -> list[str]:
    """Return the files of all containers of the machine that a container's user can read."""
    places = [CONFIGURATION, DATA, LOGS, "/srv", "/data/disk1", "/data/disk2"]
    output = each.machine.check_output(
        "python3 -c %s %s " + " ".join(places), READABLE, TABLE[each.service][0]
    )
    return [path for path in json.loads(output) if not FOR_ALL.fullmatch(path)]


def test_53_each_kind_of_service_has_its_own_user(containers: list[Sandbox]):
    for each in containers:
        assert each.inspected["Config"]["User"] == TABLE[each.service][0], each
        assert each.users() == {int(TABLE[each.service][0].partition(":")[0])}, each


def test_53_a_user_can_read_only_its_own_files(containers: list[Sandbox]):
    for each in containers:
        foreign = [
            path
            for path in readable(each)
            if not any(path.startswith(f"{place}/") for place in own(each))
        ]
        assert foreign == [], each


def test_53_a_user_can_read_its_mounted_files(containers: list[Sandbox]):
    for each in containers:
        found = readable(each)
        for mount in each.inspected["Mounts"]:
            if mount["Source"].startswith(f"{CONFIGURATION}/"):
                output = each.machine.check_output("find %s -type f", mount["Source"]).splitlines()
                assert set(output) <= set(found), each
        if each.service in ("kafka_broker", "zookeeper", "prometheus"):
            place = TABLE[each.service][1][0]
            assert any(path.startswith(f"{place}/") for path in found), each


def test_53_workers_have_no_password_of_a_pipeline(containers: list[Sandbox]):
    (driver,) = [each for each in containers if each.service == "pipeline"]
    (output,) = driver.machine.check_output(
        "sed -n s/^password=//p %s", f"{CONFIGURATION}/{driver.name}/pipeline-payments.properties"
    ).splitlines()
    assert len(output) > 10
    for each in (each for each in containers if each.service == "spark_worker"):
        found = each.machine.run(
            "grep --recursive --files-with-matches --fixed-strings -e %s " + " ".join(own(each)),
            output,
        )
        assert found.stdout == "", each


def test_53_the_group_can_read_files_in_shared_directories(containers: list[Sandbox]):
    (driver,) = [each for each in containers if each.service == "pipeline"]
    written = driver.machine.check_output(
        "find %s -type f -path '*/archive/*' -name '*.parquet'", SHARED
    ).splitlines()
    assert written
    for each in containers:
        if each.service in ("spark_worker", "spark_history", "pipeline"):
            assert set(written) <= set(readable(each)), each
