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
    """Of invitations.accept: join the team by a link."""
    token: str
    """The part of the link behind `#`. 1 to 64 characters."""
    name: str
    """Name for people. 1 to 128 characters."""
    password: str
    """The password, 12 to 256 characters. Passwords that guessers try first are rejected: common
    passwords, repetitions, sequences, rows of keys, your e-mail address, and the names of the person,
    the organization or the product. 12 to 256 characters.
    """
    email: NotRequired[str]
    """E-mail address of the first owner; an invitation has its own. At most 254 characters."""


class InvitationsShowInput(TypedDict):
    """Of invitations.show: show what a link to join is for."""
    token: str
    """The part of the link behind `#`. 1 to 64 characters."""


class InvitationsShowOutput(Document):
    """What invitations.show answers."""
    kind: Literal["invited", "first_owner"] | str
    """`invited`: by team.invite; `first_owner`: by the first start, or `tollgate setup-link`."""
    organization: str
    """Name of the organization that is joined."""
    email: str | None
    """Address that was invited; None: the first owner chooses one."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """What who joins may do."""
    expires_at: str
    """When the link ends. ISO 8601."""


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
    """The links by which people join the team."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> InvitationsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return InvitationsWithRawResponse(Invitations(self._sender.raw()))

    def accept(self, *, options: CallOptions | None = None, **given: Unpack[InvitationsAcceptInput]) -> types.SignedIn:
        """Join the team by a link.

        Takes the link of team.invite, or the one that the first start prints for the first owner, once;
        chooses a password, and signs in.

        POST /v1/invitations/accept (an extension). Its inputs are those of InvitationsAcceptInput.

        Raises ApiError: link_invalid, address_in_use.
        """
        return self._sender.call(_INVITATIONS_ACCEPT, given, options, types.SignedIn)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[InvitationsShowInput]) -> InvitationsShowOutput:
        """Show what a link to join is for.

        Says whether the link of team.invite, or the one that the first start prints, still works, and to
        whom it opens what. The link is not used up by that.

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
    """The links by which people join the team."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncInvitationsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncInvitationsWithRawResponse(AsyncInvitations(self._sender.raw()))

    async def accept(self, *, options: CallOptions | None = None, **given: Unpack[InvitationsAcceptInput]) -> types.SignedIn:
        """Join the team by a link.

        Takes the link of team.invite, or the one that the first start prints for the first owner, once;
        chooses a password, and signs in.

        POST /v1/invitations/accept (an extension). Its inputs are those of InvitationsAcceptInput.

        Raises ApiError: link_invalid, address_in_use.
        """
        return await self._sender.call(_INVITATIONS_ACCEPT, given, options, types.SignedIn)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[InvitationsShowInput]) -> InvitationsShowOutput:
        """Show what a link to join is for.

        Says whether the link of team.invite, or the one that the first start prints, still works, and to
        whom it opens what. The link is not used up by that.

        POST /v1/invitations/show (an extension). Its inputs are those of InvitationsShowInput.

        Raises ApiError: link_invalid.
        """
        return await self._sender.call(_INVITATIONS_SHOW, given, options, InvitationsShowOutput)


class AsyncInvitationsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncInvitations) -> None:
        self.accept = async_raw(methods.accept)
        self.show = async_raw(methods.show)
