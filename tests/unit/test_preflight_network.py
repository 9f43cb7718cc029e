"""Faults between machines: ports, names, addresses, and values that must be equal or unique."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import (
    wanted_names,
    wanted_probes,
)
from preflight_sites import Faults, ValidSite, fact, problems, put


def connection(client: str, address: str, port: int, state: str, **target):
    """The result of one connection; ``target`` are facts of the machine with that address."""

    def plant(site: ValidSite) -> None:
        results = site.facts[client].setdefault("connections", [])
        results.append({"address": address, "port": port, "state": state})
        site.facts["m" + address[-1]].update(target)

    return plant


def every(*plants):
    def plant(site: ValidSite) -> None:
        for each in plants:
            each(site)

    return plant


def opened(address: str, port: int):
    return [{"address": address, "port": port}]


def named(site: ValidSite) -> None:
    """All machines are addressed by names, and resolve them."""
    for number in (1, 2, 3):
        name = f"n{number}.example"
        site.hosts[f"zk{number}"]["zookeeper_address"] = name
        for at in site.hosts[f"kafka{number}"]["kafka_broker_listeners"].values():
            at["advertise"] = name
    for facts in site.facts.values():
        facts["names"] = {
            f"n{number}.example": {
                "addresses": [f"10.0.0.{number}"],
                "reverse": f"n{number}.example",
                "confirmed": True,
            }
            for number in (1, 2, 3)
        }


def name(machine: str, which: str, **changes):
    """A changed response of one machine's resolver; without changes: a timeout."""

    def plant(site: ValidSite) -> None:
        named(site)
        names = site.facts[machine]["names"]
        names[which] = {**names[which], **changes} if changes else None

    return plant


def own_name(site: ValidSite) -> None:
    """The line that Debian's installer writes for the machine's own name."""
    name("m1", "n1.example", addresses=["127.0.1.1"])(site)
    site.hosts["master1"]["spark_address"] = "n1.example"


def advertise(host: str, listener: str, address: str):
    return lambda site: site.hosts[host]["kafka_broker_listeners"][listener].update(
        advertise=address
    )


FAULTS: Faults = {
    "a firewall that drops": (
        connection("m1", "10.0.0.2", 9192, "timeout"),
        ["kafka2: kafka_broker_listeners.BROKERS.port: found no response (timeout) at "
         "10.0.0.2:9192 from m1 (needed for replication); allowed: a connection from m1: open "
         "the port in the firewalls"],
    ),
    "a firewall that drops what two machines send": (
        every(
            connection("m1", "10.0.0.2", 3888, "timeout"),
            connection("m3", "10.0.0.2", 3888, "timeout"),
        ),
        ["zk2: zookeeper_election_port: found no response (timeout) at 10.0.0.2:3888 from m1, m3 "
         "(needed for elections)"],
    ),
    "a machine without a route": (
        connection("m1", "10.0.0.2", 2181, "no route"),
        ["zk2: zookeeper_client_port: found no route at 10.0.0.2:2181 from m1 (needed for "
         "leader election, metadata, requests of the playbooks)", "check the routes"],
    ),
    "a firewall that rejects": (
        connection("m1", "10.0.0.2", 9192, "refused", opened=opened("0.0.0.0", 9192)),
        ["kafka2: kafka_broker_listeners.BROKERS.port: found a refused connection at 10.0.0.2:9192 "
         "from m1", "firewalls that reject"],
    ),
    "a worker that does not reach its master": (
        connection("m3", "10.0.0.1", 7077, "timeout"),
        ["master1: spark_master_port: found no response (timeout) at 10.0.0.1:7077 from m3 (needed "
         "for registration)"],
    ),
    "a port that cannot be bound": (
        fact("unbound", [{"address": "0.0.0.0", "port": 9092, "reason": "Permission denied"}]),
        ["kafka2: kafka_broker_listeners.CLIENTS.port: found 0.0.0.0:9092, which m2 cannot bind: "
         "Permission denied"],
    ),
    "two brokers at one address": (
        advertise("kafka2", "BROKERS", "10.0.0.3"),
        ["kafka2: kafka_broker_listeners.BROKERS.port: found 10.0.0.3:9192, which "
         "kafka_broker_listeners.BROKERS.port of kafka3 also uses; allowed: an address of its own "
         "machine, m2"],
    ),
    "an advertised loopback address": (
        advertise("kafka2", "BROKERS", "127.0.0.1"),
        ["kafka2: kafka_broker_listeners.BROKERS.port: found 127.0.0.1, with which kafka1 would "
         "connect to its own machine; allowed: a name or an address of m2"],
    ),
    "an advertised wildcard address": (
        advertise("kafka2", "BROKERS", "0.0.0.0"),
        ["kafka2: kafka_broker_listeners.BROKERS.port: found 0.0.0.0, a wildcard address to "
         "which no client can connect"],
    ),
    "a name that one machine cannot resolve": (
        name("m1", "n2.example", addresses=[], reverse=None),
        ["m2: n2.example: found a name that does not resolve on m1", "/etc/hosts of m1"],
    ),
    "a resolver that times out": (
        name("m1", "n2.example"),
        ["m2: n2.example: found a name that does not resolve on m1"],
    ),
    "a name that resolves to the wrong machine": (
        name("m1", "n2.example", addresses=["10.0.0.3"]),
        ["m2: n2.example: found a name that m1 resolves to 10.0.0.3, which is not an address of m2 "
         "but of m3; allowed: an address of m2"],
    ),
    "a name of another machine that resolves to loopback": (
        name("m1", "n2.example", addresses=["127.0.0.1"]),
        ["m2: n2.example: found a name that m1 resolves to 127.0.0.1, which is not an address of "
         "m2 but a loopback address"],
    ),
    "a machine's own name that resolves to loopback": (
        own_name,
        ["master1: spark_master_port: found n1.example, which is 127.0.1.1 on m1 itself: worker2 "
         "cannot connect", "check its /etc/hosts for 127.0.1.1"],
    ),
    "an address to bind that the machine does not have": (
        put("zk2", "zookeeper_bind_address", "10.0.7.7"),
        ["zk2: zookeeper_client_port: found 10.0.7.7 to bind, which is not an address of m2; "
         "allowed: 0.0.0.0 or 10.0.0.2"],
    ),
    "two machines with one name": (
        fact("identity", {"hostname": "m1", "machine_id": "2"}),
        ["m2: hostname: found m1, also the hostname of m1", "a unique name"],
    ),
    "two network cards with one address": (
        fact("interfaces", [{"name": "e", "mac": "02::1", "mtu": 1500, "address": "10.0.0.2"}]),
        ["m2: e: found the hardware address 02::1, which m1 also has"],
    ),
}  # fmt: skip

NOTES: Faults = {
    "a port of a stopped service": (
        connection("m1", "10.0.0.2", 9192, "refused"),
        ["all: reachability: not checked: 9192 of kafka2: refused, since no process listens"],
    ),
    "an address that may be translated": (
        every(named, advertise("kafka2", "BROKERS", "192.0.2.7")),
        ["kafka2: 192.0.2.7: found 192.0.2.7, which is not an address of m2; recommended: an "
         "address of m2, unless NAT translates it"],
    ),
    "addresses without names": (
        name("m1", "n2.example", reverse=None, confirmed=False),
        ["all: reverse lookup: found no name for 10.0.0.2"],
    ),
    "an address whose name resolves to another address": (
        name("m1", "n2.example", reverse="old.example", confirmed=False),
        ["all: reverse lookup: found names that do not resolve back to the address: 10.0.0.2 (old"],
    ),
    "clones of one machine": (
        fact("identity", {"hostname": "m2", "machine_id": "1" * 32}),
        ["m1, m2: /etc/machine-id: found the same id"],
    ),
    "two MTUs": (
        fact("interfaces", [{"name": "e", "mac": "02::2", "mtu": 9000, "address": "10.0.0.2"}]),
        ["metal: MTU: found 1500 on m1 (eth0), m3 (eth0); 9000 on m2 (e); recommended: one MTU"],
    ),
    "another kernel on one machine": (
        fact("kernel", "6.1.0-40-amd64"),
        ["metal: kernel: found 6.12 on m1, m3; 6.1 on m2; recommended: one version"],
    ),
    "another system on one machine": (
        fact("system", {"id": "debian", "version": "12", "name": "Debian GNU/Linux 12"}),
        ["metal: operating system: found Debian GNU/Linux 13 on m1, m3; Debian GNU/Linux 12 on m2"],
    ),
    "another Python on one machine": (
        fact("python", "3.11.2"),
        ["metal: Python: found 3.13 on m1, m3; 3.11 on m2"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault_between_machines_is_fatal_and_reported_once(name):
    plant, expected = FAULTS[name]
    site = ValidSite()
    plant(site)
    found = problems(site)
    assert len(found) == 1, found
    assert problems(site, fatal=False) == []
    for text in expected:
        assert text in found[0]


@pytest.mark.parametrize("name", NOTES)
def test_working_but_improvable_setting_is_a_note(name):
    plant, expected = NOTES[name]
    site = ValidSite()
    plant(site)
    assert problems(site) == []
    found = problems(site, fatal=False)
    assert len(found) == 1, found
    for text in expected:
        assert text in found[0]


def endpoints(entries):
    return {(entry["address"], entry["port"]) for entry in entries}


def probes(site: ValidSite):
    return wanted_probes(site.hosts, site.groups, site.facts)


def test_each_machine_probes_only_the_connections_of_its_services():
    found = probes(ValidSite())
    ensemble = {(f"10.0.0.{n}", port) for n in (1, 3) for port in (2181, 2888, 3888)}
    brokers = {(f"10.0.0.{n}", port) for n in (1, 3) for port in (9092, 9192)}
    assert endpoints(found["m2"]["connect"]) == ensemble | brokers | {("10.0.0.1", 7077)}


def test_monitoring_host_probes_the_proxies_of_all_other_machines():
    site = ValidSite()
    site.groups["monitoring"] = ["kafka3"]
    for number in (1, 2, 3):
        own = {"monitoring_address": f"10.0.0.{number}", "monitoring_proxy_port": 9443}
        site.hosts[f"m{number}"] |= own
    found = probes(site)
    tried = {at for at in endpoints(found["m3"]["connect"]) if at[1] == 9443}
    assert tried == {("10.0.0.1", 9443), ("10.0.0.2", 9443)}
    assert ("0.0.0.0", 9443) in endpoints(found["m1"]["listen"])
    assert 9443 not in {port for _, port in endpoints(found["m1"]["connect"])}


def test_new_machine_listens_on_the_ports_of_its_services():
    found = probes(ValidSite())
    ports = (2181, 2888, 3888, 9092, 9192)
    assert endpoints(found["m2"]["listen"]) == {("0.0.0.0", port) for port in ports}
    assert ("10.0.0.1", 7077) in endpoints(found["m1"]["listen"])


def running(port: int, cluster: str | None = "prod-1"):
    return {
        "address": "0.0.0.0",
        "port": port,
        "process": "java",
        "container": "c",
        "cluster": cluster,
    }


def test_machine_with_running_services_does_not_listen():
    site = ValidSite()
    site.facts["m2"]["listeners"] = [running(2181)]
    found = probes(site)
    assert found["m2"]["listen"] == []
    assert found["m3"]["listen"] != []


def test_port_used_by_another_process_is_not_listened_on():
    site = ValidSite()
    site.facts["m2"]["listeners"] = [running(2181, "other")]
    assert ("0.0.0.0", 2181) not in endpoints(probes(site)["m2"]["listen"])


def test_machines_outside_the_run_are_probed_and_do_not_listen():
    site = ValidSite()
    del site.facts["m2"]
    found = probes(site)
    assert set(found) == {"m1", "m3"}
    assert ("10.0.0.2", 9192) in endpoints(found["m1"]["connect"])


def test_one_machine_has_no_probes():
    site = ValidSite()
    for host in site.hosts.values():
        host["ansible_connection"] = "local"
    site.groups["metal"] = ["m1"]
    site.facts = {"m1": site.facts["m1"]}
    assert probes(site) == {"m1": {"connect": [], "listen": []}}


def test_service_on_all_addresses_with_unknown_name_is_not_probed():
    site = ValidSite()
    # The master connects to the worker's hostname.
    assert site.hosts["worker2"]["spark_address"] == "0.0.0.0"
    assert ("0.0.0.0", 7078) not in endpoints(probes(site)["m1"]["connect"])
    site.hosts["worker2"]["spark_address"] = "10.0.0.2"
    assert ("10.0.0.2", 7078) in endpoints(probes(site)["m1"]["connect"])


def test_refused_connection_to_a_running_service_is_fatal():
    site = ValidSite()
    connection("m1", "10.0.0.2", 9192, "refused", listeners=[running(9192)])(site)
    assert "check the address it binds" in problems(site)[0]


def test_reachable_port_is_no_problem_and_no_note():
    site = ValidSite()
    connection("m1", "10.0.0.2", 9192, "connected")(site)
    assert problems(site) == []
    assert problems(site, fatal=False) == []


def test_names_are_resolved_only_if_declared():
    site = ValidSite()
    assert wanted_names(site.hosts, site.groups) == []
    named(site)
    site.hosts["master1"]["spark_address"] = "localhost"
    assert wanted_names(site.hosts, site.groups) == ["n1.example", "n2.example", "n3.example"]


def test_site_with_resolvable_names_is_accepted():
    site = ValidSite()
    named(site)
    assert problems(site) == []
    assert problems(site, fatal=False) == []


def test_own_name_on_loopback_is_accepted_with_wildcard_bind_address():
    site = ValidSite()
    name("m1", "n1.example", addresses=["127.0.1.1"])(site)
    assert problems(site) == []
    assert problems(site, fatal=False) == []
