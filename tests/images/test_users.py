"""Images run as the users of services, and as other users that a site chooses."""

import subprocess

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._images.images import catalogue

RUNTIME = {image.name: image for image in catalogue(registry="", wanted={}) if image.runtime}
JAVA = sorted(name for name in RUNTIME if name in ("kafka", "pipeline", "spark", "zookeeper"))


def output_of(name: str, user: str, *command: str) -> str:
    """Return the output of a command in an image, run with the restrictions of a service."""
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
def test_a_user_has_a_name_and_a_writable_home(name: str, user: str):
    script = "getent passwd $(id -u); echo $HOME; touch $HOME/written && echo written"
    entry, *rest = output_of(name, user, "sh", "-c", script).splitlines()
    uid = user.partition(":")[0]
    # All users have the same name, which HDFS uses.
    assert entry.split(":")[:3] == ["kafka-metal", "x", uid]
    assert rest == ["/tmp", "written"]


def test_hadoop_resolves_the_user_of_an_executor():
    command = ("/opt/spark/home/bin/spark-class", "org.apache.hadoop.security.UserGroupInformation")
    assert "User: kafka-metal" in output_of("spark", "10006:10001", *command)
