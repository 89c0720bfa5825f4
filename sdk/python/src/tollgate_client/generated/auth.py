# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from ..document import Document
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class AuthTokenOutput(Document):
    """What auth.token answers."""
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
    active_application: str | None
    """Slug of the active application, set with `apps.use`. Null if no application is active."""


class AuthWhoamiOutputOrganization(Document):
    id: str
    """ID of the organization, `org_…`."""
    name: str
    """Name of the organization."""
    code: str
    """Code of the organization, which is the `<code>` part of its tokens."""


class AuthWhoamiOutput(Document):
    """What auth.whoami answers."""
    organization: AuthWhoamiOutputOrganization
    """Organization of the token or member."""
    token: types.Token | None
    """Token of the request. Null if a member is signed in."""
    member: types.Member | None
    """Signed-in member. Null if the request uses a token."""


_AUTH_TOKEN = Route(
    id="auth.token",
    method="GET",
    path="/v1/auth/token",
)


_AUTH_WHOAMI = Route(
    id="auth.whoami",
    method="GET",
    path="/v1/whoami",
)


class Auth:
    """The credential of the request."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AuthWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AuthWithRawResponse(Auth(self._sender.raw()))

    def token(self, *, options: CallOptions | None = None) -> AuthTokenOutput:
        """Show the token in use.

        Returns the token of this request and its active application. If the request uses a session
        instead, use `sessions.current`.

        GET /v1/auth/token.

        Raises ApiError: no_token_in_use.
        """
        return self._sender.call(_AUTH_TOKEN, {}, options, AuthTokenOutput)

    def whoami(self, *, options: CallOptions | None = None) -> AuthWhoamiOutput:
        """Show the caller.

        Returns the caller, which is a token or a signed-in member, and the organization of the caller.

        GET /v1/whoami.
        """
        return self._sender.call(_AUTH_WHOAMI, {}, options, AuthWhoamiOutput)


class AuthWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Auth) -> None:
        self.token = raw(methods.token)
        self.whoami = raw(methods.whoami)


class AsyncAuth:
    """The credential of the request."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncAuthWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncAuthWithRawResponse(AsyncAuth(self._sender.raw()))

    async def token(self, *, options: CallOptions | None = None) -> AuthTokenOutput:
        """Show the token in use.

        Returns the token of this request and its active application. If the request uses a session
        instead, use `sessions.current`.

        GET /v1/auth/token.

        Raises ApiError: no_token_in_use.
        """
        return await self._sender.call(_AUTH_TOKEN, {}, options, AuthTokenOutput)

    async def whoami(self, *, options: CallOptions | None = None) -> AuthWhoamiOutput:
        """Show the caller.

        Returns the caller, which is a token or a signed-in member, and the organization of the caller.

        GET /v1/whoami.
        """
        return await self._sender.call(_AUTH_WHOAMI, {}, options, AuthWhoamiOutput)


class AsyncAuthWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncAuth) -> None:
        self.token = async_raw(methods.token)
        self.whoami = async_raw(methods.whoami)
