"""The page says what is wrong first, changes nothing, and takes no name for markup."""

import base64
import hashlib
import re

import pytest
from kafka_metal_watch.lag import Lag
from kafka_metal_watch.metrics import Found
from kafka_metal_watch.overview import Broker, Overview, Topic
from kafka_metal_watch.page import (
    HEADERS,
    Reading,
    application,
    page,
    problems,
    readings,
    span,
    tables,
)

NOW = 1000.0
WELL = Overview((Broker(1, "kafka1:9092", registered=True),), (Topic("orders", 3, 3, 0, 0),))


def found(**changed):
    return Found(**{"read": NOW - 5, "overview": WELL, **changed})


def shown(**changed):
    return page(found(**changed), "prod", {"test": "https://test.example.com/"}, NOW, 15)


def broken(broker=None, topic=None):
    brokers = (*WELL.brokers, broker) if broker else WELL.brokers
    return Overview(brokers, (topic,) if topic else WELL.topics)


def test_a_cluster_that_is_well_has_no_problem():
    assert problems(found(), NOW, 15) == []
    text = shown()
    assert "<title>prod: no problems</title>" in text
    assert "Every broker is registered" in text
    assert 'href="https://test.example.com/"' in text


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"overview": Overview()}, "The cluster has not answered yet."),
        ({"read": NOW - 120}, "The cluster has not answered for 2 min."),
        ({"overview": broken(Broker(3))}, "Not registered: broker 3."),
        (
            {"overview": broken(topic=Topic("t", 4, 3, 0, 2))},
            "2 partitions have no leader: nobody reads or writes them.",
        ),
        (
            {"overview": broken(topic=Topic("t", 4, 3, 2, 0))},
            "2 partitions lack a replica in sync.",
        ),
        (
            {"engines": {"m1": 12.0, "m2": 190.0}},
            "The container engine of m2 has not answered for 3 min.",
        ),
        ({"pipelines": {"payments": None}}, "Does not answer: pipeline payments."),
    ],
)
def test_what_is_wrong_is_said_first(changed, sentence):
    assert problems(found(**changed), NOW, 15) == [sentence]
    text = shown(**changed)
    assert f"<li>{sentence}</li>" in text
    assert "<title>prod: 1 problem</title>" in text


def test_a_name_is_never_markup():
    name = "<script>alert(1)</script>"
    text = shown(
        overview=broken(topic=Topic(name, 1, 1, 0, 0)),
        lags=(Lag(name, "t", 0, 1, 2, 3.0),),
        members={(name, "t"): 1},
    )
    assert name not in text
    assert text.count("<script>") == 1


def test_a_group_is_one_row_for_each_topic_with_the_worst_of_its_partitions():
    lags = [Lag("g", "a", 0, 1, 5, 2.0), Lag("g", "a", 1, 1, 7, 9.0)]
    assert readings(lags, {("g", "a"): 2, ("idle", "b"): 0}) == [
        Reading("g", "a", 2, 12, 9.0),
        Reading("idle", "b", 0, 0, 0.0),
    ]


def test_everything_that_was_seen_is_on_the_page():
    text = shown(
        lags=(Lag("billing", "orders", 0, 1, 12345, 90.0),),
        members={("billing", "orders"): 0},
        pipelines={
            "payments": {
                "state": "running",
                "outputs": {"fraud": {"lag": 1000, "rows_per_second": 52.4}, "new": {"lag": None}},
            }
        },
        masters={
            "m1": {"status": "ALIVE", "aliveworkers": 2},
            "m2": {"status": "STANDBY"},
            "m3": None,
        },
        certificates={"kafka1:9092": NOW + 86400, "kafka2:9092": 0.0},
    )
    for words in ("12,345", "2 min", "1,000", ">52<", "standby", "1 d", "has expired"):
        assert words in text


@pytest.mark.parametrize(
    ("changed", "marked"),
    [
        ({}, []),
        ({"overview": broken(Broker(3))}, [("not registered", "bad")]),
        ({"overview": broken(topic=Topic("t", 4, 3, 2, 1))}, [(2, "warn"), (1, "bad")]),
        ({"lags": (Lag("g", "t", 0, 1, 5, 59.0),)}, [(0, "warn")]),
        (
            {"lags": (Lag("g", "t", 0, 1, 5, 60.0),), "members": {("g", "t"): 1}},
            [("1 min", "warn")],
        ),
        ({"pipelines": {"p": {"state": "failed", "outputs": {"o": {}}}}}, [("failed", "bad")]),
        ({"pipelines": {"p": None}}, [("does not answer", "bad")]),
        ({"masters": {"m": None, "n": {"status": "STANDBY"}}}, [("does not answer", "bad")]),
        ({"certificates": {"h:1": NOW + 14 * 86400}}, []),
        ({"certificates": {"h:1": NOW + 14 * 86400 - 1}}, [("14 d", "warn")]),
        ({"certificates": {"h:1": NOW}}, [("has expired", "bad")]),
    ],
)
def test_only_what_is_wrong_is_marked(changed, marked):
    cells = [cell for table in tables(found(**changed), NOW) for row in table.rows for cell in row]
    assert [(value, mark) for value, mark in cells if mark] == marked


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (1.2, "1 s"), (90, "2 min"), (7200, "2 h"), (172800, "2 d")]
)
def test_times_are_said_as_people_do(seconds, words):
    assert span(seconds) == words


def ask(method="GET", path="/"):
    told = []
    answer = application(lambda *_: [b"figures"], shown)
    body = b"".join(
        answer(
            {"REQUEST_METHOD": method, "PATH_INFO": path},
            lambda status, headers: told.append((status, dict(headers))),
        )
    )
    return (told[0] if told else None), body


def test_the_page_figures_and_nothing_else():
    assert ask()[0][0] == "200 OK"
    assert ask(path="/metrics")[1] == b"figures"
    assert ask(path="/favicon.ico")[0][0] == "404 Not Found"
    assert ask("HEAD")[1] == b""


def test_every_answer_has_its_own_length():
    told = []
    answer = application(lambda *_: [b""], shown)
    for _ in range(2):
        answer(
            {"REQUEST_METHOD": "GET", "PATH_INFO": "/"},
            lambda _, headers: told.append(headers) or headers.append(("Content-Length", "1")),
        )
    assert told[0] is not told[1]
    assert [len(each) for each in told] == [len(HEADERS) + 1] * 2


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["/", "/metrics"])
def test_nothing_is_changed(method, path):
    assert ask(method, path)[0][0] == "405 Method Not Allowed"


def test_no_script_runs_but_that_of_the_page():
    script = re.search(r"<script>(.*)</script>", shown(), re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in dict(HEADERS)["Content-Security-Policy"]
