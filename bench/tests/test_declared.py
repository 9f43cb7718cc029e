from itertools import pairwise

from cryptography import x509
from kafka_metal_bench import tls
from kafka_metal_bench.declared import (
    STOCK_LOG_DIR,
    apply_side,
    bare_process,
    data_directories,
    docker_run,
    read_properties,
    stock_broker,
)
from kafka_metal_bench.plan import Side, parse


def properties(service):
    return read_properties(service["files"][0]["content"])


def options(argv, name):
    return [value for option, value in pairwise(argv) if option == name]


def test_a_stock_broker_keeps_only_its_identity_and_its_metadata_service(plain, broker):
    found = properties(stock_broker(broker(1), parse(plain)))
    assert found == {
        "advertised.listeners": "CLIENTS://172.31.250.1:29091,BROKERS://bench-kafka1:29191",
        "broker.id": "1",
        "inter.broker.listener.name": "BROKERS",
        "listener.security.protocol.map": "BROKERS:PLAINTEXT,CLIENTS:PLAINTEXT",
        "listeners": "CLIENTS://0.0.0.0:29091,BROKERS://0.0.0.0:29191",
        "log.dirs": STOCK_LOG_DIR,
        "store.connect": "172.31.250.1:22181",
    }


def test_a_stock_broker_publishes_its_client_port_on_a_bridge_network(plain, broker):
    plan = parse(plain)
    argv = docker_run(stock_broker(broker(1), plan), plan, "/bench/config/bench-kafka1")
    assert options(argv, "--network") == ["bench-net"]
    assert options(argv, "--publish") == ["172.31.250.1:29091:29091"]
    assert options(argv, "--volume") == [STOCK_LOG_DIR]
    assert "KAFKA_JVM_OPTIONS=-Dstock=1" in argv
    assert "--cap-drop" not in argv


def test_broker_of_this_project_runs_as_declared(plain, broker):
    plan = parse(plain)
    argv = docker_run(broker(1), plan, "/bench/config/bench-kafka1")
    assert options(argv, "--network") == ["host"]
    assert options(argv, "--user") == ["10001:10001"]
    assert options(argv, "--cap-drop") == ["ALL"]
    assert "--read-only" in argv
    assert options(argv, "--mount") == [
        "type=bind,source=/bench/data/kafka1/disk1,target=/bench/data/kafka1/disk1",
        "type=bind,source=/bench/data/kafka1/disk2,target=/bench/data/kafka1/disk2",
        "type=bind,source=/bench/config/bench-kafka1,target=/etc/kafka,readonly",
    ]
    assert options(argv, "--label")[0] == "kafka-metal.cluster=bench"
    assert options(argv, "--entrypoint") == ["log-relay"]
    assert argv[-5:] == [
        *("kafka:1", "/log", "20m"),
        *("kafka-server", "/etc/kafka/server.properties"),
    ]


def test_a_bare_broker_has_the_same_command_environment_and_directories(broker):
    argv = bare_process(broker(1), "/root", "/bench/config/bench-kafka1")
    assert argv[argv.index("--") + 2 :] == [
        "KAFKA_HEAP=1g",
        "KAFKA_JVM_OPTIONS=-XX:+UseG1GC -Da=b",
        *("log-relay", "/log", "20m"),
        "kafka-server",
        "/etc/kafka/server.properties",
    ]
    assert options(argv, "/bench/config/bench-kafka1") == ["/etc/kafka"]
    assert "docker" not in argv


def test_a_knob_changes_only_its_own_settings(broker):
    before = broker(1)
    side = Side(broker={"num.io.threads": "4"}, environment={"KAFKA_HEAP": "2g"}, memory="3g")
    after = apply_side(before, side)
    assert properties(after) == {**properties(before), "num.io.threads": "4"}
    assert after["definition"]["environment"]["KAFKA_HEAP"] == "2g"
    assert after["definition"]["mem_limit"] == "3g"
    assert before == broker(1)


def test_tls_adds_a_listener_and_secures_replication(broker):
    keys = [{"name": "tls.pem", "content": "key"}, {"name": "tls-ca.pem", "content": "ca"}]
    after = apply_side(broker(1), Side(tls=True), keys)
    found = properties(after)
    assert found["listeners"].endswith(",TLS://172.31.250.1:29291")
    assert found["listener.security.protocol.map"] == "CLIENTS:PLAINTEXT,BROKERS:SSL,TLS:SSL"
    assert found["ssl.keystore.location"] == "/etc/kafka/tls.pem"
    assert [each["name"] for each in after["files"]][-2:] == ["tls.pem", "tls-ca.pem"]
    assert tls.producer_options("h:1,h:2")["bootstrap.servers"] == "h:201,h:202"


def test_the_certificate_has_the_address_of_the_brokers(tmp_path):
    keys, trusted = tls.make(tmp_path / "tls", "172.31.250.1")
    assert "BEGIN PRIVATE KEY" in keys["content"]
    certificate = x509.load_pem_x509_certificate(trusted["content"].encode())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["172.31.250.1"]


def test_a_knob_does_not_change_other_services(broker):
    other = {**broker(1), "kind": "other"}
    assert apply_side(other, Side(environment={"KAFKA_HEAP": "2g"})) == other


def test_data_directories_lists_the_directories_of_all_services(broker):
    assert data_directories([broker(1), broker(2)]) == [
        f"/bench/data/kafka{number}/disk{disk}" for number in (1, 2) for disk in (1, 2)
    ]
