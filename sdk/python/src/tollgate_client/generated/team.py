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
    """`next_cursor` of the page before. At most 1200 characters."""


class TeamListOutput(Document):
    """What team.list answers."""
    data: list[types.ListedMember]
    next_cursor: str | None


class TeamListPage(TeamListOutput, Page[types.ListedMember]):
    """A page of team.list."""


class AsyncTeamListPage(TeamListOutput, AsyncPage[types.ListedMember]):
    """A page of team.list."""


class TeamInviteInput(TypedDict):
    """Of team.invite: invite a person to the team."""
    email: str
    """E-mail address of the person. At most 254 characters."""
    role: NotRequired[Literal["viewer", "developer", "admin", "owner"]]
    """Role of the person on the team. Required on creation; omit to keep the current value."""


class TeamInviteOutput(Document):
    """What team.invite answers."""
    id: str
    """Id of the member, `mem_…`."""
    email: str
    """E-mail address, in lower case."""
    name: str | None
    """Name for people; None until they have joined."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """What the member may do."""
    has_password: bool
    """False: the member signs in by the identity provider only, or has not joined."""
    invited_at: str
    """When the member was first invited. ISO 8601."""
    joined_at: str | None
    """When the invitation was accepted; None: it is still open. ISO 8601."""
    invite_expires_at: str | None
    """When the open invitation expires, or did; None: none is open. ISO 8601."""
    invite_url: str | None
    """The link, shown once; None: it was sent by mail."""


class TeamRoleInput(TypedDict):
    """Of team.role: change the role of a member."""
    email: str
    """E-mail address of the member, in upper or lower case. At most 254 characters."""
    role: Literal["viewer", "developer", "admin", "owner"]
    """New role of the member."""
    revoke_tokens: NotRequired[bool]
    """Whether to revoke the tokens that are otherwise returned in `valid_tokens`."""


class TeamRmInput(TypedDict):
    """Of team.rm: remove a member."""
    email: str
    """E-mail address of the member, in upper or lower case. At most 254 characters."""
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
    """The people of the organization, and what they may do."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> TeamWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return TeamWithRawResponse(Team(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[TeamListInput]) -> TeamListPage:
        """List the team.

        Members, and who is invited to be one (`joined_at` is None). Newest first; removed ones are left
        out.

        GET /v1/team. Its inputs are those of TeamListInput.
        """
        return self._sender.page(_TEAM_LIST, given, options, TeamListPage)

    def invite(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamInviteInput]) -> TeamInviteOutput:
        """Invite a person to the team.

        Creates a link with which the person joins the team, once and within 7 days. Inviting the person
        again creates a new link and revokes the previous one. Inviting an owner requires the owner role.
        If the server sends mail, the link is sent to the person and not returned; otherwise it is
        returned once.

        PUT /v1/team/{email}. Its inputs are those of TeamInviteInput.

        Raises ApiError: already_member, mail_failed.
        """
        return self._sender.call(_TEAM_INVITE, given, options, TeamInviteOutput)

    def role(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamRoleInput]) -> types.ChangedMember:
        """Change the role of a member.

        Changes what a member may do, starting with the next request. If the role is lower, the member’s
        sessions end and the tokens of their devices with a higher role are revoked immediately. Tokens
        with a higher role that the member created for the organization remain valid and are returned in
        `valid_tokens`, unless `revoke_tokens` is true. Making or changing an owner requires the owner
        role, and the last owner keeps the role.

        PATCH /v1/team/{email}. Its inputs are those of TeamRoleInput.

        Raises ApiError: not_found, last_owner.
        """
        return self._sender.call(_TEAM_ROLE, given, options, types.ChangedMember)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamRmInput]) -> types.ChangedMember:
        """Remove a member.

        Removes a member, or revokes an open invitation. The member’s sessions end and the tokens of
        their devices are revoked immediately. Tokens that the member created for the organization remain
        valid and are returned in `valid_tokens`, unless `revoke_tokens` is true. Removing an owner
        requires the owner role, and the last owner cannot be removed.

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
    """The people of the organization, and what they may do."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncTeamWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncTeamWithRawResponse(AsyncTeam(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[TeamListInput]) -> AsyncPageCall[types.ListedMember, AsyncTeamListPage]:
        """List the team.

        Members, and who is invited to be one (`joined_at` is None). Newest first; removed ones are left
        out.

        GET /v1/team. Its inputs are those of TeamListInput.
        """
        return self._sender.page(_TEAM_LIST, given, options, AsyncTeamListPage)

    async def invite(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamInviteInput]) -> TeamInviteOutput:
        """Invite a person to the team.

        Creates a link with which the person joins the team, once and within 7 days. Inviting the person
        again creates a new link and revokes the previous one. Inviting an owner requires the owner role.
        If the server sends mail, the link is sent to the person and not returned; otherwise it is
        returned once.

        PUT /v1/team/{email}. Its inputs are those of TeamInviteInput.

        Raises ApiError: already_member, mail_failed.
        """
        return await self._sender.call(_TEAM_INVITE, given, options, TeamInviteOutput)

    async def role(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamRoleInput]) -> types.ChangedMember:
        """Change the role of a member.

        Changes what a member may do, starting with the next request. If the role is lower, the member’s
        sessions end and the tokens of their devices with a higher role are revoked immediately. Tokens
        with a higher role that the member created for the organization remain valid and are returned in
        `valid_tokens`, unless `revoke_tokens` is true. Making or changing an owner requires the owner
        role, and the last owner keeps the role.

        PATCH /v1/team/{email}. Its inputs are those of TeamRoleInput.

        Raises ApiError: not_found, last_owner.
        """
        return await self._sender.call(_TEAM_ROLE, given, options, types.ChangedMember)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[TeamRmInput]) -> types.ChangedMember:
        """Remove a member.

        Removes a member, or revokes an open invitation. The member’s sessions end and the tokens of
        their devices are revoked immediately. Tokens that the member created for the organization remain
        valid and are returned in `valid_tokens`, unless `revoke_tokens` is true. Removing an owner
        requires the owner role, and the last owner cannot be removed.

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
