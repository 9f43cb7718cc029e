"""Plans of credential changes, and reports of passwords that cannot be checked."""

import pytest
from ansible_collections.metal.kafka.plugins.module_utils._content.user_model import (
    Outcome,
    Put,
    Remove,
    UserError,
)
from ansible_collections.metal.kafka.plugins.module_utils._content.users import (
    converge,
    difference,
    parse_specs,
    split_into_requests,
    unverified_warnings,
)
from ansible_collections.metal.kafka.plugins.module_utils._kafka.scram import (
    Key,
    format_hashed,
    hash_password,
)

S512, S256 = "SCRAM-SHA-512", "SCRAM-SHA-256"
HASHED = format_hashed(S512, hash_password("alice-secret", S512, 4096))


def params(users=None, **more):
    return {"users": users or {}, "passwords": {}, "credentials": {}, "absent": [], **more}


class Kafka:
    """A fake cluster with passwords; ``no_listener`` has no listener for password checks."""

    def __init__(self, *users, no_listener=False, bad=()):
        # User, mechanism, iterations, password.
        self.kept = {Key(name, how): (count, password) for name, how, count, password in users}
        self.no_listener, self.bad = no_listener, bad
        self.tried = []

    def read_users(self):
        found = {}
        for key, (count, _) in self.kept.items():
            found.setdefault(key.user, {})[key.mechanism] = count
        return found

    def check_passwords(self, secrets):
        if self.no_listener:
            return {}
        self.tried += secrets
        return {
            key: "accepted" if self.kept[key][1] == secret.password else "refused"
            for key, secret in secrets.items()
        }

    def alter_users(self, steps, secrets):
        refused = {}
        for step in steps:
            if step.key.user in self.bad:
                refused[step.key.user] = "no"
            elif isinstance(step, Put):
                self.kept[step.key] = (step.iterations, secrets[step.key.user].password)
            else:
                del self.kept[step.key]
        return refused


ALICE = ("alice", S512, 8192, "alice-secret")
PASSWORD = {"alice": "alice-secret"}


def steps(kafka, **declared):
    return [str(step) for step in converge(kafka, parse_specs(params(**declared)), False).steps]


@pytest.mark.parametrize(
    ("kafka", "declared", "expected"),
    [
        (Kafka(), {}, []),
        (
            Kafka(),
            {"users": {"alice": None}, "passwords": PASSWORD},
            ["user alice: SCRAM-SHA-512: new, 8192 iterations"],
        ),
        (Kafka(ALICE), {"users": {"alice": {}}, "passwords": PASSWORD}, []),
        (
            Kafka(ALICE),
            {"users": {"alice": {}}, "passwords": {"alice": "another-word"}},
            ["user alice: SCRAM-SHA-512: the password differs"],
        ),
        (
            Kafka(ALICE),
            {"users": {"alice": {"iterations": 4096}}, "passwords": PASSWORD},
            ["user alice: SCRAM-SHA-512: iterations 8192 -> 4096"],
        ),
        (
            Kafka(ALICE),
            {"users": {"alice": {"mechanisms": [S512, S256]}}, "passwords": PASSWORD},
            ["user alice: SCRAM-SHA-256: new, 8192 iterations"],
        ),
        (
            Kafka(ALICE),
            {"users": {"alice": {}}, "passwords": PASSWORD, "update_password": "always"},
            ["user alice: SCRAM-SHA-512: the password is set in every run"],
        ),
        (
            Kafka(ALICE),
            {
                "users": {"alice": {}},
                "passwords": {"alice": "another-word"},
                "update_password": "on_create",
            },
            [],
        ),
        (
            Kafka(),
            {"users": {"alice": {}}, "credentials": {"alice": HASHED}},
            ["user alice: SCRAM-SHA-512: new, 4096 iterations"],
        ),
        (
            Kafka(ALICE, ("alice", S256, 4096, "x")),
            {"absent": ["alice", "missing"]},
            ["remove user alice: SCRAM-SHA-256", "remove user alice: SCRAM-SHA-512"],
        ),
    ],
)
def test_second_run_changes_nothing(kafka, declared, expected):
    assert steps(kafka, **declared) == expected
    if declared.get("update_password") != "always":
        assert steps(kafka, **declared) == []


def test_dry_run_checks_passwords_and_changes_none():
    kafka = Kafka(ALICE)
    desired = parse_specs(params({"alice": {}}, passwords={"alice": "another-word"}))
    assert len(converge(kafka, desired, dry=True).steps) == 1
    assert kafka.tried == [Key("alice", S512)]
    assert kafka.kept[Key("alice", S512)] == (8192, "alice-secret")


def test_only_credentials_as_declared_are_checked():
    kafka = Kafka(ALICE)
    steps(kafka, users={"alice": {"iterations": 4096}}, passwords=PASSWORD)
    assert kafka.tried == []


@pytest.mark.parametrize(
    ("given", "reason"),
    [(PASSWORD, "no listener to check it at is provided"), ({}, "its password is not provided")],
)
def test_unverified_password_is_kept_and_reported(given, reason):
    kafka = Kafka(ALICE, no_listener=True)
    found = converge(kafka, parse_specs(params({"alice": {}}, passwords=given)), dry=False)
    assert found == Outcome((), {"alice": reason}, ())


def test_foreign_credential_is_reported_and_kept():
    kafka = Kafka(ALICE, ("alice", S256, 4096, "old"))
    found = converge(kafka, parse_specs(params({"alice": {}}, passwords=PASSWORD)), dry=False)
    assert found.foreign == ("alice: SCRAM-SHA-256",)
    assert len(kafka.kept) == 2


def test_all_missing_passwords_are_reported():
    desired = parse_specs(params({"alice": {"iterations": 5000}, "bob": {}, "carol": {}}))
    with pytest.raises(UserError) as refusal:
        converge(Kafka(ALICE, ("carol", S512, 8192, "x")), desired, dry=False)
    assert refusal.value.messages == [
        "user alice: SCRAM-SHA-512: iterations 8192 -> 5000: its password is not provided",
        "user bob: SCRAM-SHA-512: new, 8192 iterations: its password is not provided",
    ]


def test_next_run_completes_a_failed_one():
    passwords = {"alice": "alice-secret", "bob": "bob-secret"}
    declared = {"users": {"alice": {}, "bob": {}}, "passwords": passwords}
    kafka = Kafka(bad=["alice"])
    with pytest.raises(UserError, match=r"^user alice: SCRAM-SHA-512: new, 8192 iterations: no$"):
        steps(kafka, **declared)
    kafka.bad = ()
    assert steps(kafka, **declared) == ["user alice: SCRAM-SHA-512: new, 8192 iterations"]
    assert steps(kafka, **declared) == []


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"users": {"a": {"mechanisms": ["PLAIN"]}}}, "user a: mechanism PLAIN; allowed: SCRAM-"),
        ({"users": {"a": {"iterations": 1}}}, "user a: iterations 1; allowed: 4096 to 16384"),
        ({"users": {"a": {}}, "absent": ["a"]}, "user a: is declared and under absent"),
        ({"users": {"a": {}}, "passwords": {"a": "short"}}, "passwords: user a: the password is s"),
        (
            {"users": {"a": {}}, "credentials": {"a": "x"}},
            "credentials: user a: does not have",
        ),
        (
            {"passwords": {"a": "long-enough"}, "credentials": {"a": HASHED}},
            "user a: is in both passwords and credentials",
        ),
    ],
)
def test_errors_name_user_and_reason(declared, message):
    with pytest.raises(UserError, match=message):
        parse_specs(params(**declared))


def test_passwords_of_undeclared_users_are_ignored():
    desired = parse_specs(params({"alice": {}}, passwords={**PASSWORD, "bob": "bob-secret"}))
    assert set(desired.secrets) == {"alice"}


def test_credentials_of_a_user_are_in_one_request():
    many = [Put(Key(f"u{number}", how), 4096, "") for how in (S512, S256) for number in range(5)]
    found = split_into_requests(many, size=3)
    assert [len(each) for each in found] == [4, 4, 2]
    for one in range(5):
        assert sum(f"u{one}" in {step.key.user for step in each} for each in found) == 1


def test_warnings_are_by_reason_and_omit_missing_passwords():
    unverified = {f"u{n}": "kafka1:9094: Connection refused" for n in range(7)}
    assert unverified_warnings({**unverified, "bob": "its password is not provided"}) == [
        "passwords could not be checked and are not changed: "
        "kafka1:9094: Connection refused: u0, u1, u2, u3, u4 and 2 more"
    ]


def test_difference_shows_no_password():
    assert difference([Put(Key("a", S512), 4096, "new"), Remove(Key("b", S256))]) == {
        "before": {"b: SCRAM-SHA-256": "a credential"},
        "after": {"a: SCRAM-SHA-512": "new"},
    }
