"""Limits on the knowledge of files: metadata modes, the internet, versions, paths on hosts."""

import fnmatch
import re

# Files of ZooKeeper: another mode would have its own next to these.
OWNERS = (
    "roles/zookeeper/*",
    "plugins/*/zookeeper*",
    "plugins/filter/ensemble_*.yml",
    "images/zookeeper/*",
    "inventories/*",
    "playbooks/metadata*",
    "playbooks/zookeeper*.yml",
    "playbooks/internal_zookeeper_*.yml",
)

# Other files that may name it, and why.
EXCEPTIONS = {
    "images/images.yml": "the catalogue lists every image",
    "images/licences.yml": "licences of jars, by the names of their files",
    "images/kafka/*": "a broker carries the client of either mode",
    "plugins/plugin_utils/_site/*": "values for other services",
    "plugins/plugin_utils/_preflight/known_keys/*": "names of Kafka's own keys",
    "roles/*/meta/services/*": "start order",
    "scripts/record-zookeeper-keys": "records its keys",
    "Makefile": "a command of its own, once after 0.1",
    "playbooks/site.yml": "imports the playbook that starts it",
    "playbooks/down.yml": "stops it",
    "playbooks/internal_resume.yml": "starts it first",
    "playbooks/restart.yml": "restarts it",
    "playbooks/reboot.yml": "stops and starts it with its machine",
    "playbooks/verify.yml": "reports undeclared access to it",
    "playbooks/internal_phase.yml": "secures it before the brokers",
    "playbooks/internal_rotate.yml": "writes its files",
    "scripts/cost-of-records": "starts its own broker",
    "plugins/module_utils/_host/operation_state.py": "names the verb that resumes its CA change",
    "plugins/module_utils/_host/operation_lock.py": "names of operations in locks of release 0.1",
}

# Identifiers that look like addresses: nothing is fetched from them.
NAMESPACES = ("http://maven.apache.org/POM/", "http://www.w3.org/", "http://maven.apache.org/xsd/")
# Hosts that exist without the internet, or are variables.
LOCAL = re.compile(r"https?://(\{|\$|%|<|\"|'|\[::1\]|127\.|0\.0\.0\.0|localhost\b|[a-z-]+(:|/|$))")
URL = re.compile(r"[a-z]+://[^\s'\"`)>]+")

SOURCES = ("roles/**/*", "plugins/**/*", "images/**/*", "playbooks/**/*")
PACKAGES = (
    "client/src/**/*",
    "declarations/src/**/*",
    "reconciliation/src/**/*",
    "spark/src/**/*",
)


def test_zookeeper_is_named_only_in_its_own_files(repository):
    allowed = (*OWNERS, *EXCEPTIONS)
    files = repository.files(
        *SOURCES,
        *PACKAGES,
        "Makefile",
        "scripts/*",
    )
    naming = [path for path in files if "zookeeper" in repository.text(path).lower()]
    assert len(naming) > 10
    assert [p for p in naming if not any(fnmatch.fnmatch(p, each) for each in allowed)] == []


def test_every_exception_is_needed(repository):
    unused = [
        pattern
        for pattern in EXCEPTIONS
        if not any("zookeeper" in repository.text(p).lower() for p in repository.files(pattern))
    ]
    assert unused == []


def test_no_source_fetches_from_a_named_host(repository):
    files = repository.files(
        *SOURCES,
        *PACKAGES,
        "Makefile",
        ".ci/*",
        "scripts/*",
    )
    named = [
        f"{path}: {url}"
        for path in files
        for url in URL.findall(repository.text(path))
        if url.startswith(("http:", "https:", "ftp:", "git:"))
        and not url.startswith(NAMESPACES)
        and not LOCAL.match(url)
    ]
    assert named == []


def test_recipes_use_versions_of_versions_yml(repository):
    images, versions = repository.yaml("images/images.yml"), repository.yaml("versions.yml")
    literal = re.compile(r"(?<![\w.])\d+\.\d+(\.\d+)*(?![\w.])")
    wrong = []
    recipes = repository.files("images/*/Dockerfile")
    assert {path.split("/")[1] for path in recipes} == {
        image.get("recipe", name) for name, image in images.items()
    }
    for name, image in images.items():
        path = f"images/{image.get('recipe', name)}/Dockerfile"
        arguments = {key.upper() for key in image.get("uses", ())} | {"BASE_IMAGE"}
        # Only scripts/record-checksums sets it.
        arguments |= {"RECORD_CHECKSUMS"}
        arguments |= {"PACKAGES"} if "packages" in image else set()
        arguments |= {f"{parent.upper()}_IMAGE" for parent in image.get("parents", ())}
        stages = set()
        for line in repository.lines(path):
            words = line.split()
            if not words or line.lstrip().startswith("#"):
                continue
            wrong += [f"{path}: literal version {m[0]}" for m in literal.finditer(line)]
            if words[0] == "ARG" and words[1].split("=")[0] not in arguments:
                wrong.append(f"{path}: {line}: not among its uses and parents")
            if words[0] == "FROM":
                if not words[1].startswith("${") and words[1] not in stages:
                    wrong.append(f"{path}: {line}: the base is not a build argument")
                stages |= {words[3]} if len(words) > 3 else set()
        unknown = set(image.get("uses", ())) - versions.keys()
        wrong += [f"images.yml: {name} uses {key}, which is not in versions.yml" for key in unknown]
    assert wrong == []


def test_poms_use_properties_as_versions(repository):
    # The first version is that of the recipe itself, which is not used.
    literal = [
        f"{path}: {version}"
        for path in repository.files("images/*/pom.xml")
        for version in re.findall(r"<version>([^<]*)</version>", repository.text(path))[1:]
        if not re.fullmatch(r"\$\{[\w.]+\}", version)
    ]
    assert literal == []


def test_every_version_is_used(repository):
    images = repository.yaml("images/images.yml").values()
    used = {key for image in images for key in (image["version"], *image.get("uses", ()))}
    assert repository.yaml("versions.yml").keys() - used == set()


def test_templates_have_the_path_of_their_target(repository):
    files = repository.files("roles/*/templates/**/*")
    assert files
    roots = {"etc", "usr", "opt", "var", "srv", "lib"}
    wrong = [path for path in files if path.split("/")[3] not in roots or path[-3:] != ".j2"]
    assert wrong == []


def test_a_template_is_used_for_its_target(repository):
    used = re.compile(r"['\"]((?:etc|usr|opt|var|srv|lib)/[\w./-]+)\.j2['\"]")
    found = {
        (path.split("/")[1], target)
        for path in repository.files("roles/*/tasks/*.yml", "roles/*/vars/*.yml")
        for target in used.findall(repository.text(path))
    }
    existing = {
        (path.split("/")[1], path.split("/", 3)[3].removesuffix(".j2"))
        for path in repository.files("roles/*/templates/**/*.j2")
    }
    assert found == existing
    for role, target in sorted(found):
        text = "".join(repository.text(p) for p in repository.files(f"roles/{role}/tasks/*.yml"))
        folder, name = target.rsplit("/", 1)
        assert f"/{folder}" in text, f"role {role} writes nothing into /{folder}"
        assert name in text


def test_playbooks_repeat_no_path_of_a_role(repository):
    """With another path of a site, destroy would keep directories that it should delete."""
    files = repository.files("playbooks/*.yml")
    assert files
    assert [path for path in files if "/var/lib/kafka-metal" in repository.text(path)] == []
