"""An unusable file of client settings is refused with its path, its fault and the remedy."""

import pytest
from kafka_metal_client import brokers, cli, client_file
from kafka_metal_client.errors import ClientError

PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
SCRAM = """\
security.protocol=SASL_SSL
ssl.ca.location={ca}
sasl.mechanism=SCRAM-SHA-512
sasl.username=operator
sasl.password=quietly
"""


@pytest.fixture
def ca(tmp_path):
    path = tmp_path / "ca.pem"
    path.write_text(PEM)
    return path


def test_complete_settings_are_read(tmp_path, ca):
    path = tmp_path / "client.conf"
    path.write_text(SCRAM.format(ca=ca))

    assert client_file.settings(path)["sasl.password"] == "quietly"


def test_default_mechanism_of_librdkafka_is_accepted(tmp_path):
    path = tmp_path / "client.conf"
    path.write_text("security.protocol=SASL_SSL\nsasl.kerberos.service.name=kafka\n")

    assert client_file.settings(path)["security.protocol"] == "SASL_SSL"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "is empty, it has no settings"),
        (b"# a comment\n\n", "is empty, it has no settings"),
        (b"\xff\xfe\x00", "is damaged, it is not UTF-8 text"),
        (b"security.proto", "line 1: found 'security.proto', allowed is key=value"),
        (b"sasl.username=operator\n", "it has sasl.username and no security.protocol"),
        (
            b"security.protocol=SASL_SSL\nsasl.password=quietly\n",
            "it has sasl.password and no sasl.mechanism",
        ),
        (
            b"security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\nsasl.username=operator\n"
            b"sasl.password=",
            "sasl.mechanism=SCRAM-SHA-512 and no sasl.password",
        ),
    ],
)
@pytest.mark.parametrize(
    "command", [["produce", "--topic=t", "FILE"], ["replay", "--source=a", "--target=b"]]
)
def test_unusable_file_is_named_by_every_command(
    tmp_path, capsys, monkeypatch, command, content, fault
):
    def connect(*_):
        raise AssertionError("the command connects to the cluster")

    monkeypatch.setattr(brokers, "common_config", connect)
    path, records = tmp_path / "client.conf", tmp_path / "some.csv"
    path.write_bytes(content)
    records.write_text("a\n1\n")
    words = [str(records) if each == "FILE" else each for each in command]

    assert cli.main([words[0], "--bootstrap=b:1", f"--client-config={path}", *words[1:]]) == 2

    printed = capsys.readouterr().err
    assert printed.startswith(f"kafka-metal: {path}")
    assert fault in printed
    assert "make access U=NAME" in printed
    assert "quietly" not in printed


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ClientError, match=r"client\.conf: No such file or directory; write"):
        client_file.settings(tmp_path / "client.conf")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "No such file or directory"),
        ("", "is empty"),
        (PEM[:40], "is damaged, it is not a complete PEM file"),
        ("nonsense", "is damaged, it is not a complete PEM file"),
    ],
)
def test_unusable_certificate_is_named(tmp_path, ca, content, fault):
    path = tmp_path / "client.conf"
    path.write_text(SCRAM.format(ca=ca))
    if content is None:
        ca.unlink()
    else:
        ca.write_text(content)

    with pytest.raises(ClientError) as refusal:
        client_file.settings(path)

    assert f"{path}: ssl.ca.location={ca}: {fault}; write the file again" in str(refusal.value)


def test_setting_that_librdkafka_refuses_is_named():
    with pytest.raises(ClientError, match=r'"sasl.nonsense"; check the file of --client-config'):
        brokers.consumer("b:1", {"sasl.nonsense": "1"})
