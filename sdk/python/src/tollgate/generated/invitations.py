# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing_extensions import NotRequired, TypedDict, Unpack

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
    """The password, 12 to 256 characters. 12 to 256 characters."""
    email: NotRequired[str]
    """E-mail address of the first owner; an invitation has its own. At most 254 characters."""


_INVITATIONS_ACCEPT = Route(
    id="invitations.accept",
    method="POST",
    path="/v1/invitations/accept",
    takes=InvitationsAcceptInput,
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


class InvitationsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Invitations) -> None:
        self.accept = raw(methods.accept)


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


class AsyncInvitationsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncInvitations) -> None:
        self.accept = async_raw(methods.accept)
