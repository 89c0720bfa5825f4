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
    active_application: str | None
    """Slug of the application that `apps.use` made active; None: none."""


class AuthWhoamiOutputOrganization(Document):
    id: str
    """Id of the organization, `org_…`."""
    name: str
    """Its name."""
    code: str
    """The `<code>` in its tokens."""


class AuthWhoamiOutput(Document):
    """What auth.whoami answers."""
    organization: AuthWhoamiOutputOrganization
    """The organization that the token or the member is bound to."""
    token: types.Token | None
    """The token in use; None: a member has signed in."""
    member: types.Member | None
    """The member who has signed in; None: a token calls."""


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
    """Who makes a request."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AuthWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AuthWithRawResponse(Auth(self._sender.raw()))

    def token(self, *, options: CallOptions | None = None) -> AuthTokenOutput:
        """Show the token in use.

        The token of this request, and the application that it made active. A session has none:
        sessions.current shows it.

        GET /v1/auth/token.

        Raises ApiError: no_token_in_use.
        """
        return self._sender.call(_AUTH_TOKEN, {}, options, AuthTokenOutput)

    def whoami(self, *, options: CallOptions | None = None) -> AuthWhoamiOutput:
        """Show who the token is.

        The organization of the caller, and the caller: a token, or a member who has signed in.

        GET /v1/whoami.
        """
        return self._sender.call(_AUTH_WHOAMI, {}, options, AuthWhoamiOutput)


class AuthWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Auth) -> None:
        self.token = raw(methods.token)
        self.whoami = raw(methods.whoami)


class AsyncAuth:
    """Who makes a request."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncAuthWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncAuthWithRawResponse(AsyncAuth(self._sender.raw()))

    async def token(self, *, options: CallOptions | None = None) -> AuthTokenOutput:
        """Show the token in use.

        The token of this request, and the application that it made active. A session has none:
        sessions.current shows it.

        GET /v1/auth/token.

        Raises ApiError: no_token_in_use.
        """
        return await self._sender.call(_AUTH_TOKEN, {}, options, AuthTokenOutput)

    async def whoami(self, *, options: CallOptions | None = None) -> AuthWhoamiOutput:
        """Show who the token is.

        The organization of the caller, and the caller: a token, or a member who has signed in.

        GET /v1/whoami.
        """
        return await self._sender.call(_AUTH_WHOAMI, {}, options, AuthWhoamiOutput)


class AsyncAuthWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncAuth) -> None:
        self.token = async_raw(methods.token)
        self.whoami = async_raw(methods.whoami)
