"""The action plugin and the lookup on files: first run, dry run, a site's own files, errors."""

import json
import os
import shutil
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
import site_ca
import tls
import yaml
from ansible import constants
from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.parsing.vault import VaultLib
from ansible_collections.metal.kafka.plugins.action.credentials import ActionModule
from ansible_collections.metal.kafka.plugins.lookup.secret import DOCUMENTATION, LookupModule
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    store_document,
    vault_password,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.pki import leaf, pem
from ansible_collections.metal.kafka.plugins.plugin_utils._security.vault_store import StoreError
from cryptography.hazmat.primitives import serialization
from site_ca import DAY, NOW, key_text

NAME = "metal.kafka.secret"
KAFKA1 = {"name": "kafka1", "dns": ["kafka1"], "ips": ["127.0.0.1"]}
LEAF = leaf.Leaf("kafka1", "kafka1", "any", dns=("kafka1",), ips=("127.0.0.1",))


@pytest.fixture
def run(tmp_path):
    """Run the task with ``options`` in addition to the default ones."""

    def task(*, dry=False, diff=False, **options):
        base = {
            "store": str(tmp_path / "secrets/test/store.vault"),
            "password_file": str(tmp_path / "conf/password"),
            "cluster": "test",
            "certificates": [KAFKA1],
            "passwords": ["alice"],
        }
        spec = SimpleNamespace(
            args=base | options, check_mode=dry, diff=diff, async_val=0, action="credentials"
        )
        connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir=None))
        return ActionModule(spec, connection, None, None, None, None).run(None, {})

    return task


@pytest.fixture
def secret(tmp_path):
    """Run the lookup."""
    # Ansible's loader does this in a play.
    options = yaml.safe_load(DOCUMENTATION)["options"]
    constants.config.initialize_plugin_configuration_definitions("lookup", NAME, options)

    def lookup(*terms, dry=False, **options):
        plugin = LookupModule()
        plugin._load_name = plugin.ansible_name = NAME
        variables = {
            "security_store": str(tmp_path / "secrets/test/store.vault"),
            "security_password_file": str(tmp_path / "conf/password"),
            "ansible_check_mode": dry,
        }
        return plugin.run(list(terms), variables, **options)

    return lookup


def everything(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_first_run_creates_store_and_password_and_second_changes_nothing(run, tmp_path):
    first = run()
    assert first["changed"]
    assert first["steps"][:2] == [
        f"password of the store {tmp_path}/conf/password: created",
        f"store {tmp_path}/secrets/test/store.vault: created",
    ]
    assert [step.partition(":")[0] for step in first["steps"][2:]] == [
        *("CA CN=test CA G1,O=test", "certificate kafka1", "password alice"),
    ]
    before = everything(tmp_path)
    second = run()
    assert (second["changed"], second["steps"]) == (False, [])
    assert second["expiry"] == first["expiry"]
    assert everything(tmp_path) == before


def test_dry_run_reports_the_same_and_writes_nothing(run, tmp_path):
    dry = run(dry=True)
    assert list(tmp_path.iterdir()) == []
    assert dry["changed"]
    assert dry["steps"] == run()["steps"]
    before = everything(tmp_path)
    dry = run(dry=True, rotate="certificates")
    assert len(dry["steps"]) == 1
    assert everything(tmp_path) == before


def test_issued_keys_work_in_a_tls_handshake(run, secret, tmp_path):
    run()
    keystore, trusted, ca = secret("keypair:kafka1", "truststore", "ca")
    assert trusted == ca
    server = tls.server(tmp_path, keystore, trusted=trusted)
    for name in ("kafka1", "127.0.0.1"):
        client = tls.client(tmp_path, trusted, keystore=keystore)
        assert tls.handshake(client, server, name) == b"x"


def test_results_and_diffs_contain_no_secret(run, secret, tmp_path):
    given = {"passwords": ["alice", "bob"], "provided_passwords": {"bob": "geheim-1234"}}
    results = [run(diff=True, dry=True, **given), run(diff=True, **given)]
    results.append(run(diff=True, rotate="passwords", **given))
    text = json.dumps(results)
    terms = ["password:alice", "previous_password:alice", "password:bob", "key:kafka1"]
    values = [line for value in secret(*terms) for line in value.splitlines()[-3:]]
    assert len(values) > 5
    assert [value for value in values if "-----" not in value and value in text] == []
    assert "password alice: since" in results[0]["diff"]["after"]
    assert results[0]["diff"]["after"] == results[1]["diff"]["after"]
    assert "diff" not in run(**given)


def test_concurrent_runs_create_one_ca(run, secret):
    found = []
    threads = [threading.Thread(target=lambda: found.append(run())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert sorted(each["changed"] for each in found) == [False, False, False, True]
    prints = {each["ca"]["issuer"] for each in found}
    certificate = pem.parse_certificates(secret("ca")[0].encode())[0]
    assert prints == {pem.fingerprint(certificate)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stores": 1}, "found the key 'stores'; allowed: store (did you mean that?)"),
        ({"renew_before_days": "soon"}, "renew_before_days"),
        ({"certificates": [{"dns": ["a"]}]}, "missing required arguments: name found in certif"),
        ({"certificates": [KAFKA1 | {"ips": ["x"]}]}, "certificates: kafka1: ips: found 'x'"),
        ({"rotate": "all"}, "value of rotate must be one of"),
        ({"ca": {"directory": "/nowhere"}}, "/nowhere/ca.crt: No such file or directory; required"),
    ],
)
def test_invalid_spec_changes_nothing(run, tmp_path, options, message):
    with pytest.raises(AnsibleActionFail) as error:
        run(**options)
    assert message in error.value.message
    assert list(tmp_path.iterdir()) == []


def test_invalid_store_is_named(run, tmp_path):
    run()
    path = tmp_path / "secrets/test/store.vault"
    secrets = vault_password.load(str(tmp_path / "conf/password"))
    path.write_bytes(VaultLib(secrets).encrypt("geheim: 1", secret=secrets[0][1]))
    before = everything(tmp_path)
    with pytest.raises(AnsibleActionFail, match="found no store of credentials") as error:
        run(rotate="passwords")
    assert str(path) in error.value.message
    assert "geheim" not in error.value.message
    assert everything(tmp_path) == before


def test_a_lost_password_is_not_replaced(run, tmp_path):
    run()
    os.unlink(tmp_path / "conf/password")
    with pytest.raises(StoreError, match="found the store, but no password at"):
        run(certificates=[])
    assert not (tmp_path / "conf/password").exists()


# -- a cluster that was created from another store -------------------------------------------


def machines(*roots, **state):
    """Return the state of a cluster on one machine."""
    return [{"name": "node1", "roots": list(roots), **state}]


def test_cluster_from_another_store_gets_no_new_keys(run, tmp_path):
    with pytest.raises(AnsibleActionFail, match="does not exist yet: it was created") as error:
        run(machines=machines("AA:01"))
    assert "docs/operate/guides/secret-store.md" in error.value.message
    assert list(tmp_path.iterdir()) == []
    run()
    before = everything(tmp_path)
    with pytest.raises(AnsibleActionFail, match="none of them in the store"):
        run(machines=machines("AA:01"))
    with pytest.raises(AnsibleActionFail, match="none of them in the store"):
        run(machines=machines("AA:01"), dry=True)
    assert everything(tmp_path) == before


def test_own_store_and_replaced_ca_are_accepted(run):
    (old,) = run()["ca"]["fingerprints"]
    assert not run(machines=machines(old, "AA:01"))["changed"]
    (new,) = run(machines=machines(old), rotate="ca", phase="replace")["ca"]["fingerprints"]
    assert new != old
    # Machines have the old CA until they are rolled.
    assert not run(machines=machines(old))["changed"]
    assert not run(machines=machines(new))["changed"]


@pytest.mark.parametrize("replace_keys_of", ["", "other", "true"])
def test_keys_are_replaced_only_if_the_cluster_is_named(run, tmp_path, replace_keys_of):
    with pytest.raises(AnsibleActionFail, match="created from another store"):
        run(machines=machines("AA:01"), replace_keys_of=replace_keys_of)
    assert list(tmp_path.iterdir()) == []


def test_keys_are_replaced_only_if_no_container_runs(run, tmp_path):
    with pytest.raises(AnsibleActionFail, match=r"2 running containers \(test-kafka1, test-zk1"):
        run(machines=machines("AA:01", running=["test-zk1", "test-kafka1"]), replace_keys_of="test")
    assert list(tmp_path.iterdir()) == []
    assert run(machines=machines("AA:01"), replace_keys_of="test")["changed"]


DISK = "/data/disk1/kafka/meta.properties: Input/output error"
UNKNOWN = [
    (
        {"unreadable": [DISK]},
        "node1: /data/disk1/kafka/meta.properties: Input/output error; required",
    ),
    (
        {"unreadable": ["it is unreachable"], "reached": False},
        "node1: it is unreachable; required: every",
    ),
    ({"data": ["/data/disk1/kafka"]}, "data of a cluster in /data/disk1/kafka, but no config"),
]


@pytest.mark.parametrize(("state", "message"), UNKNOWN)
def test_new_keys_are_refused_if_the_cluster_may_have_keys(run, tmp_path, state, message):
    fresh = [{"name": "node2"}]
    for dry in (True, False):
        with pytest.raises(
            AnsibleActionFail, match="does not exist yet, and it is unknown whether"
        ) as error:
            run(machines=machines(**state) + fresh, dry=dry)
        assert message in error.value.message
        assert "docs/operate/guides/secret-store.md" in error.value.message
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("state", [state for state, _ in UNKNOWN])
def test_known_store_works_with_unreadable_machines(run, state):
    (own,) = run()["ca"]["fingerprints"]
    assert not run(machines=machines(**state))["changed"]
    assert not run(machines=machines(own) + machines(**state))["changed"]
    assert run(machines=machines(own) + machines(**state), passwords=["alice", "new"])["changed"]


def test_running_cluster_without_security_gets_its_first_keys(run):
    state = {"configured": ["test-kafka1"], "data": ["/data"], "running": ["test-kafka1"]}
    assert run(machines=machines(**state))["changed"]


def test_cluster_with_lost_configuration_gets_new_keys_by_name(run):
    assert run(machines=machines(data=["/data"]), replace_keys_of="test")["changed"]


def test_keys_are_not_replaced_if_a_machine_was_not_read(run, tmp_path):
    absent = machines(unreadable=["it is not part of this run"], reached=False)
    with pytest.raises(AnsibleActionFail, match=r"1 machines outside the run \(node1\)"):
        run(machines=machines("AA:01") + absent, replace_keys_of="test")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rotate", [{"rotate": "passwords"}, {"rotate": "ca", "phase": "trust"}])
def test_rotation_without_a_store_is_refused(run, tmp_path, rotate):
    with pytest.raises(AnsibleActionFail, match="so nothing can be rotated"):
        run(**rotate)
    assert list(tmp_path.iterdir()) == []


# -- secrets that an earlier release exposed ----------------------------------------------------


@pytest.fixture
def earlier(tmp_path, monkeypatch, run):
    """A store of an earlier release, without generations."""
    real = store_document.write

    def write(content):
        return real(replace(content, generations={}))

    with monkeypatch.context() as patched:
        patched.setattr(store_document, "write", write)
        run(passwords=["alice", "bob"])
    return run


def test_secrets_of_a_new_store_are_not_exposed(run):
    assert run()["exposed"] == []
    assert run()["exposed"] == []


def test_secrets_of_an_earlier_release_are_named_until_each_is_rotated(earlier):
    names = {"passwords": ["alice", "bob"]}
    result = earlier(**names)
    assert not result["changed"]
    ca = "CA CN=test CA G1,O=test"
    assert result["exposed"] == [ca, "certificate kafka1", "password alice", "password bob"]
    result = earlier(**names, rotate="passwords", names=["alice"])
    assert "password alice" not in result["exposed"]
    assert "password bob" in result["exposed"]
    earlier(**names, rotate="passwords")
    result = earlier(**names, rotate="ca", phase="trust")
    assert result["exposed"] == [ca, "certificate kafka1"]
    assert earlier(**names, rotate="ca", phase="issue")["exposed"] == [ca]
    assert earlier(**names, rotate="ca", phase="drop")["exposed"] == []
    assert earlier(**names)["exposed"] == []


def test_an_earlier_release_reads_a_store_of_this_one(run, tmp_path):
    run()
    store = tmp_path / "secrets/test/store.vault"
    secrets = vault_password.load(str(tmp_path / "conf/password"))
    document = json.loads(VaultLib(secrets).decrypt(store.read_text()))
    assert document.pop("generations")
    # The keys that the earlier release requires, of the document and of each password.
    assert set(document) == {
        *("format", "cluster", "authorities", "issuer", "roots", "certificates"),
        *("passwords", "made"),
    }
    assert set(document["passwords"]["alice"]) == {"value", "since", "previous"}


# -- files provided by a site -------------------------------------------------------------------

OWN = site_ca.issuing()
OTHER = site_ca.make("Other root")


def chain(*authorities):
    return pem.to_pem(each.certificate for each in authorities)


@pytest.fixture
def site(tmp_path):
    """Files of a site: its CA, and ready-made certificates."""
    folder = tmp_path / "site"
    folder.mkdir()
    pair = leaf.issue(LEAF, OWN, NOW)
    contents = {
        "issuing.crt": pem.to_pem([OWN.certificate, OWN.root]),
        "issuing.key": key_text(OWN.key).decode(),
        "ca.crt": pem.to_pem([OWN.root]),
        "kafka1.crt": pair.certificates() + pem.to_pem([OWN.root]),
        "kafka1.key": pem.key_pem(pair.key),
    }
    for name, text in contents.items():
        (folder / name).write_text(text)
    return folder


def own_ca(site):
    return {"certificate_file": f"{site}/issuing.crt", "key_file": f"{site}/issuing.key"}


def test_provided_ca_is_imported_and_its_files_can_be_removed(run, secret, site, tmp_path):
    first = run(ca=own_ca(site))
    assert first["steps"][2].startswith("CA CN=Issuing CA,O=Example: provided by the site, valid")
    shutil.rmtree(site)
    assert not run(ca=own_ca(site))["changed"]
    assert not run()["changed"]
    keystore, trusted, ca = secret("keypair:kafka1", "truststore", "ca")
    assert (trusted, ca) == (pem.to_pem([OWN.root]), pem.to_pem([OWN.certificate, OWN.root]))
    server = tls.server(tmp_path, keystore)
    assert tls.handshake(tls.client(tmp_path, trusted), server, "kafka1") == b"x"


@pytest.mark.parametrize("before", [{}, {"rotate": "ca", "phase": "trust"}])
def test_missing_files_of_a_provided_ca_are_refused(run, site, before):
    if before:
        run()
    (site / "issuing.crt").unlink()
    with pytest.raises(AnsibleActionFail, match=r"issuing\.crt: No such file or directory"):
        run(ca=own_ca(site), **before)


def test_ready_made_certificates_have_no_root_in_their_chain(run, secret, site, tmp_path):
    first = run(ca={"directory": str(site)})
    assert f"certificate kafka1: imported from {site}/kafka1.crt, valid" in first["steps"][2]
    assert not run(ca={"directory": str(site)})["changed"]
    keystore, trusted = secret("keypair:kafka1", "truststore")
    assert keystore.count("BEGIN CERTIFICATE") == 2
    server = tls.server(tmp_path, keystore)
    assert tls.handshake(tls.client(tmp_path, trusted), server, "kafka1") == b"x"


def test_a_key_may_be_encrypted_with_the_password_of_the_store(run, secret, site, tmp_path):
    vault_password.create(str(tmp_path / "conf/password"))
    secrets = vault_password.load(str(tmp_path / "conf/password"))
    key = (site / "kafka1.key").read_text()
    (site / "kafka1.key").write_bytes(VaultLib(secrets).encrypt(key, secret=secrets[0][1]))
    run(ca={"directory": str(site)})
    assert secret("key:kafka1") == [key]


def other_key(site):
    (site / "kafka1.key").write_bytes(key_text(OTHER.key))


def locked_key(site):
    lock = serialization.BestAvailableEncryption(b"x")
    (site / "kafka1.key").write_bytes(key_text(OTHER.key, lock=lock))


def no_key(site):
    os.unlink(site / "kafka1.key")


def vaulted_with_another_password(site):
    (site / "kafka1.key").write_text("$ANSIBLE_VAULT;1.1;AES256\n6162\n")


def no_certificate(site):
    (site / "kafka1.crt").write_text("nothing")


def another_name(site):
    pair = leaf.issue(replace(LEAF, dns=("kafka9",)), OWN, NOW)
    write(site, pair)


def expired(site):
    old = site_ca.make("Root CA", begin=NOW - 900 * DAY)
    write(site, leaf.issue(replace(LEAF, days=1), old, NOW - 30 * DAY))
    (site / "ca.crt").write_text(chain(old))


def write(site, pair):
    (site / "kafka1.crt").write_text(pair.certificates())
    (site / "kafka1.key").write_text(pem.key_pem(pair.key))


def without_intermediate(site):
    certificate = pem.parse_certificates((site / "kafka1.crt").read_bytes())[0]
    (site / "kafka1.crt").write_text(pem.to_pem([certificate]))


def other_root(site):
    (site / "ca.crt").write_text(chain(OTHER))


def no_root(site):
    (site / "ca.crt").write_text(chain(OWN))


FAULTS = [
    (other_key, "kafka1.crt: found a key of another certificate; required: the key of this one"),
    (locked_key, "kafka1.key: found a key with a passphrase; required: a key without"),
    (no_key, "kafka1.key: No such file or directory; required: a readable file"),
    (
        vaulted_with_another_password,
        "kafka1.key: found a file of Ansible Vault that the store's passw",
    ),
    (no_certificate, "kafka1.crt: found no readable certificate; required: certificates"),
    (another_name, "kafka1.crt: found the DNS names kafka9; required: also kafka1"),
    (expired, "kafka1.crt: found CN=kafka1,O=any expired since"),
    (without_intermediate, "kafka1.crt: found a certificate of CN=Issuing CA,O=Example that has"),
    (other_root, "allowed: one of CN=Other root,O=Example, with all intermediate certificates"),
    (no_root, "ca.crt: found CN=Issuing CA,O=Example, which is not a root; allowed: only roots"),
]


@pytest.mark.parametrize(("fault", "message"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_invalid_provided_file_is_named_and_nothing_is_imported(
    run, site, tmp_path, fault, message
):
    fault(site)
    before = everything(tmp_path)
    with pytest.raises(AnsibleActionFail) as error:
        run(ca={"directory": str(site)})
    assert message in error.value.message
    assert f"{site}/" in error.value.message
    assert everything(tmp_path) == before


def test_invalid_provided_ca_is_named_with_its_file(run, site, tmp_path):
    (site / "issuing.crt").write_text(chain(OWN))
    (site / "issuing.key").write_bytes(key_text(OTHER.key))
    before = everything(tmp_path)
    with pytest.raises(AnsibleActionFail) as error:
        run(ca=own_ca(site))
    lines = error.value.message.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"{site}/issuing.crt: found a key of another certificate; required")
    assert lines[1].startswith(f"{site}/issuing.crt: found no issuer of CN=Issuing CA")
    assert everything(tmp_path) == before


def test_further_roots_are_trusted(run, secret, site):
    (site / "more.crt").write_text(chain(OTHER))
    run()
    result = run(ca={"trusted_file": f"{site}/more.crt"})
    assert result["steps"] == ["trusted root CN=Other root,O=Example: added"]
    assert len(result["ca"]["fingerprints"]) == 2
    assert secret("truststore")[0].endswith(chain(OTHER))


# -- the lookup ---------------------------------------------------------------------------------


def test_missing_secret_has_a_placeholder_in_a_dry_run(run, secret):
    assert secret("password:alice", dry=True, missing="later") == ["later"]
    run()
    assert secret("password:eve", dry=True, missing="later") == ["later"]
    assert secret("password:alice", dry=True, missing="later") != ["later"]


def test_placeholder_is_not_used_outside_check_mode(run, secret):
    with pytest.raises(
        AnsibleError, match="the store does not exist yet; required: a run of metal"
    ):
        secret("password:alice", missing="later")
    run()
    with pytest.raises(AnsibleError, match="the store has no password 'eve'; it has: alice"):
        secret("password:eve", missing="later")


def test_absent_default_replaces_items_missing_in_an_older_store(run, secret):
    assert secret("password:eve", absent="") == [""]
    run()
    assert secret("password:eve", absent="") == [""]
    assert secret("password:alice", absent="") != [""]


def test_placeholder_does_not_hide_invalid_terms_or_lost_passwords(run, secret, tmp_path):
    with pytest.raises(AnsibleError, match="found 'pasword:alice'; allowed: password"):
        secret("pasword:alice", dry=True, missing="later")
    run()
    os.unlink(tmp_path / "conf/password")
    with pytest.raises(StoreError, match="found the store, but no password at"):
        secret("password:alice", dry=True, missing="later")


def test_no_store_is_needed_for_stopping_and_deleting(run, secret, tmp_path):
    run()
    os.unlink(tmp_path / "conf/password")
    assert secret("password:alice", needed=False, missing="later") == ["later"]


def test_new_generation_is_read_immediately(run, secret):
    run()
    before = secret("password:alice")
    run(rotate="passwords")
    assert secret("previous_password:alice") == before
    assert secret("password:alice") != before
