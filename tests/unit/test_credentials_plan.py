"""Changes of the store, and trust between members while a change is rolled out."""

import itertools
import ssl
from dataclasses import replace

import pytest
import site_ca
import tls
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    ca_rotation,
    store_document,
    store_items,
    store_report,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.credentials_model import (
    CaSpec,
    CredentialsError,
    Spec,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.credentials_plan import (
    ProvidedFiles,
    plan,
    unused_items,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.pki import leaf, pem
from site_ca import DAY, NOW

KAFKA1 = leaf.Leaf("kafka1", "kafka1", "test", dns=("kafka1",))
KAFKA2 = leaf.Leaf("kafka2", "kafka2", "test", dns=("kafka2",))
CA = CaSpec("test CA", 3650)
SPEC = Spec(
    cluster="test",
    ca=CA,
    certificates=(KAFKA1, KAFKA2),
    passwords=("alice", "bob"),
    provided_passwords={},
    renew_before_days=30,
    rotate="none",
    names=(),
    phase="",
    purge=False,
)
TODAY, LATER = NOW.strftime("%Y-%m-%d"), (NOW + 397 * DAY).strftime("%Y-%m-%d")
NOTHING = ProvidedFiles()


def desired(**changes):
    return replace(SPEC, **changes)


def rotating(phase, **changes):
    return desired(rotate="ca", phase=phase, **changes)


def after(*specs, given=NOTHING, at=NOW):
    """The content after specs that were carried out one after the other."""
    held = None
    for each in specs:
        held = plan(held, each, given, at).content
    return held


def problems(before, spec, given=NOTHING, at=NOW):
    with pytest.raises(CredentialsError) as error:
        plan(before, spec, given, at)
    return error.value.problems


FRESH = after(SPEC)


def test_first_run_creates_and_reports_everything():
    planned = plan(None, SPEC, NOTHING, NOW)
    assert planned.steps == (
        f"CA CN=test CA G1,O=test: generated, valid until {(NOW + 3650 * DAY):%Y-%m-%d}",
        f"certificate kafka1: issued, valid until {LATER}",
        f"certificate kafka2: issued, valid until {LATER}",
        "password alice: generated",
        "password bob: generated",
    )
    assert planned.notes == ()
    values = [each.value for each in planned.content.passwords.values()]
    assert len(set(values)) == 2
    assert all(len(value) == 32 for value in values)


def test_second_run_changes_nothing():
    again = plan(store_document.read(store_document.write(FRESH)), SPEC, NOTHING, NOW + DAY)
    assert again.steps == ()
    assert store_document.write(again.content) == store_document.write(FRESH)


@pytest.mark.parametrize(
    ("change", "steps"),
    [
        ({"certificates": (KAFKA1,)}, ()),
        (
            {"certificates": (replace(KAFKA1, ips=("10.0.0.1",)),)},
            ("certificate kafka1: renewed: its addresses are none; declared: 10.0.0.1, valid",),
        ),
        (
            {"rotate": "certificates", "names": ("kafka2",)},
            ("certificate kafka2: renewed: as requested, valid until",),
        ),
        (
            {"rotate": "certificates"},
            ("certificate kafka1: renewed: as req", "certificate kafka2: renewed: as req"),
        ),
        ({"rotate": "passwords", "names": ("bob",)}, ("password bob: changed: as requested",)),
        (
            {"rotate": "passwords", "provided_passwords": {"bob": "geheim-1234"}},
            ("password alice: changed: as requested", "password bob: provided by the site"),
        ),
        ({"passwords": ("alice", "bob", "eve")}, ("password eve: generated",)),
        (
            {"purge_passwords": True, "certificates": (KAFKA1,), "passwords": ("bob",)},
            ("password alice: removed, not declared",),
        ),
        (
            {"purge": True, "certificates": (KAFKA1,), "passwords": ("bob",)},
            ("certificate kafka2: removed, not", "password alice: removed, not declared"),
        ),
    ],
)
def test_steps_name_each_change(change, steps):
    planned = plan(FRESH, desired(**change), NOTHING, NOW)
    assert len(planned.steps) == len(steps)
    for step, expected in zip(planned.steps, steps, strict=True):
        assert step.startswith(expected)


def test_certificates_are_renewed_before_they_expire():
    planned = plan(FRESH, SPEC, NOTHING, NOW + 380 * DAY)
    assert len(planned.steps) == 2
    assert planned.steps[0].startswith("certificate kafka1: renewed: it expires in 16 days, valid")


def test_undeclared_items_are_kept_and_reported():
    fewer = desired(certificates=(KAFKA1,), passwords=("alice",))
    held = plan(FRESH, fewer, NOTHING, NOW).content
    assert unused_items(held, fewer) == ["certificate kafka2", "password bob"]


def test_rotated_password_keeps_the_previous_one():
    held = plan(FRESH, desired(rotate="passwords", names=("bob",)), NOTHING, NOW).content
    assert held.passwords["bob"].previous == FRESH.passwords["bob"].value
    assert held.passwords["bob"].value != FRESH.passwords["bob"].value
    assert held.passwords["alice"] == FRESH.passwords["alice"]


def test_provided_password_is_imported_once():
    spec = desired(provided_passwords={"bob": "geheim-1234"})
    held = plan(FRESH, spec, NOTHING, NOW).content
    assert held.passwords["bob"].value == "geheim-1234"
    assert plan(held, spec, NOTHING, NOW).steps == ()
    # Without the site's value the store keeps what it has.
    assert plan(held, SPEC, NOTHING, NOW).steps == ()


def test_store_of_another_cluster_is_refused():
    assert problems(replace(FRESH, cluster="other"), SPEC) == (
        "store: found the store of cluster other; required: a separate store for cluster test",
    )


def test_expiring_ca_is_noted_and_expired_ca_is_refused():
    short = after(desired(ca=CaSpec("test CA", 100)))
    note = plan(short, SPEC, NOTHING, NOW).notes[0]
    assert note.startswith("CA CN=test CA G1,O=test: expires on ")
    # Certificates expire with their CA: they are not renewed every day.
    assert plan(short, SPEC, NOTHING, NOW + 95 * DAY).steps == ()
    assert (
        "required: a new CA, by rotate: ca with phase: replace"
        in (problems(short, SPEC, at=NOW + 101 * DAY)[0])
    )
    saved = plan(short, rotating("replace"), NOTHING, NOW + 101 * DAY).content
    assert plan(saved, SPEC, NOTHING, NOW + 101 * DAY).steps == ()


# -- rotation of the CA -------------------------------------------------------------------------


PHASES = ("trust", "issue", "drop")


def test_rotation_has_three_phases():
    held, states = FRESH, []
    for phase in PHASES:
        held = plan(held, rotating(phase), NOTHING, NOW).content
        states.append(
            (ca_rotation.state(held), len(held.roots), pem.principal_subject(held.roots[-1]))
        )
    new = "CN=test CA G2,O=test"
    assert states == [("trusted", 2, new), ("issued", 2, new), ("none", 1, new)]
    issuers = {c.certificate.issuer.rfc4514_string() for c in held.certificates.values()}
    assert issuers == {new}


def test_completed_phase_changes_nothing():
    trusted = after(SPEC, rotating("trust"))
    issued = plan(trusted, rotating("issue"), NOTHING, NOW).content
    for held, phase in (
        (trusted, "trust"),
        (issued, "trust"),
        (issued, "issue"),
        (FRESH, "drop"),
    ):
        assert plan(held, rotating(phase), NOTHING, NOW).steps == ()


@pytest.mark.parametrize(
    ("before", "phase", "message"),
    [
        (
            (SPEC,),
            "issue",
            "phase: found issue, but no new trusted CA; required",
        ),
        (
            (SPEC, rotating("trust")),
            "drop",
            "phase: found drop, but certificates of the old CA; required: phase issue first",
        ),
    ],
)
def test_skipped_phase_is_refused(before, phase, message):
    assert problems(after(*before), rotating(phase))[0].startswith(message)


def test_rotation_in_progress_is_noted():
    trusted = plan(FRESH, rotating("trust"), NOTHING, NOW)
    assert "once every member trusts it: phase issue" in trusted.notes[0]
    issued = plan(trusted.content, rotating("issue"), NOTHING, NOW)
    assert "once every member has its own: phase drop" in issued.notes[0]
    assert plan(issued.content, rotating("drop"), NOTHING, NOW).notes == ()


def test_undeclared_certificate_is_dropped_with_its_ca():
    fewer = {"certificates": (KAFKA1,)}
    held = after(SPEC, rotating("trust"), rotating("issue", **fewer))
    dropped = plan(held, rotating("drop", **fewer), NOTHING, NOW)
    assert dropped.steps[:2] == (
        "CA CN=test CA G1,O=test: dropped, with its key",
        "certificate kafka2: dropped with its CA, not declared",
    )
    assert set(dropped.content.certificates) == {"kafka1"}


def texts(held, name):
    """Return keystore and truststore of a member."""
    document = store_document.parse_document(store_document.write(held))
    return store_items.find_secret(document, f"keypair:{name}"), store_items.find_secret(
        document, "truststore"
    )


def shake_hands(folder, one, two):
    """Shake hands between kafka1 of one store and kafka2 of the other, in both directions."""
    (key1, trust1), (key2, trust2) = texts(one, "kafka1"), texts(two, "kafka2")
    server1 = tls.server(folder, key1, trusted=trust1)
    assert tls.handshake(tls.client(folder, trust2, keystore=key2), server1, "kafka1") == b"x"
    server2 = tls.server(folder, key2, trusted=trust2)
    assert tls.handshake(tls.client(folder, trust1, keystore=key1), server2, "kafka2") == b"x"


OWN = site_ca.issuing()
OWN_FILES = CaSpec("test CA", 3650, certificate_file="/ca.crt", key_file="/ca.key")
READY = CaSpec("test CA", 3650, directory="/ready")
READY_FILES = ProvidedFiles(
    roots=(OWN.root,),
    pairs={each.name: leaf.issue(each, OWN, NOW) for each in (KAFKA1, KAFKA2)},
)


def phases(given=NOTHING, **changes):
    return [(rotating(phase, **changes), given) for phase in PHASES]


def files(base, *roots):
    return replace(base, roots=(*base.roots, *roots))


OLD_ROOT = FRESH.roots[0]
WAYS = {
    "to a generated CA": phases(),
    "to a CA of the site": phases(ProvidedFiles(authority=OWN), ca=OWN_FILES),
    "renewed names and passwords": [
        (desired(certificates=(replace(KAFKA1, ips=("10.0.0.1",)), KAFKA2)), NOTHING)
    ],
    "to ready-made certificates": [
        (SPEC, files(NOTHING, OWN.root)),
        (desired(ca=READY), READY_FILES),
        (rotating("drop", ca=READY), READY_FILES),
    ],
    "to ready-made certificates and back": [
        (SPEC, files(NOTHING, OWN.root)),
        (desired(ca=READY), READY_FILES),
        (rotating("drop", ca=READY), READY_FILES),
        (rotating("trust", ca=READY), READY_FILES),
        (SPEC, files(NOTHING, OWN.root)),
        (SPEC, NOTHING),
    ],
}


@pytest.mark.parametrize("way", WAYS)
def test_members_trust_each_other_during_a_roll_out(way, tmp_path):
    stores = [FRESH]
    for spec, given in WAYS[way]:
        stores.append(plan(stores[-1], spec, given, NOW).content)
    for before, held in itertools.pairwise(stores):
        assert store_document.write(before) != store_document.write(held)
        for one, two in ((before, held), (held, before), (held, held)):
            shake_hands(tmp_path, one, two)
    assert not {OLD_ROOT} & set(stores[-1].roots) or way.startswith("renewed")


def test_replace_interrupts_trust_between_members(tmp_path):
    held = plan(FRESH, rotating("replace"), NOTHING, NOW).content
    shake_hands(tmp_path, held, held)
    with pytest.raises(ssl.SSLError):
        shake_hands(tmp_path, FRESH, held)


READY_MADE = plan(None, desired(ca=READY), READY_FILES, NOW).content
BY_ITS_CA = plan(None, desired(ca=OWN_FILES), ProvidedFiles(authority=OWN), NOW).content
REFUSED = {
    "ready-made at once": (
        FRESH,
        desired(ca=READY),
        READY_FILES,
        "certificates: kafka1: found a new root, CN=Root CA,O=Example; required: one that members "
        "already trust",
    ),
    "generated at once": (
        READY_MADE,
        SPEC,
        NOTHING,
        "found a new root, CN=test CA G1,O=test",
    ),
    "root removed too early": (
        plan(READY_MADE, rotating("trust", ca=READY), READY_FILES, NOW).content,
        SPEC,
        NOTHING,
        "certificates: kafka1: found the root CN=Root CA,O=Example no longer trusted",
    ),
    "another CA without a rotation": (
        FRESH,
        desired(ca=OWN_FILES),
        ProvidedFiles(authority=OWN),
        "ca: certificate_file: found CN=Issuing CA,O=Example, the store has CN=test CA G1,O=test; "
        "required: the same CA, or rotate: ca with phase: trust, issue, drop",
    ),
    "from a CA to itself": (
        BY_ITS_CA,
        rotating("trust", ca=OWN_FILES),
        ProvidedFiles(authority=OWN),
        "ca: certificate_file: found the current CA, CN=Issuing CA,O=Example; required: the new",
    ),
    "two rotations": (
        after(SPEC, rotating("trust")),
        rotating("trust", ca=OWN_FILES),
        ProvidedFiles(authority=OWN),
        "found CN=Issuing CA,O=Example while another rotation is in progress; required: phase",
    ),
    "ready-made of a foreign root": (
        FRESH,
        rotating("trust", ca=READY),
        replace(READY_FILES, roots=(OLD_ROOT,)),
        "/ready/kafka1.crt: found a certificate of CN=Issuing CA,O=Example that has no",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_change_that_breaks_trust_between_members_is_refused(case):
    before, spec, given, message = REFUSED[case]
    assert any(message in problem for problem in problems(before, spec, given))


def test_replace_is_not_refused():
    held = plan(FRESH, rotating("replace", ca=READY), READY_FILES, NOW).content
    assert held.roots == (OWN.root,)
    assert held.authorities == ()


def test_provided_ca_is_imported(tmp_path):
    spec = desired(ca=OWN_FILES)
    planned = plan(None, spec, ProvidedFiles(authority=OWN), NOW)
    assert planned.steps[0].startswith("CA CN=Issuing CA,O=Example: provided by the site, valid")
    assert planned.content.roots == (OWN.root,)
    shake_hands(tmp_path, planned.content, planned.content)
    assert plan(planned.content, spec, NOTHING, NOW).steps == ()
    assert plan(planned.content, SPEC, NOTHING, NOW).steps == ()


def test_ready_made_certificates_are_imported_once():
    spec = desired(ca=READY)
    planned = plan(None, spec, READY_FILES, NOW)
    assert planned.steps[0].startswith("certificate kafka1: imported from /ready/kafka1.crt, valid")
    again = store_document.read(store_document.write(planned.content))
    assert plan(again, spec, READY_FILES, NOW).steps == ()
    near = NOW + 390 * DAY
    assert plan(again, spec, READY_FILES, near).notes[0] == (
        "certificate kafka1: expires in 6 days; replace /ready/kafka1.crt"
    )


def test_all_ready_made_certificates_are_validated_before_import():
    pairs = dict(READY_FILES.pairs)
    swapped = replace(READY_FILES, pairs={"kafka1": pairs["kafka2"], "kafka2": pairs["kafka1"]})
    assert problems(None, desired(ca=READY), swapped) == (
        "/ready/kafka1.crt: found the DNS names kafka2; required: also kafka1",
        "/ready/kafka2.crt: found the DNS names kafka1; required: also kafka2",
    )


# -- reports ------------------------------------------------------------------------------------


def test_the_report_has_dates_and_fingerprints():
    planned = plan(FRESH, SPEC, NOTHING, NOW + 10 * DAY)
    report = store_report.report(planned, SPEC, NOW + 10 * DAY)
    ends = [(each["kind"], each["name"], each["days_left"]) for each in report["expiry"]]
    assert ends == [
        ("certificate", "kafka1", 386),
        ("certificate", "kafka2", 386),
        ("root", "CN=test CA G1,O=test", 3639),
    ]
    print_of_the_ca = pem.fingerprint(OLD_ROOT)
    assert report["ca"] == {
        "issuer": print_of_the_ca,
        "fingerprints": [print_of_the_ca],
        "rotation": "none",
    }


def test_reports_contain_no_secret():
    held = after(SPEC, desired(rotate="passwords"), rotating("trust"))
    planned = plan(held, desired(rotate="certificates"), NOTHING, NOW)
    text = f"{store_report.report(planned, SPEC, NOW)} {store_report.lines(held)} {planned}"
    secrets = [each.value for each in held.passwords.values()]
    secrets += [each.previous for each in held.passwords.values()]
    for each in (*held.certificates.values(), *held.authorities):
        secrets += pem.key_pem(each.key).splitlines()[1:-1]
    assert len(secrets) > 10
    assert [secret for secret in secrets if secret in text] == []
    assert "BEGIN PRIVATE" not in text


def test_dry_run_has_the_same_diff_as_the_run():
    one, two = (store_report.lines(plan(None, SPEC, NOTHING, NOW).content) for _ in range(2))
    assert one == two
    assert f"certificate kafka1: CN=kafka1,O=test, kafka1, server client, valid until {LATER}" in (
        one
    )
    assert f"password alice: since {TODAY}" in one


# -- parsing a store, and selecting secrets ------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found no store of credentials in the vault"),
        ("[]", "found no store of credentials in the vault"),
        ('{"a": 1}', "found no store of credentials"),
        ('{"format": 3}', "found a store of format 3; allowed: 1 or 2, or a newer kafka-metal"),
        ('{"format": 1}', r"found a damaged store of credentials \(KeyError\)"),
        (store_document.write(FRESH).replace("BEGIN CERT", "BEGIN SERT"), "damaged store"),
    ],
    ids=tls.named,
)
def test_invalid_store_text_is_refused_without_its_content(text, message):
    with pytest.raises(store_document.ContentError, match=message):
        store_document.read(text)


DOCUMENT = store_document.parse_document(
    store_document.write(after(SPEC, desired(rotate="passwords", names=("bob",))))
)


def test_secrets_are_selected_by_kind_and_name():
    assert (
        store_items.find_secret(DOCUMENT, "password:alice")
        == DOCUMENT["passwords"]["alice"]["value"]
    )
    assert (
        store_items.find_secret(DOCUMENT, "previous_password:bob")
        == DOCUMENT["passwords"]["bob"]["previous"]
    )
    pair = store_items.find_secret(DOCUMENT, "keypair:kafka1")
    assert pair == store_items.find_secret(DOCUMENT, "key:kafka1") + store_items.find_secret(
        DOCUMENT, "certificate:kafka1"
    )
    assert store_items.find_secret(DOCUMENT, "truststore") == store_items.find_secret(
        DOCUMENT, "ca"
    )


def test_ca_is_the_issuing_ca():
    held = after(SPEC, rotating("trust"))
    document = store_document.parse_document(store_document.write(held))
    assert store_items.find_secret(document, "ca") == pem.to_pem([held.authorities[0].certificate])
    assert store_items.find_secret(document, "truststore") == pem.to_pem(held.roots)


@pytest.mark.parametrize(
    ("term", "kind", "message"),
    [
        (
            "password:eve",
            store_items.MissingSecretError,
            "the store has no password 'eve'; it has: alice, bob",
        ),
        (
            "keypair:kafka9",
            store_items.MissingSecretError,
            "the store has no keypair 'kafka9'; it has: kafka1",
        ),
        (
            "previous_password:alice",
            store_items.MissingSecretError,
            "the password 'alice' has never been changed",
        ),
        ("password", store_items.TermError, "found 'password'; allowed: password:NAME"),
        ("password:", store_items.TermError, "allowed: password:NAME"),
        ("ca:x", store_items.TermError, "found 'ca:x'; allowed: ca, without a name"),
        ("pasword:alice", store_items.TermError, "allowed: password .did you mean that.., one of"),
    ],
)
def test_missing_secret_is_named(term, kind, message):
    with pytest.raises(kind, match=message):
        store_items.find_secret(DOCUMENT, term)


def test_store_with_ready_made_certificates_has_no_ca():
    held = plan(None, desired(ca=READY), READY_FILES, NOW).content
    document = store_document.parse_document(store_document.write(held))
    with pytest.raises(store_items.MissingSecretError, match="certificates are ready-made"):
        store_items.find_secret(document, "ca")
    assert store_items.find_secret(document, "truststore") == pem.to_pem([OWN.root])
