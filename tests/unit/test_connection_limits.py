"""Connection limits follow the heap, keep open connections, and do not apply to brokers."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._declarations.connection_limits import (
    UNLIMITED,
    OpenConnections,
    Sizes,
    choose_limit,
    compute_sizes,
    limit_properties,
    summary,
    warnings,
)

CLIENTS = "listener.name.clients.max.connections"
ADDRESS = "max.connections.per.ip"
OVERRIDES = "max.connections.per.ip.overrides"
ALL = "max.connections"
# A heap of 640m: a quarter of it, 100 kB each.
LAPTOP = Sizes(clients=1118, address=559, all=1677)


def made(found=None, listeners=None, addresses=None, exempt=(), own=None, names=("CLIENTS",)):
    now = OpenConnections(listeners or {}, addresses or {})
    return limit_properties(LAPTOP, names, found or {}, now, exempt, own or {})


@pytest.mark.parametrize(
    ("heap", "files", "sized"),
    [
        ("640m", 0, LAPTOP),
        ("4g", 100_000, Sizes(7158, 3579, 10_737)),
        ("6g", "100000", Sizes(10_737, 5368, 16_106)),
        # Half of the open files are for segments.
        ("6g", 4096, Sizes(1365, 682, 2048)),
    ],
)
def test_limits_follow_the_heap_and_the_open_files(heap, files, sized):
    assert compute_sizes(heap, files, {}) == sized


def test_limits_follow_the_total_of_the_site():
    assert compute_sizes("640m", 0, {ALL: "3000"}) == Sizes(2000, 1000, 3000)


@pytest.mark.parametrize(
    ("heap", "files", "own"),
    [("1m", 0, {}), ("4g", 1, {}), *(("4g", 0, {ALL: number}) for number in (0, -1, 1, "-9"))],
)
def test_derived_limits_never_reject_all_clients(heap, files, own):
    sized = compute_sizes(heap, files, own)
    found = limit_properties(sized, ["CLIENTS"], {}, OpenConnections(), [], own)

    assert sized.all >= 100
    assert found[CLIENTS] >= 66
    assert found[ADDRESS] >= 33
    assert found[ALL] >= 99


@pytest.mark.parametrize("number", [1, 0, -1])
def test_zero_client_limit_does_not_lower_the_limit_per_address(number):
    assert made(own={CLIENTS: number})[ADDRESS] >= 33


def test_new_broker_has_limits_for_clients_address_and_total():
    assert made() == {CLIENTS: 1118, ADDRESS: 559, ALL: 1677}


def test_inter_broker_listener_and_broker_addresses_have_no_limit():
    found = made(exempt=["127.0.0.1", "10.0.0.2"])
    assert [key for key in found if key.startswith("listener.name.")] == [CLIENTS]
    assert found[OVERRIDES] == [f"10.0.0.2:{UNLIMITED}", f"127.0.0.1:{UNLIMITED}"]


def test_broker_with_one_listener_has_no_total_limit():
    assert made(names=()) == {ADDRESS: 559}


@pytest.mark.parametrize(
    ("now", "found", "limit"),
    [
        (0, None, 1000),
        (1000, None, 1000),
        # More are open than memory is sized for: the first limit leaves room.
        (1001, None, 1300),
        (2000, None, 2500),
        # An effective limit is kept while it is used, and does not grow with its connections.
        (2400, 2500, 2500),
        (2500, 2500, 2500),
        (801, 2500, 2500),
        (800, 2500, 1000),
        (1050, 1000, 1000),
        # More heap, more connections.
        (900, 500, 1000),
    ],
)
def test_first_limit_is_not_below_open_connections(now, found, limit):
    assert choose_limit(1000, now, found) == limit


def test_all_first_limits_exceed_open_connections():
    open_now = {"CLIENTS": 3000, "BROKERS": 40}
    found = made(listeners=open_now, addresses={"10.9.9.9": 2500, "10.0.0.2": 540})
    assert found == {CLIENTS: 3800, ADDRESS: 3200, ALL: 4359}


def test_connections_of_brokers_do_not_raise_the_limit_of_an_address():
    found = made(listeners={"CLIENTS": 900}, addresses={"10.0.0.2": 900}, exempt=["10.0.0.2"])
    assert found[ADDRESS] == 559


def test_a_second_run_sets_the_same_limits():
    open_now = {"listeners": {"CLIENTS": 3000}, "addresses": {"10.9.9.9": 2500}}
    first = made(**open_now)
    later = {"listeners": {"CLIENTS": 3105}, "addresses": {"10.9.9.9": 2611}}
    assert made(found={key: str(value) for key, value in first.items()}, **later) == first


@pytest.mark.parametrize("own", [5000, "5000"])
def test_other_limits_follow_the_client_limit_of_the_site(own):
    found = made(own={CLIENTS: own})
    assert (found[ADDRESS], found[ALL]) == (2500, 5559)


def test_lower_client_limit_lowers_the_limit_per_address():
    assert made(own={CLIENTS: 100})[ADDRESS] == 50


def test_removed_limit_of_the_site_is_sized_again():
    assert made(own={CLIENTS: None})[ADDRESS] == 559


def test_summary_has_every_limit():
    assert summary("640m", made(), ["CLIENTS"]) == (
        "connection limits of a broker with a heap of 640m: 1118 on CLIENTS, "
        "559 from one address, 1677 in total"
    )
    assert summary("640m", {CLIENTS: None, ADDRESS: None, ALL: None}, ["CLIENTS"]) == ""


def test_limit_above_the_memory_size_is_reported_with_remedy():
    now = OpenConnections({"CLIENTS": 2000, "BROKERS": 9}, {})
    assert warnings("kafka1", LAPTOP, {CLIENTS: 2500}, {}, now) == [
        "kafka1: the limit of CLIENTS is 2500 connections, but the heap is sized for 1118; 2000 "
        "are open now. Find the clients that hold them, or raise kafka_broker_heap "
        "(docs/reference/settings.md)"
    ]
    assert warnings("kafka1", LAPTOP, {CLIENTS: 1118}, {}, now) == []


def test_declared_limit_below_open_connections_is_reported():
    found = warnings(
        "kafka1", LAPTOP, {CLIENTS: 100}, {CLIENTS: 100}, OpenConnections({"CLIENTS": 300}, {})
    )
    assert found == [
        f"kafka1: 300 connections are open on CLIENTS, but {CLIENTS} is declared as 100: they stay "
        "open, new ones wait until fewer than 100 are open"
    ]
