#!/usr/bin/python
# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
module: image_contents
author: The kafka-metal authors (!UNKNOWN)
short_description: Components of images, with versions and licences
description:
  - Lists the distribution's packages, jars, Python packages and the Java runtime of each image,
    from the file system of a container that is never started and then removed.
  - Needs only the engine's command, C(docker), and Python.
options:
  images:
    description: References of images on this host.
    type: list
    elements: str
    required: true
attributes:
  check_mode:
    description: Reads only.
    support: full
  diff_mode:
    description: Nothing changes.
    support: none
"""

EXAMPLES = r"""
- name: List the components of the brokers' image
  metal.kafka.image_contents:
    images: ["{{ lookup('metal.kafka.image', 'kafka') }}"]
  register: contents
"""

RETURN = r"""
contents:
  description:
    - By reference, C(id) of the image and C(components). Each has C(kind) (deb, jar, python, java),
      C(licences) from its own metadata, and by its kind C(name), C(version), C(architecture),
      C(distribution), C(file), C(sha256), C(poms) (group, artifact, version of each in a jar).
    - Images that are not on this host are omitted.
  type: dict
  returned: success
"""

import subprocess
from typing import IO, Any, cast

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._containers.image_contents import components

LABEL = "kafka-metal.contents"


def read(module: AnsibleModule, image: str) -> dict[str, Any] | None:
    """Return id and components of an image; None if the engine does not have it."""
    code, number, _ = module.run_command(["docker", "image", "inspect", "--format={{.Id}}", image])
    if code:
        return None
    # docker create needs a command if the image has none.
    create = ["docker", "create", f"--label={LABEL}", "--network=none", image, "true"]
    container = module.run_command(create, check_rc=True)[1].strip()
    try:
        with subprocess.Popen(["docker", "export", container], stdout=subprocess.PIPE) as export:
            found = components(cast(IO[bytes], export.stdout))  # a pipe, see Popen's arguments
    finally:
        module.run_command(["docker", "rm", container], check_rc=True)
    return {"id": number.strip(), "components": found}


def main() -> None:
    module = AnsibleModule(
        argument_spec={"images": {"type": "list", "elements": "str", "required": True}},
        supports_check_mode=True,
    )
    module.get_bin_path("docker", required=True)
    contents = {}
    for image in module.params["images"]:
        try:
            found = read(module, image)
        except ValueError as error:
            module.fail_json(msg=f"{image}: {error}; run the command again")
        if found:
            contents[image] = found
    module.exit_json(changed=False, contents=contents)


if __name__ == "__main__":
    main()
