import os
import subprocess

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.compose_project import (
    CHOWN_SCRIPT,
    ComposeError,
    to_compose,
)

ROOT = "/var/lib/kafka-metal"


def declared(name, /, kind="kafka_broker", files=(), **definition):
    return {
        "name": name,
        "kind": kind,
        "definition": {"image": "kafka-metal/kafka:1", "user": "10001:10001", **definition},
        "files": list(files),
        "config_target": "/etc/kafka",
    }


def bind(source, **more):
    return {"type": "bind", "source": source, "target": "/data", **more}


def services(*rendered, **options):
    return to_compose(rendered, volume_root=ROOT, **options)["services"]


def test_service_drops_empty_keys():
    found = services(
        declared("kafka1", name="c-kafka1", network_mode=None, ports=[], ulimits={}, pids_limit=9)
    )
    assert found == {
        "kafka1": {
            "image": "kafka-metal/kafka:1",
            "user": "10001:10001",
            "pids_limit": 9,
            "container_name": "c-kafka1",
            "hostname": "kafka1",
            "labels": {
                "kafka-metal.instance": "kafka1",
                "kafka-metal.service": "kafka_broker",
            },
        }
    }


def test_false_and_zero_are_kept():
    kafka = services(declared("kafka1", read_only=False, mem_swappiness=0, environment={"A": ""}))
    assert kafka["kafka1"]["read_only"] is False
    assert kafka["kafka1"]["mem_swappiness"] == 0
    assert kafka["kafka1"]["environment"] == {"A": ""}


def test_dollar_signs_are_escaped():
    found = services(
        declared("kafka1", command=["sh", "-c", "echo $HOME"], environment={"A": "${B}"})
    )
    assert found["kafka1"]["command"] == ["sh", "-c", "echo $$HOME"]
    assert found["kafka1"]["environment"] == {"A": "$${B}"}


def test_services_with_one_path_share_a_volume():
    project = to_compose(
        [
            declared("kafka1", volumes=[bind(f"{ROOT}/kafka1/disk1"), bind(f"{ROOT}/shared")]),
            declared("driver1", volumes=[bind(f"{ROOT}/shared", read_only=True)]),
        ],
        volume_root=ROOT,
    )
    assert project["volumes"] == {"kafka1-disk1": {}, "shared": {}}
    assert project["services"]["kafka1"]["volumes"][0] == {
        "type": "volume",
        "source": "kafka1-disk1",
        "target": "/data",
    }
    assert project["services"]["driver1"]["volumes"] == [
        {"type": "volume", "source": "shared", "target": "/data", "read_only": True}
    ]


def test_volumes_get_their_owner_before_containers_start():
    found = services(
        declared("kafka1", volumes=[bind(f"{ROOT}/b"), bind(f"{ROOT}/a")]), declared("idle")
    )
    owner = found["volumes"]
    assert owner["entrypoint"][3:] == ["volumes", "10001:10001 a", "10001:10001 b"]
    assert (owner["user"], owner["cap_drop"]) == ("0:0", ["ALL"])
    assert [mount["source"] for mount in owner["volumes"]] == ["a", "b"]
    assert found["kafka1"]["depends_on"] == {
        "volumes": {"condition": "service_completed_successfully"}
    }
    assert "depends_on" not in found["idle"]


def test_volume_of_several_users_belongs_to_their_group():
    found = services(
        declared("a", volumes=[bind(f"{ROOT}/x"), bind(f"{ROOT}/y")], user="5:9"),
        declared("b", volumes=[bind(f"{ROOT}/x"), bind(f"{ROOT}/z")], user="6:9"),
    )
    assert found["volumes"]["entrypoint"][4:] == ["0:9 x", "5:9 y", "6:9 z"]


def test_content_gets_new_owner_and_group_can_write(tmp_path):
    """The script runs as root in a container, with the capabilities of the project."""
    own, shared = os.getuid(), os.getgid()
    for name in ("own", "shared"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / "deep" / "file").touch(mode=0o640)
    called = tmp_path / "called"
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin" / "chown"
    tool.write_text(f'#!/bin/sh\necho "$*" >> {called}\n')
    tool.chmod(0o755)
    given = [f"{own}:7 own", f"{own + 1}:7 own", f"0:{shared} shared"]
    script = CHOWN_SCRIPT.replace("/volumes/", f"{tmp_path}/")
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    subprocess.run(["sh", "-euc", script, "volumes", *given], env={"PATH": path}, check=True)

    assert called.read_text().splitlines() == [
        f"{own}:7 {tmp_path}/own",
        f"-R {own + 1}:7 {tmp_path}/own",
        f"{own + 1}:7 {tmp_path}/own",
        f"0:{shared} {tmp_path}/shared",
    ]
    modes = [(tmp_path / at).stat().st_mode & 0o777 for at in ("shared", "shared/deep")]
    assert [oct(mode & 0o070) for mode in modes] == ["0o70", "0o70"]
    assert (tmp_path / "shared/deep/file").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("mount", [bind("/etc/localtime"), bind(ROOT), "named:/data"])
def test_other_mounts_are_unchanged(mount):
    project = to_compose([declared("kafka1", volumes=[mount])], volume_root=ROOT)
    assert project["services"]["kafka1"]["volumes"] == [mount]
    assert "volumes" not in project


def test_configuration_is_mounted_from_the_project_directory():
    one = declared("kafka1", files=[{"name": "server.properties", "content": "a=$1\n"}])
    assert services(one, config_dir="./conf")["kafka1"]["volumes"] == [
        {"type": "bind", "source": "./conf/kafka1", "target": "/etc/kafka", "read_only": True}
    ]


def test_keys_are_mounted_without_other_files():
    one = {**declared("worker1"), "keys": ["spark.conf"]}
    assert services(one, config_dir="./conf")["worker1"]["volumes"] == [
        {"type": "bind", "source": "./conf/worker1", "target": "/etc/kafka", "read_only": True}
    ]


def test_kind_waits_until_earlier_kinds_are_healthy():
    found = services(
        declared("kafka1"),
        declared("zk1", kind="zookeeper", healthcheck={"test": ["CMD", "true"]}),
        declared("zk2", kind="zookeeper"),
        after={"kafka_broker": ["zookeeper"]},
    )
    assert found["kafka1"]["depends_on"] == {
        "zk1": {"condition": "service_healthy"},
        "zk2": {"condition": "service_started"},
    }
    assert "depends_on" not in found["zk1"]


@pytest.mark.parametrize(
    ("rendered", "message"),
    [
        ([declared("a"), declared("a")], "a: more than one service has this name"),
        ([declared("volumes")], "volumes: more than one service has this name"),
        ([declared("a", image=None)], "a: the declaration names no image"),
        (
            [
                declared("a", volumes=[bind(f"{ROOT}/x")]),
                declared("b", volumes=[bind(f"{ROOT}/x")], user="5:5"),
            ],
            "b: shares volume x with a user of another group",
        ),
    ],
)
def test_invalid_declarations_are_refused(rendered, message):
    with pytest.raises(ComposeError, match=message):
        to_compose(rendered, volume_root=ROOT)


def test_the_same_declarations_make_the_same_project_in_any_order():
    rendered = [declared("b", volumes=[bind(f"{ROOT}/b")]), declared("a")]
    forward, backward = to_compose(rendered), to_compose(reversed(rendered))
    assert list(forward["services"]) == list(backward["services"]) == ["a", "b"]
    assert forward == backward
