"""Passwords that a site chooses for its own users, in place of generated ones."""

from ansible_collections.metal.kafka.plugins.plugin_utils._site import client_secrets, host_secrets
from ansible_collections.metal.kafka.plugins.plugin_utils._site.host_secrets import Host

CHOSEN, GENERATED = "chosen by the site", "generated"


def host(mode: str, user: str) -> Host:
    facts = {
        "security.mode": mode,
        "security.secured": True,
        "security.password_authentication": mode != "mtls",
        "users.secret_prefix": "keypair:" if mode == "mtls" else "password:",
        "users.client_directory": "/clients",
        "credentials.lookup_terms": [],
        "monitoring.hosts": [],
        "kafka.hosts": ["kafka1"],
    }
    # Of the task's host, such as the control node, and of the first broker's.
    variables = {"security_client_user": user}
    of_brokers = {("kafka1", "kafka_content_passwords"): {"shop": CHOSEN}}

    def secret(term: str) -> str:
        return GENERATED

    return Host(
        facts.__getitem__,
        secret,
        secret,
        lambda name, default: variables.get(name, default),
        lambda host, name: of_brokers.get((host, name)),
    )


def texts(mode: str, user: str) -> str:
    return "\n".join(each["content"] for each in client_secrets.user_files(host(mode, user)))


def test_a_clients_files_have_the_password_that_the_site_has_chosen():
    assert CHOSEN in texts("tls_scram", "shop")
    assert GENERATED in texts("tls_scram", "audit")
    assert CHOSEN not in texts("tls_scram", "audit")


def test_a_user_with_a_certificate_has_no_password():
    assert CHOSEN not in texts("mtls", "shop")


def test_chosen_passwords_are_redacted_from_support_archives():
    assert CHOSEN in host_secrets.all_secrets(host("tls_scram", "shop"))
