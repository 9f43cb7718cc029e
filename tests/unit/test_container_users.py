"""Users of services in the catalogue."""

import re
from pathlib import Path

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.filter.service import container_user
from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue import (
    SERVICES,
    container_users,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue.kinds import Service, User

ROOT = Path(__file__).resolve().parents[2]


def test_no_service_has_the_user_or_the_group_of_another():
    users = container_users.users().values()
    assert len(users) >= 14
    assert len({user.uid for user in users}) == len(users)
    groups = [user.gid or user.uid for user in users]
    assert len(set(groups)) == len(groups)
    assert container_users.SHARED not in groups


def test_user_ids_of_brokers_and_node_exporter_are_unchanged():
    assert container_user("kafka_broker") == {"uid": 10001, "gid": 10003, "group": 10003}
    assert container_user("node_exporter") == {"uid": 10002, "gid": 10002, "group": 10002}


def test_users_of_shared_directories_are_in_their_group():
    shared = [user.service for user in container_users.users().values() if user.shared_group]
    assert sorted(shared) == ["demo", "pipeline", "spark_history", "spark_worker"]
    assert container_user("demo") == {"uid": 10009, "gid": 10009, "group": 10001}


def test_every_container_has_a_user():
    kinds = {service.kind for service in SERVICES} - {"kafka"} | {"kafka_broker"}
    assert kinds <= set(container_users.users())


def test_every_monitoring_service_is_a_kind():
    entries = yaml.safe_load((ROOT / "roles/monitoring/vars/main.yml").read_text())
    kinds = {service.kind for service in SERVICES if service.role == "monitoring"}
    assert kinds == set(entries["__monitoring_entries"])


def test_site_can_set_user_ids():
    assert container_user("spark_worker", {"spark_worker": "10700"}) == {
        "uid": 10700,
        "gid": 10700,
        "group": 10001,
    }
    # A user whose group differs from its uid keeps its group.
    assert container_user("kafka_broker", {"kafka_broker": 10700})["gid"] == 10003


@pytest.mark.parametrize(
    ("service", "own", "message"),
    [
        ("gateway", {}, "found no user of gateway; allowed: alertmanager, "),
        ("zookeeper", {"zookeper": 1}, "service_uids: found zookeper; allowed: "),
        ("zookeeper", {"zookeeper": True}, "service_uids.zookeeper: found True; allowed: a user"),
        ("zookeeper", {"zookeeper": "root"}, "service_uids.zookeeper: found 'root'"),
    ],
)
def test_invalid_user_id_is_refused(service, own, message):
    with pytest.raises(AnsibleFilterError, match=re.escape(message)):
        container_user(service, own)


def test_a_service_has_one_user():
    twice = [
        Service("a", "a", "a", container_users=(User("x", 1),)),
        Service("b", "b", "b", container_users=(User("x", 2),)),
    ]
    with pytest.raises(container_users.UserError, match="found x twice"):
        container_users.users(twice)
