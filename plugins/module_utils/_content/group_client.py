# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read and change consumer groups and their offsets in bulk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._kafka.endpoints import ClusterError
from .._kafka.snapshot import NO_BROKER
from .client_base import ContentConnection
from .group_model import Bounds, Commit, Group, Key, Member

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.admin import OffsetSpec
    from kafka.structs import OffsetAndMetadata, TopicPartition

GONE = ("Dead",)
DONE = ("OK", "GroupIdNotFoundError")


class GroupConnection(ContentConnection):
    """A connection that reads groups, sets their offsets and deletes them."""

    def read_groups(self, names: Sequence[str] | None) -> dict[str, Group]:
        """Return the existing groups of ``names``, or all; a few requests per broker."""
        listed = self.call("listing consumer groups", self.admin.list_groups)
        known = [group["group_id"] for group in listed]
        wanted = [name for name in known if names is None or name in set(names)]
        if not wanted:
            return {}
        described = self.call("reading members of groups", self.admin.describe_groups, wanted)
        offsets = self.call(
            "reading offsets of groups", self.admin.list_group_offsets, list(wanted)
        )
        return {
            name: Group(
                name,
                str(found.get("group_state", "")),
                tuple(parse_member(each) for each in found.get("members") or ()),
                {
                    (at.topic, at.partition): committed.offset
                    for at, committed in offsets.get(name, {}).items()
                    if committed.offset >= 0
                },
            )
            for name, found in described.items()
            if not found.get("error") and found.get("group_state") not in GONE
        }

    def read_partitions(self, topics: Iterable[str]) -> dict[str, int]:
        """Return the partition counts of the existing topics, read in one request."""
        wanted = set(topics)
        if not wanted:
            return {}
        return {
            found["name"]: len(found["partitions"])
            for found in self.describe_topics()
            if found["name"] in wanted
        }

    def read_bounds(self, keys: Iterable[Key], times: Mapping[Key, int]) -> Bounds:
        """Return offsets of partitions that have a leader; three requests per leader."""
        led = {
            (topic["name"], part["partition_index"])
            for topic in self.describe_topics()
            for part in topic["partitions"]
            if part["leader_id"] != NO_BROKER
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
        """Return the offset of each partition for its offset spec."""
        if not specs:
            return {}
        wanted = {TopicPartition(*key): spec for key, spec in specs.items()}
        found = self.call(
            "reading offsets of partitions", self.admin.list_partition_offsets, wanted
        )
        return {(at.topic, at.partition): int(each.offset) for at, each in found.items()}

    def commit(self, steps: Sequence[Commit]) -> dict[str, str]:
        """Set offsets, one request per group; return the blockers by group."""
        blockers = {}
        for step in steps:
            wanted = {
                TopicPartition(*key): OffsetAndMetadata(offset, "", None)
                for key, offset in step.after.items()
            }
            try:
                results = self.call(
                    f"setting offsets of group {step.group}",
                    self.admin.alter_group_offsets,
                    step.group,
                    wanted,
                )
            except ClusterError as error:
                blockers[step.group] = str(error)
                continue
            errors = sorted({error.__name__ for error in results.values() if error.errno})
            if errors:
                blockers[step.group] = ", ".join(errors)
        return blockers

    def delete_groups(self, names: Sequence[str]) -> dict[str, str]:
        """Delete groups, one request per coordinator; return the blockers by group."""
        results = self.call("deleting groups", self.admin.delete_groups, list(names))
        return {name: result for name, result in results.items() if result not in DONE}


def parse_member(found: Mapping[str, Any]) -> Member:
    """Return a member as Kafka describes it, without the slash before its address."""
    return Member(str(found.get("client_id", "")), str(found.get("client_host", "")).lstrip("/"))
