"""Which way leads from one version to another, and what a broker speaks meanwhile."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._operations.upgrade import (
    Fleet,
    VersionError,
    first_protocol,
    image_version,
    outlook,
    path_problems,
    problems,
    protocol_of,
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
def test_the_tag_says_the_version(image, version):
    assert image_version(image) == version


@pytest.mark.parametrize("image", ["kafka", "kafka:latest", "registry:5000/kafka"])
def test_an_image_without_a_version_is_refused_by_name(image):
    with pytest.raises(VersionError, match=f"the tag of image '{image}'"):
        image_version(image)


@pytest.mark.parametrize(
    ("others", "protocol"),
    [
        (["3.9", "", "3.8"], "3.8"),
        # As Kafka itself tells it.
        (["3.9-IV0", "3.8-IV0"], "3.8"),
        (["3.10", "3.9"], "3.9"),
        (["", ""], "3.9"),
        ([], "3.9"),
    ],
)
def test_a_broker_that_joins_speaks_what_all_others_understand(others, protocol):
    assert first_protocol(others, IMAGE) == protocol


def test_a_version_has_two_numbers():
    assert protocol_of("3.9.2") == protocol_of("3.9-IV0") == "3.9"
    with pytest.raises(VersionError, match="'latest' is no version"):
        protocol_of("latest")


@pytest.mark.parametrize(
    ("protocol", "target", "words"),
    [
        ("3.8", NEW, ""),
        ("3.9", NEW, ""),
        ("3.3", NEW, ""),
        ("3.9", OLD, "Kafka 3.8.1 cannot speak protocol 3.9"),
        ("3.9", "4.0.0", "only within one major version"),
    ],
)
def test_a_program_serves_protocols_up_to_its_own_within_a_major_version(protocol, target, words):
    found = path_problems(protocol, target)
    assert bool(found) == bool(words)
    assert words in "".join(found)


def fleet(*versions, protocols=("3.8", "3.8", "3.8"), target=NEW):
    names = ("a", "b", "c")
    running = dict(zip(names, versions, strict=True))
    return Fleet(running, dict(zip(names, protocols, strict=True)), target)


def test_a_healthy_cluster_may_go_forth_and_back():
    assert problems(fleet(OLD, OLD, OLD), [], finish=False) == []
    assert problems(fleet(NEW, NEW, NEW, target=OLD), [], finish=False) == []


def test_after_the_protocol_was_raised_there_is_no_way_back():
    raised = fleet(NEW, NEW, NEW, protocols=("3.8", "3.8", "3.9"), target=OLD)
    assert "no way back below 3.9" in problems(raised, [], finish=False)[0]


def test_a_sick_cluster_is_not_upgraded():
    found = problems(fleet(OLD, "", OLD), ["broker 2 is not registered"], finish=False)
    assert found == [
        "the cluster is not healthy: broker 2 is not registered",
        "no broker runs on b",
    ]


@pytest.mark.parametrize("versions", [(NEW, "", OLD), (NEW, OLD, OLD)])
def test_an_interrupted_roll_goes_on_whatever_it_left(versions):
    assert problems(fleet(*versions), ["broker 2 is not registered"], finish=False) == []


def test_an_interrupted_last_step_goes_on():
    half = fleet(NEW, NEW, NEW, protocols=("3.9", "3.8", "3.8"))
    assert problems(half, ["broker 1 is not registered"], finish=True) == []


def test_two_other_versions_at_once_are_refused_with_their_hosts():
    found = problems(fleet("3.7.2", OLD, OLD), [], finish=False)
    assert found == [
        "brokers run more than one version beside 3.9.2: 3.7.2 on a; 3.8.1 on b, c",
    ]


def test_the_protocol_is_not_raised_while_a_broker_runs_the_old_version():
    found = problems(fleet(NEW, OLD, NEW), [], finish=True)
    assert found == [
        "the protocol is raised when every broker runs 3.9.2; found 3.8.1 on b; 3.9.2 on a, c",
    ]


def test_an_inventory_that_sets_the_protocol_is_asked_to_leave_it():
    found = problems(fleet(NEW, NEW, NEW), [], finish=True, pinned=True)
    assert "take that line out" in found[0]


def test_what_is_left_is_said_until_nothing_is():
    assert "`make upgrade FINISH=1` raises the protocol to 3.9" in outlook(["3.9", "3.8"], NEW)
    assert outlook(["3.9", "3.9"], NEW) == ""
    assert outlook(["3.8"], OLD) == ""
    assert outlook([], NEW) == ""
