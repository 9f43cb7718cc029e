"""Every service starts through the log relay, and every image of a service contains it."""

from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue

ROOT = Path(__file__).resolve().parents[2]
RELAY = "/usr/local/bin/log-relay"
IMAGES = {image.name: image for image in catalogue(registry="", wanted={})}
SERVICES = {
    name: service
    for name, service in yaml.safe_load((ROOT / "compose/compose.yml").read_text())[
        "services"
    ].items()
    # Other containers run once and end.
    if service["restart"] != "no"
}


def recipes(name: str) -> str:
    """Return the Dockerfiles of an image and of all its parent images."""
    image = IMAGES[name]
    own = (Path(image.context) / "Dockerfile").read_text()
    return own + "".join(recipes(parent) for parent in image.parents)


@pytest.mark.parametrize("name", [name for name, image in IMAGES.items() if image.runtime])
def test_every_image_of_a_service_contains_the_relay(name: str):
    assert "COPY images/shared/log-relay /usr/local/bin/" in recipes(name)


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_starts_through_the_relay_with_its_own_log_volume(name: str):
    relay, folder, size = SERVICES[name]["entrypoint"]
    assert (relay, size) == (RELAY, "20m")
    places = [mount for mount in SERVICES[name]["volumes"] if mount["target"] == folder]
    assert [mount.get("read_only", False) for mount in places] == [False]
    # No other service uses the volume.
    others = [each for other in SERVICES if other != name for each in SERVICES[other]["volumes"]]
    assert places[0]["source"] not in {mount["source"] for mount in others}
