"""Exit codes of verbs, by scripts/verb and ansible-playbook; a page of the reference."""

from enum import IntEnum


class Code(IntEnum):
    """Ansible itself exits with 2 and 4; 2 is also the code of a screen with problems."""

    WELL = 0
    # Of `plan`, whose 2 means changes, and of verbs that send records.
    FAILED = 1
    NOT_WELL = 2
    UNREACHABLE = 4


MEANING = {
    Code.WELL: "success: no problem, or nothing to do",
    Code.FAILED: (
        "`scripts/verb plan`: any failure, because 2 means changes with `STRICT=1`; "
        "`scripts/verb produce` and `replay`: records were not acknowledged"
    ),
    Code.NOT_WELL: "a problem, which the screen names, or a failed task, which is in the output",
    Code.UNREACHABLE: "hosts were unreachable: the screen is about the others; `status` has 2",
}
