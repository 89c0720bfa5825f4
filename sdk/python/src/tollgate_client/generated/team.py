# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import types


class TeamListInput(TypedDict):
    """Of team.list: list the team."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


class TeamListOutput(Document):
    """What team.list answers."""
    data: list[types.ListedMember]
    next_cursor: str | None


class TeamListPage(TeamListOutput, Page[types.ListedMember]):
    """A page of team.list."""


class AsyncTeamListPage(TeamListOutput, AsyncPage[types.ListedMember]):
    """A page of team.list."""


class TeamInviteInput(TypedDict):
    """Of team.invite: invite a team member."""
    email: str
    """Email address to invite. At most 254 characters."""
    role: NotRequired[Literal["viewer", "developer", "admin", "owner"]]
    """Role of the member. Required on creation. Omit to keep the current value."""


class TeamInviteOutput(Document):
    """What team.invite answers."""
    id: str
    """ID of the member, `mem_…`."""
    email: str
    """Email address, in lower case."""
    name: str | None
    """Display name. Null until the member joins."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the member."""
    has_password: bool
    """Whether the member has a password. False if the member signs in only with the identity provider,
    or has not joined.
    """
    invited_at: str
    """When the member was first invited. ISO 8601."""
    joined_at: str | None
    """When the member joined. Null if the invitation is still open. ISO 8601."""
    invite_expires_at: str | None
    """When the open invitation expires or expired. Null if no invitation is open. ISO 8601."""
    invite_url: str | None
    """Invitation link, returned once. Null if it was sent by mail."""


class TeamRoleInput(TypedDict):
    """Of team.role: change a member's role."""
    email: str
    """Email address of the member. Case is ignored. At most 254 characters."""
    role: Literal["viewer", "developer", "admin", "owner"]
    """New role of the member."""
    revoke_tokens: NotRequired[bool]
    """Whether to revoke the tokens that are otherwise returned in `valid_tokens`."""


class TeamRmInput(TypedDict):
    """Of team.rm: remove a member."""
    email: str
    """Email address of the member. Case is ignored. At most 254 characters."""
    revoke_tokens: NotRequired[bool]
    """Whether to revoke the tokens that are otherwise returned in `valid_tokens`."""


_TEAM_LIST = Route(
    id="team.list",
    method="GET",
    path="/v1/team",
    takes=TeamListInput,
    query=("limit", "cursor",),
)


_TEAM_INVITE = Route(
    id="team.invite",
    method="PUT",
    path="/v1/team/{email}",
    takes=TeamInviteInput,
    body="json",
    is_keyed=True,
)


_TEAM_ROLE = Route(
    id="team.role",
    method="PATCH",
    path="/v1/team/{email}",
    takes=TeamRoleInput,
    body="json",
    is_keyed=True,
)


_TEAM_RM = Route(
    id="team.rm",
    method="DELETE",
    path="/v1/team/{email}",
    takes=TeamRmInput,
    query=("revokeTokens",),
)


class Team:
    """Members of the organization and their roles."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> TeamWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return TeamWithRawResponse(Team(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[TeamListInput]) -> TeamListPage:
        """List the team.

        Returns members and open invitations (`joined_at` is None), newest first. Removed members are
        omitted.

        GET /v1/team. Its inputs are those of TeamListInput.
        """
        return self._sender.page(_TEAM_LIST, given, options, TeamListPage)

    def invite(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamInviteInput]) -> TeamInviteOutput:
        """Invite a team member.

        Creates an invitation link, which works once and expires after 7 days. Repeating the invitation
        creates a new link and revokes the previous one. Inviting an owner requires the owner role. If
        the server sends mail, the link is sent by mail and not returned; otherwise it is returned once.

        PUT /v1/team/{email}. Its inputs are those of TeamInviteInput.

        Raises ApiError: already_member, mail_failed.
        """
        return self._sender.call(_TEAM_INVITE, given, options, TeamInviteOutput)

    def role(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamRoleInput]) -> types.ChangedMember:
        """Change a member's role.

        Changes the role of a member, starting with the next request. Adding or changing an owner
        requires the owner role. The last owner cannot be changed. If the new role is lower:
        - The member's sessions end, and device tokens with a higher role are revoked immediately.
        - Tokens with a higher role that the member created for the organization remain valid and are
        returned in `valid_tokens`, unless `revoke_tokens` is true.

        PATCH /v1/team/{email}. Its inputs are those of TeamRoleInput.

        Raises ApiError: not_found, last_owner.
        """
        return self._sender.call(_TEAM_ROLE, given, options, types.ChangedMember)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamRmInput]) -> types.ChangedMember:
        """Remove a member.

        Removes a member, or revokes an open invitation. Removing an owner requires the owner role. The
        last owner cannot be removed.

        - The member's sessions end, and the tokens of the member's devices are revoked immediately.
        - Tokens that the member created for the organization remain valid and are returned in
        `valid_tokens`, unless `revoke_tokens` is true.

        DELETE /v1/team/{email}. Its inputs are those of TeamRmInput.

        Raises ApiError: not_found, last_owner.
        """
        return self._sender.call(_TEAM_RM, given, options, types.ChangedMember)


class TeamWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Team) -> None:
        self.list = raw(methods.list)
        self.invite = raw(methods.invite)
        self.role = raw(methods.role)
        self.rm = raw(methods.rm)


class AsyncTeam:
    """Members of the organization and their roles."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncTeamWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncTeamWithRawResponse(AsyncTeam(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[TeamListInput]) -> AsyncPageCall[types.ListedMember, AsyncTeamListPage]:
        """List the team.

        Returns members and open invitations (`joined_at` is None), newest first. Removed members are
        omitted.

        GET /v1/team. Its inputs are those of TeamListInput.
        """
        return self._sender.page(_TEAM_LIST, given, options, AsyncTeamListPage)

    async def invite(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamInviteInput]) -> TeamInviteOutput:
        """Invite a team member.

        Creates an invitation link, which works once and expires after 7 days. Repeating the invitation
        creates a new link and revokes the previous one. Inviting an owner requires the owner role. If
        the server sends mail, the link is sent by mail and not returned; otherwise it is returned once.

        PUT /v1/team/{email}. Its inputs are those of TeamInviteInput.

        Raises ApiError: already_member, mail_failed.
        """
        return await self._sender.call(_TEAM_INVITE, given, options, TeamInviteOutput)

    async def role(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamRoleInput]) -> types.ChangedMember:
        """Change a member's role.

        Changes the role of a member, starting with the next request. Adding or changing an owner
        requires the owner role. The last owner cannot be changed. If the new role is lower:
        - The member's sessions end, and device tokens with a higher role are revoked immediately.
        - Tokens with a higher role that the member created for the organization remain valid and are
        returned in `valid_tokens`, unless `revoke_tokens` is true.

        PATCH /v1/team/{email}. Its inputs are those of TeamRoleInput.

        Raises ApiError: not_found, last_owner.
        """
        return await self._sender.call(_TEAM_ROLE, given, options, types.ChangedMember)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamRmInput]) -> types.ChangedMember:
        """Remove a member.

        Removes a member, or revokes an open invitation. Removing an owner requires the owner role. The
        last owner cannot be removed.

        - The member's sessions end, and the tokens of the member's devices are revoked immediately.
        - Tokens that the member created for the organization remain valid and are returned in
        `valid_tokens`, unless `revoke_tokens` is true.

        DELETE /v1/team/{email}. Its inputs are those of TeamRmInput.

        Raises ApiError: not_found, last_owner.
        """
        return await self._sender.call(_TEAM_RM, given, options, types.ChangedMember)


class AsyncTeamWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncTeam) -> None:
        self.list = async_raw(methods.list)
        self.invite = async_raw(methods.invite)
        self.role = async_raw(methods.role)
        self.rm = async_raw(methods.rm)
