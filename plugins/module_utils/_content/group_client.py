# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Consumer groups of a cluster, read in bulk, and their offsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._kafka.endpoints import ClusterError
from .._kafka.snapshot import NOBODY
from .client_base import ContentConnection
from .group_model import Bounds, Commit, Group, Key, Member

# ``client`` says that the library is missing.
with suppress(ImportError):
    from kafka.admin import OffsetSpec
    from kafka.structs import OffsetAndMetadata, TopicPartition

GONE = ("Dead",)
DONE = ("OK", "GroupIdNotFoundError")


class GroupConnection(ContentConnection):
    """A connection that reads groups, sets their offsets and deletes them."""

    def read_groups(self, names: Sequence[str] | None) -> dict[str, Group]:
        """Those of the groups that exist, or all: a few requests for each broker."""
        listed = self.ask("consumer groups", self.admin.list_groups)
        known = [group["group_id"] for group in listed]
        wanted = [name for name in known if names is None or name in set(names)]
        if not wanted:
            return {}
        described = self.ask("description of groups", self.admin.describe_groups, wanted)
        offsets = self.ask("offsets of groups", self.admin.list_group_offsets, list(wanted))
        return {
            name: Group(
                name,
                str(found.get("group_state", "")),
                tuple(member_of(each) for each in found.get("members") or ()),
                {
                    (at.topic, at.partition): said.offset
                    for at, said in offsets.get(name, {}).items()
                    if said.offset >= 0
                },
            )
            for name, found in described.items()
            if not found.get("error") and found.get("group_state") not in GONE
        }

    def read_partitions(self, topics: Iterable[str]) -> dict[str, int]:
        """Numbers of partitions of those topics that exist, in one request."""
        wanted = set(topics)
        if not wanted:
            return {}
        return {
            found["name"]: len(found["partitions"])
            for found in self.describe_topics()
            if found["name"] in wanted
        }

    def read_bounds(self, keys: Iterable[Key], times: Mapping[Key, int]) -> Bounds:
        """Offsets of partitions that have a leader, in three requests for each leader."""
        led = {
            (topic["name"], part["partition_index"])
            for topic in self.describe_topics()
            for part in topic["partitions"]
            if part["leader_id"] != NOBODY
        }
        places = [key for key in dict.fromkeys(keys) if key in led]
        if not places:
            return Bounds({}, {})
        starts = self.offsets_at(dict.fromkeys(places, OffsetSpec.EARLIEST))
        ends = self.offsets_at(dict.fromkeys(places, OffsetSpec.LATEST))
        moments = {key: moment for key, moment in times.items() if key in led}
        found = self.offsets_at(moments)
        return Bounds(starts, ends, {(key, moments[key]): at for key, at in found.items()})

    def offsets_at(self, specs: Mapping[Key, Any]) -> dict[Key, int]:
        """Offsets of partitions by what is asked for each."""
        if not specs:
            return {}
        wanted = {TopicPartition(*key): spec for key, spec in specs.items()}
        found = self.ask("offsets of partitions", self.admin.list_partition_offsets, wanted)
        return {(at.topic, at.partition): int(said.offset) for at, said in found.items()}

    def commit(self, steps: Sequence[Commit]) -> dict[str, str]:
        """Set offsets, in one request for each group; blockers by group."""
        blockers = {}
        for step in steps:
            wanted = {
                TopicPartition(*key): OffsetAndMetadata(offset, "", None)
                for key, offset in step.after.items()
            }
            try:
                said = self.ask(
                    f"offsets of group {step.group}",
                    self.admin.alter_group_offsets,
                    step.group,
                    wanted,
                )
            except ClusterError as error:
                blockers[step.group] = str(error)
                continue
            wrong = sorted({error.__name__ for error in said.values() if error.errno})
            if wrong:
                blockers[step.group] = ", ".join(wrong)
        return blockers

    def delete_groups(self, names: Sequence[str]) -> dict[str, str]:
        """Delete groups, in one request for each coordinator; blockers by group."""
        said = self.ask("deletion of groups", self.admin.delete_groups, list(names))
        return {name: word for name, word in said.items() if word not in DONE}


def member_of(found: Mapping[str, Any]) -> Member:
    """A member as Kafka describes it; its address comes with a slash."""
    return Member(str(found.get("client_id", "")), str(found.get("client_host", "")).lstrip("/"))
