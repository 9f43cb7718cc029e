"""A Java client of a Schema Registry, in a container of this machine."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue, find

FOLDER = Path(__file__).resolve().parents[1] / "registry_clients"
VERSIONS = FOLDER.parents[2] / "versions.yml"
TAG = "kafka-metal-registry-client"
# The first build downloads the libraries.
BUILD_S = 900


def _docker(*arguments: str, given: str = "", seconds: float = 120) -> str:
    done = subprocess.run(
        ["docker", *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def build_java() -> None:
    """Build the client; needs the images of `make images`."""
    images = catalogue(registry="", wanted={})
    versions = yaml.safe_load(VERSIONS.read_text(encoding="utf-8"))
    arguments = {
        "BUILDER_IMAGE": find("builder", images).reference,
        "JRE_IMAGE": find("jre", images).reference,
        "MAVEN_DEPENDENCY_PLUGIN": str(versions["maven_dependency_plugin"]),
    }
    given = [f"--build-arg={key}={value}" for key, value in arguments.items()]
    _docker("build", "--network=host", f"--tag={TAG}", *given, str(FOLDER), seconds=BUILD_S)


def copy_with_java(settings: Path, topic: str, values: Sequence[bytes]) -> list[tuple[str, bytes]]:
    """Read records of a topic and write them again; return each as JSON, and its new bytes.

    ``settings``: the properties of `make access`, next to the file of the CA.
    """
    command = [
        *("run", "--rm", "--interactive", "--network=host", "--read-only", "--cap-drop=ALL"),
        *(f"--user={os.getuid()}:{os.getgid()}", "--tmpfs=/tmp:exec,mode=1777"),
        *(f"--volume={settings.parent}:{settings.parent}:ro", TAG),
        *("java", "-cp", "/opt/client:/opt/client/*", "Client", str(settings), topic),
    ]
    lines = _docker(*command, given="".join(f"{each.hex()}\n" for each in values)).splitlines()
    return [(text, bytes.fromhex(value)) for text, _, value in (x.partition("\t") for x in lines)]
