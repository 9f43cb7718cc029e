"""What may know what: metadata modes, the internet, versions, paths on hosts."""

import fnmatch
import re

# Who owns ZooKeeper: another mode brings folders of its own beside these.
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

# Who else may name it, and why.
EXCEPTIONS = {
    "images/images.yml": "the catalogue lists every image",
    "images/licences.yml": "licences of jars, by the names of their files",
    "images/kafka/*": "a broker carries the client of either mode",
    "plugins/plugin_utils/_site/*": "what others know of it",
    "roles/*/meta/services/*": "who starts after it",
    "Makefile": "a command of its own, once after 0.1",
    "playbooks/site.yml": "imports the playbook that starts it",
    "playbooks/down.yml": "stops it",
    "playbooks/internal_resume.yml": "starts it first",
    "playbooks/restart.yml": "restarts it",
    "playbooks/reboot.yml": "stops and starts it with its machine",
    "playbooks/internal_status.yml": "asks it",
    "playbooks/verify.yml": "shows what is open in it",
    "playbooks/render.yml": "renders its containers",
    "playbooks/compose.yml": "hands keys to its containers",
    "playbooks/internal_phase.yml": "closes it before the brokers",
    "playbooks/internal_rotate.yml": "hands its files out",
    "scripts/cost-of-records": "brings a broker of its own",
    "plugins/module_utils/_host/operation_state.py": "names the verb that resumes its split",
}

# Names, not places: nothing is fetched from them.
NAMESPACES = ("http://maven.apache.org/POM/", "http://www.w3.org/", "http://maven.apache.org/xsd/")
# A host that is there without the internet, or comes from a variable.
LOCAL = re.compile(r"https?://(\{|\$|%|<|\"|'|\[::1\]|127\.|0\.0\.0\.0|localhost\b|[a-z-]+(:|/|$))")
URL = re.compile(r"[a-z]+://[^\s'\"`)>]+")

SOURCES = ("roles/**/*", "plugins/**/*", "images/**/*", "playbooks/**/*")
PACKAGES = (
    "client/src/**/*",
    "declarations/src/**/*",
    "reconciliation/src/**/*",
    "spark/src/**/*",
)


def test_only_its_owners_know_zookeeper(repository):
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


def test_every_exception_is_still_needed(repository):
    unused = [
        pattern
        for pattern in EXCEPTIONS
        if not any("zookeeper" in repository.text(p).lower() for p in repository.files(pattern))
    ]
    assert unused == []


def test_nothing_is_fetched_from_a_named_host(repository):
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


def test_recipes_take_every_version_from_versions_yml(repository):
    images, versions = repository.yaml("images/images.yml"), repository.yaml("versions.yml")
    literal = re.compile(r"(?<![\w.])\d+\.\d+(\.\d+)*(?![\w.])")
    wrong = []
    recipes = repository.files("images/*/Dockerfile")
    assert {path.split("/")[1] for path in recipes} == {
        image.get("recipe", name) for name, image in images.items()
    }
    for name, image in images.items():
        path = f"images/{image.get('recipe', name)}/Dockerfile"
        given = {key.upper() for key in image.get("uses", ())} | {"BASE_IMAGE"}
        # Only scripts/record-checksums gives it.
        given |= {"RECORD_CHECKSUMS"}
        given |= {"PACKAGES"} if "packages" in image else set()
        given |= {f"{parent.upper()}_IMAGE" for parent in image.get("parents", ())}
        stages = set()
        for line in repository.lines(path):
            words = line.split()
            if not words or line.lstrip().startswith("#"):
                continue
            wrong += [f"{path}: literal version {m[0]}" for m in literal.finditer(line)]
            if words[0] == "ARG" and words[1].split("=")[0] not in given:
                wrong.append(f"{path}: {line}: not among its uses and parents")
            if words[0] == "FROM":
                if not words[1].startswith("${") and words[1] not in stages:
                    wrong.append(f"{path}: {line}: a base that is no build argument")
                stages |= {words[3]} if len(words) > 3 else set()
        unknown = set(image.get("uses", ())) - versions.keys()
        wrong += [f"images.yml: {name} uses {key}, no key of versions.yml" for key in unknown]
    assert wrong == []


def test_poms_take_every_version_as_a_property(repository):
    # The first version is the recipe's own, which nobody reads.
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


def test_templates_lie_where_their_files_land(repository):
    files = repository.files("roles/*/templates/**/*")
    assert files
    roots = {"etc", "usr", "opt", "var", "srv", "lib"}
    wrong = [path for path in files if path.split("/")[3] not in roots or path[-3:] != ".j2"]
    assert wrong == []


def test_a_template_is_used_for_the_file_it_is_named_after(repository):
    used = re.compile(r"['\"]((?:etc|usr|opt|var|srv|lib)/[\w./-]+)\.j2['\"]")
    found = {
        (path.split("/")[1], target)
        for path in repository.files("roles/*/tasks/*.yml", "roles/*/vars/*.yml")
        for target in used.findall(repository.text(path))
    }
    there = {
        (path.split("/")[1], path.split("/", 3)[3].removesuffix(".j2"))
        for path in repository.files("roles/*/templates/**/*.j2")
    }
    assert found == there
    for role, target in sorted(found):
        text = "".join(repository.text(p) for p in repository.files(f"roles/{role}/tasks/*.yml"))
        folder, name = target.rsplit("/", 1)
        assert f"/{folder}" in text, f"role {role} puts nothing into /{folder}"
        assert name in text


def test_playbooks_repeat_no_path_of_a_role(repository):
    """A site that has another one would keep what destroy should delete."""
    files = repository.files("playbooks/*.yml")
    assert files
    assert [path for path in files if "/var/lib/kafka-metal" in repository.text(path)] == []
