"""Requests and responses of the connections for ACLs, quotas and users."""

from types import SimpleNamespace

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.deadlines import Deadline
from ansible_collections.metal.kafka.plugins.module_utils._content import (
    acl_client,
    quota_client,
    user_client,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.acls import OPERATIONS, Acl
from ansible_collections.metal.kafka.plugins.module_utils._content.quotas import Alter, Entity
from ansible_collections.metal.kafka.plugins.module_utils._content.user_model import Put, Remove
from ansible_collections.metal.kafka.plugins.module_utils._kafka.endpoints import ClusterError
from ansible_collections.metal.kafka.plugins.module_utils._kafka.scram import Key, Secret
from kafka.admin import (
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourceType,
    ScramMechanism,
)


class Manager:
    """A fake client manager that encodes requests and returns prepared responses."""

    def __init__(self, response):
        self.response = response
        self.requests = []

    def send(self, request, node_id=None):
        return request

    def run(self, send, request, *more):
        version = request.max_version
        if getattr(request, "_max_version", None) is not None:
            version = min(version, request._max_version)
        type(request)[version]
        request.with_header(correlation_id=1, client_id="test")
        self.requests.append(request)
        return self.response(request)


def made(kind, response, **more):
    connection = kind.__new__(kind)
    manager = Manager(response)
    connection.admin = SimpleNamespace(_manager=manager, _send_request_to_controller=None)
    connection.timeout, connection.request_timeout, connection.deadline = 1, 0.25, Deadline(1)
    connection.known_brokers = lambda: [1]
    for name, value in more.items():
        setattr(connection, name, value)
    return connection, manager.requests


@pytest.mark.parametrize(
    ("own_codes", "library_codes", "skipped"),
    [
        (acl_client.OPERATIONS, ACLOperation, 2),
        (acl_client.RESOURCE_TYPES, ResourceType, 2),
        (acl_client.PERMISSIONS, ACLPermissionType, 2),
        (acl_client.PATTERNS, ACLResourcePatternType, 3),
        (user_client.SCRAM, ScramMechanism, 1),
    ],
)
def test_protocol_codes_equal_those_of_the_library(own_codes, library_codes, skipped):
    existing = {each.name: int(each) for each in library_codes if int(each) >= skipped}
    assert {
        name.upper().replace("-", "_"): number for name, number in own_codes.items()
    } == existing


def test_every_operation_has_a_code():
    assert {each for allowed in OPERATIONS.values() for each in allowed} == set(
        acl_client.OPERATIONS
    )


def listed(*acls, code=0, message=None):
    places = [
        SimpleNamespace(
            resource_type=acl_client.RESOURCE_TYPES[acl.resource_type],
            resource_name=acl.resource,
            pattern_type=acl_client.PATTERNS[acl.pattern],
            acls=[
                SimpleNamespace(
                    principal=acl.principal,
                    host=acl.host,
                    operation=acl_client.OPERATIONS[acl.operation],
                    permission_type=acl_client.PERMISSIONS[acl.permission],
                )
            ],
        )
        for acl in acls
    ]
    return SimpleNamespace(error_code=code, error_message=message, resources=places)


READ = Acl("User:a", "topic", "t", "read")
DENIED = Acl("User:b", "transactional_id", "x", "all", "prefixed", "deny", "10.0.0.1")


def test_acls_are_read_in_one_request():
    connection, requests = made(acl_client.AclConnection, lambda _: listed(READ, DENIED))
    assert connection.read_acls() == {READ, DENIED}
    assert len(requests) == 1


def test_missing_authorizer_is_reported_with_a_remedy():
    connection, _ = made(
        acl_client.AclConnection, lambda _: listed(code=54, message="No Authorizer")
    )
    with pytest.raises(
        ClusterError, match=r"reading ACLs: No Authorizer; .* authorizer\.class\.name"
    ):
        connection.read_acls()


def test_thousand_acls_are_created_in_five_requests():
    many = [Acl(f"User:u{n}", "topic", f"t{n % 50}", "read") for n in range(1000)]

    def response(request):
        if hasattr(request, "creations"):
            results = [SimpleNamespace(error_code=0, error_message=None)] * len(request.creations)
            return SimpleNamespace(results=results)
        return listed(*many)

    # A loaded machine needs more than the second of the other tests.
    connection, requests = made(acl_client.AclConnection, response, timeout=60)
    assert connection.create_acls(many) == {}
    assert [len(r.creations) for r in requests if hasattr(r, "creations")] == [200] * 5
    assert len(requests) == 6


def test_rejected_acl_has_kafkas_message():
    def response(request):
        if hasattr(request, "creations"):
            refused = SimpleNamespace(error_code=31, error_message="Not allowed")
            return SimpleNamespace(results=[refused])
        return listed()

    connection, _ = made(acl_client.AclConnection, response)
    assert connection.create_acls([READ]) == {READ: "Not allowed"}


def test_acls_without_effect_at_the_deadline_are_blockers():
    def response(request):
        if hasattr(request, "creations"):
            fine = SimpleNamespace(error_code=0, error_message=None)
            return SimpleNamespace(results=[fine])
        return listed()

    connection, _ = made(acl_client.AclConnection, response, timeout=0.2)
    assert connection.create_acls([READ]) == {READ: "not effective after 0.2 s"}


def entity(*parts):
    return [SimpleNamespace(entity_type=kind, entity_name=name) for kind, name in parts]


def test_quotas_are_read_in_one_request():
    response = SimpleNamespace(
        error_code=0,
        error_message=None,
        entries=[
            SimpleNamespace(
                entity=entity(("user", None), ("client-id", "x")),
                values=[SimpleNamespace(key="producer_byte_rate", value=5.0)],
            ),
            SimpleNamespace(entity=entity(("ip", "10.0.0.1")), values=[]),
        ],
    )
    connection, requests = made(quota_client.QuotaConnection, lambda _: response)
    assert connection.read_quotas() == {
        Entity("*", "x"): {"producer_byte_rate": 5.0},
        Entity(ip="10.0.0.1"): {},
    }
    assert len(requests) == 1


def test_quota_change_has_null_for_the_default_and_removed_keys():
    def response(request):
        return SimpleNamespace(
            entries=[
                SimpleNamespace(error_code=42, error_message="no", entity=entity(("user", None)))
            ]
        )

    connection, requests = made(quota_client.QuotaConnection, response)
    step = Alter(Entity("*"), {}, {"producer_byte_rate": 5.0}, ("consumer_byte_rate",))
    assert connection.alter_quotas([step], dry=True) == {Entity("*"): "no"}
    (entry,) = requests[0].entries
    assert requests[0].validate_only is True
    assert [(part.entity_type, part.entity_name) for part in entry.entity] == [("user", None)]
    assert [(op.key, op.value, op.remove) for op in entry.ops] == [
        ("producer_byte_rate", 5.0, False),
        ("consumer_byte_rate", 0.0, True),
    ]


def test_credentials_are_changed_in_one_request():
    def response(request):
        results = [
            SimpleNamespace(user="a", error_code=0, error_message=None),
            # The user does not exist, which is the desired state.
            SimpleNamespace(user="b", error_code=91, error_message="not existing"),
            SimpleNamespace(user="c", error_code=93, error_message="unacceptable"),
        ]
        return SimpleNamespace(results=results)

    connection, requests = made(user_client.UserConnection, response)
    how = "SCRAM-SHA-512"
    steps = [Put(Key("a", how), 4096, ""), Remove(Key("b", how)), Put(Key("c", how), 4096, "")]
    secrets = {name: Secret(f"password-of-{name}") for name in "ac"}
    assert connection.alter_users(steps, secrets) == {"c": "unacceptable"}
    (request,) = requests
    assert [each[:3] for each in request.upsertions] == [("a", 2, 4096), ("c", 2, 4096)]
    assert request.deletions == [("b", 2)]
    assert "password-of" not in str(request)
