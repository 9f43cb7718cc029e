# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read and change the ACLs of a cluster in bulk."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, run_in_parallel
from .._kafka.client import PAUSE
from .._kafka.endpoints import ClusterError
from .acls import Acl, split_into_requests
from .client_base import ContentConnection, code_name, error_reason

# ``client.MISSING`` reports a missing library.
with suppress(ImportError):
    from kafka.protocol.admin import CreateAclsRequest, DeleteAclsRequest, DescribeAclsRequest

# Codes of Kafka's protocol.
RESOURCE_TYPES = {
    "topic": 2,
    "group": 3,
    "cluster": 4,
    "transactional_id": 5,
    "delegation_token": 6,
    "user": 7,
}
PATTERNS = {"literal": 3, "prefixed": 4}
PERMISSIONS = {"deny": 2, "allow": 3}
OPERATIONS = {
    "all": 2,
    "read": 3,
    "write": 4,
    "create": 5,
    "delete": 6,
    "alter": 7,
    "describe": 8,
    "cluster_action": 9,
    "describe_configs": 10,
    "alter_configs": 11,
    "idempotent_write": 12,
    "create_tokens": 13,
    "describe_tokens": 14,
}
ANY = 1
# First version of the ACL requests with the resource type "user", which filters return.
WITH_USERS = 3
NO_AUTHORIZER = 54


class AclConnection(ContentConnection):
    """A connection that reads and changes ACLs."""

    def read_acls(self, broker: int | None = None) -> set[Acl]:
        """Return all ACLs, read in one request; raises ClusterError."""

        def request() -> Any:
            return DescribeAclsRequest(
                min_version=WITH_USERS,
                resource_type_filter=ANY,
                resource_name_filter=None,
                pattern_type_filter=ANY,
                principal_filter=None,
                host_filter=None,
                operation=ANY,
                permission_type=ANY,
            )

        answer = self.send("reading ACLs", request, broker)
        if answer.error_code:
            message = error_reason(answer.error_code, answer.error_message)
            hint = (
                "; brokers have no authorizer: set authorizer.class.name"
                if answer.error_code == NO_AUTHORIZER
                else ""
            )
            raise ClusterError(f"reading ACLs: {message}{hint}")
        return {
            Acl(
                principal=entry.principal,
                resource_type=code_name(RESOURCE_TYPES, found.resource_type),
                resource=found.resource_name,
                operation=code_name(OPERATIONS, entry.operation),
                pattern=code_name(PATTERNS, found.pattern_type),
                permission=code_name(PERMISSIONS, entry.permission_type),
                host=entry.host,
            )
            for found in answer.resources
            for entry in found.acls
        }

    def create_acls(self, acls: Sequence[Acl]) -> dict[Acl, str]:
        """Create ACLs, wait until every broker enforces them; return the blockers by ACL."""

        def request(portion: Sequence[Acl]) -> Any:
            return CreateAclsRequest(
                min_version=WITH_USERS,
                creations=[
                    CreateAclsRequest.AclCreation(
                        resource_type=RESOURCE_TYPES[acl.resource_type],
                        resource_name=acl.resource,
                        resource_pattern_type=PATTERNS[acl.pattern],
                        principal=acl.principal,
                        host=acl.host,
                        operation=OPERATIONS[acl.operation],
                        permission_type=PERMISSIONS[acl.permission],
                    )
                    for acl in portion
                ],
            )

        blockers = self._send_each("creating ACLs", acls, request, "results")
        return blockers | self.wait_for_acls(set(acls) - blockers.keys(), present=True)

    def delete_acls(self, acls: Sequence[Acl]) -> dict[Acl, str]:
        """Delete ACLs, wait until no broker enforces them; return the blockers by ACL."""

        def request(portion: Sequence[Acl]) -> Any:
            return DeleteAclsRequest(
                min_version=WITH_USERS,
                filters=[
                    DeleteAclsRequest.DeleteAclsFilter(
                        resource_type_filter=RESOURCE_TYPES[acl.resource_type],
                        resource_name_filter=acl.resource,
                        pattern_type_filter=PATTERNS[acl.pattern],
                        principal_filter=acl.principal,
                        host_filter=acl.host,
                        operation=OPERATIONS[acl.operation],
                        permission_type=PERMISSIONS[acl.permission],
                    )
                    for acl in portion
                ],
            )

        blockers = self._send_each("deleting ACLs", acls, request, "filter_results")
        return blockers | self.wait_for_acls(set(acls) - blockers.keys(), present=False)

    def _send_each(
        self,
        what: str,
        acls: Sequence[Acl],
        request: Callable[[Sequence[Acl]], Any],
        results: str,
    ) -> dict[Acl, str]:
        """Send ACLs in portions; return the blockers.

        ``results`` is the attribute of the response that holds the result of each ACL.
        """
        blockers: dict[Acl, str] = {}
        for portion in split_into_requests(acls):
            self.deadline = Deadline(self.timeout)
            answer = self.send(what, partial(request, portion))
            for acl, result in zip(portion, getattr(answer, results)):
                if result.error_code:
                    blockers[acl] = error_reason(result.error_code, result.error_message)
        return blockers

    def wait_for_acls(self, acls: set[Acl], present: bool) -> dict[Acl, str]:
        """Wait until these ACLs are present, or absent, on every responding broker.

        Return the ACLs that timed out. A client may use any broker, so all of them are checked.
        """
        self.deadline = Deadline(self.timeout)
        while acls:
            answers = run_in_parallel(
                {broker: partial(self.read_acls, broker) for broker in self.known_brokers()},
                Deadline(min(self.request_timeout, self.deadline.left())),
            )
            views = [found for found in answers.values() if not isinstance(found, Exception)]
            late = {acl for acl in acls if any((acl in view) is not present for view in views)}
            if views and not late:
                break
            if self.deadline.passed():
                return dict.fromkeys(late or acls, f"not effective after {self.timeout:g} s")
            time.sleep(PAUSE)
        return {}
