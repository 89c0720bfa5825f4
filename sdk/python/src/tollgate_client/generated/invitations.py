# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class InvitationsAcceptInput(TypedDict):
    """Of invitations.accept: accept an invitation."""
    token: str
    """Secret of the link: the part after `#`. 1 to 64 characters."""
    name: str
    """Display name of the member. 1 to 128 characters."""
    password: str
    """Password, 12 to 256 characters. Passwords that are easy to guess are rejected, such as common
    passwords, repetitions, sequences and keyboard rows. The member's email address and the names of
    member, organization and product are rejected too. 12 to 256 characters.
    """
    email: NotRequired[str]
    """Email address of the first owner. Required with the link for the first owner. Omit for an
    invitation, which has its own address. At most 254 characters.
    """


class InvitationsShowInput(TypedDict):
    """Of invitations.show: show an invitation."""
    token: str
    """Secret of the link: the part after `#`. 1 to 64 characters."""


class InvitationsShowOutput(Document):
    """What invitations.show answers."""
    kind: Literal["invited", "first_owner"] | str
    """`invited`: a link from team.invite. `first_owner`: a link from the first start, or from `tollgate
    setup-link`.
    """
    organization: str
    """Name of the organization."""
    email: str | None
    """Email address of the invited member. Null if the first owner chooses the address."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role that the new member receives."""
    expires_at: str
    """When the link expires. ISO 8601."""


_INVITATIONS_ACCEPT = Route(
    id="invitations.accept",
    method="POST",
    path="/v1/invitations/accept",
    takes=InvitationsAcceptInput,
    body="json",
)


_INVITATIONS_SHOW = Route(
    id="invitations.show",
    method="POST",
    path="/v1/invitations/show",
    takes=InvitationsShowInput,
    body="json",
)


class Invitations:
    """Links that invite people to a team."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> InvitationsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return InvitationsWithRawResponse(Invitations(self._sender.raw()))

    def accept(self, *, options: CallOptions | None = None, **given: Unpack[InvitationsAcceptInput]) -> types.SignedIn:
        """Accept an invitation.

        Joins the organization with a link from team.invite, sets the member's password and signs the
        member in. Also accepts the link for the first owner that the server prints on first start. Each
        link works once.

        POST /v1/invitations/accept (an extension). Its inputs are those of InvitationsAcceptInput.

        Raises ApiError: link_invalid, address_in_use.
        """
        return self._sender.call(_INVITATIONS_ACCEPT, given, options, types.SignedIn)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[InvitationsShowInput]) -> InvitationsShowOutput:
        """Show an invitation.

        Returns the organization, address and role of a link that joins a team. Accepts links from
        team.invite and the link for the first owner. The link remains usable. Returns an error if it is
        used, expired or unknown.

        POST /v1/invitations/show (an extension). Its inputs are those of InvitationsShowInput.

        Raises ApiError: link_invalid.
        """
        return self._sender.call(_INVITATIONS_SHOW, given, options, InvitationsShowOutput)


class InvitationsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Invitations) -> None:
        self.accept = raw(methods.accept)
        self.show = raw(methods.show)


class AsyncInvitations:
    """Links that invite people to a team."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncInvitationsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncInvitationsWithRawResponse(AsyncInvitations(self._sender.raw()))

    async def accept(self, *, options: CallOptions | None = None, **given: Unpack[InvitationsAcceptInput]) -> types.SignedIn:
        """Accept an invitation.

        Joins the organization with a link from team.invite, sets the member's password and signs the
        member in. Also accepts the link for the first owner that the server prints on first start. Each
        link works once.

        POST /v1/invitations/accept (an extension). Its inputs are those of InvitationsAcceptInput.

        Raises ApiError: link_invalid, address_in_use.
        """
        return await self._sender.call(_INVITATIONS_ACCEPT, given, options, types.SignedIn)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[InvitationsShowInput]) -> InvitationsShowOutput:
        """Show an invitation.

        Returns the organization, address and role of a link that joins a team. Accepts links from
        team.invite and the link for the first owner. The link remains usable. Returns an error if it is
        used, expired or unknown.

        POST /v1/invitations/show (an extension). Its inputs are those of InvitationsShowInput.

        Raises ApiError: link_invalid.
        """
        return await self._sender.call(_INVITATIONS_SHOW, given, options, InvitationsShowOutput)


class AsyncInvitationsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncInvitations) -> None:
        self.accept = async_raw(methods.accept)
        self.show = async_raw(methods.show)
