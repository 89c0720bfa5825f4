# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..inputs import Time
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class TokensListInput(TypedDict):
    """Of tokens.list: list control-plane tokens."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""


class TokensListOutput(Document):
    """What tokens.list answers."""
    data: list[types.Token]
    next_cursor: str | None


class TokensListPage(TokensListOutput, Page[types.Token]):
    """A page of tokens.list."""


class AsyncTokensListPage(TokensListOutput, AsyncPage[types.Token]):
    """A page of tokens.list."""


class TokensCreateInput(TypedDict):
    """Of tokens.create: mint a control-plane token."""
    label: str
    """Name for people. 1 to 64 characters."""
    role: NotRequired[Literal["viewer", "developer", "admin", "owner"]]
    """What it may do; when left out, `admin`, or the role of the caller if that is lower."""
    application: NotRequired[str]
    """Slug of the one application that it may use; when left out, every one that the caller may use."""
    expires_at: NotRequired[Time | None]
    """When the token expires, in the future. Null means never. Defaults to the expiry of the calling
    token, or to None. ISO 8601.
    """


class TokensCreateOutput(Document):
    """What tokens.create answers."""
    id: str
    """Id of the token, `apk_…`."""
    label: str
    """Name for people."""
    prefix: str
    """First characters of the secret; safe to show."""
    last_four: str
    """Last characters of the secret; safe to show."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """The role whose operations it may call."""
    application_id: str | None
    """Id of the one application that it may use, `app_…`; None: every one."""
    member_id: str | None
    """Id of the member who signed in on the device that holds it, `mem_…`; None: a token of the
    organization.
    """
    created_by: types.TokenCreator | None
    """Who created the token. Null if the server’s operator created it, or if it was created before
    creators were recorded.
    """
    created_at: str
    """When the token was created. ISO 8601."""
    expires_at: str | None
    """When the token expires. Null if it never expires. ISO 8601."""
    last_used_at: str | None
    """When it was last used, to ten minutes; None: never. ISO 8601."""
    revoked_at: str | None
    """When the token was revoked. Null if it was not revoked. ISO 8601."""
    token: str
    """The secret, shown once."""


class TokensRevokeInput(TypedDict):
    """Of tokens.revoke: revoke a control-plane token."""
    id: str
    """Id of the token, `apk_…`. 1 to 64 characters."""


_TOKENS_LIST = Route(
    id="tokens.list",
    method="GET",
    path="/v1/application-keys",
    takes=TokensListInput,
    query=("limit", "cursor",),
)


_TOKENS_CREATE = Route(
    id="tokens.create",
    method="POST",
    path="/v1/application-keys",
    takes=TokensCreateInput,
    body="json",
    is_keyed=True,
)


_TOKENS_REVOKE = Route(
    id="tokens.revoke",
    method="DELETE",
    path="/v1/application-keys/{id}",
    takes=TokensRevokeInput,
)


class Tokens:
    """The `sk_` tokens of the organization."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> TokensWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return TokensWithRawResponse(Tokens(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[TokensListInput]) -> TokensListPage:
        """List control-plane tokens.

        Returns tokens newest first, including revoked and expired ones. Secrets are never returned
        again.

        GET /v1/application-keys. Its inputs are those of TokensListInput.
        """
        return self._sender.page(_TOKENS_LIST, given, options, TokensListPage)

    def create(self, *, options: CallOptions | None = None, **given: Unpack[TokensCreateInput]) -> TokensCreateOutput:
        """Mint a control-plane token.

        Creates an `sk_` token of this organization. The secret is returned once and cannot be retrieved
        again. A token can do no more than its creator: a higher role, an application that the caller may
        not use, or an expiry after that of the calling token is rejected.

        POST /v1/application-keys. Its inputs are those of TokensCreateInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_TOKENS_CREATE, given, options, TokensCreateOutput)

    def revoke(self, *, options: CallOptions | None = None, **given: Unpack[TokensRevokeInput]) -> types.Token:
        """Revoke a control-plane token.

        The token is refused from the next request on and stays listed. Revoking it again changes
        nothing. A token may revoke itself; another one needs the role `admin`.

        DELETE /v1/application-keys/{id}. Its inputs are those of TokensRevokeInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_TOKENS_REVOKE, given, options, types.Token)


class TokensWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Tokens) -> None:
        self.list = raw(methods.list)
        self.create = raw(methods.create)
        self.revoke = raw(methods.revoke)


class AsyncTokens:
    """The `sk_` tokens of the organization."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncTokensWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncTokensWithRawResponse(AsyncTokens(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[TokensListInput]) -> AsyncPageCall[types.Token, AsyncTokensListPage]:
        """List control-plane tokens.

        Returns tokens newest first, including revoked and expired ones. Secrets are never returned
        again.

        GET /v1/application-keys. Its inputs are those of TokensListInput.
        """
        return self._sender.page(_TOKENS_LIST, given, options, AsyncTokensListPage)

    async def create(self, *, options: CallOptions | None = None, **given: Unpack[TokensCreateInput]) -> TokensCreateOutput:
        """Mint a control-plane token.

        Creates an `sk_` token of this organization. The secret is returned once and cannot be retrieved
        again. A token can do no more than its creator: a higher role, an application that the caller may
        not use, or an expiry after that of the calling token is rejected.

        POST /v1/application-keys. Its inputs are those of TokensCreateInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_TOKENS_CREATE, given, options, TokensCreateOutput)

    async def revoke(self, *, options: CallOptions | None = None, **given: Unpack[TokensRevokeInput]) -> types.Token:
        """Revoke a control-plane token.

        The token is refused from the next request on and stays listed. Revoking it again changes
        nothing. A token may revoke itself; another one needs the role `admin`.

        DELETE /v1/application-keys/{id}. Its inputs are those of TokensRevokeInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_TOKENS_REVOKE, given, options, types.Token)


class AsyncTokensWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncTokens) -> None:
        self.list = async_raw(methods.list)
        self.create = async_raw(methods.create)
        self.revoke = async_raw(methods.revoke)
