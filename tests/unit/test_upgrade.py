"""Allowed upgrades between versions, and the inter-broker protocol during them."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.upgrade import (
    Fleet,
    VersionError,
    first_protocol,
    image_version,
    path_problems,
    problems,
    remaining_steps,
    version_protocol,
)

OLD, NEW = "3.8.1", "3.9.2"
IMAGE = "kafka-metal/kafka:3.9.2-0123456789ab"


@pytest.mark.parametrize(
    ("image", "version"),
    [
        (IMAGE, "3.9.2"),
        ("registry.example:5000/kafka-metal/kafka:3.8.1-0123456789ab", "3.8.1"),
        ("kafka:v3.9.0", "3.9.0"),
    ],
)
def test_version_is_read_from_the_tag(image, version):
    assert image_version(image) == version


@pytest.mark.parametrize("image", ["kafka", "kafka:latest", "registry:5000/kafka"])
def test_image_without_a_version_is_named_in_the_error(image):
    with pytest.raises(VersionError, match=f"the tag of image '{image}'"):
        image_version(image)


@pytest.mark.parametrize(
    ("others", "protocol"),
    [
        (["3.9", "", "3.8"], "3.8"),
        # Kafka's own form.
        (["3.9-IV0", "3.8-IV0"], "3.8"),
        (["3.10", "3.9"], "3.9"),
        (["", ""], "3.9"),
        ([], "3.9"),
    ],
)
def test_new_broker_uses_the_oldest_protocol(others, protocol):
    assert first_protocol(others, IMAGE) == protocol


def test_protocol_has_two_numbers():
    assert version_protocol("3.9.2") == version_protocol("3.9-IV0") == "3.9"
    with pytest.raises(VersionError, match="'latest' is not a version"):
        version_protocol("latest")


@pytest.mark.parametrize(
    ("protocol", "target", "expected"),
    [
        ("3.8", NEW, ""),
        ("3.9", NEW, ""),
        ("3.3", NEW, ""),
        ("3.9", OLD, "Kafka 3.8.1 does not support protocol 3.9"),
        ("3.9", "4.0.0", "only within one major version"),
    ],
)
def test_kafka_supports_older_protocols_of_one_major_version(protocol, target, expected):
    found = path_problems(protocol, target)
    assert bool(found) == bool(expected)
    assert expected in "".join(found)


def fleet(*versions, protocols=("3.8", "3.8", "3.8"), target=NEW):
    names = ("a", "b", "c")
    running = dict(zip(names, versions, strict=True))
    return Fleet(running, dict(zip(names, protocols, strict=True)), target)


def test_healthy_cluster_can_be_upgraded_and_downgraded():
    assert problems(fleet(OLD, OLD, OLD), [], finish=False) == []
    assert problems(fleet(NEW, NEW, NEW, target=OLD), [], finish=False) == []


def test_downgrade_below_the_raised_protocol_is_refused():
    raised = fleet(NEW, NEW, NEW, protocols=("3.8", "3.8", "3.9"), target=OLD)
    assert "a downgrade below 3.9 is not possible" in problems(raised, [], finish=False)[0]


def test_unhealthy_cluster_is_not_upgraded():
    found = problems(fleet(OLD, "", OLD), ["broker 2 is not registered"], finish=False)
    assert found == [
        "the cluster is not healthy: broker 2 is not registered",
        "no broker runs on b",
    ]


@pytest.mark.parametrize("versions", [(NEW, "", OLD), (NEW, OLD, OLD)])
def test_interrupted_roll_continues_with_an_unhealthy_cluster(versions):
    assert problems(fleet(*versions), ["broker 2 is not registered"], finish=False) == []


def test_interrupted_protocol_change_continues():
    half = fleet(NEW, NEW, NEW, protocols=("3.9", "3.8", "3.8"))
    assert problems(half, ["broker 1 is not registered"], finish=True) == []


def test_two_other_versions_are_refused_with_their_hosts():
    found = problems(fleet("3.7.2", OLD, OLD), [], finish=False)
    assert found == [
        "brokers run several versions other than 3.9.2: 3.7.2 on a; 3.8.1 on b, c",
    ]


def test_protocol_is_not_raised_while_a_broker_runs_the_old_version():
    found = problems(fleet(NEW, OLD, NEW), [], finish=True)
    assert found == [
        "the protocol can be raised once every broker runs 3.9.2; found 3.8.1 on b; 3.9.2 on a, c",
    ]


def test_protocol_in_the_inventory_must_be_removed():
    found = problems(fleet(NEW, NEW, NEW), [], finish=True, pinned=True)
    assert "remove that line" in found[0]


def test_outlook_names_the_remaining_step():
    assert "run `make upgrade FINISH=1`: it raises the protocol to 3.9" in remaining_steps(
        ["3.9", "3.8"], NEW
    )
    assert remaining_steps(["3.9", "3.9"], NEW) == ""
    assert remaining_steps(["3.8"], OLD) == ""
    assert remaining_steps([], NEW) == ""
