"""Files, rights and topics of Schema Registry, by its role and its entry in the catalogue."""

import hashlib
import json
import re
import shutil

import plays
import pytest
from ansible_collections.metal.kafka.plugins.filter.ready_status import ready_status
from ansible_collections.metal.kafka.plugins.module_utils._common.properties_file import (
    from_properties,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.applied_state import Permission
from ansible_collections.metal.kafka.plugins.module_utils._content.removals import (
    with_topic_removals,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.topic_model import Topic
from ansible_collections.metal.kafka.plugins.module_utils._content.topics import (
    parse_specs,
    plan,
    unmanaged_config,
)
from ansible_collections.metal.kafka.plugins.module_utils._problems.config_values import Value
from ansible_collections.metal.kafka.plugins.module_utils._problems.platform_problem import (
    from_dict,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.declared_content import (
    content_specs,
)
from plays import ROOT

# This lookup returns secrets with the characters that files have to escape.
SECRET = """
from ansible.plugins.lookup import LookupBase

class LookupModule(LookupBase):
    def run(self, terms, variables=None, **options):
        end = (variables or {}).get("secret_end", "$1")
        return [f"<{term}>{end}" for term in terms]
"""
RENDER = """
- name: Write the declaration of the service
  ansible.builtin.set_fact:
    service_rendered:
      - {files: "{{ service_files }}", secret_files: "{{ service_secret_files }}",
         container: "{{ __service_container }}"}
"""
USERS = {"ops": "admin", "shop.1": "developer", "audit": "reader"}
USER_KEY = 'quarkus.security.users.embedded.{}."{}"'


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """The real collection with that lookup."""
    folder = tmp_path_factory.mktemp("registry")
    home = folder / "ansible_collections/metal/kafka"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "plugins", home / "plugins", ignore=ignored)
    (home / "plugins/lookup/secret.py").write_text(SECRET)
    shutil.copytree(ROOT / "roles", home / "roles")
    (home / "roles/service/tasks/render.yml").write_text(RENDER)
    # Sources of image tags.
    for path in ROOT.iterdir():
        if path.name not in ("plugins", "roles") and not path.name.startswith("."):
            (home / path.name).symlink_to(path)
    return folder


def site(mode="tls_scram", brokers=3, **variables):
    """Groups of a site with two instances and some brokers."""
    common = {"security_mode": mode, "cluster_name": "unit"}
    found = {
        f"registry{number}": {
            **common,
            "schema_registry_id": number,
            "schema_registry_address": f"10.0.0.{number}",
            "schema_registry_port": 8442 + number,
            "schema_registry_users": USERS,
            **variables,
        }
        for number in (1, 2)
    }
    kafka = {
        f"broker{number}": {**plays.BROKER, **common, "kafka_broker_id": number}
        for number in range(1, brokers + 1)
    }
    return {"schema_registry": found, "kafka": kafka, "metal": {**found, **kafka}}


@pytest.fixture(scope="module")
def evaluated(collection):
    """Function that evaluates an expression on the first instance, after tasks."""

    def evaluate(expression, *tasks, groups=None, **variables):
        target = collection / "result.json"
        copy = {"dest": str(target), "content": f"{{{{ {expression} | to_json }}}}"}
        play = {"hosts": "registry1", "tasks": [*tasks, {"ansible.builtin.copy": copy}]}
        code, output = plays.run(collection, [play], groups or site(**variables))
        assert code == 0, output
        return json.loads(target.read_text())

    return evaluate


@pytest.fixture(scope="module")
def rendered(evaluated):
    """Function that returns files and the container of the first instance of a site."""
    known = {}

    def once(**variables):
        key = json.dumps(variables, sort_keys=True)
        if key not in known:
            known[key] = render(**variables)
        return known[key]

    def render(**variables):
        role = {"name": "metal.kafka.schema_registry", "tasks_from": "service"}
        task = {"ansible.builtin.include_role": role, "vars": {"service_action": "render"}}
        (one,) = evaluated("service_rendered", task, **variables)
        files = {each["name"]: each["content"] for each in one["files"] + one["secret_files"]}
        return files, one["container"]

    return once


def looked_up(fact):
    return f"lookup('metal.kafka.site', '{fact}')"


def test_passwords_are_hashed_as_quarkus_expects(rendered):
    files, _ = rendered()
    found = from_properties(files["secret.properties"])
    for name, role in USERS.items():
        text = f"{name}:Quarkus:<password:schema_registry-{name}>$1"
        assert found[USER_KEY.format("users", name)] == hashlib.sha512(text.encode()).hexdigest()
        roles = {"admin": "sr-admin", "developer": "sr-developer", "reader": "sr-readonly"}
        assert found[USER_KEY.format("roles", name)] == roles[role]
    assert "<password" not in files["registry.properties"]


def without_expressions(text):
    """A value as SmallRye Config returns it: it replaces ${…}, and two dollar signs are one."""
    assert not re.search(r"(?<!\$)(\$\$)*\$\{", text), text
    return text.replace("$$", "$")


@pytest.mark.parametrize("end", ["re$a.d", "a$$b", "${HOME}", "$${x}", "$", "a.b-_", "#=:!,;%'~"])
def test_special_characters_of_a_password_are_kept(rendered, end):
    files, _ = rendered(secret_end=end)
    jaas = from_properties(files["secret.properties"])["apicurio.kafka.common.sasl.jaas.config"]
    value = without_expressions(jaas)
    assert value.endswith(
        f' username="schema-registry" password="<password:schema-registry>{end}";'
    )


@pytest.mark.parametrize("end", ["re$a.d\\er", "\\\\", 'a"b', "${HOME}"])
def test_any_password_of_a_user_of_the_api_is_hashed(rendered, end):
    files, _ = rendered(secret_end=end, mode="mtls")
    found = from_properties(files["secret.properties"])
    text = f"shop.1:Quarkus:<password:schema_registry-shop.1>{end}"
    expected = hashlib.sha512(text.encode()).hexdigest()
    assert found[USER_KEY.format("users", "shop.1")] == expected


@pytest.mark.parametrize(
    ("mode", "protocol", "names"),
    [
        ("tls_scram", "SASL_SSL", {"ca.pem"}),
        ("mtls", "SSL", {"ca.pem", "schema-registry.pem"}),
        # For calls on its host.
        ("scram", "SASL_PLAINTEXT", {"ca.pem"}),
    ],
)
def test_it_authenticates_to_kafka_in_every_secured_mode(rendered, mode, protocol, names):
    files, _ = rendered(mode=mode)
    found = from_properties(files["registry.properties"])
    secrets = from_properties(files["secret.properties"])
    assert found["apicurio.kafka.common.security.protocol"] == protocol
    assert names == set(files) - {"registry.properties", "secret.properties", "server.pem"}
    jaas = secrets.get("apicurio.kafka.common.sasl.jaas.config", "")
    # Two dollar signs are one: the value may contain expressions.
    assert ('password="<password:schema-registry>$$1";' in jaas) is ("SASL" in protocol)
    keystore = found.get("apicurio.kafka.common.ssl.keystore.location")
    assert keystore == ("/etc/apicurio/schema-registry.pem" if mode == "mtls" else None)
    trusted = found.get("apicurio.kafka.common.ssl.truststore.location")
    assert trusted == ("/etc/apicurio/ca.pem" if protocol.endswith("SSL") else None)
    assert not [each for each in found.items() if "password" in each[1] or "provider" in each[0]]


def test_only_a_renewed_certificate_needs_no_restart(rendered):
    """The registry reads its certificate again; other secrets change a value of the container."""
    files, container = rendered()
    assert files["server.pem"] == "<keypair:schema-registry1>$1"
    found = from_properties(files["registry.properties"])
    assert found["quarkus.http.ssl.certificate.reload-period"] == "30s"
    keys = container["environment"]["KAFKA_METAL_KEYS"]
    assert re.fullmatch("[0-9a-f]{12}", keys)
    _, other = rendered(schema_registry_users={**USERS, "shop.1": "reader"})
    assert other["environment"]["KAFKA_METAL_KEYS"] != keys


def test_the_container_is_confined(rendered):
    _, container = rendered()
    assert container["read_only"] is True
    assert container["cap_drop"] == ["ALL"]
    assert container["security_opt"] == ["no-new-privileges:true"]
    assert container["mem_limit"] == container["memswap_limit"] == "640m"
    assert container["user"] == "10016:10016"
    assert container["tmpfs"] == ["/tmp:exec,mode=1777,size=128m"]
    check = container["healthcheck"]["test"]
    assert check == ["CMD", "schema-registry-healthcheck", "127.0.0.1", "9000"]


def test_slow_requests_do_not_change_readiness(rendered):
    """By default, requests that wait for Kafka make every instance not ready for five minutes."""
    files, _ = rendered()
    found = from_properties(files["registry.properties"])
    for check in ("response", "persistence"):
        threshold = found[f"apicurio.metrics.{check}-timeout-readiness-check.error-threshold"]
        assert threshold == str(2**31 - 1)


def test_a_backup_of_many_schemas_can_be_restored(rendered):
    """By default, a file with 10,000 entries or 100 MiB is refused."""
    files, _ = rendered()
    found = from_properties(files["registry.properties"])
    assert int(found["apicurio.import.zip.max-entry-count"]) == 1_000_000
    assert int(found["apicurio.import.zip.max-total-size"]) == 1024**3


def test_every_set_of_paths_has_a_rule_for_every_method(rendered):
    """Quarkus denies a path whose rules do not have the method of the request."""
    files, _ = rendered()
    found = from_properties(files["registry.properties"])
    methods: dict[str, set[str]] = {}
    prefix = "quarkus.http.auth.permission."
    for key, paths in found.items():
        if key.startswith(prefix) and key.endswith(".paths"):
            rule = key.removesuffix(".paths")
            methods.setdefault(paths, set()).update(found[f"{rule}.methods"].split(","))
            assert found[f"{rule}.policy"] in ("authenticated", "admins")
    assert len(methods) == 2
    assert all(
        each >= {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"} for each in methods.values()
    )


def test_properties_of_a_site_replace_those_of_the_role(rendered):
    own = {"apicurio.rules.global.compatibility": "FULL", "quarkus.http.auth.basic": None}
    files, _ = rendered(schema_registry_properties=own)
    found = from_properties(files["registry.properties"])
    assert found["apicurio.rules.global.compatibility"] == "FULL"
    assert "quarkus.http.auth.basic" not in found


@pytest.fixture(scope="module")
def facts(evaluated):
    """Facts of a site with three brokers, by name."""
    accounts = looked_up("users.service_accounts")
    expressions = {
        "topics": looked_up("kafka.service_topics"),
        "acls": f"({{'users': {accounts}}} | metal.kafka.content_specs).acls.acls",
        "excluded": looked_up("monitoring.excluded_groups"),
        "passwords": looked_up("credentials.passwords"),
        "renewable": looked_up("credentials.renewable_passwords"),
        "instances": looked_up("machines.service_instances"),
        "ready": looked_up("monitoring.ready_endpoints"),
        "of_pipelines": looked_up("pipelines.registry"),
    }
    text = ", ".join(f"'{name}': {each}" for name, each in expressions.items())
    return evaluated(f"{{{text}}}")


def test_its_topics_keep_all_records(facts):
    topics = facts["topics"]
    assert set(topics) == {f"schema-registry-{each}" for each in ("journal", "snapshots", "events")}
    for topic in topics.values():
        assert topic == {
            **{"partitions": 1, "cleanup": "delete", "retention": -1, "retention_size": -1},
            **{"replication": 3, "min_insync": 2},
        }


# Each would delete records of a topic, or stop its writes.
HARMFUL = {
    **{"partitions": 12, "replication": 1, "cleanup": "compact", "min_insync": 1},
    **{"retention": "1d", "retention_size": "1MB", "config": {"segment.ms": 1000}},
}


@pytest.mark.parametrize("common", [HARMFUL, dict.fromkeys(HARMFUL)])
def test_defaults_of_a_site_do_not_apply_to_its_topics(facts, common):
    given = {
        **{"topics": {"orders": {}}, "defaults": common, "name_pattern": "orders"},
        "service_topics": facts["topics"],
    }
    found = content_specs(given)["topics"]["topics"]
    assert set(found) == {"orders", *facts["topics"]}
    for name in facts["topics"]:
        assert found[name] == {
            **{"partitions": 1, "replication_factor": 3},
            "config": {
                **{"retention.ms": -1, "retention.bytes": -1},
                **{"cleanup.policy": "delete", "min.insync.replicas": 2},
            },
        }


# Keys of a topic by which Kafka deletes records, or accepts a write with too few copies.
KEEPING = ["cleanup.policy", "min.insync.replicas", "retention.bytes", "retention.ms"]


def with_removals(declared, applied):
    """Specs of a run's topics after earlier runs applied these keys."""
    specs = parse_specs(content_specs(declared)["topics"]["topics"])
    found, state, _ = with_topic_removals(specs, applied, Permission(confirmed={"topics"}))
    return found, state


def test_no_key_that_keeps_its_records_returns_to_the_default(facts):
    """Undeclared keys of topics do: the default of retention would delete schemas after 7 days."""
    applied = dict.fromkeys(["orders", *facts["topics"]], KEEPING)
    declared = {"topics": {"orders": {}}, "service_topics": facts["topics"]}
    specs, _ = with_removals(declared, applied)
    assert {each.name: sorted(each.defaults) for each in specs} == {
        "orders": KEEPING,
        **{name: [] for name in facts["topics"]},
    }


def test_its_topics_keep_their_keys_when_it_is_switched_off(facts):
    applied = dict.fromkeys(facts["topics"], KEEPING)
    specs, state = with_removals({"topics": {"orders": {}}, "service_topics": {}}, applied)
    assert [each.name for each in specs] == ["orders"]
    assert state == applied


def test_retention_that_was_changed_by_hand_is_corrected(facts):
    topics = content_specs({"service_topics": facts["topics"]})["topics"]["topics"]
    (spec,) = parse_specs({"schema-registry-journal": topics["schema-registry-journal"]})
    config = {key: Value(value, "LONG") for key, value in spec.config.items()}
    config["cleanup.policy"] = Value("delete", "LIST")
    config |= {"retention.ms": Value("604800000", "LONG"), "segment.ms": Value("7", "LONG")}
    current = Topic(spec.name, 1, frozenset({3}), config)
    steps = [str(step) for step in plan(current, spec)]
    assert steps == ["schema-registry-journal: retention.ms 604800000 -> -1"]
    # Reported by every run, and kept.
    assert unmanaged_config(current, spec) == {"segment.ms": "7"}


def test_its_topics_fit_a_single_broker(evaluated):
    topics = evaluated(looked_up("kafka.service_topics"), groups=site(brokers=1))
    assert {(each["replication"], each["min_insync"]) for each in topics.values()} == {(1, 1)}


def test_its_account_has_the_least_rights(facts):
    """A missing right ends the start of the registry, or makes a write answer with an error."""
    rights: dict[tuple[str, str, str], set[str]] = {}
    for acl in facts["acls"]:
        if acl["principal"] == "User:schema-registry":
            assert acl["permission"] == "allow"
            key = (acl["resource_type"], acl["resource"], acl["pattern"])
            rights.setdefault(key, set()).add(acl["operation"])
    name = "schema-registry"
    assert rights == {
        ("topic", f"{name}-journal", "literal"): {"read", "write", "describe", "describe_configs"},
        ("topic", f"{name}-snapshots", "literal"): {"read", "describe", "describe_configs"},
        ("topic", f"{name}-events", "literal"): {"write", "describe", "describe_configs"},
        ("group", f"{name}-1-", "prefixed"): {"read"},
        ("group", f"{name}-2-", "prefixed"): {"read"},
    }


@pytest.mark.parametrize(("topics", "number"), [("schema-registry", 1), ("own.topics", 7)])
def test_groups_of_an_instance_have_a_prefix_with_an_acl(evaluated, rendered, topics, number):
    variables = {"schema_registry_topics": topics, "schema_registry_id": number}
    files, _ = rendered(**variables)
    prefix = from_properties(files["registry.properties"])[
        "apicurio.kafkasql.consumer.group-prefix"
    ]
    assert prefix == f"{topics}-{number}-"
    acls, excluded = evaluated(
        f"[({{'users': {looked_up('users.service_accounts')}}} | metal.kafka.content_specs)"
        f".acls.acls, {looked_up('monitoring.excluded_groups')}]",
        **variables,
    )
    granted = [acl for acl in acls if acl["resource_type"] == "group" and acl["resource"] == prefix]
    assert [(acl["principal"], acl["operation"], acl["pattern"]) for acl in granted] == [
        ("User:schema-registry", "read", "prefixed")
    ]
    assert re.search(excluded, f"{prefix}0b86")


def test_lag_of_its_groups_is_not_exported(facts):
    pattern = re.compile(facts["excluded"])
    assert pattern.search("schema-registry-1-0b86")
    assert pattern.search("schema-registry-2-0b86")
    assert pattern.search("kafka-metal-probe")
    # Not a prefix of an instance, so a site may use them.
    assert not pattern.search("schema-registry-3-0b86")
    assert not pattern.search("schema-registry-app")
    assert not pattern.search("my-schema-registry-app")


def test_passwords_of_its_users_are_in_the_store(facts):
    assert {f"schema_registry-{name}" for name in USERS} <= set(facts["passwords"])
    assert "schema-registry" in facts["passwords"]
    assert set(facts["passwords"]) >= set(facts["renewable"])


def test_pipelines_have_a_login_that_only_reads(facts, rendered):
    assert "schema_registry-pipelines" in facts["passwords"]
    assert facts["of_pipelines"] == {
        "urls": ["https://10.0.0.1:8443/apis/ccompat/v7", "https://10.0.0.2:8444/apis/ccompat/v7"],
        "ca": "<truststore>$1",
        "login": "pipelines:<password:schema_registry-pipelines>$1",
    }
    files, _ = rendered()
    found = from_properties(files["secret.properties"])
    assert found[USER_KEY.format("roles", "pipelines")] == "sr-readonly"


def test_pipelines_have_no_registry_without_instances(evaluated):
    groups = site()
    del groups["schema_registry"]
    expression = looked_up("pipelines.registry")
    assert evaluated(expression, groups=groups) == {}


def test_each_instance_is_asked_for_readiness_on_its_own_machine(facts):
    found = facts["instances"]["schema_registry"]
    assert [(each["host"], each["name"], each["metrics"]) for each in found] == [
        ("registry1", "schema-registry1", "127.0.0.1:9000"),
        ("registry2", "schema-registry2", "127.0.0.1:9000"),
    ]


def container(image, running=True):
    """What docker_container_info returns for an instance."""
    return {
        "exists": True,
        "container": {"State": {"Running": running}, "Config": {"Image": image}},
    }


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (container("kafka-metal/schema_registry:3.3.3-1a2b"), []),
        # A new image of the same version.
        (container("kafka-metal/schema_registry:3.3.3-3c4d"), []),
        (container("kafka-metal/schema_registry:3.2.9-1a2b"), ["3.2.9"]),
        (container("kafka-metal/schema_registry:3.2.9-1a2b", running=False), []),
        ({"exists": False, "container": None}, []),
        ({"failed": True, "msg": "no engine"}, []),
    ],
    ids=["same", "rebuilt", "older", "stopped", "absent", "no engine"],
)
def test_two_versions_never_share_a_journal(evaluated, other, found):
    include = {"name": "metal.kafka.schema_registry", "tasks_from": "order", "public": True}
    assert found == evaluated(
        "__schema_registry_other_versions",
        {"ansible.builtin.include_role": include},
        schema_registry_image="kafka-metal/schema_registry:3.3.3-1a2b",
        __schema_registry_containers={"results": [other]},
    )


@pytest.mark.parametrize(("was_ready", "awaited"), [(True, ["schema-registry2"]), (False, [])])
def test_the_restart_of_an_instance_that_is_not_ready_waits_for_no_other(
    evaluated, was_ready, awaited
):
    include = {"name": "metal.kafka.schema_registry", "tasks_from": "order", "public": True}
    assert awaited == evaluated(
        "__schema_registry_awaited | map(attribute='name')",
        {"ansible.builtin.include_role": include},
        {"ansible.builtin.set_fact": {"__schema_registry_was_ready": was_ready}},
    )


def test_an_instance_has_one_address_of_its_readiness(evaluated):
    """By its own options, which need no inventory group, and by the catalogue."""
    include = {"name": "metal.kafka.schema_registry", "tasks_from": "order", "public": True}
    own, listed = evaluated(
        "[__schema_registry_ready_url, schema_registry_instances[0].ready]",
        {"ansible.builtin.include_role": include},
        schema_registry_metrics_bind="0.0.0.0",
    )
    assert own == f"http://{listed}"


def test_readiness_is_measured_on_the_machine_of_an_instance(facts):
    assert facts["ready"] == ["schema-registry1=127.0.0.1:9000/health/ready"]


@pytest.mark.parametrize(
    ("error", "state", "kind", "severity"),
    [
        ("", "running", None, None),
        ("HTTP status 503", "starting", "ServiceStarting", "note"),
        ("Connection refused", "down", "ServiceDown", "page"),
    ],
)
def test_an_instance_that_is_not_ready_is_starting(error, state, kind, severity):
    responses = {"schema-registry1": {"error": error}}
    found = ready_status(responses, "schema_registry", {"schema-registry1": "h:8443"})
    (row,) = found["services"]
    assert row["state"] == state
    problems = [from_dict(each) for each in found["problems"]]
    assert [(each.kind, each.level) for each in problems] == ([(kind, severity)] if kind else [])


def test_client_files_have_all_addresses_and_short_retries(evaluated):
    include = {"name": "metal.kafka.schema_registry", "tasks_from": "order"}
    task = {"ansible.builtin.include_role": {**include, "public": True}}
    files = evaluated("__schema_registry_client_files", task, schema_registry_client_user="shop.1")
    found = {each["name"]: each["content"] for each in files}
    client = json.loads(found["schema-registry.json"])
    assert client["url"].split(",") == [
        "https://10.0.0.1:8443/apis/ccompat/v7",
        "https://10.0.0.2:8444/apis/ccompat/v7",
    ]
    assert client["basic.auth.user.info"] == "shop.1:<password:schema_registry-shop.1>$1"
    retries = ("max.retries", "retries.wait.ms", "retries.max.wait.ms")
    assert [client[key] for key in retries] == [1, 50, 100]
    java = from_properties(found["schema-registry.properties"])
    assert java["schema.registry.url"] == client["url"]
    own = {key: value for key, value in java.items() if key.startswith("apicurio.registry.")}
    assert own == {
        "apicurio.registry.url": "https://10.0.0.1:8443/apis/registry/v3",
        "apicurio.registry.tls.truststore.type": "PEM",
        "apicurio.registry.tls.truststore.location": client["ssl.ca.location"],
        "apicurio.registry.auth.username": "shop.1",
        "apicurio.registry.auth.password": "<password:schema_registry-shop.1>$1",
        "apicurio.registry.find-latest": "true",
    }
    assert client["ssl.ca.location"].endswith("/schema_registry/shop.1/ca.pem")
