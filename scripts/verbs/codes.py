"""Exit codes of verbs, by scripts/verb and ansible-playbook; a page of the reference."""

from enum import IntEnum


class Code(IntEnum):
    """Ansible itself exits with 2 and 4; 2 is also the code of a screen with problems."""

    WELL = 0
    # Only of `scripts/verb plan`, whose 2 means changes.
    PLAN_FAILED = 1
    NOT_WELL = 2
    UNREACHABLE = 4


MEANING = {
    Code.WELL: "success: no problem, or nothing to do",
    Code.PLAN_FAILED: "`scripts/verb plan` only: any failure; 2 means changes with `STRICT=1`",
    Code.NOT_WELL: "a problem, which the screen names, or a failed task, which is in the output",
    Code.UNREACHABLE: "hosts were unreachable; the screen is about the others",
}
