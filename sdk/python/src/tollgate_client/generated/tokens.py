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
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


class TokensListOutput(Document):
    """What tokens.list answers."""
    data: list[types.Token]
    next_cursor: str | None


class TokensListPage(TokensListOutput, Page[types.Token]):
    """A page of tokens.list."""


class AsyncTokensListPage(TokensListOutput, AsyncPage[types.Token]):
    """A page of tokens.list."""


class TokensCreateInput(TypedDict):
    """Of tokens.create: create a control-plane token."""
    label: str
    """Display name of the token. 1 to 64 characters."""
    role: NotRequired[Literal["viewer", "developer", "admin", "owner"]]
    """Role of the token. Defaults to `admin`, or to the role of the caller if that is lower."""
    application: NotRequired[str]
    """Slug of the only application that the token can use. Defaults to every application that the caller
    can use.
    """
    expires_at: NotRequired[Time | None]
    """When the token expires. Must be in the future. Null means never. Defaults to the expiry of the
    calling token, or to None. ISO 8601.
    """


class TokensCreateOutput(Document):
    """What tokens.create answers."""
    id: str
    """ID of the token, `apk_…`."""
    label: str
    """Display name of the token."""
    prefix: str
    """First characters of the secret, safe to display."""
    last_four: str
    """Last characters of the secret, safe to display."""
    role: Literal["viewer", "developer", "admin", "owner"] | str
    """Role of the token."""
    application_id: str | None
    """ID of the only application that the token can use, `app_…`. Null means every application."""
    member_id: str | None
    """ID of the member who signed in on the device that stores the token, `mem_…`. Null for a token of
    the organization.
    """
    created_by: types.TokenCreator | None
    """Creator of the token. Null if the operator of the server created it, or if it was created before
    creators were recorded.
    """
    created_at: str
    """When the token was created. ISO 8601."""
    expires_at: str | None
    """When the token expires. Null if it never expires. ISO 8601."""
    last_used_at: str | None
    """When the token was last used, accurate to ten minutes. Null if it was never used. ISO 8601."""
    revoked_at: str | None
    """When the token was revoked. Null if it was not revoked. ISO 8601."""
    token: str
    """Secret of the token, returned once."""


class TokensRevokeInput(TypedDict):
    """Of tokens.revoke: revoke a control-plane token."""
    id: str
    """ID of the token, `apk_…`. 1 to 64 characters."""


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
    """The organization's `sk_` tokens."""

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
        """Create a control-plane token.

        Creates an `sk_` token for the organization. The secret is returned once and cannot be retrieved
        again. A higher role than the caller's, an application that the caller cannot use, or an expiry
        after that of the calling token is rejected.

        POST /v1/application-keys. Its inputs are those of TokensCreateInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_TOKENS_CREATE, given, options, TokensCreateOutput)

    def revoke(self, *, options: CallOptions | None = None, **given: Unpack[TokensRevokeInput]) -> types.Token:
        """Revoke a control-plane token.

        Revokes a token: requests with it fail immediately. The token remains listed. Revoking it again
        changes nothing. A token can revoke itself; revoking another token requires the admin role.

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
    """The organization's `sk_` tokens."""

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
        """Create a control-plane token.

        Creates an `sk_` token for the organization. The secret is returned once and cannot be retrieved
        again. A higher role than the caller's, an application that the caller cannot use, or an expiry
        after that of the calling token is rejected.

        POST /v1/application-keys. Its inputs are those of TokensCreateInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_TOKENS_CREATE, given, options, TokensCreateOutput)

    async def revoke(self, *, options: CallOptions | None = None, **given: Unpack[TokensRevokeInput]) -> types.Token:
        """Revoke a control-plane token.

        Revokes a token: requests with it fail immediately. The token remains listed. Revoking it again
        changes nothing. A token can revoke itself; revoking another token requires the admin role.

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
