"""Another version of Schema Registry is refused while instances run, and starts after a stop."""

from collections.abc import Iterator

import pytest
from testing.schema_registry import INSTANCES, UP_S, Load, Registry

OTHER = "kafka-metal/schema_registry:3.3.2-drill"
ARGUMENTS = f"-e schema_registry_image={OTHER}"


@pytest.fixture
def other_version(registry: Registry) -> Iterator[None]:
    """The image of the instances under the tag of another version."""
    machine = registry.cluster.shell("localhost")
    machine.check_output("docker tag %s %s", images(registry)[0], OTHER)
    yield
    machine.run("docker image rm %s", OTHER)


def images(registry: Registry) -> list[str]:
    """Return the image of each instance."""
    found = (registry.container(name).inspect() for name in INSTANCES)
    return [str(each["Config"]["Image"]) for each in found]


def stop(registry: Registry) -> None:
    """Stop all instances, as the guide says."""
    for name in INSTANCES:
        container = registry.instance(name).container
        registry.cluster.shell("localhost").check_output("docker stop %s", container)


@pytest.mark.usefixtures("other_version")
def test_two_versions_never_share_a_journal(registry: Registry):
    own = images(registry)
    started = [registry.container(name).started() for name in INSTANCES]
    with Load(registry) as load:
        refused = registry.run("up", ARGUMENTS, seconds=UP_S)
        load.wait_for_more(3)
    assert refused.returncode != 0
    assert "other instances run version" in refused.stdout + refused.stderr
    assert [registry.container(name).started() for name in INSTANCES] == started
    assert load.failures == []

    try:
        stop(registry)
        registry.up(ARGUMENTS)
        assert images(registry) == [OTHER, OTHER]
        load.verify()
    finally:
        stop(registry)
        registry.up()
    assert images(registry) == own
    load.verify()
