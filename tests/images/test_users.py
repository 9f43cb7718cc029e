"""Images run as whichever user a kind of service has, and as one that a site chooses."""

import subprocess

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue

RUNTIME = {image.name: image for image in catalogue(registry="", wanted={}) if image.runtime}
JAVA = sorted(name for name in RUNTIME if name in ("kafka", "pipeline", "spark", "zookeeper"))


def told(name: str, user: str, *command: str) -> str:
    """What a command says in an image, as a container of a service has it."""
    return subprocess.run(
        [
            *("docker", "run", "--rm", "--network", "none", "--read-only", "--cap-drop", "ALL"),
            *("--tmpfs", "/tmp:exec,mode=1777", "--user", user, "--entrypoint", command[0]),
            *(RUNTIME[name].reference, *command[1:]),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout


@pytest.mark.parametrize("name", JAVA)
@pytest.mark.parametrize("user", ["10001:10003", "10006:10001", "10999:10999"])
def test_a_user_has_a_name_a_home_and_a_place_for_files(name: str, user: str):
    script = "getent passwd $(id -u); echo $HOME; touch $HOME/written && echo written"
    entry, *rest = told(name, user, "sh", "-c", script).splitlines()
    uid = user.partition(":")[0]
    # One name for all: HDFS knows them by it.
    assert entry.split(":")[:3] == ["kafka-metal", "x", uid]
    assert rest == ["/tmp", "written"]


def test_hadoop_knows_the_user_of_an_executor():
    command = ("/opt/spark/home/bin/spark-class", "org.apache.hadoop.security.UserGroupInformation")
    assert "User: kafka-metal" in told("spark", "10006:10001", *command)
