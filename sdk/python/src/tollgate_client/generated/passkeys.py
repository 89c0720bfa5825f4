# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import params, types


class PasskeysListInput(TypedDict):
    """Of passkeys.list: list passkeys."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    email: NotRequired[str]
    """Email address of the member. Defaults to the signed-in member. Required with a token. At most 254
    characters.
    """


class PasskeysListOutput(Document):
    """What passkeys.list answers."""
    data: list[types.Passkey]
    next_cursor: str | None


class PasskeysListPage(PasskeysListOutput, Page[types.Passkey]):
    """A page of passkeys.list."""


class AsyncPasskeysListPage(PasskeysListOutput, AsyncPage[types.Passkey]):
    """A page of passkeys.list."""


class PasskeysAddInput(TypedDict):
    """Of passkeys.add: register a passkey."""
    name: str
    """Display name of the passkey. 1 to 64 characters."""
    credential: params.NewCredentialParam


class PasskeysRenameInput(TypedDict):
    """Of passkeys.rename: rename a passkey."""
    id: str
    """ID of the passkey, `psk_…`. 1 to 64 characters."""
    name: str
    """Display name of the passkey. 1 to 64 characters."""


class PasskeysRmInput(TypedDict):
    """Of passkeys.rm: remove a passkey."""
    id: str
    """ID of the passkey, `psk_…`. 1 to 64 characters."""


_PASSKEYS_LIST = Route(
    id="passkeys.list",
    method="GET",
    path="/v1/passkeys",
    takes=PasskeysListInput,
    query=("limit", "cursor", "email",),
)


_PASSKEYS_ADD = Route(
    id="passkeys.add",
    method="POST",
    path="/v1/passkeys",
    takes=PasskeysAddInput,
    body="json",
    is_keyed=True,
)


_PASSKEYS_START = Route(
    id="passkeys.start",
    method="POST",
    path="/v1/passkeys/challenge",
    is_keyed=True,
)


_PASSKEYS_RENAME = Route(
    id="passkeys.rename",
    method="PATCH",
    path="/v1/passkeys/{id}",
    takes=PasskeysRenameInput,
    body="json",
    is_keyed=True,
)


_PASSKEYS_RM = Route(
    id="passkeys.rm",
    method="DELETE",
    path="/v1/passkeys/{id}",
    takes=PasskeysRmInput,
)


class Passkeys:
    """Passkeys that members sign in with."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> PasskeysWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return PasskeysWithRawResponse(Passkeys(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[PasskeysListInput]) -> PasskeysListPage:
        """List passkeys.

        Returns the passkeys of a member, newest first. Reading another member's passkeys requires the
        admin role.

        GET /v1/passkeys (an extension). Its inputs are those of PasskeysListInput.

        Raises ApiError: not_found, role_required.
        """
        return self._sender.page(_PASSKEYS_LIST, given, options, PasskeysListPage)

    def add(self, *, options: CallOptions | None = None, **given: Unpack[PasskeysAddInput]) -> types.Passkey:
        """Register a passkey.

        Registers a passkey for the signed-in member, with the authenticator's response to the challenge
        of passkeys.start. The member then signs in with the passkey. The password alone is no longer
        accepted.

        POST /v1/passkeys (an extension). Its inputs are those of PasskeysAddInput.

        Raises ApiError: passkey_rejected, too_many_passkeys.
        """
        return self._sender.call(_PASSKEYS_ADD, given, options, types.Passkey)

    def start(self, *, options: CallOptions | None = None) -> types.PasskeyChallenge:
        """Start registering a passkey.

        Creates a challenge for a new passkey of the signed-in member. A browser passes the challenge to
        an authenticator and sends the response to passkeys.add.

        POST /v1/passkeys/challenge (an extension).
        """
        return self._sender.call(_PASSKEYS_START, {}, options, types.PasskeyChallenge)

    def rename(self, *, options: ConditionalOptions | None = None, **given: Unpack[PasskeysRenameInput]) -> types.Passkey:
        """Rename a passkey.

        Changes the name of a passkey. Members can rename their own passkeys. Renaming another member's
        passkey requires the owner role.

        PATCH /v1/passkeys/{id} (an extension). Its inputs are those of PasskeysRenameInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PASSKEYS_RENAME, given, options, types.Passkey)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[PasskeysRmInput]) -> types.Passkey:
        """Remove a passkey.

        Removes a passkey, so that it can no longer sign in. Open sessions continue. Members can remove
        their own passkeys.

        - Removing another member's passkey requires the owner role.
        - A member without passkeys signs in with the password. If the organization requires passkeys,
        the member must register a new one.

        DELETE /v1/passkeys/{id} (an extension). Its inputs are those of PasskeysRmInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PASSKEYS_RM, given, options, types.Passkey)


class PasskeysWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Passkeys) -> None:
        self.list = raw(methods.list)
        self.add = raw(methods.add)
        self.start = raw(methods.start)
        self.rename = raw(methods.rename)
        self.rm = raw(methods.rm)


class AsyncPasskeys:
    """Passkeys that members sign in with."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncPasskeysWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncPasskeysWithRawResponse(AsyncPasskeys(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[PasskeysListInput]) -> AsyncPageCall[types.Passkey, AsyncPasskeysListPage]:
        """List passkeys.

        Returns the passkeys of a member, newest first. Reading another member's passkeys requires the
        admin role.

        GET /v1/passkeys (an extension). Its inputs are those of PasskeysListInput.

        Raises ApiError: not_found, role_required.
        """
        return self._sender.page(_PASSKEYS_LIST, given, options, AsyncPasskeysListPage)

    async def add(self, *, options: CallOptions | None = None, **given: Unpack[PasskeysAddInput]) -> types.Passkey:
        """Register a passkey.

        Registers a passkey for the signed-in member, with the authenticator's response to the challenge
        of passkeys.start. The member then signs in with the passkey. The password alone is no longer
        accepted.

        POST /v1/passkeys (an extension). Its inputs are those of PasskeysAddInput.

        Raises ApiError: passkey_rejected, too_many_passkeys.
        """
        return await self._sender.call(_PASSKEYS_ADD, given, options, types.Passkey)

    async def start(self, *, options: CallOptions | None = None) -> types.PasskeyChallenge:
        """Start registering a passkey.

        Creates a challenge for a new passkey of the signed-in member. A browser passes the challenge to
        an authenticator and sends the response to passkeys.add.

        POST /v1/passkeys/challenge (an extension).
        """
        return await self._sender.call(_PASSKEYS_START, {}, options, types.PasskeyChallenge)

    async def rename(self, *, options: ConditionalOptions | None = None, **given: Unpack[PasskeysRenameInput]) -> types.Passkey:
        """Rename a passkey.

        Changes the name of a passkey. Members can rename their own passkeys. Renaming another member's
        passkey requires the owner role.

        PATCH /v1/passkeys/{id} (an extension). Its inputs are those of PasskeysRenameInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PASSKEYS_RENAME, given, options, types.Passkey)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[PasskeysRmInput]) -> types.Passkey:
        """Remove a passkey.

        Removes a passkey, so that it can no longer sign in. Open sessions continue. Members can remove
        their own passkeys.

        - Removing another member's passkey requires the owner role.
        - A member without passkeys signs in with the password. If the organization requires passkeys,
        the member must register a new one.

        DELETE /v1/passkeys/{id} (an extension). Its inputs are those of PasskeysRmInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PASSKEYS_RM, given, options, types.Passkey)


class AsyncPasskeysWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncPasskeys) -> None:
        self.list = async_raw(methods.list)
        self.add = async_raw(methods.add)
        self.start = async_raw(methods.start)
        self.rename = async_raw(methods.rename)
        self.rm = async_raw(methods.rm)
