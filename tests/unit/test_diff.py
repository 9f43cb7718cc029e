import pytest
from ansible_collections.metal.kafka.plugins.module_utils._common.diff import (
    file_steps,
    key_changes,
)
from ansible_collections.metal.kafka.plugins.module_utils._common.properties_file import (
    from_properties,
    to_properties,
)

SERVER = "# a comment\nnum.io.threads=8\nlog.dirs=/data/disk1,/data/disk2\n"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("# a\n! b\n\n  \n", {}),
        ("a=1\nb = 2\n  c:3\nd 4\n", {"a": "1", "b": "2", "c": "3", "d": "4"}),
        ("a=1\na=2\n", {"a": "2"}),
        ("a=\nb\n", {"a": "", "b": ""}),
        ("a=x\\\n   y\\\n  z\nb=1\n", {"a": "xyz", "b": "1"}),
        ("a=x\\\\\nb=1\n", {"a": "x\\", "b": "1"}),
        ("a\\ b\\:c\\=d=e=f\n", {"a b:c=d": "e=f"}),
        ("a=\\ x\\ty\\u00e9\n", {"a": " x\ty\u00e9"}),
        ("a=\\ud83d\\ude00\n", {"a": "\U0001f600"}),
        ("a=1\r\nb=2\r\n", {"a": "1", "b": "2"}),
        ("a=x\\", {"a": "x"}),
    ],
)
def test_properties_are_read_as_java_reads_them(text, values):
    assert from_properties(text) == values


def test_written_properties_are_read_back():
    values = {"a b": " x\\y", "c:d=e": "1,2", "#f": "line\nbreak\té \U0001f600", "g": ""}
    assert from_properties(to_properties(values)) == values


@pytest.mark.parametrize(
    ("name", "before", "after", "steps"),
    [
        ("server.properties", SERVER, SERVER, []),
        ("server.properties", None, SERVER, ["server.properties is written"]),
        (
            "server.properties",
            SERVER,
            SERVER.replace("=8", "=16") + "a.new.key=1\n",
            [
                "server.properties: a.new.key (not set) -> 1",
                "server.properties: num.io.threads 8 -> 16",
            ],
        ),
        (
            "zoo.cfg",
            "server.1=a:2888:3888\ntickTime=2000\n",
            "tickTime=2000\n",
            ["zoo.cfg: server.1 a:2888:3888 -> (not set)"],
        ),
        (
            "server.properties",
            SERVER,
            SERVER.replace("# a comment", "# another"),
            ["server.properties: the same keys and values in another form"],
        ),
        (
            "pipeline.yml",
            "name: payments\nlimit: 1\n",
            "name: payments\nlimit: 2\nextra: 3\n",
            ["pipeline.yml: lines -1 +2"],
        ),
    ],
)
def test_change_of_properties_is_reported_by_key(name, before, after, steps):
    assert file_steps(name, before, after) == steps


@pytest.mark.parametrize(
    "key",
    [
        "ssl.keystore.password",
        "listener.name.clients.scram-sha-512.sasl.jaas.config",
        "ssl.keystore.key",
        "delegation.token.secret.key",
        "KAFKA_PASSWD",
        "API_KEY",
    ],
)
def test_secret_values_are_hidden(key):
    steps = file_steps("server.properties", f"{key}=old-value\n", f"{key}=new-value\n")
    assert steps == [f"server.properties: {key} (hidden) -> (hidden)"]
    assert key_changes({}, {key: "new-value"}) == [f"{key} (not set) -> (hidden)"]


def test_long_value_is_cut():
    (step,) = key_changes({"a": "x" * 500}, {"a": "y"})
    assert step == f"a {'x' * 120}… -> y"
